"""Ctrl-C, held back where it would leave something half done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

One = TypeVar("One")


class _Hold:
    """Ctrl-C as long as :func:`held` lasts."""

    def __init__(self) -> None:
        self.pressed = self.raised = self.is_open = False

    def press(self, *_: Any) -> None:
        """Handle SIGINT: a second one is raised at once."""
        again, self.pressed = self.pressed, True
        if again or self.is_open:
            self.take()

    def take(self) -> None:
        """Raise the KeyboardInterrupt that has been held back."""
        self.raised = True
        raise KeyboardInterrupt


_holds: list[_Hold] = []  # one at most: signals belong to the process


@contextmanager
def held() -> Iterator[None]:
    """Hold Ctrl-C back until the end, but inside :func:`taken`.

    It does nothing in other threads than the main one, nor where something else handles Ctrl-C.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if _holds or not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    hold = _Hold()
    _holds.append(hold)
    signal.signal(signal.SIGINT, hold.press)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        _holds.clear()
    if hold.pressed and not hold.raised:
        hold.take()


@contextmanager
def taken() -> Iterator[None]:
    """Let Ctrl-C raise KeyboardInterrupt inside, also one that was pressed before."""
    is_main = threading.current_thread() is threading.main_thread()
    hold = _holds[0] if _holds and is_main else None
    if hold is None:
        yield
        return
    hold.is_open = True
    try:
        if hold.pressed and not hold.raised:
            hold.take()
        yield
    finally:
        hold.is_open = False


def each(items: Iterable[One]) -> Iterator[One]:
    """The items; Ctrl-C is :func:`taken` while the next one is made."""
    iterator = iter(items)
    while True:
        with taken():
            try:
                item = next(iterator)
            except StopIteration:
                return
        yield item
