"""The command ``mhing``: play, score a hand, describe a game, serve, measure, demonstrate.

Each command is a module with ``add(commands)``, which declares its arguments, and ``run(args)``;
those of a single game are in :mod:`mhing.by_game`.
One whose parser has a default for ``rest`` is given there the arguments that nobody declared.
Bad input and output that cannot be written end with exit code 2 and one line on stderr; a closed
pipe and Ctrl-C end quietly.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence

from mhing import __version__, by_game, demo, games
from mhing._support.start import heeded
from mhing.cli import (
    analyse,
    arena,
    bench,
    benchmark,
    connect,
    describe,
    exploit,
    help,
    mcp,
    models,
    play,
    publish,
    record,
    replay,
    serve,
    sweep,
    train,
    web,
)
from mhing.cli.common import BadInput, Parser
from mhing.cli.streams import OutputError, OutputUnread, one_line, say, standard_streams

EXAMPLES = """\
examples:
  mhing play --seat 0                  sit down against three bots
  mhing web                            play and watch in a browser
  mhing score 567s567s678s789s99s      the value of a hand, by combination
  mhing describe                       options, actions and observation fields
  mhing serve                          games over a socket, for any language
  mhing COMMAND --help                 more about a command
"""


def make_parser() -> Parser:
    """Make the parser of the whole command line, for `main` and for the documentation site."""
    parser = Parser(prog="mhing", description="Imperfect-information card games.", epilog=EXAMPLES)
    parser.add_argument("--version", action="version", version=f"mhing {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    of_games = filter(None, map(by_game.commands, games()))
    for command in (
        play, web, *of_games, describe, serve, connect, mcp, arena, benchmark, record, replay,
        analyse, bench, train, sweep, exploit, models, publish, demo,
    ):  # fmt: skip
        command.add(commands)
    help.add(commands, parser)
    return parser


def command() -> int:
    """Run the command as it is installed, and return the exit code."""
    with heeded():
        return main()


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` (default: the process's own) and return the exit code."""
    try:
        with standard_streams():
            _run(argv)
    except (BadInput, OutputError) as error:
        if isinstance(error, OutputUnread):
            return 128 + 13  # as if SIGPIPE had ended us, which not every system has
        say(one_line(f"mhing: {error}"))
        return 2
    except KeyboardInterrupt:
        say("")
        return 128 + signal.SIGINT
    return 0


def _run(argv: Sequence[str] | None) -> None:
    for word in argv or ():  # the process's own have none
        if "\0" in word:
            raise BadInput(f"{word!r}: an argument cannot hold a NUL byte")
    parser = make_parser()
    args, rest = parser.parse_known_args(argv)
    if "words" in args:
        args.words = sys.argv[1:] if argv is None else argv
    if "rest" in args:
        args.rest = rest
    elif rest:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    args.run(args)
