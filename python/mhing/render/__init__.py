"""Pictures of a table, as SVG, as pixels, and as a board in a terminal.

>>> from mhing import Game, render
>>> state = Game("mhing").new_state(seed=1)
>>> render.rgb_array(state, view=0).shape
(720, 960, 3)

`view` is the seat with whose eyes the table is seen: what that seat may not know is not in the
picture. With None all cards lie open.

A game that brings its own pictures (:mod:`mhing.by_game`) takes ``State.to_dict()`` in place of the
state, too. Every other game has the generic table (`mhing.render.generic`).

Players at tables of a server, spectators, and who keeps observations have no states. They draw
what they know: a :class:`Sight`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mhing import by_game
from mhing._lib import BETWEEN_ROUNDS, game_ids
from mhing.by_game import Pictures
from mhing.game import Game, State
from mhing.render import drawn, generic, people
from mhing.render.board import Board, Form
from mhing.render.lines import Paint, painter
from mhing.render.raster import to_rgb
from mhing.render.scene import FORMATS, Format, Scene
from mhing.render.seen import check_view
from mhing.render.sight import Sight
from mhing.render.svg_writer import to_svg

__all__ = [
    "Board",
    "Sight",
    "board",
    "notation",
    "rgb_array",
    "scene",
    "share",
    "spelled",
    "svg",
]

Table: TypeAlias = State | Sight | Mapping[str, Any]


def board(
    table: Table,
    view: int | None = None,
    names: Sequence[str] | None = None,
    *,
    columns: int = 80,
    color: bool = False,
    symbols: bool = False,
) -> Board:
    """Returns the table in few lines, for a terminal that has a list of moves and a log beside it.

    Args:
        table: a state; what is known of one; or what a state's ``to_dict()`` returns, of a game
            that brings its own pictures.
        view: the seat whose cards are shown; None: all cards lie open. A :class:`Sight` is shown
            to its own seat; None, or that seat.
        names: of the players, by seat; None: "Seat 0" and so on. See :mod:`mhing.render.people`.
        columns: how wide lines may be; a single card may be wider.
        color: with ANSI colours.
        symbols: cards in symbols, "5♠" in place of "5s".

    Raises:
        ValueError: there is no such seat, or `table` is a dict of which no picture can be made.

    >>> from mhing import Game
    >>> board(Game("general_mhing").new_state(seed=0), view=1, names=["ann", "you"]).lines[0]
    '  ann  0 points, 7 cards'
    """
    drawing = _drawing(table)
    seats = range(drawing.num_seats)
    form = Form(
        columns=columns,
        names=[f"Seat {seat}" for seat in seats] if names is None else names,
        paint=painter(color),
        spell=lambda text: drawing.spell(text, painter(color), symbols),
    )
    made = drawing.board(_viewer(table, view), form)
    status, result = form.spell(made.status), made.result
    if names is not None:
        status = people.with_names(status, names)
        result = tuple(people.with_names(line, names) for line in result)
    return replace(made, status=status, result=result)


def spelled(table: Table, text: str, *, color: bool = False, symbols: bool = False) -> str:
    """Returns a text such as a move's with its cards in colours, and in symbols if wanted."""
    return _drawing(table).spell(text, painter(color), symbols)


def scene(
    table: Table,
    view: int | None = None,
    *,
    shape: Format = "wide",
    names: Sequence[str] | None = None,
) -> Scene:
    """Returns the picture as shapes, for other forms of it.

    Args:
        table: as in `board`.
        view: as in `board`.
        shape: "wide", 960 x 720 pixels; or "portrait", 360 x 640, for narrow windows.
        names: of the players, by seat; None: "Seat 0" and so on. Names longer than 16 characters
            are cut. Who is "you" does what others do: "You discard 5s".

    Raises:
        ValueError: as in `board`; there is no such shape, or there are more or fewer names than
            seats.

    >>> from mhing import Game
    >>> picture = scene(Game("mhing").new_state(seed=1), view=0, shape="portrait")
    >>> picture.w, picture.h
    (360, 640)
    """
    if shape not in FORMATS:
        raise ValueError(f"shape: choose from {', '.join(FORMATS)}, not {shape!r}")
    source = _source(table)
    num_seats = source.game.num_seats
    if names is not None and len(names) != num_seats:
        raise ValueError(f"names: {len(names)} for {num_seats} seats")
    view = _viewer(source, view)
    check_view(view, num_seats)
    return drawn.scene(source, view, shape, names)


def svg(
    table: Table,
    view: int | None = None,
    *,
    shape: Format = "wide",
    names: Sequence[str] | None = None,
) -> str:
    """Returns the table as a self-contained SVG document; arguments and errors as in `scene`."""
    return to_svg(scene(table, view, shape=shape, names=names))


def rgb_array(
    table: Table,
    view: int | None = None,
    *,
    shape: Format = "wide",
    names: Sequence[str] | None = None,
) -> NDArray[np.uint8]:
    """Returns the table as pixels, (height, width, 3); arguments and errors as in `scene`."""
    return to_rgb(scene(table, view, shape=shape, names=names))


def share(table: Table, names: Sequence[str] | None = None, *, seed: int | None = None) -> Scene:
    """Returns a picture of how an episode ended, 1200 x 630, to be shown to anybody.

    It has the winner's cards, what they are paid for, all names and scores, and the options that
    are not the default ones. Cards that nobody has laid or declared are not in it.

    Args:
        table: as in `board`, of an episode that is over.
        names: of the players, by seat; None: "Seat 0" and so on.
        seed: of the episode, to be shown too: whoever has it can deal the same cards again.

    Raises:
        ValueError: the episode is not over, or there are more or fewer names than seats.

    >>> from mhing import Game
    >>> share(Game("mhing").new_state(seed=1).play_out("greedy", seed=1), seed=1).title
    'Mhing: Seat 3 has won this round: 3 credits, 8 points.'
    """
    source = _source(table)
    num_seats = source.game.num_seats
    if names is not None and len(names) != num_seats:
        raise ValueError(f"names: {len(names)} of them, but the game has {num_seats} seats")
    if isinstance(source, State):  # what everybody may know
        seen, over = source.public_observation(), source.is_terminal
        source = Sight(source.game, seen, None, source.info(), is_over=over)
    return drawn.scene(source, None, "share", names, seed)


def notation(table: Table, *, symbols: bool = False) -> str:
    """Returns how cards are written in the game, for people; with the symbols for them."""
    drawing = _drawing(table)
    return "\n".join(filter(None, (drawing.symbols * symbols, drawing.notation)))


# ---- Inside -----------------------------------------------------------------------------------


class _Drawing(Protocol):
    """A table ready to be shown."""

    @property
    def notation(self) -> str: ...
    @property
    def symbols(self) -> str: ...
    @property
    def num_seats(self) -> int: ...
    def board(self, view: int | None, form: Form) -> Board: ...
    def spell(self, text: str, paint: Paint, symbols: bool) -> str: ...


class _OwnDrawing:
    """A table shown by the pictures that its game brings."""

    def __init__(self, pictures: Pictures, table: Table) -> None:
        self._pictures, self._table = pictures, table
        self.notation, self.symbols = pictures.notation, pictures.symbols
        self.spell = pictures.spell

    @cached_property
    def _d(self) -> Mapping[str, Any]:
        return _as_dict(self._table, self._pictures)

    @property
    def num_seats(self) -> int:
        table = self._table
        return len(table["hands"]) if isinstance(table, Mapping) else table.game.num_seats

    def board(self, view: int | None, form: Form) -> Board:
        return self._pictures.board(self._d, view, form)


def _drawing(table: Table) -> _Drawing:
    game = table.get("game") if isinstance(table, Mapping) else table.game.id
    pictures = by_game.pictures(game) if game in game_ids() else None
    if pictures is not None:
        return _OwnDrawing(pictures, table)
    if not isinstance(table, Mapping):
        return generic.Drawing(table)
    if game in game_ids():
        raise ValueError(f"{game} brings no pictures of its own: give the State, not its to_dict()")
    raise ValueError(f"no picture of the game {game!r}: choose from {', '.join(game_ids())}")


def _source(table: Table) -> State | Sight:
    """The table; where a state's dict was given, the state."""
    _drawing(table)  # refuses what is no table
    if isinstance(table, Mapping):
        return Game(table["game"], **table["options"]).state_from_dict(table)
    return table


def _as_dict(table: Table, pictures: Pictures) -> Mapping[str, Any]:
    if isinstance(table, Mapping):
        return table
    if not isinstance(table, Sight):
        return table.to_dict()
    known = pictures.known(table)
    return {**known, "seat": BETWEEN_ROUNDS} if table.is_between_rounds else known


def _viewer(table: Table, view: int | None) -> int | None:
    """The seat with whose eyes a table is shown."""
    if not isinstance(table, Sight):
        return view
    if view not in (None, table.seat):
        whose = "a spectator's" if table.seat is None else f"that of seat {table.seat}"
        raise ValueError(f"view: {view!r}, but this sight is {whose}")
    return table.seat
