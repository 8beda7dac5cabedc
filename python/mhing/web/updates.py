"""Messages from a table of a server, see :mod:`mhing.web.courier`."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from mhing.render import Table
from mhing.render.view import Event, View


@dataclass(frozen=True)
class Listed:
    """The server's listing of the table, which waits for players."""

    table: Mapping[str, Any]


@dataclass(frozen=True)
class Began:
    """A game begins."""

    start: Mapping[str, Any]
    """``number``, ``games``, ``players`` (names by seat), ``seeded``; for a player ``seat``."""


@dataclass(frozen=True, eq=False)
class Seen:
    """The viewer's present view."""

    view: View


@dataclass(frozen=True)
class Happened:
    """A public event."""

    events: tuple[Event, ...]
    """The events, with absolute seats."""


@dataclass(frozen=True)
class Asked:
    """A question to the viewer; the same one once more has a new deadline."""

    number: int
    until: float
    """Its end, by ``time.monotonic()``."""
    actions: tuple[int, ...]
    """The legal ones."""


@dataclass(frozen=True)
class Laid:
    """The cards, all open, as they lay when a round had ended."""

    table: Table


@dataclass(frozen=True)
class Ended:
    """A game has ended."""

    end: Mapping[str, Any]
    """The fields of PROTOCOL.md: ``returns`` by seat; ``over``: the last one, with ``totals``."""


@dataclass(frozen=True)
class PlayersLeft:
    """Players have left the table, and a bot plays for them."""

    names: tuple[str, ...]
    """Names of all who have left so far, as the server has them."""


@dataclass(frozen=True)
class Away:
    """A bot plays for the viewer, who has not answered for too long."""

    bot: str


@dataclass(frozen=True)
class Refused:
    """An answer was not taken."""

    text: str


@dataclass(frozen=True)
class Trouble:
    """The server does not answer, and is asked again and again; with "" it does again."""

    text: str


@dataclass(frozen=True)
class Closed:
    """Nothing more will be heard."""

    text: str
    """The reason; "" where the end was to be expected."""


Update: TypeAlias = (
    Listed
    | Began
    | Seen
    | Happened
    | Asked
    | Laid
    | Ended
    | PlayersLeft
    | Away
    | Refused
    | Trouble
    | Closed
)

_LINES = 200  # events that somebody may still want to read
_MOST = 1000  # updates that wait before old ones are passed over
_VIEWS = 8  # views that are shown one after another; of more the last one
_NEWEST = {Listed: 1, Seen: 1, Laid: 1, Asked: 1, Trouble: 1, Happened: _LINES}


class Inbox:
    """Updates in their order, put in by one thread and taken by another, which may never do it."""

    def __init__(self) -> None:
        self._updates: list[Update] = []
        self._longest = _MOST
        self._lock = threading.Lock()

    def put(self, one: Update) -> None:
        """Add the last updates. Of many that wait, those are dropped that later ones replace."""
        with self._lock:
            self._updates.append(one)
            if len(self._updates) > self._longest:
                self._updates = _newest(self._updates)
                self._longest = len(self._updates) + _MOST

    def take(self) -> list[Update]:
        """All updates."""
        with self._lock:
            taken, self._updates = self._updates, []
        return taken

    def take_view(self) -> list[Update]:
        """The updates up to the next view; all of them if there is none, or too many wait.

        What has happened after the last view waits for the next one, so that no line is ahead of
        the picture.
        """
        with self._lock:
            views = [place for place, one in enumerate(self._updates) if isinstance(one, Seen)]
            others = [at for at, one in enumerate(self._updates) if not isinstance(one, Happened)]
            last = views if 0 < len(views) <= _VIEWS else others[-1:]
            end = last[0] + 1 if last else 0
            taken, self._updates = self._updates[:end], self._updates[end:]
        return taken


def _newest(updates: list[Update]) -> list[Update]:
    """Return the last of many updates: of each kind all, or as many as are shown."""
    count: Counter[type] = Counter()
    kept = []
    for one in reversed(updates):
        count[type(one)] += 1
        if count[type(one)] <= _NEWEST.get(type(one), len(updates)):
            kept.append(one)
    return kept[::-1]
