"""Messages of a table to a player beyond its observation, for pictures of the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mhing.game import Game

if TYPE_CHECKING:
    from mhing.render import View


class Memory:
    """The public numbers, from the messages to one seat in order.

    Where messages were lost they are not known until the next game begins.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self.seat = 0
        """The player's seat."""
        self._numbers: dict[str, Any] | None = None
        self._follows = False  # whether no message of the game was lost

    def start(self, seat: int, numbers: dict[str, Any] | None) -> None:
        """A game begins with these numbers; None: it was not said."""
        self.seat, self._numbers, self._follows = seat, numbers, True

    def round(self, numbers: dict[str, Any]) -> None:
        """A round has ended with these numbers."""
        if self._follows:
            self._numbers = numbers

    def missed(self) -> None:
        """Messages were lost."""
        self._numbers, self._follows = None, False

    def view(self, observation: NDArray[np.uint8], mask: NDArray[np.int8] | None = None) -> View:
        """Return the seat's knowledge when it is asked with this observation, and may do this."""
        from mhing.render import View  # noqa: PLC0415  fonts and pictures, only when asked for

        return View(
            game=self._game,
            observation=observation,
            seat=self.seat,
            numbers=self._numbers,
            asked=self.seat,
            mask=mask,
        )


def game_of(game: str, options: str) -> Game:
    """The game of that id with options as messages have them, such as "num_players=3 target=0"."""
    return Game(game, **dict(setting.split("=") for setting in options.split()))
