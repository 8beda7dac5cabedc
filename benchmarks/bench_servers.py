"""Three mhing-servers behind a balancer, one of them killed under load.

    .venv/bin/python benchmarks/bench_servers.py [--seconds 30] [--away 2]

HAProxy runs with the configuration of csrc/server/haproxy.cfg, in which only the addresses are
others. The clients of load/ seem to come from 60 machines. In the middle of the run one server is
killed, and after `--away` seconds it is started anew on its folder of states. Clients that lost
their connections come back with their tokens. How many of the sessions went on, how many were lost,
and how long clients were without a server is printed. Every tenth stepper's game is played in its
process as well, before and after.

Then the same with a balancer that checks its servers, and gives the clients of a dead one to the
others.
"""

from __future__ import annotations

import argparse
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import report
from bench_load import Server
from report import Cell, Table, figure

CONFIGURATION = Path(__file__).parents[1] / "csrc/server/haproxy.cfg"
MACHINES = 60
CHECKED = """    option redispatch 1
    default-server check inter 500 fall 2 on-marked-down shutdown-sessions
"""
ADDRESS = re.compile(r"10\.0\.0\.(\d):7644")


def free_ports(count: int) -> list[int]:
    """Ports for as many servers, each with the next one free too. None is of those that the system
    gives to connections, so that a server gets its port again."""
    ports: list[int] = []
    for port in range(20_000, 32_000, 2):
        if len(ports) < count and not answers(port) and not answers(port + 1):
            ports.append(port)
    return ports


def answers(port: int) -> bool:
    """Return whether somebody listens at a port."""
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def configure(port: int, servers: list[str], checked: bool) -> str:
    """The page's configuration, for players only, with these ports of 127.0.0.1."""
    text = CONFIGURATION.read_text().partition("# The same servers")[0]
    text = text.replace("bind :7644", f"bind 127.0.0.1:{port}")
    text = ADDRESS.sub(lambda found: f"127.0.0.1:{servers[int(found[1]) - 1]}", text)
    if checked:
        text = text.replace("    retries 30", f"    retries 30\n{CHECKED}")
    return text


@contextmanager
def balancer(folder: Path, servers: list[str], checked: bool) -> Iterator[int]:
    """HAProxy before servers with these ports; its own port."""
    port = free_ports(1)[0]
    path = folder / "haproxy.cfg"
    path.write_text(configure(port, servers, checked))
    with subprocess.Popen(["haproxy", "-q", "-db", "-f", path]) as process:
        while not answers(port):
            if process.poll() is not None:
                sys.exit(f"haproxy ended with status {process.returncode}")
            time.sleep(0.05)
        try:
            yield port
        finally:
            process.terminate()


def run(args: argparse.Namespace, folder: Path, checked: bool) -> list[Cell]:
    """One run: a row with what the clients saw."""
    with ExitStack() as stack:
        servers = []
        for name, own_port in zip(("one", "two", "three"), free_ports(3), strict=True):
            own = folder / f"{name}-{checked}"
            own.mkdir()
            options = "--state", str(own / "state")
            server = Server(args.server, own, *options, port=str(own_port))
            servers.append(stack.enter_context(server))
        port = stack.enter_context(balancer(folder, [server.port for server in servers], checked))
        numbers = (
            args.seconds, args.sessions, args.rate, args.tables, 2, args.think, 10, MACHINES,
        )  # fmt: skip
        command: list[str] = [args.load, "run", "127.0.0.1", str(port), *map(str, numbers)]
        figures: dict[str, int] = {}
        starting = 0.0
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as load:
            assert load.stdout is not None
            for line in load.stdout:
                word, _, number = line.strip().partition(" ")
                figures[word] = int(number) if number else 0
                if word == "middle":
                    servers[0].kill()
                    time.sleep(args.away)
                    begun = time.monotonic()
                    servers[0].start()
                    starting = time.monotonic() - begun
        if load.returncode != 0:
            sys.exit(f"load run ended with status {load.returncode}")
    wrong = figures["lost"] + figures["unasked"] + figures["different"]
    counts = (figures["cut"], figures["resumed"], figures["anew"], wrong, figures["compared"])
    away = (figures[f"outage_{which}_ms"] / 1000 for which in ("p50", "max"))
    name = "checked" if checked else "as on the page"
    return [name, *counts, *(figure(seconds, 2) for seconds in (starting, *away))]


def main() -> None:
    """Measures both."""
    parser = report.parser(__doc__)
    parser.add_argument("--server", type=Path, default=Path("build/release/mhing-server"))
    parser.add_argument("--load", default="build/release/benchmarks/load")
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--away", type=float, default=2, help="seconds without the server")
    parser.add_argument("--sessions", type=int, default=900, help="that step")
    parser.add_argument("--rate", type=int, default=900, help="steps a second of all together")
    parser.add_argument("--tables", type=int, default=150)
    parser.add_argument("--think", type=int, default=1000, help="milliseconds, of a player")
    args = parser.parse_args()
    heads = [
        "balancer", "connections lost", "resumed", "anew", "wrong", "steps compared",
        "server starts, s", "back, s: p50", "max",
    ]  # fmt: skip
    clients = args.sessions + 2 * args.tables
    title = f"{clients:,} clients of 3 servers, one killed, {args.away:g} s away"
    with tempfile.TemporaryDirectory() as name:
        rows = [run(args, Path(name), checked) for checked in (False, True)]
    report.finish(args, [Table(heads, rows, title)])


if __name__ == "__main__":
    main()
