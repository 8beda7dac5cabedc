"""Native vector environments, for the tests of them."""

from __future__ import annotations

from typing import Any

import gymnasium as gym

import mhing
from mhing.vector import CardGameVectorEnv

ID = "mhing:Mhing-v0"
MODES = ["next_step", "same_step", "disabled"]


def make(num_envs: int = 3, game: str = "mhing", **keywords: Any) -> CardGameVectorEnv:
    """The batch that ``gym.make_vec`` makes for the game; its infos have the seeds of episodes."""
    keywords = {"seed_info": True, **keywords}
    envs = gym.make_vec(f"mhing:{mhing.environment_id(game)}", num_envs=num_envs, **keywords)
    assert isinstance(envs, CardGameVectorEnv)
    return envs
