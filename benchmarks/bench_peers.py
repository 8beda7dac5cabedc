"""Mhing and its peers in one run: what RESULTS.md says about other environments.

    python3 -m venv build/peers-venv
    build/peers-venv/bin/pip install . -r benchmarks/peers/requirements.txt
    build/peers-venv/bin/python benchmarks/bench_peers.py [--seconds 1] [--build build]

Everything is measured on one core, in units per second of CPU time, each measurement in a fresh
process. Rounds go through all of them in turn; tables show medians. The C core and OpenSpiel's
hearts in C++ are built below the build folder first, with the same flags; Python is measured with
the package as it is installed. Progress goes to stderr, the tables as Markdown to stdout.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.util
import os
import platform
import statistics
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from importlib import metadata
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import bench_gymnasium

import mhing
from mhing.cli import bench, doors
from mhing.cli.peers import PEERS
from mhing.machine import machine

ROUNDS = 5
ROOT = Path(__file__).resolve().parent.parent
PACKAGES = sorted({peer.package.partition("[")[0] for peer in PEERS})

CORE_1, CORE_64, CORE_1024 = CORES = ("C core, 1 game", "C core, 64 games", "C core, 1024 games")
HEARTS = "OpenSpiel hearts, C++ alone"
LEARNER, _, FLOOR = bench_gymnasium.NAMES

GOALS: tuple[tuple[str, str, float | None], ...] = (
    (CORE_1, HEARTS, 10),
    (CORE_64, HEARTS, 10),
    (CORE_64, "riichienv, one round", 100),
    (CORE_64, "rlcard mahjong", 1000),
    (doors.BATCH, CORE_1024, 0.96),
    (doors.BATCH, f"EnvPool CartPole x {doors.ROWS}", 5),
    (LEARNER, FLOOR, 0.8),
    (LEARNER, "CartPole", None),
    (doors.STATES, "riichienv, one round", None),
    (doors.STATES, "rlcard mahjong", None),
    (doors.STATES, "OpenSpiel hearts", None),
    (doors.STATES, "PettingZoo leduc hold'em", None),
)
"""Ours, theirs, how many times theirs ours should be."""

Rate = Callable[[float], float]
"""Units per second of CPU time, measured for so many seconds."""


# ---- In a process of its own -----------------------------------------------------------------


def door_rate(name: str, seconds: float) -> float:
    """One of our doors, as `mhing bench` measures it."""
    works = {measured[0]: measured for measured in doors.game_works(mhing.Game())}
    return bench.measure(*works[name], seconds).per_second


def peer_rate(name: str, seconds: float) -> float:
    """A peer, as `mhing bench --peers` measures it."""
    (peer,) = (peer for peer in PEERS if peer.name == name)
    return bench.measure(name, peer.unit, peer.work(), seconds).per_second


def gymnasium_rate(name: str, floor: str, seconds: float) -> float:
    """A single environment, as bench_gymnasium.py measures it."""
    env = bench_gymnasium.make_envs(floor)[name]
    return bench.rate(bench_gymnasium.steps(env, bench_gymnasium.first_legal), seconds)


def fresh(function: Callable[..., float], *arguments: Any) -> float:
    """What a function returns in a new process."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(function, arguments)


def program_rate(command: list[str], seconds: float) -> float:
    """A program that prints one number."""
    return float(subprocess.check_output([*command, str(seconds)]))


# ---- The run ---------------------------------------------------------------------------------


def build(source: Path, folder: Path, target: str, *options: str) -> Path:
    """Builds one program, with the tools of this Python's own environment first."""
    tools = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    for command in (
        ["cmake", "-S", str(source), "-B", str(folder), "-G", "Ninja", *options],
        ["cmake", "--build", str(folder), "--target", target],
    ):
        subprocess.run(command, check=True, env=tools, stdout=sys.stderr)
    return folder


def contenders(folder: Path) -> dict[str, Rate]:
    """All that is measured, by name."""
    spiel = importlib.util.find_spec("open_spiel")
    assert spiel is not None
    assert spiel.submodule_search_locations is not None
    sources = spiel.submodule_search_locations[0]
    core = build(ROOT, folder / "release", "mhing_bench") / "benchmarks" / "bench"
    hearts = build(
        ROOT / "benchmarks" / "peers", folder / "peers", "openspiel_hearts",
        f"-DOPEN_SPIEL={sources}",
    )  # fmt: skip
    floor = bench_gymnasium.build_floor(str(folder / "floor"))
    rate = [str(core), "--rate", "mhing"]
    return {
        **{name: partial(program_rate, [*rate, name.split()[2]]) for name in CORES},
        **{name: partial(fresh, door_rate, name) for name in (doors.BATCH, doors.STATES)},
        **{name: partial(fresh, gymnasium_rate, name, floor) for name in (LEARNER, FLOOR)},
        HEARTS: partial(program_rate, [str(hearts / "openspiel_hearts")]),
        **{peer.name: partial(fresh, peer_rate, peer.name) for peer in PEERS},
    }


def measure(rates: dict[str, Rate], seconds: float) -> dict[str, list[float]]:
    """All rounds of everything, interleaved."""
    measured: dict[str, list[float]] = {name: [] for name in rates}
    for number in range(ROUNDS):
        for name, rate in rates.items():
            measured[name].append(rate(seconds))
            print(f"round {number + 1} {name}: {measured[name][-1]:,.0f}", file=sys.stderr)
    return measured


def report(measured: dict[str, list[float]]) -> str:
    """The tables."""
    middle = {name: statistics.median(rates) for name, rates in measured.items()}
    versions = ", ".join(f"{package} {metadata.version(package)}" for package in PACKAGES)
    lines = [
        f"{datetime.date.today()}, {machine()}, {platform.system()}, one core, CPU time,",
        f"medians of {ROUNDS} rounds; {versions}",
        "",
        "| ours | peer | times as fast | goal |",
        "|---|---|---:|---:|",
    ]
    for ours, theirs, goal in GOALS:
        times = middle[ours] / middle[theirs]
        lines.append(f"| {ours} | {theirs} | {times:,.{2 if times < 10 else 0}f} | {goal or ''} |")
    lines += ["", "| | a second | slowest and fastest round |", "|---|---:|---:|"]
    for name, rates in measured.items():
        lines.append(f"| {name} | {middle[name]:,.0f} | {min(rates):,.0f} - {max(rates):,.0f} |")
    return "\n".join(lines)


def main() -> None:
    """Builds, measures, prints."""
    parser = argparse.ArgumentParser(description="Mhing and its peers in one run.")
    parser.add_argument("--seconds", type=float, default=1.0, help="of each measurement (1)")
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="where to build")
    arguments = parser.parse_args()
    missing = [peer.package for peer in PEERS if not peer.installed]
    if missing:
        sys.exit(f"{', '.join(missing)}: pip install -r benchmarks/peers/requirements.txt")
    rates = contenders(arguments.build.resolve())
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # children inherit it
    print(report(measure(rates, arguments.seconds)))


if __name__ == "__main__":
    main()
