"""mhing-server under load: thousands of clients, and bad ones beside them.

    .venv/bin/python benchmarks/bench_load.py                          # ten minutes of each
    .venv/bin/python benchmarks/bench_load.py --seconds 20             # while working on it
    .venv/bin/python benchmarks/bench_load.py --seconds 600 --kinds calm

2,000 sessions step an environment once a second each, and 1,000 players answer at 500 tables, each
after a second of thought. load/ has these clients. They check what they are sent: every request has
one reply, no question and no answer is missed, and the games of every twentieth session are played
in their process as well, and compared byte by byte. Whatever is wrong is counted, and ends this
program with status 1. A step takes from the time at which it was due to its reply, so that a server
that stops for a moment is seen in all steps that were due then. *Sent late* is the part of it that
went by before the step was sent: the clients waited for a core, as the server may have done.

After a calm run there is one for each kind of bad client. They are in a process beside the good
ones, on the same cores. The server's memory is what it has at the begin and at the end of a run.
All figures of a kind go to stderr when it ends. Only modules of Python's own are used.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import report
from report import Cell, Table, figure

KINDS = {
    "calm": (0, "bad clients"),
    "silent": (500, "connections without a word"),
    "half": (500, "handshakes cut in the middle"),
    "slow": (50, "clients that step 64 rows, 32 times ahead, and never read"),
    "flood": (1, "client that asks as fast as it can"),
    "describe": (1, "client that asks the longest question as fast as it can"),
    "garbage": (1, "client that sends random bytes as fast as it can"),
    "storm": (1, "client that says hello on new connections as fast as it can"),
    "hoard": (1, "client that takes all sessions and rows that are left, and a table with each"),
    "heavy": (1, "client that steps 4,096 rows against greedy bots, two times ahead"),
}
"""Of each kind of bad clients: how many, and who they are."""

WRONG = ("lost", "unasked", "refused", "missed", "different", "cut", "resumed", "anew", "silent")
"""Figures that are 0 where nothing goes wrong."""

PAGE = os.sysconf("SC_PAGE_SIZE")
TICKS = os.sysconf("SC_CLK_TCK")
COLUMNS = (
    "beside", "steps/s", "p50 ms", "p99", "99.9 %", "max", "sent late: p99", "answers/s", "cores",
    "MiB at first", "at the end", "wrong",
)  # fmt: skip


class Server:
    """A server in a new process, at that port of 127.0.0.1; *: any."""

    def __init__(self, path: Path, folder: Path, *options: str, port: str = "*") -> None:
        self.command = [str(path), "--figures", "1000000", *options]
        self.words = folder / "server"
        self.port = port
        self.start()

    def start(self) -> None:
        """Starts it, or starts it anew."""
        with self.words.open("a") as words:
            self.process = subprocess.Popen(
                [*self.command, "--bind", f"tcp://127.0.0.1:{self.port}"],
                stdout=subprocess.PIPE,
                stderr=words,
                text=True,
            )
        assert self.process.stdout is not None
        self.port = self.process.stdout.readline().strip().rpartition(":")[2]
        if not self.port:
            sys.exit(f"{self.words.read_text()}the server did not start")

    def kill(self) -> None:
        """As when the power goes."""
        self.process.kill()
        self.process.wait()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        if self.process.wait(60) != 0:
            words = self.words.read_text()
            sys.exit(f"{words}the server ended with status {self.process.returncode}")

    def memory(self) -> float:
        """Resident MiB."""
        statm = Path(f"/proc/{self.process.pid}/statm").read_text()
        return int(statm.split()[1]) * PAGE / 2**20

    def seconds(self) -> float:
        """Seconds of CPU time."""
        stat = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(stat[11]) + int(stat[12])) / TICKS


@contextmanager
def bad_clients(load: Path, port: str, kind: str, count: int) -> Iterator[None]:
    """Bad clients for as long as they are needed."""
    command: list[str | Path] = [load, "trouble", "127.0.0.1", port, kind, str(count)]
    with subprocess.Popen(command) as process:
        try:
            yield
        finally:
            ended = process.poll()
            process.kill()
    if ended is not None:
        sys.exit(f"load trouble {kind} ended with status {ended}")


def measure(args: argparse.Namespace, server: Server, kind: str) -> dict[str, float]:
    """One run of the load with that trouble beside it: its figures, and the server's."""
    numbers = (
        args.seconds, args.sessions, args.rate, args.tables, args.players, args.think, args.twins,
        0,
    )  # fmt: skip
    command: list[str] = [args.load, "run", "127.0.0.1", server.port, *map(str, numbers)]
    figures: dict[str, float] = {}
    count = args.count or KINDS[kind][0]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begin\n"
        begun = server.seconds()
        figures["begin"] = server.memory()
        trouble = bad_clients(args.load, server.port, kind, count) if count else nullcontext()
        with trouble:
            for line in process.stdout:
                name, _, number = line.strip().partition(" ")
                figures[name] = float(number) if number else server.memory()
                if name == "end":
                    figures["core"] = (server.seconds() - begun) / args.seconds
    if process.returncode != 0:
        sys.exit(f"load run ended with status {process.returncode}")
    return figures


def row(kind: str, figures: dict[str, float], seconds: float) -> list[Cell]:
    """A row under COLUMNS."""
    names = ("p50_us", "p99_us", "p999_us", "max_us", "late_p99_us")
    times = (figure(figures[name] / 1000, 2) for name in names)
    steps, answers = (figure(figures[name] / seconds) for name in ("steps", "answers"))
    memory = (figure(figures[name], 1) for name in ("begin", "end"))
    wrong = ", ".join(f"{name} {figures[name]:.0f}" for name in WRONG if figures[name])
    cores = figure(figures["core"], 2)
    return [kind, steps, *times, answers, cores, *memory, wrong or "nothing"]


def main() -> None:
    """Measures everything."""
    parser = report.parser(__doc__)
    parser.add_argument("--server", type=Path, default=Path("build/release/mhing-server"))
    parser.add_argument("--load", type=Path, default=Path("build/release/benchmarks/load"))
    parser.add_argument("--seconds", type=int, default=600, help="of each run")
    parser.add_argument("--sessions", type=int, default=2000, help="that step")
    parser.add_argument("--rate", type=int, default=2000, help="steps a second of all together")
    parser.add_argument("--tables", type=int, default=500)
    parser.add_argument("--players", type=int, default=2, help="of a table; bots have its others")
    parser.add_argument("--think", type=int, default=1000, help="milliseconds, of a player")
    parser.add_argument("--twins", type=int, default=20, help="of how many sessions one is checked")
    parser.add_argument("--count", type=int, default=0, help="of bad clients")
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=list(KINDS))
    args = parser.parse_args()
    for path in (args.server, args.load):
        if not path.is_file():
            sys.exit(f"{path}: not there; cmake --build build/release builds it")
    clients = args.sessions + args.tables * args.players
    most = clients + 2000  # so many can take one table each, and leave those that players change to
    limits = [
        f"--sessions={most}", f"--sessions-per-key={most}", f"--rows={args.sessions + 8192}",
        f"--tables={most + args.tables}", f"--seats={most}",
    ]  # fmt: skip
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for kind in args.kinds:
            # Each kind meets a new server, as memory would tell of the one before.
            with Server(args.server, Path(name), *limits) as server:
                figures = measure(args, server, kind)
            rows.append(row(kind, figures, args.seconds))
            count, who = KINDS[kind]
            said = ", ".join(f"{word} {number:.0f}" for word, number in figures.items())
            print(f"{kind} ({count} {who}): {said}", file=sys.stderr)
    report.finish(args, [Table(COLUMNS, rows, f"{args.seconds} s each")])
    sys.exit(0 if all(each[-1] == "nothing" for each in rows) else 1)


if __name__ == "__main__":
    main()
