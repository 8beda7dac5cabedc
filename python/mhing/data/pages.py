"""Pages of Parquet files whose columns are numbers, or lists of bytes of a fixed length.

pyarrow takes a number of a list four bytes wide and handles its levels one by one, which takes
several times as long. Here a list of bytes is written and read as it lies in memory: the dictionary
of its column counts from 0, so that the bytes are their own indices, and all rows have the same
levels. To other readers these are files as any other.

The specification, parquet.thrift, gives each field the number that it has here.
"""

from __future__ import annotations

import base64
import math
from importlib import import_module
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mhing.data.columns import Batch

CREATOR = "mhing"
"""The writer that files name: their lists can be read by :func:`read_lists`."""

_MAGIC = b"PAR1"
_PAGE = 1 << 20
"""Bytes of a page, about."""

# Numbers of the format: its types, and its logical ones by the older name.
_TYPES = {"<i4": 1, "<i8": 2, "<f4": 4}
_WIDTHS = {"u1": 11, "u8": 14, "i1": 15, "i4": 17, "i8": 18}
_REQUIRED, _REPEATED = 0, 2
_LIST = 3
_PLAIN, _RLE, _RLE_DICTIONARY = 0, 3, 8
_DATA_PAGE, _DICTIONARY_PAGE = 0, 2
_ZSTD = 6
_STRUCT = 12  # of Thrift


class Writer:
    """Writes row groups to a file; :meth:`close` adds what the file says of itself by `schema`.

    Args:
        file: an empty file.
        schema: pyarrow's; fields are numbers or fixed-size lists of ``uint8`` or ``int8``, and
            none of them is null. What a field holds has to have its type.
    """

    def __init__(self, file: BinaryIO, schema: Any) -> None:
        self._file, self.schema = file, schema
        self._compress = import_module("pyarrow").Codec("zstd").compress
        self._columns = [_Column.of(field) for field in schema]
        self._groups: list[_Part] = []
        self._rows = 0
        self._end = file.write(_MAGIC)

    def write(self, batch: Batch) -> None:
        """Write a row group: an entry or a line for each row, under the name of each field."""
        rows, begin = len(batch[self._columns[0].name]), self._end
        if not rows:
            return
        chunks = [self._chunk(column, batch[column.name]) for column in self._columns]
        columns = [_struct({2: _i64(0), 3: chunk}) for chunk, _ in chunks]
        self._groups.append(
            _struct(
                {
                    1: _list(columns),
                    2: _i64(sum(size for _, size in chunks)),
                    3: _i64(rows),
                    5: _i64(begin),
                    6: _i64(self._end - begin),
                }
            )
        )
        self._rows += rows

    def close(self) -> None:
        """Write the footer; the file stays open."""
        described = base64.b64encode(self.schema.serialize()).strip()
        metadata = {**self.schema.metadata, b"ARROW:schema": described}
        children = len(self._columns)
        root = _struct({4: _text(b"schema"), 5: _i32(children)})
        elements = [part for column in self._columns for part in column.elements()]
        footer = _struct(
            {
                1: _i32(2),
                2: _list([root, *elements]),
                3: _i64(self._rows),
                4: _list(self._groups),
                5: _list([_struct({1: _text(k), 2: _text(v)}) for k, v in metadata.items()]),
                6: _text(CREATOR.encode()),
                7: _list([_struct({1: _struct({})})] * children),  # numbers are in their order
            }
        ).payload
        self._file.write(footer + len(footer).to_bytes(4, "little") + _MAGIC)

    def _chunk(self, column: _Column, array: NDArray[Any]) -> tuple[_Part, int]:
        """Write a column's pages; return its metadata, and its size before compression."""
        begin, size, encodings = self._end, 0, {_PLAIN, _RLE}
        facts = {9: _i64(begin)}
        if column.kind.itemsize == 1:
            top = int(array.view(np.uint8).max())
            words = np.arange(top + 1).astype(np.uint8).view(column.kind).astype("<i4").tobytes()
            header = _struct({1: _i32(top + 1), 2: _i32(_PLAIN)})
            size += self._page(_DICTIONARY_PAGE, {7: header}, words)
            facts = {9: _i64(self._end), 11: _i64(begin)}
            encodings.add(_RLE_DICTIONARY)
        step = max(_PAGE // (column.kind.itemsize * column.width), 1)
        for first in range(0, len(array), step):
            part = array[first : first + step]
            encoding, content = column.encoded(part)
            header = _struct({1: _i32(part.size), 2: _i32(encoding), 3: _i32(_RLE), 4: _i32(_RLE)})
            size += self._page(_DATA_PAGE, {5: header}, content)
        chunk = {
            1: _i32(_TYPES[column.stored.str]),
            2: _list([_i32(encoding) for encoding in sorted(encodings)]),
            3: _list([_text(name) for name in column.path]),
            4: _i32(_ZSTD),
            5: _i64(array.size),
            6: _i64(size),
            7: _i64(self._end - begin),
            **facts,
        }
        if column.width == 1:
            low, high = (end.astype(column.stored).tobytes() for end in (array.min(), array.max()))
            chunk[12] = _struct({3: _i64(0), 5: _text(high), 6: _text(low)})
        return _struct(chunk), size

    def _page(self, kind: int, header: dict[int, _Part], content: bytes) -> int:
        """Write a page; return its size before compression."""
        packed = self._compress(content, asbytes=True)
        sizes = {1: _i32(kind), 2: _i32(len(content)), 3: _i32(len(packed))}
        head = _struct(sizes | header).payload
        self._end += self._file.write(head) + self._file.write(packed)
        return len(head) + len(content)


class _Column(NamedTuple):
    """A column: its name, the type of its numbers, and how many a row has; 1: it is no list."""

    name: str
    kind: np.dtype[Any]
    width: int
    is_list: bool

    @staticmethod
    def of(field: Any) -> _Column:
        """The column of pyarrow's field."""
        is_list = hasattr(field.type, "list_size")
        kind = field.type.value_type if is_list else field.type
        width = field.type.list_size if is_list else 1
        return _Column(field.name, np.dtype(kind.to_pandas_dtype()), width, is_list)

    @property
    def stored(self) -> np.dtype[Any]:
        """The type of its numbers in the file."""
        size = max(self.kind.itemsize, 4)
        return np.dtype(f"<{'f' if self.kind.kind == 'f' else 'i'}{size}")

    @property
    def path(self) -> list[bytes]:
        """The names from the root to its numbers."""
        name = self.name.encode()
        return [name, b"list", b"element"] if self.is_list else [name]

    def elements(self) -> list[_Part]:
        """Its part of the schema."""
        number = {
            1: _i32(_TYPES[self.stored.str]),
            3: _i32(_REQUIRED),
            4: _text(self.path[-1]),
        }
        if self.kind.kind != "f":
            number[6] = _i32(_WIDTHS[self.kind.str[1:]])
        if not self.is_list:
            return [_struct(number)]
        name, inner, _ = self.path
        return [
            _struct({3: _i32(_REQUIRED), 4: _text(name), 5: _i32(1), 6: _i32(_LIST)}),
            _struct({3: _i32(_REPEATED), 4: _text(inner), 5: _i32(1)}),
            _struct(number),
        ]

    def encoded(self, part: NDArray[Any]) -> tuple[int, bytes]:
        """The encoding and the content of a page with these rows."""
        if self.kind.itemsize > 1:
            return _PLAIN, part.astype(self.stored).tobytes()
        levels = b""
        if self.is_list:
            # A row begins with its first number (0); the others (1) belong to the same row.
            row = _run(1, 0) + (_run(self.width - 1, 1) if self.width > 1 else b"")
            for runs in (row * len(part), _run(part.size, 1)):
                levels += len(runs).to_bytes(4, "little") + runs
        groups = math.ceil(part.size / 8)
        indices = b"\x08" + _varint(groups << 1 | 1)
        padding = bytes(groups * 8 - part.size)
        return _RLE_DICTIONARY, b"".join([levels, indices, part.data, padding])


def read_lists(chunk: bytes, width: int) -> NDArray[np.uint8]:
    """(rows, width) the bytes of a column of lists in one row group.

    Args:
        chunk: the column's pages, as :class:`Writer` has written them.
        width: how many bytes a list has.

    Raises:
        ValueError, IndexError, OSError: they are damaged.
    """
    decompress = import_module("pyarrow").Codec("zstd").decompress
    parts, at = [], 0
    while at < len(chunk):
        header, at = _read_struct(chunk, at)
        end = at + header[3]
        if header[1] == _DATA_PAGE:
            content = decompress(chunk[at:end], header[2], asbytes=True)
            place = 0
            for _ in range(2):  # levels
                place += 4 + int.from_bytes(content[place : place + 4], "little")
            _, place = _read_varint(content, place + 1)
            parts.append(np.frombuffer(content, np.uint8, header[5][1], place))
        at = end
    return np.concatenate(parts).reshape(-1, width)


def _run(count: int, value: int) -> bytes:
    """A run of `count` times the same level."""
    return _varint(count << 1) + bytes([value])


# ---- Thrift's compact protocol, in which the headers are ----------------------------------------


class _Part(NamedTuple):
    """A value: the number of its type, and its bytes."""

    type: int
    payload: bytes


def _varint(number: int) -> bytes:
    parts = []
    while number >= 0x80:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*parts, number])


def _i32(number: int) -> _Part:
    return _Part(5, _varint(number << 1))


def _i64(number: int) -> _Part:
    return _Part(6, _varint(number << 1))


def _text(text: bytes) -> _Part:
    return _Part(8, _varint(len(text)) + text)


def _list(parts: list[_Part]) -> _Part:
    """A list of parts of one type, at least one."""
    kind, count = parts[0].type, len(parts)
    head = bytes([count << 4 | kind]) if count < 15 else bytes([0xF0 | kind]) + _varint(count)
    return _Part(9, head + b"".join(part.payload for part in parts))


def _struct(fields: dict[int, _Part]) -> _Part:
    """A struct by the numbers of its fields."""
    content, last = bytearray(), 0
    for number, part in sorted(fields.items()):
        content.append((number - last) << 4 | part.type)
        content += part.payload
        last = number
    return _Part(_STRUCT, bytes(content) + b"\0")


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    """Return the number at a place, and the place after it."""
    number = shift = 0
    while data[at] & 0x80:
        number |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
    return number | data[at] << shift, at + 1


def _read_struct(data: bytes, at: int) -> tuple[dict[int, Any], int]:
    """Return a struct of numbers and structs by the numbers of its fields, and the place after."""
    fields: dict[int, Any] = {}
    number = 0
    while head := data[at]:
        number += head >> 4
        if head & 0xF == _STRUCT:
            fields[number], at = _read_struct(data, at + 1)
        else:
            double, at = _read_varint(data, at + 1)
            fields[number] = double >> 1
    return fields, at + 1
