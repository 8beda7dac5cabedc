"""A Mhing table in a terminal: what a person plays from, at most 100 columns wide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from mhing.by_game.mhing.view import Card, Discard, Meld, Result, Seat, look
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
    painter,
    plural,
    row,
)
from mhing.render.seen import State

NOTATION = """\
  123s bamboo   123p circles   123m characters   ESWN winds
  RGP red, green and white dragons   J Mhing card (joker)   F flower
A star marks a card that a joker stands for: 45*6s."""

_LEGEND = "45*6s: * a joker   5s>2: claimed by seat 2   [5s]: on offer   +5s: just drawn"
COLORS = {"s": "32", "p": "36", "m": "31", "R": "31", "G": "32", "P": "1", "J": JOKER, "F": "35"}
"""ANSI codes of suits and honours."""


def text(d: State, view: int | None = None, color: bool = False) -> str:
    """Returns the table as lines of text, with ANSI colours if wanted."""
    paint = painter(color)
    table = look(d, view)
    blocks = [
        [
            paint(f"{table.heading}, {plural(table.source_left, 'card')} in the source", BOLD),
            paint(_LEGEND, DIM),
        ],
        *(_seat(seat, paint) for seat in table.seats),
        [paint(event, DIM) for event in table.events[-EVENTS:]],
        _result(table.result, paint) if table.result else [],
        [*table.notes, paint(table.status, BOLD)],
    ]
    return in_lines(blocks)


def _seat(seat: Seat, paint: Paint) -> list[str]:
    """The player's name and score, then a row for each kind of cards that there is."""
    dealer = "dealer" if seat.is_dealer else ""
    flowers = f"flowers {seat.flowers}" if seat.flowers else ""
    return [
        name_line(seat, paint, dealer, flowers),
        *row("hand", _hand(seat, paint)),
        *row("melds", (_meld(meld, paint) for meld in seat.melds)),
        *row("discards", (_discard(discard, paint) for discard in seat.discards)),
    ]


def _hand(seat: Seat, paint: Paint) -> list[str]:
    """The hand by suit, as "1123s 55p EE J", and the card just drawn; or only how many cards."""
    if seat.hand is None:
        return [plural(seat.hand_size, "card")]
    words = [paint(word, COLORS.get(word[-1], "")) for word in hand_words(seat.hand)]
    if seat.drawn:
        words.append(just_drawn(seat.drawn, _color(seat.drawn), paint))
    return words


def hand_words(hand: Iterable[str]) -> Iterator[str]:
    """Neighbours of one suit as a word such as "1123s", honours by letter."""
    for key, cards in groupby(hand, lambda card: card[-1]):
        yield "".join(card[0] for card in cards) + (key if key in "spm" else "")


def _meld(meld: Meld, paint: Paint) -> str:
    source = "" if meld.claimed_from is None else f" (from {meld.claimed_from})"
    return _cards(meld.cards, paint) + source


def _discard(discard: Discard, paint: Paint) -> str:
    if discard.offered:
        return offered(discard.card, paint)
    if discard.taken_by is not None:
        return paint(f"{discard.card}>{discard.taken_by}", DIM)
    return paint(discard.card, _color(discard.card))


def _cards(cards: tuple[Card, ...], paint: Paint) -> str:
    """A group of cards as "45*6s", jokers in their own colour."""
    color = _color(cards[0].face)
    suit = cards[0].face[1:]
    faces = (
        paint(card.face[0] + "*" * card.joker, JOKER if card.joker else color) for card in cards
    )
    return "".join(faces) + paint(suit, color) if suit else "".join(faces)


def _color(card: str) -> str:
    return COLORS.get(card[-1], "")


def _result(result: Result, paint: Paint) -> list[str]:
    """The headline, the winner's cards, and the credits, the highest first."""
    lines = [paint(result.headline, BOLD)]
    lines += row("cards", (_cards(group, paint) for group in result.groups))
    width = max((len(name) for name, _ in result.parts), default=0)
    lines += [f"    {name:<{width}}  {credits:2d}" for name, credits in result.parts]
    return lines
