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

from mhing.render.lines import plural

YOU = "you"
"""The name of the reader."""

_LONGEST = 16  # characters of a name
_SEATS = re.compile(r"\b([Ss])eats? (\d+(?:(?:, | and )\d+)*)")
_VERB = re.compile(r"(?<!of )(?<!from )\b([Ss]eat (\d+)) ([a-z]*[a-rt-z])s\b")
_VERBS = {"ha": "have", "goe": "go"}


def called(players: Sequence[str]) -> tuple[str, ...]:
    """Names by seat, all different: a name that occurs twice gets the number of its seat."""
    short = [_cut(name) for name in players]
    return tuple(
        f"{name} {seat}" if short.count(name) > 1 else name for seat, name in enumerate(short)
    )


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


def _cut(name: str) -> str:
    shown = "".join(each if each.isprintable() else "?" for each in name)
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 3]}..."


def _done(said: re.Match[str], name: str) -> str:
    """A seat and its verb, which for "you" is that of the second person."""
    return f"{said[1]} {_VERBS.get(said[3], said[3])}" if name == YOU else said[0]


def _name(name: str, begins: bool) -> str:
    return "You" if name == YOU and begins else name
