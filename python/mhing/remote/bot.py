"""Seats at tables: a base class for bots that play there."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any, NoReturn

from mhing._lib.arguments import whole
from mhing.game import Game
from mhing.players.player import GUEST_NAME
from mhing.remote.player import AskedPlayer, Turn

if TYPE_CHECKING:
    from mhing.remote.connection import Connection

_log = logging.getLogger(__name__)

_TERMS = (
    "name", "seat", "bots", "games", "duplicate", "seed", "reveal", "clock", "pause", "substitute",
)  # fmt: skip
_LONGEST = 1 << 63  # of the numbers that a message holds


class Bot:
    """A player at tables. Subclasses choose; this class keeps the seat.

    >>> class First(Bot):
    ...     def act(self, turn):
    ...         return turn.legal_actions[0]
    >>> end = First("first").play("tcp://127.0.0.1:7644", bots=["greedy"] * 3, games=10)
    >>> end["totals"][0]["name"], end["totals"][0]["games"]
    ('first', 10)

    After a lost connection the bot reconnects and keeps its seat. The server replaces a late or
    illegal answer; :meth:`refused` is called then, and logs it.
    """

    game: Game
    """The game of the table, as soon as the bot has a seat."""

    def __init__(self, name: str = "mhing") -> None:
        self.name = name

    def act(self, turn: Turn) -> int | str:
        """Answer a :class:`Turn` with one of its `legal_actions`, or the text of one."""
        raise NotImplementedError

    def started(self, start: dict[str, Any]) -> None:
        """A game begins: `start` has `table`, `game`, `number`, `games`, `seat`, `players`,
        `clock`, `pause`."""

    def round(self, numbers: dict[str, Any]) -> None:
        """A round has ended, with these public numbers by name."""

    def ended(self, end: dict[str, Any]) -> None:
        """A game has ended; `end` has `number`, `games`, `returns`."""

    def refused(self, code: str, text: str) -> None:
        """An answer was refused: `code` is late, illegal or turn, and `text` explains."""
        _log.warning("%s: %s", self.name, text)

    def idle(self) -> None:
        """No message has come for as long as the connection's `timeout`: a bot that can play no
        longer raises RuntimeError here, so that its seat is free."""

    def play(
        self,
        endpoint: str | Connection,
        *,
        table: str | None = None,
        game: str | None = None,
        options: str | None = None,
        **terms: Any,
    ) -> dict[str, Any]:
        """Take a seat and play until the series is over.

        Args:
            endpoint: a server's address, or a connection to it, which remains open.
            table: the name of a table, opened if there is none; None: any table with the same terms
                that waits for players.
            game: the game's id; None: ``"mhing"``.
            options: of the game, such as ``"num_players=3 episode=game"``.
            terms: further terms of the table: `seat`, `bots`, `games`, `duplicate`, `seed`,
                `reveal`, `clock`, `pause`, `substitute`; csrc/server/PROTOCOL.md explains them.

        Returns:
            The end of the series: `totals`, for every player `name`, `games`, `wins`, the sums of
            the game (its public numbers with the role ``"total"``) and `returns`, for this player
            also `missed`, `substituted`, `substituted_rounds`, `substituted_games`; `seeds` of the
            games, and the other entries of the last `end`, see :func:`mhing.remote.check_seeds`.

        Raises:
            TypeError: there is no such term, or the bot's answer is not an action.
            ValueError: a term has an invalid value.
            RuntimeError: there is no such seat, or the table has other terms.
            TimeoutError: no server answers, or it has gone.
            ConnectionError: the server has lost the session.
        """
        if isinstance(endpoint, str):
            from mhing.remote.connection import Connection  # noqa: PLC0415  needs an extra

            with Connection(endpoint, client=self.name) as connection:
                return self.play(connection, table=table, game=game, options=options, **terms)
        unknown = [term for term in terms if term not in _TERMS]
        if unknown:
            raise TypeError(f"{unknown[0]}: no term of a table; there are {', '.join(_TERMS)}")
        wanted = {"name": self.name, "game": game, "options": options, "table": table, **terms}
        given = {name: value for name, value in wanted.items() if value is not None}
        seat = endpoint.request("play" if table is None else "sit", given)[0]
        if seat["waiting"]:
            _log.info("%s: table %s waits for %d more", self.name, seat["table"], seat["waiting"])
        player = _Seat(self, endpoint)
        player.set_table(seat["table"])
        return _play(player)

    def wait(
        self, endpoint: str | Connection, name: str | None = None, *, game: str | None = None
    ) -> NoReturn:
        """Play for hosts, such as :func:`mhing.arena.tournament.play`, until it is interrupted.

        It takes part in one game at a time; start several bots for several. The `end` of a game is
        never that of a series.

        Args:
            endpoint: a server's address, or a connection to it, which remains open.
            name: by which hosts invite it; None: the bot's own.
            game: the id of the only game that it plays; None: it plays all.

        Raises:
            TypeError: the bot's answer is not an action.
            ValueError: the name or the game is none.
            TimeoutError: no server answers, or it has gone.
            ConnectionError: the server has lost the session, or the host has another version of the
                game.
        """
        if isinstance(endpoint, str):
            from mhing.remote.connection import Connection  # noqa: PLC0415  needs an extra

            with Connection(endpoint, client=self.name) as connection:
                self.wait(connection, name, game=game)
        name = self.name if name is None else name
        if not re.fullmatch(GUEST_NAME, name):
            raise ValueError(
                f"name: {name!r}: hosts invite by 1 to 32 letters, digits, '_' and '-'"
            )
        _wait(_Seat(self, endpoint), {"name": name, "game": game})


def _answer(action: object) -> int | str:
    """The bot's choice; NumPy's integers become Python's."""
    if isinstance(action, str):
        return action
    number = whole(action, "act")
    if not -_LONGEST <= number < _LONGEST:
        raise ValueError(f"act: {number} is not the id of an action")
    return number


class _Seat(AskedPlayer):
    """A bot that is asked over a connection."""

    def __init__(self, bot: Bot, connection: Connection) -> None:
        super().__init__(connection)
        self.bot = bot

    def set_game(self, game: str, options: str, layout: str) -> None:
        super().set_game(game, options, layout)
        self.bot.game = self.game

    def asked(self, turn: Turn) -> None:
        self.answer(_answer(self.bot.act(turn)))

    def started(self, start: dict[str, Any]) -> None:
        self.bot.started(start)

    def round(self, numbers: dict[str, Any]) -> None:
        self.bot.round(numbers)

    def ended(self, end: dict[str, Any]) -> None:
        self.bot.ended(end)

    def away(self, content: dict[str, Any]) -> None:
        self.connection.request("back")

    def refused(self, code: str, text: str) -> None:
        self.bot.refused(code, text)


def _play(seat: _Seat) -> dict[str, Any]:
    """Answer at a table until the series is over; return its end."""
    connection = seat.connection
    while True:
        message = connection.listen(connection.timeout)
        if message is None:
            seat.bot.idle()
            connection.request("ping")  # a lost connection is noticed, and made anew
            continue
        seat.hear(*message)
        if message[0] == "end" and message[2]["over"]:
            return dict(message[2])


def _wait(seat: _Seat, wish: dict[str, Any]) -> NoReturn:
    """Answer hosts forever. It asks again to be a guest, as a server that was started anew has
    forgotten it; to ask is no change otherwise."""
    connection = seat.connection
    connection.request("wait", wish)
    _log.info("%s waits as %s", seat.bot.name, wish["name"])
    while True:
        message = connection.listen(connection.timeout)
        if message is None:
            seat.bot.idle()
            connection.request("wait", wish)
            continue
        if message[0] == "start":
            start = message[2]
            seat.set_game(start["game"], start["options"], start["layout"])
        seat.hear(*message)
