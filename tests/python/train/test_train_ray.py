"""Training on a Ray cluster whose nodes come and go, and without one."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import ray
from ray.cluster_utils import Cluster
from small_runs import one_thread  # noqa: F401  a fixture

import mhing
from mhing._support.extras import install
from mhing.cli import main
from mhing.train import cluster
from mhing.train import run as training

pytestmark = pytest.mark.once

LINE = "leduc --steps 1000000000 --deals 2 --tune rows=64 --tune horizon=8 --tune hidden=16"
PROGRAM = (
    "import sys; from mhing.cli import main; from mhing.train import cluster; "
    "cluster.PATIENCE = 600.0; sys.exit(main(sys.argv[1:]))"
)
"""A trainer that waits for actors as long as busy cores may take: it never plays by itself."""
OTHER = (
    "from importlib import metadata; found = metadata.version; "
    "metadata.version = lambda name: '0.0.1' if name == 'mhing' else found(name); " + PROGRAM
)
"""A learner whose package has another version than the nodes' package."""
DEADLINE = 900.0
"""Seconds after which a run that should continue is taken to hang."""

SETTINGS = {
    "AUTH_MODE": "disabled",  # whatever the user's own clusters have
    "USAGE_STATS_ENABLED": "0",
    # A process that is slow because all cores are busy is not taken to be dead.
    "health_check_timeout_ms": "120000",
    "worker_register_timeout_seconds": "600",
}
"""Of the cluster, in its environment."""

Capture = pytest.CaptureFixture[str]


Begin = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    """Begins `mhing train` in the test's folder, and ends it with the test."""
    begun: list[subprocess.Popen[str]] = []

    def begin(line: str, program: str = PROGRAM) -> subprocess.Popen[str]:
        words = [sys.executable, "-c", program, "train", *line.split()]
        begun.append(
            subprocess.Popen(
                words,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                cwd=tmp_path,
                env=os.environ | {"OMP_NUM_THREADS": "1"},
                start_new_session=True,
            )
        )
        return begun[-1]

    yield begin
    for process in begun:
        process.kill()
        process.communicate()


def wait_for(process: subprocess.Popen[str], log: Path, holds: Callable[[Any], bool]) -> None:
    """Waits for an iteration of which this holds."""
    end = time.monotonic() + DEADLINE
    while True:
        text = log.read_text() if log.exists() else ""
        lines = [json.loads(line) for line in text.splitlines(keepends=True) if line[-1] == "\n"]
        if any(map(holds, lines)):
            return
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end, lines[-3:]
        time.sleep(0.05)


def processes_of(folder: Path) -> set[int]:
    """All processes whose command names a folder."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has ended
            if os.fsencode(folder) in path.read_bytes():
                found.add(int(path.parent.name))
    return found


def kill(processes: set[int]) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


class Nodes:
    """A cluster on this machine, in a separate folder."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.cluster = folder, Cluster()

    @property
    def address(self) -> str:
        return str(self.cluster.address)

    def add(self, cpus: int, **options: Any) -> Any:
        """A new node. Ray lets it begin for half a minute; busy cores may need longer."""
        while True:
            before = processes_of(self.folder)
            try:
                return self.cluster.add_node(num_cpus=cpus, object_store_memory=80 << 20, **options)
            except Exception as error:
                if "timed out during startup" not in str(error):
                    raise
                kill(processes_of(self.folder) - before)

    def shutdown(self) -> None:
        """Ends all; its processes have ended then."""
        self.cluster.shutdown()
        end = time.monotonic() + DEADLINE
        while processes_of(self.folder):
            assert time.monotonic() < end, "processes are left"
            time.sleep(0.05)


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    """Those of a cluster whose head has one CPU."""
    folder = Path(tempfile.mkdtemp(prefix="mh-", dir="/tmp"))  # its sockets' names must be short
    made = Nodes(folder)
    try:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in SETTINGS.items():
                patch.setenv(f"RAY_{name}", value)
            patch.setenv("RAY_TMPDIR", str(folder))
            made.add(cpus=1, include_dashboard=False)
            yield made
        made.shutdown()
    finally:
        kill(processes_of(folder))
        shutil.rmtree(folder)


@pytest.mark.slow
def test_nodes_come_and_go(nodes: Nodes, begin: Begin, tmp_path: Path) -> None:
    """One is killed, one is added; nothing is heard of it but one line."""
    first = nodes.add(cpus=2)
    run = begin(f"{LINE} --ray {nodes.address} --out run")
    log = tmp_path / "run/log.jsonl"
    wait_for(run, log, lambda line: line["workers"] == 2)
    nodes.cluster.remove_node(first, allow_graceful=False)
    wait_for(run, log, lambda line: line["workers_lost"] > 0 and line["workers"] == 1)
    nodes.add(cpus=2)
    wait_for(run, log, lambda line: line["workers_lost"] > 0 and line["workers"] == 2)
    os.killpg(run.pid, signal.SIGINT)  # as a terminal does
    out, err = run.communicate(timeout=DEADLINE)
    assert (run.returncode, out) == (130, "")
    said = [line for line in err.splitlines() if line and not line.startswith("learning")]
    assert said[-1] == "saved; mhing train --resume run continues it"
    assert all(line.endswith("actors are lost") for line in said[:-1])
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    steps = [two["steps"] - one["steps"] for one, two in pairwise(lines)]
    assert max(steps) == steps[-1] == 64 * 8
    assert max(line["nodes"] for line in lines) == 2
    resumed = training.resume(tmp_path / "run", ray="")
    assert resumed.counts["steps"] == lines[-1]["steps"]
    assert resumed.learner.step()["steps"] == 64 * 8


@pytest.mark.slow
def test_what_is_played_elsewhere_is_the_same(
    nodes: Nodes, begin: Begin, tmp_path: Path, capsys: Capture
) -> None:
    """And a learner of another version is refused."""
    line = "mhing --method fitted --steps 1000 --deals 2 --tune rounds=60 --tune hidden=8 --json"
    there = begin(f"{line} --ray {nodes.address} --out there")
    assert main(["train", *line.split(), "--out", str(tmp_path / "here")]) == 0
    here = json.loads(capsys.readouterr().out)
    out, err = there.communicate(timeout=DEADLINE)
    assert there.returncode == 0, err
    assert json.loads(out) == here
    nets = [(tmp_path / name / "values.net").read_bytes() for name in ("there", "here")]
    assert nets[0] == nets[1]
    old = begin(f"{LINE} --ray {nodes.address} --out old", OTHER)
    _, err = old.communicate(timeout=DEADLINE)
    reason = f"mhing is {mhing.__version__}, not 0.0.1 as the learner's"
    assert err.startswith(f"mhing: ray: no actor can play on {socket.gethostname()}: {reason}")
    assert err.count("\n") == 1
    assert old.returncode == 2
    assert not (tmp_path / "old").exists()


NODE = """
import importlib.metadata, sys
from unittest import mock

import ray

sys.modules["mhing"] = None
stage = ray.cloudpickle.loads(bytes.fromhex(sys.stdin.read()))()
ray.get_runtime_context = mock.MagicMock()
missing = importlib.metadata.PackageNotFoundError
with mock.patch("importlib.metadata.version", side_effect=missing):
    print(stage.begin("1.2.3", b"")[2])
"""


def test_a_node_without_the_package_says_so() -> None:
    sent = ray.cloudpickle.dumps(cluster._stage()).hex()
    done = subprocess.run(
        [sys.executable, "-c", NODE], input=sent, capture_output=True, text=True, check=False
    )
    assert done.stdout == f"mhing 1.2.3 is missing: {install('ray')}\n", done.stderr


# ---- Where there is no cluster ---------------------------------------------------------------


def refused(line: str, folder: Path, capsys: Capture) -> str:
    """The one line that the command says."""
    assert main(["train", *LINE.split(), *line.split(), "--out", str(folder / "run")]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert not (folder / "run").exists()
    return err


def test_a_cluster_that_is_not_there(tmp_path: Path, capsys: Capture) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{closed.getsockname()[1]}"
        err = refused(f"--ray {address}", tmp_path, capsys)
        assert err.startswith(f"mhing: ray: there is no cluster at {address}: ")
    for wrong in ("here", "ray://head:10001", ":6379", "head:port"):
        err = refused(f"--ray {wrong}", tmp_path, capsys)
        assert err == f"mhing: ray: {wrong!r} is none of auto, local, HOST:PORT\n"


@pytest.mark.slow
def test_what_is_there_is_no_cluster(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """It takes connections and says nothing."""
    monkeypatch.setattr(cluster, "PATIENCE", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        err = refused(f"--ray {address}", tmp_path, capsys)
    assert err == f"mhing: ray: no cluster answers at {address} in 1 seconds\n"


def test_ray_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    err = refused("--ray auto", tmp_path, capsys)
    assert err == f"mhing: ray is missing: {install('ray')}\n"
