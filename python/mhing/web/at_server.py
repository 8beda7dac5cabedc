"""Tables of a running ``mhing-server``: watched, or played at against programs of any language.

A session here shows what the server has sent, and nothing else: it has no state of the game. Hints
are not offered at such a table. Bots judge states, which only the server has; and the others there
have not agreed to play against somebody with an adviser.

The seat belongs to the session, and not to its page, which may be loaded anew.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakSet

import numpy as np

from mhing import render
from mhing.render.scene import Drawing, Scene
from mhing.render.view import View
from mhing.sheet import Sheet
from mhing.web import updates
from mhing.web.session import Message, asked, frame_of, has_list, moves_of, rules_of, spoken
from mhing.web.trees import of_markdown
from mhing.web.updates import Update
from mhing.words import YOU, called

if TYPE_CHECKING:
    from mhing.remote import Connection
    from mhing.render.scene import Format
    from mhing.web.courier import Looker, Sitter

_ENDPOINT = re.compile(r"tcp://[^/\s]+:\d+|ipc://.+")
_SHOWN = 200  # lines of the log
_EAR = 0.05  # seconds from one look into the inbox to the next
_PACE = 0.25  # seconds from one view to the next for a spectator, if they came at once
_PATIENCE = 1.0  # seconds to wait for a reply before asking anew
_LATE = "Your time is up"
_REPLACED = f"{_LATE}: the server has played for you"
_TERMS: dict[str, type | tuple[type, ...]] = {
    "table": str, "name": str, "seat": int, "game": str, "options": str, "bots": list,
    "games": int, "seed": int, "reveal": bool, "clock": int, "pause": int,
}  # fmt: skip


class ServerTables:
    """A server's tables, for pages.

    Args:
        endpoint: the server's address, as ``mhing serve`` prints it; None: pages give one.
        server_key: of a server that asks for keys, as for :class:`mhing.remote.Connection`.
        secret_key: the own one for it.

    Raises:
        ValueError: the address has another form; keys are given and no address, or one key alone.
    """

    def __init__(
        self,
        endpoint: str | None = None,
        server_key: str | None = None,
        secret_key: str | None = None,
    ) -> None:
        if (server_key is None) != (secret_key is None):
            raise ValueError("--server-key, --key: give both, or neither")
        if server_key is not None and endpoint is None:
            raise ValueError("--server-key: also give the server's address, by --server")
        if endpoint is not None and not _ENDPOINT.fullmatch(endpoint):
            raise ValueError(f"--server: {endpoint!r} is not tcp://HOST:PORT or ipc://PATH")
        self.endpoint = endpoint
        self._keys = {"server_key": server_key, "secret_key": secret_key}
        self._sessions: WeakSet[AtServer] = WeakSet()

    def tables(self, settings: Message) -> Message:
        """List the tables.

        Args:
            settings: ``server``: the server's address; it may be left out where there is one.

        Returns:
            ``server``: the address, "" without one; ``tables``: as PROTOCOL.md has them.

        Raises:
            ValueError: it does not answer; the text is a line for the page.
        """
        if not settings.get("server") and self.endpoint is None:
            return {"server": "", "tables": []}
        with _in_a_line(), self._connect(settings) as connection:
            return {"server": connection.endpoint, "tables": connection.tables()}

    def watch(self, settings: Message) -> AtServer:
        """Look on at a table.

        Args:
            settings: ``server`` as above; ``table``: its name.

        Raises:
            ValueError: as above; or there is no such table.
        """
        table = asked(settings, "table", str)
        with _in_a_line():
            from mhing.remote import AskedPlayer  # noqa: PLC0415  needs an extra
            from mhing.web.courier import Looker  # noqa: PLC0415

            connection = self._connect(settings)
            with _closed_if_it_fails(connection):
                player = AskedPlayer(connection)
                player.set_table(table)
                return self._begin(AtServer(Looker(connection, table, player.game)))

    def sit(self, settings: Message) -> AtServer:
        """Take a seat.

        Args:
            settings: ``server`` as above; ``table``: its name, without which it is any table with
                these terms; ``name``: how others see the player; and the other terms of a table,
                as PROTOCOL.md has them.

        Raises:
            ValueError: as above; or there is no such seat, or the table has other terms.
        """
        terms = {
            name: asked(settings, name, kind)
            for name, kind in _TERMS.items()
            if settings.get(name) not in (None, "")
        }
        with _in_a_line():
            from mhing.web.courier import Sitter  # noqa: PLC0415  needs an extra

            connection = self._connect(settings)
            with _closed_if_it_fails(connection):
                seat = connection.request("sit" if "table" in terms else "play", terms)[0]
                return self._begin(AtServer(Sitter(connection, seat["table"]), seat["seat"]))

    def close(self) -> None:
        """Give up all seats."""
        for session in [*self._sessions]:
            session.close()
        for session in [*self._sessions]:
            session.wait(_PATIENCE)

    def _begin(self, session: AtServer) -> AtServer:
        self._sessions.add(session)
        return session

    def _connect(self, settings: Message) -> Connection:
        from mhing.remote import Connection  # noqa: PLC0415  needs an extra

        endpoint = asked(settings, "server", str) if settings.get("server") else self.endpoint
        if endpoint is None:
            raise ValueError("server: give its address, such as tcp://127.0.0.1:7644")
        keys = self._keys if endpoint == self.endpoint else {}
        name = asked(settings, "name", str) if settings.get("name") else "player"
        return Connection(endpoint, client=name, timeout=_PATIENCE, **keys)  # type: ignore[arg-type]


class AtServer:
    """A :class:`mhing.web.session.Session` at a table of a server.

    Args:
        courier: who hears the table, for a spectator or a player. It is started here.
        seat: the one taken; None: none.
    """

    saved_as = None

    def __init__(self, courier: Looker | Sitter, seat: int | None = None) -> None:
        self.game, self._courier = courier.game, courier
        self._voice = View(self.game, self.game.new_state(0).public_observation())
        self._seat = seat
        self._players: tuple[str, ...] = ()
        self._first: Sequence[str] = ()  # the players in the first game, as all that is by player
        self._left: list[str] = []  # the players who have left
        self._moved = 0  # seats by which they have moved on since
        self._totals = [0.0] * self.game.num_seats  # by player
        self._listed: Mapping[str, Any] = {}
        self._table_view: View | None = None
        self._laid: render.Table | None = None
        self._asked: updates.Asked | None = None
        self._asked_at = 0  # the number of the first view with it
        self._answered = 0  # the number of the last question that was answered
        self._open = 0  # of one that the viewer has not answered; 0: none
        self._log: list[str] = []
        self._known = 0  # lines of the log that the viewer has read
        self._result: list[str] = []
        self._rounds = 0  # that are over, as the last view says
        self._results: dict[int, Mapping[str, Any]] = {}  # of these, as far as they were heard of
        self._trouble = ""
        self._notice = ""  # about the own seat, until the next question
        self._is_away = self._is_over = self._is_closed = False
        self._paced = 0.0  # until then the last view stays, by `time.monotonic()`
        self.number = 0
        self._views: dict[str, Message] = {}
        courier.start()

    # ---- What is to be seen ----------------------------------------------------------------------

    def hello(self) -> Message:
        """See :class:`mhing.web.session.Session`."""
        self._views.clear()  # their clocks are out of date
        title = f"{self.game.title}, table {self._courier.table}"
        return {
            "kind": "hello", "session": "server", "title": title, "game": self.game.id,
            "seat": self._seat, "notation": render.notation(self._voice), "bot": None,
            "spoken": spoken(self.game),
        }  # fmt: skip

    def view(self, shape: Format) -> Message:
        """See :class:`mhing.web.session.Session`."""
        if shape not in self._views:
            self._views[shape] = self._view(shape)
        return self._views[shape]

    def _view(self, shape: Format) -> Message:
        asked = self._asked
        moves, used = moves_of(self._table_view or self._voice, asked.actions if asked else ())
        return {
            "kind": "view", "number": self.number, "frame": frame_of(self._scene(shape), used),
            "status": self._status(), "asked": asked is not None, "over": self._is_over,
            "moves": moves,
            "log": self._log[-_SHOWN:], "since": min(len(self._log) - self._known, _SHOWN),
            "planned": False,
            "players": [
                {
                    "name": name, "total": self._totals[self._player_at(seat)],
                    "you": seat == self._seat,
                }
                for seat, name in enumerate(self._players)
            ],
            "result": self._result,
            "sheet": Sheet.of(self.game, self._results).to_dict() if self._results else None,
            "taken_back": [],
            "clock": None if asked is None else max(0, round(asked.until - time.monotonic())),
            "can": self._can(), "speed": 0, "eyes": self._seat,
        }  # fmt: skip

    def _scene(self, shape: Format) -> Scene:
        table: render.Table = self._table_view or self._voice
        if self._laid is not None and self._is_over:
            table = self._laid
        elif self._table_view is not None:
            table = replace(self._table_view, **self._question())
        picture = render.scene(
            table, shape=shape, names=self._players or None, log=not has_list(shape)
        )
        if self._table_view is None:
            return Drawing(picture.w, picture.h, "felt", self._status()).scene()
        return picture

    def _question(self) -> dict[str, Any]:
        """Return a view's fields about the open question."""
        if self._asked is None:
            return {"asked": None, "mask": None}
        mask = np.zeros(self.game.num_actions, np.int8)
        mask[[*self._asked.actions]] = 1
        return {"asked": self._seat, "mask": mask}

    def _status(self) -> str:
        free = self._listed.get("free", 0)
        lines = [
            (bool(self._trouble), self._trouble),
            (self._is_over, "The game is over"),
            (self._is_away, self._notice),
            (self._asked is not None, "Your move"),
            (bool(self._notice), self._notice),
            (free > 0, f"Waiting for {free} more player{'s' if free > 1 else ''}"),
            (self._table_view is None, "Nothing has been shown yet"),
            (self._seat is not None, "The others play"),
        ]
        return next((text for is_so, text in lines if is_so), "They play")

    def _can(self) -> list[str]:
        has_seat = self._seat is not None and not self._is_over
        return [name for name, is_able in (("back", self._is_away), ("stand", has_seat)) if is_able]

    # ---- What is asked for -----------------------------------------------------------------------

    def do(self, request: Message) -> list[Message]:
        """See :class:`mhing.web.session.Session`."""
        name = asked(request, "do", str)
        if name == "rules":
            return [{"kind": "rules", "content": of_markdown(rules_of(self.game))}]
        if name == "play" and self._asked is not None:
            self._play(request)
        elif name == "back" and self._is_away:
            self._sitter.come_back()
        elif name == "stand" and name in self._can():
            self._courier.stop()
        else:
            raise ValueError(f"{name}: that cannot be done now")
        return []

    def _play(self, request: Message) -> None:
        assert self._asked is not None
        action = asked(request, "action", int)
        if asked(request, "number", int) < self._asked_at:
            raise ValueError("the table has changed; choose again")
        if action not in self._asked.actions:
            raise ValueError(f"action: {action} is not legal now")
        self._answered, self._open = self._asked.number, 0
        self._sitter.answer(self._answered, action)
        self._asked, self._known = None, len(self._log)
        self._changed()

    # ---- Time ------------------------------------------------------------------------------------

    def due(self) -> float | None:
        """See :class:`mhing.web.session.Session`."""
        return None if self._is_closed else _EAR

    def tick(self) -> None:
        """See :class:`mhing.web.session.Session`."""
        for one in self._heard():
            self._hear(one)
        if self._asked is not None and time.monotonic() >= self._asked.until:
            self._asked, self._notice = None, _LATE
            self._changed()
        forgotten = len(self._log) - _SHOWN
        if forgotten > 0:
            del self._log[:forgotten]
            self._known = max(0, self._known - forgotten)

    def _heard(self) -> list[Update]:
        """Return what is to be shown now. A player needs all at once, since a clock runs."""
        inbox = self._courier.inbox
        if self._seat is not None:
            return inbox.take()
        if time.monotonic() < self._paced:
            return []
        found = inbox.take_view()
        if found:
            self._known = len(self._log)
        if any(isinstance(one, updates.Seen) for one in found):
            self._paced = time.monotonic() + _PACE
        return found

    def close(self) -> None:
        """See :class:`mhing.web.session.Session`."""
        self._courier.stop()

    def wait(self, seconds: float) -> None:
        """Wait until a session that was closed has given up its seat."""
        self._courier.join(seconds)

    # ---- What is heard ---------------------------------------------------------------------------

    @property
    def _sitter(self) -> Sitter:
        """The courier of a player."""
        return cast("Sitter", self._courier)

    def _changed(self) -> None:
        self.number += 1
        self._views.clear()

    def _hear(self, one: Update) -> None:
        if isinstance(one, updates.Laid):
            self._laid = one.table  # shown at the end of the game, which is heard next
        elif isinstance(one, updates.Closed) and self._is_over:
            self._is_closed = True
        elif not self._is_known(one):
            self._changed()
            self._take(one)

    def _take(self, one: Update) -> None:
        match one:
            case updates.Listed(table):
                self._listed = table
                self._players = called([name or "nobody" for name in table["players"]])
            case updates.Began(start):
                self._begin(start)
            case updates.Seen(view):
                self._advance(self._is_late)
                self._see(view)
            case updates.Happened(events):
                self._advance(self._is_late)
                self._log += [self._line(*event) for event in events]
            case updates.Asked():
                self._ask(one)
            case updates.Ended(end):
                self._advance()
                self._end(end)
            case updates.PlayersLeft(names):
                new = [name for name in names if name not in self._left]
                self._left += new
                self._log += [f"{_quoted(name)} has left: a bot plays there" for name in new]
            case updates.Away(bot):
                self._advance()
                self._asked, self._is_away = None, True
                self._notice = f"You have not answered for long: {bot} plays for you"
            case updates.Refused(text):
                self._asked, self._open = None, 0
                self._notice = f"The server has played for you: {text}"
                self._log.append(self._notice)
            case updates.Trouble(text):
                self._trouble = text
            case updates.Closed(text):
                self._close(text)

    def _begin(self, start: Mapping[str, Any]) -> None:
        self._first = self._first or start["players"]
        number, games, seats = start["number"], start["games"], self.game.num_seats
        self._moved = number % seats if start["players"] != self._first else 0  # duplicate deals
        self._seat = start.get("seat")
        self._players = self._named(start["players"])
        self._asked, self._laid, self._listed, self._rounds = None, None, {}, 0
        self._results = {}
        if self._seat is not None or number > 0:  # a spectator may have come in the middle
            of_all = f" {number + 1} of {games}" if games > 1 else ""
            known = "; its seed was given, so somebody may know all cards"
            self._log.append(f"The game{of_all} begins{known if start['seeded'] else ''}")

    @property
    def _is_late(self) -> bool:
        """Return whether the time for the open question has run out."""
        return self._asked is None or time.monotonic() >= self._asked.until

    def _advance(self, is_over: bool = True) -> None:
        """The table has gone on. The open question, if it `is_over`, was not answered in time.

        A public event may arrive after the question that followed from it, so it ends no question.
        """
        if self._open and is_over:
            self._asked, self._open, self._notice = None, 0, _REPLACED
            self._log.append(_REPLACED)

    def _ask(self, question: updates.Asked) -> None:
        self._advance(question.number != self._open)
        self._open = question.number
        if self._asked is None or self._asked.number != question.number:
            self._asked_at = self.number
        self._asked, self._is_away, self._notice = question, False, ""

    def _named(self, players: Sequence[str]) -> tuple[str, ...]:
        """Names by seat; nobody but the viewer is "you"."""
        others = [_quoted(name) for name in players]
        if self._seat is not None:
            others[self._seat] = YOU
        return called(others)

    def _is_known(self, one: Update) -> bool:
        """Return whether it changes nothing."""
        match one:
            case updates.Seen(view):
                return self._table_view is not None and _same(self._table_view, view)
            case updates.Listed(table):
                return table == self._listed
            case updates.PlayersLeft(names):
                return {*names} <= {*self._left}
            case updates.Asked(number, until) if self._asked and self._asked.number == number:
                return abs(until - self._asked.until) < 1  # the clock shows whole seconds
            case updates.Asked(number):
                return number == self._answered  # an answer that is on its way
        return False

    def _see(self, view: View) -> None:
        self._table_view = view
        over = 0 if view.numbers is None else int(view.numbers["rounds_over"])
        if over > self._rounds and view.numbers is not None:
            if self.game.has_rounds:
                self._results[over] = view.numbers
            text = view.words("result", names=self._players)
            self._result = [f"Round {over}", *text.splitlines()]
            self._log.append(f"Round {over}: {text.partition(chr(10))[0]}")
        self._rounds = over

    def _line(self, seat: int, kind: int, detail: int, extra: int) -> str:
        names = self._players or None
        return self.game.event_words(seat - 1, kind, detail, extra, names=names)

    def _end(self, end: Mapping[str, Any]) -> None:
        self._asked, self._is_over = None, end["over"]
        for seat, earned in enumerate(end["returns"]):
            self._totals[self._player_at(seat)] += earned
        if "totals" in end:  # with those of games that were not heard of
            self._totals = [total["returns"] for total in end["totals"]]
        earned = ", ".join(
            f"{name} {number:g}" for name, number in zip(self._players, end["returns"], strict=True)
        )
        self._log.append(f"The game is over: {earned}")

    def _player_at(self, seat: int) -> int:
        return (seat - self._moved) % self.game.num_seats

    def _close(self, text: str) -> None:
        self._is_closed, self._is_away, self._asked = True, False, None
        self._is_over = True
        self._trouble = f"The table is lost: {text}" if text else "You have left the table"


def _quoted(name: str) -> str:
    """A name that is not taken for the viewer."""
    return f"'{name}'" if name == YOU else name


def _same(one: View, other: View) -> bool:
    """Return whether two views show the same; most observations show that a game is over."""
    return (
        (one.seat, one.numbers) == (other.seat, other.numbers)
        and one.observation.tobytes() == other.observation.tobytes()
        and (one.is_over == other.is_over or render.scene(one) == render.scene(other))
    )


@contextmanager
def _in_a_line() -> Iterator[None]:
    """Around what may fail for a reason that the page should hear: it becomes a ValueError."""
    try:
        yield
    except (OSError, RuntimeError, ModuleNotFoundError) as error:
        raise ValueError(str(error)) from error


@contextmanager
def _closed_if_it_fails(connection: Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        connection.close()
        raise
