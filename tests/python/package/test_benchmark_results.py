"""The page of results is what the files of results give, and the commands in them exist."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import fields
from decimal import Decimal
from pathlib import Path

import pages
import pytest

from mhing.cli import make_parser

pytestmark = pytest.mark.once

FILES = sorted((pages.ROOT / "benchmarks/results").rglob("*.json"))
MOST_WORDS = 3500
"""On the page; a figure without a letter is no word."""

report = pages.script("benchmarks", "report")
tables = pages.script("benchmarks", "results_tables")


# ---- The page and its files ------------------------------------------------------------------


def test_the_page_is_what_the_files_give() -> None:
    """`python benchmarks/results_tables.py` writes it."""
    assert tables.PAGE.read_text(encoding="utf-8") == tables.page()
    assert sorted(tables.RESULTS / f"{subject}.json" for subject in tables.SUBJECTS) == FILES


def test_the_page_stays_short() -> None:
    words = tables.PAGE.read_text(encoding="utf-8").split()
    assert sum(re.search("[A-Za-z]", word) is not None for word in words) <= MOST_WORDS


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_of_results(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert [*json.loads(text)] == [field.name for field in fields(report.Report)]
    read = report.load(path)
    assert report.dump(read) == text
    assert read.title
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", read.date)
    assert read.note.count(". ") < 2, "two sentences at most"
    assert read.tables
    for table in read.tables:
        assert {len(row) for row in table.rows} == {len(table.columns)}
    for command in [*read.commands, *(table.command for table in read.tables if table.command)]:
        assert_exists(command)


def assert_exists(command: str) -> None:
    """The program of a command; a command of the package is parsed as a whole."""
    words = shlex.split(command)
    if words[0] == "mhing":
        make_parser().parse_args(words[1:])
        return
    (program,) = (word for word in words if "benchmarks/" in word)
    name = program.partition("benchmarks/")[2]
    source = name if name.endswith(".py") else f"core/{name}.c"
    assert (pages.ROOT / "benchmarks" / source).is_file(), command


# ---- The programs' side ----------------------------------------------------------------------


def test_figures_replace_those_of_a_file(tmp_path: Path) -> None:
    """Its title and its note stay, and numbers keep their digits."""
    path = tmp_path / "core.json"
    table = report.Table(["what", "million"], [["play", report.figure(9.7, 2)], ["none", None]])
    report.save(path, "benchmarks/bench", [table])
    assert report.load(path).title == "core"
    text = path.read_text(encoding="utf-8").replace('"core"', '"The core"')
    path.write_text(text.replace('"note": ""', '"note": "As it is."'), encoding="utf-8")
    report.save(path, "benchmarks/bench 2", [table])
    read = report.load(path)
    assert (read.title, read.note, read.commands) == (
        "The core",
        "As it is.",
        ["benchmarks/bench 2"],
    )
    assert read.tables[0].rows == [["play", Decimal("9.70")], ["none", None]]
    assert "| play | 9.70 |" in tables.section(read)


def test_tables_of_programs_in_c() -> None:
    output = (
        "signature 01 mhing\n\nspeed\nwhat  \tmhing\nfast  \t 9.70\nslow  \t\n"
        "\nhands\nhand\tns\nall\t20\n"
    )
    speed, hands = report.read_tables(output)
    assert (speed.title, hands.title) == ("speed", "hands")
    assert (speed.columns, hands.columns) == (["what", "mhing"], ["hand", "ns"])
    assert speed.rows == [["fast", Decimal("9.70")], ["slow", None]]
    assert [*report.lines(speed)] == ["\nspeed", "what  mhing", "fast   9.70", "slow       "]
