"""mhing-server against a bare ZeroMQ echo of the same bytes, in the same run.

    .venv/bin/python benchmarks/bench_server.py [--wire build/release/benchmarks/wire]

Every step sends the same bytes to the server and to the echo, and both answer with as many: games
of Mhing with all seats the client's, whose legal actions were drawn in process before, so that the
client of `wire.c` has nothing to do but send and receive. Wall clock, since waiting is what a
socket costs; rounds are interleaved, and what counts is the ratio, the median of five. The echo
plays no games, so a second ratio adds to its time what the steps take in process. Then the
Python client against the same bytes through pyzmq alone; 64 clients at once against one alone; and
the memory that 1,000 idle sessions take.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import zmq
from numpy.typing import NDArray

from mhing import _lib
from mhing.cli.serve import READY, find_server
from mhing.game import Game
from mhing.remote.batch import RemoteBatch
from mhing.remote.connection import Connection
from mhing.remote.messages import pack

ROUNDS = 5
SEED = 1
STEPS = {1: 20_000, 64: 4_000, 1024: 400}
GOALS = {1: 0.9, 64: 0.85, 1024: 0.8}
PYTHON_GOAL = 0.85
CLIENTS, WINDOW, CLIENT_STEPS = 64, 32, 2_000
SESSIONS, IDLE_GOAL = 1_000, 64


class Play:
    """Steps of a batch with legal actions, as an in-process one plays them."""

    def __init__(self, rows: int, steps: int) -> None:
        self.rows = rows
        self.game = Game("mhing")
        self.settings = {
            "rows": rows,
            "seat": 0,
            "players": [_lib.CALLER] * self.game.num_seats,
            "illegal": _lib.ILLEGAL["raise"],
            "autoreset": _lib.AUTORESET["next_step"],
            "without": _lib.LAST_SEEN + _lib.LAST_INFO,
        }
        batch = self.local()
        self.actions: list[NDArray[np.int32]] = []
        for _ in range(steps):
            batch.choose(None, 0)
            self.actions.append(batch.actions.copy())
            batch.step()

    def local(self) -> _lib.Batch:
        """The batch in this process, before its first step."""
        batch = _lib.Batch(self.game._handle, **self.settings)
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
        """What a client says: hello, make, reset, and then the steps."""
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


def as_echo(messages: list[bytes], sizes: list[int]) -> list[bytes]:
    """Messages of the same sizes for the echo, which answers each with as many bytes."""
    return [
        struct.pack("I", size) + bytes(len(message) - 4)
        for message, size in zip(messages, sizes, strict=True)
    ]


def write_script(path: Path, messages: list[bytes], before: int = 3) -> Path:
    """The file that `wire drive` sends."""
    lines = b"".join(struct.pack("I", len(message)) + message for message in messages)
    path.write_bytes(struct.pack("II", len(messages), before) + lines)
    return path


@contextmanager
def running(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    """A process for as long as it is needed."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.terminate()


class Bench:
    """The server and the echo, and what is measured of them."""

    def __init__(self, wire: str, folder: Path, server: subprocess.Popen[str]) -> None:
        self.wire, self.folder, self.server = wire, folder, server
        assert server.stdout is not None
        self.endpoint = server.stdout.readline().strip().removeprefix(READY)
        self.echo = f"ipc://{folder}/echo"

    def drive(self, endpoint: str, script: Path, clients: int = 1, window: int = 1) -> list[float]:
        """Replies a second of all clients, and of the slowest."""
        command = [self.wire, "drive", endpoint, str(script), str(clients), str(window)]
        seconds, total, slowest = map(float, subprocess.check_output(command).split())
        return [total / seconds, slowest / seconds]

    def lock_step(self, play: Play) -> None:
        """The server beside the echo, one message on its way."""
        messages = play.messages()
        sizes = replies(self.endpoint, messages)
        ours = write_script(self.folder / "ours", messages)
        bare = write_script(self.folder / "bare", as_echo(messages, sizes))
        report(
            f"{play.rows:5d} rows, lock-step",
            play.rows,
            lambda: self.drive(self.endpoint, ours)[0],
            lambda: self.drive(self.echo, bare)[0],
            GOALS[play.rows],
            play.core,
        )

    def python(self, play: Play) -> None:
        """The Python client beside the same bytes through pyzmq alone."""
        messages = play.messages()
        bare = as_echo(messages, replies(self.endpoint, messages))[3:]

        def client() -> float:
            with Connection(self.endpoint) as connection:
                batch = play.remote(connection)
                begin = time.perf_counter()
                for actions in play.actions:
                    batch.actions[:] = actions
                    batch.step()
                return len(bare) / (time.perf_counter() - begin)

        def echo() -> float:
            with zmq.Context() as context, context.socket(zmq.DEALER) as socket:
                socket.linger = 0
                socket.connect(self.echo)
                for message in bare[:10]:
                    socket.send(message)
                    socket.recv()
                begin = time.perf_counter()
                for message in bare:
                    socket.send(message)
                    socket.recv()
                return len(bare) / (time.perf_counter() - begin)

        name = f"{play.rows:5d} rows, Python client"
        report(name, play.rows, client, echo, PYTHON_GOAL, play.core)

    def many(self, play: Play, longer: Play) -> None:
        """Many clients at once beside one, all with the same number of requests on their way.

        The one plays `longer`, to take some time too.
        """
        script = write_script(self.folder / "many", play.messages(WINDOW))
        one = write_script(self.folder / "one", longer.messages(WINDOW))
        evenness = []

        def all_of_them() -> float:
            total, slowest = self.drive(self.endpoint, script, CLIENTS, WINDOW)
            evenness.append(slowest * CLIENTS / total)
            return total

        def one_alone() -> float:
            return self.drive(self.endpoint, one, 1, WINDOW)[0]

        name = f"{CLIENTS} clients, {WINDOW} on their way each"
        report(name, 1, all_of_them, one_alone, 1)
        print(f"    the slowest of them: {statistics.median(evenness):.2f} of their mean, goal 0.5")

    def idle(self) -> None:
        """The server's memory with many sessions that do nothing, each with its own connection."""
        contexts = [zmq.Context() for _ in range(4)]
        sockets = [contexts[n % 4].socket(zmq.DEALER) for n in range(SESSIONS)]
        for socket in sockets:
            socket.linger = 0
            socket.connect(self.endpoint)
            socket.send(pack("hello", 0, {}))
        for socket in sockets:
            socket.recv()
        status = Path(f"/proc/{self.server.pid}/status").read_text()
        size = next(int(line.split()[1]) for line in status.splitlines() if "VmRSS" in line)
        print(f"{SESSIONS:,} idle sessions{size / 1024:27,.1f} MiB in all, goal {IDLE_GOAL}")
        for context in contexts:
            context.destroy()


def report(
    name: str,
    rows: int,
    ours: Callable[[], float],
    other: Callable[[], float],
    goal: float,
    core: Callable[[], float] | None = None,
) -> None:
    """Measures rates in turn and prints medians: our own, and its ratio to the other one.

    With `core`, also to what the echo would reach if it played the games besides.
    """
    rates, ratios, fair = [], [], []
    for _ in range(ROUNDS):
        rate, echo = ours(), other()
        rates.append(rate)
        ratios.append(rate / echo)
        if core is not None:
            fair.append(rate * (1 / echo + core()))
    rate, ratio = rows * statistics.median(rates), statistics.median(ratios)
    last = f"{statistics.median(fair):.2f}" if fair else ""
    print(f"{name:32}{rate:12,.0f} steps/s{ratio:8.2f}  goal {goal:<5}{last}".rstrip(), flush=True)


def main() -> None:
    """Measures everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wire", default="build/release/benchmarks/wire", help="wire.c, built")
    args = parser.parse_args()
    if not Path(args.wire).is_file():
        sys.exit(f"{args.wire}: not there; cmake --build build/release builds it")
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    print(f"{'':52}of the echo     of the echo and the core")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # Idle sessions are counted in a server that has done nothing else.
        command = [find_server(), "--bind", f"ipc://{folder}/idle"]
        with running(command) as server:
            Bench(args.wire, folder, server).idle()
        command = [find_server(), "--bind", f"ipc://{folder}/server"]
        with running(command) as server, running([args.wire, "echo", f"ipc://{folder}/echo"]):
            bench = Bench(args.wire, folder, server)
            plays = {rows: Play(rows, steps) for rows, steps in STEPS.items()}
            for play in plays.values():
                bench.lock_step(play)
            for play in plays.values():
                bench.python(play)
            print(f"{'':52}of one alone")
            bench.many(Play(1, CLIENT_STEPS), plays[1])


if __name__ == "__main__":
    main()
