"""``mhing record``: games as data, in JSON lines, Parquet or Minari, or as prompts."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mhing._lib.arguments import INT
from mhing.cli.common import (
    SEED,
    BadInput,
    ListOption,
    Progress,
    add_game_arguments,
    add_parser,
    add_terms_arguments,
    file_errors,
    folder_path,
    make_game,
    new_file,
    players_given,
    print_json,
    several,
    terms_given,
    who_plays,
    whole,
)
from mhing.cli.streams import say
from mhing.game import Game
from mhing.text.texts import LEGAL, Texts
from mhing.words import plural

EXAMPLES = f"""\
examples:
  mhing record --out games.parquet --games 10000 --threads 2
  mhing record mhing --bots expert,greedy --out games.parquet --option hints=on
  mhing record general_mhing --bots search:100 --out searched/
  mhing record mexican_rummy --episode game --games 20 --out games.jsonl
  mhing record mhing --bots mymodule:policy,greedy --out minari:mhing/mine-v0
  mhing record mhing --as text --bot expert --games 1000 --out prompts.jsonl

What --out names says what is written. Nothing is written over. Ctrl-C keeps the games that were
over, says how many, and exits with code 130; a folder has them in whole files.
  NAME.jsonl     records of games, which mhing replay and mhing analyse read
  -              the same on standard output
  NAME.parquet   a row for each decision: what the seat knew, might do, did and earned
  FOLDER/        many such files; after a kill the same command continues
  minari:ID      a Minari dataset: the episodes of the first player

With --as text NAME.jsonl and NAME.parquet have a prompt for a language model for each decision, and
NAME.md says what they are. --bot adds what each move is worth. A search compares four moves of a
decision unless more are named, and gives up the worse ones early unless it is told not to:
--bot search:1000,actions=64,behind=none.

{who_plays(outside=True)}
Several take the seats in turn, beginning one seat further on in each game. --jobs games are played
at once by programs and callables, and are written in their order.

Game k has the seed --seed + k. The same command gives the same rows, whatever --threads is; but for
bots that think for a time, and players that draw random numbers.
"""

MINARI = "minari:"
STDOUT = "-"


def add(commands: Any) -> None:
    """Declare the command."""
    parser = add_parser(commands, "record", run, "play games and keep them as data", EXAMPLES)
    add_game_arguments(parser)
    parser.add_argument(
        "--episode", choices=("round", "game"), help="a round (the default) or a whole game"
    )
    parser.add_argument(
        "--bots",
        metavar="PLAYER[,PLAYER...]",
        action=ListOption,
        help="who plays (the game's default bot)",
    )
    parser.add_argument(
        "--games", metavar="N", type=whole(1, INT), default=1000, help="how many games (1000)"
    )
    parser.add_argument(
        "--seed", metavar="N", type=SEED, default=0, help="seed of the first game (0)"
    )
    parser.add_argument(
        "--threads", metavar="N", type=whole(1, INT), default=1, help="threads that play (1)"
    )
    add_terms_arguments(parser, clock=3600)
    parser.add_argument(
        "--as",
        dest="form",
        choices=("numbers", "text"),
        default="numbers",
        help="observations and actions as numbers, or prompts for language models (numbers)",
    )
    parser.add_argument(
        "--bot", metavar="BOT", help="with --as text: the bot that says what each move is worth"
    )
    parser.add_argument(
        "--legal", choices=LEGAL, help="with --as text: which legal moves a prompt lists (all)"
    )
    parser.add_argument(
        "--no-guide", action="store_true", help="with --as text: prompts do not say the rules"
    )
    parser.add_argument(
        "--out", metavar="WHERE", type=_where, required=True, help="what is written, see below"
    )
    parser.add_argument(
        "--piece",
        metavar="N",
        type=whole(1, INT),
        help="games in each file of a folder (1000)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    from mhing import data  # noqa: PLC0415  most commands do without

    game = make_game(args, episode=args.episode)
    write = _writer(args, data, game)
    begun = time.perf_counter()
    with players_given(), file_errors(args.out):
        bots = None if args.bots is None else several(args.bots)
        games = data.Games(
            game,
            bots,
            games=args.games,
            seed=args.seed,
            num_threads=args.threads,
            **terms_given(args),
        )
        done, interrupt = 0, None
        with Progress("playing") as progress:

            def show(games_done: int) -> None:
                nonlocal done
                done = games_done
                progress.update(done / args.games, plural(done, "game"))

            try:
                write(games, show)
            except KeyboardInterrupt as error:
                interrupt = error
    seconds = time.perf_counter() - begun
    if interrupt and _is_folder(args.out):
        done -= done % (args.piece or data.PIECE)
    if interrupt and not done:
        raise interrupt
    summary = f"{plural(done, 'game')} of {game.id} in {seconds:.1f} seconds"
    if args.out == STDOUT:
        say(summary)
    elif args.json:
        print_json({"out": args.out, "games": done, "seconds": round(seconds, 3)})
    else:
        print(f"{summary}: {args.out}")
    if interrupt:
        raise interrupt


def _writer(args: argparse.Namespace, data: Any, game: Game) -> Callable[[Any, Any], None]:
    """Return the writer for the destination that was named."""
    out: str = args.out
    is_folder = _is_folder(out)
    if args.form != "text":
        for name in ("bot", "legal", "no_guide"):
            if getattr(args, name):
                raise BadInput(f"--{name.replace('_', '-')}: it is for --as text")
    if args.piece is not None and not is_folder:
        raise BadInput("--piece: only a folder has several files; end its name with /")
    if args.json and out == STDOUT:
        raise BadInput("--json: standard output has the games; leave it out, or name a file")
    if args.form == "text":
        if is_folder or out.startswith(MINARI):
            raise BadInput(f"--out: {out!r}: texts go to a file .jsonl or .parquet, or to {STDOUT}")
        if out != STDOUT and (card := data.card_path(out)).exists():
            raise BadInput(f"--out: {str(card)!r} already exists, where the card would be written")
        place = sys.stdout if out == STDOUT else out
        form = Texts(game, args.legal or LEGAL[0], rules="none" if args.no_guide else "guide")
        return lambda games, progress: data.write_prompts(
            place, data.Prompts(games, form, args.bot), progress
        )
    if out.startswith(MINARI):
        name = out.removeprefix(MINARI)
        return lambda games, progress: data.write_minari(name, games, progress)
    if out == STDOUT or (Path(out).suffix == ".jsonl" and not is_folder):
        place = sys.stdout if out == STDOUT else out
        return lambda games, progress: data.write_jsonl(place, games, progress)
    more = {} if args.piece is None else {"piece": args.piece}
    return lambda games, progress: data.write_parquet(out, games, progress=progress, **more)


def _where(out: str) -> str:
    """The type of --out."""
    if out == STDOUT or out.startswith(MINARI):
        return out
    if out and _is_folder(out):
        return folder_path(out)
    if Path(out).suffix not in (".parquet", ".jsonl"):
        raise argparse.ArgumentTypeError(
            f"{out!r}: name a file .jsonl or .parquet, a folder/, {STDOUT} for standard output, "
            f"or {MINARI}ID for a dataset"
        )
    return new_file(out)


def _is_folder(out: str) -> bool:
    is_file = bool(Path(out).suffix) and not Path(out).is_dir()
    return not (out == STDOUT or out.startswith(MINARI)) and (
        out.endswith(("/", os.sep)) or not is_file
    )
