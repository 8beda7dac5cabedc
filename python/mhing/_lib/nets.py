"""Nets of the C core as Python sees them, and the rounds that they learn from."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from itertools import pairwise
from os import getpid
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mhing._lib.binding import check, ffi, lib, max_threads, new_message
from mhing._lib.games import GameHandle
from mhing._lib.hold import Hold, call_apart, slices

BY_NET: int = lib.MH_BY_NET

NET_FILE = "net:"
"""The prefix of a bot's name that plays by the net in a file, or by one of the package."""

_OF_PATHS = frozenset("./\\")
"""Characters that paths of nets have, and names of the package's nets do not."""


def save_net(
    handle: GameHandle,
    weights: NDArray[np.float32],
    sizes: Sequence[int],
    low: Sequence[int],
    high: Sequence[int],
    note: str,
) -> bytes:
    """The bytes of a net with layers of these sizes, inputs first; see mh_net_save."""
    message, text = new_message(), ffi.new("char[]", note.encode("ascii"))
    expected = sum((n + 1) * m for n, m in pairwise(sizes))
    if weights.shape != (expected,):
        raise ValueError(f"weights: {weights.shape} given, the layers have ({expected},)")
    c_sizes, c_low, c_high = (ffi.new("int32_t[]", list(row)) for row in (sizes, low, high))
    plan = ffi.new(
        "struct mh_net_plan *",
        {
            "layers": len(sizes) - 1,
            "sizes": c_sizes,
            "weights": ffi.from_buffer("float[]", weights),
            "low": c_low,
            "high": c_high,
            "note": text,
        },
    )
    size = lib.mh_net_save(handle.pointer, plan, 0, ffi.NULL, message)
    check(size, message)
    data = ffi.new("uint8_t[]", size)
    check(lib.mh_net_save(handle.pointer, plan, size, data, message), message)
    return bytes(ffi.buffer(data))


def shipped(handle: GameHandle) -> list[bytes]:
    """The nets that came with a game, whatever its options."""
    found: list[bytes] = []
    while size := lib.mh_net_shipped(handle.pointer, len(found), 0, ffi.NULL):
        data = ffi.new("uint8_t[]", size)
        lib.mh_net_shipped(handle.pointer, len(found), size, data)
        found.append(bytes(ffi.buffer(data)))
    return found


class NetMemory:
    """A net as the core holds it, read-only."""

    __slots__ = ("_box", "handle", "pointer")

    def __init__(self, handle: GameHandle, data: bytes) -> None:
        self.handle = handle
        box, message = ffi.new("struct mh_net **"), new_message()
        source = ffi.from_buffer("uint8_t[]", data)
        check(lib.mh_net_load(handle.pointer, source, len(data), message, box), message)
        self._box = ffi.gc(box, lib.mh_net_free)
        self.pointer = box[0]

    def weights(self) -> NDArray[np.float32]:
        """All weights, in the order of :func:`save_net`."""
        count = lib.mh_net_weights(self.pointer, 0, ffi.NULL)
        weights = np.empty(count, np.float32)
        lib.mh_net_weights(self.pointer, count, ffi.from_buffer("float[]", weights))
        return weights

    def sizes(self) -> list[int]:
        """The number of inputs, then that of outputs of each layer."""
        count = lib.mh_net_sizes(self.pointer, 0, ffi.NULL)
        sizes = ffi.new("int32_t[]", count)
        lib.mh_net_sizes(self.pointer, count, sizes)
        return list(sizes)

    def values(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the value of each row of features."""
        rows = np.ascontiguousarray(features, np.float32)
        values = np.empty(len(rows), np.float32)
        c_rows, c_values = ffi.from_buffer("float[]", rows), ffi.from_buffer("float[]", values)
        check(lib.mh_net_values(self.handle.pointer, self.pointer, len(rows), c_rows, c_values))
        return values


def bot_of_file(handle: GameHandle, name: str) -> int:
    """The number of the bot ``net:FILE``, whose file is read now; of ``net:NAME``, which plays by
    the package's net of that name.
    """
    file = name.removeprefix(NET_FILE)
    if _OF_PATHS.isdisjoint(file):
        return handle.bot_index(name)
    try:
        data = Path(file).read_bytes()
    except OSError as error:
        meant = _meant(handle, file)
        raise ValueError(f"{name}: the file cannot be read: {error.strerror}{meant}") from error
    return bot_of_bytes(handle, name, data)


def _meant(handle: GameHandle, file: str) -> str:
    """The end of a message about a file that is not there, and may be no file."""
    if Path(file).is_dir():
        return f"; did you mean run:{file}?"
    joined, net = "+" in file, f"{NET_FILE}{file.rpartition('/')[2]}"
    try:
        handle.bot_index(net)
    except ValueError:
        return "; only nets of the package are joined by +, not files" if joined else ""
    return f"; did you mean {net}?"


def bot_of_bytes(handle: GameHandle, name: str, data: bytes) -> int:
    """The number of the bot that plays by these bytes; the first ones that came with its name."""
    message = new_message()
    try:
        net = NetMemory(handle, data)
    except ValueError as error:
        raise ValueError(f"{name}: {str(error).removeprefix('net: ')}") from error
    bot: int = lib.mh_net_bot(handle.pointer, net.pointer, name.encode(), message)
    check(bot, message)
    return bot


class LayerRows(NamedTuple):
    """Rows of features that layers judge, see mh_layers_rows."""

    features: NDArray[np.float16]
    """(n, features)"""
    places: NDArray[np.int64]
    """(count,) which of these each row is."""
    values: NDArray[np.float32]
    """(count,)"""
    inner: NDArray[np.float32]
    """(count, outputs of all layers but the last)"""


class _Pool:
    """Threads of the core, for one call at a time: ``with`` returns their pointer."""

    def __init__(self, threads: int) -> None:
        box, message = ffi.new("struct mh_pool **"), new_message()
        check(lib.mh_pool_new(threads, message, box), message)
        self.box, self.lock = ffi.gc(box, lib.mh_pool_free), Lock()

    def __enter__(self) -> Any:
        self.lock.acquire()
        return self.box[0]

    def __exit__(self, *_: object) -> None:
        self.lock.release()


@cache
def _pool(threads: int, process: int) -> _Pool:
    """The threads of a process, from its first call on. One that is forked off has not these, and
    the lock may have been taken.
    """
    return _Pool(threads)


def layer_values(
    sizes: Sequence[int], weights: NDArray[np.float32], rows: LayerRows, threads: int
) -> None:
    """Write the values of rows and, where there is room for any, what layers within put out."""
    with _pool(threads, getpid()) as pool:
        message, (layers, c_rows, *_) = new_message(), _layers_of(sizes, weights, rows, pool)
        check(lib.mh_layers_values(layers, c_rows, message), message)


def layer_gradients(
    sizes: Sequence[int],
    weights: NDArray[np.float32],
    rows: LayerRows,
    slopes: NDArray[np.float32],
    threads: int,
) -> NDArray[np.float32]:
    """Return the gradients by the weights of the sum of values times slopes."""
    gradients = np.empty_like(weights)
    c_slopes, c_gradients = (ffi.from_buffer("float[]", one) for one in (slopes, gradients))
    with _pool(threads, getpid()) as pool:
        message, (layers, c_rows, *_) = new_message(), _layers_of(sizes, weights, rows, pool)
        check(lib.mh_layers_gradients(layers, c_rows, c_slopes, c_gradients, message), message)
    return gradients


def _layers_of(
    sizes: Sequence[int], weights: NDArray[np.float32], rows: LayerRows, pool: Any
) -> tuple[Any, ...]:
    """The arguments of the core, and the memory that they point to."""
    c_sizes, c_weights = ffi.new("int32_t[]", [*sizes]), ffi.from_buffer("float[]", weights)
    kinds = ("uint16_t[]", "int64_t[]", "float[]", "float[]")
    features, places, values, inner = map(ffi.from_buffer, kinds, rows)
    layers = ffi.new(
        "struct mh_layers *", {"count": len(sizes) - 1, "sizes": c_sizes, "weights": c_weights}
    )
    c_rows = ffi.new(
        "struct mh_layers_rows *",
        {
            "count": len(rows.places),
            "pool": pool,
            "num_features": len(rows.features),
            "features": features,
            "places": places,
            "inner": inner if rows.inner.size else ffi.NULL,
            "values": values,
        },
    )
    return layers, c_rows, c_sizes, c_weights, features, places, values, inner


def best_afterstates(
    counts: NDArray[np.int64], actions: NDArray[np.int64], values: NDArray[np.float32]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the position of each action, the place of its best afterstate, and the place of each
    position's best one, see mh_afterstates_best.
    """
    if not len(actions) == len(values) == counts.sum():
        raise ValueError(f"{len(actions)} actions, {len(values)} values, {counts.sum()} counted")
    positions, best = np.empty_like(actions), np.empty_like(actions)
    likely = np.empty_like(counts)
    memory = {
        "counts": ffi.from_buffer("int64_t[]", counts),
        "actions": ffi.from_buffer("int64_t[]", actions),
        "values": ffi.from_buffer("float[]", values),
    }
    judged = ffi.new("struct mh_afterstate_values *", {"count": len(counts), **memory})
    to = (ffi.from_buffer("int64_t[]", one) for one in (positions, best, likely))
    found: int = lib.mh_afterstates_best(judged, *to)
    if found < 0:
        raise ValueError("counts: a position has no way to continue")
    return positions[:found], best[:found], likely


class FitRows(NamedTuple):
    """Rounds that were played to learn from."""

    features: NDArray[np.float32]
    """(count, rows, features)"""
    earned: NDArray[np.float64]
    """(count, rows) from that decision to the end of the round."""
    explored: NDArray[np.uint8]
    """(count, rows) 1: the next move was drawn at random."""
    used: NDArray[np.int32]
    """(count,) rows of each round."""
    returns: NDArray[np.float64]
    """(count, seats) of the round."""


class _Fitting:
    """Memory that a call into the core uses after Ctrl-C as well."""

    def __init__(self, used: object) -> None:
        self.hold, self.used = Hold("net"), used


def play_to_fit(
    handle: GameHandle,
    seeds: NDArray[np.uint64],
    bots: NDArray[np.int32],
    watched: NDArray[np.int32],
    explore: float,
    net: NetMemory | None,
    rows: int,
    threads: int,
) -> FitRows:
    """Play rounds, see mh_game_fit; Ctrl-C does not wait for bots that search."""
    count, message, sizes = len(seeds), new_message(), handle.sizes
    played = FitRows(
        np.zeros((count, rows, sizes.features), np.float32),
        np.zeros((count, rows)),
        np.zeros((count, rows), np.uint8),
        np.zeros(count, np.int32),
        np.zeros((count, sizes.seats)),
    )
    for begin, end in slices(count, 4 * min(threads, max_threads())):
        given: list[tuple[str, NDArray[Any]]] = [
            ("uint64_t[]", seeds), ("int32_t[]", bots), ("int32_t[]", watched),
            ("float[]", played.features), ("double[]", played.earned),
            ("uint8_t[]", played.explored), ("int32_t[]", played.used),
            ("double[]", played.returns),
        ]  # fmt: skip
        parts = [ffi.from_buffer(kind, array[begin:end]) for kind, array in given]
        plan = ffi.new(
            "struct mh_fit_plan *",
            {
                "count": end - begin,
                "seeds": parts[0],
                "bots": parts[1],
                "watched": parts[2],
                "explore": explore,
                "net": net.pointer if net else ffi.NULL,
                "rows": rows,
                "threads": threads,
            },
        )
        out = ffi.new(
            "struct mh_fit_rows *",
            dict(
                zip(("features", "earned", "explored", "used", "returns"), parts[3:], strict=True)
            ),
        )
        call = partial(lib.mh_game_fit, handle.pointer, plan, out, message)
        check(call_apart(_Fitting((handle, net, parts)), call), message)
    return played
