"""``mhing arena``: who is better, by duplicate deals in all seats."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mhing
from mhing._lib.arguments import INT
from mhing.cli.common import (
    SECONDS,
    SEED,
    BadInput,
    add_estimator_argument,
    add_game_arguments,
    add_key_arguments,
    add_parser,
    add_terms_arguments,
    file_errors,
    make_game,
    new_file,
    players_given,
    print_json,
    refuse_games,
    secret_key,
    table,
    terms_given,
    warnings_in_a_line,
    who_plays,
    whole,
    writable_file,
)
from mhing.cli.pace import add_quiet_argument, pace
from mhing.cli.streams import say
from mhing.players.player import CLOCK, WAIT

if TYPE_CHECKING:
    from mhing.arena import Result

EXAMPLES = f"""\
examples:
  mhing arena greedy random --deals 200
  mhing arena greedy random --until-significant --deals 100000 --threads 2
  mhing arena onnx:mine.onnx greedy --field greedy --log run.jsonl --svg run.svg
  mhing arena "mine=exec:python bot.py" mymodule:policy greedy --game general_mhing --clock 1
  mhing arena tcp://127.0.0.1:7644/champion greedy --field greedy

{who_plays(outside=True)}
Programs play as mhing connect --help describes it, until their input ends. Bots wait at a server as
mhing connect --guest NAME does; a game takes one for each seat of the player. NAME= before a player
gives it another name, of letters, digits, _ . and -. Modules are looked for here as well.

Every player has every seat of every deal once: all play at the same tables, or with --field each
alone among that player. A player that fails, answers with what is not legal, or is slower than
--clock forfeits the game. The game's idle actions are played for it; it earns what the seat that
earned least did. The first answer of a program has --start seconds from its start, and its process
stays. Coroutines are awaited together; --jobs has programs and other callables asked at once.

A log can be continued after a kill, also for more deals, and gives the same result. Ctrl-C ends the
games, prints what there is so far, and exits with code 130. A player that forfeits 10 games in a
row ends them as well; the code is 2 then.
"""


def add(commands: Any) -> None:
    """Declare the command."""
    parser = add_parser(commands, "arena", run, "find out which player is better", EXAMPLES)
    parser.set_defaults(words=None)
    parser.add_argument("contestants", metavar="PLAYER", nargs="+", help="who plays")
    parser.add_argument("--field", metavar="PLAYER", help="who has all other seats")
    add_game_arguments(parser, short=False)
    parser.add_argument(
        "--deals", metavar="N", type=whole(1, INT), default=1000, help="how many deals (1000)"
    )
    parser.add_argument(
        "--until-significant",
        action="store_true",
        help="end when all differences are decided, by intervals that allow for looking repeatedly",
    )
    parser.add_argument(
        "--fresh-deals",
        action="store_true",
        help="a separate deal for each table, for players that could remember deals",
    )
    seeds = parser.add_mutually_exclusive_group()
    seeds.add_argument(
        "--seed",
        metavar="N",
        type=_seed,
        help="a seed, of which all deals are hashes; - reads it from standard input (drawn)",
    )
    seeds.add_argument(
        "--first-seed",
        metavar="N",
        type=SEED,
        help="instead, the first of public seeds in a row, for reproduction",
    )
    add_terms_arguments(parser, default=f"{CLOCK:g}; chat: what its retries may take")
    parser.add_argument(
        "--wait",
        metavar="SECONDS",
        type=SECONDS,
        default=WAIT,
        help=f"time for a server's guests to come, whenever a game needs them ({WAIT:g})",
    )
    add_key_arguments(parser)
    parser.add_argument(
        "--threads",
        metavar="N",
        type=whole(1, INT),
        default=1,
        help="threads for the games between built-in bots (1)",
    )
    add_estimator_argument(parser)
    parser.add_argument(
        "--baseline",
        metavar="BOT",
        help="who plays on in play-outs (the first built-in bot that does not search)",
    )
    parser.add_argument(
        "--play-outs",
        metavar="N",
        type=whole(1, INT),
        help="pairs of play-outs for a decision (32)",
    )
    parser.add_argument(
        "--ratings", action="store_true", help="add ratings; needs the extra openskill"
    )
    for flag, kind, text in (
        ("--log", writable_file, "write deals as they are played; continue a file that exists"),
        ("--csv", new_file, "write the differences"),
        ("--svg", new_file, "draw the table"),
        ("--html", new_file, "write a page with the tables"),
    ):
        parser.add_argument(flag, metavar="FILE", type=kind, help=text)
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_quiet_argument(parser)


def _seed(text: str) -> int:
    """The type of --seed; a seed read from standard input stands in no list of processes."""
    return SEED(sys.stdin.readline().strip() if text == "-" else text)


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    from mhing.arena import Interrupted  # noqa: PLC0415  most commands do without
    from mhing.arena.picture import svg  # noqa: PLC0415  fonts and pictures, only when asked for
    from mhing.web.index import of_result  # noqa: PLC0415

    given = (args.log, args.csv, args.svg, args.html)
    files = [os.path.realpath(path) for path in given if path]
    if len({*files}) < len(files):
        raise BadInput("--log, --csv, --svg and --html: two of them name the same file")
    interrupt = None
    try:
        result = _play(args, make_game(args))
    except Interrupted as error:
        result, interrupt = error.result, error
        if not result.deals:
            say("mhing: interrupted before a game was over that counts")
            raise
    for path, write in (
        (args.csv, result.csv),
        (args.svg, lambda: svg(result)),
        (args.html, lambda: of_result(result)),
    ):
        if path is not None:
            with file_errors(path):
                Path(path).write_text(write(), encoding="utf-8")
    if args.json:
        print_json(result.to_dict())
    else:
        _show(args, result)
    if interrupt:
        raise interrupt
    if result.stopped:
        raise BadInput(result.stopped)


def _show(args: argparse.Namespace, result: Result) -> None:
    standings = result.standings()
    print(f"{result.heading()}\n")
    print(table([*standings[0]], [[*row.values()] for row in standings]))
    if result.pairs:
        names = [row["player"] for row in standings]
        print(f"\ndifferences in {result.unit} a game, row less column\n")
        print(table(["", *names], result.cross_table()))
    print("", *result.notes(), sep="\n")
    if args.seed is None and args.first_seed is None:
        line = ["mhing", *args.words, "--seed", str(result.seed)]
        print(f"\nthe same deals again: {shlex.join(line)}")


@contextmanager
def guests_given() -> Iterator[None]:
    """Around a tournament whose guests may not come: one line says so."""
    from mhing import arena  # noqa: PLC0415  most commands do without

    try:
        yield
    except arena.Absent as error:
        raise BadInput(str(error)) from error


def _play(args: argparse.Namespace, game: mhing.Game) -> Result:
    from mhing import arena  # noqa: PLC0415  most commands do without

    refuse_games(args.contestants)
    with (
        players_given(),
        guests_given(),
        warnings_in_a_line(),
        file_errors(args.log),
        pace("playing", "deals", args.quiet) as show,
    ):
        return arena.play(
            args.contestants,
            game,
            field=args.field,
            deals=args.deals,
            until_significant=args.until_significant,
            fresh_deals=args.fresh_deals,
            seed=args.seed,
            first_seed=args.first_seed,
            wait=args.wait,
            server_key=args.server_key,
            secret_key=secret_key(args.key),
            ratings=args.ratings,
            estimator=args.estimator,
            baseline=args.baseline,
            play_outs=args.play_outs,
            log=args.log,
            num_threads=args.threads,
            **terms_given(args),
            progress=show
            and (lambda done, so_far: show(done, args.deals, "", lambda: so_far().brief())),
        )
