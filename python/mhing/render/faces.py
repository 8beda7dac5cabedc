"""The faces of the cards of any game: those of playing cards, or their label on paper."""

from __future__ import annotations

import re
from functools import cache

from mhing.render import font
from mhing.render.card import HEIGHT, WIDTH, blank
from mhing.render.palette import INK
from mhing.render.playing import cards as playing
from mhing.render.scene import Sprite, Text

_SIZE = 20  # of a label that is short enough
_PLAYING = re.compile("[A2-9TJQK][shdc]")


@cache
def _are_playing_cards(deck: tuple[str, ...]) -> bool:
    """Whether all cards of a deck are written as playing cards are."""
    return all(map(_PLAYING.fullmatch, deck))


def face(card: str, deck: tuple[str, ...]) -> Sprite:
    """The sprite of a card of a deck, or of a word such as "3x5s" for several."""
    if card not in deck:
        return _labelled(card, "")
    return playing.face(card) if _are_playing_cards(deck) else _labelled(card, card)


@cache
def _labelled(label: str, card: str) -> Sprite:
    """A label in the upper half, at most as wide as the card."""
    stretch = min(1.0, (WIDTH - 6) / font.text_width(label, _SIZE))
    text = Text(3, 22, label, _SIZE, INK, bold=True, stretch=stretch)
    name = "label-" + "".join(f"{ord(char):x}-" for char in label)
    return Sprite(name, WIDTH, HEIGHT, (*blank().shapes, text), card)
