"""Names of games in the registries of other libraries, and their options in commands."""

from __future__ import annotations

from mhing._lib.games import game_ids
from mhing.game import Game


def environment_id(game: str) -> str:
    """Gymnasium's id of a game: ``"general_mhing"`` of rules version 0 is ``"GeneralMhing-v0"``."""
    return f"{game.title().replace('_', '')}-v{Game(game).rules_version}"


def pettingzoo_id(game: str) -> str:
    """PettingZoo's id of a game, its module in `mhing`: ``"mhing"`` is ``"mhing_v0"``."""
    return f"{game}_v{Game(game).rules_version}"


def game_named(name: str) -> str | None:
    """The game of that name, or of that id in Gymnasium or PettingZoo; None: there is none.

    Case does not matter, and ids may begin with ``mhing:``, as ``gymnasium.make`` takes them.

    >>> game_named("mhing:GeneralMhing-v0")
    'general_mhing'
    """
    if name in game_ids():  # as nearly always; ids are made from tables, in milliseconds
        return name
    known = {
        each.lower(): game
        for game in game_ids()
        for each in (game, environment_id(game), pettingzoo_id(game))
    }
    return known.get(name.lower().removeprefix("mhing:"))


def changed(game: Game) -> list[str]:
    """The options that are not at their defaults, as commands take them: ``NAME=VALUE``."""
    return [
        f"{one['name']}={('off', 'on')[value] if isinstance(value, bool) else value}"
        for one in game.describe()["options"]
        if (value := one["value"]) != one["default"]
    ]
