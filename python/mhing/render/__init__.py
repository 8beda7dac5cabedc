"""Pictures of a table, as text, as SVG and as pixels.

>>> from mhing import Game, render
>>> state = Game("mhing").new_state(seed=1)
>>> print(render.text(state, view=0, color=True))  # doctest: +SKIP
>>> render.rgb_array(state, view=0).shape
(720, 960, 3)

`view` is the seat with whose eyes the table is seen: what that seat may not know is not in the
picture. With None all cards lie open.

A game that brings its own pictures (:mod:`mhing.by_game`) is drawn from ``State.to_dict()``, which
may be given in place of the state. Every other game has the generic table (`mhing.render.generic`).

Players at tables of a server, spectators, and who keeps observations have no states. They draw
what they know: a :class:`Sight`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mhing import by_game
from mhing._lib import game_ids
from mhing.by_game import Pictures
from mhing.game import State
from mhing.render import generic
from mhing.render.raster import to_rgb
from mhing.render.scene import Scene
from mhing.render.sight import Sight
from mhing.render.svg_writer import to_svg

__all__ = [
    "Sight",
    "event_text",
    "notation",
    "result_text",
    "rgb_array",
    "scene",
    "svg",
    "text",
]

Table: TypeAlias = State | Sight | Mapping[str, Any]


def text(table: Table, view: int | None = None, color: bool = False, *, events: bool = True) -> str:
    """Returns the table as lines of at most 100 columns, for a terminal.

    Args:
        table: a state; what is known of one; or what a state's ``to_dict()`` returns, of a game
            that brings its own pictures.
        view: the seat whose cards are shown; None: all cards lie open. A :class:`Sight` is shown
            to its own seat; None, or that seat.
        color: with ANSI colours.
        events: with the last public events.

    Raises:
        ValueError: there is no such seat, or `table` is a dict of which no picture can be made.
    """
    return _drawing(table, events).text(_viewer(table, view), color)


def scene(table: Table, view: int | None = None) -> Scene:
    """Returns the picture as shapes, for other forms of it; arguments and errors as in `text`."""
    return _drawing(table).scene(_viewer(table, view))


def svg(table: Table, view: int | None = None) -> str:
    """Returns the table as a self-contained SVG document; arguments and errors as in `text`."""
    return to_svg(scene(table, view))


def rgb_array(table: Table, view: int | None = None) -> NDArray[np.uint8]:
    """Returns the table as pixels, (height, width, 3); arguments and errors as in `text`."""
    return to_rgb(scene(table, view))


def event_text(table: Table, event: Mapping[str, Any]) -> str:
    """Returns one of the events of ``State.to_dict()`` as a line for people."""
    return _drawing(table).event_text(event)


def result_text(table: Table) -> str:
    """Returns how the round finished last ended, for people; "" before one is."""
    return _drawing(table).result_text()


def notation(table: Table) -> str:
    """Returns how cards are written in the game, for people."""
    return _drawing(table).notation


# ---- Inside -----------------------------------------------------------------------------------


class _Drawing(Protocol):
    """A table ready to be shown."""

    @property
    def notation(self) -> str: ...
    def text(self, view: int | None, color: bool) -> str: ...
    def scene(self, view: int | None) -> Scene: ...
    def event_text(self, event: Mapping[str, Any]) -> str: ...
    def result_text(self) -> str: ...


class _OwnDrawing:
    """A table shown by the pictures that its game brings."""

    def __init__(self, pictures: Pictures, d: Mapping[str, Any]) -> None:
        self._pictures, self._d = pictures, d
        self.notation = pictures.notation
        self.event_text = pictures.event_text

    def text(self, view: int | None, color: bool) -> str:
        return self._pictures.text(self._d, view, color)

    def scene(self, view: int | None) -> Scene:
        return self._pictures.scene(self._d, view)

    def result_text(self) -> str:
        return self._pictures.result_text(self._d["result"]) if self._d["result"] else ""


def _drawing(table: Table, events: bool = True) -> _Drawing:
    game = table.get("game") if isinstance(table, Mapping) else table.game.id
    pictures = by_game.pictures(game) if game in game_ids() else None
    if pictures is not None:
        d = table if isinstance(table, Mapping) else _as_dict(table, pictures)
        return _OwnDrawing(pictures, d if events else {**d, "events": []})
    if not isinstance(table, Mapping):
        return generic.Drawing(table, events)
    if game in game_ids():
        raise ValueError(f"{game} brings no pictures of its own: give the State, not its to_dict()")
    raise ValueError(f"no picture of the game {game!r}: choose from {', '.join(game_ids())}")


def _as_dict(table: State | Sight, pictures: Pictures) -> Mapping[str, Any]:
    return pictures.known(table) if isinstance(table, Sight) else table.to_dict()


def _viewer(table: Table, view: int | None) -> int | None:
    """The seat with whose eyes a table is shown."""
    if not isinstance(table, Sight):
        return view
    if view not in (None, table.seat):
        whose = "a spectator's" if table.seat is None else f"that of seat {table.seat}"
        raise ValueError(f"view: {view!r}, but this sight is {whose}")
    return table.seat
