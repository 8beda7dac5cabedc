"""Names of games in the registries of other libraries."""

from __future__ import annotations

from mhing.game import Game


def environment_id(game: str) -> str:
    """Gymnasium's id of a game: ``"general_mhing"`` of rules version 0 is ``"GeneralMhing-v0"``."""
    return f"{game.title().replace('_', '')}-v{Game(game).rules_version}"


def pettingzoo_id(game: str) -> str:
    """PettingZoo's id of a game, its module in `mhing`: ``"mhing"`` is ``"mhing_v0"``."""
    return f"{game}_v{Game(game).rules_version}"
