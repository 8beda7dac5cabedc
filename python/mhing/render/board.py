"""A table in few lines for a terminal of any width, to be played from beside a list of moves.

All that it says are the core's words (:meth:`mhing.State.words`): here they are only broken into
lines, and their cards put into colours and symbols.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from mhing.render.lines import BOLD, Paint, length
from mhing.words import Part

Say = Callable[[Part, int | None], str]
"""The words of a part, and of which seat: whole lines."""

_INDENT = 4
_SUBJECT = re.compile(r"(.*?)( ha(?:ve|s) |:)", re.DOTALL)


@dataclass(frozen=True)
class Board:
    """A table in lines, with ANSI colours if wanted."""

    heading: str
    notes: tuple[str, ...]
    """The aim of the game."""
    legend: str
    """The meaning of marks on the cards."""
    lines: tuple[str, ...]
    """The other seats, what lies in the middle, the viewer's own seat last."""
    status: str
    """The seat whose turn it is, and its task."""
    result: tuple[str, ...]
    """The end of the round finished last, and what it brought; empty before."""


@dataclass(frozen=True)
class Form:
    """The form of a board."""

    columns: int
    paint: Paint
    spell: Callable[[str], str]
    """Puts the cards in a text into colours and symbols."""


def board(say: Say, seats: Sequence[int], legend: str, form: Form) -> Board:
    """Return the table of which `say` speaks; the last of the seats has the lowest place."""
    *others, last = ([*_seat(say("seat", seat), form)] for seat in seats)
    middle = [*_lines(say("piles", None), form)]
    return Board(
        heading="\n".join(_lines(say("heading", None), form)),
        notes=tuple(_lines(say("limits", None), form)),
        legend=form.spell(legend),
        lines=tuple(line for block in (*others, middle, last) for line in block),
        status="\n".join(_lines(" ".join(say("status", None).splitlines()), form)),
        result=tuple(_lines(say("result", None), form)),
    )


def _seat(text: str, form: Form) -> Iterator[str]:
    """A seat's lines, its name in bold; a short sentence stands behind the one before it."""
    made = ""
    for line in _named(text, form):
        together = f"{made} {line.lstrip()}"
        if made.endswith(".") and line.startswith(" ") and length(together) <= form.columns:
            made = together
        else:
            yield from (made,) * bool(made)
            made = line
    yield made


def _named(text: str, form: Form) -> Iterator[str]:
    """The lines of a text, and what is said of in bold."""
    found = _SUBJECT.match(text)
    if not found:
        return _lines(text, form)
    first, *rest = _lines(text[found.end(1) :], form, length(found[1]))
    return iter((form.paint(found[1], BOLD) + first, *rest))


def _lines(text: str, form: Form, used: int = 0) -> Iterator[str]:
    """Yield lines that fit the room; the rest of a longer one continues below, indented."""
    for line in text.splitlines():
        made = ""
        for word in re.findall(r" *\S+", form.spell(line)):
            if made.strip() and used + length(made) + length(word) > form.columns:
                yield made
                made, used = " " * _INDENT + word.lstrip(), 0
            else:
                made += word
        yield made
        used = 0
