"""The picture of a table of Mexican Rummy: where everything lies, for two to six players.

Every player has a panel with the hand and the melds, the viewer's below and the others' clockwise
above; between them lie the draw pile, the discards, and a status in words.
"""

from __future__ import annotations

from collections.abc import Sequence

from mhing.by_game.mexican_rummy.view import Seat, look
from mhing.render.picture import Format, Picture
from mhing.render.playing import table as playing
from mhing.render.seen import State

_HEIGHTS: dict[Format, tuple[float, float]] = {"wide": (222, 176), "portrait": (210, 166)}
"""Of the viewer's panel, and of the middle."""


def scene(
    d: State,
    view: int | None = None,
    shape: Format = "wide",
    names: Sequence[str] | None = None,
) -> Picture:
    """Returns the picture of the state `d`, seen by the seat `view`, or open to all with None."""
    return playing.scene("Mexican Rummy", look(d, view), _HEIGHTS, _plan, shape, names)


def _plan(seat: Seat) -> str:
    return "laying down" if seat.is_planning else ""
