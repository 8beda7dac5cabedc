"""The Gymnasium environment of Mhing, played by policies of a line."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np

from mhing.env import CardGameEnv

ID = "mhing:Mhing-v0"


def make(**keywords: Any) -> CardGameEnv:
    """The bare environment: what gym.make wraps."""
    env = gym.make(ID, **keywords).unwrapped
    assert isinstance(env, CardGameEnv)
    return env


def random_action(info: dict[str, Any], rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(info["action_mask"])))


def play(env: Any, seed: int | None = None, options: Any = None, rng_seed: int = 0) -> list[Any]:
    """One episode of random legal actions: [(observation, reward, info), ...]."""
    rng = np.random.default_rng(rng_seed)
    observation, info = env.reset(seed=seed, options=options)
    steps, terminated = [(observation, 0.0, info)], False
    while not terminated:
        observation, reward, terminated, truncated, info = env.step(random_action(info, rng))
        assert not truncated
        steps.append((observation, reward, info))
    return steps


def same(a: list[Any], b: list[Any]) -> bool:
    """Return whether two episodes are equal in all that was returned."""
    return len(a) == len(b) and all(
        np.array_equal(x[0], y[0]) and x[1] == y[1] and repr(x[2]) == repr(y[2])
        for x, y in zip(a, b, strict=True)
    )


def first_legal(observation: Any, mask: Any, info: dict[str, Any]) -> int:
    return int(np.flatnonzero(mask)[0])


def declarer(observation: Any, mask: Any, info: dict[str, Any]) -> int:
    """Declares when it can, and else plays the first legal action."""
    return int(np.flatnonzero(mask)[-1 if mask[-1] else 0])
