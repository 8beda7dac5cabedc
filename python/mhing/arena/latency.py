"""The time that players take for their answers."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

_STEPS = 64  # of a doubling: times of one bucket differ by 1.1 %
_LEAST = 1e-9  # seconds


@dataclass(frozen=True)
class Latency:
    """The time that a player's answers took, in seconds; a player's clock counts each of them."""

    decisions: int
    """Answers that were counted, without the first one of each process or callable."""
    median: float | None
    """The median, like `p95` to 1 %; None: there are none."""
    p95: float | None
    """19 of 20 were faster."""
    longest: float | None
    start: float | None
    """The longest time of a process from its start to its first answer, or of a first call.
    None: there was none, as of guests."""


class Times:
    """Counts times in buckets, so that any number of them takes little memory."""

    def __init__(self) -> None:
        self._buckets = Counter[int]()
        self._longest = 0.0
        self._start: float | None = None

    def add(self, seconds: float, answers: int = 1) -> None:
        """Add the time that each of so many answers took."""
        self._buckets[round(_STEPS * math.log2(max(seconds, _LEAST)))] += answers
        self._longest = max(self._longest, seconds)

    def started(self, seconds: float) -> None:
        """Add the time of a first answer."""
        self._start = max(self._start or 0.0, seconds)

    def latency(self) -> Latency | None:
        """The figures; None: nothing was added."""
        count = sum(self._buckets.values())
        if not count:
            return None if self._start is None else Latency(0, None, None, None, self._start)
        median, p95 = self._quantile(count / 2), self._quantile(0.95 * count)
        return Latency(count, median, p95, self._longest, self._start)

    def _quantile(self, rank: float) -> float:
        """The time of the answer of this rank."""
        passed = 0
        for bucket in sorted(self._buckets):
            passed += self._buckets[bucket]
            if passed >= rank:
                return min(2 ** (bucket / _STEPS), self._longest)
        raise AssertionError
