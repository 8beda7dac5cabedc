"""The page of the command line: every command with its help text, from its own parser."""

from __future__ import annotations

from mhing.cli import make_parser
from mhing.cli.manual import commands_of, help_text

_WIDTH = 96  # of help texts


def page() -> str:
    """The whole page."""
    parser = make_parser()
    sections = "".join(
        f"\n## mhing {one.name}\n\n{one.summary}\n\n```text\n{help_text(one.parser, _WIDTH)}```\n"
        for one in commands_of(parser)
    )
    whole = f"```text\n{help_text(parser, _WIDTH)}```\n"
    return f"# The command line\n\n{_INTRODUCTION}\n{whole}{sections}"


_INTRODUCTION = """\
The package installs the command `mhing`. Where it is not on the path, `python -m mhing` does
the same. Bad input ends with exit code 2 and one line on standard error.
"""
