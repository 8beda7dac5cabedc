"""What a viewer may see of a table of Mexican Rummy: the one place that decides what stays hidden.

Texts and pictures are made from the `Table` that `look` returns and never from the state itself,
so what is not in it cannot show: other seats' cards, what they drew or plan to lay, who is asked
whether it wants a discard, and the order of the draw pile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mhing.render import seen
from mhing.render.playing import view as playing
from mhing.render.playing.view import Card, Meld, face
from mhing.render.seen import OVER, State, asked, last_events, seats_of, status_at_end, winners

OBJECTIVES = (
    "2 sets",
    "1 set and 1 run",
    "2 runs",
    "3 sets",
    "2 sets and 1 run",
    "1 set and 2 runs, No Discardo",
)

_PRICE = "May I? costs a further card, from the draw pile."
_NO_DISCARDO = "No Discardo: all cards of the hand are laid at once, and none is discarded."

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
PHASES = tuple(_STATUS)
"""The phases, in the order of their numbers in observations, from 1."""
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
        heading=playing.heading(d, OBJECTIVES[d["objective"] - 1]),
        status=_status(d, view),
        events=tuple(map(event_text, last_events(d))),
        ended=headline(d["result"]) if d["result"] else "",
        counts=_counts(d),
    )


def has_wild(d: State) -> bool:
    """Whether black 2s are wild in this round."""
    return "run" in OBJECTIVES[d["objective"] - 1]


def event_text(event: Mapping[str, Any]) -> str:
    """A public event in one line."""
    return playing.event_text(event, _EVENTS).removesuffix(", turned up: ")  # none was


def headline(result: Mapping[str, Any]) -> str:
    """How a round ended, in one line."""
    points = ", ".join(map(str, result["points"]))
    if result["winner"] < 0:
        return f"nobody goes out ({result['ending']}), points left {points}"
    return f"Seat {result['winner']} goes out ({result['ending']}), points left {points}"


def _counts(d: State) -> tuple[str, ...]:
    """What is easily forgotten of the rules of this round."""
    twos = "Black 2s are wild in runs." if has_wild(d) else "A black 2 is an ordinary 2."
    last = (_NO_DISCARDO,) if d["objective"] == len(OBJECTIVES) else ()
    return (f"{twos} {_PRICE}", *last)


def _seat(d: State, view: int | None, number: int) -> Seat:
    over = d["phase"] == OVER
    is_open = over or seen.is_open(d, view, number)  # R8.1: hands are laid open to be counted
    plan = d["plan"] if is_open and d["on_turn"] == number else None
    held: list[str] = plan["rest"] if plan else d["hands"][number]
    hand = list(map(face, held)) if is_open else []
    drawn = [face(d["drawn"])] if d["drawn"] and d["on_turn"] == number else []
    drawn = [card for card in drawn if card in hand]  # it may have been laid since
    for card in drawn:
        hand.remove(card)
    laid = plan["melds"] if plan else _laid(d, view, number)
    return Seat(
        number=number,
        is_viewer=view == number,
        is_starter=d["starter"] == number,
        is_active=number in winners(d, _standings(d)) if over else _acting(d, view)[0] == number,
        hand=tuple(hand) if is_open else None,
        drawn=tuple(drawn),
        hand_size=len(held),
        known=() if is_open else tuple(map(face, playing.known(d, number))),
        melds=tuple(map(_meld, laid)),
        is_planning=plan is not None,
        score=playing.score(d, number),
        change=f"{d['result']['points'][number]:+d}" if over and d["result"] else "",
    )


def _standings(d: State) -> list[int] | None:
    """The fewest points win."""
    return d["scores"] and [-score for score in d["scores"]]


def _laid(d: State, view: int | None, number: int) -> list[dict[str, Any]]:
    """The melds of a seat; who plans a swap sees it as if it were done."""
    melds = [dict(meld) for meld in d["melds"][number]]
    swap = d["plan"]["swap"] if d["plan"] and view in (None, d["on_turn"]) else None
    if swap and swap["seat"] == number:
        meld = melds[swap["meld"]]
        meld["cards"] = list(meld["cards"])
        meld["cards"][swap["place"] - meld["low"]] = face(swap["given"])
    return melds


def _meld(meld: Mapping[str, Any]) -> Meld:
    """A meld with its cards as what they stand for: a set "7ssh", or a run "56*78h"."""
    laid: Sequence[str] = meld["cards"]
    if meld["kind"] == "set":
        text = _RANKS[meld["rank"]] + "".join(card[1] for card in laid)
        return Meld(text, tuple(map(Card, laid)))
    suit = _SUITS[meld["suit"]]
    faces = [_RANKS[meld["low"] + place] + suit for place in range(len(laid))]
    cards = tuple(
        Card(face, card if card != face else "") for face, card in zip(faces, laid, strict=True)
    )
    return Meld("".join(card.face[0] + "*" * bool(card.wild) for card in cards) + suit, cards)


def _acting(d: State, view: int | None) -> tuple[int, str]:
    """The seat to act, and the phase, as far as the viewer knows them.

    Who thinks about asking, and what a seat is laying, is its own affair.
    """
    phase, seat = d["phase"], asked(d, view)
    if seat is not None:
        return seat, phase
    return d["on_turn"], "start" if phase == "ask" else "play" if phase in _HIDDEN else phase


def _status(d: State, view: int | None) -> str:
    """Who is to do what."""
    if d["phase"] == OVER:
        return status_at_end(d, _standings(d))
    seat, phase = _acting(d, view)
    return f"Seat {seat} {_STATUS[phase]}"
