"""The environments for PettingZoo next to one that does nothing, and to PettingZoo's own Leduc.

    taskset -c 0 .venv/bin/python benchmarks/bench_pettingzoo.py [seconds a measurement, default 2]

A step is `last()`, the choice of the first legal action, and `step()`; over parallel_env the choice
for each agent, and `step()`. Rates are steps per second of CPU time, resets and the steps of agents
that are over included, which do not count; medians of interleaved rounds of the same run. The
environment that does nothing copies arrays of Mhing's sizes. Leduc is measured where
`pettingzoo[classic]` is installed.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

import gymnasium as gym
import report
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers
from report import Table, figure

import mhing
from mhing.cli.bench import rate
from mhing.cli.peers import play_in_turn

ROUNDS = 5
LENGTH = 120
"""Steps in an episode of nothing, as in one of Mhing at random."""


class NothingEnv(AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """Agents take turns, and nothing happens: what every AEC environment has to do, and no more."""

    def __init__(self, like: Any) -> None:
        self.metadata = {"name": "nothing_v0", "is_parallelizable": False, "render_modes": []}
        self.possible_agents = like.possible_agents
        self._observations, self._actions = like.observation_space, like.action_space
        self._seen: Any = self._observations("player_0").sample()
        self._seen["action_mask"][:] = 1

    def observation_space(self, agent: str) -> gym.Space[Any]:
        """Mhing's."""
        return self._observations(agent)  # type: ignore[no-any-return]

    def action_space(self, agent: str) -> gym.Space[Any]:
        """Mhing's."""
        return self._actions(agent)  # type: ignore[no-any-return]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts an episode."""
        self.agents = self.possible_agents.copy()
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, Any] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._steps = 0

    def observe(self, agent: str) -> Any:
        """Copies, always the same."""
        return {name: array.copy() for name, array in self._seen.items()}

    def step(self, action: int | None) -> None:
        """The next agent's turn, or the end."""
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._steps += 1
        self._cumulative_rewards[self.agent_selection] = 0.0
        if self._steps == LENGTH:
            self.terminations = dict.fromkeys(self.agents, True)
        over = self._steps == LENGTH
        self.agent_selection = self.agents[0 if over else self._steps % len(self.agents)]


def wrapped(env: Any) -> Any:
    """PettingZoo's three usual wrappers of environments with masks."""
    env = wrappers.TerminateIllegalWrapper(env, -1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(env))


def in_turn(env: Any) -> int:
    """One episode; its steps."""
    return play_in_turn(env, lambda mask: int(mask.argmax()))


def together(env: Any) -> int:
    """The same over an environment that all agents step together."""
    observations, _ = env.reset()
    steps = 0
    while env.agents:
        actions = {agent: int(seen["action_mask"].argmax()) for agent, seen in observations.items()}
        observations, *_ = env.step(actions)
        steps += 1
    return steps


def measured() -> dict[str, tuple[Callable[[Any], int], Any]]:
    """The contenders, by name: how an episode is played, and where."""
    module = mhing.mhing_v0
    found: dict[str, tuple[Callable[[Any], int], Any]] = {
        "raw_env": (in_turn, module.raw_env()),
        "env": (in_turn, module.env()),
        "env, in PettingZoo's wrappers": (in_turn, wrapped(module.env())),
        "nothing": (in_turn, NothingEnv(module.env())),
        "nothing, in PettingZoo's wrappers": (in_turn, wrapped(NothingEnv(module.env()))),
        "parallel_env": (together, module.parallel_env()),
    }
    if find_spec("rlcard") and find_spec("pygame"):
        from pettingzoo.classic import leduc_holdem_v4  # noqa: PLC0415

        found["PettingZoo's leduc_holdem_v4.env"] = (in_turn, leduc_holdem_v4.env())
    return found


def tables(seconds: float) -> list[Table]:
    """A row for each environment."""
    found = measured()
    rates: dict[str, list[float]] = {name: [] for name in found}
    for _ in range(ROUNDS):
        for name, (play, env) in found.items():
            rates[name].append(rate(partial(play, env), seconds / ROUNDS))
    middle = {name: statistics.median(values) for name, values in rates.items()}
    floor = middle["nothing, in PettingZoo's wrappers"]
    rows = [(name, figure(value), figure(value / floor, 2)) for name, value in middle.items()]
    return [Table(["environment", "steps a second", "of nothing in wrappers"], rows)]


if __name__ == "__main__":
    report.run(__doc__, tables, 2.0)
