"""Rows of games that the C core steps together: batches, and the arrays that they fill."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mhing._lib.arguments import deck_bytes
from mhing._lib.binding import check, ffi, lib, new_message, text_of
from mhing._lib.games import GameHandle
from mhing._lib.hold import Hold, call_apart

CALLER: int = lib.MH_CALLER
GUEST: int = lib.MH_GUEST
"""The first guest among the players of a batch; the next ones count down."""
ILLEGAL: dict[str, int] = {
    "terminate": lib.MH_ILLEGAL_TERMINATE,
    "raise": lib.MH_ILLEGAL_RAISE,
    "random": lib.MH_ILLEGAL_RANDOM,
}
AUTORESET: dict[str, int] = {
    "disabled": lib.MH_AUTORESET_DISABLED,
    "same_step": lib.MH_AUTORESET_SAME_STEP,
    "next_step": lib.MH_AUTORESET_NEXT_STEP,
}
WEIGHTS: dict[str, int] = {"logits": lib.MH_LOGITS, "probabilities": lib.MH_PROBABILITIES}
WHEN: dict[int, str] = {
    lib.MH_WHEN_NEVER: "never",
    lib.MH_WHEN_ALWAYS: "always",
    lib.MH_WHEN_CHANGED: "changed",
    lib.MH_WHEN_ILLEGAL: "illegal",
    lib.MH_WHEN_ROUND: "round",
    lib.MH_WHEN_END: "end",
    lib.MH_WHEN_PACKED: "packed",
    lib.MH_WHEN_SUMMARY: "summary",
}

_DTYPES: dict[str, np.dtype[Any]] = {
    "int8_t": np.dtype(np.int8),
    "uint8_t": np.dtype(np.uint8),
    "int32_t": np.dtype(np.int32),
    "int64_t": np.dtype(np.int64),
    "uint64_t": np.dtype(np.uint64),
    "float": np.dtype(np.float32),
    "mh_seat": np.dtype(np.int64),
}

_LONG = 16384
"""Rows of a batch from which on a call into C takes some ten milliseconds or more."""

LAST_OBSERVED = ("final_observations", "final_rewards")
"""Arrays of a :class:`LocalBatch`: what the caller's seats see and earn when an episode ends."""
LAST_INFO = ("final_seats", "final_seeds", "final_info", "final_round_ended")
"""The same: which episode it was, and how it ended."""


class Buffer(NamedTuple):
    """One of the arrays of a batch, a line of the table in csrc/include/mh_buffers.h."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    when: str
    """The occasions and rows of its writing: one of :data:`WHEN`."""
    is_seat: bool
    """Its items are seats, which a server sends as single bytes."""
    meaning: str


def buffers(sizes: Any, rows: int, final_seats: int) -> list[Buffer]:
    """The arrays of a batch, in the order of `struct mh_buffers`."""
    row, found = ffi.new("struct mh_buffer *"), []
    for index in range(lib.mh_buffer_count()):
        check(lib.mh_buffer_at(index, sizes, rows, final_seats, row))
        name, dtype = text_of(row.name), _DTYPES[text_of(row.type)]
        shape = tuple(row.dims)[: row.num_dims]
        found.append(
            Buffer(name, dtype, shape, WHEN[row.when], bool(row.is_seat), text_of(row.meaning))
        )
    return found


Earlier: TypeAlias = list[tuple[int, bool, NDArray[np.int64]]]
"""Rounds of which the arrays do not tell: see :meth:`LocalBatch.earlier`."""


def read_earlier(read: Any, pointer: Any, info: int) -> Earlier:
    count = read(pointer, 0, ffi.NULL, ffi.NULL, ffi.NULL)
    if not count:
        return []
    rows, finals = np.empty(count, np.int32), np.empty(count, np.uint8)
    numbers = np.empty((count, info), np.int64)
    read(
        pointer, count, ffi.from_buffer("int32_t[]", rows), ffi.from_buffer("uint8_t[]", finals),
        ffi.from_buffer("int64_t[]", numbers),
    )  # fmt: skip
    return list(zip(rows.tolist(), finals.view(np.bool_).tolist(), numbers, strict=True))


class Arrays:
    """The arrays that rows of a game are read and written through, see :func:`buffers`: one
    attribute each, by name. Those named in `without` have no rows and are never written.

    Flags that are rarely set have a second attribute, such as `illegal_bytes`: the same memory as a
    bytearray, which finds a set one in a tenth of the time that an array takes.
    """

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> NDArray[Any]: ...

    illegal_bytes: bytearray
    has_results_bytes: bytearray
    round_ended_bytes: bytearray

    def __init__(self, sizes: Any, rows: int, final_seats: int, without: Collection[str]) -> None:
        self.buffers = buffers(sizes, rows, final_seats)
        """The table that the arrays were made from."""
        for name, dtype, shape, when, *_ in self.buffers:
            if dtype == np.uint8 and when in ("illegal", "round"):
                flags = bytearray(rows)
                setattr(self, f"{name}_bytes", flags)
                array = np.frombuffer(flags, np.uint8)
            else:
                array = np.zeros((0, *shape[1:]) if name in without else shape, dtype)
            setattr(self, name, array)

    def pointers(self) -> Any:
        """The arrays as a `struct mh_buffers` has them, to be cast to one; NULL: without rows."""
        arrays = [getattr(self, buffer.name) for buffer in self.buffers]
        pointers = ffi.new("void *[]", len(arrays))
        for place, array in enumerate(arrays):
            if array.size:
                pointers[place] = ffi.from_buffer(array)
        return pointers

    def own_seat(self, row: int) -> int:
        """The caller's own seat in a row's episode."""
        seat: int = self.own.item(row)
        return seat

    def seed(self, row: int) -> int:
        """The seed of a row's episode."""
        seed: int = self.seeds.item(row)
        return seed


class LocalBatch(Arrays):
    """Rows of one game stepped together in this process.

    The arrays are made and bound once: `actions` is read by :meth:`step`, all others are written.
    A caller that uses the arrays takes `hold` first.
    """

    def __init__(
        self,
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
        options = {
            "rows": rows,
            "seat": seat,
            "players": list(players) + [0] * (lib.MH_MAX_SEATS - len(players)),
            "illegal": illegal,
            "autoreset": autoreset,
            "threads": threads,
        }
        self._message = new_message()
        box = ffi.new("struct mh_batch **")
        c_options = ffi.new("struct mh_batch_options *", options)
        check(lib.mh_batch_new(handle.pointer, c_options, self._message, box), self._message)
        self._box = ffi.gc(box, lib.mh_batch_free)
        self._pointer = box[0]
        super().__init__(handle.sizes, rows, lib.mh_batch_final_seats(self._pointer), without)
        self.hold = Hold("environment")
        # A call that leaves rows waiting for guests has to be there to be taken back.
        some = rows >= _LONG or not handle.searches.keys().isdisjoint(players)
        self._is_long = some and min(players) > GUEST
        self._choose = partial(lib.mh_batch_choose, self._pointer)
        self._c_actions = ffi.from_buffer("int32_t[]", self.actions)
        self._step: Callable[[], int] = partial(lib.mh_batch_step, self._pointer, self._message)
        self._draw: Callable[[], int] = partial(
            self._choose, ffi.NULL, lib.MH_LOGITS, self._c_actions, self._message
        )
        self._play: Callable[[int], int] = partial(lib.mh_batch_play, self._pointer)
        if not self._is_long:  # one Python frame less
            self.try_step = self._step  # type: ignore[method-assign]
            self.try_play = self._play  # type: ignore[method-assign]
            self.try_draw = self._draw  # type: ignore[method-assign]
        self._waiting = np.empty(rows, np.int32)
        self._c_waiting = ffi.from_buffer("int32_t[]", self._waiting)
        self._looks = 16 * rows  # room for afterstates: as many as have been seen, and more
        pointers = self.pointers()
        arrays = ffi.cast("struct mh_buffers *", pointers)
        check(lib.mh_batch_bind(self._pointer, arrays, self._message), self._message)

    def reset(
        self, seeds: NDArray[np.uint64] | None, chosen: NDArray[np.bool_] | None = None
    ) -> None:
        """Start new episodes in the chosen rows (None: all).

        `seeds` has one seed per row; with None each row takes the next seed of its sequence.
        """
        c_seeds = ffi.NULL if seeds is None else ffi.from_buffer("uint64_t[]", seeds)
        c_chosen = ffi.NULL if chosen is None else ffi.from_buffer("uint8_t[]", chosen)
        self.check(
            self._make(partial(lib.mh_batch_reset, self._pointer, c_seeds, c_chosen, self._message))
        )

    def deal(self, row: int, seed: int, deck: Iterable[Any]) -> None:
        """Start a new episode in one row from a given deck."""
        cards, message = deck_bytes(deck), self._message
        check(lib.mh_batch_deal(self._pointer, row, seed, cards, len(cards), message), message)

    def add_lineup(self, players: Sequence[int]) -> int:
        """Add players for whole episodes, clockwise from the caller's; return their number.

        The players that the batch was made with are number 0.
        """
        c_players = ffi.new("int32_t[]", [*players, *[0] * (lib.MH_MAX_SEATS - len(players))])
        number: int = lib.mh_batch_add_lineup(self._pointer, c_players, self._message)
        self.check(min(number, 0))
        self._is_long &= min(players) > GUEST
        return number

    def weigh_lineups(self, weights: NDArray[np.uint32]) -> None:
        """Set how likely each lineup is in episodes that begin from now on."""
        c_weights = ffi.from_buffer("uint32_t[]", weights)
        self.check(
            lib.mh_batch_weigh_lineups(self._pointer, c_weights, len(weights), self._message)
        )

    def lineup(self, row: int) -> int:
        """The lineup of a row's episode."""
        number: int = lib.mh_batch_lineup(self._pointer, row)
        return number

    def ended(self) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Once lineups have been weighed, the episodes that ended in the last step, except by an
        illegal action: the lineup of each, and what each seat earned, clockwise from the caller's.
        """
        rows, seats = len(self.actions), self.handle.sizes.seats
        places, lineups = np.empty(rows, np.int32), np.empty(rows, np.int32)
        returns = np.empty((rows, seats))
        count = lib.mh_batch_ended(
            self._pointer, ffi.from_buffer("int32_t[]", places),
            ffi.from_buffer("int32_t[]", lineups), ffi.from_buffer("double[]", returns),
        )  # fmt: skip
        return lineups[:count], returns[:count]

    def step(self) -> None:
        """Play `actions` in every row that is not over."""
        self.check(self.try_step())

    def step_chosen(self, chosen: NDArray[np.bool_]) -> None:
        """The same in the chosen rows only; the others stay as they are and report nothing."""
        c_chosen = ffi.from_buffer("uint8_t[]", chosen)
        self.check(
            self._make(partial(lib.mh_batch_step_chosen, self._pointer, c_chosen, self._message))
        )

    def waiting(self, guest: int) -> NDArray[np.int32]:
        """The rows in which guest number `guest` (:data:`GUEST` or below) is to act, ascending.

        While there are any, the last call is not complete: :meth:`answer` or :meth:`undo` it.
        """
        count = lib.mh_batch_waiting(self._pointer, guest, self._c_waiting)
        rows: NDArray[np.int32] = self._waiting[:count].copy()
        return rows

    def answer(self, actions: NDArray[np.int32]) -> None:
        """Play `actions` (rows,) in every row that waits for a guest; refuse illegal ones."""
        c_actions = ffi.from_buffer("int32_t[]", actions)
        self.check(lib.mh_batch_answer(self._pointer, c_actions, self._message))

    def undo(self) -> None:
        """Take back a call that is not complete."""
        lib.mh_batch_undo(self._pointer)

    def try_step(self) -> int:
        """Like :meth:`step`, but returns a status instead of raising."""
        return self._make(self._step)

    def try_play(self, action: int) -> int:
        """Play the `action` of a single row; 1 where there is a reward or a change, 0, or a status.

        After a refusal :meth:`step` raises the reason. OverflowError: the action has more than 32
        bits.
        """
        return self._make(partial(self._play, action))

    def try_step_to(self, observations: NDArray[np.uint8], masks: NDArray[np.int8]) -> int:
        """Like :meth:`try_step`, but write the arrays of these names here, not to the batch's."""
        return self._make(self._shown_in(lib.mh_batch_step_to, observations, masks))

    def observe(self, observations: NDArray[np.uint8], masks: NDArray[np.int8]) -> None:
        """Write the arrays of these names as the rows are now."""
        self.check(self._make(self._shown_in(lib.mh_batch_observe, observations, masks)))

    def copy_results(self, target: NDArray[np.int64]) -> None:
        """Write what `results` holds to `target`."""
        c_target = ffi.from_buffer("int64_t[]", target)
        self.check(lib.mh_batch_results(self._pointer, c_target, self._message))

    def try_draw(self) -> int:
        """Draw a random legal action for every row, 0 where it is over, to `actions`; return a
        status.
        """
        return self._make(self._draw)

    def check(self, status: int) -> None:
        """Raise what a status stands for."""
        check(status, self._message)

    def choose(self, weights: NDArray[np.float32], kind: int) -> None:
        """Draw as :meth:`try_draw`, by weights."""
        c_weights = ffi.from_buffer("float[]", weights)
        choose = partial(self._choose, c_weights, kind, self._c_actions, self._message)
        self.check(self._make(choose))

    def omniscient(self, target: NDArray[np.uint8]) -> None:
        """Write what is hidden from the seats of every row to `target` (rows, omniscient)."""
        c_target = ffi.from_buffer("uint8_t[]", target, require_writable=True)
        self.check(
            self._make(partial(lib.mh_batch_omniscient, self._pointer, c_target, self._message))
        )

    def bot_actions(self, bot: int, random: int) -> NDArray[np.int32]:
        """Return the action that a bot would choose in every row; 0 where it is over."""
        actions = np.empty(len(self.actions), np.int32)
        ask = partial(
            lib.mh_batch_bot_actions, self._pointer, bot, random,
            ffi.from_buffer("int32_t[]", actions), self._message,
        )  # fmt: skip
        self.check(self._make(ask))
        return actions

    def afterstates(
        self, every: bool, skipped: NDArray[np.uint8]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32], NDArray[np.float64]]:
        """Return afterstates of all rows: rows, actions, features, values that are certain.

        Features that `skipped` has a 1 for are 0. A game without features: ValueError.
        """
        if not self.handle.sizes.features:
            raise ValueError(f"{self.handle.id} has no features, see Game.features")
        while True:
            capacity = self._looks
            rows, actions = np.empty(capacity, np.int32), np.empty(capacity, np.int32)
            features = np.empty((capacity, self.handle.sizes.features), np.float32)
            values = np.empty(capacity)
            look = partial(
                lib.mh_batch_afterstates, self._pointer, every,
                ffi.from_buffer("uint8_t[]", skipped), capacity,
                ffi.from_buffer("int32_t[]", rows), ffi.from_buffer("int32_t[]", actions),
                ffi.from_buffer("float[]", features), ffi.from_buffer("double[]", values),
                self._message,
            )  # fmt: skip
            count = self._make(look)
            self.check(min(count, 0))
            if count <= capacity:
                return rows[:count], actions[:count], features[:count], values[:count]
            self._looks = count + count // 4  # so that the next positions have room as well

    def earlier(self) -> Earlier:
        """Rounds that ended before another one of their row in the last call: row, whether another
        episode has begun since, and the public numbers.
        """
        return read_earlier(lib.mh_batch_earlier, self._pointer, self.handle.sizes.info)

    def save_row(self, row: int) -> bytes:
        """A snapshot of a row: its state and all that its later steps depend on."""
        snapshot = ffi.new("uint8_t[]", self.handle.sizes.row)
        check(lib.mh_batch_save_row(self._pointer, row, snapshot, self._message), self._message)
        return bytes(ffi.buffer(snapshot))

    def load_row(self, row: int, snapshot: bytes) -> None:
        """Continue a row from a snapshot."""
        data, message = ffi.from_buffer("uint8_t[]", snapshot), self._message
        check(lib.mh_batch_load_row(self._pointer, row, data, len(data), message), message)

    def copy_row(self, source: int, target: int) -> None:
        """Continue the row `target` from the row `source`."""
        check(lib.mh_batch_copy_row(self._pointer, source, target, self._message), self._message)

    def state(self, row: int) -> Any:
        """A row's state as the core holds it, for :class:`mhing.state.State` to copy at once."""
        return lib.mh_batch_state(self._pointer, row)

    def _shown_in(
        self, call: Any, observations: NDArray[np.uint8], masks: NDArray[np.int8]
    ) -> Callable[[], int]:
        """A call into C that writes these arrays."""
        c_observations = ffi.from_buffer("uint8_t[]", observations)
        c_masks = ffi.from_buffer("int8_t[]", masks)
        return partial(call, self._pointer, c_observations, c_masks, self._message)

    def _make(self, call: Callable[[], int]) -> int:
        """Make a call into C that takes time for each row."""
        return call_apart(self, call) if self._is_long else call()
