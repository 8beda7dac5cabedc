"""Scoring alone: what a hand of Mhing cards is worth, and how far it is from complete.

Cards are written as in all of Mhing: digits before their suit (``123s`` bamboo, ``123p`` circles,
``123m`` characters), winds ``E S W N``, dragons ``R G P``, Mhing card (joker) ``J``. Melds on the
table are given by what they stand for, such as ``"EEE"`` or ``"456s"``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from mhing import _lib
from mhing.game import Game


@dataclass(frozen=True, slots=True)
class Score:
    """A complete hand, arranged for the most credits."""

    credits: int
    points: int
    parts: list[tuple[str, int]]
    """Credits by name, those that were earned; they sum to `credits`."""
    arrangement: list[str]
    """Laid melds, then concealed melds, then the pair, jokers starred (``"6*78s"``); the pairs of
    seven pairs; or the 14 cards that do not connect."""


def _read(hand: str, melds: Sequence[str], flowers: int) -> _lib.Hand:
    if not isinstance(hand, str):
        raise TypeError(f"hand: {hand!r} is no text; write for example '567s99pEEJ'")
    if isinstance(melds, str) or not all(isinstance(meld, str) for meld in melds):
        raise TypeError(f"melds: {melds!r} is no list of texts; write for example ['EEE', '456s']")
    return _lib.Hand(hand, " ".join(melds), _lib.whole(flowers, "flowers"))


@cache
def _labels(name: str) -> list[str]:
    return Game("mhing").labels[name]


def score_hand(
    hand: str, melds: Sequence[str] = (), flowers: int = 0, seven_pairs: bool = False
) -> Score | None:
    """Scores a complete hand by the boxed rules, arranged for the most credits.

    Args:
        hand: the concealed cards: 14 less three for each meld.
        melds: melds on the table, by what they stand for.
        flowers: flowers laid aside, 0-8.
        seven_pairs: whether the house rule holds that seven pairs are a complete hand.

    Returns:
        The score, or None when the hand is not complete.

    Raises:
        ValueError: the cards cannot be read, are more than the deck holds, or are too many or few.
        TypeError: `hand` is no text, `melds` no list of texts, `flowers` no whole number.

    >>> score_hand("567s567s678s789s99s").credits
    17
    """
    score = _read(hand, melds, flowers).score(bool(seven_pairs))
    if score is None:
        return None
    parts = [(name, score.part[i]) for i, name in enumerate(_labels("parts")) if score.part[i]]
    return Score(score.credits, score.points, parts, [*melds, *_lib.score_text(score).split()])


def distance(hand: str, melds: Sequence[str] = (), seven_pairs: bool = False) -> int:
    """How many cards must be exchanged before a hand is complete; 0: it is.

    Counts over all shapes of a complete hand, jokers as any card, for a hand before or after its
    draw. It looks at the hand alone, not at the copies seen elsewhere. Arguments and errors are
    those of :func:`score_hand`.

    >>> distance("567s567s678s789s9s")
    1
    """
    return _read(hand, melds, 0).distance(bool(seven_pairs))


def points(credits: int) -> int:
    """Points for a number of credits: 0, 2, 4, 8, 16, 32 ... 131072 at 41 and above.

    >>> points(17)
    512
    """
    return _lib.points(_lib.whole(credits, "credits"))
