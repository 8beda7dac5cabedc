"""A table in few lines for a terminal of any width, to be played from beside a list of moves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from mhing.render.lines import BOLD, DIM, Paint, length
from mhing.render.people import YOU
from mhing.render.seen import AnySeat, Seat, Table

Spell = Callable[[str, Paint, bool], str]
"""Puts the cards in a text into colours, and into symbols if wanted."""

_INDENT = 4


@dataclass(frozen=True)
class Form:
    """How a board is written."""

    columns: int
    names: Sequence[str]
    """By seat; see :mod:`mhing.render.people`."""
    paint: Paint
    spell: Callable[[str], str]
    """Puts the cards in a text into colours and symbols."""


@dataclass(frozen=True)
class Board:
    """A table in lines, with ANSI colours if wanted."""

    heading: str
    notes: tuple[str, ...]
    """What counts in this round."""
    legend: str
    """What marks on the cards mean."""
    lines: tuple[str, ...]
    """The other seats, what lies in the middle, the viewer's own seat last."""
    status: str
    """Who is to do what."""
    result: tuple[str, ...]
    """How the round has ended and what it brought; empty before."""


def seats(table: Table[AnySeat]) -> tuple[AnySeat, ...]:
    """All seats clockwise, the viewer's last."""
    nearest, *others = table.clockwise
    return (*others, nearest) if nearest.is_viewer else table.clockwise


def title(seat: Seat, form: Form, *tags: str) -> str:
    """Who is on turn, the name, the score, and what else there is to say about a seat."""
    name = form.names[seat.number]
    name = form.paint(f"{'>' if seat.is_active else ' '} {'You' if name == YOU else name}", BOLD)
    score = seat.score + (f" ({seat.change})" if seat.change else "")
    said = ", ".join(filter(None, (score, *tags)))
    return f"{name}  {said}" if said else name


def labelled(label: str, words: Iterable[str], form: Form) -> list[str]:
    """Words after a label, in as many lines as they need; none where there are no words."""
    return packed(" " * _INDENT + form.paint(label, DIM), words, form)


def packed(start: str, words: Iterable[str], form: Form) -> list[str]:
    """Words after a start, in as many lines as they need; none where there are no words."""
    lines: list[str] = []
    for word in words:
        if lines and length(lines[-1]) + 1 + length(word) <= form.columns:
            lines[-1] += f" {word}"
        else:
            lines.append(f"{start} {word}" if not lines else " " * (_INDENT + 1) + word)
    return lines


def latest(label: str, words: Sequence[str], form: Form) -> list[str]:
    """The last words that fit into one line after a label; what is left out is counted."""
    for dropped in range(len(words)):
        older = [form.paint(f"({dropped} older)", DIM)] if dropped else []
        lines = labelled(label, [*older, *words[dropped:]], form)
        if len(lines) == 1:
            return lines
    return []
