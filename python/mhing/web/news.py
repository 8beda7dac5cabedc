"""Messages from a table of a server, see :mod:`mhing.web.courier`."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from mhing.render import Table
from mhing.render.sight import Event, Sight


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

    sight: Sight


@dataclass(frozen=True)
class Happened:
    """A public event."""

    events: tuple[Event, ...]
    """With absolute seats."""


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
    """As PROTOCOL.md says it: ``returns`` by seat; ``over``: the last one, with ``totals``."""


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


News: TypeAlias = (
    Listed | Began | Seen | Happened | Asked | Laid | Ended | Away | Refused | Trouble | Closed
)

_LINES = 200  # events that somebody may still want to read
_MOST = 1000  # news that wait before old ones are passed over
_SIGHTS = 8  # sights that are shown one after another; of more the last one
_NEWEST = {Listed: 1, Seen: 1, Laid: 1, Asked: 1, Trouble: 1, Happened: _LINES}


class Inbox:
    """News in their order, put in by one thread and taken by another, which may never do it."""

    def __init__(self) -> None:
        self._news: list[News] = []
        self._longest = _MOST
        self._lock = threading.Lock()

    def put(self, one: News) -> None:
        """Add the last news. Of many that wait, those are dropped that later ones replace."""
        with self._lock:
            self._news.append(one)
            if len(self._news) > self._longest:
                self._news = _newest(self._news)
                self._longest = len(self._news) + _MOST

    def take(self) -> list[News]:
        """All news."""
        with self._lock:
            taken, self._news = self._news, []
        return taken

    def take_sight(self) -> list[News]:
        """The news up to the next sight; all of them if there is none, or too many wait.

        What has happened after the last sight waits for the next one, so that no line is ahead of
        the picture.
        """
        with self._lock:
            sights = [place for place, one in enumerate(self._news) if isinstance(one, Seen)]
            ends = [place for place, one in enumerate(self._news) if not isinstance(one, Happened)]
            last = sights if 0 < len(sights) <= _SIGHTS else ends[-1:]
            end = last[0] + 1 if last else 0
            taken, self._news = self._news[:end], self._news[end:]
        return taken


def _newest(news: list[News]) -> list[News]:
    """Return the last of many news: of each kind all, or as many as are shown."""
    count: Counter[type] = Counter()
    kept = []
    for one in reversed(news):
        count[type(one)] += 1
        if count[type(one)] <= _NEWEST.get(type(one), len(news)):
            kept.append(one)
    return kept[::-1]
