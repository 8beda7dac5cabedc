"""The main job: bots play Mhing through ``gym.make("mhing:Mhing-v0")``, and what came of it.

One seat belongs to a learner, the other three to the greedy bot. The learner is the greedy bot
itself, then, for contrast, a random one. Same seed, same table of results, on every machine; only
the speeds differ. Run it with ``mhing demo`` or ``python -m mhing.demo``.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from dataclasses import asdict, dataclass, field
from statistics import fmean, stdev
from typing import Any

import gymnasium as gym

import mhing
from mhing.by_game.mhing.hand import result_text
from mhing.cli import bench, doors
from mhing.cli.common import BadInput, Progress, add_parser, print_json, table
from mhing.env import CardGameEnv

EXAMPLES = """\
examples:
  mhing demo
  mhing demo --rounds 1000 --seed 7 --json
"""
ENV_ID = "mhing:Mhing-v0"
OPPONENT = "greedy"
LEARNERS = ("greedy", "random")
SPEED_SECONDS = 3.0


@dataclass
class Play:
    """What one learner did, and what happened at its table."""

    learner: str
    credits: list[float] = field(default_factory=list)  # earned by the learner, by round
    wins: int = 0
    declared: int = 0
    on_discards: int = 0
    decisions: int = 0
    seconds: float = 0.0
    best: dict[str, Any] | None = None  # the result of the round with the dearest hand

    @property
    def interval(self) -> float:
        """Half the width of the 95 % interval of the mean credits."""
        return 1.96 * stdev(self.credits) / math.sqrt(len(self.credits))


def add(commands: Any) -> None:
    """Declares the command."""
    parser = add_parser(
        commands, "demo", run, "bots play Mhing through Gymnasium: results and speed", EXAMPLES
    )
    parser.add_argument(
        "--rounds", metavar="N", type=int, default=20_000, help="rounds for each learner (20000)"
    )
    parser.add_argument("--seed", metavar="N", type=int, default=1, help="seed of all deals (1)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> None:
    """Runs the command."""
    if args.rounds < 2:
        raise BadInput(f"--rounds {args.rounds}: play at least 2")
    if not 0 <= args.seed < 1 << 64:
        raise BadInput(f"--seed {args.seed}: give 0 to 2**64 - 1")
    plays = [play(learner, args.rounds, args.seed) for learner in LEARNERS]
    speeds = bench.measure_all(list(doors.game_works(mhing.Game())), SPEED_SECONDS)
    best = max((seen.best for seen in plays if seen.best), key=lambda result: result["credits"])
    if args.json:
        print_json(
            {
                "rounds": args.rounds,
                "seed": args.seed,
                "learners": [report(seen) for seen in plays],
                "best": best,
                "speeds": [asdict(speed) for speed in speeds],
                "machine": bench.machine(),
            }
        )
        return
    print(f"{args.rounds:,} rounds of Mhing for each learner, against three {OPPONENT} bots\n")
    print(results_table(plays))
    print(f"\nThe best hand of all: {result_text(best)}\n")
    print(f"Speed of this machine, one core ({bench.machine()})\n")
    print(bench.speed_table(speeds))


def report(seen: Play) -> dict[str, Any]:
    """The figures of one learner."""
    return {
        "learner": seen.learner,
        "wins": seen.wins,
        "credits": fmean(seen.credits),
        "interval": seen.interval,
        "declared": seen.declared,
        "on_discards": seen.on_discards,
        "decisions": seen.decisions,
        "seconds": seen.seconds,
    }


def results_table(plays: list[Play]) -> str:
    """The figures of all learners, for people to read."""
    rows = [
        (
            seen.learner,
            f"{seen.wins / len(seen.credits):.1%}",
            f"{fmean(seen.credits):.3f} ± {seen.interval:.3f}",
            f"{seen.on_discards / max(1, seen.declared):.0%}",
            f"{seen.decisions / seen.seconds:,.0f}",
        )
        for seen in plays
    ]
    header = ("learner", "wins", "credits a round, 95 %", "won on a discard", "its decisions/s")
    return table(header, rows)


def play(learner: str, rounds: int, seed: int) -> Play:
    """Plays `rounds` rounds with the bot `learner` in the learner's seat."""
    seen = Play(learner)
    env = gym.make(ENV_ID, opponents=OPPONENT)
    start = time.perf_counter()
    with Progress(f"{learner} against three {OPPONENT}") as progress:
        for number in range(rounds):
            play_round(env, seen, seed if number == 0 else None)
            progress.update((number + 1) / rounds, f"{number + 1:,} rounds")
    seen.seconds = time.perf_counter() - start
    env.close()
    return seen


def play_round(env: gym.Env[Any, Any], seen: Play, seed: int | None) -> None:
    """Plays one episode, a round, and adds it to what was seen."""
    inside = env.unwrapped
    assert isinstance(inside, CardGameEnv)
    _, info = env.reset(seed=seed)
    random, credits, over = info["seed"], 0.0, False
    while not over:
        action, random = inside.state.bot_action(seen.learner, random)
        _, reward, over, _, info = env.step(action)
        credits += float(reward)
        seen.decisions += 1
    seen.credits.append(credits)
    seen.wins += info["winner"] == info["seat"]
    seen.declared += info["winner"] >= 0
    seen.on_discards += info["payer"] >= 0
    if seen.best is None or info["credits"] > seen.best["credits"]:
        seen.best = inside.state.to_dict()["result"]


if __name__ == "__main__":
    from mhing.cli import main

    sys.exit(main(["demo", *sys.argv[1:]]))
