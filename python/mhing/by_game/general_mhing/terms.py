"""Words for actions that players of related games use."""

from __future__ import annotations

from mhing.by_game import Synonyms

TERMS = Synonyms(
    {
        **dict.fromkeys(("run", "straight", "chi", "chow"), "sequence"),
        **dict.fromkeys(("end the turn", "end my turn"), "end"),
    },
    {},
)
