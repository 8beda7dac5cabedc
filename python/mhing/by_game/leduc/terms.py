"""Words for actions that players of poker use."""

from __future__ import annotations

from mhing.by_game import Synonyms

TERMS = Synonyms(
    {"check": "call", "bet": "raise", "muck": "fold"},
    {},
    unless={"check": "fold", "bet": "fold"},
)
