"""Mhing: imperfect-information card games as fast reinforcement-learning environments.

>>> import gymnasium as gym, mhing
>>> env = gym.make("Mhing-v0")             # or "mhing:Mhing-v0", without the import
>>> envs = gym.make_vec("Mhing-v0", num_envs=1024)
>>> state = mhing.Game("mhing").new_state(seed=1)
>>> mhing.score_hand("567s567s678s789s99s").credits
17

Modules: :mod:`mhing.game` (games and states), :mod:`mhing.env` and :mod:`mhing.vector`
(Gymnasium), :mod:`mhing.scoring`, :mod:`mhing.bots` (opponents), :mod:`mhing.render` (text, SVG,
pictures).
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING

import gymnasium

from mhing._lib import game_ids as games
from mhing.game import Game, State
from mhing.scoring import (
    Score,
    distance,
    distances,
    hands_array,
    points,
    score_hand,
    score_hands,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "Game",
    "Score",
    "State",
    "distance",
    "distances",
    "environment_id",
    "games",
    "hands_array",
    "points",
    "score_hand",
    "score_hands",
    "unpack",
]
__version__ = version("mhing")


def environment_id(game: str) -> str:
    """Gymnasium's id of a game: ``"general_mhing"`` of rules version 0 is ``"GeneralMhing-v0"``."""
    rules_version: int = Game(game).describe()["rules_version"]
    return f"{game.title().replace('_', '')}-v{rules_version}"


for _game in games():
    gymnasium.register(
        environment_id(_game),
        entry_point="mhing.env:CardGameEnv",
        vector_entry_point="mhing.vector:CardGameVectorEnv",
        kwargs={"game": _game},
    )


def unpack(
    observation: NDArray[np.uint8], game: Game | None = None
) -> dict[str, NDArray[np.uint8]]:
    """The named parts of observations (..., observation_size) of `game`, as views.

    `game` is the default one, ``Game()``, where None; an environment's is ``env.unwrapped.game``.
    See :meth:`Game.unpack`.
    """
    if game is not None:
        return game.unpack(observation)
    try:
        return _default_game().unpack(observation)
    except ValueError as error:
        raise ValueError(
            f"{error}; for another game or other options: unpack(observation, env.unwrapped.game)"
        ) from None


@cache
def _default_game() -> Game:
    return Game()
