"""``mhing play``: watch bots play, or take a seat, in the terminal."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import closing, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mhing._lib.arguments import INT
from mhing._support.extras import install
from mhing.cli.common import (
    SEED,
    BadInput,
    ListOption,
    add_game_arguments,
    add_parser,
    file_errors,
    game_given,
    make_game,
    new_file,
    number,
    players_given,
    readable_file,
    several,
    who_plays,
    whole,
)
from mhing.cli.lines import LeftTable, Lines
from mhing.cli.streams import say
from mhing.game import Game
from mhing.judge import Judge
from mhing.recorder import Recorder
from mhing.records import records, verified
from mhing.web.play import DELAY, PlaySession, Wishes
from mhing.web.saves import Saved, Saves

EXAMPLES = f"""\
examples:
  mhing play                                  watch four bots
  mhing play --seat 0 --seed 7                sit down
  mhing play --players 2 --rules jmhing --episode game --delay 0
  mhing play --seat 1 --opponents random,greedy,greedy --option seven_pairs=on
  mhing play general_mhing --seat 0           another game
  mhing play --seat 0 --opponents run:runs/first --option hints=on
  mhing play --seat 0 --hint greedy           h asks this bot what it would play
  mhing play --seat 0 --record mine.jsonl     for mhing replay and mhing analyse
  mhing play --resume mine.jsonl              continues where it was left or killed

{who_plays()}

On a terminal the table stays in place, with the extra play; ? there says what keys do.
Into a pipe, and with --plain, everything is printed in lines.
"""


def add(commands: Any) -> None:
    """Declare the command."""
    parser = add_parser(commands, "play", run, "watch bots play, or take a seat", EXAMPLES)
    add_game_arguments(parser)
    parser.add_argument(
        "--seat", metavar="N", type=whole(0, INT), help="your seat; without it you watch"
    )
    parser.add_argument(
        "--opponents",
        metavar="PLAYER[,PLAYER...]",
        action=ListOption,
        help="who has all other seats, or one for each, by seat (the game's default bot)",
    )
    parser.add_argument(
        "--hint",
        metavar="BOT",
        help="who gives hints (the last bot of mhing describe that judges with these options)",
    )
    parser.add_argument("--seed", metavar="N", type=SEED, help="the same seed deals the same game")
    parser.add_argument(
        "--delay", metavar="SECONDS", type=number(0, 3600), help="pause after a move of a bot"
    )
    parser.add_argument(
        "--episode", choices=("round", "game"), help="play a round (the default) or a game"
    )
    parser.add_argument(
        "--record",
        metavar="FILE",
        type=_new_record,
        help="keep the game in a new file, as mhing record does",
    )
    parser.add_argument(
        "--resume", metavar="FILE", type=readable_file, help="continue the game of that file"
    )
    parser.add_argument("--plain", action="store_true", help="print lines on a terminal as well")
    parser.add_argument(
        "--ascii", action="store_true", help="write cards in letters, not in symbols"
    )


def _new_record(path: str) -> str:
    """The type of --record."""
    try:
        return new_file(path)
    except argparse.ArgumentTypeError as error:
        if not os.path.isfile(path):
            raise
        advice = f"mhing play --resume {path} continues an open game"
        raise argparse.ArgumentTypeError(f"{error}; {advice}") from error


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    is_whole = not args.plain and _has_terminal()
    session = _new(args, is_whole) if args.resume is None else _resumed(args)
    with closing(session):
        if is_whole:
            from mhing.tui.app import TableApp  # noqa: PLC0415  an extra, and slow to import

            TableApp(session, letters=args.ascii).run()
        else:
            print(session.game.title)
            with suppress(LeftTable):
                Lines(session, sys.stdout.isatty() and "NO_COLOR" not in os.environ).play()
    if session.saved_as and not session.table.state.is_terminal:
        print(f"mhing play --resume {session.saved_as} continues it.")
    else:  # not before the end: the seed reveals all cards
        print(f"Seed {session.table.seed} deals these cards again.")


def _has_terminal() -> bool:
    """Return whether there is a full terminal, and a library that draws on it."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM") == "dumb":
        return False
    if find_spec("textual") is None:
        say(f"mhing: lines only; for the table in place: {install('play')}")
        return False
    return True


# ---- Sessions ---------------------------------------------------------------------------------


class _File(Saves):
    """One file instead of a folder of them."""

    def __init__(self, path: str) -> None:
        super().__init__(Path(path).parent)
        self.path = path

    def new(self) -> tuple[str, Recorder]:
        """The file, which must not be there."""
        return self.path, Recorder(self.path)

    def resume(self, name: str) -> Recorder:
        """Return a recorder that continues the last game of the file."""
        *_, last = records(name)
        return Recorder.resume(last)


def _new(args: argparse.Namespace, is_whole: bool) -> PlaySession:
    """A game as the arguments ask for it."""
    game = make_game(args, episode=args.episode)
    if args.seat is not None and args.seat >= game.num_seats:
        raise BadInput(f"--seat {args.seat}: choose 0 to {game.num_seats - 1}")
    names = several(game.default_bot if args.opponents is None else args.opponents)
    others = game.num_seats - (args.seat is not None)
    if len(names) not in (1, others):
        raise BadInput(f"--opponents: name one player or {others}, not {len(names)}")
    delay = (
        (DELAY if is_whole or sys.stdout.isatty() else 0.0) if args.delay is None else args.delay
    )
    wishes = Wishes(seat=args.seat, hint=_adviser(game, args), delay=delay)
    saves = None if args.record is None else _File(args.record)
    with file_errors(args.record):
        try:
            with players_given():
                return PlaySession(game, names, wishes, args.seed, saves)
        except BadInput as error:
            raise BadInput(f"--opponents: {str(error).removeprefix('players: ')}") from error


def _adviser(game: Game, args: argparse.Namespace) -> str | None:
    """The bot that gives hints, if one was named."""
    if args.hint is None:
        return None
    if args.seat is None:
        raise BadInput(f"--hint {args.hint}: hints are for who plays; take a seat by --seat")
    with players_given():
        return Judge(game, args.hint, "--hint").name


def _resumed(args: argparse.Namespace) -> PlaySession:
    """The game that is kept in a file, where it was left."""
    given = {
        name: getattr(args, name)
        for name in ("seat", "opponents", "hint", "seed", "episode", "record", "delay")
    }
    known = [f"--{name}" for name, value in given.items() if value is not None]
    if known or game_given(args):
        raise BadInput(f"--resume: the file knows {', '.join(known) or 'the game'}; leave that out")
    path = args.resume
    with players_given(), file_errors(path):
        games = verified(path)
        if games[-1].end is not None:
            raise BadInput(f"--resume {path}: its game is over; mhing replay shows it")
        return PlaySession.resume(Saved(path, games, os.path.getmtime(path)), _File(path))
