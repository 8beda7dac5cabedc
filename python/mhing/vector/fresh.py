"""``Fresh``: arrays for one caller after another, in memory that nobody else has."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from sys import getrefcount
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

_Kept = TypeVar("_Kept")


def _unused(objects: Iterable[_Kept], count: int) -> _Kept | None:
    """The first of the objects that has so many references."""
    for one in objects:
        if getrefcount(one) == count:
            return one
    return None


_ALONE = next(count for count in range(10) if _unused([object()], count))
"""The references to an object that only its list has; versions of Python count differently."""


class Fresh:
    """Gives out arrays like one of a batch, each to one caller.

    Memory that no caller has any more is given out again: the system gives out its pages cleared,
    and to clear and map them takes longer than to copy. A caller gets a view, so that its memory
    counts as used as long as there is anything made from it, and keeps its shape.
    """

    def __init__(self, array: NDArray[Any]) -> None:
        self._like = array
        self._kept: deque[NDArray[Any]] = deque(maxlen=3)  # one is read while the next is written

    def unset(self) -> NDArray[Any]:
        """Return an array that only the caller has, with anything in it."""
        kept = _unused(self._kept, _ALONE)
        if kept is None:
            kept = np.empty_like(self._like)
            self._kept.append(kept)
        return kept[:]

    def copy(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return a copy that only the caller has."""
        copied = self.unset()
        np.copyto(copied, array)
        return copied
