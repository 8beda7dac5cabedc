"""Spaces of a batch: Gymnasium's, with bounds that all rows share."""

from __future__ import annotations

import pickle
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import utils

import mhing
from mhing import spaces


def boxes(space: gym.Space[Any]) -> list[gym.spaces.Box]:
    parts = space.values() if isinstance(space, gym.spaces.Dict) else [space]
    return [part for part in parts if isinstance(part, gym.spaces.Box)]


@pytest.mark.parametrize("rows", [1, 3, 400])
@pytest.mark.parametrize("as_dict", [False, True])
def test_equals_gymnasiums(rows: int, as_dict: bool) -> None:
    single = spaces.observation_space(mhing.Game("mexican_rummy"), as_dict)
    single.seed(1)
    ours, theirs = spaces.batch_space(single, rows), utils.batch_space(single, rows)
    assert ours == theirs
    assert pickle.loads(pickle.dumps(ours)) == theirs
    assert repr(ours) == repr(theirs)
    assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
    for _ in range(2):  # by copies of the generator
        np.testing.assert_equal(ours.sample(), theirs.sample())
    for one, other in zip(boxes(ours), boxes(theirs), strict=True):
        assert (one.bounded_below == other.bounded_below).all()
        assert (one.bounded_above == other.bounded_above).all()


def test_rows_share_their_bounds() -> None:
    """So many rows would need 43 GB each for their lower and their upper bounds."""
    single = spaces.observation_space(mhing.Game(), as_dict=False)
    (made,) = boxes(spaces.batch_space(single, 1 << 26))
    assert made.shape == (1 << 26, mhing.Game().observation_size)
    assert not made.contains(np.zeros(made.shape[1:], np.uint8))
    for bound in (made.low, made.high, made.bounded_below, made.bounded_above):
        assert bound.strides[0] == 0
