"""A table of General Mhing in a terminal: what a person plays from, at most 100 columns wide."""

from __future__ import annotations

from mhing.render.general_view import (
    Card,
    Discard,
    Seat,
    Sequence,
    State,
    look,
    result_lines,
)
from mhing.render.lines import BOLD, DIM, EVENTS, JOKER, Paint, in_lines, painter, row

NOTATION = """\
  As 2s ... 9s Ts Js Qs Ks spades   h hearts   d diamonds   c clubs
A star marks a card that the ace stands for: 78*9h. swap 8h gives the 8 for that ace."""

_LEGEND = "78*9h: * the ace   [5s]: may be taken   5s<1: discarded by seat 1   +5s: just drawn"
_COLORS = {"s": "", "h": "31", "d": "34", "c": "32"}


def text(d: State, view: int | None = None, color: bool = False) -> str:
    """Returns the table as lines of text, with ANSI colours if wanted."""
    paint = painter(color)
    table = look(d, view)
    result = [paint(table.result, BOLD), *result_lines(d["result"])] if table.result else []
    blocks = [
        [
            paint(f"{table.heading}, {table.draw_pile_left} cards in the draw pile", BOLD),
            paint(_LEGEND, DIM),
        ],
        *(_seat(seat, paint) for seat in table.seats),
        row("discards", (_discard(discard, paint) for discard in table.discards)),
        [paint(event, DIM) for event in table.events[-EVENTS:]],
        result,
        [*table.notes, paint(table.status, BOLD)],
    ]
    return in_lines(blocks)


def _seat(seat: Seat, paint: Paint) -> list[str]:
    """The player's name and score, then the hand and the sequences."""
    tags = [
        seat.score + (f" ({seat.change})" if seat.change else ""),
        "you" if seat.is_viewer else "",
        "began" if seat.is_starter else "",
    ]
    name = paint(f"{'>' if seat.is_active else ' '} {seat.name}", BOLD)
    sequences = [_sequence(sequence, paint) for sequence in seat.sequences]
    return [
        f"{name}  {', '.join(filter(None, tags))}",
        *row("hand", _hand(seat, paint)),
        *row("sequences", [*sequences, f"= {seat.tally}"] if sequences else []),
    ]


def _hand(seat: Seat, paint: Paint) -> list[str]:
    """The cards, those just drawn last; or only how many, and which of them everybody knows."""
    if seat.hand is None:
        known = f", with {' '.join(seat.known)}" if seat.known else ""
        return [f"{seat.hand_size} cards{known}"]
    drawn = [paint(f"+{card}", f"{_COLORS[card[1]]};{BOLD}".lstrip(";")) for card in seat.drawn]
    return [*(paint(card, _COLORS[card[1]]) for card in seat.hand), *drawn]


def _discard(discard: Discard, paint: Paint) -> str:
    if discard.offered:
        return paint(f"[{discard.card}]", f"{BOLD};7") + f"<{discard.by}"
    return paint(discard.card, _COLORS[discard.card[1]]) + f"<{discard.by}"


def _sequence(sequence: Sequence, paint: Paint) -> str:
    """A group of cards as "78*9h", the ace in a colour of its own."""
    suit = sequence.cards[0].face[1]
    return "".join(_rank(card, paint) for card in sequence.cards) + paint(suit, _COLORS[suit])


def _rank(card: Card, paint: Paint) -> str:
    if card.wild:
        return paint(card.face[0] + "*", JOKER)
    return paint(card.face[0], _COLORS[card.face[1]])
