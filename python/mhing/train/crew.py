"""Actors that play for a learner in other processes; one that is lost is replaced.

A `Hand` holds an actor. It is told to call a method of it, and asked for the result later, so that
all actors work at the same time.
"""

from __future__ import annotations

import logging
import multiprocessing
import pickle
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import torch

_log = logging.getLogger(__name__)


class Lost(Exception):
    """The actor is gone: its process was killed, or its node."""


class Hand(Protocol):
    """Holds one actor."""

    def tell(self, method: str, *arguments: Any) -> None:
        """Begins a call of a method of the actor; raises `Lost`."""

    def result(self) -> Any:
        """What the call begun last has returned; raises `Lost`, or what the method raised."""


class Crew:
    """As many actors as `count`, in their order.

    Args:
        hire: makes the hand of an actor by its number; numbers are never used twice.
        count: how many.
    """

    def __init__(self, hire: Callable[[int], Hand], count: int) -> None:
        self._hire, self._count = hire, count
        self.lost = 0
        """How many actors have been replaced."""
        self._hands: list[Hand] = []

    def call(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Calls a method of all actors, each with its own arguments, at the same time.

        An actor that is lost is replaced by a new one, which is told the same.
        """
        while len(self._hands) < self._count:  # only when they are needed
            self._hands.append(self._hire(len(self._hands)))
        for place, given in enumerate(arguments):
            try:
                self._hands[place].tell(method, *given)
            except Lost:
                self._replace(place).tell(method, *given)
        results = []
        for place, given in enumerate(arguments):
            try:
                results.append(self._hands[place].result())
            except Lost:
                hand = self._replace(place)
                hand.tell(method, *given)
                results.append(hand.result())
        return results

    def _replace(self, place: int) -> Hand:
        _log.warning("actor %d is lost; another one begins new games in its place", place)
        self._hands[place] = self._hire(self._count + self.lost)
        self.lost += 1
        return self._hands[place]


class Here:
    """A hand for an actor in the learner's own process."""

    def __init__(self, actor: Any) -> None:
        self._actor, self._told = actor, ("", ())

    def tell(self, method: str, *arguments: Any) -> None:
        """See :class:`Hand`."""
        self._told = method, arguments

    def result(self) -> Any:
        """See :class:`Hand`."""
        method, arguments = self._told
        return getattr(self._actor, method)(*arguments)


class Process:
    """A hand for an actor in a process of this machine; `make(*arguments)` makes it there."""

    def __init__(self, make: Callable[..., Any], *arguments: Any) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, make, arguments), daemon=True)
        self.process.start()
        theirs.close()  # so that the pipe ends with the process

    def tell(self, method: str, *arguments: Any) -> None:
        """See :class:`Hand`."""
        try:
            self._pipe.send_bytes(pickle.dumps((method, arguments)))
        except OSError as error:
            raise Lost from error

    def result(self) -> Any:
        """See :class:`Hand`."""
        try:
            succeeded, value = pickle.loads(self._pipe.recv_bytes())
        except (EOFError, OSError) as error:
            raise Lost from error
        if not succeeded:
            raise value
        return value

    def __del__(self) -> None:
        """Ends the actor, who waits for what the pipe brings."""
        self._pipe.close()
        self.process.join(timeout=5)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def _serve(pipe: Any, make: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """Calls methods of an actor until the pipe ends, with the learner or by its will."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the learner ends it
    torch.set_num_threads(1)
    actor = None
    while True:
        try:
            method, given = pickle.loads(pipe.recv_bytes())
        except (EOFError, OSError):
            sys.exit(0)
        try:
            actor = actor or make(*arguments)
            answer = True, getattr(actor, method)(*given)
        except Exception as error:  # whatever it is, the learner is told
            answer = False, error
        pipe.send_bytes(pickle.dumps(answer))
