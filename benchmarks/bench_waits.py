"""Waits of a ping beside clients that keep mhing-server busy, with both cores to themselves.

    .venv/bin/python benchmarks/bench_waits.py [--seconds 10]

Each kind of load runs in other processes, without and with --state, while one client asks for
a ping every two milliseconds.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from argparse import SUPPRESS
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import report
from report import Cell, Table, figure, met

from mhing.cli.serve import READY, find_server
from mhing.remote.connection import Connection

GOAL_MS = 20.0
KINDS: dict[str, tuple[int, dict[str, Any]]] = {
    "nobody": (0, {}),
    "one, six players, net": (1, {"num_envs": 4096, "num_players": 6, "opponents": "net"}),
    "four, six players, net": (4, {"num_envs": 4096, "num_players": 6, "opponents": "net"}),
    "four, random": (4, {"num_envs": 4096, "opponents": "random"}),
    "twenty, greedy": (20, {"num_envs": 1024, "opponents": "greedy"}),
}


@contextmanager
def serve(folder: str, *options: str) -> Iterator[str]:
    """A server; gives its endpoint."""
    command = [find_server(), "--bind", f"ipc://{folder}/socket", "--rows", "100000", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            yield process.stdout.readline().removeprefix(READY).strip()
        finally:
            process.terminate()


def step(endpoint: str, kind: str) -> None:
    """Steps such an environment until the process is killed."""
    with Connection(endpoint, timeout=60) as connection:
        envs = connection.make_vec("mhing:Mhing-v0", **KINDS[kind][1])
        envs.reset(seed=1)
        print("begun", flush=True)
        while True:
            envs.step(envs.sample_actions())


def measure(endpoint: str, kind: str, seconds: float) -> list[float]:
    """Milliseconds of all pings beside such a load."""
    times: list[float] = []
    with ExitStack() as stack, Connection(endpoint) as connection:
        command = [sys.executable, __file__, "--endpoint", endpoint, "--kind", kind]
        for _ in range(KINDS[kind][0]):
            loader = stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE))
            stack.callback(loader.kill)
            assert loader.stdout
            loader.stdout.readline()
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            began = time.perf_counter()
            connection.request("ping")
            times.append((time.perf_counter() - began) * 1000)
            time.sleep(0.002)
    return times


def main() -> None:
    """Measures all kinds, or is one client of one."""
    parser = report.parser(__doc__)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--endpoint", help=SUPPRESS)
    parser.add_argument("--kind", help=SUPPRESS)
    arguments = parser.parse_args()
    if arguments.endpoint:
        step(arguments.endpoint, arguments.kind)
    rows: list[list[Cell]] = []
    for kind in KINDS:
        for keeps in (False, True):
            with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
                options = ("--state", f"{folder}/state") if keeps else ()
                with serve(folder, *options) as endpoint:
                    times = measure(endpoint, kind, arguments.seconds)
            p50, p99, rare = map(float, np.quantile(times, (0.5, 0.99, 0.999)))
            name = f"{kind}{', --state' if keeps else ''}"
            found = (figure(each, 2) for each in (p50, p99, rare, max(times)))
            rows.append([name, *found, met(p99 < GOAL_MS)])
            print(f"{name}: p99 {p99:.2f} ms", file=sys.stderr)
    heads = ["milliseconds of a ping beside", "p50", "p99", "99.9 %", "max", f"under {GOAL_MS:g}"]
    report.finish(arguments, [Table(heads, rows)])


if __name__ == "__main__":
    main()
