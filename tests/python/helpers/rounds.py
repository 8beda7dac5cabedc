"""Recorded rounds, and what `mhing replay` makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mhing import Game
from mhing.cli import main
from mhing.data import Games, write_jsonl
from mhing.records import Record

NAME = "game.jsonl"


def recorded(
    folder: Path, game: str, players: Sequence[str] | None = None, *, seed: int = 4, **options: Any
) -> Record:
    """A round in a file of the folder; without `players` the default bot is at it, and a random."""
    made = Game(game, **options)
    write_jsonl(
        folder / NAME, Games(made, players or [made.default_bot, "random"], games=1, seed=seed)
    )
    return Record(folder / NAME)


def replay(*arguments: str) -> int:
    """The exit status of the command for the round of the working folder."""
    try:
        return main(["replay", NAME, *arguments])
    except SystemExit as error:
        return int(error.code or 0)
