"""README's commands in the order in which they stand; tests/readme_path.py runs them."""

from __future__ import annotations

import re
from pathlib import Path

import pages
import pytest

from mhing.cli import make_parser
from mhing.demo import NEXT

tomllib = pytest.importorskip("tomllib")  # of Python 3.11

pytestmark = pytest.mark.once

TEXT = (pages.ROOT / "README.md").read_text(encoding="utf-8").partition("\n## Contributing\n")[0]
BLOCKS = [*pages.blocks_of("README.md", TEXT)]
(WHEEL,) = [block for block in BLOCKS if block.why_not == "it installs a wheel"]
BLOCKS.remove(WHEEL)
_INSTALL = re.compile(r"pip install (?:--\S+ )*'(?:\.|mhing)\[([a-z_\d,]+)\]'")
_NAMED = re.compile(r"extra(?:\]\([^)]*\))? `(\w+)`")
_OTHERS = re.compile(r"pip install ([a-z][\w ]*)")
_MODULES = {"open_spiel": "pyspiel"}
"""The module of a package, where it has another name."""


@pytest.fixture
def demo() -> str:
    """The program that README runs first."""
    return (pages.ROOT / ".ci/demo").read_text(encoding="utf-8")


def words_of(code: str) -> list[str]:
    """The programs that a block of commands runs."""
    return re.findall(r"(?:^|&& )(\S+)", code, re.MULTILINE)


def test_the_environment_is_entered_before_its_commands_are_used() -> None:
    lines = [word for block in BLOCKS if block.language == "sh" for word in words_of(block.code)]
    entered = lines.index(".")
    assert lines[:entered] == [".ci/demo"]
    assert ". .venv/bin/activate" in BLOCKS[0].code
    assert {"mhing", "pip", "python"} <= {*lines[entered:]}
    assert ".venv/bin/" not in "".join(block.code for block in BLOCKS[1:])


def test_extras_are_installed_where_there_is_no_clone() -> None:
    """`.[extra]` fails outside of a clone, and builds the package again in one."""
    for page, text in pages.texts().items():
        assert "pip install '.[" not in text, page


def test_a_wheel_brings_what_the_demo_brings(demo: str) -> None:
    assert _INSTALL.findall(WHEEL.code) == _INSTALL.findall(demo)
    assert words_of(WHEEL.code) == ["python3", ".", "pip", "mhing"]


def brought(text: str) -> set[str]:
    """The modules that a text installs, or whose extra it names."""
    project = tomllib.loads((pages.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    waiting = ",".join(_INSTALL.findall(text)).split(",") + _NAMED.findall(text)
    found = set(" ".join(_OTHERS.findall(text)).split())
    while waiting:
        for one in extras.get(waiting.pop(), ()):
            if of_us := re.match(r"mhing\[(.*)\]", one):
                waiting += of_us[1].split(",")
            else:
                name = re.match(r"[\w.-]+", one)
                assert name
                found.add(_MODULES.get(name[0], name[0].replace("-", "_")))
    return found


def needed(block: pages.Block) -> set[str]:
    """The modules that a block needs."""
    return {note.removeprefix("needs ") for note in block.notes if note.startswith("needs ")}


def test_what_a_block_needs_was_installed_before_it(demo: str) -> None:
    for block in BLOCKS:
        had = brought(demo + "\n".join(TEXT.split("\n")[: block.line]))
        needs = needed(block)
        needs |= {"uvicorn"} if "mhing web" in block.code else set()
        needs |= {"pyzmq"} if block.needs_server else set()
        assert needs <= had, block


def test_pages_say_before_each_block_how_to_get_what_it_needs() -> None:
    for page, text in pages.texts().items():
        for block in pages.blocks_of(page, text):
            had = brought("\n".join(text.split("\n")[: block.line]))
            assert page == "README.md" or needed(block) <= had, block


def test_the_demo_ends_with_commands_that_are_there(demo: str) -> None:
    lines = re.findall(r"^  mhing (.+?)   ", NEXT, re.MULTILINE)
    assert len(lines) == 3
    for line in lines:
        make_parser().parse_args(line.split())
    assert ". .venv/bin/activate" in demo


def test_commands_of_the_table_are_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """None lacks an argument that the command asks for."""
    monkeypatch.chdir(tmp_path)
    Path("old").touch()
    rows = re.findall(r"^\| `mhing (.+?)` \|", TEXT, re.MULTILINE)
    assert len(rows) > 15
    for row in rows:
        line = row.replace("GAME", "mhing").replace("--out FILE", "--out new.jsonl")
        make_parser().parse_args(line.replace("FILE", "old").split())
