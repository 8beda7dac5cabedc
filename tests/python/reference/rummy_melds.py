"""Cards and melds of Mexican Rummy: their points, order and form on a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from reference.rummy_plan import OBJECTIVES, PLACES, RANKS, SUITS, TWOS, TYPES, Meld

Table = dict[str, Any]

DECK = [name + mark for name in TYPES for mark in ("", "'")]


def type_of(card: str) -> str:
    """ "5h'" -> "5h"."""
    return card[:2]


def number_of(card: str) -> int:
    return TYPES.index(type_of(card)) + 1


def in_order(cards: Iterable[str]) -> list[str]:
    return sorted(cards, key=DECK.index)


def points_of(cards: Iterable[str], objective: int) -> int:
    """The points of cards left in a hand."""
    points = 0
    for card in map(type_of, cards):
        if card in TWOS and OBJECTIVES[objective - 1][1]:
            points += 20
        elif card[0] == "A":
            points += 15
        else:
            points += 10 if card[0] in "TJQK" else 5
    return points


def meld_of(laid: Table) -> Meld:
    """A meld of a table as the search takes it."""
    if laid["kind"] == "set":
        return Meld(RANKS[laid["rank"]], 0, tuple(laid["cards"]))
    return Meld(SUITS[laid["suit"]], laid["low"], tuple(laid["cards"]))


def laid_of(meld: Meld) -> Table:
    """A meld as a table has it."""
    what: Table = {"kind": "set", "rank": RANKS.find(meld.of)}
    if not meld.is_set:
        what = {"kind": "run", "suit": SUITS.index(meld.of), "low": meld.low}
    return {**what, "text": meld.text, "cards": list(meld.cards)}


def kinds_of(objective: int) -> list[str]:
    """The melds of an objective."""
    sets, runs = OBJECTIVES[objective - 1]
    return ["set"] * sets + ["run"] * runs


def is_meld(meld: Meld) -> bool:
    """Return whether these cards can lie so."""
    if meld.is_set:
        return len(meld.cards) >= 3 and all(card[0] == meld.of for card in meld.cards)
    places = range(meld.low, meld.low + len(meld.cards))
    return (
        len(places) >= 4
        and places[0] >= 0
        and places[-1] < PLACES
        and all(
            card in (meld.stands_for(place), *TWOS)
            for place, card in zip(places, meld.cards, strict=True)
        )
    )
