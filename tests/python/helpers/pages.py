"""The Markdown pages of the project: their blocks of code, and how the tests run these.

    python tests/python/helpers/pages.py      lists all blocks, and why some are not run

A comment before a block says what the tests need to know about it:

    <!-- test: not run, REASON -->
    <!-- test: needs MODULE -->             skipped where that Python module is missing
    <!-- test: in rllib -->                 only in the environment of .ci/rllib, or of a library in
                                            .ci/language_models
    <!-- test: after learning -->           continues the page's block that learns, if there is one;
                                            benchmarks/after_learning.py runs them all together
    <!-- test: server -->                   with a server; its endpoint replaces the page's
    <!-- test: model -->                    with a scripted model, not the page's
    <!-- test: read TEXT as OTHER -->       something smaller, to save time
    <!-- test: deprecated inside -->        a library that it needs uses what is deprecated

A block ```text right after a block of code holds what it prints.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
WRITTEN = ROOT / "python/docs/pages"
ENDPOINT = "tcp://127.0.0.1:7644"
"""The address of the pages' server."""
MODEL = "http://localhost:8001/v1"
"""That of their language model."""

_NOT_RUN = "not run, "
_BLOCK = re.compile(
    r"((?:^<!-- test: [^\n]*-->\n)*)^```(python|sh)\n(.*?)^```\n(?:\n*^```text\n(.*?)^```$)?",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """A block of code on a page."""

    page: str
    line: int
    language: str
    code: str
    output: str | None
    notes: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def needs_server(self) -> bool:
        """True if it speaks to the server of the page."""
        return "server" in self.notes

    @property
    def environment(self) -> str | None:
        """The separate environment that the example runs in; None: that of most tests."""
        return next((note[3:] for note in self.notes if note.startswith("in ")), None)

    @property
    def warnings(self) -> list[str]:
        """Options of Python: which warnings are errors."""
        if self.environment:  # what is alone in one is apt to warn of itself
            return ["-W", "ignore"]
        ignored = ["-W", "ignore::DeprecationWarning"] if "deprecated inside" in self.notes else []
        return ["-W", "error", *ignored]

    @property
    def why_not(self) -> str | None:
        """The reason why no test runs it; None where tests do."""
        reasons = [note for note in self.notes if note.startswith(_NOT_RUN)]
        return reasons[0].removeprefix(_NOT_RUN) if reasons else None

    @property
    def missing(self) -> list[str]:
        """The Python modules that it needs and that are not installed."""
        needed = [note.removeprefix("needs ") for note in self.notes if note.startswith("needs ")]
        return [module for module in needed if find_spec(module) is None]

    def code_to_run(self, endpoint: str | None = None, model: str = MODEL) -> str:
        """The code with its replacements; `endpoint` and `model` take the places of the page's."""
        code = self.code
        for note in self.notes:
            if found := re.fullmatch(r"read (.+) as (.+)", note):
                assert found[1] in code, f"{self}: no {found[1]}"
                code = code.replace(found[1], found[2])
        return code.replace(ENDPOINT, endpoint or ENDPOINT).replace(MODEL, model)

    def check(self, folder: Path, endpoint: str | None = None, model: str = MODEL) -> None:
        """Run it alone, in a separate process and folder: it prints what the page says."""
        code = self.code_to_run(endpoint, model)
        if self.language == "python":
            command = [sys.executable, *self.warnings, "-c", code]
        else:
            command = ["bash", "-euo", "pipefail", "-c", code]
        scripts = f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            command,
            cwd=folder,
            env=os.environ | {"PATH": scripts, "PYTHONPATH": ""},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        if self.output is not None:
            assert done.stdout.rstrip("\n") == self.output.rstrip("\n")


def paths() -> list[Path]:
    """All pages written by hand, in the repository and for the site."""
    folders = ("envs", "csrc", "benchmarks", "python", "tests")
    found = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.md"))]
    return [ROOT / "README.md", *found]


def modules() -> list[str]:
    """All modules of the package but the former ones, which only say where they went."""
    folder = ROOT / "python/mhing"
    parts = (
        path.relative_to(ROOT / "python").with_suffix("").parts
        for path in folder.rglob("*.py")
        if "\nraise ImportError(" not in path.read_text(encoding="utf-8")
    )
    names = {".".join(part).removesuffix(".__init__") for part in parts if part[-1] != "__main__"}
    return sorted(names)


def texts() -> dict[str, str]:
    """All pages written by hand, by their paths in the repository."""
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths()}


def generated_texts() -> dict[str, str]:
    """The pages about games, which the site makes, by their addresses there."""
    game_pages = site_module("game_pages")
    games = {f"games/{game}.md": game_pages.page(game) for game in game_pages.games()}
    guides = {f"games/{game}-guide.md": game_pages.guide(game) for game in game_pages.games()}
    return {"games/index.md": game_pages.overview()} | games | guides


def site_module(name: str) -> Any:
    """One of the modules that make the site."""
    return script("python/docs", name)


def script(folder: str, name: str) -> Any:
    """A program of the repository as a module."""
    sys.path.insert(0, str(ROOT / folder))
    try:
        return import_module(name)
    finally:
        sys.path.pop(0)


def blocks() -> Iterator[Block]:
    """All blocks of Python and of commands."""
    for page, text in (texts() | generated_texts()).items():
        yield from blocks_of(page, text)


def blocks_of(page: str, text: str) -> Iterator[Block]:
    """Those of one page."""
    for found in _BLOCK.finditer(text):
        notes, language, code, output = found.groups()
        line = text.count("\n", 0, found.start(2)) + 1
        read = tuple(re.findall(r"<!-- test: (.+?) -->", notes))
        for note in read:
            known = (
                r"server|model|after learning|deprecated inside|"
                r"in (rllib|(openenv_)?(trl|verifiers)|openenv(_agilerl)?|textarena|kaggle)|"
                r"not run, .+|needs \w+|read .+ as .+"
            )
            assert re.fullmatch(known, note), f"{page}:{line}: unknown note: {note}"
        yield Block(page, line, language, code, output, read)


def learning(page: str) -> Block | None:
    """The block of a page that learns, and prints after how many decisions it is how good."""
    found = [
        block
        for block in blocks_of(page, texts()[page])
        if block.language == "python" and " decisions: " in block.code
    ]
    assert len(found) < 2, f"{page}: {found[1]} learns as well; expected one block at most"
    return found[0] if found else None


def after_learning(page: str) -> list[Block]:
    """The block of a page that learns and those that continue it; [] where none does."""
    found = [block for block in blocks_of(page, texts()[page]) if "after learning" in block.notes]
    first = learning(page)
    return [first, *found] if found and first and first not in found else found


SAID = re.compile(r"(\d+) decisions: ([+-]?[\d.]+)((?: ± [\d.]+)?) (.+)")
"""Its lines: how many, how good, with which interval, in which unit."""


if __name__ == "__main__":
    for block in blocks():
        print(f"{block}: {block.language}, {block.why_not or 'run'}")
