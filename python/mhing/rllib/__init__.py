"""RLlib, the new API stack: a masked network, the native batch, and every seat as an agent.

>>> from mhing import rllib
>>> config = rllib.ppo_config("mhing", opponents="random", hints=True)
>>> algorithm = config.training(lr=1e-3).build_algo()

:func:`ppo_config` is PPO over the native batch, with the whole columns of
:class:`~mhing.rllib.runner.ColumnRunner` or with RLlib's own episodes. :func:`multi_agent_config`
is PPO in which every seat is an agent of :class:`~mhing.rllib.seats.CardGameMultiAgentEnv`. Both
have the network :class:`~mhing.rllib.module.MaskedModule`.

Modules, in the order in which to read them: :mod:`mhing.rllib.module`, :mod:`mhing.rllib.seats`,
:mod:`mhing.rllib.columns`, :mod:`mhing.rllib.runner`, :mod:`mhing.rllib.config`,
:mod:`mhing.rllib.player`.
"""

from __future__ import annotations

from mhing._support.extras import install

try:
    import ray.rllib  # noqa: F401  to be found missing here
    import torch  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(f"{error.name} is missing: {install('rllib')}") from error

from mhing.rllib.columns import ColumnLearner, Columns
from mhing.rllib.config import multi_agent_config, ppo_config
from mhing.rllib.module import MaskedModule
from mhing.rllib.player import ModulePolicy
from mhing.rllib.runner import ColumnRunner
from mhing.rllib.seats import CardGameMultiAgentEnv

__all__ = [
    "CardGameMultiAgentEnv",
    "ColumnLearner",
    "ColumnRunner",
    "Columns",
    "MaskedModule",
    "ModulePolicy",
    "multi_agent_config",
    "ppo_config",
]
