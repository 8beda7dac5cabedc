"""What a viewer sees at a table with playing cards, whatever the game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from mhing.render import seen
from mhing.render.lines import plural
from mhing.render.seen import OVER, State, is_game_over, of_last_round


@dataclass(frozen=True)
class Card:
    """A card in a meld: what it stands for; and `wild`, another that lies in its stead, or ""."""

    face: str
    wild: str = ""


@dataclass(frozen=True)
class Meld:
    """Cards laid together."""

    text: str
    cards: tuple[Card, ...]


@dataclass(frozen=True)
class Discard:
    """A discard, who made it (None: turned up), and whether it may be had now."""

    card: str
    by: int | None
    offered: bool


@dataclass(frozen=True)
class Seat(seen.HandSeat):
    """One player's side of the table."""

    is_starter: bool
    drawn: tuple[str, ...]
    known: tuple[str, ...]  # cards of the hand that everybody knows
    melds: tuple[Meld, ...]


AnySeat = TypeVar("AnySeat", bound=Seat)


@dataclass(frozen=True)
class Table(seen.Table[AnySeat]):
    """All that one viewer sees."""

    draw_pile_left: int
    discards: tuple[Discard, ...]
    counts: tuple[str, ...]  # what counts in this round, in lines
    result: str  # how the round ended, when the episode is over; else ""


def table(
    d: State,
    view: int | None,
    seats: tuple[AnySeat, ...],
    heading: str,
    status: str,
    events: tuple[str, ...],
    ended: str,
    counts: tuple[str, ...] = (),
) -> Table[AnySeat]:
    """Returns the table of the state `d`.

    `ended` describes how the last round ended, and `counts` says what counts in this one.
    """
    over, last = d["phase"] == OVER, len(d["discards"]) - 1
    summary = of_last_round(d, ended) if ended else ""
    return Table(
        seats=seats,
        nearest=0 if view is None else view,
        heading=heading,
        status=status,
        is_game_over=is_game_over(d),
        notes=(summary,) if summary and not over else (),
        events=events,
        draw_pile_left=len(d["draw_pile"]),
        discards=tuple(
            Discard(face(each["card"]), each["by"], d["offer"] is not None and place == last)
            for place, each in enumerate(d["discards"])
        ),
        counts=counts,
        result=summary if over else "",
    )


def heading(d: State, what: str) -> str:
    """What is played, and which turn it is."""
    return f"{what}, turn {d['turn']}"


def known(d: State, number: int) -> tuple[str, ...]:
    """The cards of a hand that everybody knows."""
    return tuple(card for card in d["hands"][number] if card in d["shown"])


def score(d: State, number: int) -> str:
    """A seat's points; "" where they are not known."""
    return "" if d["scores"] is None else plural(d["scores"][number], "point")


def face(card: str) -> str:
    """A card without the mark of its deck, which it has in a game with two."""
    return card[:2]


def event_text(event: Mapping[str, Any], words: Mapping[str, str]) -> str:
    """A public event in one line."""
    return f"Seat {event['seat']} {words[event['event']]}{event['text']}"
