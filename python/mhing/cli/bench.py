"""``mhing bench``: how fast this machine plays, through each door of the package."""

from __future__ import annotations

import argparse
import shlex
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from mhing import by_game
from mhing.cli.common import (
    SECONDS,
    Progress,
    add_game_arguments,
    add_parser,
    make_game,
    print_json,
    table,
)
from mhing.cli.doors import Measured, Work, game_works
from mhing.cli.peers import PEERS, Peer
from mhing.machine import machine

EXAMPLES = """\
examples:
  mhing bench
  mhing bench --peers
  mhing bench --seconds 30 --json
"""

WARM_UP = 0.1  # seconds before the clock counts


@dataclass(frozen=True)
class Speed:
    """One measurement: units of work a second of CPU time."""

    name: str
    unit: str
    per_second: float
    seconds: float


@dataclass(frozen=True)
class PeerSpeed:
    """A peer, compared with our own interface that does the same."""

    name: str
    package: str
    door: str
    per_second: float | None = None
    times: float | None = None
    """Our speed divided by the peer's."""
    problem: str | None = None
    """The reason why there is neither."""
    incomplete: bool = False
    """True if the reason is a part of the package that is not installed."""


def add(commands: Any) -> None:
    """Declare the command."""
    parser = add_parser(commands, "bench", run, "measure the speed of this machine", EXAMPLES)
    add_game_arguments(parser)
    parser.add_argument(
        "--seconds",
        metavar="S",
        type=SECONDS,
        default=10.0,
        help="time for all measurements (10)",
    )
    parser.add_argument(
        "--peers", action="store_true", help="also measure other environments that are installed"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    game = make_game(args)
    own = by_game.showcase(game.id)
    works = [*game_works(game), *(own.works() if own else ())]
    peers = [peer for peer in PEERS if peer.installed] if args.peers else []
    share = args.seconds / (len(works) + len(peers))
    speeds = measure_all(works, share * len(works))
    compared = compare_all(peers, speeds, share * len(peers)) if peers else []
    missing = {peer.package for peer in PEERS if args.peers and peer not in peers}
    missing |= {peer.package for peer in compared if peer.incomplete}
    if args.json:
        report = {"machine": machine(), "game": game.id, "speeds": [asdict(s) for s in speeds]}
        if args.peers:
            report |= {
                "peers": [asdict(peer) for peer in compared],
                "not_installed": sorted(missing),
            }
        print_json(report)
        return
    print(f"{game!r} on {machine()}, one core\n")
    print(speed_table(speeds))
    if args.peers:
        print(f"\n{peer_table(compared)}")
    if missing:
        print(f"\nnot installed: {shlex.join(['pip', 'install', *sorted(missing)])}")


def measure_all(works: Sequence[Measured], seconds: float) -> list[Speed]:
    """Measures each work, in so many seconds altogether."""
    speeds = []
    with Progress("measuring") as progress:
        for number, (name, unit, work) in enumerate(works):
            progress.update(number / len(works), name)
            speeds.append(measure(name, unit, work, seconds / len(works)))
        progress.update(1.0)
    return speeds


def measure(name: str, unit: str, work: Work, seconds: float) -> Speed:
    """Repeat `work` for so many seconds, after a short warm-up.

    The seconds are of CPU time, so that other programs do not count and all threads do.
    """
    repeat(work, min(WARM_UP, seconds))
    done, elapsed = repeat(work, seconds)
    return Speed(name, unit, done / elapsed, elapsed)


def repeat(
    work: Work, seconds: float, clock: Callable[[], float] = time.process_time
) -> tuple[int, float]:
    """Do `work` again and again for so many seconds.

    Returns:
        The units that were done, and the seconds by `clock` that they took.
    """
    done, begun, spent = 0, clock(), 0.0
    while spent < seconds:
        done += work()
        spent = clock() - begun
    return done, spent


def rate(work: Work, seconds: float, clock: Callable[[], float] = time.process_time) -> float:
    """Units a second of `work`, which is done for so many seconds: what benchmarks/ measure by."""
    done, spent = repeat(work, seconds, clock)
    return done / spent


def compare_all(peers: Sequence[Peer], ours: Sequence[Speed], seconds: float) -> list[PeerSpeed]:
    """Measures each peer, in so many seconds altogether, against our own speeds."""
    doors = {speed.name: speed for speed in ours}
    compared = []
    with Progress("measuring peers") as progress:
        for number, peer in enumerate(peers):
            progress.update(number / len(peers), peer.name)
            compared.append(compare(peer, doors[peer.door], seconds / len(peers)))
        progress.update(1.0)
    return compared


def compare(peer: Peer, ours: Speed, seconds: float) -> PeerSpeed:
    """Measures a peer; if it fails, the others are still measured."""
    try:
        speed = measure(peer.name, peer.unit, peer.work(), seconds)
    except Exception as error:
        problem = f"{type(error).__name__}: {error}".partition("\n")[0]
        incomplete = isinstance(error, ModuleNotFoundError)
        return PeerSpeed(peer.name, peer.package, peer.door, problem=problem, incomplete=incomplete)
    times = ours.per_second / speed.per_second
    return PeerSpeed(peer.name, peer.package, peer.door, speed.per_second, times)


def speed_table(speeds: list[Speed]) -> str:
    """The measurements for people to read."""
    return table(("", "per second", ""), [(s.name, f"{s.per_second:,.0f}", s.unit) for s in speeds])


def peer_table(compared: list[PeerSpeed]) -> str:
    """The comparison for people to read."""
    rows = [
        (peer.name, "does not work", "", peer.problem)
        if peer.per_second is None
        else (peer.name, f"{peer.per_second:,.0f}", f"{peer.times:,.1f}", peer.door)
        for peer in compared
    ]
    return table(("peer", "per second", "times as fast:", ""), rows)
