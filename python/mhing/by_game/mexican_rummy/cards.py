"""Spelling of Mexican Rummy's cards in a terminal."""

from __future__ import annotations

from mhing.by_game import Cards
from mhing.render.playing_cards import SYMBOLS, spell

NOTATION = """\
  As 2s ... 9s Ts Js Qs Ks spades   h hearts   d diamonds   c clubs
A star marks a card that a black 2 stands for: 56*78h. "run 5678h" begins a run, "lay" fills it.
Melds are named by seats clockwise from you, then their number: "onto 1.2" is your left neighbour's
second one, "low" and "high" are the ends of a run."""

_LEGEND = "56*78h: * a black 2"

CARDS = Cards(NOTATION, _LEGEND, spell, SYMBOLS)
