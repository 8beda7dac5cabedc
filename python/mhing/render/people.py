"""Players' names in sentences: the words of all games say "Seat 2", and people have names.

>>> names = called(["you", "greedy", "expert", "greedy"])
>>> names
('you', 'greedy 1', 'expert', 'greedy 3')
>>> with_names("Seat 3 discards 5s", names)
'greedy 3 discards 5s'
>>> with_names("Seat 0 discards 5s", names)
'You discard 5s'
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mhing._lib import clean_names
from mhing.render.lines import plural
from mhing.words import YOU

__all__ = ["YOU", "called", "taken_back", "with_names"]

_SEATS = re.compile(r"\b([Ss])eats? (\d+(?:(?:, | and )\d+)*)")
_VERB = re.compile(r"(?<!of )(?<!from )\b([Ss]eat (\d+)) ([a-z]*[a-rt-z])s\b")
_VERBS = {"ha": "have", "goe": "go"}


def called(players: Sequence[str]) -> tuple[str, ...]:
    """Names by seat as words show them, all different: see `mh_names` in csrc/include/mh_api.h."""
    return clean_names(players) if players else ()


def with_names(sentence: str, names: Sequence[str]) -> str:
    """The sentence with names in place of seats' numbers; "you" does what others do."""
    found = _VERB.sub(lambda said: _done(said, names[int(said[2])]), sentence)
    found = _SEATS.sub(
        lambda seats: re.sub(
            r"\d+", lambda number: _name(names[int(number[0])], seats[1] == "S"), seats[2]
        ),
        found,
    )
    return found.replace(" discard of you", " discard of yours")


def taken_back(counts: Sequence[int], names: Sequence[str]) -> list[str]:
    """Who took moves back and how often, a sentence for each, from the counts by seat.

    >>> taken_back([3, 0, 1], ["you", "ann", "bob"])
    ['You took moves back 3 times.', 'bob took moves back 1 time.']
    """
    return [
        with_names(f"Seat {seat} took moves back {plural(count, 'time')}.", names)
        for seat, count in enumerate(counts)
        if count
    ]


def _done(said: re.Match[str], name: str) -> str:
    """A seat and its verb, which for "you" is that of the second person."""
    return f"{said[1]} {_VERBS.get(said[3], said[3])}" if name == YOU else said[0]


def _name(name: str, begins: bool) -> str:
    return "You" if name == YOU and begins else name
