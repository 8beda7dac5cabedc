"""Games as JSON lines: the records that servers write, many in a file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TextIO

from mhing._lib.episodes import decisions
from mhing._support.interrupts import held
from mhing.data.games import Block, Games, Progress
from mhing.recorder import first_line, last_line, move_line


def write_jsonl(path: str | Path | TextIO, games: Games, progress: Progress | None = None) -> None:
    """Write a new file of records, one after another, as csrc/server/RECORDS.md describes them.

    It may also be a file that is open, such as standard output.

    :func:`mhing.records.records` reads it. Lines are written as soon as some games are over, so
    that a kill or Ctrl-C leaves all of these. Where there is an error before the first one is over,
    there is no file.

    Raises:
        FileExistsError: the file exists.
        OSError: it cannot be written.
        ValueError: a player has failed, or answered with what is no legal action.
    """
    lines = _Lines(games)
    with held(), opened(path) as file:
        for block in games.played():
            file.write("".join(lines.of(block)))
            file.flush()
            if progress:
                progress(block.first + len(block.episodes.seeds))


@contextmanager
def opened(path: str | Path | TextIO) -> Iterator[TextIO]:
    """A file to write, which is not left behind empty by an error."""
    if not isinstance(path, str | Path):
        yield path
        return
    with open(path, "x", encoding="utf-8", newline="\n") as file:
        try:
            yield file
        except BaseException:
            if not os.fstat(file.fileno()).st_size:
                os.unlink(path)
            raise


class _Lines:
    """Makes the lines of games."""

    def __init__(self, games: Games) -> None:
        self._games, self._game = games, games.game
        self._texts = [*map(self._game.action_text, range(self._game.num_actions))]
        self._by = ["bot" if isinstance(one.plays, int) else "player" for one in games.players]
        self._line = cache(move_line)

    def of(self, block: Block) -> Iterator[str]:
        """The lines of some games."""
        games, episodes = self._games, block.episodes
        made, ends = decisions(games.game._handle, episodes, games.num_threads, observed=False)
        moves = [*zip(made.seats.tolist(), episodes.actions.tolist(), strict=True)]
        starts = episodes.starts.tolist()
        for place, number in enumerate(range(block.first, block.first + len(episodes.seeds))):
            yield self._begin(number, int(episodes.seeds[place]))
            by = [self._by[player] for player in games.seating(number)]
            replies = block.replies[place] if block.replies else {}
            played = moves[starts[place] : starts[place + 1]]
            for turn, (seat, action) in enumerate(played):
                move = seat, action, self._texts[action], by[seat]
                said = replies.get(turn)
                yield move_line(*move, replies=said) if said else self._line(*move)
            numbers = self._game.plain_numbers(ends.numbers[place])
            yield last_line(ends.totals[place].tolist(), numbers)

    def _begin(self, number: int, seed: int) -> str:
        players = self._games.names(number)
        return first_line(self._game, seed, players, number=number, games=self._games.count)
