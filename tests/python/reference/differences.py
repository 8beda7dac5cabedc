"""Differences between a table that the rules lead to and the engine's, in words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def difference(name: str, ours: object, theirs: object) -> str:
    """One thing in both tables."""
    return f"{name}: {ours} by the rules, {theirs} played"


def differences(ours: dict[str, Any], theirs: dict[str, Any], but: Iterable[str] = ()) -> list[str]:
    """Differences of the engine's table from the referee's, `but` for some of it."""
    return [
        difference(name, ours.get(name), theirs.get(name))
        for name in sorted((ours.keys() | theirs.keys()) - set(but))
        if ours.get(name) != theirs.get(name)
    ]
