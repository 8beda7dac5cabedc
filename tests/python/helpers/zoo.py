"""The modules of games for PettingZoo, for tests over all of them."""

from __future__ import annotations

from typing import Any

import pytest

import mhing

GAMES = mhing.games()

every_game = pytest.mark.parametrize("game", GAMES)


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
