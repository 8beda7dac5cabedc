"""The bytes of observations: where their fields are, and views of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mhing.description import Field

_SEATS = "the blocks of the seats"  # which no field is called, since names are identifiers


def layout_of(size: int, table: list[Field]) -> np.dtype[np.void]:
    """The bytes of an observation as a struct: its fields, and an array of the seats' blocks."""

    def struct(fields: Sequence[Field], begin: int, size: int) -> Any:
        return {
            "names": [field.name for field in fields],
            "formats": [(np.uint8, field.shape[field.per_seat :]) for field in fields],
            "offsets": [field.offset - begin for field in fields],
            "itemsize": size,
        }

    whole = struct([field for field in table if not field.per_seat], 0, size)
    of_seats = [field for field in table if field.per_seat]
    if of_seats:
        first = of_seats[0]  # with which a block begins
        block = np.dtype(struct(of_seats, first.offset, first.strides[0]))
        whole["names"].append(_SEATS)
        whole["formats"].append((block, first.shape[:1]))
        whole["offsets"].append(first.offset)
    layout: np.dtype[np.void] = np.dtype(whole)
    return layout


def unpacked(
    array: NDArray[np.uint8], layout: np.dtype[np.void], table: list[Field]
) -> dict[str, NDArray[np.uint8]]:
    """The fields of observations as views; ValueError where the array holds others."""
    size = layout.itemsize
    if not isinstance(array, np.ndarray) or array.dtype != np.uint8 or array.shape[-1:] != (size,):
        actual = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else repr(array)
        raise ValueError(
            f"observation: {actual} does not fit this game and its options; "
            f"expected a uint8 array (..., {size})"
        )
    if array.strides[-1] != 1:
        array = np.ascontiguousarray(array)
    whole = array.view(layout)[..., 0]
    seats = whole[_SEATS] if _SEATS in (layout.names or ()) else whole
    return {field.name: (seats if field.per_seat else whole)[field.name] for field in table}
