"""Random hands of Mhing for the tests of scoring and distance."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from random import Random

from reference.arrangement import Declared
from reference.cards import (
    ALL_MELDS,
    ALL_SEQUENCES,
    ALL_TRIPLETS,
    COPIES,
    DECK,
    FLOWER,
    HONOURS,
    JOKER,
    PLAYABLE,
    Meld,
    cards_text,
    number,
    suit,
)
from reference.scoring import Cards, unconnected


@dataclass(frozen=True)
class Hand:
    """Concealed cards, melds on the table and flowers."""

    concealed: tuple[int, ...]
    melds: tuple[Meld, ...] = ()
    flowers: int = 0

    @property
    def text(self) -> str:
        return cards_text(self.concealed)

    @property
    def meld_texts(self) -> list[str]:
        return [meld.text for meld in self.melds]

    @property
    def declared(self) -> Declared:
        return Declared(Counter(self.concealed), self.melds, self.flowers)

    def is_possible(self) -> bool:
        """Return whether one deck holds all its cards."""
        cards = Counter(self.concealed)
        for meld in self.melds:
            cards += meld.needs()
        return all(copies <= COPIES[card] for card, copies in cards.items())


def complete_hand(rng: Random, jokers: int, laid: int) -> Hand:
    """A complete hand with so many Mhing cards and melds on the table."""
    while True:
        if laid or rng.random() < 0.9:
            hand = _of_melds(rng, jokers, laid)
        else:
            hand = _of_singles(rng, jokers) if rng.random() < 0.5 else _of_pairs(rng, jokers)
        if hand.is_possible():
            return hand


def spoilt(rng: Random, hand: Hand) -> Hand:
    """The hand with one of its concealed cards exchanged for any other, so hardly ever complete."""
    while True:
        cards = list(hand.concealed)
        cards[rng.randrange(len(cards))] = rng.choice(PLAYABLE)
        other = Hand(tuple(cards), hand.melds, hand.flowers)
        if other.is_possible():
            return other


def dealt_hand(rng: Random, size: int) -> Hand:
    """So many cards off a shuffled deck, and any melds on the table for the rest of the 14."""
    deck = [card for card in DECK if card != FLOWER]
    rng.shuffle(deck)
    laid = (14 - size) // 3
    melds = tuple(Meld(cards) for cards in rng.choices(ALL_MELDS, k=laid))
    return Hand(tuple(deck[:size]), melds)


POOLS: list[list[Cards]] = [
    ALL_MELDS,
    ALL_SEQUENCES,
    ALL_TRIPLETS,
    [meld for meld in ALL_MELDS if suit(meld[0]) == 0],
    [meld for meld in ALL_MELDS if suit(meld[0]) in (1, 2)],
    [meld for meld in ALL_MELDS if suit(meld[0]) in (2, None)],
    [meld for meld in ALL_MELDS if meld[0] in HONOURS],
    [meld for meld in ALL_MELDS if (number(meld[0]) or 0) >= 5],
    [meld for meld in ALL_MELDS if 1 <= (number(meld[2]) or 0) <= 5],
    [meld for meld in ALL_MELDS if number(meld[0]) in (1, 4, 7)],
    [meld for meld in ALL_MELDS if number(meld[0]) in (3, 5)],
]
"""Sources of the melds of a hand: anything, and the families that earn the rarer credits."""


def _of_melds(rng: Random, jokers: int, laid: int) -> Hand:
    pool = rng.choice(POOLS)
    melds = rng.choices(pool, k=4)
    pair = rng.choice(rng.choice(pool))
    places = rng.sample(range(14), jokers)
    table = [
        _meld(cards, [place - 3 * n for place in places if 3 * n <= place < 3 * n + 3])
        for n, cards in enumerate(melds[:laid])
    ]
    cards = [card for meld in melds for card in meld] + [pair, pair]
    concealed = [JOKER if place in places else cards[place] for place in range(3 * laid, 14)]
    rng.shuffle(concealed)
    return Hand(tuple(concealed), tuple(table), rng.choice((0, 0, 1, 8)))


def _meld(cards: Cards, jokers: list[int]) -> Meld:
    if cards[0] == cards[1]:
        return Meld(cards, tuple(range(3 - len(jokers), 3)))
    return Meld(cards, tuple(sorted(jokers)))


def _of_singles(rng: Random, jokers: int) -> Hand:
    """Nothing connects, found by picking until it does."""
    while True:
        cards = set(rng.sample(HONOURS, rng.randint(5, 7)))
        for card in rng.sample(range(27), 27):
            near = {other for other in cards if suit(other) == suit(card) and abs(other - card) < 3}
            if not near and len(cards) < 14:
                cards.add(card)
        if len(cards) == 14 and next(unconnected(Counter(cards)), None) is not None:
            return _with_jokers(rng, sorted(cards), jokers)


def _of_pairs(rng: Random, jokers: int) -> Hand:
    pool = sorted({card for meld in rng.choice(POOLS) for card in meld})
    return _with_jokers(rng, [card for card in rng.choices(pool, k=7) for _ in range(2)], jokers)


def _with_jokers(rng: Random, cards: list[int], jokers: int) -> Hand:
    rng.shuffle(cards)
    return Hand((*[JOKER] * jokers, *cards[jokers:]), (), rng.choice((0, 0, 1, 8)))
