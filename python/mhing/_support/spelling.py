"""Names that were meant by what somebody has typed."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_ALIKE = 0.7  # from 0 to 1, of a name that may have been meant


def did_you_mean(typed: str, names: Iterable[str], rest: str = "") -> str:
    """The end of a message about an unknown name, with the name that was meant; or nothing.

    Args:
        typed: the name.
        names: those that there are.
        rest: follows the name that was meant.

    >>> did_you_mean("Greedy", ["random", "greedy"])
    '; did you mean greedy?'
    """
    known = {name.lower(): name for name in names}
    alike = difflib.get_close_matches(typed.lower(), known, 1, _ALIKE)
    return f"; did you mean {known[alike[0]]}{rest}?" if alike else ""
