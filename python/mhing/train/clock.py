"""Seconds by part, for the log of a run."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager


class Clock:
    """Seconds by part, since they were last taken.

    >>> clock = Clock()
    >>> with clock.part("update"):
    ...     pass
    >>> list(clock.take())
    ['update']
    """

    def __init__(self) -> None:
        self._spent: dict[str, float] = {}

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Around what belongs to a part."""
        begun = time.perf_counter()
        try:
            yield
        finally:
            self._add(name, time.perf_counter() - begun)

    def add_mean(self, taken: Sequence[Mapping[str, float]]) -> None:
        """Add what actors took who played at the same time: the mean of them."""
        for one in taken:
            for name, seconds in one.items():
                self._add(name, seconds / len(taken))

    def take(self) -> dict[str, float]:
        """The seconds of each part; the clock begins anew."""
        spent, self._spent = self._spent, {}
        return spent

    def _add(self, name: str, seconds: float) -> None:
        self._spent[name] = self._spent.get(name, 0.0) + seconds
