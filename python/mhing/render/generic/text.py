"""The table of any game in a terminal, at most 100 columns wide."""

from __future__ import annotations

from textwrap import wrap

from mhing.render.generic.view import Seat, Table, Value
from mhing.render.lines import BOLD, DIM, EVENTS, WIDTH, Paint, in_lines, name_line, painter, row


def text(table: Table, color: bool) -> str:
    """Returns the table as lines of text, with ANSI colours if wanted."""
    paint = painter(color)
    everywhere = [*table.values, *(value for seat in table.seats for value in seat.values)]
    width = max((len(value.name) for value in everywhere), default=0)
    blocks = [
        [paint(table.heading, BOLD)],
        *(_seat(seat, width, paint) for seat in table.seats),
        _rows(table.values, width, paint),
        [paint(event, DIM) for event in table.events[-EVENTS:]],
        _result(table.result, paint),
        [paint(table.status, BOLD)],
    ]
    return in_lines(blocks)


def _seat(seat: Seat, width: int, paint: Paint) -> list[str]:
    return [name_line(seat, paint), *_rows(seat.values, width, paint)]


def _rows(values: tuple[Value, ...], width: int, paint: Paint) -> list[str]:
    """A line or more for each value, names in a column of that width."""
    lines = []
    for value in values:
        code = BOLD if value.are_cards else ""
        lines += row(value.name, (paint(word, code) for word in value.words), width)
    return lines


def _result(lines: tuple[str, ...], paint: Paint) -> list[str]:
    """Who has won, then the numbers."""
    return [paint(lines[0], BOLD), *wrap(lines[1], WIDTH)] if lines else []
