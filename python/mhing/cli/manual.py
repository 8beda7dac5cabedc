"""The command line in writing, from its own parser: the help of each command, and a man page."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from functools import partial

import mhing

WIDTH = 72
"""Columns of the help texts of a man page, which fit a terminal of 80 with its margin."""


@dataclass(frozen=True)
class ManualEntry:
    """A command, as the help of all of them lists it."""

    name: str
    summary: str
    parser: argparse.ArgumentParser


def commands_of(parser: argparse.ArgumentParser) -> list[ManualEntry]:
    """The commands of the whole command line, each once, in the order of the help."""
    (group,) = (one for one in parser._actions if isinstance(one, argparse._SubParsersAction))
    return [
        ManualEntry(one.dest, str(one.help), group.choices[one.dest])
        for one in group._choices_actions
    ]


def help_text(parser: argparse.ArgumentParser, width: int = WIDTH) -> str:
    """The output of ``--help``, so many columns wide."""
    wide = partial(argparse.RawDescriptionHelpFormatter, width=width)
    before, parser.formatter_class = parser.formatter_class, wide
    try:
        return parser.format_help()
    finally:
        parser.formatter_class = before


def man_page(parser: argparse.ArgumentParser) -> str:
    """A page of the manual in roff, as ``man`` reads it, with every command."""
    parts = [
        f'.TH MHING 1 "" "mhing {mhing.__version__}" "User Commands"',
        ".SH NAME",
        f"mhing \\- {str(parser.description).rstrip('.').lower()}",
        ".SH SYNOPSIS",
        ".B mhing",
        ".I COMMAND",
        "\\&...",
        ".SH DESCRIPTION",
        _verbatim(help_text(parser)),
        ".SH COMMANDS",
    ]
    for one in commands_of(parser):
        parts += [f".SS mhing {one.name}", _verbatim(help_text(one.parser))]
    return "\n".join(parts) + "\n"


def _verbatim(text: str) -> str:
    """A text in roff that stays as it is."""
    lines = text.replace("\\", "\\e").replace("-", "\\-").splitlines()
    return "\n".join(
        [".nf", *(f"\\&{line}" if line[:1] in {".", "'"} else line for line in lines), ".fi"]
    )
