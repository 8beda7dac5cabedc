"""Writes games down as records, line by line, while they are played.

>>> import mhing
>>> from mhing.recorder import Recorder
>>> from mhing.records import Record
>>> state = mhing.Game("general_mhing").new_state(seed=1)
>>> with Recorder("mine.jsonl") as recorder:
...     recorder.begin(state.game, 1, ["ann", "greedy"])
...     while not state.is_terminal:
...         recorder.move(state.seat, int(state.legal_actions()[0]))
...         state.apply(int(state.legal_actions()[0]))
...     recorder.end(state)
>>> Record("mine.jsonl").players
['ann', 'greedy']

csrc/server/RECORDS.md describes the lines, and :mod:`mhing.records` reads them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from itertools import accumulate
from pathlib import Path
from typing import Any

from mhing._support.files import open_private, sole_writer
from mhing.game import Game, State
from mhing.records import FORMAT, TAKEN_BACK, Record

_LONGEST = 100_000
"""Characters of all replies in a line, which readers want to be short."""


class Recorder:
    """A new file of records. Every line is in it when a method returns: a kill loses nothing.

    No other recorder can write there meanwhile. Only its owner can read the file, since the seed of
    a game in play reveals all cards.

    Args:
        path: the file.

    Raises:
        FileExistsError: the file exists.
        OSError: it cannot be written, or another process writes there.
    """

    def __init__(self, path: str | Path) -> None:
        self._open(path, "x+")
        self._game: Game | None = None

    @classmethod
    def resume(cls, record: Record) -> Recorder:
        """Continue a game that is not over, after the last whole line of its file.

        Raises:
            ValueError: the game is over, or is not the last one of its file.
            OSError: the file cannot be written, or another process writes there.
        """
        if record.end is not None:
            raise ValueError(f"{record.path}: its game is over")
        lines = Path(record.path).read_bytes().splitlines(keepends=True)
        whole = lines[: record.line + len(record.moves)]
        if any(line.endswith(b"\n") for line in lines[len(whole) :]):
            raise ValueError(f"{record.path}: other games follow; the last one can be resumed")
        recorder = cls.__new__(cls)
        recorder._open(record.path, "r+")
        recorder._game = record.game
        recorder._taken_back = record.taken_back
        recorder._ends = [0, *accumulate(map(len, whole))][record.line - 1 :]
        recorder.take_back(len(record.moves))
        return recorder

    def begin(self, game: Game, seed: int, players: Sequence[str], **more: Any) -> None:
        """Begin a game, after the one before if there is one.

        Args:
            game: the game with its options.
            seed: from which it was dealt.
            players: names by seat.
            more: further keys of its first line.
        """
        self._game, self._taken_back = game, [0] * game.num_seats
        del self._ends[:-1]
        self._write(first_line(game, seed, players, **more))

    def move(
        self,
        seat: int,
        action: int,
        by: str = "player",
        seed: int | None = None,
        replies: Sequence[str] = (),
    ) -> None:
        """Add an action; the rest is as in :class:`mhing.records.RecordedMove`."""
        assert self._game, "begin() comes first"
        self._write(move_line(seat, action, self._game.action_text(action), by, seed, replies))

    def take_back(self, count: int, seat: int | None = None) -> None:
        """Keep the first `count` actions of the game; what came after them goes, an end too.

        Args:
            count: of actions.
            seat: who took them back after it had seen more, which the last line that stays counts;
                None: nobody has.
        """
        del self._ends[count + 2 :]
        if seat is None:
            self._cut()
            return
        end = self._ends.pop()
        self._file.seek(self._ends[-1])
        last = json.loads(self._file.read(end - self._ends[-1]))
        self._taken_back[seat] += 1
        self._cut()
        self._write(_line(**last | {TAKEN_BACK: self._taken_back}))

    def end(self, state: State) -> None:
        """End a game that is over, with its last state."""
        numbers = state.game.plain_numbers(state._numbers())
        self._write(last_line(state.returns().tolist(), numbers))

    def close(self) -> None:
        """Close the file; a game that is not over can be resumed."""
        self._held.close()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self, path: str | Path, mode: str) -> None:
        with ExitStack() as held:
            self._file = held.enter_context(open_private(path, f"{mode}b", buffering=0))
            held.enter_context(sole_writer(Path(path)))
            self._held = held.pop_all()
        self._ends = [0]
        """The offsets of the first line's begin and end, then of the ends of its actions."""

    def _cut(self) -> None:
        """End the file after the last line that stays."""
        self._file.truncate(self._ends[-1])
        self._file.seek(0, os.SEEK_END)

    def _write(self, line: str) -> None:
        self._ends.append(self._ends[-1] + self._file.write(line.encode()))


def first_line(game: Game, seed: int, players: Sequence[str], **more: Any) -> str:
    """The line that begins a game; `more` are further keys."""
    return _line(
        format=FORMAT, game=game.id, rules_version=game.rules_version,
        options=game.options, seed=seed, **more, players=[*players],
    )  # fmt: skip


def move_line(
    seat: int,
    action: int,
    text: str,
    by: str,
    seed: int | None = None,
    replies: Sequence[str] = (),
) -> str:
    """The line of an action, with the texts that led to it, if there are any."""
    more: dict[str, Any] = {} if seed is None else {"seed": seed}
    if replies:
        more["replies"] = [reply[: _LONGEST // len(replies)] for reply in replies]
    return _line(seat=seat, action=action, text=text, by=by, ms=0, **more)


def last_line(returns: Sequence[float], numbers: Mapping[str, Any]) -> str:
    """The line that ends a game."""
    return _line(returns=returns, substituted=[0] * len(returns), numbers=numbers)


def _line(**content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n"
