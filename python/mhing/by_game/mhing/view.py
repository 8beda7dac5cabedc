"""What a viewer may see of a Mhing table: the one place that decides what stays hidden.

Texts and pictures are made from the `Table` that `look` returns and never from the state itself,
so what is not in it cannot show: other seats' cards, the order of the source, who is asked for a
claim and what was answered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mhing.render import seen
from mhing.render.lines import plural
from mhing.render.playing import view as playing
from mhing.render.seen import (
    OVER,
    State,
    asked,
    is_game_over,
    last_events,
    of_last_round,
    seats_of,
    status_at_end,
    winners,
)

_TURN = "turn"  # a phase

_EVENTS = {
    "deal": "deals",
    "flower": "lays a flower aside",
    "discard": "discards ",
    "claim": "claims it for ",
    "lay_down": "lays down ",
    "mhing": "declares MHING ",
    "wash": "finds the source empty: a wash",
}


@dataclass(frozen=True)
class Card:
    """A card that lies open; with `joker`, a Mhing card that stands for it."""

    face: str
    joker: bool = False


@dataclass(frozen=True)
class Meld:
    """A meld on the table, and whose discard it claimed (None: laid down from the hand)."""

    text: str
    cards: tuple[Card, ...]
    claimed_from: int | None


@dataclass(frozen=True)
class Discard:
    """A discard, who took it, and whether it is on offer now."""

    card: str
    taken_by: int | None
    offered: bool


@dataclass(frozen=True)
class Seat(seen.HandSeat):
    """One player's side of the table."""

    is_dealer: bool
    drawn: str | None
    melds: tuple[Meld, ...]
    flowers: int
    discards: tuple[Discard, ...]


@dataclass(frozen=True)
class Result:
    """How a round ended: its headline, the winner's cards in groups, and the credits by name."""

    headline: str
    groups: tuple[tuple[Card, ...], ...]
    claimed_from: tuple[int | None, ...]  # of the first groups: those that lay on the table
    parts: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Table(seen.Table[Seat]):
    """All that one viewer sees. Where all cards are open, the notes include the claims."""

    source_left: int
    offer: str | None
    offered_by: int | None
    result: Result | None  # only when the episode is over


def look(d: State, view: int | None = None) -> Table:
    """Returns what the seat `view` sees of the state `d`, or all there is with None.

    Raises:
        ValueError: there is no such seat.
    """
    over = d["phase"] == OVER
    return Table(
        seats=tuple(_seat(d, view, number) for number in seats_of(d, view)),
        nearest=0 if view is None else view,
        heading=f"Round {d['round'] + 1}, turn {d['turn']}",
        source_left=len(d["source"]),
        offer=d["offer"],
        offered_by=d["offered_by"],
        status=_status(d, view),
        is_game_over=is_game_over(d),
        notes=_notes(d, view),
        events=tuple(event_text(event) for event in last_events(d)),
        result=_result(d) if over and d["result"] else None,
    )


def event_text(event: Mapping[str, Any]) -> str:
    """A public event in one line."""
    return playing.event_text(event, _EVENTS)


def cards(text: str) -> tuple[Card, ...]:
    """Reads a group such as "45*6s", "P*P*P" or "4*s"."""
    suit = text[-1] if text[-1] in "spm" else ""
    marks = re.findall(r"([^*])(\*?)", text.removesuffix(suit))
    return tuple(Card(face + suit, bool(star)) for face, star in marks)


def _seat(d: State, view: int | None, number: int) -> Seat:
    held: list[str] = list(d["hands"][number])
    is_open = seen.is_open(d, view, number)
    # Who has drawn a card may have laid it in a meld since.
    has_drawn = is_open and d["phase"] == _TURN and d["on_turn"] == number and d["drawn"] in held
    drawn: str | None = d["drawn"] if has_drawn else None
    hand = list(held)
    if drawn is not None:
        hand.remove(drawn)
    score, change = _score(d, number)
    return Seat(
        number=number,
        is_viewer=view == number,
        is_dealer=d["dealer"] == number,
        is_active=number in _active(d, view),
        hand=tuple(hand) if is_open else None,
        drawn=drawn,
        hand_size=len(held),
        melds=tuple(
            Meld(meld["text"], cards(meld["text"]), meld["from"]) for meld in d["melds"][number]
        ),
        flowers=d["flowers"][number],
        discards=_discards(d, number),
        score=score,
        change=change,
    )


def _active(d: State, view: int | None) -> tuple[int, ...]:
    """The seat to act; for who may not know who is asked for a claim, the seat on turn."""
    if d["phase"] == OVER:
        return winners(d, _standings(d))
    seat = asked(d, view)
    return (d["on_turn"] if seat is None else seat,)


def _standings(d: State) -> list[int] | None:
    """What decides this game, by seat."""
    standings: list[int] | None = d["chips" if d["options"]["scoring"] == "chips" else "scores"]
    return standings


def _discards(d: State, number: int) -> tuple[Discard, ...]:
    last = len(d["discards"]) - 1
    return tuple(
        Discard(each["card"], each["taken_by"], d["offer"] is not None and place == last)
        for place, each in enumerate(d["discards"])
        if each["by"] == number
    )


def _score(d: State, number: int) -> tuple[str, str]:
    """The score that decides this game, and what the round just ended has added to it."""
    result = d["result"] if d["phase"] == OVER else None
    if _standings(d) is None:
        return "", ""
    if d["options"]["scoring"] == "chips":
        change = result["payments"][number] if result and result["payments"] else 0
        return plural(d["chips"][number], "chip"), f"{change:+d}" if change else ""
    change = result["points"] if result and result["winner"] == number else 0
    return plural(d["scores"][number], "point"), f"{change:+d}" if change else ""


def _status(d: State, view: int | None) -> str:
    """Whose turn it is. During claims only the seat that is asked sees it."""
    if d["phase"] == OVER:
        return status_at_end(d, _standings(d))
    if d["phase"] == _TURN:
        claimed = d["claimed_from"]
        return f"Seat {d['on_turn']} to play" + (
            "" if claimed is None else f", with a discard of seat {claimed}"
        )
    seat = asked(d, view)
    if seat is not None:
        return f"Seat {seat} may claim {d['offer']}"
    return f"{d['offer']} is on offer"


def _notes(d: State, view: int | None) -> tuple[str, ...]:
    notes = []
    if view is None and d["claims"]:
        answers = (f"seat {claim['seat']} {claim['action']}" for claim in d["claims"])
        notes.append(f"Answered: {', '.join(answers)}")
    if view is None and d["to_ask"]:
        notes.append(f"Still to be asked: seat {', '.join(map(str, d['to_ask']))}")
    if d["result"] and d["phase"] != OVER:
        notes.append(_result(d).headline)
    return tuple(notes)


def _result(d: State) -> Result:
    result = d["result"]
    if result["winner"] < 0:
        return Result(of_last_round(d, "a wash, nobody scores"), (), (), ())
    payer = f" on a discard of seat {result['payer']}" if result["payer"] >= 0 else ""
    worth = f"{plural(result['credits'], 'credit')}, {plural(result['points'], 'point')}"
    headline = f"Seat {result['winner']} MHING{payer}: {worth}"
    return Result(
        headline=of_last_round(d, headline),
        groups=tuple(cards(group) for group in result["arrangement"]),
        claimed_from=tuple(meld["from"] for meld in d["melds"][result["winner"]]),
        parts=tuple((name, count) for name, count in result["parts"]),
    )
