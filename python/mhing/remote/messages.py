"""Messages as bytes: msgpack, without a copy of what is large."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from mhing._extras import install

try:
    import msgpack
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"endpoint: a server is reached with msgpack and pyzmq: {install('server')}"
    ) from error

SMALL = 1 << 16  # bytes of a message that is copied faster than it is looked into
_ARRAY, _MAX_ITEMS = 0x90, 15  # an array of so many items has its count in its first byte
_OK = b"\xa2ok"
_INTEGERS = {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8}  # bytes after the first one,
_BINARIES = {0xC4: 1, 0xC5: 2, 0xC6: 4}  # and of the length given there


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
    """The items of a message; of a long one, binary results at its beginning are views of it."""
    items: list[Any]
    if len(message) < SMALL or message[1:4] != _OK or message[0] & ~_MAX_ITEMS != _ARRAY:
        items = msgpack.unpackb(message)
        return items
    at = 5 + _INTEGERS.get(message[4], 0)
    items = ["ok", msgpack.unpackb(message[4:at])]
    left = (message[0] & _MAX_ITEMS) - len(items)
    while left and message[at] in _BINARIES:
        begin = at + 1 + _BINARIES[message[at]]
        at = begin + int.from_bytes(message[at + 1 : begin], "big")
        items.append(message[begin:at])
        left -= 1
    items += msgpack.unpackb(bytes([_ARRAY | left]) + message[at:])
    return items
