"""A Mhing table in a terminal: what a person plays from, at most 100 columns wide."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import groupby

from mhing.render.mhing_view import Card, Discard, Meld, Result, Seat, State, look

WIDTH = 100  # columns
EVENTS = 6  # lines of them

_LABEL = 12  # columns before a row of cards
_LEGEND = "45*6s: * a joker   5s>2: claimed by seat 2   [5s]: on offer   +5s: just drawn"
_BOLD, _DIM, _JOKER = "1", "2", "1;33"
_COLORS = {"s": "32", "p": "36", "m": "31", "R": "31", "G": "32", "P": "1", "J": _JOKER, "F": "35"}
_ANSI = re.compile(r"\x1b\[[0-9;]*m")

Paint = Callable[[str, str], str]  # puts a text into the colour of an ANSI code


def text(d: State, view: int | None = None, color: bool = False) -> str:
    """Returns the table as lines of text, with ANSI colours if wanted."""
    paint = _in_color if color else _plain
    table = look(d, view)
    blocks = [
        [
            paint(f"{table.heading}, {table.source_left} cards in the source", _BOLD),
            paint(_LEGEND, _DIM),
        ],
        *(_seat(seat, paint) for seat in table.seats),
        [paint(event, _DIM) for event in table.events[-EVENTS:]],
        _result(table.result, paint) if table.result else [],
        [*table.notes, paint(table.status, _BOLD)],
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _in_color(string: str, code: str) -> str:
    return f"\x1b[{code}m{string}\x1b[0m" if code else string


def _plain(string: str, code: str) -> str:
    return string


def _seat(seat: Seat, paint: Paint) -> list[str]:
    """The player's name and score, then a row for each kind of cards that there is."""
    tags = [
        seat.score + (f" ({seat.change})" if seat.change else ""),
        "you" if seat.is_viewer else "",
        "dealer" if seat.is_dealer else "",
        f"flowers {seat.flowers}" if seat.flowers else "",
    ]
    name = paint(f"{'>' if seat.is_active else ' '} {seat.name}", _BOLD)
    return [
        f"{name}  {', '.join(filter(None, tags))}",
        *_row("hand", _hand(seat, paint)),
        *_row("melds", (_meld(meld, paint) for meld in seat.melds)),
        *_row("discards", (_discard(discard, paint) for discard in seat.discards)),
    ]


def _row(label: str, words: Iterable[str]) -> list[str]:
    """Words after a label, in as many lines as they need; none where there are no words."""
    lines: list[str] = []
    room = 0
    for word in words:
        length = len(_ANSI.sub("", word)) + 1
        if length > room:
            lines.append(f"    {'' if lines else label}".ljust(_LABEL))
            room = WIDTH - _LABEL
        lines[-1] += " " + word
        room -= length
    return lines


def _hand(seat: Seat, paint: Paint) -> list[str]:
    """The hand by suit, as "1123s 55p EE J", and the card just drawn; or only how many cards."""
    if seat.hand is None:
        return [f"{seat.hand_size} cards"]
    suits = ("".join(card[0] for card in cards) + suit for suit, cards in _suits(seat.hand))
    words = [paint(word, _COLORS.get(word[-1], "")) for word in suits]
    if seat.drawn:
        words.append(paint(f"+{seat.drawn}", f"{_color(seat.drawn)};{_BOLD}".lstrip(";")))
    return words


def _suits(hand: Iterable[str]) -> Iterable[tuple[str, list[str]]]:
    """Neighbours of one suit, honours by letter, with the letter that follows the numbers."""
    for key, cards in groupby(hand, lambda card: card[-1]):
        yield key if key in "spm" else "", list(cards)


def _meld(meld: Meld, paint: Paint) -> str:
    source = "" if meld.claimed_from is None else f" (from {meld.claimed_from})"
    return _cards(meld.cards, paint) + source


def _discard(discard: Discard, paint: Paint) -> str:
    if discard.offered:
        return paint(f"[{discard.card}]", f"{_BOLD};7")
    if discard.taken_by is not None:
        return paint(f"{discard.card}>{discard.taken_by}", _DIM)
    return paint(discard.card, _color(discard.card))


def _cards(cards: tuple[Card, ...], paint: Paint) -> str:
    """A group of cards as "45*6s", jokers in their own colour."""
    color = _color(cards[0].face)
    suit = cards[0].face[1:]
    faces = (
        paint(card.face[0] + "*" * card.joker, _JOKER if card.joker else color) for card in cards
    )
    return "".join(faces) + paint(suit, color) if suit else "".join(faces)


def _color(card: str) -> str:
    return _COLORS.get(card[-1], "")


def _result(result: Result, paint: Paint) -> list[str]:
    """The headline, the winner's cards, and the credits, the highest first."""
    lines = [paint(result.headline, _BOLD)]
    lines += _row("cards", (_cards(group, paint) for group in result.groups))
    width = max((len(name) for name, _ in result.parts), default=0)
    lines += [f"    {name:<{width}}  {credits:2d}" for name, credits in result.parts]
    return lines
