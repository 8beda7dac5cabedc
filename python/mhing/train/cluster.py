"""Actors on the nodes of a Ray cluster, which may grow and shrink while they play.

Each step is played by the actors present. One that is lost with its node is replaced as soon as
a CPU is free; until then, and where none is, the others play all rows, in the end the learner's own
actor. So a run ends with the learner's node alone.
"""

from __future__ import annotations

import logging
import os
import pickle
import socket
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from typing import Any

from mhing._support.extras import install
from mhing.train.learner import Settings
from mhing.train.workers import LocalWorker, WorkerLost, WorkerPool

_log = logging.getLogger(__name__)

PATIENCE = 60.0
"""Seconds in which a cluster must answer, and the first actors begin."""

QUIET: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}


# ---- The cluster -----------------------------------------------------------------------------


def connect(address: str) -> Any:
    """The module ray, connected to a cluster, if it is not connected already.

    Args:
        address: "auto": the cluster of this machine or that of RAY_ADDRESS; "local": a separate
            one that ends with this process; HOST:PORT: of the cluster's head.

    Raises:
        ModuleNotFoundError: Ray is missing.
        ValueError: there is no such cluster.
    """
    try:
        import ray  # noqa: PLC0415  slow, and an extra
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"ray is missing: {install('ray')}") from error
    if not ray.is_initialized():
        if address == "local":
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it sends nothing home
            ray.init("local", include_dashboard=False, **QUIET)
        else:
            _try(address)
            ray.init(address, **QUIET)
        # It prints the log of a node that dies to stdout, and has no other switch for that.
        ray._private.worker._worker_logs_enabled = False
    return ray


def _try(address: str) -> None:
    """Connect in another process: without a cluster Ray tries for minutes, and says much."""
    host, _, port = address.rpartition(":")
    if address != "auto":
        if not (host and port.isdigit()) or "/" in host:
            raise ValueError(f"ray: {address!r} is none of auto, local, HOST:PORT")
        try:
            socket.create_connection((host, int(port)), timeout=10).close()
        except (OSError, OverflowError) as error:
            raise ValueError(f"ray: there is no cluster at {address}: {error}") from error
    program = f"import ray, sys; ray.init(sys.argv[1], **{QUIET})"
    try:
        done = subprocess.run(
            [sys.executable, "-c", program, address],
            capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        seconds = f"{PATIENCE:.0f} seconds"
        raise ValueError(f"ray: no cluster answers at {address} in {seconds}") from error
    if done.returncode:
        reason = (done.stderr.strip() or "no reason is given").splitlines()[-1]
        raise ValueError(f"ray: the cluster at {address} cannot be used: {reason}")


# ---- An actor --------------------------------------------------------------------------------


def _stage() -> type:
    """The class whose objects live on the nodes.

    It is sent to them by value, as classes within functions are, so that it can say what is missing
    there.
    """
    advice = install("ray")  # as text, since the function is part of what may be missing

    class Stage:
        def begin(self, version: str, made: bytes) -> tuple[str, str, str]:
            """Make the actor.

            Returns:
                The node, its host's name, and why the actor cannot play there; empty: it can.
            """
            import pickle  # noqa: PLC0415  this runs on the node, not here
            import socket  # noqa: PLC0415  see above
            from importlib import metadata  # noqa: PLC0415  see above

            import ray  # noqa: PLC0415  see above

            reason = ""
            try:
                found = metadata.version("mhing")
                if found != version:
                    raise ValueError(f"mhing is {found}, not {version} as the learner's")
                import torch  # noqa: PLC0415  see above

                torch.set_num_threads(1)
                make, given = pickle.loads(made)
                self.actor = make(*given)
            except metadata.PackageNotFoundError:
                reason = f"mhing {version} is missing: {advice}"
            except Exception as error:  # whatever it is, the learner hears of it
                reason = f"{error}" or type(error).__name__
            return ray.get_runtime_context().get_node_id(), socket.gethostname(), reason

        def call(self, method: str, *arguments: Any) -> Any:
            return getattr(self.actor, method)(*arguments)

    return Stage


class RayWorker:
    """A worker for an actor on a node of the cluster."""

    node = ""

    def __init__(self, ray: Any, stage: Any, made: bytes) -> None:
        self._ray, self._stage, self._sent = ray, stage.remote(), None
        self.begun = self._stage.begin.remote(metadata.version("mhing"), made)

    def send(self, method: str, *arguments: Any) -> None:
        """See :class:`mhing.train.workers.Worker`."""
        self._sent = self._stage.call.remote(method, *arguments)

    def result(self) -> Any:
        """See :class:`mhing.train.workers.Worker`."""
        sent, self._sent = self._sent, None
        try:
            return self._ray.get(sent)
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause from error
        except self._ray.exceptions.RayError as error:
            raise WorkerLost from error


# ---- All of them -----------------------------------------------------------------------------


class Cluster(WorkerPool):
    """The number of actors that the settings say, or one for each CPU of the cluster but one.

    They join when they have begun, without anybody waiting for them but at first.
    """

    def __init__(
        self, settings: Settings, own: Any, most: int, make: Callable[..., Any], *given: Any
    ) -> None:
        super().__init__()
        self._settings, self._most = settings, most
        self._own, self._made = LocalWorker(own), pickle.dumps((make, given))
        self._ray: Any = None
        self._stage: Any = None
        self._coming: list[RayWorker] = []
        self._idle: dict[str, list[RayWorker]] = {}
        """Actors by node that cannot play there. They keep its CPUs, so that no other is sent."""

    def refresh(self) -> None:
        """See :class:`mhing.train.workers.WorkerPool`."""
        first = self._ray is None
        if first:
            self._ray = connect(self._settings.ray)
            options = {"num_cpus": self._settings.threads, "scheduling_strategy": "SPREAD"}
            self._stage = self._ray.remote(**options)(_stage())
        wanted = self._wanted()
        self.workers = [worker for worker in self.workers if worker is not self._own][:wanted]
        room = wanted - len(self.workers)
        at_once = min(room, self._places(self._ray.available_resources())) if first else 0
        del self._coming[room:]
        while len(self._coming) < room:
            self._coming.append(RayWorker(self._ray, self._stage, self._made))
        refused = self._welcome(at_once)
        if first and refused and not self.workers:
            raise ValueError(f"ray: no actor can play on {'; '.join(refused)}")
        for node in refused:
            _log.warning("no actor can play on %s", node)
        self.workers = self.workers or [self._own]

    def put(self, value: Any) -> Any:
        """Once into the object store, from which each node takes it once."""
        return value if self._own in self.workers else self._ray.put(value)

    def _wanted(self) -> int:
        """Return the number of actors that there should be."""
        if self._settings.workers:
            return self._settings.workers
        places = [
            self._places(node["Resources"])
            for node in self._ray.nodes()
            if node["Alive"] and node["NodeID"] not in self._idle
        ]
        return min(self._most, max(1, sum(places) - 1))

    def _places(self, resources: dict[str, float]) -> int:
        """Return the number of actors that these resources have CPUs for."""
        return int(resources.get("CPU", 0)) // self._settings.threads

    def _welcome(self, at_once: int) -> list[str]:
        """Take in the actors that have begun; wait for as many of them as `at_once`.

        Returns:
            The nodes that are new among those where none can play, with the reason.
        """
        if not self._coming:
            return []
        begun, _ = self._ray.wait(
            [worker.begun for worker in self._coming],
            num_returns=at_once or len(self._coming),
            timeout=PATIENCE if at_once else 0,
        )
        refused = []
        for worker in [worker for worker in self._coming if worker.begun in begun]:
            self._coming.remove(worker)
            try:
                worker.node, name, reason = self._ray.get(worker.begun)
            except self._ray.exceptions.RayError:
                continue  # lost before it has begun
            if not reason:
                self.workers.append(worker)
                continue
            if worker.node not in self._idle:
                refused.append(f"{name}: {reason}")
            self._idle.setdefault(worker.node, []).append(worker)
        return refused
