"""The cards and the melds that moves are about."""

import re

from mhing.game import State
from mhing.render.playing.moves import cards

__all__ = ["cards", "meaning"]

_ONTO = re.compile(r"(?:onto|low|high) (\d)\.(\d+)")


def meaning(state: State, text: str) -> str:
    """A move in words: with the meld onto which a card is laid."""
    found = _ONTO.fullmatch(text)
    if not found:
        return text
    d = state.to_dict()
    seat = (d["seat"] + int(found[1])) % len(d["melds"])
    meld = d["melds"][seat][int(found[2]) - 1]["text"]
    return f"{text}, {meld} of Seat {seat}"
