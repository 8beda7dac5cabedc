"""``mhing bench``: how fast this machine plays, through each door of the package."""

from __future__ import annotations

import argparse
import contextlib
import itertools
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

import mhing
from mhing.cli.common import (
    BadInput,
    Progress,
    add_game_arguments,
    add_parser,
    make_game,
    print_json,
    table,
)
from mhing.render.mhing_hand import cards_of

EXAMPLES = """\
examples:
  mhing bench
  mhing bench --seconds 30 --json
"""

WARM_UP = 0.1  # seconds before the clock counts
ROWS = 1024  # of the batch

Work = Callable[[], int]
"""Does a piece of work and returns how many units it was."""

Measured = tuple[str, str, Work]
"""What is measured, the unit it counts, the work."""


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
    works = [*game_works(game), *(hand_works() if game.id == "mhing" else ())]
    speeds = measure_all(works, args.seconds)
    if args.json:
        print_json({"machine": machine(), "game": game.id, "speeds": [asdict(s) for s in speeds]})
    else:
        print(f"{game!r} on {machine()}, one core\n")
        print(speed_table(speeds))


def measure_all(works: Sequence[Measured], seconds: float) -> list[Speed]:
    """Measures each work, all together in so many seconds."""
    speeds = []
    with Progress("measuring") as progress:
        for number, (name, unit, work) in enumerate(works):
            progress.update(number / len(works), name)
            speeds.append(measure(name, unit, work, seconds / len(works)))
        progress.update(1.0)
    return speeds


def measure(name: str, unit: str, work: Work, seconds: float) -> Speed:
    """Repeats `work` for so many seconds, after a short warm-up."""
    for limit in (min(WARM_UP, seconds), seconds):
        done, start = 0, time.perf_counter()
        while (elapsed := time.perf_counter() - start) < limit:
            done += work()
    return Speed(name, unit, done / elapsed, elapsed)


def speed_table(speeds: list[Speed]) -> str:
    """The measurements for people to read."""
    return table(("", "per second", ""), [(s.name, f"{s.per_second:,.0f}", s.unit) for s in speeds])


def machine() -> str:
    """The processor and the Python that were measured."""
    with contextlib.suppress(OSError, StopIteration):  # Linux alone tells the model
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(line for line in lines if line.startswith("model name"))
        return f"{model.partition(': ')[2]}, Python {platform.python_version()}"
    return f"{platform.machine()}, Python {platform.python_version()}"


def game_works(game: mhing.Game) -> Iterator[Measured]:
    """Playing, through each door."""
    yield "Gymnasium environment, random opponents", "steps", environment_work(game)
    yield "states, every seat random", "decisions", state_work(game)
    yield f"batch of {ROWS}, every seat random", "decisions", batch_work(game)


def environment_work(game: mhing.Game) -> Work:
    """Whole episodes of a Gymnasium environment with copied observations and masks."""
    options: dict[str, Any] = {**game.options, "opponents": "random"}
    env = gym.make(mhing.environment_id(game.id), **options)
    env.reset(seed=1)
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
    """A batch that plays all seats, its own arrays as they are: random actions drawn in C."""
    options: dict[str, Any] = {**game.options, "opponents": "self", "copy": False}
    envs: Any = gym.make_vec(mhing.environment_id(game.id), num_envs=ROWS, **options)
    envs.reset(seed=1)

    def work() -> int:
        for _ in range(100):
            envs.step(envs.sample_actions())
        return 100 * ROWS

    return work


def hand_works(rounds: int = 100) -> Iterator[Measured]:
    """Scoring hands as greedy play declares them, and the distance of hands as it holds them."""
    game = mhing.Game("mhing")
    ends = [game.new_state(seed).play_out("greedy", seed).to_dict() for seed in range(rounds)]
    declared = [cards_of(end["result"]["arrangement"]) for end in ends if end["result"]["parts"]]
    held = ["".join(hand) for end in ends for hand in end["hands"] if len(hand) == 13]

    def score() -> int:
        for hand in declared:
            mhing.score_hand(hand)
        return len(declared)

    def distance() -> int:
        for hand in held:
            mhing.distance(hand)
        return len(held)

    yield "mhing.score_hand, from text", "hands", score
    yield "mhing.distance, from text", "hands", distance
