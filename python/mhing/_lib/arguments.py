"""Arguments that are checked before the core sees them."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Mapping
from typing import Any

INT = (1 << 31) - 1
"""The largest number that all parts of the package take where no other bound is set."""


def whole(value: Any, name: str) -> int:
    """`value` as an int; a bool, a float or anything else that is not a whole number: TypeError."""
    if type(value) is int:
        return value  # as nearly all are: the rest takes as long as a call into C
    if not isinstance(value, bool) and "bool" not in str(getattr(value, "dtype", "")):
        try:
            return operator.index(value)
        except TypeError:
            pass
    raise TypeError(f"{name}: {value!r} is a {type(value).__name__}, not a whole number")


def positive(value: Any, name: str) -> int:
    """`value` as an int that C can count to and that is at least 1."""
    number = whole(value, name)
    if not 1 <= number <= INT:
        raise ValueError(f"{name}: {number} is not from 1 to 2**31 - 1")
    return number


def int32(number: int, name: str) -> int:
    """`number`, which C is going to check, if C can hold it at all; ValueError if not."""
    if not -1 << 31 <= number < 1 << 31:
        raise ValueError(f"{name}: {number} is not from -2**31 to 2**31 - 1")
    return number


def refuse_settled(taker: str, given: Iterable[str], reasons: Mapping[str, str]) -> None:
    """Raise TypeError for an argument that `taker` does not have, with the reason."""
    for name in reasons.keys() & set(given):
        raise TypeError(f"{name}: no argument of {taker}: {reasons[name]}")


def one_of(name: str, value: Any, choices: list[str]) -> None:
    """Raise ValueError unless the argument is one of the texts that it can be."""
    if value not in choices:
        raise ValueError(f"{name}: {value!r} is none of {', '.join(choices)}")


def truth(name: str, value: Any) -> bool:
    """Raise TypeError unless the argument is True or False."""
    if not isinstance(value, bool):
        raise TypeError(f"{name}: {value!r} is neither True nor False")
    return value


def seed64(value: Any) -> int:
    """A seed for the core: `value` from 0 to 2**64 - 1, or fresh entropy for None.

    Negative numbers are those of :func:`signed_seed`.
    """
    if value is None:
        return int.from_bytes(os.urandom(8), "little")
    seed = whole(value, "seed")
    if not -1 << 63 <= seed < 1 << 64:
        raise ValueError(f"seed: {seed} is not from 0 to 2**64 - 1, nor from -2**63 as in infos")
    return seed & ((1 << 64) - 1)


def signed_seed(seed: int) -> int:
    """A seed as infos have it: its 64 bits as int64, so from 2**63 on less 2**64.

    Libraries stack infos to arrays and tensors. Few of them take uint64, and none takes numbers
    beyond 64 bits; this way each seed is kept, and :func:`seed64` takes it back.
    """
    return seed - (seed >> 63 << 64)


def deck_bytes(deck: Iterable[Any]) -> bytes:
    """Card types as the core reads them."""
    cards = [whole(card, "deck") for card in deck]
    for card in cards:
        if not 0 <= card < 256:
            raise ValueError(f"deck: {card} is not a card type")
    return bytes(cards)
