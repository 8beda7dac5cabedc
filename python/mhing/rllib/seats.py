"""Every seat of a card game as an agent of RLlib."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ray.rllib.env.multi_agent_env import MultiAgentEnv

from mhing.env import Observation
from mhing.game import DEFAULT_GAME
from mhing.pettingzoo import CardGameAECEnv

ByAgent = dict[str, Any]


class CardGameMultiAgentEnv(MultiAgentEnv):
    """The seats of a card game as agents ``"player_0"`` and so on, one of which acts at a time.

    Only the agent to act gets an observation, a dict of ``observation`` and ``action_mask``. A
    reward goes to its agent in the step that brings it, whether or not that agent is to act; when
    the episode ends, every agent gets its last observation. So the rewards of each agent add up to
    what its seat has earned.

    Args:
        config: what :class:`mhing.pettingzoo.CardGameAECEnv` takes, but for `obs_mode`: `game`
            (None: Mhing), `illegal_action`, `max_cycles`, `render_mode`, and options of the game.

    Raises:
        ValueError: an argument has a value that it cannot have.
        TypeError: there is no such argument or option, or a value is of the wrong type.
    """

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        settings = {"game": DEFAULT_GAME, **(config or {})}
        self.table = CardGameAECEnv(**settings)
        self.agents = self.possible_agents = [*self.table.possible_agents]
        self.observation_spaces = self.table.observation_spaces
        self.action_spaces = self.table.action_spaces
        self.render_mode = self.table.render_mode

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], ByAgent]:
        """Start an episode; `seed` and `options` are those of PettingZoo's environment.

        Returns:
            The observation of the agent to act, and its info.
        """
        self.table.reset(seed=seed, options=options)
        agent = self.table.agent_selection
        return {agent: self.table.observe(agent)}, {agent: self.table.infos[agent]}

    def step(
        self, action_dict: dict[str, int]
    ) -> tuple[dict[str, Observation], ByAgent, ByAgent, ByAgent, ByAgent]:
        """Play the action of the agent to act.

        Returns:
            Observations and infos of the agent to act (of all, when the episode is over), the
            rewards of all that have earned something, terminations and truncations.

        Raises:
            ValueError: the action is not that of the agent to act.
        """
        table = self.table
        if [*action_dict] != [table.agent_selection]:
            raise ValueError(
                f"action_dict: {action_dict}; expected one action, of {table.agent_selection}"
            )
        table.step(action_dict[table.agent_selection])
        terminated = all(table.terminations.values())
        truncated = all(table.truncations.values())
        shown = table.agents if terminated or truncated else [table.agent_selection]
        return (
            {agent: table.observe(agent) for agent in shown},
            {agent: reward for agent, reward in table.rewards.items() if reward or agent in shown},
            {"__all__": terminated},
            {"__all__": truncated},
            {agent: table.infos[agent] for agent in shown},
        )

    def render(self) -> Any:
        """The table as PettingZoo's environment draws it."""
        return self.table.render()
