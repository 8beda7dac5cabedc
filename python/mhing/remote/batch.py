"""Rows of a game that a server steps, with the interface of rows in this process."""

from __future__ import annotations

import json
import weakref
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mhing._lib.arguments import INT, deck_bytes
from mhing._lib.binding import check, ffi, lib, new_message, text_of
from mhing._lib.games import GameHandle
from mhing._lib.hold import Hold
from mhing._lib.rows import (
    AUTORESET,
    CALLER,
    ILLEGAL,
    LAST_INFO,
    LAST_OBSERVED,
    WEIGHTS,
    Arrays,
    Earlier,
    read_earlier,
)
from mhing._lib.states import StateMemory
from mhing.remote.connection import Connection
from mhing.remote.messages import turned

_ILLEGAL = {number: name for name, number in ILLEGAL.items()}
_AUTORESET = {number: name for name, number in AUTORESET.items()}
_WEIGHTS = {number: name for name, number in WEIGHTS.items()}

_read, _bytes = lib.mh_remote_read, ffi.from_buffer
_DONE: list[Any] = ["ok"]


class RemoteBatch(Arrays):
    """A :class:`mhing._lib.rows.LocalBatch` over a connection; its methods are described there.

    The server chooses its own number of threads, so `threads` changes nothing.
    """

    def __init__(
        self,
        connection: Connection,
        handle: GameHandle,
        rows: int,
        seat: int,
        players: Sequence[int],
        illegal: int,
        autoreset: int = AUTORESET["disabled"],
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
            "opponents": ["self" if bot == CALLER else handle.bot_name(bot) for bot in players[1:]],
            "illegal": _ILLEGAL[illegal],
            "autoreset": _AUTORESET[autoreset],
            "final": not set(without).issuperset(LAST_OBSERVED + LAST_INFO),
        }
        self.hold = Hold("environment")
        self._connection = connection
        self._number, made = connection.request("make", terms)
        self.close = weakref.finalize(self, connection.drop, self._number)
        """Gives the rows up on the server; so does the end of the last reference to the batch."""
        connection.check_layout(handle.id, made["layout"], table["layout"])
        super().__init__(handle.sizes, rows, made["final_seats"], without)
        self._message = new_message()
        box, pointers = ffi.new("struct mh_remote **"), self.pointers()
        arrays = ffi.cast("struct mh_buffers *", pointers)
        final_seats, message = made["final_seats"], self._message
        check(lib.mh_remote_new(handle.pointer, rows, final_seats, arrays, message, box), message)
        self._box = ffi.gc(box, lib.mh_remote_free)
        self._pointer = box[0]

    # ---- Requests ---------------------------------------------------------------------------

    def reset(
        self, seeds: NDArray[np.uint64] | None, chosen: NDArray[np.bool_] | None = None
    ) -> None:
        """Start new episodes in the chosen rows (None: all)."""
        numbers = None if seeds is None else _sent(seeds)
        flags = None if chosen is None else chosen.tobytes()
        self._change("reset", numbers, flags)

    def deal(self, row: int, seed: int, deck: Iterable[Any]) -> None:
        """Start a new episode in one row from a given deck."""
        self._change("deal", row, seed, deck_bytes(deck))

    def step(self) -> None:
        """Play `actions` in every row that is not over."""
        self.try_step()

    def step_chosen(self, chosen: NDArray[np.bool_]) -> None:
        """Is refused."""
        raise NotImplementedError("a server steps all rows at once; leave out endpoint")

    def try_step(self) -> int:
        """Like :meth:`step`; always MH_OK, as what goes wrong is raised."""
        self._connection.exchange(self._read_step, "step", self._number, _sent(self.actions))
        return 0

    def try_play(self, action: int) -> int:
        """Play the `action` of a single row; 1 where there is a reward or a change."""
        self.actions[0] = action if abs(action) <= INT else -1
        self.try_step()
        return int(self.changes[0] or self.rewards[0] != 0)

    def try_step_to(self, observations: NDArray[np.uint8], masks: NDArray[np.int8]) -> int:
        """Like :meth:`try_step`, and write the arrays of these names here as well."""
        self.try_step()
        self.observe(observations, masks)
        return 0

    def observe(self, observations: NDArray[np.uint8], masks: NDArray[np.int8]) -> None:
        """Write the arrays of these names as the rows are now."""
        np.copyto(observations, self.observations)
        np.copyto(masks, self.masks)

    def copy_results(self, target: NDArray[np.int64]) -> None:
        """Write what `results` holds to `target`."""
        np.copyto(target, self.results)

    def try_draw(self) -> int:
        """Draw a random legal action for every row to `actions`; always MH_OK as well."""
        self._sample(None, WEIGHTS["logits"])
        return 0

    def check(self, status: int) -> None:
        """Raise nothing: there is no other status than MH_OK."""

    def choose(self, weights: NDArray[np.float32], kind: int) -> None:
        """Draw as :meth:`try_draw`, by weights."""
        self._sample(_sent(weights), kind)

    def omniscient(self, target: NDArray[np.uint8]) -> None:
        """Write what is hidden from the seats of every row to `target` (rows, omniscient)."""
        target[:] = np.frombuffer(self._ask("omniscient")[0], np.uint8).reshape(target.shape)

    def bot_actions(self, bot: int, random: int) -> NDArray[np.int32]:
        """Is refused."""
        raise NotImplementedError("a server asks no bot for advice; leave out endpoint")

    def afterstates(self, every: bool, skipped: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        """Is refused."""
        raise NotImplementedError("a server sends no afterstates; leave out endpoint")

    def earlier(self) -> Earlier:
        """Rounds that ended before another one of their row."""
        return read_earlier(lib.mh_remote_earlier, self._pointer, self.handle.sizes.info)

    def save_row(self, row: int) -> bytes:
        """A snapshot of a row: its state and all that its later steps depend on."""
        return bytes(self._ask("save", row)[0])

    def load_row(self, row: int, snapshot: bytes) -> None:
        """Continue a row from a snapshot."""
        self._change("load", row, snapshot)

    def copy_row(self, source: int, target: int) -> None:
        """Continue the row `target` from the row `source`."""
        self._change("copy", source, target)

    def state(self, row: int) -> Any:
        """A row's state as the core holds it, until the next call."""
        self._asked = StateMemory(self.handle)
        self._asked._load(bytes(self._ask("state", row)[0]))
        return self._asked._pointer

    def _sample(self, weights: bytes | memoryview | None, kind: int) -> None:
        chosen = self._ask("sample", weights, _WEIGHTS[kind])[0]
        self.actions[:] = _received(chosen, self.actions.dtype)

    def _ask(self, name: str, *arguments: Any) -> list[Any]:
        return self._connection.request(name, self._number, *arguments)

    def _change(self, name: str, *arguments: Any) -> None:
        """A request other than a step that is answered with rows."""
        self._connection.exchange(self._read_rows, name, self._number, *arguments)

    # ---- What comes back --------------------------------------------------------------------

    def _read_rows(self, data: Any, number: int) -> list[Any] | None:
        return self._read_step(data, number, is_step=0)

    def _read_step(self, data: Any, number: int, is_step: int = 1) -> list[Any] | None:
        """Read rows to the arrays, for :meth:`Connection.exchange`."""
        text = self._message
        source = data if type(data) is bytes else _bytes(data)
        status = _read(self._pointer, source, len(data), number, is_step, text)
        if status < 0:
            return ["error", number, "message", text_of(text)]
        return _DONE if status else None


def _sent(array: NDArray[Any]) -> bytes | memoryview:
    """The numbers of an array as messages hold them."""
    return turned(array.tobytes(), array.itemsize)


def _received(data: bytes | memoryview, dtype: np.dtype[Any]) -> NDArray[Any]:
    """The numbers of a message as an array."""
    return np.frombuffer(turned(data, dtype.itemsize), dtype)
