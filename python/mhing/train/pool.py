"""The pool of workers that a run asks for: in this process, in others, or on a cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mhing.train.cluster import Cluster
from mhing.train.learner import Settings
from mhing.train.workers import LocalPool, ProcessPool, WorkerPool


def make_pool(
    settings: Settings, own: Any, most: int, make: Callable[..., Any], *given: Any
) -> WorkerPool:
    """Return the pool of workers that the settings ask for.

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
        return Cluster(settings, own, most, make, *given)
    return ProcessPool(settings.workers, make, *given) if settings.workers > 1 else LocalPool(own)
