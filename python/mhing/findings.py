"""Findings about the moves of a position, for :class:`mhing.State` to return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Afterstates(NamedTuple):
    """The positions left after moves, before anything new is drawn or shown."""

    actions: NDArray[np.int32]
    """(n,) equal ids are adjacent: one for each way in which the seat itself may continue."""
    features: NDArray[np.float32]
    """(n, features) what a net judges: the numbers of :attr:`mhing.Game.features`; 0 where the
    value is certain."""
    values: NDArray[np.float64]
    """(n,) what the seat will earn by the action where that is certain, else NaN."""


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """The findings of a search about each legal action.

    Half widths are of intervals that hold the truth in 95 of 100 cases; with fewer than about 25
    visits they do so less often. Actions that were given up early have fewer visits, and may be
    better than they look. Those that were not tried have none, and NaN elsewhere.
    """

    action: int
    """The action to play."""
    prior: int
    """The prior bot's action; left only for what is better beyond doubt."""
    actions: NDArray[np.int64]
    """(n,) the legal actions, in ascending order."""
    visits: NDArray[np.int64]
    """(n,) play-outs that began with the action."""
    values: NDArray[np.float64]
    """(n,) what the seat to act will earn to the end of the round, the mean of the play-outs.

    Where only the end of a game is rewarded, in what rounds pay towards it: credits, say."""
    halves: NDArray[np.float64]
    """(n,) half width of its interval."""
    gains: NDArray[np.float64]
    """(n,) by how much that is more than with the prior's action, in the same worlds."""
    gain_halves: NDArray[np.float64]
    """(n,) half width of its interval."""

    @property
    def compared(self) -> NDArray[np.float64]:
        """(n,) the value of the prior's action plus the gains: `values` with less noise between."""
        compared: NDArray[np.float64] = self.values[self.actions == self.prior] + self.gains
        return compared


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """A bot's expectation of each legal action."""

    actions: NDArray[np.int64]
    """(n,) the legal actions, in ascending order."""
    values: NDArray[np.float64]
    """(n,) what the seat to act will earn to the end of the round; NaN where it does not judge."""
