"""Hands without a game around them, as the core reads and scores them."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mhing._lib.arguments import int32
from mhing._lib.binding import check, ffi, lib, new_message, read_text
from mhing._lib.games import GameHandle
from mhing._lib.hold import slices


@cache
def game(game_id: str) -> GameHandle:
    """The game with its default options."""
    return GameHandle(game_id, "")


@cache
def part_names(game_id: str) -> list[str]:
    """The names of the parts of a score, in the order of their numbers."""
    names: list[str] = json.loads(game(game_id).describe())["labels"]["parts"]
    return names


class Hand:
    """A hand of Mhing cards without a game around it, read from texts."""

    __slots__ = ("_cards",)

    def __init__(self, hand: str, melds: str, flowers: int) -> None:
        self._cards = ffi.new("struct mhing_cards *")
        message = new_message()
        texts, number = (hand.encode(), melds.encode()), int32(flowers, "flowers")
        check(lib.mhing_parse_hand(*texts, number, self._cards, message), message)

    def record(self) -> bytes:
        """The hand as one element of an array of :data:`HAND`."""
        return bytes(ffi.buffer(self._cards))

    def distance(self, seven_pairs: bool) -> int:
        """Cards to exchange before the hand is complete."""
        distance: int = lib.mhing_distance(self._cards, seven_pairs)
        check(distance)
        return distance

    def score(self, seven_pairs: bool) -> Any:
        """The core's `struct mhing_score`, or None when the hand is not complete."""
        score = ffi.new("struct mhing_score *")
        complete = lib.mhing_score_hand(self._cards, seven_pairs, score)
        if complete == lib.MH_ERROR_ARGUMENT:
            raise ValueError("hand: to be scored it needs 14 cards less three for each meld")
        return score if complete else None

    def picture(self, seven_pairs: bool) -> Any:
        """A struct mh_scene of the hand, which is complete."""
        scene = ffi.new("struct mh_scene *")
        check(lib.mhing_draw_hand(self._cards, seven_pairs, scene))
        return scene


def score_text(score: Any) -> str:
    """The concealed cards of a scored hand in their arrangement, separated by spaces."""
    return read_text(lambda buffer, size: lib.mhing_score_text(score, buffer, size))


HAND: np.dtype[np.void] = np.dtype(
    {
        "names": ["count", "melds", "meld_kind", "flowers"],
        "formats": ["(35,)u1", "u1", "(4,)u1", "u1"],
        "offsets": [
            ffi.offsetof("struct mhing_cards", name)
            for name in ("count", "melds", "meld_kind", "flowers")
        ],
        "itemsize": ffi.sizeof("struct mhing_cards"),
    }
)
"""A hand as the core reads it, for arrays of many."""


_FIRST_HANDS = 1000
"""The number of hands whose time tells how many C is to do at once."""


def _hands(hands: NDArray[np.void]) -> Any:
    return ffi.cast("struct mhing_cards *", ffi.from_buffer(hands))


def _check_hands(done: int, count: int) -> None:
    if done < count:
        raise ValueError(
            f"hands: row {done} is not a hand: 14 cards less three a meld (13 before the draw, for "
            "a distance only), at most 4 of a type and 6 Mhing cards"
        )


def distances(hands: NDArray[np.void], seven_pairs: bool) -> NDArray[np.int8]:
    """The distance of each hand."""
    result = np.empty(len(hands), np.int8)
    for begin, end in slices(len(hands), _FIRST_HANDS):
        target = ffi.from_buffer("int8_t[]", result[begin:end])
        done = lib.mhing_distances(_hands(hands[begin:end]), end - begin, seven_pairs, target)
        _check_hands(begin + done, end)
    return result


def score_hands(
    hands: NDArray[np.void], seven_pairs: bool
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Credits (-1: not complete) and points of each hand."""
    credits, points = np.empty(len(hands), np.int32), np.empty(len(hands), np.int32)
    for begin, end in slices(len(hands), _FIRST_HANDS):
        targets = [ffi.from_buffer("int32_t[]", array[begin:end]) for array in (credits, points)]
        done = lib.mhing_score_hands(_hands(hands[begin:end]), end - begin, seven_pairs, *targets)
        _check_hands(begin + done, end)
    return credits, points


def score_sequences(sequences: str) -> Any:
    """The core's `struct general_mhing_score` of sequences in a row."""
    score, message = ffi.new("struct general_mhing_score *"), new_message()
    check(lib.general_mhing_score_sequences(sequences.encode(), score, message), message)
    return score


def points(credits: int) -> int:
    """Points for a number of credits."""
    value: int = lib.mhing_points(max(0, min(credits, 1 << 30)))  # none below 0, no more from 41
    return value
