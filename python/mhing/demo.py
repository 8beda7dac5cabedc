"""The main job: bots play Mhing through ``gym.make("mhing:Mhing-v0")``, and what came of it.

One seat belongs to a learner, the other three to the greedy bot. The learner is the greedy bot
itself, then, for contrast, a random one. Same seed, same table of results, on every machine; only
the speeds differ. Run it with ``mhing demo`` or ``python -m mhing.demo``.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import asdict, dataclass, field
from statistics import fmean, stdev
from typing import Any

import gymnasium as gym
import numpy as np

from mhing.cli import bench
from mhing.cli.common import (
    BadInput,
    Progress,
    add_parser,
    credits_table,
    draw,
    plural,
    print_json,
    table,
)

EXAMPLES = """\
examples:
  mhing demo
  mhing demo --rounds 1000 --seed 7 --json
"""
ENV_ID = "mhing:Mhing-v0"
OPPONENT = "greedy"
LEARNERS = ("greedy", "random")


@dataclass
class Run:
    """What one learner did, and what happened at its table."""

    learner: str
    rewards: list[float] = field(default_factory=list)
    won: int = 0
    declared: int = 0
    on_discard: int = 0
    decisions: int = 0
    seconds: float = 0.0
    best: dict[str, Any] | None = None

    @property
    def interval(self) -> float:
        """Half the width of the 95 % interval of the mean reward."""
        return 1.96 * stdev(self.rewards) / len(self.rewards) ** 0.5


def add(commands: Any) -> None:
    """Declares the command."""
    parser = add_parser(
        commands, "demo", run, "bots play Mhing through Gymnasium: results and speed", EXAMPLES
    )
    parser.add_argument(
        "--rounds", metavar="N", type=int, default=6000, help="rounds per learner (6000)"
    )
    parser.add_argument("--seed", metavar="N", type=int, default=1, help="seed of all deals (1)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> None:
    """Runs the command."""
    if args.rounds < 2:
        raise BadInput(f"--rounds {args.rounds}: play at least 2")
    if args.seed < 0:
        raise BadInput(f"--seed {args.seed}: give 0 or more")
    runs = [play(learner, args.rounds, args.seed) for learner in LEARNERS]
    speeds = bench.measure_all(seconds=2.0)
    ...


def play(learner: str, rounds: int, seed: int) -> Run:
    """Plays `rounds` episodes with the bot `learner` in the learner's seat."""
    done = Run(learner)
    env = gym.make(ENV_ID, opponents=OPPONENT)
    random = seed
    start = time.perf_counter()
    with Progress(f"{learner} against three {OPPONENT}") as progress:
        for number in range(rounds):
            _, info = env.reset(seed=seed if number == 0 else None)
            over = False
            while not over:
                action, random = env.unwrapped.state.bot_action(learner, random)
                _, reward, over, _, info = env.step(action)
                done.decisions += 1
            ...
            progress.update((number + 1) / rounds, f"{number + 1:,} rounds")
    env.close()
    done.seconds = time.perf_counter() - start
    return done


if __name__ == "__main__":
    from mhing.cli import main

    sys.exit(main(["demo", *sys.argv[1:]]))
