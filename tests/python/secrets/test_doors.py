"""Everything that leaves the engine stands in the tables of the page *Who learns what*."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import doors
import pytest

from mhing.data.columns import COLUMNS

PAGE = Path(__file__).parents[3] / "python/docs/pages/threats.md"

pytestmark = pytest.mark.once


def written() -> dict[str, doors.Names]:
    """The tables of the page: each door is a table, each of its lines a message with its names."""
    found: dict[str, doors.Names] = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if row := re.match(r"\| (\w+): ([^|]+) \| ([^|]*) \| ([^|]+) \|$", line):
            door, message, holds, why = row.groups()
            assert why.strip(), f"{door}, {message}: why it may leave"
            found.setdefault(door, {})[message] = set(re.findall(r"`(.+?)`", holds))
    return found


def of_datasets(_: Path) -> dict[str, doors.Names]:
    return {"dataset": {"columns": {column.name for column in COLUMNS}}}


@pytest.mark.slow
@pytest.mark.parametrize(
    "play",
    [
        doors.table,
        doors.program,
        doors.environments,
        doors.words,
        doors.chat,
        doors.commands,
        doors.browser,
        of_datasets,
    ],
)
def test_what_leaves_stands_on_the_page(
    play: Callable[[Path], dict[str, doors.Names]], tmp_path: Path
) -> None:
    page = written()
    for door, names in play(tmp_path).items():
        assert dict(names) == page[door], door


def test_every_door_of_the_page_is_there(tmp_path: Path) -> None:
    assert set(written()) == {
        "player", "spectator", "record", "program", "log", "environment", "agent", "seat",
        "endpoint", "transcript", "rows", "session", "page", "lobby", "kept", "dataset", "command",
    }  # fmt: skip
