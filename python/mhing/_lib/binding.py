"""The compiled module: it is loaded here alone; statuses become exceptions, and bytes texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mhing import _core

ffi: Any = _core.ffi
lib: Any = _core.lib

NULL = ffi.NULL
MESSAGE = ffi.typeof("char[]")
_ERRORS: dict[int, type[Exception]] = {
    lib.MH_ERROR_OVER: RuntimeError,
    lib.MH_ERROR_BETWEEN: RuntimeError,
    lib.MH_ERROR_ORDER: RuntimeError,
    lib.MH_ERROR_MEMORY: MemoryError,
}
_REASONS = {
    lib.MH_ERROR_OVER: "the episode is over: nobody is to act",
    lib.MH_ERROR_BETWEEN: "the state is between rounds: nobody is to act; next_round() deals",
}
"""Messages of errors for which the core writes none."""


def new_message() -> Any:
    return ffi.new(MESSAGE, lib.MH_MESSAGE_SIZE)


def text_of(data: Any) -> str:
    text: str = ffi.string(data).decode()
    return text


def check(status: int, message: Any = None) -> None:
    """Raise what a status other than MH_OK stands for, with the core's own words."""
    if status < 0:
        # A quotation in it may have been cut off within a character.
        words = ffi.string(message).decode(errors="ignore") if message is not None else ""
        words = words or _REASONS.get(status, text_of(lib.mh_status_name(status)))
        raise _ERRORS.get(status, ValueError)(words)


def read_text(write: Callable[[Any, int], int], size: int = 1 << 14) -> str:
    """The whole text of a core function that writes like snprintf; `size` is often enough."""
    while True:
        buffer = ffi.new(MESSAGE, size)
        length = write(buffer, size)
        if length < size:
            return text_of(buffer)
        size = length + 1


def checked_length(length: int, message: Any) -> int:
    """The length of a text, or what a status in its place stands for."""
    check(length, message)
    return length


def max_threads() -> int:
    """The most threads that work is shared among, however many are asked for."""
    threads: int = lib.mh_max_threads()
    return threads
