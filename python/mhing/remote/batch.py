"""Rows of a game that a server steps, with the interface of rows in this process."""

from __future__ import annotations

import json
import weakref
from collections.abc import Collection, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mhing import _lib, _rows
from mhing._hold import Hold
from mhing.remote.connection import Connection
from mhing.remote.messages import turned

_ILLEGAL = {number: name for name, number in _rows.ILLEGAL.items()}
_AUTORESET = {number: name for name, number in _rows.AUTORESET.items()}
_WEIGHTS = {number: name for name, number in _rows.WEIGHTS.items()}

_ROWS = np.dtype(np.int32)

_Column: TypeAlias = tuple[str, int, NDArray[Any], NDArray[Any]]
"""Of the news in a message: its name, the bytes of a number in it, the items that it goes into, and
the zero of its own items.

An item is all that one row has, however many numbers it is, as NumPy copies single items fastest.
"""


class RemoteBatch(_rows.Arrays):
    """A :class:`mhing._rows.Batch` over a connection; its methods are described there.

    The server chooses its own number of threads, so `threads` changes nothing.
    """

    def __init__(
        self,
        connection: Connection,
        handle: _lib.GameHandle,
        rows: int,
        seat: int,
        players: Sequence[int],
        illegal: int,
        autoreset: int = _rows.AUTORESET["disabled"],
        threads: int = 1,
        without: Collection[str] = (),
    ) -> None:
        self.handle = handle
        table = json.loads(handle.describe())
        terms = {
            "game": handle.id,
            "options": handle.options,
            "rows": rows,
            "seat": None if seat < 0 else seat,
            "opponents": [
                "self" if bot == _rows.CALLER else handle.bot_name(bot) for bot in players[1:]
            ],
            "illegal": _ILLEGAL[illegal],
            "autoreset": _AUTORESET[autoreset],
            "final": not set(without).issuperset(_rows.LAST_SEEN + _rows.LAST_INFO),
        }
        self.hold = Hold("environment")
        self._connection = connection
        self._number, made = connection.request("make", terms)
        self.close = weakref.finalize(self, connection.drop, self._number)
        """Gives the rows up on the server; so does the end of the last reference to the batch."""
        connection.check_layout(handle.id, made["layout"], table["layout"])
        super().__init__(handle.sizes, rows, made["final_seats"], without)
        results = [b for b in self.buffers if b.when == "always"]
        self._seat_bytes = np.zeros(rows, np.uint8)
        arrays = [self._seat_bytes if b.is_seat else getattr(self, b.name) for b in results]
        self._targets = [(array.data.cast("B"), array.itemsize) for array in arrays]
        self._last_shape = self.final_observations.shape[1:]
        self._of_episodes = self._columns("changed")
        self._of_steps = self._columns("illegal")
        self._of_rounds = self._columns("round")
        self._of_ends = self._columns("end")
        self._passing: list[tuple[NDArray[Any], NDArray[np.intp], NDArray[Any]]] = []
        """News of the last step that the next one clears: items, rows, and their zero."""

    def _columns(self, when: str) -> list[_Column]:
        """The columns of the news that come for arrays written then, but those nobody wants."""
        found = [b for b in self.buffers if b.when == when and getattr(self, b.name).size]
        return [
            (
                b.name,
                1 if b.is_seat else b.dtype.itemsize,
                *_items(getattr(self, b.name), b.is_seat),
            )
            for b in found
        ]

    # ---- Requests ---------------------------------------------------------------------------

    def reset(
        self, seeds: NDArray[np.uint64] | None, chosen: NDArray[np.bool_] | None = None
    ) -> None:
        """Starts new episodes in the chosen rows (None: all)."""
        numbers = None if seeds is None else _sent(seeds)
        flags = None if chosen is None else chosen.tobytes()
        self._show(self._ask("reset", numbers, flags))

    def deal(self, row: int, seed: int, deck: Iterable[Any]) -> None:
        """Starts a new episode in one row from a given deck."""
        self._show(self._ask("deal", row, seed, _lib.deck_bytes(deck)))

    def step(self) -> None:
        """Plays `actions` in every row that is not over."""
        self.try_step()

    def step_chosen(self, chosen: NDArray[np.bool_]) -> None:
        """Is refused."""
        raise NotImplementedError("a server steps all rows at once; leave out endpoint")

    def try_step(self) -> int:
        """Like :meth:`step`; always MH_OK, as what goes wrong is raised."""
        results = self._connection.request("step", self._number, _sent(self.actions))
        for items, rows, zero in self._passing:
            items[rows] = zero
        self._passing.clear()
        news = self._read_rows(results)
        if news is None:
            self.news[0] = self.final_count[0] = 0
        else:
            self._read_ends(news, self._read_news(news))
        return 0

    def check(self, status: int) -> None:
        """Has nothing to raise: :meth:`try_step` knows no other status than MH_OK."""

    def choose(self, weights: NDArray[np.float32] | None, kind: int) -> None:
        """Draws a random legal action for every row, 0 where it is over, to `actions`."""
        numbers = None if weights is None else _sent(weights)
        chosen = self._ask("sample", numbers, _WEIGHTS[kind])[0]
        self.actions[:] = _received(chosen, self.actions.dtype)

    def omniscient(self, target: NDArray[np.uint8]) -> None:
        """Writes what is hidden from the seats of every row to `target` (rows, omniscient)."""
        target[:] = np.frombuffer(self._ask("omniscient")[0], np.uint8).reshape(target.shape)

    def afterstates(self, every: bool) -> tuple[NDArray[Any], ...]:
        """Is refused."""
        raise NotImplementedError("a server sends no afterstates; leave out endpoint")

    def save_row(self, row: int) -> bytes:
        """A snapshot of a row: its state and all that its later steps depend on."""
        return bytes(self._ask("save", row)[0])

    def load_row(self, row: int, snapshot: bytes) -> None:
        """Goes on in a row from a snapshot."""
        self._show(self._ask("load", row, snapshot))

    def copy_row(self, source: int, target: int) -> None:
        """Goes on in the row `target` from the row `source`."""
        self._show(self._ask("copy", source, target))

    def state(self, row: int) -> Any:
        """A row's state as the core holds it."""
        memory = _lib.StateMemory(self.handle)
        memory._load(bytes(self._ask("state", row)[0]))
        return memory._pointer

    def _ask(self, name: str, *arguments: Any) -> list[Any]:
        return self._connection.request(name, self._number, *arguments)

    # ---- What comes back --------------------------------------------------------------------

    def _show(self, results: list[Any]) -> None:
        """After changes other than steps; news of the last step no longer holds for these rows."""
        news = self._read_rows(results)
        assert news is not None
        rows = _received(news["rows"], _ROWS)
        for _, _, items, zero in self._of_steps + self._of_rounds + self._of_ends:
            items[rows] = zero
        self._read_news(news)

    def _read_rows(self, results: list[Any]) -> dict[str, Any] | None:
        """Reads what comes for every row; returns the news."""
        for (target, width), data in zip(self._targets, results, strict=False):
            target[:] = turned(data, width)
        self.seats[:] = self._seat_bytes
        news: dict[str, Any] | None = results[len(self._targets)]
        return news

    def _read_news(self, news: dict[str, Any]) -> NDArray[np.intp]:
        """Reads news that only some rows have; returns which."""
        rows = _received(news["rows"], _ROWS).astype(np.intp)
        self.news[0] = len(rows)
        for name, width, items, zero in self._of_episodes:
            items[rows] = np.frombuffer(turned(news[name], width), zero.dtype)
        if 1 in news["illegal"]:
            self._read_passing(self._of_steps, news, rows)
        if 1 in news["round_ended"]:
            self._read_passing(self._of_rounds, news, rows)
        return rows

    def _read_ends(self, news: dict[str, Any], rows: NDArray[np.intp]) -> None:
        """Reads the news of episodes that ended in some of the rows."""
        places = self.terminated[rows].nonzero()[0]
        count = len(places)
        self.final_count[0] = count
        if not count:
            return
        self.final_rows[:count] = rows[places]
        self._read_passing(self._of_ends, news, rows)
        if self.final_observations.size:
            seen = np.frombuffer(news["final_observations"], np.uint8)
            self.final_observations[:count] = seen.reshape(-1, *self._last_shape)[places]

    def _read_passing(
        self, columns: list[_Column], news: dict[str, Any], rows: NDArray[np.intp]
    ) -> None:
        for name, width, items, zero in columns:
            items[rows] = np.frombuffer(turned(news[name], width), zero.dtype)
            self._passing.append((items, rows, zero))


def _sent(array: NDArray[Any]) -> bytes | memoryview:
    """The numbers of an array as messages hold them."""
    return turned(array.tobytes(), array.itemsize)


def _received(data: bytes | memoryview, dtype: np.dtype[Any]) -> NDArray[Any]:
    """The numbers of a message as an array."""
    return np.frombuffer(turned(data, dtype.itemsize), dtype)


def _items(array: NDArray[Any], is_seat: bool) -> tuple[NDArray[Any], NDArray[Any]]:
    """The lines of an array as single items, and the zero of those that come for them."""
    if array.ndim > 1:
        items = array.view(f"V{array.itemsize * array.shape[1]}").reshape(-1)
        return items, np.zeros((), items.dtype)
    return array, np.zeros((), np.uint8 if is_seat else array.dtype)
