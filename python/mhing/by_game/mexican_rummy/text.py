"""A table of Mexican Rummy in a terminal: what a person plays from, at most 100 columns wide."""

from __future__ import annotations

from mhing.by_game.mexican_rummy.view import Seat, has_wild, look
from mhing.render.lines import Paint, painter, row
from mhing.render.playing import text as playing
from mhing.render.playing.view import Meld
from mhing.render.seen import State

NOTATION = """\
  As 2s ... 9s Ts Js Qs Ks spades   h hearts   d diamonds   c clubs
A star marks a card that a black 2 stands for: 56*78h. "run 5678h" begins a run, "lay" fills it.
Melds are named by seats clockwise from you, then their number: "onto 1.2" is your left neighbour's
second one, "low" and "high" are the ends of a run."""

WILD = "56*78h: * a black 2   "
_LEGEND = "[5s]: may be had   5s<1: discarded by seat 1   +5s: just drawn"


def text(d: State, view: int | None = None, color: bool = False) -> str:
    """Returns the table as lines of text, with ANSI colours if wanted."""
    legend = WILD * has_wild(d) + _LEGEND
    return playing.text(look(d, view), legend, _melds, (), painter(color))


def _melds(seat: Seat, paint: Paint) -> list[str]:
    """The melds, as they lie or as the seat plans them."""
    label = "laying" if seat.is_planning else "melds"
    return row(label, (_meld(meld, paint) for meld in seat.melds))


def _meld(meld: Meld, paint: Paint) -> str:
    """A run as "56*78h", the black 2 in a colour of its own; a set as "7ssh"."""
    return playing.run(meld.cards, paint) if "*" in meld.text else meld.text
