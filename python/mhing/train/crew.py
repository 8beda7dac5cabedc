"""Actors that play for a learner, in its own process or in others.

A `Hand` holds an actor. It is sent a call of a method, and asked for the result later, so that
all actors work at the same time. A `Crew` has the hands, which may be others from one call to the
next: an actor that is lost is replaced.
"""

from __future__ import annotations

import logging
import multiprocessing
import pickle
import signal
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import torch

from mhing.train.learner import Settings

_log = logging.getLogger(__name__)


class Lost(Exception):
    """The actor is gone: its process was killed, or its node."""


class Hand(Protocol):
    """Holds one actor."""

    node: str
    """Where it plays; empty: on the learner's machine."""

    def send(self, method: str, *arguments: Any) -> None:
        """Sends a call of a method to the actor; raises `Lost`."""

    def result(self) -> Any:
        """What the call sent last has returned; raises `Lost`, or what the method raised."""


class Crew(ABC):
    """The hands that a learner has, in their order."""

    def __init__(self) -> None:
        self.hands: list[Hand] = []
        self.lost = 0
        """How many actors have been lost."""

    @abstractmethod
    def muster(self) -> None:
        """Brings `hands` up to date, between two calls; there is one at least.

        Raises:
            ValueError: nobody can play.
        """

    def put(self, value: Any) -> Any:
        """What to give to `call` for a value that all actors get."""
        return value

    def call(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> dict[int, Any]:
        """Calls a method of the first actors, each with its own arguments, at the same time.

        Returns:
            What each has returned, by its place; lost ones are missing here and, from
            now on, among the hands.
        """
        results, sent = {}, list(zip(self.hands, arguments, strict=False))
        lost = []
        for hand, given in sent:
            try:
                hand.send(method, *given)
            except Lost:
                lost.append(hand)
        for place, (hand, _) in enumerate(sent):
            try:
                if hand not in lost:
                    results[place] = hand.result()
            except Lost:
                lost.append(hand)
        if lost:
            self.lost += len(lost)
            self.hands = [hand for hand in self.hands if hand not in lost]
            _log.warning("%d of %d actors are lost", len(lost), len(sent))
        return results

    def numbers(self) -> dict[str, float]:
        """For the log: how many play, on how many machines, and how many have been lost."""
        return {
            "workers": float(len(self.hands)),
            "nodes": float(len({hand.node for hand in self.hands})),
            "workers_lost": float(self.lost),
        }


def make_crew(
    settings: Settings, own: Any, most: int, make: Callable[..., Any], *given: Any
) -> Crew:
    """The crew that the settings ask for.

    Args:
        settings: of the run.
        own: the actor of the learner's process; it plays where nobody else does.
        most: as many actors have something to do.
        make: makes an actor elsewhere, of `given`.

    Raises:
        ValueError: the settings ask for more actors than that.
    """
    if settings.workers > most:
        raise ValueError(f"workers: {settings.workers} are more than the {most} that can be used")
    if settings.ray:
        from mhing.train.cluster import Cluster  # noqa: PLC0415  it is made of what is here

        return Cluster(settings, own, most, make, *given)
    return Processes(settings.workers, make, *given) if settings.workers > 1 else Alone(own)


# ---- In the learner's process ----------------------------------------------------------------


class Here:
    """A hand for an actor in the learner's own process."""

    node = ""

    def __init__(self, actor: Any) -> None:
        self._actor, self._sent = actor, ("", ())

    def send(self, method: str, *arguments: Any) -> None:
        """See :class:`Hand`."""
        self._sent = method, arguments

    def result(self) -> Any:
        """See :class:`Hand`."""
        method, arguments = self._sent
        return getattr(self._actor, method)(*arguments)


class Alone(Crew):
    """The learner's own actor."""

    def __init__(self, actor: Any) -> None:
        super().__init__()
        self.hands = [Here(actor)]

    def muster(self) -> None:
        """See :class:`Crew`."""


# ---- In processes of this machine ------------------------------------------------------------


class Process:
    """A hand for an actor in a process of this machine; `make(*given)` makes it there."""

    node = ""

    def __init__(self, make: Callable[..., Any], *given: Any) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, make, given), daemon=True)
        self.process.start()
        theirs.close()  # so that the pipe ends with the process

    def send(self, method: str, *arguments: Any) -> None:
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


def _serve(pipe: Any, make: Callable[..., Any], given: tuple[Any, ...]) -> None:
    """Calls methods of an actor until the pipe ends, with the learner or by its will."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the learner ends it
    torch.set_num_threads(1)
    actor = None
    while True:
        try:
            method, arguments = pickle.loads(pipe.recv_bytes())
        except (EOFError, OSError):
            sys.exit(0)
        try:
            actor = actor or make(*given)
            answer = True, getattr(actor, method)(*arguments)
        except Exception as error:  # whatever it is, the learner hears of it
            answer = False, error
        pipe.send_bytes(pickle.dumps(answer))


class Processes(Crew):
    """As many processes of this machine as `count`; one that is lost is replaced."""

    def __init__(self, count: int, make: Callable[..., Any], *given: Any) -> None:
        super().__init__()
        self._count, self._make, self._given = count, make, given

    def muster(self) -> None:
        """See :class:`Crew`."""
        while len(self.hands) < self._count:
            self.hands.append(Process(self._make, *self._given))
