"""Decks that bring about a wanted position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from reference.cards import DECK, HONOURS, SUITS, TYPES, parse_cards
from reference.referee import HAND

import mhing

DULL = None
"""Stands for a hand that is far from complete and with which hardly anything can be claimed."""


def table(
    hands: Sequence[str | None], draws: str, last: str = "", dealer: int = 0, **options: object
) -> mhing.State:
    """A state dealt so: a seat for each hand, the dealer's first and clockwise from there.

    `draws` are drawn first, `last` last, and the other cards of the deck in between.
    """
    left = Counter(DECK)
    left.subtract(parse_cards(draws + last + "".join(hand or "" for hand in hands)))
    dealt = [dull(left) if hand is DULL else parse_cards(hand) for hand in hands]
    assert all(len(hand) == HAND for hand in dealt), [len(hand) for hand in dealt]
    assert min(left.values()) >= 0, f"more than the deck holds: {left}"
    top = [card for hand in dealt for card in hand] + parse_cards(draws)
    game = mhing.Game("mhing", num_players=len(hands), dealer=dealer, **options)
    return game.new_state(seed=1, deck=[*top, *left.elements(), *parse_cards(last)])


def dull(left: Counter[int]) -> list[int]:
    """Three cards of each suit that are far apart and two pairs of honours, out of `left`."""
    hand = []
    for letter in SUITS:
        hand += next(
            [TYPES[number + letter] for number in numbers]
            for numbers in ("159", "148", "269", "158", "259", "169", "147", "258", "369")
            if all(left[TYPES[number + letter]] > 0 for number in numbers)
        )
    pairs = sorted(HONOURS, key=lambda card: -left[card])[:2]
    hand += [card for card in pairs for _ in range(2)]
    left.subtract(hand)
    return hand
