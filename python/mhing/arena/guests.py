"""Guests: bots in any language, connected to a server, that play at the tables of a tournament.

The arena deals and keeps the clock as it does for all players; the server only passes messages on,
see Guests in csrc/server/PROTOCOL.md. So a game among guests is that of the same players here, the
built-in bots beside them play in the core, and no seed leaves this process: a server's own table
would name it at the end of the first of a deal's games, to players that have the others before
them.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from mhing.arena.schedule import Seating
from mhing.game import Game
from mhing.players import Guest, Player
from mhing.remote.player import Turn, event_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mhing.remote import Connection

_log = logging.getLogger(__name__)

_WINDOW = 32  # messages to a server that are on their way at once
_PAUSE = 0.2  # seconds between two looks for a guest, or at several servers
_PATIENCE = 1.0  # seconds after which it is said that nobody waits


_LEFT = "it has left the table"
_SILENT = "it has fallen silent, and nobody has come in its place"


class Absent(Exception):
    """A guest did not come, or its server has gone: the tournament cannot continue for now."""


class Seated:
    """A guest at a table."""

    def __init__(
        self, line: _Connection, guest: Guest, game: Game, invited: Mapping[str, Any]
    ) -> None:
        self._line, self._guest, self._game = line, guest, game
        self.number: int = invited["guest"]
        self._form: str = invited["observations"]
        self._by_text = invited["actions"] == "texts"
        self._limit = 0.0
        self.turn = 0
        """The server's number of the last question."""
        self.answer: int | str | None = None
        self.gone = ""
        """The reason why no answer will come; "" while one may."""

    def started(self, start: dict[str, Any]) -> None:
        """Say that a game begins."""
        layout = self._game.describe()["layout"]
        self._line.send(self, "start", {**start, "games": 1, "layout": layout})

    def round(self, numbers: dict[str, Any]) -> None:
        """Say how a round has ended."""
        self._line.send(self, "round", numbers)

    def ended(self, end: dict[str, Any]) -> None:
        """Say how the game has ended."""
        if self._reads_words:
            end = {**end, "events": event_words(self._game, end["seat"], end["events"])}
        self._line.send(self, "end", {**end, "games": 1})

    def ask(self, turn: Turn) -> None:
        """Send a question, whose answer :meth:`act` awaits."""
        self.answer = None
        self._limit = time.monotonic() + turn.left / 1000
        self._line.send(
            self, "turn", turn.left, self._observation(turn),
            list(turn.texts) if self._by_text else turn.mask.tobytes(),
            turn.event_words if self._reads_words else turn.events,
        )  # fmt: skip

    @property
    def _reads_words(self) -> bool:
        return self._form in ("words", "changes")

    def _observation(self, turn: Turn) -> bytes | str | dict[str, Any]:
        """Return what the guest sees, in the form that it asked for; all, not the changes alone."""
        if self._reads_words:
            return turn.words()
        if self._form == "fields":
            return {name: array.tolist() for name, array in turn.fields.items()}
        return turn.observation.tobytes()

    def act(self, turn: Turn) -> int | str:
        """The answer to the question that was asked, "" if none has come in time.

        Raises:
            RuntimeError: the guest has left.
        """
        with self._line.errors():
            while self.answer is None and not self.gone:
                left = self._limit - time.monotonic()
                if not self._line.hear(max(left, 0)) and left <= 0:
                    return ""
        if self.answer is None:
            raise RuntimeError(self.gone)
        return self.answer

    def dismiss(self, reason: str = "") -> None:
        """Let it wait for others, and say why it has lost, if it has."""
        code = "late" if self.answer is None else "illegal"
        if reason and self.answer is None and self.gone in ("", _LEFT):
            self._line.lost.add(self._guest)
        self._line.dismiss(self, *([code, reason[:200]] if reason else []))


class Missing(Seated):
    """A substitute for a guest that has fallen silent; it is never there."""

    def __init__(self, line: _Connection, guest: Guest, game: Game) -> None:
        super().__init__(line, guest, game, {"guest": 0, "observations": "raw", "actions": "ids"})
        self.gone = _SILENT

    def started(self, start: dict[str, Any]) -> None:
        """Nobody hears it."""

    def round(self, numbers: dict[str, Any]) -> None:
        """Nobody hears it."""

    def ended(self, end: dict[str, Any]) -> None:
        """Nobody hears it."""

    def ask(self, turn: Turn) -> None:
        """Nobody hears it."""

    def dismiss(self, reason: str = "") -> None:
        """Nobody hears it."""


class _Connection:
    """The connection to a server, and the guests who were invited there."""

    def __init__(self, endpoint: str, server_key: str | None, secret_key: str | None) -> None:
        from mhing.remote import Connection  # noqa: PLC0415  only where a guest plays

        self.endpoint = endpoint
        with self.errors():
            self._connection: Connection = Connection(
                endpoint,
                window=_WINDOW,
                client="mhing arena",
                server_key=server_key,
                secret_key=secret_key,
            )
        self.lost: set[Guest] = set()
        """The guests that owed an answer or left, and have not come back."""
        self._guests: dict[int, Seated] = {}
        self._on_its_way: deque[Seated] = deque()

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Around what needs the server."""
        try:
            yield
        except (TimeoutError, ConnectionError) as error:
            raise Absent(str(error)) from error

    def close(self) -> None:
        """End the session, and with it all invitations."""
        self._connection.close()

    def invite(self, guest: Guest, game: Game) -> Seated | str:
        """A guest of this name; or why there is none now."""
        with self.errors():
            self._settle()
            try:
                (invited,) = self._connection.request(
                    "invite", {"name": guest.name, "game": game.id}
                )
            except RuntimeError as error:
                return str(error)
        seated = Seated(self, guest, game, invited)
        self.lost.discard(guest)
        self._guests[seated.number] = seated
        return seated

    def send(self, guest: Seated, *content: Any) -> None:
        """Send a message to a guest."""
        self._post(guest, "tell", *content)

    def dismiss(self, guest: Seated, *why: str) -> None:
        """Let a guest go."""
        self._post(guest, "dismiss", *why)
        self._guests.pop(guest.number, None)

    def hear(self, seconds: float) -> bool:
        """Take what the server says next; whether it has said something."""
        self._settle()
        connection = self._connection
        message = connection.listen(min(seconds, connection.timeout))
        if message is None:
            if seconds > connection.timeout:
                connection.request("ping")  # a lost connection is noticed, and made anew
            return False
        kind, number, *content = message
        if kind == "said" and (guest := self._guests.get(number)) and guest.turn == content[0]:
            guest.answer = content[1]
        elif kind == "left" and (guest := self._guests.get(number)):
            guest.gone = _LEFT
        elif kind == "error" and content[0] in ("hello", "session"):
            connection.request("ping")
            for guest in self._guests.values():
                guest.gone = "the server was started anew"
        return True

    def _post(self, guest: Seated, *request: Any) -> None:
        with self.errors():
            if len(self._on_its_way) == _WINDOW:
                self._take()
            self._connection.post(request[0], guest.number, *request[1:])
        self._on_its_way.append(guest)

    def _settle(self) -> None:
        while self._on_its_way:
            self._take()

    def _take(self) -> None:
        """Take a reply: the number of a question; of a guest that has left, why."""
        guest = self._on_its_way.popleft()
        try:
            if results := self._connection.take():
                guest.turn = results[0]
        except RuntimeError as error:
            guest.gone = guest.gone or str(error)


class Guests:
    """The guests of a tournament.

    Args:
        wait: seconds in which guests must come.
        server_key: of servers that ask for keys, as for :class:`mhing.remote.Connection`.
        secret_key: the own one.

    Raises:
        Absent: a server does not answer.
    """

    def __init__(
        self,
        game: Game,
        players: Sequence[Player],
        wait: float,
        server_key: str | None,
        secret_key: str | None,
    ) -> None:
        self._game, self._wait = game, wait
        self._plays = [player.plays for player in players]
        self._lines: dict[str, _Connection] = {}
        self._given_up: set[Guest] = set()
        for plays in self._plays:
            if isinstance(plays, Guest) and plays.endpoint not in self._lines:
                self._lines[plays.endpoint] = _Connection(plays.endpoint, server_key, secret_key)

    def __bool__(self) -> bool:
        """True if there are any."""
        return bool(self._lines)

    def at(self, seating: Seating, *, wait: bool) -> dict[int, Seated] | None:
        """The guests at a table, by seat; None: not all of them are there, and none was taken.

        One that has fallen silent in the tournament is waited for once. If it does not come back,
        its games continue without it, until it does.

        Raises:
            Absent: one has not come, however long one may `wait`.
        """
        begun, warned = time.monotonic(), False
        while isinstance(found := self._invite(seating), str):
            waited = time.monotonic() - begun
            if not wait:
                return None
            if waited > self._wait:
                lost = {guest for line in self._lines.values() for guest in line.lost}
                if lost - self._given_up:
                    self._given_up |= lost
                    continue
                raise Absent(f"{found}; none has come in {self._wait:g} seconds")
            if waited > _PATIENCE and not warned:
                _log.warning("%s; waiting up to %g seconds", found, self._wait)
                warned = True
            time.sleep(_PAUSE)
        return found

    def _invite(self, seating: Seating) -> dict[int, Seated] | str:
        """All guests of a table, or why one of them cannot come."""
        found: dict[int, Seated] = {}
        for seat, player in enumerate(seating):
            plays = self._plays[player]
            if isinstance(plays, Guest):
                line = self._lines[plays.endpoint]
                invited: Seated | str = line.invite(plays, self._game)
                if not isinstance(invited, str):
                    self._given_up.discard(plays)
                elif plays in self._given_up:
                    invited = Missing(line, plays, self._game)
                if isinstance(invited, str):
                    self.free(found.values())
                    more = f", and {len(found)} for this table" if found else ""
                    return f"{plays.endpoint}: {invited}{more}"
                found[seat] = invited
        return found

    def free(self, guests: Iterable[Seated]) -> None:
        """Let guests wait for their next game."""
        for guest in guests:
            guest.dismiss()

    def close(self) -> None:
        """End the connections."""
        for line in self._lines.values():
            with suppress(Exception):
                line.close()
