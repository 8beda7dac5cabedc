"""Paired statistics: means over deals, and intervals for those who look once or all the time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

LEVEL = 0.95
"""The level of all intervals."""

LOOK = 100
"""Deals after which differences are looked at for the first time, and again each time."""

LEARN = 10
"""Deals from which coefficients of control variates are learned before any is used; after as many
they count half, since they are noisy: that makes intervals a little narrower."""

_TINY = 1e-9

_TIGHTEST = 1000  # deals at which the intervals for repeated looks are tightest


class Figures:
    """Sums of the players' rewards, added up one deal after the other.

    The mean and the spread of each player come first, then those of each pair's difference, the
    first less the second, in the order of `pairs`. They are doubles in a fixed order of additions,
    so that they are the same on every machine.
    """

    def __init__(self, players: int) -> None:
        self.players, self.deals = players, 0
        self.pairs = list(combinations(range(players), 2))
        self._first = np.array([pair[0] for pair in self.pairs], np.intp)
        self._second = np.array([pair[1] for pair in self.pairs], np.intp)
        self._sums = np.zeros(players + len(self.pairs))
        self._squares = np.zeros_like(self._sums)  # of what is off the mean, summed

    def add(self, earned: NDArray[np.float64]) -> None:
        """Add a deal: what each player earned a game."""
        self._add(np.concatenate([earned, self._differences(earned)]))

    def _differences(self, earned: NDArray[np.float64]) -> NDArray[np.float64]:
        found: NDArray[np.float64] = earned[self._first] - earned[self._second]
        return found

    def _add(self, numbers: NDArray[np.float64]) -> None:
        off = numbers - self.means
        self._sums += numbers
        self.deals += 1
        self._squares += off * (numbers - self.means)

    @property
    def means(self) -> NDArray[np.float64]:
        """The means of the players, then of the differences; 0 before the first deal."""
        return self._sums / max(1, self.deals)

    def intervals(self, always: bool) -> NDArray[np.float64]:
        """Half the width of each interval; infinite before the second deal.

        Args:
            always: intervals that hold at all times at once, for those who look repeatedly; those
                of differences also hold for all pairs at once. False: at this number of deals,
                each on its own.
        """
        if self.deals < 2:
            return np.full(len(self.means), math.inf)
        spread = np.sqrt(self._squares / (self.deals - 1))
        if not always:
            usual: NDArray[np.float64] = spread * (student(self.deals - 1) / math.sqrt(self.deals))
            return usual
        widths = np.full(len(self.means), always_valid(self.deals, 1 - LEVEL))
        widths[self.players :] = always_valid(self.deals, (1 - LEVEL) / max(1, len(self.pairs)))
        wider: NDArray[np.float64] = spread * widths
        return wider

    def decided(self) -> NDArray[np.bool_]:
        """True for each pair whose interval for repeated looks leaves out zero.

        Of equal players, some pair is ever decided with a chance of 5 %.
        """
        if self.deals < LOOK:
            return np.zeros(len(self.pairs), np.bool_)
        found: NDArray[np.bool_] = np.abs(self.means) > self.intervals(always=True)
        return found[self.players :]


class Controlled(Figures):
    """The same of estimates from which control variates are subtracted.

    Control variates are numbers whose means are zero. Those of a deal are multiplied by the
    coefficients that would have made the spread of the pairs' differences least in the deals
    before: no deal has a part in its coefficients, so that the means stay unbiased, with any number
    of deals and looks. The means of the players have none subtracted.
    """

    def __init__(self, players: int) -> None:
        super().__init__(players)
        # Of the two variates, then of the estimate, by pair: means; and what is off them, each
        # multiplied by each and summed.
        self._centres = np.zeros((3, len(self.pairs)))
        self._products = np.zeros((3, 3, len(self.pairs)))

    def add_controlled(
        self, earned: NDArray[np.float64], variates: Sequence[NDArray[np.float64]]
    ) -> None:
        """Add a deal: estimates of what each player earned a game, and two variates of each."""
        numbers = np.array([self._differences(one) for one in (*variates, earned)])
        first, second = self._coefficients()
        controlled = numbers[2] - first * numbers[0] - second * numbers[1]
        self._add(np.concatenate([earned, controlled]))
        off = numbers - self._centres
        self._centres += off / self.deals
        self._products += off[:, None] * (numbers - self._centres)

    def _coefficients(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Fit them by least squares, closer to 0 with few deals; 0 for one that says nothing."""
        if self.deals < LEARN:
            return np.zeros(len(self.pairs)), np.zeros(len(self.pairs))
        (first, both, by_first), (_, second, by_second), _ = self._products
        share = _ratio(both, first)
        rest = second - share * both
        of_second = _ratio(by_second - share * by_first, np.where(rest > _TINY * second, rest, 0))
        trust = self.deals / (self.deals + LEARN)
        return trust * (_ratio(by_first, first) - of_second * share), trust * of_second


def _ratio(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """One divided by the other; 0 where that is 0."""
    found: NDArray[np.float64] = np.where(other > 0, one, 0) / np.where(other > 0, other, 1)
    return found


def student(freedom: int) -> float:
    """The factor of a 95 % interval: Student's t, by Hill's expansion about the normal one."""
    if freedom <= 2:
        return (12.706204736432095, 4.302652729911275)[freedom - 1]
    z = NormalDist().inv_cdf((1 + LEVEL) / 2)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    for i, term in enumerate(terms):
        z += term / float(freedom) ** (i + 1)
    return z


def always_valid(count: int, alpha: float) -> float:
    """Half the width, in standard deviations, of an asymptotic confidence sequence.

    With the chance 1 - `alpha` the mean is inside at all counts (Waudby-Smith, Arbour, Sinha,
    Kennedy and Ramdas: Time-uniform central limit theory and asymptotic confidence sequences, 2024,
    theorem 2.2).
    """
    tail = -2 * math.log(alpha)
    mixing = (tail + math.log(tail + 1)) / _TIGHTEST
    growth = count * mixing + 1
    return math.sqrt(2 * growth / (count * count * mixing) * math.log(math.sqrt(growth) / alpha))
