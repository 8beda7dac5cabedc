"""Options for tests over all games, some of which have fewer of them than others."""

from __future__ import annotations

from typing import Any

import mhing


def known(game_id: str, **wanted: Any) -> dict[str, Any]:
    """Those of the options that the game has, and takes with these values."""
    options: dict[str, Any] = {}
    for name, value in wanted.items():
        try:
            mhing.Game(game_id, **options, **{name: value})
        except ValueError:
            continue
        options[name] = value
    return options


def has(game_id: str, option: str) -> bool:
    """Return whether the game has that option."""
    return option in mhing.Game(game_id).options
