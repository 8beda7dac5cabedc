"""Words for actions that players of related games use."""

from __future__ import annotations

from mhing.by_game import Synonyms

TERMS = Synonyms(
    {
        **dict.fromkeys(("sequence", "straight"), "run"),
        **dict.fromkeys(("may i have", "may i take", "ask for"), "may_i"),
        **dict.fromkeys(("allow", "permit"), "grant"),
        **dict.fromkeys(("deny", "reject"), "refuse"),
        "lay off": "lay",
    },
    {},
    {
        "i'd like the card": "may_i",
        **dict.fromkeys(("yes", "yes you may", "yes you may have it", "you may have it"), "grant"),
        **dict.fromkeys(("no", "no you may not", "no thanks"), "refuse"),
    },
)
