"""A game's guide for newcomers as the options of one table have it.

In a GUIDE.md ``{target}`` stands for the value of that option; the noun behind it loses its plural
after 1. Words between ``<!-- if target=500 episode!=round -->`` and ``<!-- end -->`` stay where all
of these conditions hold. A line that has nothing else goes with them.

>>> guide = "After {rounds} rounds<!-- if scoring=chips --> chips<!-- end --> win."
>>> adapted(guide, {"rounds": 1, "scoring": "chips"})
'After 1 round chips win.'
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_PART = re.compile(r"<!-- if ([^>]+) -->(.*?)<!-- end -->", re.DOTALL)
_CONDITION = re.compile(r"(\w+)(!?=)(\S+)")
_VALUE = re.compile(r"\{(\w+)\}( [a-z]+s\b)?")
_GONE = "\0"


def adapted(guide: str, options: Mapping[str, object]) -> str:
    """The guide with these options.

    Raises:
        KeyError: it names an option that is not among them.
    """
    words = {name: _word(value) for name, value in options.items()}

    def holds(conditions: str) -> bool:
        found = _CONDITION.findall(conditions)
        return all((words[name] == value) == (sign == "=") for name, sign, value in found)

    kept = _PART.sub(lambda part: part[2] if holds(part[1]) else _GONE, guide)
    kept = re.sub(rf"^{_GONE}+\n", "", kept, flags=re.MULTILINE).replace(_GONE, "")
    return _VALUE.sub(lambda found: _counted(words[found[1]], found[2] or ""), kept)


def _counted(value: str, noun: str) -> str:
    return value + (noun.removesuffix("s") if value == "1" else noun)


def _word(value: object) -> str:
    """The value of an option as it is written."""
    return ("off", "on")[value] if isinstance(value, bool) else str(value)
