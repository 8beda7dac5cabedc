"""A table in sentences, for people and language models: who asks for which words.

The words themselves are the core's. :meth:`mhing.State.words` and :meth:`mhing.render.View.words`
say a table, :meth:`mhing.Game.words` many observations at once, and :meth:`mhing.Game.event_words`
an event.

>>> from mhing import Game
>>> print(Game("mexican_rummy").new_state(seed=1).words(2, "status"), end="")
Seat 1 is on turn, before the draw. You may ask for 8c.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, get_args

from mhing._lib.arguments import int32, whole
from mhing._lib.games import EVENT_TAIL, PART_NUMBERS, clean_names

Part: TypeAlias = Literal[
    "all", "heading", "limits", "seat", "piles", "events", "result", "status", "moves", "move"
]
"""Parts of what is said. ``"all"`` are those behind it up to ``"moves"``, each of whole lines;
``"move"`` is an action, legal or not: its text, with the meld onto which a card is laid."""

PARTS: tuple[Part, ...] = get_args(Part)

YOU = "you"
"""The name of the reader: "You discard 5s"."""

_NUMBERED = {"seat": "seat", "move": "action"}


def called(players: Sequence[str]) -> tuple[str, ...]:
    """Names by seat as words show them, all different: see `mh_names` in csrc/include/mh_api.h.

    >>> called(["you", "greedy", "expert", "greedy"])
    ('you', 'greedy 1', 'expert', 'greedy 3')
    """
    return clean_names(players) if players else ()


def plural(number: float, noun: str) -> str:
    """A number with its noun: "1 credit", "2,048 points"."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def taken_back(counts: Sequence[int], names: Sequence[str]) -> list[str]:
    """Return who took moves back and how often, a sentence for each, from the counts by seat.

    >>> taken_back([3, 0, 1], ["you", "ann", "bob"])
    ['You took moves back 3 times.', 'bob took moves back 1 time.']
    """
    return [
        f"{'You' if name == YOU else name} took moves back {plural(count, 'time')}."
        for name, count in zip(names, counts, strict=False)
        if count
    ]


def part_numbers(part: str, number: int | None) -> tuple[int, int]:
    """A part and what it needs beside its name, as the core takes them.

    Raises:
        ValueError: there is no such part, or it needs a number, or has none.
        TypeError: the number is not a whole one.
    """
    if part not in PARTS:
        raise ValueError(f"part: {part!r} is none of {', '.join(PARTS)}")
    if number is None:
        if part in ("seat", "move"):
            raise ValueError(f"number: the part {part!r} needs one, that of the {_NUMBERED[part]}")
        return PART_NUMBERS[part], EVENT_TAIL if part == "events" else 0
    if part not in (*_NUMBERED, "events"):
        raise ValueError(f"number: the part {part!r} has none")
    return PART_NUMBERS[part], int32(whole(number, "number"), "number")


def seat_of(view: int | None, num_seats: int) -> int:
    """A viewer as the core counts it: a seat, or -1 for None.

    Raises:
        ValueError: there is no such seat.
    """
    if view is None:
        return -1
    if not 0 <= whole(view, "view") < num_seats:
        raise ValueError(f"view must be None or a seat from 0 to {num_seats - 1}, got {view!r}")
    return view


def checked_names(names: Any, num_seats: int) -> list[str] | None:
    """Names of players, one for each seat, or None.

    Raises:
        ValueError: there are more or fewer.
        TypeError: they are no texts.
    """
    if names is None:
        return None
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise TypeError(f"names: {names!r} are not texts, one for each seat")
    if len(names) != num_seats:
        raise ValueError(f"names: {len(names)} for {num_seats} seats")
    return list(names)
