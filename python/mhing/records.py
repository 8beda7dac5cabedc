"""Records of games that were played at a server's tables: read, played again, and verified.

csrc/server/RECORDS.md describes the format: lines of JSON with the deal, then the actions, then the
result.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from mhing.game import Game, State

_FORMAT = 1
_LONGEST = 1 << 20  # characters of a line; what has longer ones is something else
_DECIDED_BY = ("player", "bot", "substitute", "late", "illegal")


@dataclass(frozen=True, slots=True)
class Move:
    """One action: its seat, its id and text, and who decided it.

    `by` is ``"player"``, ``"bot"`` or ``"substitute"`` (a built-in bot in place of a player).
    ``"late"`` and ``"illegal"``: the server replaced a late or illegal answer. `ms`: the time
    taken, in milliseconds.
    """

    seat: int
    action: int
    text: str
    by: str
    ms: int


class Record:
    """A game as it was played.

    Args:
        path: the record's file.

    Raises:
        ValueError: the file is not a valid record; the message names the line.
        OSError: there is no such file.

    >>> record = Record("mytable-1.jsonl")
    >>> for move, state in record.replay():
    ...     print(record.players[move.seat], move.text)
    first discard ...
    """

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)
        self._lines: list[dict[str, Any]] = []
        with open(path, encoding="utf-8", errors="replace") as file:
            rest = self._read(file)
        if not self._lines:
            raise self.fault(1, "it was cut off, before its end" if rest else "nothing is there")
        header = self._lines[0]
        if header.get("format") != _FORMAT:
            raise self.fault(1, f"it says format {header.get('format')!r}, not {_FORMAT}")
        try:
            self.game = Game(header["game"], **header["options"])
            self.seed: int = header["seed"]
            self.players = self._names(header["players"])
            """Names by seat."""
            rules = header["rules_version"]
            self.game.new_state(self.seed)
            if self.seed < 0:
                raise ValueError(f"seed: {self.seed} is not from 0 to 2**64 - 1")
        except (KeyError, TypeError, ValueError) as error:
            raise self.fault(1, f"it is no deal: {error}") from None
        here = self.game.describe()["rules_version"]
        if rules != here:
            raise self.fault(1, f"it is of rules version {rules!r}, these are the rules of {here}")
        self.header: dict[str, Any] = header
        """The content of the first line, such as `table`, `number` and `time`."""
        last = self._lines[-1]
        self.end: dict[str, Any] | None = None if "action" in last or last is header else last
        """The last line, with `returns` and `numbers`, or `abandoned`; None: not over yet."""

    @property
    def moves(self) -> list[Move]:
        """The actions in their order; raises ValueError where a line is none."""
        moves = []
        for number, line in enumerate(self._lines[1 : -1 if self.end else None], 2):
            try:
                moves.append(Move(**{name: line[name] for name in Move.__slots__}))
            except KeyError as error:
                raise self.fault(number, f"it has no {error}") from None
            if moves[-1].by not in _DECIDED_BY:
                raise self.fault(
                    number, f"by: {moves[-1].by!r} is none of {', '.join(_DECIDED_BY)}"
                )
        return moves

    def replay(self) -> Iterator[tuple[Move, State]]:
        """Plays the game again: every move with the state after it, the same object each time.

        Raises:
            ValueError: a move is not legal there, or the game has ended otherwise than recorded.
        """
        state = self.game.new_state(self.seed)
        for number, move in enumerate(self.moves, 2):
            try:
                if state.seat != move.seat:
                    raise ValueError(
                        f"seat {move.seat!r} cannot act, it is the turn of {state.seat}"
                    )
                if self.game.action_text(move.action) != move.text:
                    raise ValueError(f"action {move.action} does not read {move.text!r}")
                state.apply(move.action)
            except (IndexError, TypeError, ValueError, RuntimeError) as error:
                raise self.fault(number, str(error)) from None
            yield move, state
        if self.end is not None and "returns" in self.end:
            self._verify_end(state)

    def fault(self, line: int, words: str) -> ValueError:
        """The error for a line that is wrong."""
        return ValueError(f"{self.path}, line {line}: {words}")

    def _read(self, file: TextIO) -> str:
        """Reads the lines; returns what the server was writing when it was killed."""
        while (line := file.readline(_LONGEST)).endswith("\n"):
            self._lines.append(self._object(len(self._lines) + 1, line))
        if len(line) == _LONGEST:
            raise self.fault(len(self._lines) + 1, f"it has {_LONGEST} characters or more")
        return line

    def _names(self, players: object) -> list[str]:
        seats = self.game.num_seats
        if not isinstance(players, list) or [*map(type, players)] != [str] * seats:
            raise ValueError(f"players: they are not {seats} names")
        return players

    def _verify_end(self, state: State) -> None:
        assert self.end is not None
        numbers = {
            name: value if isinstance(value, int) else value.tolist()
            for name, value in state.info().items()
        }
        found = {"returns": state.returns().tolist(), "numbers": numbers}
        for name, value in found.items():
            if self.end.get(name) != value:
                raise self.fault(len(self._lines), f"its {name} are not those of this game")
        if not state.is_terminal:
            raise self.fault(len(self._lines), "the game is not over here")

    def _object(self, number: int, line: str) -> dict[str, Any]:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise self.fault(number, "it is no JSON object")
        return value
