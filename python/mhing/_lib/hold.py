"""One call at a time: what keeps a second thread out of an object while a call is inside.

The core runs without Python's lock, so that other threads get on while it works.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, Protocol, TypeVar, cast

_Method = TypeVar("_Method", bound=Callable[..., Any])


class Hold:
    """Taken by the call that is inside an object; a second call gets RuntimeError.

    Methods are decorated with :func:`held`. Steps and requests, which must not pay for another
    Python frame, write out what that does. To delete an attribute finds it or raises, in one
    instruction: of two threads one can. Nor does Python look for signals between it and the ``try``
    that follows, as it would in a context manager. The class has no slots: without the
    lock, and before Python 3.14.5, two threads can delete the same slot.

    After a call it does look. So Ctrl-C could come between ``lock.acquire(False)`` and the ``try``,
    and a ``threading.Lock`` would stay taken for ever. With one, steps would also take 7 % longer.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._rest: threading.Event | None = None  # set when an interrupted call has ended
        self.asked = 0  # the thread that the call inside asks something, and that may look
        self.free = True

    def wait_or_refuse(self) -> None:
        """Wait for the end of an interrupted call; if there is none: RuntimeError."""
        if self._rest is not None:
            self._rest.wait()
            if hasattr(self, "free"):
                return
        raise RuntimeError(
            f"this {self._what} is in the middle of a call: either another thread's (give each "
            "thread its own), or the one that is asking you now"
        ) from None


def held(method: _Method) -> _Method:
    """The method, with the object's `_hold` taken during the call."""

    @wraps(method)
    def alone(self: Any, *arguments: Any, **keywords: Any) -> Any:
        hold = self._hold
        try:
            del hold.free
        except AttributeError:
            hold.wait_or_refuse()
            del hold.free
        try:
            return method(self, *arguments, **keywords)
        finally:
            hold.free = True

    return cast("_Method", alone)


def readable(method: _Method) -> _Method:
    """The same for a method that changes nothing: what the call inside asks may use it as well."""
    alone = held(method)

    @wraps(method)
    def read(self: Any, *arguments: Any, **keywords: Any) -> Any:
        if self._hold.asked == threading.get_ident():
            return method(self, *arguments, **keywords)
        return alone(self, *arguments, **keywords)

    return cast("_Method", read)


class Held(Protocol):
    """An object with a hold."""

    hold: Hold


def call_apart(held: Held, call: Callable[[], int]) -> int:
    """Return the result of a long call into C, which Ctrl-C can interrupt.

    Python looks for signals in the main thread, between calls into C. So another thread makes the
    call while the main thread waits. When an exception ends the waiting, the call still runs to its
    end, or to that of the process; the object then gets a new hold, and the next call that takes it
    waits for this one.
    """
    if threading.current_thread() is not threading.main_thread():
        return call()
    statuses: list[int] = []
    undecided = [True]  # whether there is going to be a call; who pops it decides
    rest = Hold(held.hold._what)
    rest._rest = done = threading.Event()
    del rest.free

    def work(_: Held) -> None:  # whose memory C uses, though its owner may be gone
        try:
            undecided.pop()
        except IndexError:
            return
        statuses.append(call())
        rest.free = True
        done.set()

    try:
        threading.Thread(target=work, args=(held,), daemon=True).start()
        done.wait()
    except BaseException:
        try:
            undecided.pop()
        except IndexError:
            held.hold = rest
        raise
    return statuses[0]


def slices(count: int, first: int) -> Iterator[tuple[int, int]]:
    """The parts, from and to, in which C does `count` things so that Ctrl-C does not wait long.

    The first part has `first` things, all others as many as are done in a twentieth of a second,
    and no fewer than `first`.
    """
    begin, end = 0, min(first, count)
    while begin < count:
        clock = time.perf_counter()
        yield begin, end
        rate = (end - begin) / max(time.perf_counter() - clock, 1e-6)
        begin, end = end, min(end + max(int(rate / 20), first), count)


def in_pieces(pieces: Any, call: Callable[[], int]) -> None:
    """Repeat a call into C until it leaves nothing to do, in pieces of a twentieth of a second.

    Args:
        pieces: the struct mh_pieces that the call reads.
        call: returns how much is left.
    """
    for begin, end in slices(sys.maxsize, 64):
        pieces.play_outs = end - begin
        if not call():
            return
