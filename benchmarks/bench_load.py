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

After a calm run each kind of bad client has one of its own. They are in a process beside the good
ones, on the same cores. The server's memory is what it has at the begin, in the middle, and at the
end of a run. Only modules of Python's own are used.
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

KINDS = {
    "calm": (0, "nobody else"),
    "silent": (500, "connections without a word"),
    "half": (500, "handshakes cut in the middle"),
    "slow": (50, "clients that step 64 rows, 32 times ahead, and never read"),
    "flood": (1, "client that asks as fast as it can"),
    "describe": (1, "client that asks the longest question as fast as it can"),
    "garbage": (1, "client that sends random bytes as fast as it can"),
    "storm": (1, "client that says hello on new connections as fast as it can"),
    "heavy": (1, "client that steps 4,096 rows against greedy bots, two times ahead"),
}
"""Of each kind of bad clients: how many, and who they are."""

WRONG = ("lost", "unasked", "refused", "missed", "different", "cut", "resumed", "anew", "silent")
"""Figures that are 0 where nothing goes wrong."""

PAGE = os.sysconf("SC_PAGE_SIZE")
TICKS = os.sysconf("SC_CLK_TCK")
COLUMNS = (
    "steps/s  p50 ms     p99  99.9 %     max  sent late: p99     max  answers/s  core"
    "  MiB begin  middle     end"
)


class Server:
    """A server in a process of its own, at that port of 127.0.0.1; *: any."""

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


def line(figures: dict[str, float], seconds: float) -> str:
    """A line under COLUMNS."""
    names = (("p50_us", 8), ("p99_us", 8), ("p999_us", 8), ("max_us", 8), ("late_p99_us", 16),
             ("late_max_us", 8))  # fmt: skip
    times = "".join(f"{figures[name] / 1000:{width}.2f}" for name, width in names)
    memory = f"{figures['begin']:11.1f}{figures['middle']:8.1f}{figures['end']:8.1f}"
    steps, answers = figures["steps"] / seconds, figures["answers"] / seconds
    return f"{steps:7,.0f}{times}{answers:11,.0f}{figures['core']:6.2f}{memory}"


def main() -> None:
    """Measures everything."""
    parser = argparse.ArgumentParser(description=__doc__)
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
    wrong = 0
    clients = args.sessions + args.tables * args.players
    limits = [
        f"--sessions={clients + 2000}", f"--sessions-per-key={clients + 2000}",
        f"--rows={args.sessions + 8192}", f"--tables={2 * args.tables + 1}", f"--seats={clients}",
    ]  # fmt: skip
    print(f"{args.seconds} s each\n{'':9}{COLUMNS}", flush=True)
    with tempfile.TemporaryDirectory() as name:
        for kind in args.kinds:
            # Each kind meets a new server, as memory would tell of the one before.
            with Server(args.server, Path(name), *limits) as server:
                figures = measure(args, server, kind)
            faults = {name: int(figures[name]) for name in WRONG if figures[name]}
            print(f"{kind:9}{line(figures, args.seconds)}", flush=True)
            print(f"{'':11}{int(figures['compared']):,} steps compared, "
                  f"{int(figures['games']):,} games ended, wrong: {faults or 'nothing'}",
                  flush=True)  # fmt: skip
            wrong += len(faults)
    for kind in args.kinds:
        count, who = KINDS[kind]
        print(f"{kind:9}{count or ''} {who}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
