"""The page of versions: its numbers are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from golden import registered

import mhing

pytestmark = pytest.mark.once

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "python/docs/pages/changes.md").read_text(encoding="utf-8")


def number(file: str, pattern: str) -> str:
    """The number that a file of the code has behind this pattern."""
    found = re.findall(pattern + r"\W*(\d+)", (ROOT / file).read_text(encoding="utf-8"))
    assert len(found) == 1, (file, found)
    return str(found[0])


def test_versions_are_those_of_the_code() -> None:
    rows = dict(re.findall(r"^\| ([^|]*) \| ([^|]*) \|", PAGE, re.MULTILINE))
    games = {game: mhing.Game(game) for game in registered()}
    expected = {
        "the package": mhing.__version__,
        "snapshots of states and batches": number(
            "csrc/play/mh_state.c", "enum { SNAPSHOT_VERSION"
        ),
        "sessions that `mhing-server --state` keeps": number(
            "csrc/server/sessions/session_journal.c", "enum { VERSION"
        ),
        "tables that `mhing-server --state` keeps": number(
            "csrc/server/tables/table_journal.h", "JOURNAL_VERSION"
        ),
        "the C interface, `MH_API_VERSION`": number("csrc/include/mh_api.h", "MH_API_VERSION"),
        "[the suite](../../../benchmarks/SUITE.md#versions) of `mhing benchmark`": number(
            "python/mhing/arena/suite.py", "\nVERSION"
        ),
        "[positions](../../../benchmarks/SUITE.md#in-words) of `mhing benchmark --view words`": (
            number("python/mhing/arena/positions.py", "\nVERSION")
        ),
        "folders of `mhing train`": number("python/mhing/train/folder.py", "\nVERSION"),
        "[the protocol](../../../csrc/server/PROTOCOL.md) of `mhing-server`": number(
            "csrc/server/PROTOCOL.md", "The protocol has version"
        ),
        **{f"rules of {game.title}": str(game.rules_version) for game in games.values()},
    }
    assert {name: rows[name] for name in expected} == expected
    ids = {mhing.environment_id(game).rpartition("-")[2] for game in games}
    assert ids == {rows["environment ids such as `Mhing-v0`"]}
