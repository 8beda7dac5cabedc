"""Seats at tables: a base class for bots that play there."""

from __future__ import annotations

import logging
import re
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from mhing._lib import whole
from mhing.bots import GUEST_NAME
from mhing.game import Game
from mhing.remote.connection import Connection
from mhing.remote.memory import Memory

if TYPE_CHECKING:
    from mhing.render import Sight

_log = logging.getLogger(__name__)

_TERMS = ("name", "seat", "bots", "games", "duplicate", "seed", "clock", "substitute")
_LONGEST = 1 << 63  # of the numbers that a message holds


class Turn:
    """A question to the seat to act: what it may know and what it may do.

    Attributes:
        game: the :class:`mhing.Game` of the table.
        number: the server's number of the question.
        left: milliseconds for the answer.
        observation: uint8 (observation_size,): all that the seat may know; `fields` names its
            parts.
        mask: int8 (num_actions,): 1 for each legal action; see `legal_actions` and `texts`.
        events: public events since the seat last acted: [seat + 1, kind, detail, extra], as in the
            observation; seats are counted from the bot's own.
        memory: what else the seat has been told; None: nothing.
    """

    def __init__(
        self,
        game: Game,
        number: int,
        left: int,
        observation: bytes,
        mask: bytes,
        events: list[list[int]],
        *_: object,
        memory: Memory | None = None,
    ) -> None:
        self.game = game
        self.number = number
        self.left = left
        self.observation: NDArray[np.uint8] = np.frombuffer(observation, np.uint8)
        self.mask: NDArray[np.int8] = np.frombuffer(mask, np.int8)
        self.events = events
        self.memory = Memory(game) if memory is None else memory

    @cached_property
    def legal_actions(self) -> list[int]:
        """The ids of the legal actions, ascending."""
        ids: list[int] = self.mask.nonzero()[0].tolist()
        return ids

    @cached_property
    def fields(self) -> dict[str, NDArray[np.uint8]]:
        """The named fields of the observation, see :meth:`mhing.Game.unpack`."""
        return self.game.unpack(self.observation)

    @property
    def sight(self) -> Sight:
        """What the seat knows of the table, for pictures.

        >>> from mhing import render
        >>> class Showing(Bot):
        ...     def act(self, turn):
        ...         print(render.text(turn.sight, color=True))
        ...         return turn.legal_actions[0]
        """
        return self.memory.sight(self.observation)

    @cached_property
    def texts(self) -> dict[str, int]:
        """The ids of the legal actions by their texts."""
        return {self.game.action_text(action): action for action in self.legal_actions}


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
        """Answers a :class:`Turn` with one of its `legal_actions`, or the text of one."""
        raise NotImplementedError

    def started(self, start: dict[str, Any]) -> None:
        """A game begins: `start` has `table`, `game`, `number`, `games`, `seat`, `players`,
        `clock`."""

    def round(self, numbers: dict[str, Any]) -> None:
        """A round has ended, with these public numbers by name."""

    def ended(self, end: dict[str, Any]) -> None:
        """A game has ended; `end` has `number`, `games`, `returns`."""

    def refused(self, code: str, text: str) -> None:
        """An answer was refused: `code` is late, illegal or turn, and `text` explains."""
        _log.warning("%s: %s", self.name, text)

    def play(
        self,
        endpoint: str | Connection,
        *,
        table: str | None = None,
        game: str | None = None,
        options: str | None = None,
        **terms: Any,
    ) -> dict[str, Any]:
        """Takes a seat and plays until the series is over.

        Args:
            endpoint: a server's address, or a connection to it, which remains open.
            table: the name of a table, opened if there is none; None: any table with the same terms
                that waits for players.
            game: the game's id; None: ``"mhing"``.
            options: of the game, such as ``"num_players=3 episode=game"``.
            terms: further terms of the table: `seat`, `bots`, `games`, `duplicate`, `seed`,
                `clock`, `substitute`; csrc/server/PROTOCOL.md explains them.

        Returns:
            The end of the series: `totals`, for every player `name`, `games`, `wins`, the sums of
            the game (its public numbers with the role ``"total"``), `returns`, `missed` and
            `substituted`, `substituted_rounds`, `substituted_games`; `seeds`
            of the games, and the other entries of the last `end`.

        Raises:
            TypeError: there is no such term, or the bot's answer is not an action.
            ValueError: a term has an invalid value.
            RuntimeError: there is no such seat, or the table has other terms.
            TimeoutError: no server answers, or it has gone.
            ConnectionError: the server has lost the session.
        """
        if not isinstance(endpoint, Connection):
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
        return _Seat(self, endpoint, seat["table"]).play()

    def wait(
        self, endpoint: str | Connection, name: str | None = None, *, game: str | None = None
    ) -> NoReturn:
        """Plays for hosts, such as :func:`mhing.arena.tournament.play`, until it is interrupted.

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
        if not isinstance(endpoint, Connection):
            with Connection(endpoint, client=self.name) as connection:
                self.wait(connection, name, game=game)
        name = self.name if name is None else name
        if not re.fullmatch(GUEST_NAME, name):
            raise ValueError(
                f"name: {name!r}: hosts invite by 1 to 32 letters, digits, '_' and '-'"
            )
        _Guest(self, endpoint, {"name": name, "game": game}).play()


def _answer(action: object) -> int | str:
    """The bot's choice; NumPy's integers become Python's."""
    if isinstance(action, str):
        return action
    number = whole(action, "act")
    if not -_LONGEST <= number < _LONGEST:
        raise ValueError(f"act: {number} is not the id of an action")
    return number


class _Player:
    """A bot that is asked, over a connection."""

    def __init__(self, bot: Bot, connection: Connection) -> None:
        self.bot, self.connection = bot, connection
        self._answered: tuple[int, int | str] | None = None  # the last turn, and how
        self._game: tuple[str, str, str] | None = None  # the bot's, and its options and layout
        self._welcome = connection.hello  # another one: a new connection, messages were lost

    def set_game(self, game: str, options: str, layout: str) -> None:
        """Sets the bot's game; ConnectionError if the other side has another version of it."""
        if (game, options, layout) != self._game:
            self.bot.game = Game(game, **dict(setting.split("=") for setting in options.split()))
            self.connection.check_layout(game, layout, self.bot.game.describe()["layout"])
            self._game = game, options, layout
            self._memory = Memory(self.bot.game)

    def hear(self, kind: str, number: int, *content: Any) -> None:
        """Handles a message."""
        bot, connection = self.bot, self.connection
        if kind in ("turn", "round") and self._welcome is not connection.hello:
            self._welcome = connection.hello
            self._memory.missed()
        if kind == "turn":
            # A question that comes twice, over a new connection, has one answer.
            if self._answered is None or self._answered[0] != number:
                turn = Turn(bot.game, number, *content, memory=self._memory)
                self._memory.turn(turn.events)
                self._answered = number, _answer(bot.act(turn))
            connection.say("act", *self._answered)
        elif kind == "start":
            self._answered, self._welcome = None, connection.hello
            self._memory.start(content[0]["seat"])
            bot.started(content[0])
        elif kind == "round":
            self._memory.round(content[0])
            bot.round(content[0])
        elif kind == "end":
            bot.ended(content[0])
        elif kind == "away":
            self._memory.away()
            connection.request("back")
        elif kind == "error" and content[0] in ("hello", "session"):
            # The server was started anew, which a request mends; or the session is somebody else's
            # by now, which it reports.
            connection.request("ping")
        elif kind == "error":
            bot.refused(content[0], content[1])


class _Seat:
    """A bot's seat at a table, until the series is over."""

    def __init__(self, bot: Bot, connection: Connection, table: str) -> None:
        self._player = _Player(bot, connection)
        terms = {terms["table"]: terms for terms in connection.tables()}.get(table)
        if terms is None:
            raise RuntimeError(f"table: {table} has been closed")
        theirs = connection.describe(terms["game"], terms["options"])
        self._player.set_game(terms["game"], terms["options"], theirs["layout"])

    def play(self) -> dict[str, Any]:
        """Answers until the series is over; returns its end."""
        connection = self._player.connection
        while True:
            message = connection.listen(connection.timeout)
            if message is None:
                connection.request("ping")  # a lost connection is noticed, and made anew
                continue
            self._player.hear(*message)
            if message[0] == "end" and message[2]["over"]:
                return dict(message[2])


class _Guest:
    """A bot that plays for hosts."""

    def __init__(self, bot: Bot, connection: Connection, wish: dict[str, Any]) -> None:
        self._player = _Player(bot, connection)
        self._wish = wish

    def play(self) -> NoReturn:
        """Answers for ever. It asks again to be a guest, as a server that was started anew has
        forgotten it; to ask is no change otherwise."""
        connection = self._player.connection
        connection.request("wait", self._wish)
        _log.info("%s waits as %s", self._player.bot.name, self._wish["name"])
        while True:
            message = connection.listen(connection.timeout)
            if message is None:
                connection.request("wait", self._wish)
                continue
            if message[0] == "start":
                start = message[2]
                self._player.set_game(start["game"], start["options"], start["layout"])
            self._player.hear(*message)
