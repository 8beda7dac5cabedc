"""The progress of a long command: done, speed, remaining time and standings."""

from __future__ import annotations

import argparse
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from mhing.cli.common import Progress
from mhing.cli.streams import one_line, say

Show = Callable[[int, int, str, Callable[[], str]], None]
"""Is called with how much is done, of how much, what is being done, and what gives the standings in
a line."""

_OFTEN = 30.0  # seconds between two lines where stderr is no terminal
_WINDOW = 10.0  # seconds over which the rate is taken: what a log holds is read at once


def add_quiet_argument(parser: argparse.ArgumentParser) -> None:
    """Declare --quiet, as `args.quiet`."""
    parser.add_argument("--quiet", action="store_true", help="show no progress")


@contextmanager
def pace(
    label: str, unit: str, quiet: bool, clock: Callable[[], float] = time.monotonic
) -> Iterator[Show | None]:
    """The progress with the rate, the time left and the standings.

    On a terminal it is a bar, otherwise a line now and then.

    Args:
        label: before the bar.
        unit: what is counted, in the plural.
        quiet: shows nothing.
        clock: in seconds.

    Returns:
        What shows it; None if it is to be quiet.
    """
    if quiet:
        yield None
        return
    progress, rate, said = Progress(label), Rate(clock), clock()

    def words(done: int, of: int, what: str) -> str:
        return ", ".join(filter(None, (what, f"{done:,} of {of:,} {unit}", rate.words(of))))

    def full(short: str, standings: Callable[[], str]) -> str:
        return "; ".join(filter(None, (short, standings())))

    def show(done: int, of: int, what: str, standings: Callable[[], str]) -> None:
        nonlocal said
        rate.add(done)
        if progress.live:
            short = words(done, of, what)
            progress.update(done / of, lambda: [full(short, standings), short])
        elif clock() >= said + _OFTEN:
            said = clock()
            say(one_line(f"{label}: {full(words(done, of, what), standings)}"))

    with progress if progress.live else nullcontext():
        yield show


class Rate:
    """Return the recent speed, in units a second.

    >>> seconds = iter([0.0, 2.0])
    >>> rate = Rate(lambda: next(seconds))
    >>> rate.add(0)
    >>> rate.add(100)
    >>> rate.words(10_000)
    '50.0 a second, 3:18 left'
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._samples: deque[tuple[float, int]] = deque()  # when, and how much was done

    def add(self, done: int) -> None:
        """Note the work done by now; the first call notes what a log held, which does not count."""
        now = self._clock()
        self._samples.append((now, done))
        while len(self._samples) > 2 and self._samples[1][0] <= now - _WINDOW:
            self._samples.popleft()

    def words(self, of: int) -> str:
        """The rate, and the time until so much is done; nothing as long as they are not known."""
        (begun, before), (now, done) = self._samples[0], self._samples[-1]
        if now == begun or done == before:
            return ""
        rate = (done - before) / (now - begun)
        minutes, seconds = divmod(round(max(of - done, 0) / rate), 60)
        hours, minutes = divmod(minutes, 60)
        left = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
        return f"{rate:,.{0 if rate >= 100 else 1}f} a second, {left} left"
