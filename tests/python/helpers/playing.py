"""Parts of the tests of games with playing cards."""

from __future__ import annotations

from typing import Any

import matches

DULL = None
"""Stands for a hand of the cards that are left, in which nothing fits together."""


def cards(text: str) -> list[str]:
    """ "789h 2s" -> 7h 8h 9h 2s."""
    return [rank + word[-1] for word in text.split() for rank in word[:-1]]


class Match(matches.Match):
    """A game in which nobody is asked without a choice, whose referee sees what chance decides."""

    def legal(self) -> list[str]:
        """The texts of the legal actions."""
        legal = super().legal()
        assert len(legal) != 1, "asked without a choice"
        return legal

    def judge(self, action: str, after: dict[str, Any]) -> None:
        """Has the referee play the action."""
        self.referee.apply(action, after)
