"""RLlib's default network for PPO, which plays legal actions only."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from ray.rllib.algorithms.ppo.torch.default_ppo_torch_rl_module import DefaultPPOTorchRLModule
from ray.rllib.core.columns import Columns
from ray.rllib.core.distribution.torch.torch_distribution import TorchCategorical
from torch import Tensor

Batch = dict[str, Any]


class MaskedModule(DefaultPPOTorchRLModule):
    """Layers by the `model_config`, over ``observation``; ``action_mask`` rules actions out.

    It takes the dict observations of this package's environments: ``gym.make(...,
    obs_mode="dict")``, the batch, and every agent of PettingZoo and of
    :class:`mhing.rllib.CardGameMultiAgentEnv`. An action that is not legal has the lowest number
    that there is as its logit, and so the probability 0.

    A network that is made on a machine without a GPU sets the threads of PyTorch to one: several
    wait for each other, and a step of a small network then takes six times as long. Call
    ``torch.set_num_threads`` after the algorithm has been built to have it otherwise.

    Raises:
        ValueError: the observations are others.
    """

    def __init__(self, *, observation_space: gym.Space[Any], **rest: Any) -> None:
        if not isinstance(observation_space, gym.spaces.Dict):
            raise ValueError(
                f"observation_space: {observation_space}; expected a Dict of observation and "
                "action_mask: make the environment with obs_mode='dict'"
            )
        observed = observation_space["observation"]
        numbers = gym.spaces.Box(-np.inf, np.inf, observed.shape, np.float32)
        super().__init__(observation_space=numbers, **rest)
        self.observation_space = observation_space
        if not torch.cuda.is_available():
            torch.set_num_threads(1)

    def setup(self) -> None:
        """Called by RLlib: makes the layers."""
        super().setup()
        self.action_dist_cls = LegalCategorical

    def _forward(self, batch: Batch, **kwargs: Any) -> Batch:
        return _masked(super()._forward(_numbers(batch), **kwargs), batch)

    def _forward_train(self, batch: Batch, **kwargs: Any) -> Batch:
        return _masked(super()._forward_train(_numbers(batch), **kwargs), batch)

    def compute_values(self, batch: Batch, embeddings: Tensor | None = None) -> Tensor:
        """Return the value of each position: (rows,)."""
        values: Tensor = super().compute_values(_numbers(batch), embeddings)
        return values


def _numbers(batch: Batch) -> Batch:
    """The batch as the layers want it."""
    return {**batch, Columns.OBS: batch[Columns.OBS]["observation"].float()}


def _masked(found: Batch, batch: Batch) -> Batch:
    logits: Tensor = found[Columns.ACTION_DIST_INPUTS]
    illegal = batch[Columns.OBS]["action_mask"] == 0
    # Not -inf: what PPO computes from two of them would be no number.
    lowest = torch.finfo(logits.dtype).min
    return {**found, Columns.ACTION_DIST_INPUTS: logits.masked_fill(illegal, lowest)}


class LegalCategorical(TorchCategorical):
    """RLlib's distribution over actions, several times as fast where most of them are not legal.

    Theirs computes ``logsumexp`` and ``exp`` of logits, which on a CPU take twenty times as long as
    ``softmax`` where the result is 0.
    """

    def __init__(self, logits: Tensor) -> None:
        self.logits = logits

    @cached_property
    def probs(self) -> Tensor:
        """The probabilities of all actions."""
        return self.logits.softmax(-1)

    @cached_property
    def logs(self) -> Tensor:
        """Their logarithms; not -inf where they are 0, but the lowest number that there is."""
        return self.logits.log_softmax(-1)

    @cached_property
    def _dist(self) -> torch.distributions.Categorical:
        return torch.distributions.Categorical(probs=self.probs, validate_args=False)

    def logp(self, value: Tensor, **_: Any) -> Tensor:
        """The log-probabilities of actions."""
        return self.logs.gather(-1, value[..., None].long())[..., 0]

    def entropy(self) -> Tensor:
        """The entropy in nats."""
        return -(self.probs * self.logs).sum(-1)

    def kl(self, other: LegalCategorical) -> Tensor:
        """Return the divergence of `other` from this one, in nats."""
        return (self.probs * (self.logs - other.logs)).sum(-1)
