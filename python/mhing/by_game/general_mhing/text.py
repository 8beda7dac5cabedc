"""A table of General Mhing in a terminal: what a person plays from, at most 100 columns wide."""

from __future__ import annotations

from mhing.by_game.general_mhing.view import Seat, look, result_lines
from mhing.render.lines import Paint, painter, row
from mhing.render.playing import text as playing
from mhing.render.seen import State

NOTATION = """\
  As 2s ... 9s Ts Js Qs Ks spades   h hearts   d diamonds   c clubs
A star marks a card that the ace stands for: 78*9h. swap 8h gives the 8 for that ace."""

_LEGEND = "78*9h: * the ace   [5s]: may be taken   5s<1: discarded by seat 1   +5s: just drawn"


def text(d: State, view: int | None = None, color: bool = False) -> str:
    """Returns the table as lines of text, with ANSI colours if wanted."""
    table = look(d, view)
    scored = result_lines(d["result"]) if table.result else []
    return playing.text(table, _LEGEND, _sequences, scored, painter(color))


def _sequences(seat: Seat, paint: Paint) -> list[str]:
    """The sequences, and what they score."""
    words = [playing.run(meld.cards, paint) for meld in seat.melds]
    return row("sequences", [*words, f"= {seat.tally}"] if words else [])
