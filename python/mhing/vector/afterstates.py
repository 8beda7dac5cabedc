"""Afterstates of many rows at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class RowAfterstates(NamedTuple):
    """:class:`mhing.game.Afterstates` of many rows, row after row, in arrays of `n` entries."""

    rows: NDArray[np.int32]
    """(n,) ascending; none where the episode is over."""
    actions: NDArray[np.int32]
    """(n,) equal ids in a row are adjacent: one for each way to continue."""
    features: NDArray[np.float32]
    """(n, features) what a net judges; 0 where the value is certain."""
    values: NDArray[np.float64]
    """(n,) what the seat will earn by the action where that is certain, else NaN."""
