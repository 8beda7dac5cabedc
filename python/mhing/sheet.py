"""The score sheet of a game: what every round was worth, and how the seats stood after it.

It is made from the public numbers after each round, which ``game.info_fields`` lists, so every game
of several rounds has one.

>>> import mhing
>>> state = mhing.Game("mhing", episode="game", target=16).new_state(seed=2)
>>> while not state.is_terminal:
...     state.apply(state.bot_action("greedy", random=1)[0])
>>> state.sheet().rounds, state.sheet().winners
((1,), (2,))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mhing import by_game
from mhing.description import InfoField

if TYPE_CHECKING:
    from mhing.game import Game

Numbers = Mapping[str, Any]
"""Public numbers by name: an integer, or a sequence of them where a name has several."""

_GAP = 2
"""Columns of a terminal between two columns of the sheet."""


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A line of the sheet: a number for each round.

    `seat`: whose numbers they are; None: those of each round's winner. `values`: None where a round
    has no such number.
    """

    name: str
    seat: int | None
    values: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """The rounds of a game in columns, and in rows what they were worth.

    `rounds`: their numbers, from 1; those that a state does not know are not there. `winners`: the
    seat that won each, or -1. `rows`: first what winners earned, part by part, then the numbers of
    all seats.
    """

    game: Game
    rounds: tuple[int, ...]
    winners: tuple[int, ...]
    rows: tuple[SheetRow, ...]

    @classmethod
    def of(cls, game: Game, results: Mapping[int, Numbers]) -> Sheet:
        """The sheet of a game.

        Args:
            game: the game.
            results: the public numbers by name after each round, as :meth:`State.info` and tables
                of a server have them, by how many rounds were over then.
        """
        numbers = [results[over] for over in sorted(results)]
        winner = [field.name for field in game.info_role("winner")]
        winners = [int(one[winner[0]]) if winner else -1 for one in numbers]
        left_out = by_game.left_out_of_sheet(game)
        rows: list[SheetRow] = []
        for field in sorted(game.info_fields, key=_order):
            if field.name not in left_out:
                rows += _rows(game, field, numbers, winners)
        shown = tuple(row for row in rows if row.seat is not None or any(row.values))
        return cls(game, tuple(sorted(results)), tuple(winners), shown)

    def to_dict(self) -> dict[str, Any]:
        """The sheet as plain data, for JSON."""
        return {
            "game": self.game.id,
            "rounds": [*self.rounds],
            "winners": [*self.winners],
            "rows": [
                {"name": row.name, "seat": row.seat, "values": [*row.values]} for row in self.rows
            ],
        }

    def text(self, names: Sequence[str] | None = None, width: int = 100) -> str:
        """The sheet in lines, with as many rounds side by side as fit.

        Args:
            names: of the players, by seat; None: "seat 0" and so on.
            width: columns of a line, at least.
        """
        called = names or [f"seat {seat}" for seat in range(self.game.num_seats)]
        if not self.rounds:
            return "No round is over yet."
        heads = ["round", "won by", *(row.name for row in self.rows), *called]
        head = max(map(len, heads))
        columns = [self._column(place, called) for place in range(len(self.rounds))]
        widths = [max(map(len, column)) + _GAP for column in columns]
        blocks = []
        place = 0
        while place < len(columns):
            end = place + 1
            while end < len(columns) and head + sum(widths[place : end + 1]) <= width:
                end += 1
            blocks.append(self._block(head, columns[place:end], widths[place:end], called))
            place = end
        return "\n\n".join(blocks)

    def _column(self, place: int, called: Sequence[str]) -> list[str]:
        """A round: its number, who won it, and a cell for each row."""
        winner = self.winners[place]
        cells = [row.values[place] for row in self.rows]
        return [
            str(self.rounds[place]),
            "nobody" if winner < 0 else called[winner],
            *("" if cell is None else str(cell) for cell in cells),
        ]

    def _block(
        self,
        head: int,
        columns: Sequence[Sequence[str]],
        widths: Sequence[int],
        called: Sequence[str],
    ) -> str:
        lines = []
        for line in range(len(self.rows) + 2):
            row = self.rows[line - 2] if line >= 2 else None
            if row is not None and row.seat is None and not any(column[line] for column in columns):
                continue
            if row is not None and row.seat == 0:
                lines.append(row.name)
            name = ("round", "won by")[line] if row is None else _name(row, called)
            cells = (
                f"{column[line]:>{width}}" for column, width in zip(columns, widths, strict=True)
            )
            lines.append(f"{name:{head}}{''.join(cells)}".rstrip())
        return "\n".join(lines)


def _order(field: InfoField) -> tuple[bool, bool]:
    """Parts of what winners earned, then their sums; for all seats, then how these stood."""
    return field.per_seat, (field.role is None) == field.per_seat


def _name(row: SheetRow, called: Sequence[str]) -> str:
    return row.name if row.seat is None else f"  {called[row.seat]}"


def _rows(
    game: Game, field: InfoField, numbers: Sequence[Numbers], winners: Sequence[int]
) -> list[SheetRow]:
    """The rows of a public number; none where it says nothing about a round that is over."""
    if field.per_seat:
        return [
            SheetRow(field.name, seat, tuple(int(one[field.name][seat]) for one in numbers))
            for seat in range(game.num_seats)
        ]
    names = [field.name] if field.role == "total" else game.labels.get(field.name, [])
    if len(names) != field.count:
        return []
    cells = [
        _cells(one[field.name], field) if winner >= 0 else [None] * field.count
        for one, winner in zip(numbers, winners, strict=True)
    ]
    return [
        SheetRow(name, None, tuple(cell[place] for cell in cells))
        for place, name in enumerate(names)
    ]


def _cells(found: Any, field: InfoField) -> list[int | None]:
    """Return a winner's earnings: sums, or parts, of which those are empty that it has not."""
    if field.count == 1:
        return [int(found)]
    return [int(part) or None for part in found]
