"""Leduc poker once more, as slow and plain as it can be: what the engine's deals are compared with.

A deal is three cards (a seat's card each, then the open card) and the actions so far, as letters:
f(old), c(all or check), r(aise). Everything else is found from them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Any

CARDS = ("Js", "Jh", "Qs", "Qh", "Ks", "Kh")
RANKS = "JQK"
Cards = tuple[str, str, str]


def deals() -> Iterator[Cards]:
    """Every way to deal the three cards that play a part."""
    return permutations(CARDS, 3)  # type: ignore[return-value]


@dataclass(frozen=True)
class Deal:
    """A deal after some actions."""

    cards: Cards
    actions: str = ""
    max_raises: int = 2

    @property
    def streets(self) -> tuple[str, str | None]:
        """The actions before the open card, and those after it (None: it is not open yet)."""
        for end in range(2, len(self.actions) + 1):
            first = self.actions[:end]
            if first == "cc" or (first.endswith("c") and "r" in first):
                return first, self.actions[end:]
        return self.actions, None

    @property
    def now(self) -> str:
        """The actions of the betting round in play."""
        first, second = self.streets
        return first if second is None else second

    @property
    def stakes(self) -> list[int]:
        """The chips that each seat has put in."""
        chips = [1, 1]
        for street, bet in zip(self.streets, (2, 4), strict=True):
            for turn, action in enumerate(street or ""):
                if action == "c":
                    chips[turn % 2] = chips[1 - turn % 2]
                elif action == "r":
                    chips[turn % 2] = chips[1 - turn % 2] + bet
        return chips

    @property
    def folded(self) -> int | None:
        """The seat that has folded."""
        return (len(self.now) - 1) % 2 if self.now.endswith("f") else None

    @property
    def is_over(self) -> bool:
        second = self.streets[1] or ""
        called = second == "cc" or (second.endswith("c") and "r" in second)
        return self.folded is not None or called

    @property
    def seat(self) -> int:
        """The seat to act, -1 when the deal is over."""
        return -1 if self.is_over else len(self.now) % 2

    @property
    def legal(self) -> str:
        """The letters of the legal actions."""
        if self.is_over:
            return ""
        fold = "f" if self.now.endswith("r") else ""
        return fold + "c" + ("r" if self.now.count("r") < self.max_raises else "")

    @property
    def returns(self) -> list[int]:
        """The winnings of each seat: 0 before the end."""
        if not self.is_over:
            return [0, 0]
        if self.folded is not None:
            ahead = -1 if self.folded == 0 else 1
        else:
            worth = [self._worth(card) for card in self.cards[:2]]
            ahead = (worth[0] > worth[1]) - (worth[0] < worth[1])
        chips = min(self.stakes)
        return [ahead * chips, -ahead * chips]

    def _worth(self, card: str) -> tuple[bool, int]:
        return card[0] == self.cards[2][0], RANKS.index(card[0])

    def known_to(self, seat: int) -> tuple[str, str, str]:
        """A seat's information set while the deal is played: its card, the open one, the actions.

        Where one betting round ends and the other begins follows from the actions.
        """
        opened = self.streets[1] is not None
        return self.cards[seat], self.cards[2] if opened else "", self.actions

    def after(self, action: str) -> Deal:
        return Deal(self.cards, self.actions + action, self.max_raises)


def card_names(table: dict[str, Any]) -> list[str]:
    """All cards of a state's JSON, in dealing order."""
    opened = [table["open"]] if table["open"] else []
    return [*table["hands"][0], *table["hands"][1], *opened, *table["undealt"]]


def legal_actions(table: dict[str, Any]) -> set[str]:
    """The texts of all that the seat to act may do, by what a state's JSON says has been done."""
    texts = {"f": "fold", "c": "call", "r": "raise"}
    events = [event["event"] for event in table["events"]]
    actions = "".join(event[0] for event in events if event in texts.values())
    deal = Deal(card_names(table)[:3], actions, table["options"]["max_raises"])  # type: ignore[arg-type]
    return {texts[letter] for letter in deal.legal}


def tree(deal: Deal) -> Iterator[Deal]:
    """The deal and all that can come of it."""
    yield deal
    for action in deal.legal:
        yield from tree(deal.after(action))
