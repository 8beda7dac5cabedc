"""The table of a game that brings no pictures of its own, shown from what the core describes."""

from __future__ import annotations

from mhing.game import State
from mhing.render import seen
from mhing.render.board import Board, Form
from mhing.render.generic import board
from mhing.render.generic.view import Table, look
from mhing.render.lines import Paint
from mhing.render.sight import Sight

NOTATION = "Cards and moves are written as in the list of moves."


class Drawing:
    """One table, to be shown with the eyes of its viewer; a state's with any seat's."""

    notation = NOTATION
    symbols = ""

    def __init__(self, source: State | Sight) -> None:
        self._source = source
        self.num_seats = source.game.num_seats

    def board(self, view: int | None, form: Form) -> Board:
        """The table in few lines."""
        return board.board(self._look(view), form)

    def spell(self, text: str, paint: Paint, symbols: bool) -> str:
        """The text as it is: what is a card in it is not known."""
        return text

    def _look(self, view: int | None) -> Table:
        if isinstance(self._source, Sight):
            return look(self._source)
        omniscient = self._source.omniscient() if view is None else None
        return look(sight(self._source, view), omniscient)


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
        is_between_rounds=state.is_between_rounds,
    )
