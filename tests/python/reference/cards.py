"""Cards and melds, as numbers and as text.

Types 0-8 are bamboo 1-9, 9-17 circles, 18-26 characters, 27-30 the winds E S W N, 31-33 the dragons
R G P (red, green, white), 34 the Mhing card J and 35 the flower F.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import combinations

SUITS = "spm"
WINDS = "ESWN"
DRAGONS = "RGP"
NAMES = [f"{n}{s}" for s in SUITS for n in range(1, 10)] + list(WINDS + DRAGONS + "JF")
TYPES = {name: number for number, name in enumerate(NAMES)}

PLAYABLE = range(34)
SUIT_CARDS = range(27)
HONOURS = range(27, 34)
JOKER = TYPES["J"]
FLOWER = TYPES["F"]
COPIES = {**dict.fromkeys(PLAYABLE, 4), JOKER: 6, FLOWER: 8}
DECK = [card for card, copies in COPIES.items() for _ in range(copies)]


def suit(card: int) -> int | None:
    """0-2 for a suit card, None for an honour."""
    return card // 9 if card in SUIT_CARDS else None


def number(card: int) -> int | None:
    """1-9 for a suit card, None for an honour."""
    return card % 9 + 1 if card in SUIT_CARDS else None


def parse_cards(text: str) -> list[int]:
    """The types in a text such as "567s99pEJ", in the order written."""
    cards = []
    digits = ""
    for letter in text:
        if letter.isdigit():
            digits += letter
        elif letter in SUITS:
            cards += [TYPES[digit + letter] for digit in digits]
            digits = ""
        else:
            cards.append(TYPES[letter])
    assert not digits, f"no suit after {digits} in {text}"
    return cards


def cards_text(cards: Iterable[int]) -> str:
    """The opposite of parse_cards."""
    return "".join(NAMES[card] for card in cards)


@dataclass(frozen=True)
class Meld:
    """Three cards as what they stand for, and the places (0-2) that Mhing cards fill."""

    cards: tuple[int, int, int]
    jokers: tuple[int, ...] = ()

    @property
    def is_sequence(self) -> bool:
        return self.cards[0] != self.cards[1]

    @property
    def kind(self) -> str:
        return "sequence" if self.is_sequence else "triplet"

    @property
    def text(self) -> str:
        """For example 45*6s or PP*P*."""
        starred = [
            NAMES[card][0] + "*" * (place in self.jokers) for place, card in enumerate(self.cards)
        ]
        return "".join(starred) + NAMES[self.cards[0]][1:]

    def needs(self) -> Counter[int]:
        """The cards it is made of, Mhing cards as such."""
        return Counter(
            JOKER if place in self.jokers else card for place, card in enumerate(self.cards)
        )


def parse_starred(text: str) -> tuple[list[int], list[int]]:
    """The types in a text with stars, such as 45*6s, 99*s or E*, and the places of the stars."""
    pieces = re.findall(r"([1-9ESWNRGP])(\*?)", text.rstrip(SUITS))
    ending = text[-1] if text[-1] in SUITS else ""
    cards = [TYPES[letter + ending] for letter, _ in pieces]
    return cards, [place for place, (_, star) in enumerate(pieces) if star]


@cache
def parse_meld(text: str) -> Meld:
    """The meld with that text; its cards must be a sequence or a triplet."""
    cards, jokers = parse_starred(text)
    first, second, third = cards
    meld = Meld((first, second, third), tuple(jokers))
    assert meld.cards in ALL_MELDS, f"{text} is no meld"
    return meld


ALL_SEQUENCES = [(card, card + 1, card + 2) for card in SUIT_CARDS if suit(card) == suit(card + 2)]
ALL_TRIPLETS = [(card, card, card) for card in PLAYABLE]
ALL_MELDS = ALL_SEQUENCES + ALL_TRIPLETS


@cache
def all_patterns() -> list[Meld]:
    """Every way to lay a meld: sequences with jokers at any places, triplets with jokers last."""
    places = [chosen for size in range(4) for chosen in combinations(range(3), size)]
    sequences = [Meld(cards, jokers) for cards in ALL_SEQUENCES for jokers in places]
    triplets = [
        Meld(cards, tuple(range(3 - size, 3))) for cards in ALL_TRIPLETS for size in range(4)
    ]
    return sequences + triplets
