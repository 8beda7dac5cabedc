"""A separate thread that speaks with a server, for pages, which must not wait.

A :class:`Looker` hears what all may see of a table. A :class:`Sitter` also has a seat there. What
they hear lies in an inbox as :mod:`mhing.web.updates`; what they are to say is put in from outside.
A server that does not answer is asked until it does, so nothing is lost but time.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np

from mhing.game import Game
from mhing.remote import AskedPlayer, Connection, Spectator, Turn
from mhing.remote.connection import SessionLostError
from mhing.render.view import Event, View
from mhing.web import updates
from mhing.web.updates import Inbox, Update

_IDLE = 2.0  # seconds of silence after which the server is asked for a sign of life
_WAITING = 0.5  # the same before the first game, while others may sit down
_LAST = 1.0  # seconds in which what all may see should have come, once a series is over
_TAIL = 64  # events of which some are in the next observation, unless more were missed


class Looker(threading.Thread):
    """Looks on at a table.

    Args:
        connection: to the server; it is the thread's from now on, and closed at its end.
        table: the table's name.
        game: the table's game.
    """

    def __init__(self, connection: Connection, table: str, game: Game) -> None:
        super().__init__(name=f"table {table}", daemon=True)
        self.table, self.game = table, game
        self.inbox = Inbox()
        self._outbox: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._bell, self._rope = socket.socketpair()
        self._bell.setblocking(False)
        self._connection = connection
        self._spectator = Spectator(connection, table)
        self._is_over = False  # nothing more is to be heard
        self._dealt: int | None = None  # the number of the game in play
        self._in_trouble = False
        self._happened: list[Event] = []  # the last ones

    # ---- From other threads ------------------------------------------------------------------

    def stop(self) -> None:
        """End the thread soon; a seat is given up."""
        self._is_over = True
        self._ring()

    def _ask(self, word: Callable[[], None]) -> None:
        """Have something done in the thread."""
        self._outbox.put(word)
        self._ring()

    def _ring(self) -> None:
        with suppress(OSError):  # nobody listens any more
            self._rope.send(b"!")

    # ---- In the thread -----------------------------------------------------------------------

    def run(self) -> None:
        """Run until the series is over, or the table is lost."""
        why = "this program has failed; it has written how"
        try:
            while not self._is_over:
                self._try_on()
            why = ""
        except SessionLostError:
            why = "its server was started anew, or has waited too long for this page"
        except (OSError, RuntimeError, ValueError) as error:
            why = str(error)
        finally:
            self._spectator.close()
            self._connection.close()
            self._bell.close()
            self._rope.close()
            self._put(updates.Closed(why))

    def _put(self, one: Update) -> None:
        self.inbox.put(one)

    def _try_on(self) -> None:
        """Continue, or ask a server that does not answer once more."""
        try:
            if self._in_trouble:
                self._connection.request("ping")
                self._in_trouble = False
                self._put(updates.Trouble(""))
                self._look()
            self._advance()
        except TimeoutError:
            if not self._in_trouble:
                self._put(
                    updates.Trouble("The server does not answer. It is asked again and again.")
                )
            self._in_trouble = True

    def _advance(self) -> None:
        """Wait for something to hear or to say, and do what follows."""
        seconds = _IDLE if self._dealt is not None else _WAITING
        if self._spectator.has_more:
            seconds = 0
        message = self._connection.listen(seconds, self._spectator.socket, self._bell)
        is_silent = message is None
        with suppress(BlockingIOError):
            while self._bell.recv(_TAIL):
                is_silent = False
        for word in _all_of(self._outbox):
            word()
        if message is not None:
            self._hear(message)
        while not self._is_over and self._outbox.empty():
            if (shown := self._spectator.listen(0)) is None:
                break
            is_silent = False
            self._see(shown[0], shown[2])
        if is_silent:
            self._check()

    def _hear(self, message: list[Any]) -> None:
        """Handle what the server says to this session alone."""
        if message[0] == "error":  # it was started anew, which a request mends
            self._connection.request("ping")

    def _check(self) -> None:
        """Ask how the table stands, by which a lost connection is noticed as well."""
        listed = {one["table"]: one for one in self._connection.tables()}.get(self.table)
        if listed is None or (listed["state"] == "over" and self._dealt is None):
            raise RuntimeError(f"{self.table} has been closed")
        if listed["state"] == "waiting":
            self._put(updates.Listed(listed))

    def _look(self) -> None:
        """Show the table as it is now; a spectator is sent it."""

    def _see(self, kind: str, content: Any) -> None:
        """Handle what the server shows to all."""
        if kind == "state":
            self._see_state(content)
        elif kind == "events":
            self._happen([tuple(event) for event in content])
        elif kind == "round":
            self._lay(content)
        elif kind == "end":
            self._see_end(content)

    def _see_state(self, state: Mapping[str, Any]) -> None:
        if self._dealt != state["number"]:
            self._begin(state)
        else:
            self._tell_left(state)
        view = self._spectator.view
        self._happen(_fresh(self._happened, view.tail))
        self._put(updates.Seen(view))

    def _tell_left(self, table: Mapping[str, Any]) -> None:
        """Say who has left the table, as far as anybody has."""
        if left := table.get("left"):
            self._put(updates.PlayersLeft(tuple(table["players"][seat] for seat in left)))

    def _see_end(self, end: Mapping[str, Any]) -> None:
        self._end(end)
        self._is_over = self._is_over or end["over"]

    def _begin(self, start: Mapping[str, Any]) -> None:
        self._dealt = start["number"]
        self._put(updates.Began(start))
        self._tell_left(start)

    def _end(self, end: Mapping[str, Any]) -> None:
        self._dealt = None
        self._put(updates.Ended(end))

    def _happen(self, events: Sequence[Event]) -> None:
        if events:
            self._happened = [*self._happened, *events][-_TAIL:]
            self._put(updates.Happened(tuple(events)))

    def _lay(self, content: Mapping[str, Any]) -> None:
        """Show all cards at the end of a round, if the table says how they lie."""
        if "state" in content:
            laid = {name: one for name, one in content["state"].items() if name != "options"}
            with suppress(ValueError):
                self._put(updates.Laid(self.game.state_from_dict(laid)))


class Sitter(Looker):
    """Has a seat at a table.

    It looks on as well: when others have done something, it asks for its own view of that.

    Args:
        connection: with a seat at the table; it is the thread's from now on, and closed at its end.
        table: the table's name.

    Raises:
        RuntimeError: there is no such table any more.
        ConnectionError: the server has another version of the game.
    """

    def __init__(self, connection: Connection, table: str) -> None:
        self._person = _Person(connection, self._begin, self._put)
        self._person.set_table(table)
        super().__init__(connection, table, self._person.game)
        self._ended = -1  # the number of the last game whose end was seen

    def answer(self, number: int, action: int) -> None:
        """Answer the question with that number."""
        self._ask(lambda: self._person.reply(number, action))

    def come_back(self) -> None:
        """End the bot's play for this seat."""
        self._ask(self._person.come_back)

    # ---- In the thread -----------------------------------------------------------------------

    def _advance(self) -> None:
        super()._advance()
        if self._person.is_stale and not self._is_over:
            while (message := self._connection.listen(0)) is not None:
                self._hear(message)  # maybe that a bot plays, which a request would end
            if self._person.is_stale:
                self._person.look()
        if self._person.end is not None:
            self._end_game(self._person.end)

    def _hear(self, message: list[Any]) -> None:
        self._person.hear(*message)

    def _check(self) -> None:
        if not self._person.is_away:
            super()._check()

    def _look(self) -> None:
        self._person.look()

    def _see(self, kind: str, content: Any) -> None:
        """Take a public message; one before its game's start is in the next state as well."""
        if self._dealt is not None or kind == "end":
            super()._see(kind, content)

    def _see_state(self, state: Mapping[str, Any]) -> None:
        self._tell_left(state)
        self._happen(_fresh(self._happened, self._spectator.view.tail))
        if self._person.is_away:
            self._put(updates.Seen(self._spectator.view))

    def _see_end(self, end: Mapping[str, Any]) -> None:
        """The seat is sent the same, which may come before the last of what all see, or after."""
        self._ended = end["number"]

    def _happen(self, events: Sequence[Event]) -> None:
        super()._happen(events)
        if events:
            self._person.happened()

    def _end_game(self, end: Mapping[str, Any]) -> None:
        """End a game, after all that was seen of it."""
        limit = time.monotonic() + _LAST
        while self._ended < end["number"]:
            shown = self._spectator.listen(max(0, limit - time.monotonic()))
            if shown is None:
                break
            self._see(shown[0], shown[2])
        self._person.end = None
        self._end(end)
        self._is_over = self._is_over or end["over"]


class _Person(AskedPlayer):
    """A seat's knowledge, and its questions."""

    def __init__(
        self,
        connection: Connection,
        begin: Callable[[Mapping[str, Any]], None],
        put: Callable[[Update], None],
    ) -> None:
        super().__init__(connection)
        self._begin, self._put = begin, put
        self.end: dict[str, Any] | None = None  # of a game, until that was shown
        self.is_away = False  # a bot plays, which any request would end
        self._happened = False  # something, since the last look
        self._looked = connection.hello  # another one: a new connection
        self._until = 0.0  # the end of an open question, during which nobody else acts
        self._seat = 0
        self._numbers: dict[str, Any] | None = None

    @property
    def is_stale(self) -> bool:
        """Return whether there may be more to see than was shown, and it may be asked for."""
        waits = self.end is None and not self.is_away and time.monotonic() >= self._until
        return waits and (self._happened or self._has_missed)

    @property
    def _has_missed(self) -> bool:
        """Return whether messages may have been lost since the last look."""
        return self._looked is not self.connection.hello

    def happened(self) -> None:
        """Somebody has done something."""
        self._happened = True

    def look(self) -> None:
        """Asks for the own view of the table."""
        self._happened, self._looked = False, self.connection.hello
        table = self.connection.request("back")[0]
        if "observation" in table:
            self._seat, self._numbers = table["seat"], table["numbers"]
            self._show(table["observation"])

    def reply(self, number: int, action: int) -> None:
        """Answer a question, if it is the last one."""
        if self.turn is not None and self.turn.number == number:
            self.answer(action)
            self._happened, self._until = True, 0.0

    def come_back(self) -> None:
        """End the bot's play."""
        self.is_away, self._happened = False, True

    def started(self, start: dict[str, Any]) -> None:
        self._happened = True
        self._seat, self._numbers = start["seat"], None
        self._begin(start)

    def asked(self, turn: Turn) -> None:
        self._until = time.monotonic() + turn.left / 1000
        if self._numbers is None or self._has_missed:
            self.look()
        else:
            self._show(turn.observation)
        self._put(updates.Asked(turn.number, self._until, tuple(turn.legal_actions)))

    def round(self, numbers: dict[str, Any]) -> None:
        self._numbers = numbers

    def ended(self, end: dict[str, Any]) -> None:
        is_known = self.end == end
        self.end = end
        if end["over"] and not is_known:
            self.look()  # which the server follows with the same end once more

    def away(self, content: dict[str, Any]) -> None:
        self.is_away, self._until = True, 0.0
        self._put(updates.Away(content["bot"]))

    def refused(self, code: str, text: str) -> None:
        self._happened, self._until = True, 0.0
        self._put(updates.Refused(text))

    def _show(self, observation: Any) -> None:
        view = View(
            game=self.game,
            observation=np.frombuffer(observation, np.uint8),
            seat=self._seat,
            numbers=self._numbers,
            is_over=self.end is not None,
        )
        self._put(updates.Seen(view))


def _fresh(before: Sequence[Event], tail: Sequence[Event]) -> Sequence[Event]:
    """The events that are new in a tail, which forgets its oldest ones."""
    for gone in range(len(before)):
        known = before[gone:]
        if tail[: len(known)] == known:
            return tail[len(known) :]
    return tail


def _all_of(queue: SimpleQueue[Any]) -> list[Any]:
    """Return all that is in a queue now."""
    found = []
    with suppress(Empty):
        while True:
            found.append(queue.get_nowait())
    return found
