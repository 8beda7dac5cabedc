"""Spelling of Mhing's cards in a terminal."""

from __future__ import annotations

import re

from mhing.by_game import Cards
from mhing.render.lines import JOKER, Paint

NOTATION = """\
  123s bamboo   123p circles   123m characters   ESWN winds
  RGP red, green and white dragons   J Mhing card (joker)   F flower
A star marks a card that a joker stands for: 45*6s."""

COLORS = {"s": "32", "p": "36", "m": "31", "R": "31", "G": "32", "P": "1", "J": JOKER, "F": "35"}
"""ANSI codes of suits and honours."""

_LEGEND = "45*6s: * a joker"
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
    """Put the cards in a text into colours, and into symbols if wanted."""
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


CARDS = Cards(NOTATION, _LEGEND, spell, SYMBOLS)
