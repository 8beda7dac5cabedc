"""Writes pixels as a PNG file, which needs nothing but the standard library."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

_TRUE_COLOR = 2


def to_png(pixels: NDArray[np.uint8]) -> bytes:
    """Return the file for (height, width, 3) bytes of red, green and blue."""
    height, width, _ = pixels.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)  # each begins with its filter: none
    rows[:, 1:] = pixels.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, _TRUE_COLOR, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(kind + data))
    return struct.pack(">I", len(data)) + kind + data + check
