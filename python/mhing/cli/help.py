"""``mhing help``, and the options that print what shells and ``man`` read."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

from mhing.cli import completion, manual
from mhing.cli.common import add_parser

EXAMPLES = """\
examples:
  mhing help
  mhing help arena                     the same as mhing arena --help
"""


def add(commands: Any, whole: argparse.ArgumentParser) -> None:
    """Declare the command, and the options of the `whole` command line, after all others."""
    parser = add_parser(commands, "help", run, "print the help of a command", EXAMPLES)
    of_each = {**commands.choices}
    parser.add_argument(
        "command", metavar="COMMAND", nargs="?", choices=[*of_each], help="which one (all of them)"
    )
    parser.set_defaults(parsers={None: whole, **of_each})
    whole.add_argument(
        "--print-completion",
        metavar="SHELL",
        action=_Printed,
        choices=completion.SHELLS,
        help=f"print a script that completes commands in {', '.join(completion.SHELLS)}",
    )
    whole.add_argument(
        "--print-man", action=_Printed, nargs=0, help="print this help as a page for man"
    )


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    print(args.parsers[args.command].format_help(), end="")


class _Printed(argparse.Action):
    """Prints what is made of the parser, and ends the command, as --help does."""

    def __call__(
        self, parser: argparse.ArgumentParser, _: object, values: Any, option_string: Any = None
    ) -> NoReturn:
        """Print it."""
        made = completion.script(parser, values) if values else manual.man_page(parser)
        print(made, end="")
        parser.exit()
