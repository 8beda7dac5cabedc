"""The page of the command line: every command with its help text, from its own parser."""

from __future__ import annotations

import argparse
import os
from unittest import mock

from mhing.cli import make_parser


def page() -> str:
    """The whole page."""
    with mock.patch.dict(os.environ, COLUMNS="96"):  # the width of help texts
        parser = make_parser()
        (commands,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
        summaries = {choice.dest: choice.help for choice in commands._choices_actions}
        sections = "".join(
            f"\n## mhing {name}\n\n{summaries[name]}\n\n```text\n{command.format_help()}```\n"
            for name, command in commands.choices.items()
        )
        return (
            f"# The command line\n\n{_INTRODUCTION}\n```text\n{parser.format_help()}```\n{sections}"
        )


_INTRODUCTION = """\
The package installs the command `mhing`. Where it is not on the path, `python -m mhing` does
the same. Bad input ends with exit code 2 and one line on standard error.
"""
