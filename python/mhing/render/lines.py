"""What the texts of all tables share: their width, ANSI colours, and rows of words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from mhing.render.seen import Seat

WIDTH = 100  # columns
EVENTS = 6  # lines of them
BOLD, DIM, JOKER = "1", "2", "1;33"  # ANSI codes

_LABEL = 8  # columns for the names of rows of cards
_ANSI = re.compile(r"\x1b\[[0-9;]*m")

Paint = Callable[[str, str], str]
"""Puts a text into the colour of an ANSI code."""


def painter(color: bool) -> Paint:
    """What paints, or leaves texts as they are."""
    return _in_color if color else _plain


def _in_color(string: str, code: str) -> str:
    return f"\x1b[{code}m{string}\x1b[0m" if code else string


def _plain(string: str, code: str) -> str:
    return string


def length(string: str) -> int:
    """How many columns a text needs, colours left out."""
    return len(_ANSI.sub("", string))


def name_line(seat: Seat, paint: Paint, *tags: str) -> str:
    """Whether a seat is on turn, its name and score, and what else there is to say about it."""
    score = seat.score + (f" ({seat.change})" if seat.change else "")
    said = (score, "you" if seat.is_viewer else "", *tags)
    name = paint(f"{'>' if seat.is_active else ' '} {seat.name}", BOLD)
    return f"{name}  {', '.join(filter(None, said))}".rstrip()


def just_drawn(card: str, color: str, paint: Paint) -> str:
    """A card that was just drawn, in its colour."""
    return paint(f"+{card}", f"{color};{BOLD}".lstrip(";"))


def offered(card: str, paint: Paint) -> str:
    """A discard that may be had."""
    return paint(f"[{card}]", f"{BOLD};7")


def row(label: str, words: Iterable[str], width: int = _LABEL) -> list[str]:
    """Words after a label, in as many lines as they need; none where there are no words.

    `width`: of the column of labels.
    """
    lines: list[str] = []
    room = 0
    for word in words:
        needed = length(word) + 1
        if needed > room:
            lines.append("    " + ("" if lines else label).ljust(width))
            room = WIDTH - 4 - width
        lines[-1] += " " + word
        room -= needed
    return lines


def in_lines(blocks: Iterable[Sequence[str]]) -> str:
    """Blocks of lines with an empty line between them; empty blocks are left out."""
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def plural(number: float, noun: str) -> str:
    """A number with its noun: "1 credit", "2,048 points"."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
