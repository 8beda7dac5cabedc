"""Columns of Mhing's score sheet: points, or chips where they decide (R8.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def left_out(options: Mapping[str, Any]) -> frozenset[str]:
    """The public numbers that do not decide a game with these options."""
    return frozenset({"scores"} if options["scoring"] == "chips" else {"chips", "payments"})
