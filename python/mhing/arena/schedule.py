"""Who sits where: the tables of each deal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

Seating = tuple[int, ...]
"""The player at each seat, by its number."""


@dataclass(frozen=True)
class Schedule:
    """The tables at which one deal is played, so that every player has every seat once.

    Without a field, the players are put into a circle, in an order of its own for each deal. At
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
        """How many tables a deal has."""
        return self.players * (self.seats if self.field else 1)

    def seatings(self, seed: int) -> list[Seating]:
        """The tables of the deal with this seed."""
        return self._against_field() if self.field else self._together(_order(self.players, seed))

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


def _order(players: int, seed: int) -> list[int]:
    """The players in an order that the seed draws, the same with every version of Python."""
    rng = Random(seed)
    lots = [rng.random() for _ in range(players)]
    return sorted(range(players), key=lots.__getitem__)
