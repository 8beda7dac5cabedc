"""Pictures of a table, as text, as SVG and as pixels, from what ``State.to_dict()`` returns.

>>> from mhing import Game, render
>>> table = Game("mhing").new_state(seed=1).to_dict()
>>> print(render.text(table, view=0, color=True))  # doctest: +SKIP
>>> render.rgb_array(table, view=0).shape
(720, 960, 3)

`view` is the seat with whose eyes the table is seen: what that seat may not know is not in the
picture. With None all cards lie open.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mhing.render import (
    general_table,
    general_text,
    general_view,
    mhing_hand,
    mhing_table,
    mhing_text,
    mhing_view,
    rummy_table,
    rummy_text,
    rummy_view,
)
from mhing.render.raster import to_rgb
from mhing.render.scene import Scene
from mhing.render.svg_writer import to_svg

__all__ = ["event_text", "notation", "result_text", "rgb_array", "svg", "text"]


@dataclass(frozen=True)
class _Layout:
    """How the tables of one game are shown."""

    text: Callable[[Mapping[str, Any], int | None, bool], str]
    scene: Callable[[Mapping[str, Any], int | None], Scene]
    event_text: Callable[[Mapping[str, Any]], str]
    result_text: Callable[[Mapping[str, Any]], str]
    notation: str


_LAYOUTS = {
    "mhing": _Layout(
        mhing_text.text,
        mhing_table.scene,
        mhing_view.event_text,
        mhing_hand.result_text,
        mhing_text.NOTATION,
    ),
    "general_mhing": _Layout(
        general_text.text,
        general_table.scene,
        general_view.event_text,
        general_view.result_text,
        general_text.NOTATION,
    ),
    "mexican_rummy": _Layout(
        rummy_text.text,
        rummy_table.scene,
        rummy_view.event_text,
        rummy_view.headline,
        rummy_text.NOTATION,
    ),
}


def text(d: Mapping[str, Any], view: int | None = None, color: bool = False) -> str:
    """Returns the table as lines of at most 100 columns, for a terminal.

    Args:
        d: a state as ``State.to_dict()`` returns it.
        view: the seat whose cards are shown; None: all cards lie open.
        color: with ANSI colours.

    Raises:
        ValueError: no layout for this game, or no such seat.
    """
    return _layout(d).text(d, view, color)


def svg(d: Mapping[str, Any], view: int | None = None) -> str:
    """Returns the table as a self-contained SVG document; arguments and errors as in `text`."""
    return to_svg(_layout(d).scene(d, view))


def rgb_array(d: Mapping[str, Any], view: int | None = None) -> NDArray[np.uint8]:
    """Returns the table as pixels, (height, width, 3); arguments and errors as in `text`."""
    return to_rgb(_layout(d).scene(d, view))


def event_text(d: Mapping[str, Any], event: Mapping[str, Any]) -> str:
    """Returns one of the events of the state `d` as a line for people."""
    return _layout(d).event_text(event)


def result_text(d: Mapping[str, Any]) -> str:
    """Returns how the round finished last in the state `d` ended, for people; "" before one is."""
    return _layout(d).result_text(d["result"]) if d["result"] else ""


def notation(d: Mapping[str, Any]) -> str:
    """Returns how cards are written in the game of the state `d`, for people."""
    return _layout(d).notation


def _layout(d: Mapping[str, Any]) -> _Layout:
    try:
        return _LAYOUTS[d["game"]]
    except KeyError:
        game = d.get("game")
        raise ValueError(
            f"no picture of the game {game!r}: choose from {', '.join(_LAYOUTS)}"
        ) from None
