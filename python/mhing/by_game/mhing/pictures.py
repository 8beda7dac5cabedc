"""How tables of Mhing are shown."""

from __future__ import annotations

from mhing.by_game import Pictures
from mhing.by_game.mhing import board, declared, hand, known, table, text, view

PICTURES = Pictures(
    text.text,
    table.scene,
    view.event_text,
    hand.result_text,
    known.known,
    text.NOTATION,
    board.board,
    board.spell,
    board.SYMBOLS,
    declared.ended,
)
