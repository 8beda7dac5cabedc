"""The runner that plays all rows of the native batch at once."""

from __future__ import annotations

from collections import deque
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.core.columns import Columns as Names
from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner
from ray.rllib.utils import force_list
from torch import Tensor

from mhing.env import Info
from mhing.rllib.columns import Columns
from mhing.vector import CardGameVectorEnv

Observed: TypeAlias = tuple[NDArray[np.uint8], NDArray[np.int8], NDArray[np.int64]]
"""Observations, masks, and the seats that decide, of all rows."""


_OF_EPISODES = ("on_episode_created", "on_episode_start", "on_episode_step", "on_episode_end")
"""RLlib's callbacks that are given an episode."""


class ColumnRunner(SingleAgentEnvRunner):
    """Plays the rows of the native batch, and hands over what was played as :class:`Columns`.

    It asks the network once for all rows, draws the actions in the core, and makes no episodes. So
    connectors between environment and network, and callbacks for single episodes and steps, are not
    called, and a configuration that has any is refused; ``on_environment_created`` and
    ``on_sample_end`` are called. With ``"self"`` among the
    opponents the network plays several seats, and learns from all of them.

    Row i of runner k begins with the episodes of seed s + k * rows + i, if the algorithm's
    configuration has a seed s.

    Raises:
        ValueError: the configuration asks for several learners, among which RLlib would share out
            episodes, or for connectors or callbacks that would never be called.
    """

    _needs_initial_reset: bool  # of the base
    _observed: Observed  # by all rows, now
    _lengths: NDArray[np.int64]  # of the episodes in all rows, so far
    _returns: NDArray[np.float32]  # the same, what they have brought all seats of the network

    def __init__(self, *, config: Any, **rest: Any) -> None:
        if config.num_learners > 1:
            raise ValueError(
                f"num_learners: {config.num_learners}; expected 0 or 1, since columns cannot be "
                "shared out among several: ppo_config(..., columns=False) can"
            )
        if unused := _never_called(config):
            raise ValueError(
                f"{unused}: never called where columns are played instead of episodes: "
                "ppo_config(..., columns=False) has episodes"
            )
        super().__init__(config=config, **rest)
        # Of episodes that have ended: how long they were, and what they brought.
        self._ended: deque[tuple[int, float]] = deque(
            maxlen=config.metrics_num_episodes_for_smoothing
        )

    # ---- RLlib --------------------------------------------------------------------------------

    def _sample(
        self,
        *,
        num_timesteps: int | None = None,
        num_episodes: int | None = None,
        explore: bool,
        random_actions: bool = False,
        force_reset: bool = False,
    ) -> list[Columns]:
        """Called by ``sample``: plays so many steps, or until so many episodes have ended."""
        if force_reset or num_episodes is not None or self._needs_initial_reset:
            self._begin()
        self._needs_initial_reset = num_episodes is not None
        lines: list[tuple[NDArray[Any], ...]] = []
        episodes = 0
        while (
            len(lines) * self.num_envs < num_timesteps
            if num_timesteps is not None
            else episodes < (num_episodes or 0)
        ):
            observed, logits = self._observed, self._logits()
            actions = self._choose(logits, explore, random_actions)
            earned, ends, last = self._step(actions)
            lines.append((*observed, actions, logits.numpy(), earned, ends, last))
            episodes += int(ends.sum())
        played = Columns.join(lines, self._observed)
        self._log_env_steps(metric=self._metrics_num_env_steps_sampled, num_steps=len(played))
        self._increase_sampled_metrics(len(played), episodes)
        return [played]

    def get_metrics(self) -> Any:
        """Return RLlib's report: means over the last episodes that have ended."""
        for length, earned in self._ended:
            self._log_episode_metrics(length, earned, 0.0)
        self._ended.clear()
        return self.metrics.reduce()

    # ---- Inside -------------------------------------------------------------------------------

    @property
    def _envs(self) -> CardGameVectorEnv:
        assert self.env is not None, "RLlib samples where there is an environment"
        envs = self.env.unwrapped
        assert isinstance(envs, CardGameVectorEnv)
        return envs

    def _begin(self) -> None:
        """Start an episode in every row."""
        seed = None
        if self._needs_initial_reset and self._seed is not None:
            seed = self._seed + (self.worker_index or 0) * (self.num_envs - 1)
        self._observed = _observed(*self._envs.reset(seed=seed))
        self._lengths = np.zeros(self.num_envs, np.int64)
        self._returns = np.zeros(self.num_envs, np.float32)

    @torch.no_grad()
    def _logits(self) -> Tensor:
        """Return the network's outputs for all actions in all rows."""
        observations, masks = (torch.from_numpy(a).to(self._device) for a in self._observed[:2])
        observed = {"observation": observations, "action_mask": masks}
        found = self.module.forward_inference({Names.OBS: observed})
        logits: Tensor = found[Names.ACTION_DIST_INPUTS].cpu()
        return logits

    def _choose(self, logits: Tensor, explore: bool, random_actions: bool) -> NDArray[np.int64]:
        """An action for each row."""
        if not explore and not random_actions:
            return logits.argmax(1).numpy()
        drawn = self._envs.sample_actions(logits=None if random_actions else logits.numpy())
        return drawn.astype(np.int64)

    def _step(
        self, actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_], NDArray[np.float32]]:
        """Plays.

        Returns:
            What :class:`Columns` calls `earned`, `ends` and `last`.
        """
        seats = self._observed[2]
        observations, earned, ends, _, infos = self._envs.step(actions)
        if "seat_rewards" in infos:
            last = infos["seat_rewards"]
        else:  # one seat is the network's, or no episode has ended
            last = np.zeros((self.num_envs, self._envs.game.num_seats), np.float32)
            last[np.arange(self.num_envs), seats] = earned
        self._observed = _observed(observations, infos)
        self._lengths += 1
        self._returns += np.where(ends, last.sum(1), earned)
        self._ended.extend(
            zip(self._lengths[ends].tolist(), self._returns[ends].tolist(), strict=True)
        )
        self._lengths[ends], self._returns[ends] = 0, 0.0
        return earned, ends, last


def _observed(observations: Any, infos: Info) -> Observed:
    """Return the observations, masks and seats of an environment's results."""
    return observations["observation"], observations["action_mask"], infos["seat"]


def _never_called(config: Any) -> str:
    """Return the first connector or callback of a configuration that takes episodes, or ""."""
    for name in ("env_to_module_connector", "module_to_env_connector"):
        if getattr(config, f"_{name}") is not None:
            return name
    for name in _OF_EPISODES:
        own = [getattr(one, name, None) for one in force_list(config.callbacks_class)]
        if getattr(config, f"callbacks_{name}") or {*own} - {getattr(RLlibCallback, name)}:
            return name
    return ""
