"""``mhing connect``: seats a player at a server's table."""

from __future__ import annotations

import argparse
import contextlib
import logging
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mhing
from mhing._lib.arguments import INT
from mhing.cli.common import (
    SEED,
    BadInput,
    ListOption,
    add_game_arguments,
    add_key_arguments,
    add_parser,
    game_given,
    make_game,
    modules_here,
    print_json,
    secret_key,
    several,
    table,
    user_input,
    whole,
)
from mhing.players.client import PlayerBot
from mhing.remote.bot import Bot
from mhing.remote.bridge import Program, command_words

_PROGRAM = "exec:"

EXAMPLES = """\
examples:
  mhing connect tcp://127.0.0.1:7644 exec:./bot --bots greedy,greedy,greedy
  mhing connect tcp://127.0.0.1:7644 "exec:node bot.js" --table mine --games 100
  mhing connect tcp://127.0.0.1:7644 onnx:mine.onnx --game general_mhing --players 2
  mhing connect tcp://127.0.0.1:7644 exec:./bot --guest champion

A player is a program, exec:COMMAND; a network, onnx:FILE, sb3:FILE, torchrl:FILE, rllib:FOLDER,
jax:FILE or run:FOLDER; a language model, chat:MODEL@URL; or an object of a module here,
MODULE:NAME. A server sends what the seat sees: an observation, from which fields, words and
positions are made, with hints if the table has --option hints=on. Built-in bots, searches, net:FILE
and others that need the state of the game cannot sit there; --bots seats the server's own.

A program reads one JSON object per line, and answers each one of "type" "turn" with one line:
  {"type": "turn", "turn": 7, "left": 10000, "legal": ["discard 5s", ...], "ids": [4, ...],
   "observation": {"hand": [0, ...], ...}, "words": "the same in sentences",
   "events": [[seat + 1, kind, detail, extra], ...]}
  {"turn": 7, "action": "discard 5s"}          or the action's id, 4; case and spaces do not matter
The other types, "start" (with a "description" of the game), "round", "end" and "refused", need no
answer. Standard output is for answers only; standard error is free.
"""


def add(commands: Any) -> None:
    """Declare the command."""
    parser = add_parser(commands, "connect", run, "seat a player at a server's table", EXAMPLES)
    parser.add_argument(
        "endpoint", metavar="ENDPOINT", help="the server's address, as mhing serve prints it"
    )
    parser.add_argument("player", metavar="PLAYER", help="who plays, such as exec:./bot")
    parser.add_argument(
        "--name", help="the name at the table (the player's, or that of the program's file)"
    )
    parser.add_argument(
        "--table",
        metavar="NAME",
        help="the table to sit at; without it, any table that waits for players",
    )
    parser.add_argument(
        "--guest",
        metavar="NAME",
        help="wait under this name for hosts, such as mhing arena, and play for them until stopped",
    )
    parser.add_argument(
        "--seat", metavar="N", type=whole(0, INT), help="the seat (the lowest free one)"
    )
    add_game_arguments(parser, short=False)
    parser.add_argument(
        "--bots", metavar="BOT[,BOT...]", action=ListOption, help="built-in bots for the last seats"
    )
    parser.add_argument(
        "--games", metavar="N", type=whole(1, INT), help="number of games in the series (1)"
    )
    parser.add_argument(
        "--duplicate",
        action="store_true",
        default=None,
        help="play every deal once in each rotation of the seats",
    )
    parser.add_argument("--seed", metavar="N", type=SEED, help="seed of the first game")
    parser.add_argument(
        "--clock",
        metavar="MS",
        type=whole(1, INT),
        help="time for an answer, in milliseconds (10000)",
    )
    parser.add_argument(
        "--pause",
        metavar="MS",
        type=whole(0, INT),
        help="time after a discard in which claims are settled unseen, in milliseconds"
        " (200 where several players sit, else 0)",
    )
    parser.add_argument(
        "--reveal",
        action=argparse.BooleanOptionalAction,
        help="tell the seeds, and with them all hands, after the series, so that players can check"
        " the deals (yes)",
    )
    add_key_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    _check_guest(args)
    logging.basicConfig(format="%(message)s", level=logging.INFO)  # what is refused, who waits
    with _one_line_errors():
        terms = _terms(args)
        keys = {"server_key": args.server_key, "secret_key": secret_key(args.key)}
        with (
            _stopped_by_sigterm(),
            _player(args) as player,
            mhing.connect(args.endpoint, client=player.name, **keys) as connection,
        ):
            if args.guest is not None:
                player.wait(connection, args.guest, game=terms.get("game"))
            end = player.play(connection, table=args.table, **terms)
    if args.json:
        print_json(end)
    else:
        totals = end["totals"]
        heads = [*max(totals, key=len)]  # of the own ones, which say more
        print(table(heads, [[total.get(head, "-") for head in heads] for total in totals]))


def _check_guest(args: argparse.Namespace) -> None:
    """A guest's host decides about all but the game."""
    names = (
        "table", "seat", "players", "rules", "reward", "option", "bots", "games", "duplicate",
        "seed", "clock", "pause", "reveal",
    )  # fmt: skip
    given = [name for name in names if getattr(args, name) not in (None, [])]
    if args.guest is not None and given:
        raise BadInput(f"--{given[0]}: the host of a guest decides that; leave it out")


def _terms(args: argparse.Namespace) -> dict[str, Any]:
    """The terms of the table that were given; the table or the server sets the others."""
    names = ("seat", "games", "duplicate", "seed", "clock", "pause", "reveal")
    terms = {name: getattr(args, name) for name in names}
    if args.bots is not None:
        terms["bots"] = several(args.bots)
    if game_given(args):
        game = make_game(args)
        terms |= {"game": game.id, "options": game._handle.options}
    return terms


@contextlib.contextmanager
def _stopped_by_sigterm() -> Iterator[None]:
    """SIGTERM ends it as Ctrl-C does: the seat is given up, the program ended."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextlib.contextmanager
def _player(args: argparse.Namespace) -> Iterator[Bot]:
    """The player; one that depends on the game is made at the table if that decides the game."""
    if args.player.startswith(_PROGRAM):
        command = command_words(args.player.removeprefix(_PROGRAM))
        try:
            program = Program(args.name or Path(command[0]).name, command)
        except OSError as error:
            raise BadInput(f"{args.player} cannot be started: {error.strerror}") from error
        with program:
            yield program
    else:
        here = game_given(args) or args.table is args.guest is None
        with modules_here():
            yield PlayerBot(args.player, args.name, make_game(args) if here else None)


@contextlib.contextmanager
def _one_line_errors() -> Iterator[None]:
    """Turn errors between the player and the server into one line."""
    try:
        with user_input():
            yield
    except (ConnectionError, TimeoutError, RuntimeError, ModuleNotFoundError) as error:
        raise BadInput(str(error)) from error
