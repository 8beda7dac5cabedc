"""All code on the pages runs as it stands there, and so does all code in docstrings."""

from __future__ import annotations

import ast
import doctest
import re
import shutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pages
import pytest
from chat_endpoint import Endpoint, last_move, serving
from server_process import Server

from mhing.remote import Bot, Turn

pytestmark = pytest.mark.once

RECORD = "mytable-1.jsonl"
"""The record that docstrings read."""


class First(Bot):
    def act(self, turn: Turn) -> int:
        return int(turn.legal_actions[0])


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    with Server(folder, "--records", str(folder)) as running:
        First("first").play(running.endpoint, table="mytable", bots=["greedy"] * 3, seed=1)
        yield running


BLOCKS = [*pages.blocks()]
TOGETHER = {str(block) for page in pages.texts() for block in pages.after_learning(page)}
"""Those that test_after_learning.py runs, one after the other."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "block",
    [
        block
        for block in BLOCKS
        if not block.why_not and block.environment is None and str(block) not in TOGETHER
    ],
    ids=str,
)
def test_block(block: pages.Block, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Each block alone."""
    if block.missing:
        pytest.skip(f"not installed: {', '.join(block.missing)}")
    server = request.getfixturevalue("server").endpoint if block.needs_server else None
    model = Endpoint(last_move)
    with serving(model) as address:
        block.check(tmp_path, server, address)
    assert bool(model.asked) == ("model" in block.notes)


def test_what_is_not_run() -> None:
    """All Python runs. Commands may not, for a reason; tests that it names are there."""
    for block in BLOCKS:
        if block.why_not:
            assert block.language == "sh", f"{block}: {block.why_not}"
            for path in re.findall(r"\btests/\S+\.py", block.why_not):
                assert (pages.ROOT / path).is_file(), f"{block}: {path}"


ELSEWHERE = ("mhing.openenv", "mhing.rllib")
"""Modules whose libraries have separate environments."""

MODULES = [name for name in pages.modules() if not name.startswith(ELSEWHERE)]


@pytest.mark.slow
def test_docstrings(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each docstring alone, with the names of its module."""
    monkeypatch.chdir(tmp_path)
    (record,) = Path(server.arguments[-1]).glob("mytable-*.jsonl")
    shutil.copy(record, RECORD)
    finder, count = doctest.DocTestFinder(), 0
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    for name in MODULES:
        for test in finder.find(import_module(name), name):
            for example in test.examples:
                example.source = example.source.replace(pages.ENDPOINT, server.endpoint)
            count += len(test.examples)
            runner.run(test)
    assert runner.summarize(verbose=False).failed == 0
    assert count > 20


ABOUT_NEW_GAMES = ("envs/README.md", "envs/CONTRACT.md")


def test_a_reader_may_run_all_blocks_of_a_page_in_one_folder() -> None:
    """Files that exist are not overwritten, so no two blocks write the same."""
    written = re.compile(
        r"(?:--(?:out|html|gif|svg|record|csv) |write_parquet\(|\.export\([^,\n]+, )\"?([\w./:]+)"
    )
    for page, text in pages.texts().items():
        names = [
            name for block in pages.blocks_of(page, text) for name in {*written.findall(block.code)}
        ]
        assert len(names) == len({*names}), (page, names)


def test_no_example_needs_the_template() -> None:
    """A wheel has the games of games.def alone, these tests have the template as well."""
    fenced = re.compile(r"^```\w+\n.*?^```", re.MULTILINE | re.DOTALL)
    examples = {page: fenced.findall(text) for page, text in pages.texts().items()}
    for page in ABOUT_NEW_GAMES:
        del examples[page]
    for path in (pages.ROOT / "python/mhing").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        examples[str(path)] = re.findall(r"^ *(?:>>>|\.\.\.) .*", text, re.MULTILINE)
    for where, found in examples.items():
        for example in found:
            assert not re.search("leduc(?!_holdem)", example, re.IGNORECASE), f"{where}: {example}"


def test_imports_of_the_pages_are_public() -> None:
    """Examples teach nothing that begins with an underscore, but for Python's own `__init__`."""
    for block in BLOCKS:
        if block.language == "python":
            for node in ast.walk(ast.parse(block.code)):
                name = node.attr if isinstance(node, ast.Attribute) else ""
                assert name == "__init__" or not name.startswith("_"), f"{block}: {name}"
