"""Spelling of General Mhing's cards in a terminal."""

from __future__ import annotations

from mhing.by_game import Cards
from mhing.render.playing_cards import SYMBOLS, spell

NOTATION = """\
  As 2s ... 9s Ts Js Qs Ks spades   h hearts   d diamonds   c clubs
A star marks a card that the ace stands for: 78*9h. swap 8h gives the 8 for that ace."""

_LEGEND = "78*9h: * the ace"

CARDS = Cards(NOTATION, _LEGEND, spell, SYMBOLS)
