"""Players at the tables of a server."""

from __future__ import annotations

import logging
from typing import Any

from mhing.game import Game
from mhing.players.asking import ask, reason
from mhing.players.player import Player
from mhing.players.seating import Given, called, seat
from mhing.remote.bot import Bot
from mhing.remote.player import Turn

_log = logging.getLogger(__name__)


class PlayerBot(Bot):
    """A player that is asked about what a server sends to its seat.

    >>> class Last:
    ...     sees = "words"
    ...
    ...     def __call__(self, text, mask, info):
    ...         return mask.nonzero()[0][-1]
    >>> end = PlayerBot(Last()).play("tcp://127.0.0.1:7644", bots=["greedy"] * 3)
    >>> end["totals"][0]["name"], end["totals"][0]["missed"]
    ('Last', 0)

    A server sends what the seat sees, and not the state of the game. So players of observations,
    fields, words and positions can sit there, and those of hints where the table has them; built-in
    bots and players of worlds or features cannot.

    Args:
        player: its name, see :func:`mhing.players.kinds`, or an object that plays.
        name: how others see it; None: its own name.
        game: the game of the table, for which the player is made at once; None: it is made at the
            table, which is when :meth:`play` raises what is said here.

    Raises:
        ValueError: no such player, or one that cannot sit at a server's table.
        TypeError: it is neither text nor an object that plays.
        ModuleNotFoundError: an extra is missing.
    """

    def __init__(self, player: Given, name: str | None = None, game: Game | None = None) -> None:
        super().__init__(called(player) if name is None else name)
        self._given = player
        self._player: Player | None = None
        self._games = 0
        if game is not None:
            self._make(game)

    def started(self, start: dict[str, Any]) -> None:
        """Make the player, unless it is one of this game."""
        self._games += 1
        if self._player is None or self._player.game is not self.game:
            self._make(self.game)

    def act(self, turn: Turn) -> int | str:
        """Ask the player; "", which is refused, where its answer is not legal.

        Raises:
            RuntimeError: it has raised an exception, the cause.
        """
        assert self._player is not None
        player, at = self._player, turn.view
        try:
            shown = player.view.of_row(turn.observation, lambda: at)
            answer = ask(player.policy, shown, turn.mask, turn.memory.seat, game=self._games)
        except Exception as error:
            raise RuntimeError(f"{self.name} has failed: {reason(error)}") from error
        try:
            return player.action(answer, turn.mask, lambda: at)
        except (ValueError, TypeError) as error:
            _log.warning("%s: %s", self.name, error)
            return ""

    def _make(self, game: Game) -> None:
        player = seat(self._given, game)
        if isinstance(player.plays, int):
            raise ValueError(
                f"player: {player.name} is a built-in bot, which needs the state of the game, and "
                "a server sends what the seat sees; name it in bots, which the server plays"
            )
        if player.view.needs_state:
            hints = "; a table with the option hints=on shows them" * (player.view.shows == "hints")
            raise ValueError(
                f"player: {player.name} sees {player.view.sees!r}, and a server sends the "
                f"observation, from which words and positions are made, and no more{hints}"
            )
        self._player = player
