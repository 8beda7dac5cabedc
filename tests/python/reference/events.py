"""The public events that a state remembers."""

from __future__ import annotations

from typing import Any

_FULL, _KEPT = 64, 32


def remember(events: list[dict[str, Any]], *new: dict[str, Any]) -> list[dict[str, Any]]:
    """The events after new ones: when there are 64, all but the newest 32 are forgotten first."""
    for event in new:
        events = [*(events if len(events) < _FULL else events[-_KEPT:]), event]
    return events
