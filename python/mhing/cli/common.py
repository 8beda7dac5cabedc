"""What the commands share: arguments, one-line errors, tables and a progress bar."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import mhing


class BadInput(Exception):
    """Something the user gave is wrong; the text is the one line to show."""


class Parser(argparse.ArgumentParser):
    """An argument parser that keeps examples as written and errors to one line."""

    def __init__(self, **keywords: Any) -> None:
        super().__init__(
            formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **keywords
        )

    def error(self, message: str) -> NoReturn:
        """Ends the process with exit code 2."""
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def add_parser(
    commands: Any, name: str, run: Callable[[argparse.Namespace], None], summary: str, examples: str
) -> argparse.ArgumentParser:
    """Adds the command `name` to `commands`, to be run by `run`."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.", epilog=examples
    )
    parser.set_defaults(run=run)
    return parser


@contextmanager
def user_input() -> Iterator[None]:
    """Around calls whose arguments the user chose: their ValueError becomes BadInput."""
    try:
        yield
    except ValueError as error:
        raise BadInput(str(error)) from error


def add_game_arguments(parser: argparse.ArgumentParser, flag: str | None = None) -> None:
    """Declares GAME, or an option `flag` in its place, --players, --rules and --option."""
    help_text = f"one of: {', '.join(mhing.games())}"
    if flag is None:
        parser.add_argument("game", metavar="GAME", nargs="?", help=help_text)
    else:
        parser.add_argument(flag, metavar="GAME", help=help_text)
    parser.add_argument("--players", metavar="N", type=int, help="players at the table")
    parser.add_argument("--rules", metavar="PRESET", help="rule preset, see mhing describe")
    parser.add_argument(
        "--option",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="any option by its name, see mhing describe; may be repeated",
    )


def make_game(args: argparse.Namespace, **settings: str) -> mhing.Game:
    """The game that the arguments of `add_game_arguments` and further `settings` ask for."""
    options: dict[str, Any] = dict(settings)
    if args.rules is not None:
        options["rules"] = args.rules
    if args.players is not None:
        options["num_players"] = args.players
    for setting in args.option:
        name, equals, value = setting.partition("=")
        if not equals:
            raise BadInput(f"--option {setting}: write NAME=VALUE, for example seven_pairs=on")
        options[name] = value
    with user_input():
        return mhing.Game(args.game or mhing.games()[0], **options)


def print_json(value: Any) -> None:
    """Prints `value` as indented JSON."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Left-aligned columns two spaces apart; numbers to the right; the last column wraps."""
    cells = [[str(cell) for cell in row] for row in (header, *rows)]
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

    def __init__(self, label: str) -> None:
        self.label, self.shown, self.live = label, -1, sys.stderr.isatty()

    def __enter__(self) -> Progress:
        self.update(0.0)
        return self

    def __exit__(self, *_: object) -> None:
        if self.live:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def update(self, done: float, note: str = "") -> None:
        """Shows that the part `done`, 0 to 1, is finished."""
        percent = min(100, int(100 * done))
        if percent // (1 if self.live else 25) == self.shown:
            return
        self.shown = percent // (1 if self.live else 25)
        if self.live:
            bar = "#" * (percent * 30 // 100)
            text = f"\r\x1b[K{self.label}  [{bar:<30}] {percent:3d} %  {note}"
            print(text.rstrip(), end="", file=sys.stderr, flush=True)
        else:
            print(f"{self.label}: {percent} %", file=sys.stderr)
