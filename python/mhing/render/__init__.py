"""Pictures of a table, as SVG, as pixels, and as a board in a terminal.

>>> from mhing import Game, render
>>> state = Game("mhing").new_state(seed=1)
>>> render.rgb_array(state, view=0).shape
(720, 960, 3)

`view` is the seat with whose eyes the table is seen: what that seat may not know is not in the
picture. With None all cards lie open.

What is seen is decided by the core alone: it makes pictures and words from an observation. Here
they get their forms: SVG, pixels, lines of a terminal. ``State.to_dict()`` stands for its state.

Players at tables of a server, spectators, and who keeps observations have no states. They draw
what they know: a :class:`View`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mhing import by_game
from mhing._lib.games import game_ids
from mhing.game import Game, State
from mhing.render import drawn
from mhing.render.board import Board, Form
from mhing.render.board import board as make_board
from mhing.render.lines import painter
from mhing.render.scene import FORMATS, LOOKS, Format, Scene
from mhing.render.view import View, check_view
from mhing.words import Part, called

__all__ = [
    "LOOKS",
    "Board",
    "View",
    "board",
    "notation",
    "rgb_array",
    "scene",
    "share",
    "spelled",
    "svg",
]

Table: TypeAlias = State | View | Mapping[str, Any]


def board(
    table: Table,
    view: int | None = None,
    names: Sequence[str] | None = None,
    *,
    columns: int = 80,
    color: bool = False,
    symbols: bool = False,
) -> Board:
    """Return the table in few lines, for a terminal that has a list of moves and a log beside it.

    Args:
        table: a state; what is known of one; or what a state's ``to_dict()`` returns.
        view: the seat whose cards are shown; None: all cards lie open. A :class:`View` is shown
            to its own seat; None, or that seat.
        names: of the players, by seat; None: "Seat 0" and so on. See :func:`mhing.words.called`.
        columns: how wide lines may be; a single card may be wider.
        color: with ANSI colours.
        symbols: cards in symbols, "5♠" instead of "5s".

    Raises:
        ValueError: there is no such seat, or `table` is a dict of which no picture can be made.

    >>> from mhing import Game
    >>> board(Game("general_mhing").new_state(seed=0), view=1, names=["ann", "you"]).lines[0]
    'ann has 7 cards.'
    """
    source = _source(table)
    view = _viewer(source, view)
    num_seats = source.game.num_seats
    check_view(view, num_seats)
    cards = by_game.cards(source.game.id)
    shown = () if names is None else called(names)
    form = Form(
        columns, painter(color), lambda text: _spelled(source.game, text, shown, color, symbols)
    )

    def say(part: Part, number: int | None) -> str:
        if isinstance(source, View):
            return source.words(part, number=number, names=names)
        return source.words(view, part, number=number, names=names)

    first = view or 0
    seats = [(first + place) % num_seats for place in range(1, num_seats + 1)]
    if view is None:
        seats = [*range(num_seats)]
    return make_board(say, seats, cards.legend, form)


def spelled(table: Table, text: str, *, color: bool = False, symbols: bool = False) -> str:
    """Return a text such as a move's with its cards in colours, and in symbols if wanted."""
    return _spelled(_source(table).game, text, (), color, symbols)


def scene(
    table: Table,
    view: int | None = None,
    *,
    shape: Format = "wide",
    names: Sequence[str] | None = None,
    log: bool = True,
) -> Scene:
    """Return the picture as shapes, for other forms of it.

    Args:
        table: as in `board`.
        view: as in `board`.
        shape: "wide", 960 x 720 pixels; or "portrait", 360 x 640, for narrow windows.
        names: of the players, by seat; None: "Seat 0" and so on. Names longer than 16 characters
            are cut. For a player called "you" the verbs fit: "You discard 5s".
        log: whether the last public events are written in it; False: the caller lists them.

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
    return drawn.scene(source, view, shape, names, log=log)


def svg(
    table: Table,
    view: int | None = None,
    *,
    shape: Format = "wide",
    names: Sequence[str] | None = None,
    look: str = "felt",
) -> str:
    """Return the table as an SVG document that stands alone; arguments and errors as in `scene`.

    And `look`: what it is painted in, one of `LOOKS`.
    """
    return scene(table, view, shape=shape, names=names).to_svg(look)


def rgb_array(
    table: Table,
    view: int | None = None,
    *,
    shape: Format = "wide",
    names: Sequence[str] | None = None,
    look: str = "felt",
) -> NDArray[np.uint8]:
    """Return the table as pixels, (height, width, 3); arguments and errors as in `svg`."""
    return scene(table, view, shape=shape, names=names).to_rgb(look=look)


def share(table: Table, names: Sequence[str] | None = None, *, seed: int | None = None) -> Scene:
    """Return a picture of how an episode ended, 1200 x 630, to be shown to anybody.

    It has the winner's cards, what they are paid for, all names and scores, and the options that
    are not the default ones. Cards that nobody has laid or declared are not in it.

    Args:
        table: as in `board`, of an episode that is over.
        names: of the players, by seat; None: "Seat 0" and so on.
        seed: of the episode, to be shown too: anybody who has it can deal the same cards again.

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
        source = View(source.game, seen, None, source.info(), is_over=over)
    return drawn.scene(source, None, "share", names, seed)


def notation(table: Table, *, symbols: bool = False) -> str:
    """Return how cards are written in the game, for people; with the symbols for them."""
    cards = by_game.cards(_source(table).game.id)
    return "\n".join(filter(None, (cards.symbols * symbols, cards.notation)))


# ---- Inside -----------------------------------------------------------------------------------


def _source(table: Table) -> State | View:
    """The table; a state where a dict of one was given."""
    if not isinstance(table, Mapping):
        return table
    game = table.get("game")
    if game not in game_ids():
        raise ValueError(f"no picture of the game {game!r}: choose from {', '.join(game_ids())}")
    if not isinstance(table.get("options"), Mapping):
        raise ValueError("table: a dict without options; State.to_dict() has all that is needed")
    return Game(game, **table["options"]).state_from_dict(table)


def _spelled(game: Game, text: str, names: Sequence[str], color: bool, symbols: bool) -> str:
    """A text with its cards in colours and symbols; names and credits are no cards."""
    spell = by_game.cards(game.id).spell
    plain = [re.escape(word) for word in (*names, *game.labels.get("parts", ())) if word]
    if not plain:
        return spell(text, painter(color), symbols)
    pieces = re.split(f"({'|'.join(sorted(plain, key=len, reverse=True))})", text)
    return "".join(
        piece if place % 2 else spell(piece, painter(color), symbols)
        for place, piece in enumerate(pieces)
    )


def _viewer(table: State | View, view: int | None) -> int | None:
    """The seat with whose eyes a table is shown."""
    if not isinstance(table, View):
        return view
    if view not in (None, table.seat):
        whose = "a spectator's" if table.seat is None else f"that of seat {table.seat}"
        raise ValueError(f"view: {view!r}, but this one is {whose}")
    return table.seat
