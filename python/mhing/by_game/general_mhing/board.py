"""A table of General Mhing in few lines."""

from __future__ import annotations

from mhing.by_game.general_mhing.view import Seat, look, result_lines
from mhing.render.board import Board, Form
from mhing.render.playing import board as playing
from mhing.render.seen import State

NOTATION = """\
  As 2s ... 9s Ts Js Qs Ks spades   h hearts   d diamonds   c clubs
A star marks a card that the ace stands for: 78*9h. swap 8h gives the 8 for that ace."""

_LEGEND = "78*9h: * the ace   [5s]: may be taken   +5s: just drawn"


def board(d: State, view: int | None, form: Form) -> Board:
    """Returns the table as the seat `view` sees it, or open to all with None."""
    scored = result_lines(d["result"]) if d["result"] else ()
    return playing.board(look(d, view), form, _LEGEND, _sequences, lambda _: "laid", scored)


def _sequences(seat: Seat, form: Form) -> list[str]:
    """The sequences, and what they score."""
    words = [form.spell(meld.text) for meld in seat.melds]
    return [*words, f"= {seat.tally}"] if words else []
