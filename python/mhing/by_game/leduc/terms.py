"""Words for actions that players of poker use."""

from __future__ import annotations

from mhing.by_game import Terms

TERMS = Terms(
    {"check": "call", "bet": "raise", "muck": "fold"},
    {},
    unless={"check": "fold", "bet": "fold"},
)
