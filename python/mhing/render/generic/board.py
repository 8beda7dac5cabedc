"""The table of any game in few lines."""

from __future__ import annotations

from textwrap import wrap

from mhing.render.board import Board, Form, labelled, seats, title
from mhing.render.generic.view import Table


def board(table: Table, form: Form) -> Board:
    """Returns the table in lines."""
    *others, last = [
        [
            title(seat, form),
            *(line for value in seat.values for line in labelled(value.name, value.words, form)),
        ]
        for seat in seats(table)
    ]
    middle = [line for value in table.values for line in labelled(value.name, value.words, form)]
    return Board(
        heading=table.heading,
        notes=(),
        legend="",
        lines=tuple(line for block in (*others, middle, last) for line in block),
        status=table.status,
        result=tuple(line for each in table.result for line in wrap(each, form.columns)),
    )
