"""Games as JSON lines: the records that servers write, many in a file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from mhing import _episodes
from mhing.data.games import Block, Games, Progress
from mhing.records import FORMAT


def write_jsonl(path: str | Path, games: Games, progress: Progress | None = None) -> None:
    """Writes a new file of records, one after another, as csrc/server/RECORDS.md describes them.

    :func:`mhing.records.records` reads it. Lines are written as soon as some games are over, so
    that a kill leaves all of these. Where there is an error before the first one is over, there is
    no file.

    Raises:
        FileExistsError: the file is there.
        OSError: it cannot be written.
        ValueError: a player has failed, or answered with what is no legal action.
    """
    lines = _Lines(games)
    with open(path, "x", encoding="utf-8", newline="\n") as file:
        try:
            for block in games.played():
                file.writelines(lines.of(block))
                file.flush()
                if progress:
                    progress(block.first + len(block.episodes.seeds))
        except BaseException:
            if not os.fstat(file.fileno()).st_size:
                os.unlink(path)
            raise


class _Lines:
    """Makes the lines of games."""

    def __init__(self, games: Games) -> None:
        self._games, self._game = games, games.game
        self._version = self._game.describe()["rules_version"]
        self._texts = [*map(self._game.action_text, range(self._game.num_actions))]
        self._by = ["bot" if isinstance(one.plays, int) else "player" for one in games.players]

    def of(self, block: Block) -> Iterator[str]:
        """The lines of some games."""
        games, episodes = self._games, block.episodes
        made, ends = _episodes.decisions(
            games.game._handle, episodes, games.num_threads, seen=False
        )
        moves = [*zip(made.seats.tolist(), episodes.actions.tolist(), strict=True)]
        starts = episodes.starts.tolist()
        for place, number in enumerate(range(block.first, block.first + len(episodes.seeds))):
            yield self._begin(number, int(episodes.seeds[place]))
            by = [self._by[player] for player in games.seating(number)]
            for seat, action in moves[starts[place] : starts[place + 1]]:
                yield _line(seat, action, self._texts[action], by[seat])
            numbers = self._game.plain_numbers(ends.numbers[place])
            returns = ends.totals[place].tolist()
            yield _dump(returns=returns, substituted=[0] * len(returns), numbers=numbers)

    def _begin(self, number: int, seed: int) -> str:
        return _dump(
            format=FORMAT, game=self._game.id, rules_version=self._version,
            options=self._game.options, seed=seed, number=number, games=self._games.count,
            players=self._games.names(number),
        )  # fmt: skip


@cache
def _line(seat: int, action: int, text: str, by: str) -> str:
    return _dump(seat=seat, action=action, text=text, by=by, ms=0)


def _dump(**content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n"
