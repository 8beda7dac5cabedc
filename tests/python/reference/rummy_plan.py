"""Laying down in Mexican Rummy, by trying everything: a step is legal if a way leads to the end.

The engine knows by counting whether an objective can be laid. Here it is laid, card by card, in
every order that the actions allow.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

RANKS = "A23456789TJQK"
SUITS = "shdc"
TYPES = [rank + suit for suit in SUITS for rank in RANKS]
ORDER = {card: place for place, card in enumerate(TYPES)}
TWOS = ("2s", "2c")
OBJECTIVES = [(2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2)]
"""Sets and runs, by round."""
PLACES = 14
NO_DISCARDO = 6


class Meld(NamedTuple):
    """A set of a rank, or a run of a suit with the place of its lowest card."""

    of: str
    low: int
    cards: tuple[str, ...]

    @property
    def is_set(self) -> bool:
        return self.of in RANKS

    def stands_for(self, place: int) -> str:
        """The card that belongs at a place of the suit."""
        return RANKS[place % 13] + self.of

    def is_wild(self, place: int) -> bool:
        """Return whether a black 2 lies at the place of another card."""
        return self.cards[place - self.low] != self.stands_for(place)

    @property
    def text(self) -> str:
        if self.is_set:
            return self.of + "".join(card[1] for card in self.cards)
        places = range(self.low, self.low + len(self.cards))
        ranks = [RANKS[place % 13] + "*" * self.is_wild(place) for place in places]
        return "".join(ranks) + self.of

    def spots(self, card: str) -> Iterator[tuple[str, Meld]]:
        """The ways to lay a card on: at which end, and the meld that results."""
        if self.is_set:
            if card[0] == self.of:
                yield "onto", self._replace(cards=(*self.cards, card))
            return
        two_ends = card[0] == "A" or card in TWOS
        below, above = self.low - 1, self.low + len(self.cards)
        if below >= 0 and (card in TWOS or card == self.stands_for(below)):
            yield (
                "low" if two_ends else "onto",
                self._replace(low=below, cards=(card, *self.cards)),
            )
        if above < PLACES and (card in TWOS or card == self.stands_for(above)):
            yield "high" if two_ends else "onto", self._replace(cards=(*self.cards, card))


class Plan(NamedTuple):
    """Part of an objective laid: cards left, melds begun, cards that the last one still needs."""

    rest: tuple[str, ...]  # by type, in their order
    melds: tuple[Meld, ...] = ()
    to_fill: int = 0
    wanted: str | None = None  # a black 2 that must still be laid

    def _put(self, card: str, place: int, meld: Meld, to_fill: int) -> Plan:
        at = self.rest.index(card)
        return Plan(
            self.rest[:at] + self.rest[at + 1 :],
            (*self.melds[:place], meld, *self.melds[place + 1 :]),
            to_fill,
            None if card == self.wanted else self.wanted,
        )

    def is_complete(self, objective: int) -> bool:
        sets, runs = OBJECTIVES[objective - 1]
        if len(self.melds) < sets + runs or self.to_fill or self.wanted:
            return False
        return objective != NO_DISCARDO or not self.rest

    def begins(self, objective: int) -> Iterator[tuple[str, Plan]]:
        """The next meld: sets first, then runs."""
        sets, runs = OBJECTIVES[objective - 1]
        if len(self.melds) < sets:
            for rank in RANKS:
                yield f"set {rank}", self._begun(Meld(rank, 0, ()), 3)
        elif len(self.melds) < sets + runs:
            for suit in SUITS:
                for low in range(PLACES - 3):
                    name = "".join(RANKS[(low + i) % 13] for i in range(4)) + suit
                    yield f"run {name}", self._begun(Meld(suit, low, ()), 4)

    def _begun(self, meld: Meld, to_fill: int) -> Plan:
        return Plan(self.rest, (*self.melds, meld), to_fill, self.wanted)

    def fills(self) -> Iterator[tuple[str, Plan]]:
        """The next card of the meld begun last; the cards of a set in their order."""
        *_, meld = self.melds
        if meld.is_set:
            last = ORDER[meld.cards[-1]] if meld.cards else 0
            fitting = [card for card in self.rest if card[0] == meld.of and ORDER[card] >= last]
        else:
            next_one = meld.stands_for(meld.low + len(meld.cards))
            fitting = [card for card in self.rest if card == next_one or card in TWOS]
        for card in dict.fromkeys(fitting):
            longer = Meld(meld.of, meld.low, (*meld.cards, card))
            yield f"lay {card}", self._put(card, len(self.melds) - 1, longer, self.to_fill - 1)

    def extensions(self) -> Iterator[tuple[str, str, Plan]]:
        """Cards laid onto the melds, in the last round: the card, the place, the plan after it."""
        for card in dict.fromkeys(self.rest):
            for number, meld in enumerate(self.melds):
                for end, longer in meld.spots(card):
                    yield (
                        f"lay {card}",
                        f"{end} 0.{number + 1}",
                        self._put(card, number, longer, 0),
                    )

    def steps(self, objective: int) -> Iterator[Plan]:
        """All that may come next."""
        if self.to_fill:
            yield from (plan for _, plan in self.fills())
        elif len(self.melds) < sum(OBJECTIVES[objective - 1]):
            yield from (plan for _, plan in self.begins(objective))
        elif objective == NO_DISCARDO:
            yield from (plan for _, _, plan in self.extensions())


def can_finish(objective: int, plan: Plan) -> bool:
    """Return whether the whole objective can be laid from here."""
    if objective != NO_DISCARDO:  # melds that are complete do not matter any more
        if begun := len(plan.melds) - bool(plan.to_fill):
            plan = plan._replace(melds=(Meld("A", 0, ()),) * begun + plan.melds[begun:])
    elif not plan.melds and not _fits_two_suits(plan.rest):
        return False
    return _can_finish(objective, plan)


@lru_cache(maxsize=200_000)
def _can_finish(objective: int, plan: Plan) -> bool:
    if plan.is_complete(objective):
        return True
    return any(can_finish(objective, after) for after in plan.steps(objective))


def _fits_two_suits(cards: tuple[str, ...]) -> bool:
    """True if all but the cards of one rank, and black 2s, are of two suits: two runs need that."""
    return any(
        len({card[1] for card in cards if card not in TWOS and card[0] != rank}) <= 2
        for rank in RANKS
    )
