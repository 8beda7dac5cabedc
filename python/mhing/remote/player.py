"""Players that are asked over a connection: questions, answers, and totals."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mhing.game import Game
from mhing.remote.memory import Memory, game_of

if TYPE_CHECKING:
    from mhing.remote.connection import Connection
    from mhing.render import View
    from mhing.words import Part


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
        memory: what else was sent to the seat; None: nothing.
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
    def view(self) -> View:
        """The seat's knowledge of the table, for words and pictures.

        >>> from mhing import remote
        >>> class Showing(remote.Bot):
        ...     def act(self, turn):
        ...         print(turn.view.words())
        ...         return turn.legal_actions[0]
        """
        return self.memory.view(self.observation, self.mask)

    def words(
        self,
        part: Part = "all",
        *,
        number: int | None = None,
        names: Sequence[str] | None = None,
    ) -> str:
        """Return what the seat sees and may do, in sentences; see :meth:`mhing.State.words`.

        The server says the same to clients in any language that ask for ``observations: "words"``.

        >>> from mhing import remote
        >>> class Reading(remote.Bot):
        ...     def act(self, turn):
        ...         print(turn.words())
        ...         return turn.legal_actions[0]
        """
        return self.view.words(part, number=number, names=names)

    @cached_property
    def event_words(self) -> list[str]:
        """The public events since the seat last acted, a sentence each."""
        return event_words(self.game, self.memory.seat, self.events)

    @cached_property
    def texts(self) -> dict[str, int]:
        """The ids of the legal actions by their texts."""
        return {self.game.action_text(action): action for action in self.legal_actions}


def event_words(game: Game, seat: int, events: list[list[int]]) -> list[str]:
    """Public events as a seat is sent them, a sentence each."""
    return [
        game.event_words((who - 1 + seat) % game.num_seats, *what, view=seat)
        for who, *what in events
    ]


class AskedPlayer:
    """A player whom a table, or a host, asks over a connection. Subclasses answer.

    A question that comes twice, over a new connection, has one answer.
    """

    game: Game
    """The game of the table, once :meth:`set_game` was called."""
    memory: Memory
    """Totals of the messages so far."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.turn: Turn | None = None
        """The last question."""
        self._answer: int | str | None = None  # to it
        self._game: tuple[str, str, str] | None = None  # its id, options and layout
        self._welcome = connection.hello  # another one: a new connection, messages were lost

    # ---- What subclasses do ------------------------------------------------------------------

    def asked(self, turn: Turn) -> None:
        """A question, new or sent again; :meth:`answer` may be called now or later."""
        raise NotImplementedError

    def started(self, start: dict[str, Any]) -> None:
        """A game begins."""

    def round(self, numbers: dict[str, Any]) -> None:
        """A round has ended."""

    def ended(self, end: dict[str, Any]) -> None:
        """A game has ended."""

    def away(self, content: dict[str, Any]) -> None:
        """A bot plays for the player from now on."""

    def refused(self, code: str, text: str) -> None:
        """The last answer was refused."""

    # ---- What they call ----------------------------------------------------------------------

    def set_game(self, game: str, options: str, layout: str) -> None:
        """Set the game; ConnectionError if the other side has another version of it."""
        if (game, options, layout) != self._game:
            self.game = game_of(game, options)
            self.connection.check_layout(game, layout, self.game.describe()["layout"])
            self._game = game, options, layout
            self.memory = Memory(self.game)

    def set_table(self, table: str) -> dict[str, Any]:
        """Set the game of a table, and return what the server lists of it.

        Raises:
            RuntimeError: there is no such table any more.
        """
        terms = {terms["table"]: terms for terms in self.connection.tables()}.get(table)
        if terms is None:
            raise RuntimeError(f"table: {table} has been closed")
        theirs = self.connection.describe(terms["game"], terms["options"])
        self.set_game(terms["game"], terms["options"], theirs["layout"])
        return terms

    def answer(self, action: int | str) -> None:
        """Answer the last question."""
        assert self.turn is not None
        self._answer = action
        self.connection.say("act", self.turn.number, action)

    def hear(self, kind: str, number: int, *content: Any) -> None:
        """Handle a message."""
        if kind in ("turn", "round") and self._welcome is not self.connection.hello:
            self._welcome = self.connection.hello
            self.memory.missed()
        if kind == "turn":
            self._hear_turn(number, *content)
        elif kind == "start":
            self.turn, self._welcome = None, self.connection.hello
            self.memory.start(content[0]["seat"], content[0].get("numbers"))
            self.started(content[0])
        elif kind == "round":
            self.memory.round(content[0])
            self.round(content[0])
        elif kind == "end":
            self.ended(content[0])
        elif kind == "away":
            self.away(content[0])
        elif kind == "error" and content[0] in ("hello", "session"):
            # The server was started anew, which a request mends; or the session is somebody else's
            # by now, which it reports.
            self.connection.request("ping")
        elif kind == "error":
            self.refused(content[0], content[1])

    def _hear_turn(self, number: int, left: int, *content: Any) -> None:
        if self.turn is None or self.turn.number != number:
            self.turn = Turn(self.game, number, left, *content, memory=self.memory)
            self._answer = None
        self.turn.left = left
        if self._answer is None:
            self.asked(self.turn)
        else:
            self.connection.say("act", number, self._answer)
