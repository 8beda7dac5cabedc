"""What a viewer sees at every table, whatever the game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

State = Mapping[str, Any]  # as State.to_dict() returns it

OVER = "over"  # the phase after the end of the episode


@dataclass(frozen=True)
class Seat:
    """One player's side of a table."""

    number: int
    is_viewer: bool
    is_active: bool  # to act, as far as the viewer knows; after the end, the winner
    hand: tuple[str, ...] | None  # None: face down; cards just drawn are not in it
    hand_size: int
    score: str
    change: str  # of the score in the round just ended; "" where there is none

    @property
    def name(self) -> str:
        """How the seat is called."""
        return f"Seat {self.number}"


AnySeat = TypeVar("AnySeat", bound=Seat)


@dataclass(frozen=True)
class Table(Generic[AnySeat]):
    """All that one viewer sees."""

    seats: tuple[AnySeat, ...]
    nearest: int  # the seat to be drawn nearest
    heading: str
    status: str
    notes: tuple[str, ...]
    events: tuple[str, ...]  # oldest first

    @property
    def clockwise(self) -> tuple[AnySeat, ...]:
        """The seats, clockwise from the nearest."""
        return self.seats[self.nearest :] + self.seats[: self.nearest]


def seats_of(d: State, view: int | None) -> range:
    """Returns the seats of the state `d`.

    Raises:
        ValueError: the seat `view` is not one of them.
    """
    numbers = range(len(d["hands"]))
    if view is not None and view not in numbers:
        raise ValueError(f"view must be None or a seat from 0 to {numbers[-1]}, got {view!r}")
    return numbers
