"""Gymnasium spaces from a game's own table."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any, cast

import numpy as np
from gymnasium import spaces
from gymnasium.vector import utils

from mhing.game import Field, Game


def _box(fields: Sequence[Field], size: int) -> spaces.Box:
    high = np.zeros(size, np.uint8)
    for field in fields:
        at = np.full((), field.offset)
        for length, stride in zip(field.shape, field.strides, strict=True):
            at = at[..., None] + stride * np.arange(length)
        high[at] = field.high
    return spaces.Box(np.zeros(size, np.uint8), high, dtype=np.uint8)


def action_space(game: Game, waiting: int = 0) -> spaces.Discrete:
    """One flat ``Discrete``: the game's own actions, and then `waiting` more."""
    return spaces.Discrete(game.num_actions + waiting)


def flat_observation_space(game: Game) -> spaces.Box:
    """The observation as one uint8 vector, each number bounded by its field."""
    return _box(game.observation_fields, game.observation_size)


def observation_space(game: Game, as_dict: bool, waiting: int = 0) -> spaces.Space[Any]:
    """The flat one, or a dict: ``"observation"`` is that, ``"action_mask"`` int8 of 0 and 1."""
    flat = flat_observation_space(game)
    if not as_dict:
        return flat
    mask = spaces.Box(0, 1, (game.num_actions + waiting,), np.int8)
    return spaces.Dict({"observation": flat, "action_mask": mask})


def omniscient_space(game: Game) -> spaces.Box:
    """The omniscient observation as one uint8 vector, bounded like the flat one."""
    return _box(game.omniscient_fields, game.omniscient_size)


def batch_space(single: spaces.Space[Any], rows: int) -> spaces.Space[Any]:
    """Return what Gymnasium's ``batch_space`` does, with bounds that all rows share.

    Gymnasium copies and checks the bounds for each row: a second and 170 MB for 65,536 of Mhing.
    """
    if isinstance(single, spaces.Dict):
        parts = {name: batch_space(part, rows) for name, part in single.items()}
        return spaces.Dict(parts, seed=deepcopy(single.np_random))
    if not isinstance(single, spaces.Box):
        return utils.batch_space(single, rows)
    made = cast(spaces.Box, utils.batch_space(single, 1))
    made._shape = (rows, *single.shape)
    for name in ("low", "high", "bounded_below", "bounded_above"):
        bound = getattr(made, name)[0]
        strides = (0, *bound.strides)  # and writable, as PyTorch wants arrays
        setattr(made, name, np.lib.stride_tricks.as_strided(bound, made.shape, strides))
    made.low_repr, made.high_repr = (
        str(bound.flat[0] if (bound[0] == bound.flat[0]).all() else bound)
        for bound in (made.low, made.high)
    )
    return made
