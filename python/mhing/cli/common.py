"""Arguments, one-line errors, tables and a progress bar that the commands share."""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import shutil
import sys
import textwrap
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

import mhing
from mhing._lib.arguments import INT
from mhing._support.ids import game_named
from mhing._support.spelling import did_you_mean
from mhing.cli.streams import as_shown, one_line, say
from mhing.game import DEFAULT_GAME
from mhing.players.player import LONGEST, MOST_RETRIES, START
from mhing.players.registry import kinds

_KEY_FILE = 4096  # characters that are looked at
_FRESH = 0.5  # seconds for which a note beside a progress bar stays true enough


_FORMER = {"--exec": "; a program is a player, exec:COMMAND, such as exec:./bot"}
"""Options of earlier versions, and what took their place."""

_SAME = {"--bots": "--opponents", "--opponents": "--bots"}
"""Options for the same in other commands."""


class BadInput(Exception):
    """Something the user gave is wrong; the text is the one line to show."""


class Parser(argparse.ArgumentParser):
    """An argument parser that keeps examples as written and errors to one line."""

    def __init__(self, **keywords: Any) -> None:
        super().__init__(
            formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **keywords
        )

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse as argparse does, but refuse an unknown option by its own name.

        It is so first, since a word after such an option would be taken for a file.
        """
        if self.get_default("rest") is not None:
            return super().parse_known_args(args, namespace)
        given = sys.argv[1:] if args is None else args
        is_of_commands = self._subparsers is not None
        for word in itertools.takewhile(lambda word: word != "--", given):
            if is_of_commands and not word.startswith("-"):
                return super().parse_known_args(args, namespace)
            name = word.partition("=")[0]
            if re.fullmatch(r"--[a-z-]+", name) and name not in self._option_string_actions:
                known = self._option_string_actions
                same = _SAME.get(name) in known and f"; did you mean {_SAME[name]}?"
                advice = same or _FORMER.get(name) or did_you_mean(name, known)
                self.error(f"there is no option {name}{advice}")
        found, rest = super().parse_known_args(args, namespace)
        if rest:
            self.error(f"unrecognized arguments: {' '.join(rest)}")
        return found, rest

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        if arg_strings == ["--"] and action.nargs is None:  # of which Python 3.12 makes a list
            raise argparse.ArgumentError(action, "'--' is no value")
        return super()._get_values(action, arg_strings)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse what is no choice, with the one that was meant, or all of them."""
        if action.choices is not None and value not in action.choices:
            names = [str(one) for one in action.choices]
            advice = did_you_mean(str(value), names) or f"; it is none of {', '.join(names)}"
            raise argparse.ArgumentError(action, f"invalid choice: {value!r}{advice}")

    def error(self, message: str) -> NoReturn:
        """End the process with exit code 2."""
        self.exit(2, one_line(f"{self.prog}: {message} (see {self.prog} --help)") + "\n")


def add_parser(
    commands: Any,
    name: str,
    run: Callable[[argparse.Namespace], None],
    summary: str,
    examples: str,
    aliases: Sequence[str] = (),
) -> argparse.ArgumentParser:
    """Add the command `name` to `commands`, to be run by `run`."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        aliases=aliases,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=examples,
    )
    parser.set_defaults(run=run)
    return parser


@contextmanager
def user_input() -> Iterator[None]:
    """Around calls whose arguments the user chose: their ValueError becomes BadInput."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise BadInput(f"{error.object!r} has bytes that are no text in UTF-8") from error
    except ValueError as error:
        raise BadInput(str(error)) from error


JUDGES = "who judges: a player with values (mhing describe) or probabilities of actions"
"""The help of an argument that names a judge."""


def who_plays(outside: bool = False) -> str:
    """Say in the help of a command who can play; `outside`: programs and guests too."""
    able = [kind for kind in kinds() if outside or not kind.outside]
    width = max(len(kind.form) for kind in able)
    lines = (f"  {kind.form:<{width}}  {kind.meaning}" for kind in able)
    return "\n".join(["A player is a built-in bot (mhing describe), or", *lines])


@contextmanager
def modules_here() -> Iterator[None]:
    """Around what imports modules by name: those of the working folder count."""
    sys.path.insert(0, os.getcwd())
    try:
        yield
    finally:
        sys.path.pop(0)


@contextmanager
def players_given() -> Iterator[None]:
    """Around a call with players that the user chose."""
    try:
        with modules_here(), user_input():
            yield
    except ModuleNotFoundError as error:
        raise BadInput(str(error)) from error


@contextmanager
def file_errors(path: str | None) -> Iterator[None]:
    """Around the use of a file that the user chose: its OSError becomes BadInput."""
    try:
        yield
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from error


def whole(low: int, high: int) -> Callable[[str], int]:
    """The type of an argument that is a whole number within these bounds."""

    def read(text: str) -> int:
        if re.fullmatch(r"[+-]?[0-9]{1,4000}", text) and low <= (number := int(text)) <= high:
            return number
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {low} to {high}")

    return read


def number(low: float, high: float) -> Callable[[str], float]:
    """The type of an argument that is any number within these bounds."""

    def read(text: str) -> float:
        with suppress(ValueError):
            if low <= (value := float(text)) <= high:
                return value
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from {low:g} to {high:.10g}")

    return read


@contextmanager
def warnings_in_a_line() -> Iterator[None]:
    """Around a call that may warn: people read what it says, and not from where."""
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_, **__: say(one_line(f"mhing: {message}"))
        yield


SEED = whole(0, (1 << 64) - 1)
"""The type of an argument that is a seed."""

SECONDS = number(0.001, LONGEST)
"""The type of an argument that is a time."""


def readable_file(path: str) -> str:
    """The type of an argument that is the path of a file to read."""
    if not os.path.exists(path):
        raise argparse.ArgumentTypeError(f"{path!r} does not exist")
    if os.path.isdir(path):
        raise argparse.ArgumentTypeError(f"{path!r} is a folder, not a file")
    if not os.access(path, os.R_OK):
        raise argparse.ArgumentTypeError(f"{path!r} cannot be read")
    return path


RECORDS = "made by mhing record, mhing play --record or mhing serve --records"
"""The help of an argument that names a record: where it comes from."""


def add_record_argument(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    """The recorded game that a command is about, as `args.file`; `several`: `args.files`."""
    parser.add_argument(
        "files" if several else "file",
        metavar="FILE",
        nargs="+" if several else None,
        type=readable_file,
        help=f"a record, {RECORDS}",
    )
    parser.add_argument(
        "--number",
        metavar="N",
        type=whole(0, INT),
        help="which game, from 0, if the file holds several",
    )
    parser.add_argument(
        "--show-seed",
        action="store_true",
        help="say the seed as well, from which all cards can be dealt again",
    )


def writable_file(path: str) -> str:
    """The type of an argument that is the path of a file to write, much later perhaps.

    What the file holds already is kept: a command that continues it takes this type.
    """
    if path == "-":
        raise argparse.ArgumentTypeError("'-' is no file here; name one, such as ./-")
    place = path if os.path.exists(path) else os.path.dirname(path) or "."
    if not os.path.exists(place):
        raise argparse.ArgumentTypeError(f"{path!r}: there is no folder {place}; make it first")
    if os.path.isdir(path):
        raise argparse.ArgumentTypeError(f"{path!r} is a folder; name a file")
    if not path or not os.access(place, os.W_OK):
        raise argparse.ArgumentTypeError(f"{path!r}: no file can be written there")
    return path


def new_file(path: str) -> str:
    """The type of an argument that is the path of a file to be made: nothing is written over.

    A pipe or a device may be there.
    """
    if os.path.isfile(path):
        raise argparse.ArgumentTypeError(f"{path!r} already exists; name another file")
    return writable_file(path)


def folder_path(path: str) -> str:
    """The type of an argument that is the path of a folder, made if need be."""
    if path in ("", "-"):
        raise argparse.ArgumentTypeError(f"{path!r} is no folder here; name one, such as ./out")
    if os.path.exists(path) and not os.path.isdir(path):
        raise argparse.ArgumentTypeError(f"{path!r} is a file; name a folder")
    return path


class ListOption(argparse.Action):
    """An option with a list; a second one is refused, for it would take the first one's place."""

    def __call__(
        self, parser: Any, namespace: argparse.Namespace, values: Any, option_string: Any = None
    ) -> None:
        """Keep the first one."""
        before = getattr(namespace, self.dest)
        if before is not None:
            raise argparse.ArgumentError(
                self, f"it is given twice; give it once: {option_string} {before},{values}"
            )
        setattr(namespace, self.dest, values)


def add_key_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare --server-key and --key, for servers that ask for keys."""
    parser.add_argument(
        "--server-key", metavar="KEY", help="public key of a server that asks for keys"
    )
    parser.add_argument(
        "--key",
        metavar="FILE",
        type=readable_file,
        help="file with your own keys, from mhing-server --keygen",
    )


def add_estimator_argument(parser: argparse.ArgumentParser) -> None:
    """Declare --estimator, of differences between players."""
    parser.add_argument(
        "--estimator",
        choices=("raw", "paired"),
        default="raw",
        help="differences by rewards alone, or by pairs of play-outs where players differ (raw)",
    )


def add_terms_arguments(
    parser: argparse.ArgumentParser, clock: float | None = None, default: str = ""
) -> None:
    """Declare how players outside the core are asked; `clock`: the default of --clock, or `default`
    in words; without both there is no --clock. `terms_given` reads what was given."""
    if clock is not None or default:
        parser.add_argument(
            "--clock",
            metavar="SECONDS",
            type=SECONDS,
            default=clock,
            help=f"time for a decision ({default or f'{clock:g}'})",
        )
    parser.add_argument(
        "--start",
        metavar="SECONDS",
        type=SECONDS,
        default=START,
        help="time for the first answer of a program, from its start on, or of a callable "
        f"({START:g})",
    )
    parser.add_argument(
        "--retries",
        metavar="N",
        type=whole(0, MOST_RETRIES),
        default=0,
        help="how often a player is asked again whose answer is illegal (0)",
    )
    parser.add_argument(
        "--jobs",
        metavar="N",
        type=whole(1, 1000),
        default=1,
        help="tables at which programs play at once, threads for callables (1)",
    )
    parser.add_argument(
        "--env",
        metavar="NAME",
        action="append",
        default=[],
        help="a variable that programs get beside PATH, LANG and HOME; may be repeated",
    )


def terms_given(args: argparse.Namespace) -> dict[str, Any]:
    """The options of `add_terms_arguments` as arguments of `mhing.arena.play`."""
    given = {
        name: vars(args)[name] for name in ("clock", "start", "retries", "jobs") if name in args
    }
    return given | {"environment": args.env}


def secret_key(path: str | None) -> str | None:
    """The secret key in a file that mhing-server --keygen has printed."""
    if path is None:
        return None
    with open(path, encoding="ascii", errors="replace") as file:
        words = file.read(_KEY_FILE).split()
    if "secret" not in words[:-1]:
        raise BadInput(f"--key {path}: there is no line 'secret KEY' in it")
    return words[words.index("secret") + 1]


def several(names: str) -> list[str]:
    """The names of a list with commas, some of which may belong to a bot's settings.

    >>> several("greedy, search:10ms,prior=greedy,errors=2,random")
    ['greedy', 'search:10ms,prior=greedy,errors=2', 'random']
    """
    return [name.strip() for name in re.split(r",(?!\w+=)", names)]


class _GameOption(argparse.Action):
    """The game, by its option or by its place; two different ones are refused."""

    def __call__(
        self, parser: Any, namespace: argparse.Namespace, values: Any, option_string: Any = None
    ) -> None:
        """Keep it."""
        before = getattr(namespace, self.dest)
        game = values and (game_named(values) or values)
        if before is not None and game not in (None, before):
            raise argparse.ArgumentError(
                self, f"{game} here, but {before} before; name one game, once"
            )
        setattr(namespace, self.dest, before or game)


def add_game_arguments(parser: argparse.ArgumentParser, short: bool = True) -> None:
    """Declare --game, --players, --rules, --reward and --option.

    `short` declares GAME without the option's name as well: for commands that are about a game and
    have nothing else without a name.
    """
    if short:
        parser.add_argument(
            "game", metavar="GAME", nargs="?", action=_GameOption, help="the same as --game GAME"
        )
    parser.add_argument(
        "--game",
        metavar="GAME",
        action=_GameOption,
        help=f"one of: {', '.join(mhing.games())}, or its id, such as Mhing-v0",
    )
    parser.add_argument("--players", metavar="N", help="players at the table")
    parser.add_argument("--rules", metavar="PRESET", help="rule preset, see mhing describe")
    parser.add_argument("--reward", metavar="UNIT", help="what seats earn, see mhing describe")
    parser.add_argument(
        "--option",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="any option by its name, see mhing describe; may be repeated",
    )


def refuse_games(players: Sequence[str]) -> None:
    """Refuse the name of a game where players are named: some commands begin with a game."""
    for name in players:
        if game := game_named(name):
            raise BadInput(f"{name} is a game, not a player; write --game {game}")


def game_given(args: argparse.Namespace) -> bool:
    """Return whether any of the arguments of `add_game_arguments` was given."""
    given = args.game, args.players, args.rules, args.reward
    return bool(args.option) or any(value is not None for value in given)


def make_game(args: argparse.Namespace, **settings: str | None) -> mhing.Game:
    """The game that the arguments of `add_game_arguments` ask for, with `settings` as
    :func:`options_given` takes them.
    """
    options = options_given(args, **settings)
    with user_input():
        return mhing.Game(DEFAULT_GAME if args.game is None else args.game, **options)


def options_given(args: argparse.Namespace, **settings: str | None) -> dict[str, str]:
    """The options of the game by name, as the arguments of `add_game_arguments` have them.

    `settings` are options of the game by their names, as they were given by options of the command
    with the same names; None: not given.
    """
    settings |= {"rules": args.rules, "reward": args.reward}
    given = [("--players", "num_players", args.players)]
    given += [(f"--{name}", name, value) for name, value in settings.items()]
    for setting in args.option:
        name, equals, value = setting.partition("=")
        if not equals:
            raise BadInput(f"--option {setting}: write NAME=VALUE, for example seven_pairs=on")
        if name == "id":
            raise BadInput(f"--option {setting}: the game is a separate argument, see --help")
        given.append((f"--option {name}", name, value))
    options: dict[str, str] = {}
    for flag, name, value in given:
        if value is not None and options.setdefault(name, value) != value:
            raise BadInput(f"{flag}: {value} here, but {options[name]} before; give it once")
    return options


def print_json(value: Any) -> None:
    """Print `value` as indented JSON, in ASCII where the output cannot hold it otherwise."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    print(text if as_shown(text) == text else json.dumps(value, indent=2))


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Left-aligned columns two spaces apart; numbers to the right; the last column wraps."""
    cells = [[as_shown(str(cell)) for cell in row] for row in (header, *rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    numeric = [all(isinstance(row[i], int | float) for row in rows) for i in range(len(header))]
    left = sum(widths[:-1]) + 2 * (len(widths) - 1)
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize
    lines = []
    for row in cells:
        start = "".join(
            f"{cell:>{w}}  " if right else f"{cell:<{w}}  "
            for cell, w, right in zip(row[:-1], widths, numeric, strict=False)
        )
        last = f"{row[-1]:>{widths[-1]}}" if numeric[-1] else row[-1]
        wrapped = textwrap.wrap(last, max(24, width - left)) or [""]
        lines += [(start if i == 0 else " " * left) + text for i, text in enumerate(wrapped)]
    return "\n".join(line.rstrip() for line in lines)


class Progress:
    """A progress bar on stderr, redrawn in place; where stderr is no terminal, a line a quarter.

    >>> with Progress("playing") as progress:
    ...     progress.update(0.5, "round 200")
    """

    def __init__(self, label: str, begun: float = 0.0) -> None:
        self.label, self.begun = label, begun
        self.shown, self.live, self.stale = -1, sys.stderr.isatty(), 0.0

    def __enter__(self) -> Progress:
        self.update(self.begun)
        return self

    def __exit__(self, *_: object) -> None:
        if self.live:
            say("\r\x1b[K", end="")

    def update(self, done: float, note: str | Callable[[], Sequence[str]] = "") -> None:
        """Show that the part `done`, 0 to 1, is finished.

        Args:
            note: is shown beside the bar; or a function, called only if it is time to show
                something, that returns notes of which the first one that fits is shown.
        """
        percent = min(100, int(100 * done))
        step = percent // (1 if self.live else 25)
        if step == self.shown and not (self.live and time.monotonic() >= self.stale):
            return
        self.shown, self.stale = step, time.monotonic() + _FRESH
        if self.live:
            notes = [note] if isinstance(note, str) else note()
            say(f"\r\x1b[K{_bar(self.label, percent, notes, _columns() - 1)}", end="")
        else:
            say(f"{self.label}: {percent} %")


def _bar(label: str, percent: int, notes: Sequence[str], room: int) -> str:
    """A progress bar with as much around it as there is room for; a line that wraps stays."""
    for end in (f"{percent:3d} %  {note}".rstrip() for note in (*notes, "")):
        width = min(30, room - len(f"{label}  [] {end}"))
        if width >= 5:
            return f"{label}  [{'#' * (percent * width // 100):<{width}}] {end}"
    return f"{percent:3d} %  {label}"[:room]


def _columns() -> int:
    """The width of the terminal that shows stderr."""
    with suppress(OSError, ValueError):
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    return 80
