"""What a table has sent to a player beyond its observation, for pictures of the table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mhing.game import Game

if TYPE_CHECKING:
    from mhing.render import Sight

_Event = tuple[int, ...]


class Memory:
    """The public numbers, and the events since the deal, from the messages to one seat in order.

    A player that was away does not know them: scores come back with the next game, events with
    the next deal.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self._seat = 0
        self._numbers: dict[str, Any] | None = None
        self._heard: list[_Event] | None = None
        self._follows = False  # whether no message of the game was lost

    def start(self, seat: int) -> None:
        """A game begins."""
        self._seat, self._follows = seat, True
        self._numbers, self._heard = dict(self._game.new_state(0).info()), []

    def round(self, numbers: dict[str, Any]) -> None:
        """A round has ended with these numbers."""
        if self._follows:
            self._numbers = numbers
        self._heard = None

    def turn(self, events: Sequence[Sequence[int]]) -> None:
        """The seat is asked; these events, with seats counted from it, have happened since."""
        seats = self._game.num_seats
        news = [((self._seat + seat - 1) % seats + 1, *rest) for seat, *rest in events]
        self._heard = since_deal(self._game, self._heard, news)

    def away(self) -> None:
        """Others play for the seat, and their events are not sent."""
        self._heard = None

    def missed(self) -> None:
        """Messages were lost."""
        self._numbers, self._heard, self._follows = None, None, False

    def sight(self, observation: NDArray[np.uint8], mask: NDArray[np.int8]) -> Sight:
        """What the seat knows when it is asked with this observation, and may do this."""
        from mhing.render import Sight  # noqa: PLC0415  fonts and pictures, only when asked for

        return Sight(
            game=self._game,
            observation=observation,
            seat=self._seat,
            numbers=self._numbers,
            heard=self._heard,
            asked=self._seat,
            mask=mask,
        )


def since_deal(
    game: Game, heard: list[_Event] | None, news: Sequence[Sequence[int]]
) -> list[_Event] | None:
    """The events since the last deal, of those `heard` so far and of news; None: not all known."""
    kind = next((event.id for event in game.events if event.name == "deal"), None)
    events = [tuple(event) for event in news]
    deals = [place for place, event in enumerate(events) if event[1] == kind]
    if deals:
        return events[deals[-1] :]
    return None if heard is None else [*heard, *events]


def game_of(game: str, options: str) -> Game:
    """The game of that id with options as messages have them, such as "num_players=3 target=0"."""
    return Game(game, **dict(setting.split("=") for setting in options.split()))
