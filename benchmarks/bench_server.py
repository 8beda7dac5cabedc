"""mhing-server against a bare ZeroMQ echo of the same bytes, in the same run.

    .venv/bin/python benchmarks/bench_server.py [--wire build/release/benchmarks/wire]

Every step sends the same bytes to the server and to the echo, and both answer with as many: games
of Mhing with all seats the client's, whose legal actions were drawn in process before, so that the
client of `wire.c` has nothing to do but send and receive. Wall clock, since waiting is what a
socket costs. Server and echo take turns of a few milliseconds, forty in each of five rounds, and
every round has new processes; what counts is the median ratio of two turns beside each
other. The echo plays no games, so a second ratio adds to its time what the steps take in process.
The Python client is measured likewise against the same bytes through pyzmq alone.

In lock-step one process works while all others wait, so they share one core here, where the ratios
repeat to 0.02. --spread leaves the cores to the kernel: then much of the time goes by while cores
are woken, and which ones are differs from round to round.

Last, on all cores, 64 clients at once against one alone. First, the memory of 1,000 idle sessions.
"""

from __future__ import annotations

import os
import resource
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import report
import zmq
from numpy.typing import NDArray
from report import Cell, Table, figure, met

from mhing._lib.rows import AUTORESET, CALLER, ILLEGAL, LAST_INFO, LAST_OBSERVED, LocalBatch
from mhing.cli.serve import READY, find_server
from mhing.game import Game
from mhing.remote.batch import RemoteBatch
from mhing.remote.connection import Connection
from mhing.remote.messages import pack

ROUNDS = 5
SEED = 1
TURNS = 40  # of a round
STEPS = {1: 500, 64: 100, 1024: 20}  # of a turn
GOALS = {1: 0.9, 64: 0.85, 1024: 0.8}
PYTHON_GOAL = 0.85
CLIENTS, WINDOW, CLIENT_STEPS = 64, 32, 2_000
SESSIONS, IDLE_GOAL = 1_000, 64
BEFORE = 3  # messages of a script that start a game

Turns: TypeAlias = list[tuple[float, float]]
"""Seconds of turns beside each other: the server's and the echo's."""


class Play:
    """Steps of a batch with legal actions, as an in-process one plays them."""

    def __init__(self, rows: int, turn: int, turns: int = TURNS) -> None:
        self.rows, self.turn = rows, turn
        self.game = Game("mhing")
        self.settings: dict[str, Any] = {
            "rows": rows,
            "seat": 0,
            "players": [CALLER] * self.game.num_seats,
            "illegal": ILLEGAL["raise"],
            "autoreset": AUTORESET["next_step"],
            "without": LAST_OBSERVED + LAST_INFO,
        }
        batch = self.local()
        self.actions: list[NDArray[np.int32]] = []
        for _ in range(turn * turns):
            batch.check(batch.try_draw())
            self.actions.append(batch.actions.copy())
            batch.step()

    def local(self) -> LocalBatch:
        """The batch in this process, before its first step."""
        batch = LocalBatch(self.game._handle, **self.settings)
        batch.reset(self.seeds)
        return batch

    def core(self) -> float:
        """Seconds that a step takes in this process: what the echo does not do."""
        batch = self.local()
        begin = time.perf_counter()
        for actions in self.actions:
            batch.actions[:] = actions
            batch.step()
        return (time.perf_counter() - begin) / len(self.actions)

    @property
    def seeds(self) -> NDArray[np.uint64]:
        """Of the rows."""
        return np.arange(SEED, SEED + self.rows, dtype=np.uint64)

    def remote(self, connection: Connection) -> RemoteBatch:
        """The same batch on a server, before its first step."""
        batch = RemoteBatch(connection, self.game._handle, **self.settings)
        batch.reset(self.seeds)
        return batch

    def messages(self, window: int = 1) -> list[bytes]:
        """The messages of a client: hello, make, reset, and then the steps."""
        terms = {
            "rows": self.rows, "seat": 0, "opponents": "self", "illegal": "raise",
            "autoreset": "next_step",
        }  # fmt: skip
        before = [
            pack("hello", 0, {"window": window}),
            pack("make", 1, terms),
            pack("reset", 2, 1, self.seeds.tobytes()),
        ]
        steps = enumerate(self.actions, 3)
        return before + [pack("step", seq, 1, actions.tobytes()) for seq, actions in steps]


def replies(endpoint: str, messages: list[bytes]) -> list[int]:
    """The sizes of the server's replies to these messages."""
    with zmq.Context() as context, context.socket(zmq.DEALER) as socket:
        socket.linger = 0
        socket.connect(endpoint)
        sizes = []
        for message in messages:
            socket.send(message)
            sizes.append(len(socket.recv(copy=False)))
        return sizes


def write_script(path: Path, messages: list[bytes]) -> Path:
    """The file that `wire` sends, whose first messages come before the clock starts."""
    lines = b"".join(struct.pack("I", len(message)) + message for message in messages)
    path.write_bytes(struct.pack("II", len(messages), BEFORE) + lines)
    return path


class Scripts:
    """The messages of a play's client, and the bytes that go to the echo instead."""

    def __init__(self, play: Play, endpoint: str, folder: Path) -> None:
        messages = play.messages()
        sizes = replies(endpoint, messages)
        self.bare = [
            struct.pack("I", size) + bytes(len(message) - 4)
            for message, size in zip(messages, sizes, strict=True)
        ]
        self.ours = write_script(folder / f"ours{play.rows}", messages)
        self.echo = write_script(folder / f"echo{play.rows}", self.bare)


@contextmanager
def running(*command: object) -> Iterator[subprocess.Popen[str]]:
    """A process for as long as it is needed."""
    with subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.terminate()


@contextmanager
def serving(folder: Path) -> Iterator[tuple[str, int]]:
    """A server: its endpoint and its process."""
    with running(find_server(), "--bind", f"ipc://{folder}/server") as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip().removeprefix(READY), server.pid


@contextmanager
def echoing(wire: Path, folder: Path) -> Iterator[str]:
    """The endpoint of an echo."""
    endpoint = f"ipc://{folder}/echo"
    with running(wire, "echo", endpoint):
        yield endpoint


# ---- What is measured -----------------------------------------------------------------------


def lock_step(wire: Path, server: str, echo: str, scripts: Scripts, turn: int) -> Turns:
    """Server and echo, one message on its way."""
    command: list[str | Path] = [wire, "turns", server, scripts.ours, echo, scripts.echo, str(turn)]
    lines = subprocess.check_output(command, text=True).splitlines()
    return [(float(ours), float(other)) for ours, other in map(str.split, lines)]


def in_python(server: str, echo: str, scripts: Scripts, play: Play) -> Turns:
    """The Python client, and the same bytes through pyzmq alone."""
    turns = []
    messages = scripts.bare[BEFORE:]
    with Connection(server) as connection, zmq.Context() as context:
        socket = context.socket(zmq.DEALER)
        socket.connect(echo)
        batch = play.remote(connection)
        for first in range(0, len(messages), play.turn):
            chosen = slice(first, first + play.turn)
            begin = time.perf_counter()
            for actions in play.actions[chosen]:
                batch.actions[:] = actions
                batch.step()
            middle = time.perf_counter()
            for message in messages[chosen]:
                socket.send(message)
                socket.recv()
            turns.append((middle - begin, time.perf_counter() - middle))
        socket.close(linger=0)
    return turns


def drive(wire: Path, endpoint: str, script: Path, clients: int) -> tuple[float, float]:
    """Replies a second, WINDOW requests on their way: of all clients, and of the slowest."""
    command: list[str | Path] = [wire, "drive", endpoint, script, str(clients), str(WINDOW)]
    seconds, total, slowest = map(float, subprocess.check_output(command).split())
    return total / seconds, slowest / seconds


def idle(endpoint: str, process: int) -> float:
    """MiB that the server takes with sessions that do nothing, each with its own connection."""
    contexts = [zmq.Context() for _ in range(4)]
    sockets = [contexts[n % 4].socket(zmq.DEALER) for n in range(SESSIONS)]
    for socket in sockets:
        socket.linger = 0
        socket.connect(endpoint)
        socket.send(pack("hello", 0, {}))
    for socket in sockets:
        socket.recv()
    status = Path(f"/proc/{process}/status").read_text()
    size = next(int(line.split()[1]) for line in status.splitlines() if "VmRSS" in line)
    for context in contexts:
        context.destroy()
    return size / 1024


class Figures:
    """The rates of one thing, and their ratios to what the echo does."""

    def __init__(self, name: str, goal: float) -> None:
        self.name, self.goal = name, goal
        self.rates: list[float] = []
        self.ratios: list[float] = []
        self.fair: list[float] = []
        """Ratios to what the echo would reach if it played the games besides."""

    def add(self, play: Play, turns: Turns) -> None:
        """Adds turns of a play."""
        core = play.core() * play.turn
        for ours, echo in turns:
            self.rates.append(play.rows * play.turn / ours)
            self.ratios.append(echo / ours)
            self.fair.append((echo + core) / ours)

    def row(self) -> list[Cell]:
        """The medians beside the goal."""
        rate, ratio = statistics.median(self.rates), statistics.median(self.ratios)
        fair = figure(statistics.median(self.fair), 2)
        is_met = met(ratio >= self.goal)
        return [self.name, figure(rate), figure(ratio, 2), figure(self.goal, 2), is_met, fair]


def measure_turns(wire: Path, folder: Path, plays: list[tuple[Play, Scripts]]) -> Table:
    """Server and Python client beside the echo."""
    bare = [Figures(f"{play.rows} rows, lock-step", GOALS[play.rows]) for play, _ in plays]
    python = [Figures(f"{play.rows} rows, Python client", PYTHON_GOAL) for play, _ in plays]
    for _ in range(ROUNDS):
        with serving(folder) as (server, _), echoing(wire, folder) as echo:
            for number, (play, scripts) in enumerate(plays):
                bare[number].add(play, lock_step(wire, server, echo, scripts, play.turn))
                python[number].add(play, in_python(server, echo, scripts, play))
    heads = ["", "steps a second", "of the echo", "goal", "met", "of the echo and the core"]
    return Table(heads, [figures.row() for figures in (*bare, *python)])


def measure_clients(
    wire: Path, folder: Path, all_of_them: Path, one_alone: Path
) -> list[list[Cell]]:
    """Many clients at once beside one with as many requests on their way."""
    rates, ratios, evenness = [], [], []
    for _ in range(ROUNDS):
        with serving(folder) as (server, _):
            total, slowest = drive(wire, server, all_of_them, CLIENTS)
            rates.append(total)
            ratios.append(total / drive(wire, server, one_alone, 1)[0])
            evenness.append(slowest * CLIENTS / total)
    times, even = statistics.median(ratios), statistics.median(evenness)
    name = f"{CLIENTS} clients, {WINDOW} requests on their way each: steps a second"
    return [
        [name, figure(statistics.median(rates)), None, None],
        ["... as a multiple of one client alone", figure(times, 2), 1, met(times >= 1)],
        [
            "... the slowest client, of their mean",
            figure(even, 2),
            figure(0.5, 1),
            met(even >= 0.5),
        ],
    ]


def main() -> None:
    """Measures everything."""
    parser = report.parser(__doc__)
    parser.add_argument("--wire", default="build/release/benchmarks/wire", help="wire.c, built")
    parser.add_argument("--spread", action="store_true", help="lock-step on all cores as well")
    args = parser.parse_args()
    wire = Path(args.wire)
    if not wire.is_file():
        sys.exit(f"{wire}: not there; cmake --build build/release builds it")
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with serving(folder) as (endpoint, process):
            # Counted first, while the server has done nothing else.
            memory = idle(endpoint, process)
            plays = [Play(rows, steps) for rows, steps in STEPS.items()]
            scripts = [Scripts(play, endpoint, folder) for play in plays]
        cores = os.sched_getaffinity(0)
        os.sched_setaffinity(0, cores if args.spread else {min(cores)})
        turns = measure_turns(wire, folder, list(zip(plays, scripts, strict=True)))
        os.sched_setaffinity(0, cores)
        short = write_script(folder / "short", Play(1, CLIENT_STEPS, 1).messages(WINDOW))
        # The one client plays longer, to take some time as well.
        longer = write_script(folder / "longer", plays[0].messages(WINDOW))
        clients = measure_clients(wire, folder, short, longer)
    name = f"MiB of {SESSIONS:,} idle sessions"
    rows: list[list[Cell]] = [
        [name, figure(memory, 1), IDLE_GOAL, met(memory <= IDLE_GOAL)],
        *clients,
    ]
    report.finish(args, [turns, Table(["", "figure", "goal", "met"], rows)])


if __name__ == "__main__":
    main()
