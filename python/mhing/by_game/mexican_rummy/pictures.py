"""How tables of Mexican Rummy are shown."""

from __future__ import annotations

from mhing.by_game import Pictures
from mhing.by_game.mexican_rummy import board, known
from mhing.render.playing.board import SYMBOLS, spell

PICTURES = Pictures(
    known.known,
    board.NOTATION,
    board.board,
    spell,
    SYMBOLS,
)
