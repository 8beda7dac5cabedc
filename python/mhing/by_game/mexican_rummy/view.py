"""What a viewer may see of a table of Mexican Rummy: the one place that decides what stays hidden.

Texts and pictures are made from the `Table` that `look` returns and never from the state itself,
so what is not in it cannot show: other seats' cards, what they drew or plan to lay, who is asked
whether it wants a discard, and the order of the draw pile.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mhing.render.lines import plural
from mhing.render.playing import view as playing
from mhing.render.playing.view import Card, Meld, face
from mhing.render.seen import OVER, State, seats_of, status_at_end, winners

OBJECTIVES = (
    "2 sets",
    "1 set and 1 run",
    "2 runs",
    "3 sets",
    "2 sets and 1 run",
    "1 set and 2 runs, No Discardo",
)

_RANKS, _SUITS = "A23456789TJQKA", "shdc"

_EVENTS = {
    "deal": "has the first turn, turned up: ",
    "ask": "asks: may I have ",
    "grant": "grants ",
    "refuse": "refuses ",
    "take": "takes ",
    "swap": "gives for a black 2: ",
    "set": "lays a set of ",
    "run": "lays a run: ",
    "lay": "lays off ",
    "discard": "discards ",
    "shuffle": "shuffles the discards into a new draw pile",
    "over": "ends the round: ",
}
_STATUS = {
    "ask": "may ask for the discard",
    "answer": "answers May I",
    "start": "to draw, or to take the discard",
    "play": "to lay cards or to discard",
    "swap": "to choose a black 2",
    "meld": "to begin a meld",
    "fill": "to fill the meld",
    "extend": "to lay all the rest",
    "place": "to choose where to lay",
}
_HIDDEN = ("swap", "meld", "fill", "extend", "place")  # phases that only the seat on turn knows of


@dataclass(frozen=True)
class Seat(playing.Seat):
    """One player's side of the table."""

    is_planning: bool  # its melds are not laid yet


Table = playing.Table[Seat]


def look(d: State, view: int | None = None) -> Table:
    """Returns what the seat `view` sees of the state `d`, or all there is with None.

    Raises:
        ValueError: there is no such seat.
    """
    return playing.table(
        d,
        view,
        seats=tuple(_seat(d, view, number) for number in seats_of(d, view)),
        heading=f"{OBJECTIVES[d['objective'] - 1]}, turn {d['turn']}",
        status=_status(d, view),
        events=tuple(map(event_text, d["events"])),
        ended=headline(d["result"]) if d["result"] else "",
    )


def event_text(event: Mapping[str, Any]) -> str:
    """A public event in one line."""
    return playing.event_text(event, _EVENTS)


def headline(result: Mapping[str, Any]) -> str:
    """How a round ended, in one line."""
    points = ", ".join(map(str, result["points"]))
    if result["winner"] < 0:
        return f"nobody goes out ({result['ending']}), points left {points}"
    return f"Seat {result['winner']} goes out ({result['ending']}), points left {points}"


def _seat(d: State, view: int | None, number: int) -> Seat:
    is_open = view is None or view == number
    plan = d["plan"] if is_open and d["on_turn"] == number else None
    held: list[str] = plan["rest"] if plan else d["hands"][number]
    drawn = [d["drawn"]] if is_open and d["on_turn"] == number and d["drawn"] in held else []
    over = d["phase"] == OVER
    laid = plan["melds"] if plan else _laid(d, view, number)
    return Seat(
        number=number,
        is_viewer=view == number,
        is_starter=d["starter"] == number,
        is_active=number in winners(d, _standings(d)) if over else _acting(d, view)[0] == number,
        hand=tuple(face(card) for card in held if card not in drawn) if is_open else None,
        drawn=tuple(map(face, drawn)),
        hand_size=len(held),
        known=tuple(face(card) for card in d["hands"][number] if card in d["shown"]),
        melds=tuple(Meld(meld["text"], _cards(meld)) for meld in laid),
        is_planning=plan is not None,
        score=plural(d["scores"][number], "point"),
        change=f"{d['result']['points'][number]:+d}" if over else "",
    )


def _standings(d: State) -> list[int]:
    """The fewest points win."""
    return [-score for score in d["scores"]]


def _laid(d: State, view: int | None, number: int) -> list[dict[str, Any]]:
    """The melds of a seat; who plans a swap sees it as if it were done."""
    melds = [dict(meld) for meld in d["melds"][number]]
    swap = d["plan"]["swap"] if d["plan"] and view in (None, d["on_turn"]) else None
    if swap and swap["seat"] == number:
        meld = melds[swap["meld"]]
        meld["cards"] = list(meld["cards"])
        meld["cards"][swap["place"] - meld["low"]] = face(swap["given"])
        meld["text"] = "".join(card.face[0] + "*" * card.wild for card in _cards(meld))
        meld["text"] += _SUITS[meld["suit"]]
    return melds


def _cards(meld: Mapping[str, Any]) -> tuple[Card, ...]:
    """The cards of a meld as what they stand for."""
    if meld["kind"] == "set":
        return tuple(map(Card, meld["cards"]))
    faces = [
        _RANKS[meld["low"] + place] + _SUITS[meld["suit"]] for place in range(len(meld["cards"]))
    ]
    return tuple(Card(face, card != face) for face, card in zip(faces, meld["cards"], strict=True))


def _acting(d: State, view: int | None) -> tuple[int, str]:
    """The seat to act, and the phase, as far as the viewer knows them.

    Who thinks about asking, and what a seat is laying, is its own affair.
    """
    phase, seat = d["phase"], d["seat"]
    if view is not None and view != seat:
        if phase == "ask":
            phase, seat = "start", d["on_turn"]
        elif phase in _HIDDEN:
            phase = "play"
    return seat, phase


def _status(d: State, view: int | None) -> str:
    """Who is to do what."""
    if d["phase"] == OVER:
        return status_at_end(d, _standings(d))
    seat, phase = _acting(d, view)
    return f"Seat {seat} {_STATUS[phase]}"
