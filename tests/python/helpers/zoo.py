"""The modules of games for PettingZoo, for tests over all of them."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from options import known

import mhing

GAMES = mhing.games()
CASES = [
    (game, options)
    for game in GAMES
    for options in ({}, known(game, episode="game", num_players=3, hints=True))
]

every_game = pytest.mark.parametrize("game", GAMES)
every_case = pytest.mark.parametrize(("game", "options"), CASES, ids=str)


def module(game: str) -> Any:
    return getattr(mhing, mhing.pettingzoo_id(game))


def makers(game: str) -> tuple[Any, Any]:
    return module(game).raw_env, module(game).parallel_env


def step(env: Any, action: int) -> Any:
    """The seat to act plays, in either kind of environment."""
    if not hasattr(env, "wait"):
        return env.step(action)
    mover = env.agents[env.game_state.seat] if env.agents else ""
    return env.step({agent: action if agent == mover else env.wait for agent in env.agents})


def random_legal(state: mhing.State, rng: Random) -> int:
    return rng.choice(state.legal_actions().tolist())


def some_illegal(state: mhing.State) -> int:
    return int(np.flatnonzero(state.action_mask() == 0)[0])


def assert_results(info: dict[str, Any], state: mhing.State) -> None:
    """The public numbers are those of the state."""
    for name, number in state.info().items():
        assert np.array_equal(info[name], number)
