"""How tables of General Mhing are shown."""

from __future__ import annotations

from mhing.by_game import Pictures
from mhing.by_game.general_mhing import board, ending, known, table, text, view
from mhing.render.playing.board import SYMBOLS, spell

PICTURES = Pictures(
    text.text,
    table.scene,
    view.event_text,
    view.result_text,
    known.known,
    text.NOTATION,
    board.board,
    spell,
    SYMBOLS,
    ending.ended,
)
