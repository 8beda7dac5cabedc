"""Scoring alone: what a hand of Mhing cards is worth, and how far it is from complete.

Cards are written as in all of Mhing: digits before their suit (``123s`` bamboo, ``123p`` circles,
``123m`` characters), winds ``E S W N``, dragons ``R G P``, Mhing card (joker) ``J``. Melds on the
table are given by what they stand for, such as ``"EEE"`` or ``"456s"``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mhing._lib import scoring
from mhing._lib.arguments import whole
from mhing._lib.scenes import mime_bundle


@dataclass(frozen=True, slots=True)
class Score:
    """A complete hand, arranged for the most credits."""

    credits: int
    points: int
    parts: list[tuple[str, int]]
    """Credits by name, only those that were earned; they sum to `credits`."""
    arrangement: list[str]
    """Laid melds, then concealed melds, then the pair, jokers starred (``"6*78s"``); the pairs of
    seven pairs; or the 14 cards that do not connect."""
    _scored: tuple[str, Sequence[str], int, bool] = field(repr=False, compare=False)

    def _picture(self) -> Any:
        """A struct mh_scene: cards and credits, by letters for the groups that they are for."""
        hand, melds, flowers, seven_pairs = self._scored
        return _read(hand, melds, flowers).picture(seven_pairs)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Return the cards and the credits for a notebook."""
        return mime_bundle(self._picture(), scoring.game("mhing"), repr(self))


def _read(hand: str, melds: Sequence[str], flowers: int) -> scoring.Hand:
    if not isinstance(hand, str):
        raise TypeError(f"hand: {hand!r} is not a str; write for example '567s99pEEJ'")
    if isinstance(melds, str) or not all(isinstance(meld, str) for meld in melds):
        raise TypeError(f"melds: {melds!r} is not a list of str; write for example ['EEE', '456s']")
    return scoring.Hand(hand, " ".join(melds), whole(flowers, "flowers"))


@overload
def score_hand(
    hand: str,
    melds: Sequence[str] = (),
    flowers: int = 0,
    seven_pairs: bool = False,
    *,
    complete: Literal[True],
) -> Score: ...
@overload
def score_hand(
    hand: str,
    melds: Sequence[str] = (),
    flowers: int = 0,
    seven_pairs: bool = False,
    *,
    complete: bool = False,
) -> Score | None: ...
def score_hand(
    hand: str,
    melds: Sequence[str] = (),
    flowers: int = 0,
    seven_pairs: bool = False,
    *,
    complete: bool = False,
) -> Score | None:
    """Scores a complete hand by the boxed rules, arranged for the most credits.

    Args:
        hand: the concealed cards: 14 less three for each meld.
        melds: melds on the table, by what they stand for.
        flowers: flowers laid aside, 0-8.
        seven_pairs: whether seven pairs are a complete hand, by the house rule.
        complete: True: the hand is known to be complete, and one that is not is an error.

    Returns:
        The score, or None when the hand is not complete.

    Raises:
        ValueError: the cards cannot be read, are more than the deck holds, or too many or too few;
            or the hand is not complete, though it is said to be.
        TypeError: `hand` is not a str, `melds` not a list of str, `flowers` not a whole number.

    >>> score_hand("567s567s678s789s99s").credits
    17
    """
    score = _read(hand, melds, flowers).score(bool(seven_pairs))
    if score is None:
        if complete:
            raise ValueError(f"hand: {hand!r} is not complete, though it is said to be")
        return None
    names = scoring.part_names("mhing")
    parts = [(name, score.part[i]) for i, name in enumerate(names) if score.part[i]]
    arrangement = [*melds, *scoring.score_text(score).split()]
    scored = (hand, (*melds,), flowers, bool(seven_pairs))
    return Score(score.credits, score.points, parts, arrangement, scored)


def distance(hand: str, melds: Sequence[str] = (), seven_pairs: bool = False) -> int:
    """Return how many cards must be exchanged to complete a hand; 0: it is complete.

    Counts over all shapes of a complete hand, jokers as any card, for a hand before or after its
    draw. It looks at the hand alone, not at copies seen elsewhere. Arguments and errors are
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
    return scoring.points(whole(credits, "credits"))


# ---- Many hands at once -------------------------------------------------------------------------


def hands_array(
    hands: Sequence[str] | NDArray[np.integer[Any]],
    melds: ArrayLike | None = None,
    flowers: ArrayLike | None = None,
) -> NDArray[np.void]:
    """Hands for :func:`score_hands` and :func:`distances`, made once and used often.

    Args:
        hands: counts of the concealed cards by type (n, 35), such as the observation field
            ``hand``; or n texts.
        melds: (n, 4) kinds of the melds on the table, as the observation field ``meld_kind``
            holds them (0: none, first ones first), beside counts; None: none at all.
        flowers: (n,) flowers laid aside; None: none.

    Raises:
        ValueError: an array has the wrong shape or invalid numbers, or a text is not a hand.
        TypeError: `hands` is a single text.
    """
    if isinstance(hands, str):
        raise TypeError(f"hands: {hands!r} is one text; write a list of them")
    array = np.zeros(len(hands), scoring.HAND)
    if isinstance(hands, np.ndarray):
        array["count"] = _numbers("hands", hands, (len(hands), 35))
    elif melds is not None:
        raise ValueError("melds: hands that are texts lie in the hand whole; give counts instead")
    else:
        array[:] = np.frombuffer(
            b"".join(_read(hand, (), 0).record() for hand in hands), scoring.HAND
        )
    if melds is not None:
        kinds = _numbers("melds", melds, (len(hands), 4))
        gaps = ((kinds[:, 1:] > 0) & (kinds[:, :-1] == 0)).any(axis=1).nonzero()[0]
        if len(gaps):
            raise ValueError(
                f"melds: row {gaps[0]}, {kinds[gaps[0]].tolist()}, has melds after a 0"
            )
        array["melds"] = np.count_nonzero(kinds, axis=1)
        array["meld_kind"] = np.where(kinds > 0, kinds - 1, 0)
    if flowers is not None:
        array["flowers"] = _numbers("flowers", flowers, (len(hands),))
    return array


def _numbers(name: str, numbers: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.integer[Any]]:
    array = np.asarray(numbers)
    if array.shape != shape or not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"{name}: {array.dtype} {array.shape} is not an integer array {shape}")
    if array.size and not 0 <= array.min() <= array.max() <= 255:
        raise ValueError(f"{name}: {array.min()} to {array.max()} is not within 0 to 255")
    return array


def score_hands(
    hands: NDArray[np.void], seven_pairs: bool = False
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Credits and points of many hands in one call; -1 credits where a hand is not complete.

    Args:
        hands: (n,) from :func:`hands_array`; 14 concealed cards less three for each meld.
        seven_pairs: whether the house rule holds.

    Returns:
        credits int32 (n,) and points int32 (n,), 0 points where a hand is not complete.

    Raises:
        ValueError: a row is not a hand; the message names it.

    >>> credits, points = score_hands(hands_array(["567s567s678s789s99s"]))
    >>> int(credits[0]), int(points[0])
    (17, 512)
    """
    return scoring.score_hands(_checked(hands), bool(seven_pairs))


def distances(hands: NDArray[np.void], seven_pairs: bool = False) -> NDArray[np.int8]:
    """The :func:`distance` of many hands in one call: int8 (n,).

    Args:
        hands: (n,) from :func:`hands_array`, before or after the draw.
        seven_pairs: whether the house rule holds.

    Raises:
        ValueError: a row is not a hand; the message names it.

    >>> distances(hands_array(["567s567s678s789s9s", "567s567s678s789s99s"])).tolist()
    [1, 0]
    """
    return scoring.distances(_checked(hands), bool(seven_pairs))


def _checked(hands: NDArray[np.void]) -> NDArray[np.void]:
    if not isinstance(hands, np.ndarray) or hands.dtype != scoring.HAND or hands.ndim != 1:
        raise TypeError("hands: make them with mhing.hands_array(counts or texts, melds, flowers)")
    return np.ascontiguousarray(hands)
