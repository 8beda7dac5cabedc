"""The picture of a table of General Mhing: where everything lies, for two or three players.

Every player has a panel, the viewer's below and the others' clockwise above; in the middle lie the
draw pile and the discards, and at the end how the round was scored.
"""

from __future__ import annotations

from collections.abc import Sequence

from mhing.by_game.general_mhing.view import Seat, look, result_lines
from mhing.render.picture import Format, Picture
from mhing.render.playing import table as playing
from mhing.render.seen import State

_HEIGHTS: dict[Format, tuple[float, float]] = {"wide": (230, 216), "portrait": (210, 186)}
"""Of the viewer's panel, and of the middle."""


def scene(
    d: State,
    view: int | None = None,
    shape: Format = "wide",
    names: Sequence[str] | None = None,
) -> Picture:
    """Returns the picture of the state `d`, seen by the seat `view`, or open to all with None."""
    table = look(d, view)
    scored = result_lines(d["result"]) if table.result else ()
    return playing.scene("General Mhing", table, _HEIGHTS, _tally, shape, names, scored)


def _tally(seat: Seat) -> str:
    return f"sequences score {seat.tally}" if seat.melds else ""
