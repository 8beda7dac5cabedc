"""Words for actions that players of related games use."""

from __future__ import annotations

from mhing.by_game import Terms

TERMS = Terms(
    {
        **dict.fromkeys(("sequence", "straight"), "run"),
        **dict.fromkeys(("may i have", "may i take"), "may_i"),
        **dict.fromkeys(("allow", "permit"), "grant"),
        **dict.fromkeys(("deny", "reject"), "refuse"),
    },
    {},
)
