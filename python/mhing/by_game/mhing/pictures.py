"""How tables of Mhing are shown."""

from __future__ import annotations

from mhing.by_game import Pictures
from mhing.by_game.mhing import board, known

PICTURES = Pictures(
    known.known,
    board.NOTATION,
    board.board,
    board.spell,
    board.SYMBOLS,
)
