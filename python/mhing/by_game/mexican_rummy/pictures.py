"""How tables of Mexican Rummy are shown."""

from __future__ import annotations

from mhing.by_game import Pictures
from mhing.by_game.mexican_rummy import known, table, text, view

PICTURES = Pictures(
    text.text,
    table.scene,
    view.event_text,
    view.headline,
    known.known,
    text.NOTATION,
)
