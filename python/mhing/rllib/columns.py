"""Decisions of all rows at once, from which PPO learns without episodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from ray.rllib.algorithms.ppo.torch.ppo_torch_learner import PPOTorchLearner
from ray.rllib.connectors.connector_v2 import ConnectorV2
from ray.rllib.core import DEFAULT_MODULE_ID
from ray.rllib.core.columns import Columns as Names
from ray.rllib.evaluation.postprocessing import Postprocessing
from torch import Tensor

from mhing.train.gae import gae


@dataclass(frozen=True, eq=False)
class Columns:
    """The decisions of one runner in its rows, step by step.

    It takes the place of the list of episodes that RLlib hands from runners to the learner.
    """

    observations: NDArray[np.uint8]  # (time + 1, rows, observation_size)
    masks: NDArray[np.int8]  # (time + 1, rows, num_actions)
    seats: NDArray[np.int64]  # (time + 1, rows) who decides
    actions: NDArray[np.int64]  # (time, rows)
    logits: NDArray[np.float32]  # (time, rows, num_actions) by which they were drawn
    earned: NDArray[np.float32]  # (time, rows) as mhing.train.gae.gae wants it, and so the next two
    ends: NDArray[np.bool_]  # (time, rows)
    last: NDArray[np.float32]  # (time, rows, seats)

    @staticmethod
    def join(lines: Sequence[tuple[NDArray[Any], ...]], now: tuple[NDArray[Any], ...]) -> Columns:
        """One line of each column for each step, and what is seen after the last one."""
        columns = [*zip(*lines, strict=True)]
        observed = [(*column, line) for column, line in zip(columns, now, strict=False)]
        return Columns(*map(np.stack, (*observed, *columns[len(now) :])))

    def __len__(self) -> int:
        return self.actions.size

    def env_steps(self) -> int:
        """The number of decisions, by RLlib's name."""
        return len(self)

    agent_steps = env_steps


class ColumnLearner(PPOTorchLearner):
    """PPO's learner, over columns."""

    def build(self) -> None:
        """Called by RLlib: what makes a batch of columns comes last."""
        super().build()
        self._learner_connector.append(ToBatch(self.config.gamma, self.config.lambda_))


class ToBatch(ConnectorV2):
    """Makes the batch that PPO learns from: decisions of which it is known what came of them."""

    def __init__(self, gamma: float, gae_lambda: float) -> None:
        super().__init__()
        self.gamma, self.gae_lambda = gamma, gae_lambda

    def __call__(
        self, *, rl_module: Any, batch: dict[str, Any], episodes: list[Columns], **_: Any
    ) -> dict[str, Any]:
        """Called by RLlib; `episodes` are the columns of all runners."""
        module = rl_module[DEFAULT_MODULE_ID].unwrapped()
        parts = [self._judged(module, columns) for columns in episodes]
        names = parts[0].keys()
        found = {name: torch.cat([part[name] for part in parts]) for name in names}
        advantages = found[Postprocessing.ADVANTAGES]
        deviation, mean = torch.std_mean(advantages)
        found[Postprocessing.ADVANTAGES] = (advantages - mean) / deviation.clamp(min=1e-4)
        observed = {name: found.pop(name) for name in ("observation", "action_mask")}
        return {DEFAULT_MODULE_ID: {Names.OBS: observed, **found}}

    @torch.no_grad()
    def _judged(self, module: Any, columns: Columns) -> dict[str, Tensor]:
        """One runner's decisions with their advantages, as (decisions, ...)."""
        device = next(module.parameters()).device

        def put(array: NDArray[Any]) -> Tensor:
            return torch.from_numpy(array).to(device)

        observations, logits = put(columns.observations), put(columns.logits)
        actions, ends = put(columns.actions), put(columns.ends)
        values = module.compute_values({Names.OBS: {"observation": observations.flatten(0, 1)}})
        values = values.view(observations.shape[:2])
        seats, earned, last = put(columns.seats), put(columns.earned), put(columns.last)
        advantages, known = gae(seats, values, earned, ends, last, self.gae_lambda, self.gamma)
        logs = logits.log_softmax(2).gather(2, actions[..., None])[..., 0]
        found = {
            "observation": observations[:-1],
            "action_mask": put(columns.masks[:-1]),
            Names.ACTIONS: actions,
            Names.ACTION_DIST_INPUTS: logits,
            Names.ACTION_LOGP: logs,
            Postprocessing.ADVANTAGES: advantages,
            Postprocessing.VALUE_TARGETS: advantages + values[:-1],
        }
        return {name: tensor[known] for name, tensor in found.items()}
