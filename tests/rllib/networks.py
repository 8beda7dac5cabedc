"""Small networks of RLlib."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig

import mhing
from mhing import rllib

SMALL: dict[str, Any] = {"train_batch_size": 256, "minibatch_size": 64, "num_epochs": 1}


def small(config: PPOConfig, layers: tuple[int, ...] = (32,)) -> PPOConfig:
    """With a small network."""
    model = DefaultModelConfig(fcnet_hiddens=[*layers], vf_share_layers=False)
    return config.training(**SMALL).rl_module(model_config=model).debugging(seed=1)


def module(game: str = "general_mhing", **settings: Any) -> rllib.MaskedModule:
    env = gym.make(f"mhing:{mhing.environment_id(game)}", obs_mode="dict", **settings)
    return rllib.MaskedModule(
        observation_space=env.observation_space,
        action_space=env.action_space,
        model_config={"fcnet_hiddens": [32], "vf_share_layers": False},
        catalog_class=PPOConfig().get_default_rl_module_spec().catalog_class,
    )
