"""What a viewer may see of a table of General Mhing: the one place that decides what stays hidden.

Texts and pictures are made from the `Table` that `look` returns and never from the state itself,
so what is not in it cannot show: other seats' cards, what they drew, the order of the draw pile.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

State = Mapping[str, Any]  # as State.to_dict() returns it

_OVER = "over"  # a phase

_EVENTS = {
    "deal": "has the first turn",
    "take": "takes ",
    "sequence": "lays ",
    "swap": "swaps an ace for ",
    "discard": "discards ",
    "shuffle": "shuffles the discards into a new draw pile",
    "over": "ends the round: ",
}
_STATUS = {
    "start": "to draw, take or swap",
    "taken": "to lay the card taken",
    "play": "to discard or to lay a sequence",
    "end": "may still swap",
}


@dataclass(frozen=True)
class Card:
    """A card that lies open; with `wild`, an ace that stands for it."""

    face: str
    wild: bool = False


@dataclass(frozen=True)
class Sequence:
    """A sequence on the table."""

    text: str
    cards: tuple[Card, ...]


@dataclass(frozen=True)
class Discard:
    """A discard, who made it, and whether it may be taken now."""

    card: str
    by: int
    offered: bool


@dataclass(frozen=True)
class Seat:
    """One player's side of the table."""

    number: int
    is_viewer: bool
    is_starter: bool
    is_active: bool  # on turn; after the end, the winner
    hand: tuple[str, ...] | None  # None: face down; cards just drawn are not in it
    drawn: tuple[str, ...]
    hand_size: int
    known: tuple[str, ...]  # cards of the hand that everybody knows
    sequences: tuple[Sequence, ...]
    tally: int
    score: str
    change: str  # of the score in the round just ended; "" where there is none

    @property
    def name(self) -> str:
        """How the seat is called."""
        return f"Seat {self.number}"


@dataclass(frozen=True)
class Table:
    """All that one viewer sees."""

    seats: tuple[Seat, ...]
    nearest: int  # the seat to be drawn nearest
    heading: str
    draw_pile_left: int
    discards: tuple[Discard, ...]
    status: str
    notes: tuple[str, ...]
    events: tuple[str, ...]  # oldest first
    result: str  # how the round ended, when the episode is over; else ""


def look(d: State, view: int | None = None) -> Table:
    """Returns what the seat `view` sees of the state `d`, or all there is with None.

    Raises:
        ValueError: there is no such seat.
    """
    num_seats = len(d["hands"])
    if view is not None and view not in range(num_seats):
        raise ValueError(f"view must be None or a seat from 0 to {num_seats - 1}, got {view!r}")
    over = d["phase"] == _OVER
    last = len(d["discards"]) - 1
    return Table(
        seats=tuple(_seat(d, view, number) for number in range(num_seats)),
        nearest=0 if view is None else view,
        heading=f"Round {d['round'] + 1}, turn {d['turn']}",
        draw_pile_left=len(d["draw_pile"]),
        discards=tuple(
            Discard(each["card"], each["by"], d["offer"] is not None and place == last)
            for place, each in enumerate(d["discards"])
        ),
        status=_status(d),
        notes=() if over or not d["result"] else ("Last round: " + headline(d["result"]),),
        events=tuple(event_text(event) for event in d["events"]),
        result=headline(d["result"]) if over else "",
    )


def event_text(event: Mapping[str, Any]) -> str:
    """Tells a public event in one line."""
    return f"Seat {event['seat']} {_EVENTS[event['event']]}{event['text']}"


def headline(result: Mapping[str, Any]) -> str:
    """How a round ended, in one line."""
    tallies = " to ".join(str(seat["tally"]) for seat in result["seats"])
    if result["winner"] < 0:
        return f"nobody wins, {tallies} ({result['ending']})"
    points = f"{result['points']} point{'' if result['points'] == 1 else 's'}"
    return f"Seat {result['winner']} wins {points}, {tallies} ({result['ending']})"


def result_text(result: Mapping[str, Any]) -> str:
    """How a round ended, with the sequences of every seat and what they scored."""
    return "\n".join([headline(result), *result_lines(result)])


def result_lines(result: Mapping[str, Any]) -> list[str]:
    """The sequences of every seat and what they scored, a line each."""
    lines = []
    for number, seat in enumerate(result["seats"]):
        texts = " ".join(laid["text"] for laid in seat["sequences"]) or "no sequence"
        parts = ", ".join(f"{points} {name}" for name, points in seat["parts"])
        lines.append(f"Seat {number}: {texts} = {seat['tally']}{f' ({parts})' if parts else ''}")
    return lines


def _seat(d: State, view: int | None, number: int) -> Seat:
    held: list[str] = d["hands"][number]
    is_open = view is None or view == number
    drawn = [card for card in d["drawn"] if is_open and d["on_turn"] == number and card in held]
    over = d["phase"] == _OVER
    won = over and d["result"]["winner"] == number
    return Seat(
        number=number,
        is_viewer=view == number,
        is_starter=d["starter"] == number,
        is_active=won if over else d["on_turn"] == number,
        hand=tuple(card for card in held if card not in drawn) if is_open else None,
        drawn=tuple(drawn),
        hand_size=len(held),
        known=tuple(card for card in held if card in d["shown"]),
        sequences=tuple(
            Sequence(laid["text"], _cards(laid["cards"], laid["ace"]))
            for laid in d["sequences"][number]
        ),
        tally=d["tallies"][number],
        score=f"{d['scores'][number]} point{'' if d['scores'][number] == 1 else 's'}",
        change=f"{d['result']['points']:+d}" if won else "",
    )


def _cards(faces: list[str], ace: int | None) -> tuple[Card, ...]:
    """Three cards; the ace of A-2-3 is itself."""
    return tuple(Card(face, place == ace and face[0] != "A") for place, face in enumerate(faces))


def _status(d: State) -> str:
    if d["phase"] == _OVER:
        return f"The {d['options']['episode']} is over"
    return f"Seat {d['on_turn']} {_STATUS[d['phase']]}"
