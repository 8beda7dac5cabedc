"""Playing cards: how they are written in a terminal, and their faces.

Rank and suit stand in the left half, as large as they fit: cards of a hand overlap.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from mhing.render.art import sprite
from mhing.render.lines import JOKER, Paint
from mhing.render.scene import Sprite

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


SHOWN = 0.5
"""The part of a card's width, from the left, that holds rank and suit: so far may others cover it.
"""


@cache
def face(card: str, wild: str = "") -> Sprite:
    """The sprite of a card such as "5s" or "Ah"; or of another, the card `wild`, in its stead."""
    return replace(sprite(f"playing-{card}-wild"), card=wild) if wild else sprite(f"playing-{card}")
