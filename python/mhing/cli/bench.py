"""``mhing bench``: how fast this machine plays, through each door of the package."""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import gymnasium as gym
import numpy as np

import mhing
from mhing.cli.common import (
    BadInput,
    Progress,
    add_parser,
    print_json,
    split_cards,
    table,
)

EXAMPLES = """\
examples:
  mhing bench
  mhing bench --seconds 30 --json
"""

WARM_UP = 0.1  # seconds before the clock counts
ROWS = 64  # of the batch

Work = Callable[[], int]
"""Does a piece of work and returns how many units it was."""


@dataclass(frozen=True)
class Speed:
    """One measurement: units of work a second, on one core, by the wall clock."""

    name: str
    unit: str
    per_second: float
    seconds: float


def add(commands: Any) -> None:
    """Declares the command."""
    parser = add_parser(commands, "bench", run, "the speed of this machine", EXAMPLES)
    add_game_arguments(parser)
    parser.add_argument(
        "--seconds", metavar="S", type=float, default=10.0, help="for all together (10)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> None:
    """Runs the command."""
    if not 0 < args.seconds < float("inf"):
        raise BadInput(f"--seconds {args.seconds}: give a number above 0")
    game = make_game(args)
    with Progress("measuring") as progress:
        works = [*game_works(game), *hand_works()]
        speeds = []
        for number, (name, unit, work) in enumerate(works):
            speeds.append(measure(name, unit, work, args.seconds / len(works)))
            progress.update((number + 1) / len(works), name)
    if args.json:
        print_json({"machine": machine(), "game": game.id, "speeds": [asdict(s) for s in speeds]})
    else:
        print(f"{game!r} on {machine()}, one core\n")
        print(speed_table(speeds))


def measure(name: str, unit: str, work: Work, seconds: float) -> Speed:
    """Repeats `work` for so many seconds, after a short warm-up."""
    for limit in (min(WARM_UP, seconds), seconds):
        done, start = 0, time.perf_counter()
        while (elapsed := time.perf_counter() - start) < limit:
            done += work()
    return Speed(name, unit, done / elapsed, elapsed)


def speed_table(speeds: list[Speed]) -> str:
    """The measurements for people to read."""
    return table(
        ("", "per second", ""), [(s.name, f"{s.per_second:,.0f}", s.unit) for s in speeds]
    )


def machine() -> str:
    """The processor and the Python that were measured."""
    return f"{platform.processor() or platform.machine()}, Python {platform.python_version()}"


def game_works(game: mhing.Game) -> Iterator[tuple[str, str, Work]]:
    """Playing, through each door."""
    yield "Gymnasium environment, random opponents", "steps", environment_work(game)
    yield "states, every seat random", "decisions", state_work(game)
    yield f"batch of {ROWS} in C, every seat random", "decisions", batch_work(game)


def environment_work(game: mhing.Game) -> Work:
    """Whole episodes of a Gymnasium environment with copied observations and masks."""
    env = gym.make("mhing:Mhing-v0", opponents="random")
    _, info = env.reset(seed=1)
    env.action_space.seed(1)

    def work() -> int:
        _, info = env.reset()
        steps, over = 0, False
        while not over:
            _, _, over, _, info = env.step(env.action_space.sample(info["action_mask"]))
            steps += 1
        return steps

    return work


def state_work(game: mhing.Game) -> Work:
    """Whole episodes of states: a mask, an observation, a random legal action."""
    seeds = itertools.count(1)
    random = np.random.default_rng(1)

    def work() -> int:
        state = game.new_state(next(seeds))
        decisions = 0
        while not state.is_terminal:
            state.observation()
            state.apply(random.choice(state.legal_actions()))
            decisions += 1
        return decisions

    return work


def batch_work(game: mhing.Game) -> Work:
    ...


def hand_works() -> Iterator[tuple[str, str, Work]]:
    """Scoring and distance, on hands as greedy play makes them."""
    ...
