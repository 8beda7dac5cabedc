"""Gymnasium's wrappers, as the page python/docs/pages/libraries/gymnasium.md has them."""

from __future__ import annotations

import re

import gymnasium as gym
import numpy as np
import pages
import pytest
from gymnasium import wrappers
from gymnasium.vector import AutoresetMode

PAGE = (pages.WRITTEN / "libraries/gymnasium.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `(\w+)` \| (\w+) \| (\w+) \| (\w+) \|$", PAGE, re.MULTILINE)
MODES = ("next_step", "same_step", "disabled")
ARGUMENTS = {"DtypeObservation": (np.float32,), "ClipReward": (-1, 1)}


def make(mode: str) -> gym.vector.VectorEnv:
    return gym.make_vec("mhing:Leduc-v0", num_envs=2, opponents="random", autoreset_mode=mode)


def wrap(name: str, mode: str) -> gym.vector.VectorWrapper:
    return getattr(wrappers.vector, name)(make(mode), *ARGUMENTS.get(name, ()))


def play(wrapped: gym.vector.VectorWrapper) -> int:
    """Thirty steps; how many episodes have ended."""
    wrapped.reset(seed=1)
    batch, ended = wrapped.unwrapped, 0
    for _ in range(30):
        _, _, over, _, _ = wrapped.step(batch.sample_actions())
        ended += over.sum()
        if batch.autoreset_mode is AutoresetMode.DISABLED and over.any():
            wrapped.reset(options={"reset_mask": over})
    return int(ended)


def test_the_page_has_a_table() -> None:
    assert len(ROWS) == 7


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_vector_wrappers(row: tuple[str, ...]) -> None:
    name, *answers = row
    for mode, answer in zip(MODES, answers, strict=True):
        if answer == "works":
            assert play(wrap(name, mode)) > 0
        else:
            with pytest.raises((ValueError, AssertionError)):  # in Gymnasium 1.2 the latter
                wrap(name, mode)


def test_rescaled_observations() -> None:
    """As they are, they stay uint8 and become 0; as floats they fill 0 to 1."""
    env = gym.make("mhing:Mhing-v0", opponents="random")
    zeros, _ = wrappers.RescaleObservation(env, np.float32(0), np.float32(1)).reset(seed=1)
    assert not zeros.any()
    floats = wrappers.DtypeObservation(env, np.float32)
    scaled, _ = wrappers.RescaleObservation(floats, np.float32(0), np.float32(1)).reset(seed=1)
    assert 0 < scaled.max() <= 1
    assert len(set(scaled.tolist())) > 2


def test_no_episode_of_the_batch_is_cut_short() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'max_episode_steps'"):
        gym.make_vec("mhing:Mhing-v0", num_envs=2, max_episode_steps=10)
