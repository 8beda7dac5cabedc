"""The table of a game that brings no pictures of its own, shown from what the core describes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mhing.game import State
from mhing.render import seen
from mhing.render.generic import table, text
from mhing.render.generic.view import Table, event_text, look, result
from mhing.render.scene import Scene
from mhing.render.sight import Sight

NOTATION = "Cards and moves are written as in the list of moves."


class Drawing:
    """One table, to be shown with the eyes of its viewer; a state's with any seat's."""

    notation = NOTATION

    def __init__(self, source: State | Sight, events: bool = True) -> None:
        self._source, self._events = source, events

    def text(self, view: int | None, color: bool) -> str:
        """The table as lines of text."""
        return text.text(self._look(view), color)

    def scene(self, view: int | None) -> Scene:
        """The table as a picture."""
        return table.scene(self._look(view))

    def event_text(self, event: Mapping[str, Any]) -> str:
        """One of the events as a line."""
        return event_text(event)

    def result_text(self) -> str:
        """How the round finished last ended; "" before one is."""
        source = self._source
        return "\n".join(result(source if isinstance(source, Sight) else sight(source, None)))

    def _look(self, view: int | None) -> Table:
        if isinstance(self._source, Sight):
            return look(self._source, events=self._events)
        omniscient = self._source.omniscient() if view is None else None
        return look(sight(self._source, view), omniscient, self._events)


def sight(state: State, view: int | None) -> Sight:
    """Returns what the seat `view` knows of a state; with None what spectators know.

    Raises:
        ValueError: there is no such seat.
    """
    seen.check_view(view, state.game.num_seats)
    return Sight(
        game=state.game,
        observation=state.public_observation() if view is None else state.observation(view),
        seat=view,
        numbers=state.info(),
        asked=state.seat if view in (None, state.seat) else None,
        is_over=state.is_terminal,
    )
