"""A table of Mexican Rummy in a terminal: what a person plays from, at most 100 columns wide."""

from __future__ import annotations

from mhing.render.lines import BOLD, DIM, EVENTS, JOKER, Paint, in_lines, painter, row
from mhing.render.rummy_view import Card, Discard, Meld, Seat, State, look

NOTATION = """\
  As 2s ... 9s Ts Js Qs Ks spades   h hearts   d diamonds   c clubs
A star marks a card that a black 2 stands for: 56*78h. "run 5678h" begins a run, "lay" fills it.
Melds are named by seats clockwise from you, then their number: "onto 1.2" is your left neighbour's
second one, "low" and "high" are the ends of a run."""

_LEGEND = "56*78h: * a black 2   [5s]: may be had   5s<1: discarded by seat 1   +5s: just drawn"
_COLORS = {"s": "", "h": "31", "d": "34", "c": "32"}


def text(d: State, view: int | None = None, color: bool = False) -> str:
    """Returns the table as lines of text, with ANSI colours if wanted."""
    paint = painter(color)
    table = look(d, view)
    blocks = [
        [
            paint(f"{table.heading}, {table.draw_pile_left} cards in the draw pile", BOLD),
            paint(_LEGEND, DIM),
        ],
        *(_seat(seat, paint) for seat in table.seats),
        row("discards", (_discard(discard, paint) for discard in table.discards)),
        [paint(event, DIM) for event in table.events[-EVENTS:]],
        [paint(table.result, BOLD)] if table.result else [],
        [*table.notes, paint(table.status, BOLD)],
    ]
    return in_lines(blocks)


def _seat(seat: Seat, paint: Paint) -> list[str]:
    """The player's name and score, then the hand and the melds."""
    tags = [
        seat.score + (f" ({seat.change})" if seat.change else ""),
        "you" if seat.is_viewer else "",
        "began" if seat.is_starter else "",
    ]
    name = paint(f"{'>' if seat.is_active else ' '} {seat.name}", BOLD)
    return [
        f"{name}  {', '.join(filter(None, tags))}",
        *row("hand", _hand(seat, paint)),
        *row(
            "laying" if seat.is_planning else "melds", (_meld(meld, paint) for meld in seat.melds)
        ),
    ]


def _hand(seat: Seat, paint: Paint) -> list[str]:
    """The cards, the one just drawn last; or only how many, and which of them everybody knows."""
    if seat.hand is None:
        known = f", with {' '.join(seat.known)}" if seat.known else ""
        return f"{seat.hand_size} cards{known}".split()
    drawn = [paint(f"+{card}", f"{_COLORS[card[1]]};{BOLD}".lstrip(";")) for card in seat.drawn]
    return [*(paint(card, _COLORS[card[1]]) for card in seat.hand), *drawn]


def _discard(discard: Discard, paint: Paint) -> str:
    by = "" if discard.by is None else f"<{discard.by}"
    if discard.offered:
        return paint(f"[{discard.card}]", f"{BOLD};7") + by
    return paint(discard.card, _COLORS[discard.card[1]]) + by


def _meld(meld: Meld, paint: Paint) -> str:
    """A run as "56*78h", the black 2 in a colour of its own; a set as "7ssh"."""
    if "*" not in meld.text:
        return meld.text
    suit = meld.cards[0].face[1]
    return "".join(_rank(card, paint) for card in meld.cards) + paint(suit, _COLORS[suit])


def _rank(card: Card, paint: Paint) -> str:
    if card.wild:
        return paint(card.face[0] + "*", JOKER)
    return paint(card.face[0], _COLORS[card.face[1]])
