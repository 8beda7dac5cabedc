"""What a viewer may see of a table of General Mhing: the one place that decides what stays hidden.

Texts and pictures are made from the `Table` that `look` returns and never from the state itself,
so what is not in it cannot show: other seats' cards, what they drew, the order of the draw pile.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mhing.render import seen
from mhing.render.lines import plural
from mhing.render.playing import view as playing
from mhing.render.playing.view import Card, Meld
from mhing.render.seen import OVER, State, last_events, seats_of, status_at_end, winners

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
class Seat(playing.Seat):
    """One player's side of the table; its melds are sequences."""

    tally: int  # what they score


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
        heading=playing.heading(d, f"Round {d['round'] + 1}"),
        status=_status(d),
        events=tuple(map(event_text, last_events(d))),
        ended=headline(d["result"]) if d["result"] else "",
    )


def event_text(event: Mapping[str, Any]) -> str:
    """A public event in one line."""
    return playing.event_text(event, _EVENTS)


def headline(result: Mapping[str, Any]) -> str:
    """How a round ended, in one line; tallies go clockwise from the winner's."""
    tallies, winner = [str(seat["tally"]) for seat in result["seats"]], result["winner"]
    if winner < 0:
        return f"nobody wins, {' to '.join(tallies)} ({result['ending']})"
    in_turn = " to ".join(tallies[winner:] + tallies[:winner])
    points = plural(result["points"], "point")
    return f"Seat {winner} wins {points}, {in_turn} ({result['ending']})"


def result_lines(result: Mapping[str, Any]) -> list[str]:
    """The sequences of every seat and what they scored, a line each.

    None stands for sequences that are not known any more.
    """
    lines = []
    for number, seat in enumerate(result["seats"]):
        texts = " ".join(laid["text"] for laid in seat["sequences"] or ()) or "no sequence"
        parts = ", ".join(f"{points} {name}" for name, points in seat["parts"])
        known = "" if seat["sequences"] is None else f"{texts} = "
        lines.append(f"Seat {number}: {known}{seat['tally']}{f' ({parts})' if parts else ''}")
    return lines


def _seat(d: State, view: int | None, number: int) -> Seat:
    held: list[str] = d["hands"][number]
    is_open = seen.is_open(d, view, number)
    drawn = [card for card in d["drawn"] if is_open and d["on_turn"] == number and card in held]
    over = d["phase"] == OVER
    scored = over and d["result"] and d["result"]["winner"] == number
    return Seat(
        number=number,
        is_viewer=view == number,
        is_starter=d["starter"] == number,
        is_active=number in winners(d, d["scores"]) if over else d["on_turn"] == number,
        hand=tuple(card for card in held if card not in drawn) if is_open else None,
        drawn=tuple(drawn),
        hand_size=len(held),
        known=() if is_open else playing.known(d, number),
        melds=tuple(
            Meld(laid["text"], _cards(laid["cards"], laid["ace"]))
            for laid in d["sequences"][number]
        ),
        tally=d["tallies"][number],
        score=playing.score(d, number),
        change=f"{d['result']['points']:+d}" if scored else "",
    )


def _cards(faces: list[str], ace: int | None) -> tuple[Card, ...]:
    """Three cards; the ace of A-2-3 is itself."""
    return tuple(
        Card(face, f"A{face[1]}" if place == ace and face[0] != "A" else "")
        for place, face in enumerate(faces)
    )


def _status(d: State) -> str:
    if d["phase"] == OVER:
        return status_at_end(d, d["scores"])
    return f"Seat {d['on_turn']} {_STATUS[d['phase']]}"
