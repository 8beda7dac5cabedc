"""What a viewer sees at every table, whatever the game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from mhing._lib import BETWEEN_ROUNDS, EVENT_TAIL

State = Mapping[str, Any]
"""What ``State.to_dict()`` returns; or as much of it as is known, where it comes from an
observation: cards that nobody can see are None there, and so is all else that is not known."""

OVER = "over"  # the phase after the end of a round, before the next one is dealt


@dataclass(frozen=True)
class Seat:
    """One player's side of a table."""

    number: int
    is_viewer: bool
    is_active: bool  # to act, as far as the viewer knows; after the end, a winner
    score: str
    change: str  # of the score in the round just ended; "" where there is none

    @property
    def name(self) -> str:
        """How the seat is called."""
        return f"Seat {self.number}"


@dataclass(frozen=True)
class HandSeat(Seat):
    """One player's side of a table at which everybody has a hand of cards."""

    hand: tuple[str, ...] | None  # None: face down; cards just drawn are not in it
    hand_size: int


AnySeat = TypeVar("AnySeat", bound=Seat)


@dataclass(frozen=True)
class Table(Generic[AnySeat]):
    """All that one viewer sees."""

    seats: tuple[AnySeat, ...]
    nearest: int  # the seat to be drawn nearest
    heading: str
    status: str  # who is to do what; of a game that is over, who has won it
    is_game_over: bool  # the episode was a game, and not a round alone
    notes: tuple[str, ...]
    events: tuple[str, ...]  # oldest first

    @property
    def clockwise(self) -> tuple[AnySeat, ...]:
        """The seats, clockwise from the nearest."""
        return self.seats[self.nearest :] + self.seats[: self.nearest]


def is_open(d: State, view: int | None, number: int) -> bool:
    """Whether the viewer sees the cards in a seat's hand."""
    if view is None:  # all is open, or the eyes are a spectator's
        return all(None not in hand for hand in d["hands"])
    return view == number


def asked(d: State, view: int | None) -> int | None:
    """The seat to act, if the viewer knows it."""
    seat: int | None = d["seat"]
    return seat if view in (None, seat) else None


def last_events(d: State) -> Sequence[Mapping[str, Any]]:
    """The events that an observation shows, too: a state may remember more."""
    events: Sequence[Mapping[str, Any]] = d["events"][-EVENT_TAIL:]
    return events


def is_game_over(d: State) -> bool:
    """Whether a whole game is over in the state `d`, not a round alone."""
    is_last = d.get("seat") != BETWEEN_ROUNDS
    return bool(d["phase"] == OVER and is_last and d["options"]["episode"] == "game")


def winners(d: State, standings: Sequence[int] | None) -> tuple[int, ...]:
    """Returns the seats that have won the episode, which is over in the state `d`.

    Those who stand highest share a game; a round has one winner or none. Without a result none
    are known.
    """
    if d["result"] is None:
        return ()
    if is_game_over(d):
        assert standings is not None
        top = max(standings)
        return tuple(seat for seat, standing in enumerate(standings) if standing == top)
    winner = d["result"]["winner"]
    return (winner,) if winner >= 0 else ()


def status_at_end(d: State, standings: Sequence[int] | None) -> str:
    """The line at the end of an episode; for a game with its winner."""
    if not is_game_over(d):
        return "The round is over"
    names = [str(seat) for seat in winners(d, standings)]
    if not names:
        return "The game is over"
    *others, last = names
    if others:
        return f"The game is over: Seats {', '.join(others)} and {last} share the win"
    return f"The game is over: Seat {last} wins"


def of_last_round(d: State, headline: str) -> str:
    """How the round finished last ended, said to be the last one where there are others."""
    alone = d["phase"] == OVER and not is_game_over(d)
    return headline if alone else f"Last round: {headline}"


def seats_of(d: State, view: int | None) -> range:
    """Returns the seats of the state `d`.

    Raises:
        ValueError: the seat `view` is not one of them.
    """
    check_view(view, len(d["hands"]))
    return range(len(d["hands"]))


def check_view(view: int | None, num_seats: int) -> None:
    """Raises ValueError unless `view` is None or one of the seats."""
    if view is not None and view not in range(num_seats):
        raise ValueError(f"view must be None or a seat from 0 to {num_seats - 1}, got {view!r}")
