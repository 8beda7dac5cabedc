"""The table of a game that brings no pictures of its own, shown from what the core describes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mhing.game import State
from mhing.render.generic import table, text
from mhing.render.generic.view import event_text, look, sight
from mhing.render.scene import Scene

NOTATION = "Cards and moves are written as in the list of moves."


class Drawing:
    """One state, to be shown with any seat's eyes; `events` are those of ``State.to_dict()``."""

    notation = NOTATION

    def __init__(self, state: State, events: Sequence[Mapping[str, Any]]) -> None:
        self._state, self._events = state, events

    def text(self, view: int | None, color: bool) -> str:
        """The table as lines of text."""
        return text.text(look(sight(self._state, view, self._events)), color)

    def scene(self, view: int | None) -> Scene:
        """The table as a picture."""
        return table.scene(look(sight(self._state, view, self._events)))

    def event_text(self, event: Mapping[str, Any]) -> str:
        """One of the events as a line."""
        return event_text(event)

    def result_text(self) -> str:
        """How the round finished last ended; "" before one is."""
        return "\n".join(look(sight(self._state, None, ())).result)
