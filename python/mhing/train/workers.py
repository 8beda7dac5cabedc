"""Actors that play for a learner, in its own process or in others.

A `Worker` holds an actor. It is sent a call of a method, and asked for the result later, so that
all actors work at the same time. A `WorkerPool` has the workers, which may be others from one call
to the next: an actor that is lost is replaced.
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

_log = logging.getLogger(__name__)


class WorkerLost(Exception):
    """The actor is gone: its process was killed, or its node."""


class Worker(Protocol):
    """Holds one actor."""

    node: str
    """The node that it plays on; empty: the learner's machine."""

    def send(self, method: str, *arguments: Any) -> None:
        """Send a call of a method to the actor; raise `WorkerLost`."""

    def result(self) -> Any:
        """Return the result of the last call; raise `WorkerLost`, or what the method raised."""


class WorkerPool(ABC):
    """The workers that a learner has, in their order."""

    def __init__(self) -> None:
        self.workers: list[Worker] = []
        self.lost = 0
        """The number of actors lost so far."""

    @abstractmethod
    def refresh(self) -> None:
        """Bring `workers` up to date, between two calls; there is one at least.

        Raises:
            ValueError: nobody can play.
        """

    def put(self, value: Any) -> Any:
        """Return what `call` takes instead of a value that all actors get."""
        return value

    def call(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> dict[int, Any]:
        """Call a method of the first actors, each with its own arguments, at the same time.

        Returns:
            What each has returned, by its place; lost ones are missing here and, from
            now on, among the workers.
        """
        results, sent = {}, list(zip(self.workers, arguments, strict=False))
        lost = []
        for worker, given in sent:
            try:
                worker.send(method, *given)
            except WorkerLost:
                lost.append(worker)
        for place, (worker, _) in enumerate(sent):
            try:
                if worker not in lost:
                    results[place] = worker.result()
            except WorkerLost:
                lost.append(worker)
        if lost:
            self.lost += len(lost)
            self.workers = [worker for worker in self.workers if worker not in lost]
            _log.warning("%d of %d actors are lost", len(lost), len(sent))
        return results

    def numbers(self) -> dict[str, float]:
        """Counts for the log: workers that play, their machines, and workers that were lost."""
        return {
            "workers": float(len(self.workers)),
            "nodes": float(len({worker.node for worker in self.workers})),
            "workers_lost": float(self.lost),
        }


# ---- In the learner's process ----------------------------------------------------------------


class LocalWorker:
    """A worker for an actor in the learner's own process."""

    node = ""

    def __init__(self, actor: Any) -> None:
        self._actor, self._sent = actor, ("", ())

    def send(self, method: str, *arguments: Any) -> None:
        """See :class:`Worker`."""
        self._sent = method, arguments

    def result(self) -> Any:
        """See :class:`Worker`."""
        method, arguments = self._sent
        return getattr(self._actor, method)(*arguments)


class LocalPool(WorkerPool):
    """The learner's own actor."""

    def __init__(self, actor: Any) -> None:
        super().__init__()
        self.workers = [LocalWorker(actor)]

    def refresh(self) -> None:
        """See :class:`WorkerPool`."""


# ---- In processes of this machine ------------------------------------------------------------


class ProcessWorker:
    """A worker for an actor in a process of this machine; `make(*given)` makes it there."""

    node = ""

    def __init__(self, make: Callable[..., Any], *given: Any) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, make, given), daemon=True)
        self.process.start()
        theirs.close()  # so that the pipe ends with the process

    def send(self, method: str, *arguments: Any) -> None:
        """See :class:`Worker`."""
        try:
            self._pipe.send_bytes(pickle.dumps((method, arguments)))
        except OSError as error:
            raise WorkerLost from error

    def result(self) -> Any:
        """See :class:`Worker`."""
        try:
            succeeded, value = pickle.loads(self._pipe.recv_bytes())
        except (EOFError, OSError) as error:
            raise WorkerLost from error
        if not succeeded:
            raise value
        return value

    def __del__(self) -> None:
        """End the actor, which waits for data from the pipe."""
        self._pipe.close()
        self.process.join(timeout=5)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def _serve(pipe: Any, make: Callable[..., Any], given: tuple[Any, ...]) -> None:
    """Call methods of an actor until the pipe ends, with the learner or by its will."""
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


class ProcessPool(WorkerPool):
    """`count` processes of this machine; one that is lost is replaced."""

    def __init__(self, count: int, make: Callable[..., Any], *given: Any) -> None:
        super().__init__()
        self._count, self._make, self._given = count, make, given

    def refresh(self) -> None:
        """See :class:`WorkerPool`."""
        while len(self.workers) < self._count:
            self.workers.append(ProcessWorker(self._make, *self._given))
