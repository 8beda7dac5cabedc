"""The page of the architecture: each row names a function and the file that it is in."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "python" / "docs" / "pages" / "architecture.md"
ROW = re.compile(r"^\| [^|]+ \| `([^`]+)` \| `(\w+)` \|$", re.MULTILINE)
DEFINED = {
    ".py": r"^ *(?:def|class) {name}\b|^ *from .* import .*\b{name}\b",
    ".c": r"^[a-z][\w *]*\b{name}\(",
    ".inc": r"^[a-z][\w *]*\b{name}\(",
}


def rows() -> list[tuple[str, str]]:
    return ROW.findall(PAGE.read_text(encoding="utf-8"))


def test_every_row_of_a_walk_is_read() -> None:
    text = PAGE.read_text(encoding="utf-8")
    walks = [
        walk.split("\n\n")[0] for walk in text.split("| step | file | name |\n|---|---|---|\n")[1:]
    ]
    assert len(walks) == 5
    assert len(rows()) == sum(len(walk.splitlines()) for walk in walks) > 30


def test_each_function_is_defined_in_its_file() -> None:
    missing = [
        f"{file}: {name}"
        for file, name in rows()
        if not re.search(
            DEFINED[Path(file).suffix].format(name=name),
            (ROOT / file).read_text(encoding="utf-8"),
            re.MULTILINE,
        )
    ]
    assert not missing
