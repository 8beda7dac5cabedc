"""A Mhing table in few lines, and its cards in symbols."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from mhing.by_game.mhing.view import Discard, Result, Seat, look
from mhing.render.board import Board, Form, labelled, packed, seats, title
from mhing.render.lines import BOLD, DIM, JOKER, Paint, just_drawn, plural
from mhing.render.seen import State

NOTATION = """\
  123s bamboo   123p circles   123m characters   ESWN winds
  RGP red, green and white dragons   J Mhing card (joker)   F flower
A star marks a card that a joker stands for: 45*6s."""

COLORS = {"s": "32", "p": "36", "m": "31", "R": "31", "G": "32", "P": "1", "J": JOKER, "F": "35"}
"""ANSI codes of suits and honours."""

_LEGEND = "45*6s: * a joker   (5s): claimed   [5s]: on offer   +5s: just drawn"
_SYMBOLS = {"s": "‖", "p": "●", "m": "#"}
_MARKS = {
    **{"E": "→", "S": "↓", "W": "←", "N": "↑"},
    **{"R": "◆", "G": "◆", "P": "◇", "J": "★"},
}
SYMBOLS = """\
  123‖ bamboo, typed 123s   123● circles, 123p   123# characters, 123m
  E→ S↓ W← N↑ winds   R◆ G◆ P◇ red, green and white dragons   J★ Mhing card (joker)"""

_CARDS = re.compile(r"(?<!\w)(?:((?:[1-9]\*?)+)([spm])|(?:[ESWNRGPJ]\*?)+)(?![\w*])")
_CARD = re.compile(r"(.)(\*?)")


def spell(text: str, paint: Paint, symbols: bool) -> str:
    """Puts the cards in a text into colours, and into symbols if wanted."""
    return _CARDS.sub(lambda found: _group(found[0], paint, symbols), text)


def _group(group: str, paint: Paint, symbols: bool) -> str:
    """Cards such as "45*6s" or "P*PP"."""
    suit = group[-1] if group[-1] in _SYMBOLS else ""
    faces = "".join(
        paint(
            face + (_MARKS.get(face, "") if symbols else "") + star,
            JOKER if star else COLORS.get(suit or face, ""),
        )
        for face, star in _CARD.findall(group.removesuffix(suit))
    )
    return faces + paint(_SYMBOLS[suit] if symbols else suit, COLORS[suit]) if suit else faces


def board(d: State, view: int | None, form: Form) -> Board:
    """Returns the table as the seat `view` sees it, or open to all with None."""
    table = look(d, view)
    left = plural(table.source_left, "card")
    return Board(
        heading=f"{table.heading}, {left} in the source",
        notes=(),
        legend=form.spell(_LEGEND),
        lines=tuple(line for seat in seats(table) for line in _seat(seat, form)),
        status=table.status,
        result=_result(table.result, form) if table.result else (),
    )


def _seat(seat: Seat, form: Form) -> list[str]:
    """Name, score and melds; the hand if it is open; the discards."""
    name = title(
        seat,
        form,
        "dealer" if seat.is_dealer else "",
        plural(seat.flowers, "flower") if seat.flowers else "",
        plural(seat.hand_size, "card") if seat.hand is None else "",
    )
    return [
        *(packed(f"{name} ", (form.spell(meld.text) for meld in seat.melds), form) or [name]),
        *labelled("hand", _hand(seat, form), form),
        *labelled("out ", (_discard(discard, form) for discard in seat.discards), form),
    ]


def _hand(seat: Seat, form: Form) -> list[str]:
    if seat.hand is None:
        return []
    drawn = [just_drawn(form.spell(seat.drawn), "", form.paint)] if seat.drawn else []
    return [*map(form.spell, hand_words(seat.hand)), *drawn]


def hand_words(hand: Iterable[str]) -> Iterator[str]:
    """Neighbours of one suit as a word such as "1123s", honours by letter."""
    for key, cards in groupby(hand, lambda card: card[-1]):
        yield "".join(card[0] for card in cards) + (key if key in "spm" else "")


def _discard(discard: Discard, form: Form) -> str:
    card = form.spell(discard.card)
    if discard.offered:
        return form.paint("[", BOLD) + card + form.paint("]", BOLD)
    return (
        form.paint("(", DIM) + card + form.paint(")", DIM) if discard.taken_by is not None else card
    )


def _result(result: Result, form: Form) -> tuple[str, ...]:
    """The headline, the winner's cards, and the credits by name."""
    groups = (
        "".join(card.face[0] + "*" * card.joker for card in group) + group[0].face[1:]
        for group in result.groups
    )
    parts = (f"{credits} {name}," for name, credits in result.parts)
    lines = [result.headline, *labelled("cards  ", map(form.spell, groups), form)]
    return (*lines, *(line.removesuffix(",") for line in labelled("credits", parts, form)))
