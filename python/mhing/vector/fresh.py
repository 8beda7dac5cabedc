"""``Fresh``: copies of a large array, in memory that nobody else has."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from sys import getrefcount
from typing import Any

import numpy as np
from numpy.typing import NDArray


def _references(objects: Iterable[object]) -> list[int]:
    return [getrefcount(one) for one in objects]


_UNUSED = _references([object()])[0]
"""The references to an object that only its list has; versions of Python count differently."""


class Fresh:
    """Copies an array of a batch for one caller after another.

    Memory that no caller has any more is written again: the system gives out its pages cleared,
    and to clear and map them takes longer than to copy. A caller gets a view, so that its memory
    counts as used as long as there is anything made from it, and keeps its shape.
    """

    def __init__(self, array: NDArray[Any]) -> None:
        self._array = array
        self._kept: deque[NDArray[Any]] = deque(maxlen=3)  # one is read while the next is written

    def copy(self) -> NDArray[Any]:
        """Return a copy that only the caller has."""
        references = _references(self._kept)
        if _UNUSED in references:
            kept = self._kept[references.index(_UNUSED)]
            np.copyto(kept, self._array)
        else:
            kept = self._array.copy()
            self._kept.append(kept)
        return kept[:]
