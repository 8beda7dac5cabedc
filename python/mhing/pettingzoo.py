"""PettingZoo: every seat of a card game as an agent, the same for every game.

>>> from mhing import mhing_v0
>>> env = mhing_v0.env(num_players=3)             # agents act one at a time
>>> parallel = mhing_v0.parallel_env()            # all step together, all but one of them wait

Each game has its module, such as ``mhing.mhing_v0`` or ``mhing.mexican_rummy_v0``, with
:func:`env`, :func:`raw_env` and :func:`parallel_env`. The agents are ``"player_0"`` and so on, by
absolute seat.

An observation is a dict: ``observation`` uint8 (observation_size,), what the agent's seat may know
(``env.unwrapped.game.unpack`` names its parts), and ``action_mask`` int8, 1 for each legal action.
The info of an agent holds

- ``action_mask``, the same once more, and ``seed``: the episode's, for ``game.new_state(seed)``,
- when a round has ended, all public numbers, such as ``winner``, ``credits``, ``scores``: int, or
  int64 arrays, labelled ones too (``game.parts_text(info["parts"])`` has them in words).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from mhing import _lib, pettingzoo_id, spaces
from mhing._hold import Hold, held
from mhing.env import CardGameEnv, Info, draw, make_game
from mhing.game import State

try:
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils import wrappers
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"the environments for PettingZoo need it: pip install 'mhing[pettingzoo]' ({error})"
    ) from error

Observation: TypeAlias = dict[str, NDArray[Any]]

ILLEGAL_REWARD = -1.0
"""The reward of an agent that plays an illegal action; it also ends the episode for all."""


class _Table:
    """The common part of both environments: a game, its seats as agents, spaces and pictures."""

    parallelizable: bool
    """Whether all agents act in every step; PettingZoo's name for it."""

    waiting: int
    """How many actions there are beyond the game's own."""

    def __init__(self, game: str, *, render_mode: str | None = None, **options: Any) -> None:
        self.game = make_game(game, options, type(self))
        self.metadata: dict[str, Any] = CardGameEnv.metadata | {
            "name": pettingzoo_id(game),
            "is_parallelizable": self.parallelizable,
        }
        if render_mode is not None:
            _lib.one_of("render_mode", render_mode, self.metadata["render_modes"])
        self.render_mode = render_mode

        self.possible_agents = [f"player_{seat}" for seat in range(self.game.num_seats)]
        self.agents: list[str] = []
        self.observation_spaces = {
            agent: spaces.dict_observation_space(self.game, self.waiting)
            for agent in self.possible_agents
        }
        self.action_spaces = {
            agent: spaces.action_space(self.game, self.waiting) for agent in self.possible_agents
        }
        self.state_space = spaces.omniscient_space(self.game)

        self._hold = Hold("environment")
        self._seeds = np.random.default_rng()
        # Of the episode that is being played:
        self._state: State | None = None
        self._seed = 0
        self._rounds_over = 0

    def observation_space(self, agent: str) -> gym.spaces.Dict:
        """The space of an agent's observations, always the same object."""
        return self.observation_spaces[self._known(agent)]

    def action_space(self, agent: str) -> gym.spaces.Discrete:
        """The space of an agent's actions, always the same object."""
        return self.action_spaces[self._known(agent)]

    @held
    def state(self) -> NDArray[np.uint8]:
        """(omniscient_size,) the hidden information, for centralised critics.

        ``game.unpack_omniscient`` names its fields.
        """
        return self._table.omniscient()

    @property
    @held
    def game_state(self) -> State:
        """A copy of the game's state, hidden cards included, for search and tools."""
        return self._table.clone()

    @held
    def render(self) -> Any:
        """The table as the seat to act sees it (the first seat when the episode is over).

        Returns:
            str under ``"ansi"`` and ``"svg"``, uint8 (height, width, 3) under ``"rgb_array"``;
            None under ``"human"``, which prints.
        """
        return self._render()

    def close(self) -> None:
        """Nothing to release: there are no windows and no files."""

    # ---- Inside -----------------------------------------------------------------------------

    def _render(self) -> Any:
        if self.render_mode is None:
            gym.logger.warn("render() needs a render_mode: give one when making the environment")
            return None
        picture = draw(self._table, max(self._table.seat, 0), self.render_mode)
        if self.render_mode != "human":
            return picture
        print(picture)
        return None

    @property
    def _table(self) -> State:
        if self._state is None:
            raise ResetNeeded("call reset() first")
        return self._state

    def _begin(self, seed: int | None, options: dict[str, Any] | None) -> None:
        """Starts an episode; see the environments' reset."""
        if seed is None:
            number = int.from_bytes(self._seeds.bytes(8), "little")
        else:
            number = _lib.seed64(seed)
            self._seeds = np.random.default_rng(number)
        self._state = self.game.new_state(number, (options or {}).get("deck"))
        self._seed = _lib.signed_seed(number)
        self._rounds_over = 0
        self.agents = self.possible_agents.copy()

    def _ended_rounds(self) -> Info:
        """All public numbers if rounds have ended that were not reported before, else nothing."""
        if self._table.rounds_over == self._rounds_over:
            return {}
        self._rounds_over = self._table.rounds_over
        return self._table.info()

    def _rewards(self) -> dict[str, float]:
        """The rewards of the last action, by agent."""
        return dict(zip(self.possible_agents, self._table.rewards().tolist(), strict=True))

    def _observation(self, agent: str) -> Observation:
        seen = self._table.observation(self._seat_of(agent))
        return {"observation": seen, "action_mask": self._mask(agent)}

    def _mask(self, agent: str) -> NDArray[np.int8]:
        raise NotImplementedError

    def _info(self, agent: str) -> Info:
        return {"action_mask": self._mask(agent), "seed": self._seed}

    def _seat_of(self, agent: str) -> int:
        return self.possible_agents.index(self._known(agent))

    def _known(self, agent: str) -> str:
        _lib.one_of("agent", agent, self.possible_agents)
        return agent


class CardGameAECEnv(_Table, AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """The seats of a card game as agents that act one at a time.

    ``agent_selection`` is the agent to act. The mask of the others is all 0, and everybody's all 1
    when the episode is over. Rewards and the public numbers of an ended round wait for each agent
    in ``last()`` until it has acted.

    Args:
        game: the game's id.
        render_mode: ``"ansi"`` (text), ``"human"`` (text, printed after every step),
            ``"rgb_array"``, ``"svg"`` or None; hidden cards are not shown.
        options: any option of the game by name; see :class:`mhing.Game`.

    Raises:
        ValueError: an argument has a value that it cannot have.
        TypeError: there is no such argument or option, or a value is of the wrong type.
    """

    parallelizable = False
    waiting = 0

    @held
    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts an episode.

        Args:
            seed: 0 to 2**64 - 1, the cards of ``game.new_state(seed)``. None: the next episode of
                a sequence that the last seed began (the first one of all: from fresh entropy).
            options: ``{"deck": [...]}``: cards (types, or texts) in the order in which the first
                round is dealt and drawn. Other entries are ignored, since PettingZoo passes on
                options that are meant for wrappers.

        Raises:
            ValueError: the seed or the deck is invalid.
            TypeError: one of them is of the wrong type.
        """
        self._begin(seed, options)
        self.truncations = dict.fromkeys(self.agents, False)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._results: dict[str, Info] = {agent: {} for agent in self.agents}
        self._show()

    @held
    def step(self, action: int | None) -> None:
        """Plays the action of the agent to act; None when its episode is over.

        Raises:
            ResetNeeded: before the first reset, and when no agents are left.
            ValueError: the action is not legal; the game is as it was.
            TypeError: the action is not a whole number.
        """
        table = self._table
        if not self.agents:
            raise ResetNeeded("the episode is over: call reset()")
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        table.apply(action)  # type: ignore[arg-type]  # None is refused there
        self._cumulative_rewards[agent] = 0.0
        self._results[agent] = {}
        self._show()

    @held
    def observe(self, agent: str) -> Observation:
        """An agent's observation and mask, whether or not it is to act."""
        return self._observation(agent)

    # ---- Inside -----------------------------------------------------------------------------

    def _show(self) -> None:
        """Sets what PettingZoo reads, after an action and at the start."""
        table = self._table
        self.rewards = self._rewards()
        self._accumulate_rewards()
        self.terminations = dict.fromkeys(self.agents, table.is_terminal)
        self.agent_selection = self.agents[max(table.seat, 0)]
        if results := self._ended_rounds():
            self._results = dict.fromkeys(self.agents, results)
        self.infos = {agent: self._info(agent) | self._results[agent] for agent in self.agents}
        if self.render_mode == "human":
            self._render()

    def _mask(self, agent: str) -> NDArray[np.int8]:
        if self._table.seat in (self._seat_of(agent), -1):
            return self._table.action_mask()
        return np.zeros(self.game.num_actions, np.int8)


class CardGameParallelEnv(_Table, ParallelEnv):  # type: ignore[misc]  # PettingZoo has no types
    """The seats of a card game, stepped together: one acts, the others wait.

    Waiting is an action of its own, the last id: ``wait == game.num_actions``. The mask of an agent
    that is not to act allows only this action; the mask of the agent to act never does. The game's
    own ids keep their meaning; none of them could stand for waiting, since a pass, for example, is
    a move with consequences, and not every game has it. When the episode is over, all masks are all
    1.

    An agent that waits for a step and sees nothing new can conclude that somebody was asked.
    Players at a table do not learn that: agents with a memory should skip the steps in which they
    wait.

    An action that the mask does not allow ends the episode for all: reward -1 and
    ``info["illegal_action"]`` for whoever played it, 0 for the others.

    Args:
        game: the game's id.
        render_mode: ``"ansi"`` (text), ``"human"`` (text, printed after every step),
            ``"rgb_array"``, ``"svg"`` or None; hidden cards are not shown.
        options: any option of the game by name; see :class:`mhing.Game`.

    Raises:
        ValueError: an argument has a value that it cannot have.
        TypeError: there is no such argument or option, or a value is of the wrong type.
    """

    parallelizable = True
    waiting = 1

    def __init__(self, game: str, *, render_mode: str | None = None, **options: Any) -> None:
        super().__init__(game, render_mode=render_mode, **options)
        self.wait = self.game.num_actions
        self._illegal: list[str] = []  # whoever ended this episode

    @held
    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, Info]]:
        """Starts an episode, as :meth:`CardGameAECEnv.reset` does.

        Returns:
            Every agent's observation, and every agent's info.
        """
        self._begin(seed, options)
        self._illegal = []
        return self._seen()

    @held
    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[
        dict[str, Observation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, Info],
    ]:
        """Plays the action of the agent to act, while the others wait.

        Args:
            actions: one for each agent.

        Returns:
            observations, rewards (in the unit of the option `reward`, of this step), terminations,
            truncations (always False) and infos, each by agent.

        Raises:
            ResetNeeded: before the first reset, and when the episode is over.
            ValueError: an agent has no action, or an action no agent.
            TypeError: an action is not a whole number.
        """
        table = self._table
        if not self.agents:
            raise ResetNeeded("the episode is over: call reset()")
        if set(actions) != set(self.agents):
            raise ValueError(
                f"actions: {', '.join(map(str, actions)) or 'none'}; "
                f"expected one for each of {', '.join(self.agents)}"
            )
        self._illegal = [agent for agent in self.agents if not self._allows(agent, actions[agent])]
        if self._illegal:
            rewards = dict.fromkeys(self.agents, 0.0)
            rewards |= dict.fromkeys(self._illegal, ILLEGAL_REWARD)
        else:
            table.apply(actions[self.agents[table.seat]])
            rewards = self._rewards()
        observations, infos = self._seen()
        over = self._over
        terminations = dict.fromkeys(self.agents, over)
        truncations = dict.fromkeys(self.agents, False)
        if over:
            self.agents = []
        return observations, rewards, terminations, truncations, infos

    # ---- Inside -----------------------------------------------------------------------------

    @property
    def _over(self) -> bool:
        return bool(self._illegal) or self._table.is_terminal

    def _allows(self, agent: str, action: Any) -> bool:
        number = _lib.whole(action, f"action of {agent}")
        return 0 <= number <= self.wait and bool(self._mask(agent)[number])

    def _seen(self) -> tuple[dict[str, Observation], dict[str, Info]]:
        """All agents' observations and infos, after a step and at the start."""
        results = self._ended_rounds()
        observations = {agent: self._observation(agent) for agent in self.agents}
        infos = {agent: self._info(agent) | results for agent in self.agents}
        for agent in self._illegal:
            infos[agent]["illegal_action"] = True
        if self.render_mode == "human":
            self._render()
        return observations, infos

    def _mask(self, agent: str) -> NDArray[np.int8]:
        if self._over:
            return np.ones(self.wait + 1, np.int8)
        mask = np.zeros(self.wait + 1, np.int8)
        if self._table.seat == self._seat_of(agent):
            mask[: self.wait] = self._table.action_mask()
        else:
            mask[self.wait] = 1
        return mask


def raw_env(game: str, **options: Any) -> CardGameAECEnv:
    """The environment without wrappers: an illegal action is a ValueError and changes nothing."""
    return CardGameAECEnv(game, **options)


def env(game: str, **options: Any) -> AECEnv:
    """The environment in PettingZoo's usual wrappers, with the options of :class:`CardGameAECEnv`.

    An illegal action ends the episode for all, with a reward of -1 for whoever played it; a number
    that is no action at all and calls in the wrong order are refused.
    """
    wrapped = wrappers.TerminateIllegalWrapper(raw_env(game, **options), ILLEGAL_REWARD)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


def parallel_env(game: str, **options: Any) -> CardGameParallelEnv:
    """The environment that all agents step together; see :class:`CardGameParallelEnv`."""
    return CardGameParallelEnv(game, **options)
