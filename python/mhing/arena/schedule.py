"""The seating: the tables of each deal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

Seating = tuple[int, ...]
"""The player at each seat, by its number."""

One = TypeVar("One")


@dataclass(frozen=True)
class Schedule:
    """The tables at which one deal is played, so that every player has every seat once.

    Without a field, the players are put into a circle, in a different order for each deal. At
    table t of as many tables as there are players, seat s belongs to the player s + t places along
    the circle. Two players at four seats are ABAB, then BABA; four rotate; of six, each table has
    four neighbours.

    With a field, each player sits in each seat once, and the field in all others. The field is no
    player; its number is that of the players.
    """

    players: int
    seats: int
    field: bool = False

    @property
    def tables(self) -> int:
        """The number of tables of a deal."""
        return self.players * self.circle if self.field else self.circle

    @property
    def circle(self) -> int:
        """After how many of them each of their players has had all seats."""
        return self.seats if self.field else self.players

    @property
    def seats_of_a_player(self) -> int:
        """The most seats of a table that a player has."""
        return 1 if self.field else math.ceil(self.seats / self.players)

    def seatings(self, seed: int) -> list[Seating]:
        """The tables of the deal with this seed."""
        if self.field:
            return self._against_field()
        return self._together(shuffled(range(self.players), Random(seed)))

    def _together(self, circle: Sequence[int]) -> list[Seating]:
        return [
            tuple(circle[(seat + table) % self.players] for seat in range(self.seats))
            for table in range(self.players)
        ]

    def _against_field(self) -> list[Seating]:
        return [
            tuple(player if seat == own else self.players for seat in range(self.seats))
            for player in range(self.players)
            for own in range(self.seats)
        ]


def shuffled(things: Sequence[One], rng: Random) -> list[One]:
    """The same things in an order that is drawn, the same with every version of Python."""
    keys = [rng.random() for _ in things]
    return [things[place] for place in sorted(range(len(things)), key=keys.__getitem__)]
