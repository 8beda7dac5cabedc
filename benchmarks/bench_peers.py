"""Mhing and its peers in one run: what RESULTS.md says about other environments.

    python3 -m venv build/peers-venv
    build/peers-venv/bin/pip install . -r benchmarks/peers/requirements.txt
    build/peers-venv/bin/python benchmarks/bench_peers.py [--seconds 1] [--build build]

Everything is measured on one core, in units per second of CPU time, each measurement in a fresh
process. Rounds go through all of them in turn; the table shows medians. The C core and OpenSpiel's
hearts in C++ are built below the build folder first, with the same flags; Python is measured with
the package as it is installed. A peer that cannot be imported or made is left out, which a line on
stderr says. Progress is printed there as well.
"""

from __future__ import annotations

import importlib.util
import os
import re
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
import report
from report import Cell, Table, figure, met

import mhing
from mhing.cli import bench, doors
from mhing.cli.peers import PEERS, Peer

ROUNDS = 5
ROOT = Path(__file__).resolve().parent.parent

CORE_1, CORE_64, CORE_1024 = CORES = ("C core, 1 game", "C core, 64 games", "C core, 1024 games")
MASKS_64, MASKS_1024 = MASKS = ("C core, 64 games, masks", "C core, 1024 games, masks")
HEARTS = "OpenSpiel hearts, C++ alone"
HEARTS_MASKS = f"{HEARTS}, masks"
COPIES = f"{doors.BATCH}, copied"
PLAY = re.compile(r", (every seat|the other seats) random")
"""Said of all in the note of the results."""
LEARNER, _, FLOOR = bench_gymnasium.NAMES

GOALS: tuple[tuple[str, str, float | None], ...] = (
    (CORE_1, HEARTS, 10),
    (CORE_64, HEARTS, 10),
    (MASKS_64, HEARTS_MASKS, None),
    (CORE_64, "riichienv, one round", 100),
    (CORE_64, "rlcard mahjong", 1000),
    (doors.BATCH, CORE_1024, 0.96),
    (doors.BATCH, f"EnvPool CartPole x {doors.ROWS}", 5),
    (doors.BATCH, f"EnvPool Leduc x {doors.ROWS}", None),
    (doors.BATCH, f"EnvPool Sparrow x {doors.ROWS}", None),
    (doors.BATCH, f"CartPole x {doors.ROWS}, NumPy", None),
    (COPIES, doors.BATCH, 0.75),
    (MASKS_1024, f"fastcatan x {doors.ROWS}, masks", 1.5),
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


# ---- In a new process ------------------------------------------------------------------------


def door_rate(name: str, seconds: float) -> float:
    """One of our doors, as `mhing bench` measures it."""
    works = {measured[0]: measured for measured in doors.game_works(mhing.Game())}
    return bench.measure(*works[name], seconds).per_second


def copies_rate(seconds: float) -> float:
    """The batch with fresh arrays at each step."""
    work = doors.batch_work(mhing.Game(), copy=True)
    return bench.measure(COPIES, "decisions", work, seconds).per_second


def peer_rate(name: str, seconds: float) -> float:
    """A peer, as `mhing bench --peers` measures it."""
    (peer,) = (peer for peer in PEERS if peer.name == name)
    return bench.measure(name, peer.unit, peer.work(), seconds).per_second


def gymnasium_rate(name: str, floor: str, seconds: float) -> float:
    """A single environment, as bench_gymnasium.py measures it."""
    env = bench_gymnasium.make_envs(floor)[name]
    return bench.rate(bench_gymnasium.steps(env, bench_gymnasium.first_legal), seconds)


def fresh(function: Callable[..., float], *arguments: Any) -> float:
    """The result of a function in a new process."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(function, arguments)


def program_rate(command: list[str], seconds: float, *arguments: str) -> float:
    """A program that prints one number."""
    return float(subprocess.check_output([*command, str(seconds), *arguments]))


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


def peers() -> list[Peer]:
    """The peers that can be measured here; a line on stderr for each of the others."""
    found = []
    for peer in PEERS:
        try:
            fresh(peer_rate, peer.name, 0.01)
        except Exception as error:  # whatever the import of other people's packages raises
            print(f"{peer.name} is left out: {type(error).__name__}: {error}", file=sys.stderr)
        else:
            found.append(peer)
    return found


def contenders(folder: Path) -> dict[str, Rate]:
    """All that is measured, by name."""
    core = build(ROOT, folder / "release", "mhing_bench") / "benchmarks" / "bench"
    floor = bench_gymnasium.build_floor(str(folder / "floor"))
    found: dict[str, Rate] = {
        name: partial(program_rate, [str(core), mode, "mhing", name.split()[2]])
        for mode, names in (("--rate", CORES), ("--mask-rate", MASKS))
        for name in names
    }
    found |= {
        COPIES: partial(fresh, copies_rate),
        **{name: partial(fresh, door_rate, name) for name in (doors.BATCH, doors.STATES)},
        **{name: partial(fresh, gymnasium_rate, name, floor) for name in (LEARNER, FLOOR)},
        **{peer.name: partial(fresh, peer_rate, peer.name) for peer in peers()},
    }
    spiel = importlib.util.find_spec("open_spiel")
    if spiel is None or not spiel.submodule_search_locations:
        print(f"{HEARTS} is left out: open_spiel is not installed", file=sys.stderr)
        return found
    sources = f"-DOPEN_SPIEL={spiel.submodule_search_locations[0]}"
    hearts = build(ROOT / "benchmarks/peers", folder / "peers", "openspiel_hearts", sources)
    program = str(hearts / "openspiel_hearts")
    return {
        **found,
        HEARTS: partial(program_rate, [program]),
        HEARTS_MASKS: lambda seconds: program_rate([program], seconds, "masks"),
    }


def measure(rates: dict[str, Rate], seconds: float) -> dict[str, list[float]]:
    """All rounds of everything, interleaved."""
    measured: dict[str, list[float]] = {name: [] for name in rates}
    for number in range(ROUNDS):
        for name, rate in rates.items():
            measured[name].append(rate(seconds))
            print(f"round {number + 1} {name}: {measured[name][-1]:,.0f}", file=sys.stderr)
    return measured


def compared(measured: dict[str, list[float]]) -> Table:
    """Ours beside theirs."""
    middle = {name: statistics.median(rates) for name, rates in measured.items()}
    rows: list[list[Cell]] = []
    for ours, theirs, goal in GOALS:
        if theirs not in middle:
            continue
        times = middle[ours] / middle[theirs]
        aim = [figure(goal, 2 if goal % 1 else 0), met(times >= goal)] if goal else [None, None]
        rates = [figure(middle[name]) for name in (ours, theirs)]
        names = [PLAY.sub("", name) for name in (ours, theirs)]
        rows.append([*names, *rates, figure(times, 2 if times < 10 else 0), *aim])
    heads = ["ours", "peer", "ours a second", "peer's", "times as fast", "goal", "met"]
    return Table(heads, rows, versions())


def versions() -> str:
    """The packages of the peers that are installed."""
    packages = sorted({peer.package.partition("[")[0] for peer in PEERS if peer.installed})
    return ", ".join(f"{package} {metadata.version(package)}" for package in packages)


def main() -> None:
    """Builds, measures, prints."""
    parser = report.parser(__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="of each measurement (1)")
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="where to build")
    arguments = parser.parse_args()
    rates = contenders(arguments.build.resolve())
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # children inherit it
    report.finish(arguments, [compared(measure(rates, arguments.seconds))])


if __name__ == "__main__":
    main()
