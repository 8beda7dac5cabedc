"""Spelling of playing cards in a terminal."""

from __future__ import annotations

import re

from mhing.render.lines import JOKER, Paint

SYMBOLS = """\
  A♠ 2♠ ... 9♠ T♠ J♠ Q♠ K♠ spades, typed As 2s ...   ♥ hearts, h   ♦ diamonds, d   ♣ clubs, c"""

COLORS = {"s": "", "h": "31", "d": "34", "c": "32"}
"""ANSI codes of suits."""

_SYMBOLS = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
_CARDS = re.compile(r"(?<![\w.])((?:[2-9TJQKA]\*?)+)([shdc]+)(?!\w)")
_CARD = re.compile(r"(.)(\*?)")


def spell(text: str, paint: Paint, symbols: bool) -> str:
    """Put the cards in a text into colours, and into symbols if wanted."""

    def group(found: re.Match[str]) -> str:
        color = COLORS[found[2][0]]
        ranks = (
            paint(rank + star, JOKER if star else color) for rank, star in _CARD.findall(found[1])
        )
        suits = (paint(_SYMBOLS[suit] if symbols else suit, COLORS[suit]) for suit in found[2])
        return "".join((*ranks, *suits))

    return _CARDS.sub(group, text)
