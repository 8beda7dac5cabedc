"""The main job: bots play a game through Gymnasium's interface, and what came of it.

One seat belongs to a learner, the others to the game's default bot. The learner is that bot
itself, then, for contrast, the first one, which plays at random. Same seed, same table of results,
on every machine; only the speeds differ. Run it with ``mhing demo`` or ``python -m mhing.demo``.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import fmean, stdev
from typing import Any

import gymnasium as gym

import mhing
from mhing import by_game
from mhing.by_game import Notes
from mhing.cli import bench, doors
from mhing.cli.common import (
    SEED,
    Progress,
    add_game_arguments,
    add_parser,
    make_game,
    print_json,
    table,
    whole,
)
from mhing.env import CardGameEnv
from mhing.machine import machine
from mhing.words import plural

EXAMPLES = """\
examples:
  mhing demo
  mhing demo --rounds 1000 --seed 7 --json
  mhing demo general_mhing --players 3 --rounds 1000
"""
NEXT = """\
What to do next

  mhing play --seat 0    sit down against three bots, here
  mhing web              the same in a browser
  mhing help             all commands"""
SPEED_SECONDS = 3.0
NUMBERS = ("no", "one", "two", "three", "four", "five")


class NoNotes:
    """The notes on a game that brings none."""

    def see(self, state: mhing.State, info: Mapping[str, Any]) -> None:
        """Take no note of anything."""

    def columns(self) -> dict[str, str]:
        """No columns."""
        return {}

    def figures(self) -> dict[str, Any]:
        """No figures."""
        return {}


@dataclass
class DemoResult:
    """The results of one learner, and of its table."""

    learner: str
    notes: Notes
    rewards: list[float] = field(default_factory=list)  # the learner's, by episode
    wins: int | None = None  # None: the game counts none
    decisions: int = 0
    seconds: float = 0.0

    @property
    def interval(self) -> float:
        """Half the width of the 95 % interval of the mean reward."""
        return 1.96 * stdev(self.rewards) / math.sqrt(len(self.rewards))


def add(commands: Any) -> None:
    """Declare the command."""
    parser = add_parser(
        commands, "demo", run, "let bots play a game through Gymnasium: results and speed", EXAMPLES
    )
    add_game_arguments(parser)
    parser.add_argument(
        "--rounds",
        metavar="N",
        type=whole(2, 1_000_000),
        default=20_000,
        help="rounds for each learner (20000)",
    )
    parser.add_argument("--seed", metavar="N", type=SEED, default=1, help="seed of all deals (1)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    game = make_game(args)
    own = by_game.showcase(game.id)
    learners = dict.fromkeys((game.default_bot, game.bots[0].name))
    plays = [
        play(game, DemoResult(learner, own.notes() if own else NoNotes()), args.rounds, args.seed)
        for learner in learners
    ]
    figures, text = own.closing([played.notes for played in plays]) if own else ({}, "")
    speeds = bench.measure_all(list(doors.game_works(game)), SPEED_SECONDS)
    if args.json:
        print_json(
            {
                "game": game.id,
                "rounds": args.rounds,
                "seed": args.seed,
                "learners": [report(game, played) for played in plays],
                **figures,
                "speeds": [asdict(speed) for speed in speeds],
                "machine": machine(),
            }
        )
        return
    rounds = plural(args.rounds, "round")
    print(f"{rounds} of {game.title} for each learner, against {opponents(game)}\n")
    print(results_table(game, plays))
    if text:
        print(f"\n{text}")
    print(f"\nSpeed of this machine, one core ({machine()})\n")
    print(bench.speed_table(speeds))
    print(f"\n{NEXT}")


def opponents(game: mhing.Game) -> str:
    """The players of the other seats, in words: "three greedy bots"."""
    others = game.num_seats - 1
    return f"{NUMBERS[others]} {game.default_bot} bot{'' if others == 1 else 's'}"


def report(game: mhing.Game, played: DemoResult) -> dict[str, Any]:
    """The figures of one learner."""
    wins = {} if played.wins is None else {"wins": played.wins}
    return {
        "learner": played.learner,
        **wins,
        game.unit: fmean(played.rewards),
        "interval": played.interval,
        **played.notes.figures(),
        "decisions": played.decisions,
        "seconds": played.seconds,
    }


def results_table(game: mhing.Game, plays: Sequence[DemoResult]) -> str:
    """The figures of all learners, for people to read."""
    rows = [
        {
            "learner": played.learner,
            **({} if played.wins is None else {"wins": f"{played.wins / len(played.rewards):.1%}"}),
            f"{game.unit} a round, 95 %": f"{fmean(played.rewards):.3f} ± {played.interval:.3f}",
            **played.notes.columns(),
            "its decisions/s": f"{played.decisions / played.seconds:,.0f}",
        }
        for played in plays
    ]
    return table(list(rows[0]), [list(row.values()) for row in rows])


def play(game: mhing.Game, played: DemoResult, episodes: int, seed: int) -> DemoResult:
    """Play so many episodes with the bot `played.learner` in the learner's seat."""
    options: dict[str, Any] = game.options
    env = gym.make(mhing.environment_id(game.id), **options)
    start = time.perf_counter()
    with Progress(f"{played.learner} against {opponents(game)}") as progress:
        for number in range(episodes):
            play_episode(env, played, seed if number == 0 else None)
            progress.update((number + 1) / episodes, plural(number + 1, "round"))
    played.seconds = time.perf_counter() - start
    env.close()
    return played


def play_episode(env: gym.Env[Any, Any], played: DemoResult, seed: int | None) -> None:
    """Play one episode and add it to what was played."""
    inside = env.unwrapped
    assert isinstance(inside, CardGameEnv)
    _, info = env.reset(seed=seed)
    random, total, over = inside.episode_seed, 0.0, False
    while not over:
        action, random = inside.state.bot_action(played.learner, random)
        _, reward, over, _, info = env.step(action)
        total += float(reward)
        played.decisions += 1
    played.rewards.append(total)
    for number in inside.game.info_role("winner"):
        played.wins = (played.wins or 0) + (info[number.name] == info["seat"])
    played.notes.see(inside.state, info)


if __name__ == "__main__":
    from mhing.cli import main

    sys.exit(main(["demo", *sys.argv[1:]]))
