"""A table of Mexican Rummy in few lines."""

from __future__ import annotations

from mhing.by_game.mexican_rummy.view import Seat, has_wild, look
from mhing.render.board import Board, Form
from mhing.render.lines import DIM
from mhing.render.playing import board as playing
from mhing.render.seen import State

NOTATION = """\
  As 2s ... 9s Ts Js Qs Ks spades   h hearts   d diamonds   c clubs
A star marks a card that a black 2 stands for: 56*78h. "run 5678h" begins a run, "lay" fills it.
Melds are named by seats clockwise from you, then their number: "onto 1.2" is your left neighbour's
second one, "low" and "high" are the ends of a run."""

_WILD = "56*78h: * a black 2   "
_LEGEND = "[5s]: may be had   +5s: drawn   1.2: next seat's second"


def board(d: State, view: int | None, form: Form) -> Board:
    """Returns the table as the seat `view` sees it, or open to all with None."""

    def melds(seat: Seat, form: Form) -> list[str]:
        """The melds; those on the table with the names that moves give them."""
        words = [form.spell(meld.text) for meld in seat.melds]
        if view is None or seat.is_planning:
            return words
        place = (seat.number - view) % len(d["hands"])
        return [
            form.paint(f"{place}.{number}:", DIM) + word for number, word in enumerate(words, 1)
        ]

    return playing.board(
        look(d, view),
        form,
        _WILD * has_wild(d) + _LEGEND,
        melds,
        lambda seat: "laying" if seat.is_planning else "laid",
    )
