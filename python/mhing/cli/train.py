"""``mhing train``: an agent learns Mhing in half an hour, by the example of the package."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mhing
from mhing.cli.common import (
    INT,
    BadInput,
    add_parser,
    number,
    print_json,
    readable_file,
    table,
    user_input,
    whole,
    writable_file,
)

EXAMPLES = """\
examples:
  mhing train --minutes 30 --curve curve.svg --save agent.pt
  mhing train --minutes 2 --opponents random
  mhing train --minutes 0 --load agent.pt --json

The code is one file, mhing/examples/ppo_mhing.py, made to be read, copied and changed.
"""

PICTURES = (".svg", ".png", ".pdf")


def add(commands: Any) -> None:
    """Declares the command. The example's Settings have the default values."""
    parser = add_parser(commands, "train", run, "train an agent: masked PPO in PyTorch", EXAMPLES)

    def setting(name: str, kind: Callable[[str], object], metavar: str, text: str) -> None:
        parser.add_argument(
            f"--{name}", type=kind, metavar=metavar, help=text, default=argparse.SUPPRESS
        )

    setting("minutes", number(0, 525_600), "M", "how long it learns (30)")
    setting("steps", whole(1, INT), "N", "learn from N steps instead, however long they take")
    setting("opponents", str, "BOT", "the bot in the other three seats (greedy)")
    setting("seed", whole(0, INT), "N", "seed of weights and deals (1)")
    setting("threads", whole(1, INT), "N", "threads, at most one for each free core (1)")
    setting("rounds", whole(2, 10_000_000), "N", "rounds of each evaluation at the end (40000)")
    setting("load", readable_file, "FILE", "weights to begin with")
    setting("save", writable_file, "FILE", "where to write the weights")
    setting(
        "curve", writable_file, "FILE", f"where to draw the learning curve: {', '.join(PICTURES)}"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> None:
    """Runs the command."""
    given = {name: value for name, value in vars(args).items() if name not in ("run", "json")}
    _check(given)
    try:
        from mhing.examples import ppo_mhing  # noqa: PLC0415  an extra, and slow to import
    except ModuleNotFoundError as error:
        raise BadInput(f"train: {error}") from error
    settings = ppo_mhing.Settings(**given)
    with user_input():
        envs, agent = ppo_mhing.begin(settings)
    try:
        outcome = ppo_mhing.train(settings, envs, agent)
    except OSError as error:
        raise BadInput(f"train: a file cannot be written: {error.strerror}") from error
    if args.json:
        print_json(outcome)
        return
    rows = [
        (name, f"{seen['wins']:.1%}", f"{seen['credits']:.3f} ± {seen['interval']:.3f}")
        for name, seen in outcome["results"].items()
    ]
    steps = outcome["curve"][-1]["steps"] if outcome["curve"] else 0
    print(
        f"{steps:,} steps of learning, then {settings.rounds:,} rounds of the same deals for each,"
    )
    print(f"in one seat against three {settings.opponents} bots\n")
    print(table(("player", "wins", "credits a round, 95 %"), rows))


def _check(given: dict[str, Any]) -> None:
    """Refuses settings that would fail only after the training."""
    bots = [bot["name"] for bot in mhing.Game().describe()["bots"]]
    if given.get("opponents", bots[0]) not in bots:
        raise BadInput(f"--opponents {given['opponents']}: choose from {', '.join(bots)}")
    if "curve" in given and Path(given["curve"]).suffix not in PICTURES:
        raise BadInput(f"--curve {given['curve']}: end its name in one of {', '.join(PICTURES)}")
