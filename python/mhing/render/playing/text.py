"""What the texts of games with playing cards share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mhing.render.lines import (
    BOLD,
    DIM,
    EVENTS,
    JOKER,
    Paint,
    in_lines,
    just_drawn,
    name_line,
    offered,
    plural,
    row,
)
from mhing.render.playing.view import AnySeat, Card, Discard, Seat, Table

COLORS = {"s": "", "h": "31", "d": "34", "c": "32"}
"""ANSI codes of suits."""


def text(
    table: Table[AnySeat],
    legend: str,
    melds: Callable[[AnySeat, Paint], list[str]],
    scored: Sequence[str],
    paint: Paint,
) -> str:
    """Returns the table as lines of text.

    `melds` are the lines of what a seat has laid; `scored` follow how the round ended.
    """
    pile = plural(table.draw_pile_left, "card")
    blocks = [
        [
            paint(f"{table.heading}, {pile} in the draw pile", BOLD),
            paint(legend, DIM),
            *(paint(line, DIM) for line in table.counts),
        ],
        *([*_seat(seat, paint), *melds(seat, paint)] for seat in table.seats),
        row("discards", (_discard(discard, paint) for discard in table.discards)),
        [paint(event, DIM) for event in table.events[-EVENTS:]],
        [paint(table.result, BOLD), *scored] if table.result else [],
        [*table.notes, paint(table.status, BOLD)],
    ]
    return in_lines(blocks)


def _seat(seat: Seat, paint: Paint) -> list[str]:
    """The player's name and score, then the hand."""
    return [
        name_line(seat, paint, "began" if seat.is_starter else ""),
        *row("hand", _hand(seat, paint)),
    ]


def _hand(seat: Seat, paint: Paint) -> list[str]:
    """The cards, those just drawn last; or only how many, and which of them everybody knows."""
    if seat.hand is None:
        known = f", with {' '.join(seat.known)}" if seat.known else ""
        return f"{plural(seat.hand_size, 'card')}{known}".split()
    drawn = [just_drawn(card, COLORS[card[1]], paint) for card in seat.drawn]
    return [*(paint(card, COLORS[card[1]]) for card in seat.hand), *drawn]


def _discard(discard: Discard, paint: Paint) -> str:
    by = "" if discard.by is None else f"<{discard.by}"
    if discard.offered:
        return offered(discard.card, paint) + by
    return paint(discard.card, COLORS[discard.card[1]]) + by


def run(cards: Sequence[Card], paint: Paint) -> str:
    """Cards of one suit as "78*9h", those that others stand for in a colour of their own."""
    suit = cards[0].face[1]
    return "".join(_rank(card, paint) for card in cards) + paint(suit, COLORS[suit])


def _rank(card: Card, paint: Paint) -> str:
    if card.wild:
        return paint(card.face[0] + "*", JOKER)
    return paint(card.face[0], COLORS[card.face[1]])
