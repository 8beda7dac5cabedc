"""Lines of a terminal: ANSI colours, and how wide texts are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

WIDTH = 100  # columns, at most
BOLD, DIM, JOKER = "1", "2", "1;33"  # ANSI codes

_ANSI = re.compile(r"\x1b\[[0-9;]*m")

Paint = Callable[[str, str], str]
"""Puts a text into the colour of an ANSI code."""


def painter(color: bool) -> Paint:
    """Return a function that paints texts, or leaves them as they are."""
    return _in_color if color else _plain


def _in_color(string: str, code: str) -> str:
    return f"\x1b[{code}m{string}\x1b[0m" if code else string


def _plain(string: str, code: str) -> str:
    return string


def length(string: str) -> int:
    """Return the number of columns that a text needs, colours left out."""
    return len(_ANSI.sub("", string))


def in_lines(blocks: Iterable[Sequence[str]]) -> str:
    """Blocks of lines with an empty line between them; empty blocks are left out."""
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"
