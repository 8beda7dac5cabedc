"""``mhing sweep``: which settings of training work best, tried one after the other."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from mhing._lib.arguments import INT
from mhing.cli.common import (
    Progress,
    add_parser,
    file_errors,
    modules_here,
    players_given,
    print_json,
    table,
    warnings_in_a_line,
    whole,
    writable_file,
)
from mhing.cli.streams import say
from mhing.cli.train import need_extras
from mhing.train.config import load

if TYPE_CHECKING:
    from mhing.train.sweep import Sweep, Trial

EXAMPLES = """\
examples:
  mhing sweep --config mine.toml --trials 20 --storage sweep.db
  mhing train --config sweep.db.runs/trial-7/settings.toml --minutes 60

The file has settings, as for mhing train --config, and a table of those that are tried:

  game = "mhing"
  steps = 100000

  [sweep]
  tune.learning_rate = { low = 1e-4, high = 1e-2, log = true }
  tune.hidden = { choices = [64, 128, 256] }
  sees = { choices = ["features", "observation"] }

Each trial is a run of mhing train, in a folder of FILE.runs. Ctrl-C saves it and ends. After that,
or after a kill, the same line continues the sweep: trials that ended are kept, and the one in play
continues from its checkpoint.
"""


def add(commands: Any) -> None:
    """Declare the command."""
    parser = add_parser(commands, "sweep", run, "try settings of training", EXAMPLES)
    parser.add_argument(
        "--config", metavar="FILE", required=True, help="settings in TOML with a table sweep"
    )
    parser.add_argument(
        "--trials", metavar="N", type=whole(1, INT), default=20, help="trials all in all (20)"
    )
    parser.add_argument(
        "--storage",
        metavar="FILE",
        type=writable_file,
        required=True,
        help="where the trials are kept: made, or continued",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    need_extras("sweep", "sweep")
    from mhing.train.sweep import Sweep  # noqa: PLC0415  extras, slow to import

    with players_given(), file_errors(args.config):
        sweep = Sweep(load(args.config), args.storage)
    with modules_here(), file_errors(args.storage), warnings_in_a_line():
        with Progress("trying", len(sweep.trials()) / args.trials) as progress:
            ended = sweep.run(args.trials, progress.update)
        if not ended:
            say("saved; the same line continues it")
            raise KeyboardInterrupt
    trials = sweep.trials()
    if args.json:
        print_json([asdict(one) for one in trials])
        return
    _print(sweep, trials)


def _print(sweep: Sweep, trials: list[Trial]) -> None:
    """Print a table of the trials, and how to go on with the best one."""
    names = [*sweep.space]
    rows = [
        (
            one.number,
            one.refused if one.more is None else f"{one.more:+.3f} ± {one.interval or 0:.3f}",
            *(_shown(one.chosen[name]) for name in names),
        )
        for one in trials
    ]
    print(table(("trial", "more", *(name.removeprefix("tune.") for name in names)), rows))
    if trials and trials[0].more is not None:
        place = sweep.folder / trials[0].folder
        print(
            f"\nThe best of {len(trials)} is partly luck: all were measured on the same deals. "
            f"Train it anew with another seed:\n"
            f"  mhing train --config {shlex.quote(str(place / 'settings.toml'))} --seed 2"
        )


def _shown(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
