"""A table with playing cards in few lines, and the cards in symbols."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from mhing.render.board import Board, Form, labelled, latest, packed, seats, title
from mhing.render.lines import BOLD, JOKER, Paint, just_drawn, plural
from mhing.render.playing.view import AnySeat, Discard, Seat, Table

SYMBOLS = """\
  A♠ 2♠ ... 9♠ T♠ J♠ Q♠ K♠ spades, typed As 2s ...   ♥ hearts, h   ♦ diamonds, d   ♣ clubs, c"""

COLORS = {"s": "", "h": "31", "d": "34", "c": "32"}
"""ANSI codes of suits."""

_SYMBOLS = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
_CARDS = re.compile(r"(?<![\w.])((?:[2-9TJQKA]\*?)+)([shdc]+)(?!\w)")
_CARD = re.compile(r"(.)(\*?)")


def spell(text: str, paint: Paint, symbols: bool) -> str:
    """Puts the cards in a text into colours, and into symbols if wanted."""

    def group(found: re.Match[str]) -> str:
        color = COLORS[found[2][0]]
        ranks = (
            paint(rank + star, JOKER if star else color) for rank, star in _CARD.findall(found[1])
        )
        suits = (paint(_SYMBOLS[suit] if symbols else suit, COLORS[suit]) for suit in found[2])
        return "".join((*ranks, *suits))

    return _CARDS.sub(group, text)


def board(
    table: Table[AnySeat],
    form: Form,
    legend: str,
    laid: Callable[[AnySeat, Form], Iterable[str]],
    label: Callable[[AnySeat], str],
    scored: Iterable[str] = (),
) -> Board:
    """Returns the table in lines.

    `laid` are words for what a seat has laid; `label` says what that is, if the hand is open;
    `scored` follows how the round ended.
    """
    *others, last = seats(table)
    return Board(
        heading=f"{table.heading}, {plural(table.draw_pile_left, 'card')} in the draw pile",
        notes=table.counts,
        legend=form.spell(legend),
        lines=(
            *(line for seat in others for line in _seat(seat, form, laid, label)),
            *latest("discards", [_discard(discard, form) for discard in table.discards], form),
            *_seat(last, form, laid, label),
        ),
        status=table.status,
        result=(table.result, *map(form.spell, scored)) if table.result else (),
    )


def _seat(
    seat: AnySeat,
    form: Form,
    laid: Callable[[AnySeat, Form], Iterable[str]],
    label: Callable[[AnySeat], str],
) -> list[str]:
    """Name and score; the hand if it is open; what is laid."""
    name = title(
        seat,
        form,
        "began" if seat.is_starter else "",
        plural(seat.hand_size, "card") if seat.hand is None else "",
    )
    words = [*laid(seat, form)]
    if seat.hand is None:
        words = [*(("with", *map(form.spell, seat.known)) if seat.known else ()), *words]
        return packed(f"{name} ", words, form) or [name]
    return [name, *labelled("hand", _hand(seat, form), form), *labelled(label(seat), words, form)]


def _hand(seat: Seat, form: Form) -> list[str]:
    drawn = [just_drawn(form.spell(card), "", form.paint) for card in seat.drawn]
    return [*map(form.spell, seat.hand or ()), *drawn]


def _discard(discard: Discard, form: Form) -> str:
    card = form.spell(discard.card)
    return form.paint("[", BOLD) + card + form.paint("]", BOLD) if discard.offered else card
