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

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mhing import by_game
from mhing._lib import game_ids
from mhing.by_game import Pictures
from mhing.render.raster import to_rgb
from mhing.render.svg_writer import to_svg

__all__ = ["event_text", "notation", "result_text", "rgb_array", "svg", "text"]


def text(d: Mapping[str, Any], view: int | None = None, color: bool = False) -> str:
    """Returns the table as lines of at most 100 columns, for a terminal.

    Args:
        d: a state as ``State.to_dict()`` returns it.
        view: the seat whose cards are shown; None: all cards lie open.
        color: with ANSI colours.

    Raises:
        ValueError: no layout for this game, or no such seat.
    """
    return _pictures(d).text(d, view, color)


def svg(d: Mapping[str, Any], view: int | None = None) -> str:
    """Returns the table as a self-contained SVG document; arguments and errors as in `text`."""
    return to_svg(_pictures(d).scene(d, view))


def rgb_array(d: Mapping[str, Any], view: int | None = None) -> NDArray[np.uint8]:
    """Returns the table as pixels, (height, width, 3); arguments and errors as in `text`."""
    return to_rgb(_pictures(d).scene(d, view))


def event_text(d: Mapping[str, Any], event: Mapping[str, Any]) -> str:
    """Returns one of the events of the state `d` as a line for people."""
    return _pictures(d).event_text(event)


def result_text(d: Mapping[str, Any]) -> str:
    """Returns how the round finished last in the state `d` ended, for people; "" before one is."""
    return _pictures(d).result_text(d["result"]) if d["result"] else ""


def notation(d: Mapping[str, Any]) -> str:
    """Returns how cards are written in the game of the state `d`, for people."""
    return _pictures(d).notation


def _pictures(d: Mapping[str, Any]) -> Pictures:
    game = d.get("game")
    pictures = by_game.pictures(game) if game in game_ids() else None
    if pictures is None:
        raise ValueError(f"no picture of the game {game!r}: choose from {', '.join(game_ids())}")
    return pictures
