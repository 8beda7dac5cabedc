"""Records of games, by a server or ``mhing record``: read, played again, and verified.

csrc/server/RECORDS.md describes the format: lines of JSON with the deal, then the actions, then the
result.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from mhing.game import Game, State
from mhing.sheet import Sheet

FORMAT = 1
TAKEN_BACK = "taken_back"
"""The key of a line that says how often each seat has taken moves back so far."""
_LONGEST = 1 << 20  # characters of a line; what has longer ones is something else
_DECIDED_BY = ("player", "bot", "substitute", "late", "illegal")


@dataclass(frozen=True, slots=True)
class RecordedMove:
    """One action: its seat, its id and text, and who decided it.

    `by` is ``"player"``, ``"bot"`` or ``"substitute"`` (a built-in bot instead of a player).
    ``"late"`` and ``"illegal"``: the server replaced a late or illegal answer. `ms`: the time
    taken, in milliseconds. `seed`: from which the next round was dealt, where the action has ended
    one, see :meth:`mhing.State.next_round`; None: that follows from what was before, or none was.
    `replies`: all texts of a player that writes, such as a language model, to this question: the
    last one chose the action, those before it were no moves.
    """

    seat: int
    action: int
    text: str
    by: str
    ms: int
    seed: int | None = None
    replies: tuple[str, ...] = ()


class Record:
    """A game as it was played.

    Args:
        path: the record's file.
        number: which game of a file that holds several, from 0.

    Raises:
        ValueError: the file is not a valid record, and the message names the line; or it holds
            several games and no number is given, or has no game of that number.
        OSError: there is no such file.

    >>> record = Record("mytable-1.jsonl")
    >>> for move, state in record.replay():
    ...     print(record.players[move.seat], move.text)
    first discard ...
    """

    def __init__(self, path: str | Path, number: int | None = None) -> None:
        self.path = str(path)
        with open(path, encoding="utf-8", errors="replace") as file:
            self._take(_find(_games(file, self.path), self.path, number))

    def _take(self, game: _GameLines) -> None:
        self.line: int = game.first
        """The line of the file in which it begins, from 1."""
        self._lines = game.lines
        header = self._lines[0]
        if header.get("format") != FORMAT:
            raise self.fault(0, f"it says format {header.get('format')!r}, not {FORMAT}")
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
            raise self.fault(0, f"it is no deal: {error}") from None
        here = self.game.rules_version
        if rules != here:
            raise self.fault(0, f"it is of rules version {rules!r}, these are the rules of {here}")
        self.taken_back = self._counts()
        """Times that each seat took moves back after it had seen more, such as the next cards."""
        self.header: dict[str, Any] = header
        """The content of the first line, such as `table`, `number` and `time`."""
        last = self._lines[-1]
        self.end: dict[str, Any] | None = None if "action" in last or last is header else last
        """The last line, with `returns` and `numbers`, or `abandoned`; None: not over yet."""

    @property
    def returns(self) -> list[float]:
        """Each seat's sum of rewards; [] of a game that is not over, or was abandoned."""
        returns: list[float] = (self.end or {}).get("returns") or []
        return returns

    @property
    def moves(self) -> list[RecordedMove]:
        """The actions in their order; raises ValueError where a line is none."""
        moves = []
        for number, line in enumerate(self._lines[1 : -1 if self.end else None], 1):
            try:
                needed = {name: line[name] for name in ("seat", "action", "text", "by", "ms")}
                said = line.get("replies", [])
                if not isinstance(said, list) or not all(isinstance(one, str) for one in said):
                    raise self.fault(number, f"replies: {said!r:.80} is no list of texts")
                moves.append(RecordedMove(**needed, seed=line.get("seed"), replies=tuple(said)))
            except KeyError as error:
                raise self.fault(number, f"it has no {error}") from None
            seed = moves[-1].seed
            if seed is not None and (type(seed) is not int or seed not in range(1 << 64)):
                raise self.fault(number, f"seed: {seed!r} is not from 0 to 2**64 - 1")
            if moves[-1].by not in _DECIDED_BY:
                raise self.fault(
                    number, f"by: {moves[-1].by!r} is none of {', '.join(_DECIDED_BY)}"
                )
        return moves

    def replay(self) -> Iterator[tuple[RecordedMove, State]]:
        """Play the game again: every move with the state after it, the same object each time.

        Where the move has ended a round, the next one is dealt.

        Raises:
            ValueError: a move is not legal there, or the game has ended otherwise than recorded.
        """
        ending: RecordedMove | None = None
        for move, state in self.positions():
            if move is not None and state.is_between_rounds:
                ending = move
            elif move is not None:
                yield move, state
            elif ending is not None:
                yield ending, state
                ending = None
        if ending is not None:
            state.next_round(ending.seed)
            yield ending, state

    def positions(self) -> Iterator[tuple[RecordedMove | None, State]]:
        """Every position with the move that led there, the same object each time.

        The deal of each round is a separate position, to which no move led; the last position of a
        round is the one before the next deal.

        Raises:
            ValueError: as :meth:`replay` does.
        """
        state = self.game.new_state(self.seed)
        yield None, state
        last: RecordedMove | None = None
        for number, move in enumerate(self.moves, 1):
            if last is not None and state.is_between_rounds:
                state.next_round(last.seed)
                yield None, state
            try:
                if state.seat != move.seat:
                    raise ValueError(
                        f"seat {move.seat!r} cannot act, it is the turn of {state.seat}"
                    )
                if self.game.action_text(move.action) != move.text:
                    raise ValueError(f"action {move.action} does not read {move.text!r}")
                state.apply(move.action, deal=False)
            except (IndexError, TypeError, ValueError, RuntimeError) as error:
                raise self.fault(number, str(error)) from None
            yield move, state
            last = move
        if self.end is not None and "returns" in self.end:
            self._verify_end(state)

    def sheet(self) -> Sheet | None:
        """The score sheet of a game of several rounds; None where it has only one.

        Raises:
            ValueError: as :meth:`replay` does.
        """
        if not self.game.has_rounds:
            return None
        last = deque([self.game.new_state(self.seed)], 1)
        last.extend(state for _, state in self.replay())
        return last[0].sheet()

    def __repr__(self) -> str:
        return f"<Record of {self.game!r}, {len(self.moves)} moves by {', '.join(self.players)}>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Return the table after the last move, all cards open, for a notebook."""
        states = [self.game.new_state(self.seed)]
        states += (state for _, state in self.replay())
        return states[-1]._repr_mimebundle_() | {"text/plain": repr(self)}

    def fault(self, place: int, words: str) -> ValueError:
        """The error for a line that is wrong, by its place among those of the game."""
        return _fault(self.path, self.line + place, words)

    def _names(self, players: object) -> list[str]:
        seats = self.game.num_seats
        if not isinstance(players, list) or [*map(type, players)] != [str] * seats:
            raise ValueError(f"players: they are not {seats} names")
        return players

    def _counts(self) -> list[int]:
        """The last counts by seat that a line has."""
        counts = [0] * self.game.num_seats
        for place, line in enumerate(self._lines):
            found = line.get(TAKEN_BACK, counts)
            are_counts = isinstance(found, list) and all(
                type(one) is int and one >= 0 for one in found
            )
            if not are_counts or len(found) != len(counts):
                raise self.fault(place, f"{TAKEN_BACK}: {found!r} are not {len(counts)} counts")
            counts = found
        return counts

    def _verify_end(self, state: State) -> None:
        assert self.end is not None
        numbers = {
            name: value if isinstance(value, int) else value.tolist()
            for name, value in state.info().items()
        }
        found = {"returns": state.returns().tolist(), "numbers": numbers}
        for name, value in found.items():
            if self.end.get(name) != value:
                raise self.fault(len(self._lines) - 1, f"its {name} are not those of this game")
        if not state.is_terminal:
            raise self.fault(len(self._lines) - 1, "the game is not over here")


def records(path: str | Path) -> Iterator[Record]:
    """The games of a file, one after another.

    Raises:
        ValueError: one is not a valid record; the message names the line.
        OSError: there is no such file.

    >>> for record in records("mytable-1.jsonl"):
    ...     print(record.seed, len(record.moves) > 1)
    1 True
    """
    with open(path, encoding="utf-8", errors="replace") as file:
        for game in _games(file, str(path)):
            record = Record.__new__(Record)
            record.path = str(path)
            record._take(game)
            yield record


def verified(path: str | Path) -> list[Record]:
    """The games of a file, each of which was played again to its last line.

    Raises:
        ValueError: one is not a valid record, or holds an impossible move; the message names the
            line.
        OSError: there is no such file.
    """
    games = [*records(path)]
    for record in games:
        for _ in record.replay():
            pass
    return games


class _GameLines(NamedTuple):
    """The lines of a game, of which the first has this number in the file."""

    first: int
    lines: list[dict[str, Any]]


def _games(file: TextIO, path: str) -> Iterator[_GameLines]:
    """The games of a file; what was being written when a process was killed is left out."""
    lines: list[dict[str, Any]] = []
    number = 0
    while (line := file.readline(_LONGEST)).endswith("\n"):
        number += 1
        content = _object(path, number, line)
        if lines and "format" in content:
            yield _GameLines(number - len(lines), lines)
            lines = []
        lines.append(content)
    if len(line) == _LONGEST:
        raise _fault(path, number + 1, f"it has {_LONGEST} characters or more")
    if lines:
        yield _GameLines(number + 1 - len(lines), lines)
    elif not number:
        raise _fault(path, 1, "it was cut off, before its end" if line else "the file is empty")


def _find(games: Iterator[_GameLines], path: str, number: int | None) -> _GameLines:
    """The game of that number; the only one for None."""
    found = next(islice(games, number or 0, None), None)
    if found is None:
        raise ValueError(f"{path}: number: it holds no game {number}; they are counted from 0")
    if number is None and next(games, None):
        raise ValueError(f"{path}: it holds several games; choose one by --number N, from 0 on")
    return found


def _fault(path: str, line: int, words: str) -> ValueError:
    return ValueError(f"{path}, line {line}: {words}")


def _object(path: str, number: int, line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise _fault(path, number, "it is no JSON object")
    return value
