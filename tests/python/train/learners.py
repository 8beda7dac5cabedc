"""Learners of tiny runs, with the options that each game is learned with."""

from __future__ import annotations

from typing import Any

import torch

import mhing
from mhing.train import ppo
from mhing.train.learner import FEATURES, OBSERVATION, Settings
from mhing.train.observation_net import ObservationInputs
from mhing.train.rows import Inputs

GAMES = {
    "mhing": {"hints": True},
    "general_mhing": {"hints": True, "reward": "win"},
    "mexican_rummy": {"hints": True, "num_players": 3},
    "leduc": {},
}
WITH_FEATURES = [name for name in GAMES if mhing.Game(name).features]
TINY = {"rows": 16, "horizon": 8, "minibatch": 64, "hidden": 32}


def settings(game: str = "leduc", **given: Any) -> Settings:
    """Those of a tiny run."""
    tuning = TINY | given.pop("tuning", {})
    options = {} if given.get("sees") == FEATURES else GAMES[game]
    given = {"sees": OBSERVATION, "steps": 1000, "deals": 20} | given
    return Settings(game, options, tuning=tuning, **given)


def learner(**given: Any) -> ppo.Ppo:
    made = settings(**given).make_learner()
    assert isinstance(made, ppo.Ppo)
    return made


def as_seen(inputs: Inputs) -> tuple[torch.Tensor, ...]:
    """All that the network is given, with its features in the order of rows."""
    if isinstance(inputs, ObservationInputs):
        return tuple(inputs)
    counts, actions, values, places, features = inputs
    return counts, actions, values, features[places]
