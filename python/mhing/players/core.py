"""Bots of the core that have settings or a file: ``search:BUDGET``, ``net:FILE``."""

from __future__ import annotations

from mhing._lib.games import SEARCH
from mhing._lib.nets import NET_FILE
from mhing.game import Game


def search(settings: str, game: Game) -> int:
    """Return the number of a search with these settings; ValueError where they are none."""
    return game.bot_index(f"{SEARCH}{settings}")


def net(file: str, game: Game) -> int:
    """Return the number of a net; ValueError where it cannot be read or is another game's."""
    return game.bot_index(f"{NET_FILE}{file}")
