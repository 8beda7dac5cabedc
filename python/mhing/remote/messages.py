"""Messages as bytes: msgpack, and numbers in their order there."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from mhing._support.extras import install

try:
    import msgpack
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"endpoint: a server is reached with msgpack and pyzmq: {install('server')}"
    ) from error


def packer() -> Callable[..., bytes]:
    """A :func:`pack` that keeps its memory between messages: for one thread at a time."""
    write = msgpack.Packer().pack

    def pack(*items: Any) -> bytes:
        try:
            data: bytes = write(items)
        except OverflowError:
            text = f"{items[0]}: a number has more than the 64 bits of messages"
            raise ValueError(text) from None
        return data

    return pack


def pack(*items: Any) -> bytes:
    """The message of these items; ValueError for numbers of more than 64 bits."""
    return packer()(*items)


def turned(data: bytes | memoryview, width: int) -> bytes | memoryview:
    """Numbers of `width` bytes in the order of messages, little-endian, from that of this machine.

    It works both ways; where the two are the same, the bytes come back as they are.
    """
    if width == 1 or sys.byteorder == "little":
        return data
    swapped: bytes = np.frombuffer(data, f"u{width}").byteswap().tobytes()
    return swapped


def unpack(message: bytes | memoryview) -> list[Any]:
    """The items of a message.

    A text that is not UTF-8, which others may have written, stops nobody.
    """
    items: list[Any] = msgpack.unpackb(message, unicode_errors="replace")
    return items
