"""The public side of a table: its messages in order, and pictures."""

from __future__ import annotations

import time
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import zmq

from mhing.game import Game
from mhing.remote.connection import Connection, wait_for
from mhing.remote.memory import game_of
from mhing.remote.messages import unpack

if TYPE_CHECKING:
    from mhing.render import View


_MOST = 200  # messages that may wait for a slow reader


class Spectator:
    """Watches a table. Nobody there notices.

    The server sends what happens, and after it all that is public. Of a table that is faster than
    its spectators it sends the newest state ten times a second. A spectator that reads more slowly
    than that also gets the newest state next, and misses those before.

    >>> import mhing
    >>> from mhing import remote
    >>> def watch(connection, table):
    ...     with remote.Spectator(connection, table) as spectator:
    ...         while (message := spectator.listen(60)) and message[0] != "end":
    ...             if message[0] == "state":
    ...                 print(spectator.view.words())

    Args:
        connection: to the server; it may be closed afterwards.
        table: the table's name.
    """

    def __init__(self, connection: Connection, table: str) -> None:
        self._topic = f"{table}:"
        self.socket: zmq.Socket[bytes] = connection.spectate(table)
        """A socket for :meth:`Connection.listen` to wait for beside its messages."""
        self._number: int | None = None  # of the last message; None: a state is awaited
        self._waiting: deque[list[Any]] = deque()
        self._game: Game | None = None
        self.state: dict[str, Any] = {}
        """The last message ``"state"``; empty before the first."""

    def __enter__(self) -> Spectator:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the subscription."""
        self.socket.close(linger=0)

    @property
    def game(self) -> Game:
        """The game of the table, after the first ``"state"``."""
        assert self._game is not None
        return self._game

    @property
    def view(self) -> View:
        """The public view when the last ``"state"`` was sent, for pictures."""
        from mhing.render import View  # noqa: PLC0415  fonts and pictures, only when asked for

        return View(
            game=self.game,
            observation=np.frombuffer(self.state["observation"], np.uint8),
            numbers=self.state["numbers"],
        )

    def listen(self, seconds: float, *others: Any) -> list[Any] | None:
        """The next message ``[name, number, content]``, as PROTOCOL.md lists them.

        The first one is a ``"state"``, as is the first one after messages were lost or passed over.
        None after `seconds` without one. `others` are sockets, or file descriptors, that end the
        waiting as well.
        """
        limit = time.monotonic() + seconds
        while True:
            if not self._waiting:
                wait_for(max(0.0, limit - time.monotonic()), self.socket, *others)
            self._fetch()
            if not self._waiting:
                return None
            message = self._waiting.popleft()
            if self._follows(message):
                return message

    @property
    def has_more(self) -> bool:
        """Return whether messages wait that :attr:`socket` has handed out already."""
        return bool(self._waiting)

    def _fetch(self) -> None:
        """Take what has come; of too much the newest state, and what follows it."""
        with suppress(zmq.Again):
            for _ in range(_MOST):
                self._waiting.append(unpack(self.socket.recv_multipart(zmq.NOBLOCK)[1]))
        if len(self._waiting) > _MOST:
            kinds = [message[0] for message in self._waiting]
            newest = len(kinds) - 1 - kinds[::-1].index("state") if "state" in kinds else 0
            for _ in range(newest):
                self._waiting.popleft()

    def _ask(self) -> None:
        """Ask for a state: by another subscription, which this side then takes back."""
        self.socket.subscribe(self._topic)
        self.socket.unsubscribe(self._topic)

    def _follows(self, message: list[Any]) -> bool:
        """Take note of a message; whether it is the next one, or a fresh start."""
        kind, number, content = message
        is_next = self._number is not None and number == self._number + 1
        if kind == "state":
            self._see(content)
        elif not is_next:
            if self._number is not None:
                self._number = None
                self._ask()
            return False
        self._number = number
        return True

    def _see(self, state: dict[str, Any]) -> None:
        if (state["game"], state["options"]) != (self.state.get("game"), self.state.get("options")):
            self._game = game_of(state["game"], state["options"])
        self.state = state
