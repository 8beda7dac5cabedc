"""PettingZoo: every seat of a card game as an agent, the same for every game.

>>> from mhing import mhing_v0
>>> env = mhing_v0.env(num_players=3)             # agents act one at a time
>>> parallel = mhing_v0.parallel_env()            # all step together, all but one of them wait

Each game has its module, such as ``mhing.mhing_v0`` or ``mhing.mexican_rummy_v0``, with
:func:`env`, :func:`raw_env` and :func:`parallel_env`. From PettingZoo 1.27 on, to import this
module registers them: ``pettingzoo.make("aec", "mhing_v0")`` and ``pettingzoo.make("parallel",
"mhing_v0")`` make the same. The agents are ``"player_0"`` and so on, by absolute seat.

An observation is a dict: ``observation`` uint8 (observation_size,), what the agent's seat may know
(``env.unwrapped.game.unpack`` names its parts), and ``action_mask`` int8, 1 for each legal action.
Under ``obs_mode="flat"`` it is the first of these alone. The info of an agent holds

- ``action_mask``, the same once more,
- when a round has ended, all public numbers, such as ``winner``, ``credits``, ``scores``: int, or
  int64 arrays, labelled ones too (``game.parts_text(info["parts"])`` has them in words),
- ``earlier_rounds``: where several rounds have ended since the agent acted, a list of the public
  numbers after each but the last, in their order,
- ``illegal_action``: True, only for an agent whose last action was not legal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from mhing import spaces
from mhing._lib.arguments import one_of, positive, seed64, signed_seed, truth, whole
from mhing._lib.games import game_ids
from mhing._lib.hold import Hold, held
from mhing._lib.scenes import LOOKS
from mhing._support.environments import INFOS, OBS_MODES, Forfeits, draw, make_game
from mhing._support.extras import install
from mhing._support.ids import pettingzoo_id
from mhing.env import CardGameEnv, Info, Observation
from mhing.game import State
from mhing.options import Options

if TYPE_CHECKING:
    from typing_extensions import Unpack


try:
    import pettingzoo
    from pettingzoo import AECEnv, ParallelEnv
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"the environments for PettingZoo need it: {install('pettingzoo')} ({error})"
    ) from error

ILLEGAL_REWARD = -1.0
"""The reward of an agent that plays an illegal action, where that ends the episode."""


class _Table:
    """The common part of both environments: a game, its seats as agents, spaces and pictures."""

    parallelizable: bool
    """True if all agents act in every step, by PettingZoo's name."""

    waiting: int
    """The number of actions beyond the game's own."""

    def __init__(
        self,
        game: str,
        *,
        obs_mode: str = "dict",
        illegal_action: str = "terminate",
        max_cycles: int | None = None,
        render_mode: str | None = None,
        look: str = "felt",
        info: str = "changes",
        seed_info: bool = False,
        **options: Unpack[Options],
    ) -> None:
        self.game = make_game(game, options, type(self))
        self.metadata: dict[str, Any] = CardGameEnv.metadata | {
            "name": pettingzoo_id(game),
            "is_parallelizable": self.parallelizable,
        }
        one_of("obs_mode", obs_mode, list(OBS_MODES))
        one_of("illegal_action", illegal_action, ["terminate", "raise"])
        if render_mode is not None:
            one_of("render_mode", render_mode, self.metadata["render_modes"])
        self.render_mode = render_mode
        one_of("look", look, list(LOOKS))
        self.look = look
        one_of("info", info, list(INFOS))
        self._even = info == "even"
        self._dict = obs_mode == "dict"
        self._tells_seed = truth("seed_info", seed_info)
        self._raises = illegal_action == "raise"
        self._max_cycles = None if max_cycles is None else positive(max_cycles, "max_cycles")

        self.possible_agents = [f"player_{seat}" for seat in range(self.game.num_seats)]
        self.agents: list[str] = []
        self.observation_spaces = {
            agent: spaces.observation_space(self.game, self._dict, self.waiting)
            for agent in self.possible_agents
        }
        self.action_spaces = {
            agent: spaces.action_space(self.game, self.waiting) for agent in self.possible_agents
        }
        self.state_space = spaces.omniscient_space(self.game)

        self._hold = Hold("environment")
        self._forfeits = Forfeits()
        self._seeds = np.random.default_rng()
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        actions = self.game.num_actions + self.waiting
        self._idle, self._all = np.zeros(actions, np.int8), np.ones(actions, np.int8)
        self._idle[self.game.num_actions :] = 1  # where an agent can wait, it must
        # Of the episode that is being played:
        self._state: State | None = None
        self._seed = 0
        self._cycles = 0
        self._rounds_over = 0
        self._over = True

    def observation_space(self, agent: str) -> gym.Space[Any]:
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

    @property
    @held
    def episode_seed(self) -> int:
        """The seed of the episode, 0 to 2**64 - 1: ``reset(seed=...)`` plays it again.

        With it all cards are known, which is why infos are without it; see `seed_info`.
        """
        if self._state is None:
            self._nothing_to_step()
        return self._seed

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
        picture = draw(self._table, max(self._table.seat, 0), self.render_mode, self.look)
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
        """Start an episode; see the environments' reset."""
        if seed is None:
            number = int.from_bytes(self._seeds.bytes(8), "little")
        else:
            number = seed64(seed)
            self._seeds = np.random.default_rng(number)
        self._state = self.game.new_state(number, (options or {}).get("deck"))
        self._seed = number
        self._cycles, self._rounds_over = 0, -1
        self._over = False
        self.agents = self.possible_agents.copy()

    def _info(self, mask: NDArray[np.int8]) -> Info:
        """Return the entries that every info has."""
        info: Info = {"seed": signed_seed(self._seed)} if self._tells_seed else {}
        if self._even:
            info |= {**self._table.info(), "illegal_action": False}
        return self._with_mask(info, mask)

    def _with_mask(self, info: Info, mask: NDArray[np.int8]) -> Info:
        """Return an info with another mask, if it has one."""
        return info if self._even and self._dict else {**info, "action_mask": mask}

    def _ended_rounds(self, state: State) -> Info:
        """All public numbers at the start and when a round has ended, else nothing."""
        rounds = state.rounds_over
        if rounds == self._rounds_over:
            return {}
        self._rounds_over = rounds
        return state.info()

    def _known(self, agent: str) -> str:
        if agent not in self._seat_of:
            one_of("agent", agent, self.possible_agents)
        return agent

    def _nothing_to_step(self) -> NoReturn:
        """Raise the reason why there can be no step."""
        if self._state is None:
            raise ResetNeeded("call reset() first")
        raise ResetNeeded("the episode is over: call reset()")


def _earlier_rounds(info: Info, results: Info) -> Info:
    """The rounds that an agent's info has reported since it acted, before this one."""
    if not info.get("rounds_over"):
        return {}
    last = {name: info[name] for name in results}
    return {"earlier_rounds": [*info.get("earlier_rounds", ()), last]}


class CardGameAECEnv(_Table, AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """The seats of a card game as agents that act one at a time.

    ``agent_selection`` is the agent to act. The mask of the others is all 0, and everybody's all 1
    when the episode is over. Rewards and the public numbers of ended rounds wait for each agent
    in ``last()`` until it has acted.

    What PettingZoo's usual wrappers look after is looked after here, in a fraction of their time:
    illegal actions, and calls in the wrong order.

    Args:
        game: the game's id.
        obs_mode: ``"dict"`` with ``observation`` and ``action_mask``, or ``"flat"``.
        illegal_action: ``"terminate"`` (the episode ends for all, with reward -1 and
            ``info["illegal_action"]`` for its player) or ``"raise"`` (ValueError, the game is as it
            was).
        max_cycles: after so many actions, all agents' together, the episode is truncated. None:
            never.
        render_mode: ``"ansi"`` (text), ``"human"`` (text, printed after every step),
            ``"rgb_array"``, ``"svg"`` or None; hidden cards are not shown.
        look: what pictures are painted in, one of ``mhing.render.LOOKS`` such as ``"dark"``.
        info: ``"changes"``: infos as :mod:`mhing.pettingzoo` says. ``"even"``: each one has the
            same entries, for libraries that stack them: all public numbers as they are now, and
            ``illegal_action``, True or False; but never ``earlier_rounds``, and ``action_mask``
            only if observations have none.
        seed_info: whether infos have the ``seed`` of the episode, see
            :class:`mhing.env.CardGameEnv`; agents that get it know all cards.
        options: any option of the game by name; see :class:`mhing.Game`.

    Raises:
        ValueError: an argument has a value that it cannot have.
        TypeError: there is no such argument or option, or a value is of the wrong type.
    """

    parallelizable = False
    waiting = 0

    @held
    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start an episode.

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
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._earned, self._stepped = False, True
        self.infos = {agent: self._idle_info() for agent in self.agents}
        self._show(self._table)

    def step(self, action: int | None) -> None:
        """Play the action of the agent to act; None when its episode is over.

        Raises:
            ResetNeeded: before the first reset, and when no agents are left.
            ValueError: the action is not legal under ``illegal_action="raise"``; or not None for an
                agent whose episode is over.
            TypeError: the action is not a whole number.
        """
        hold = self._hold
        try:
            del hold.free
        except AttributeError:
            hold.wait_or_refuse()
            del hold.free
        try:
            if self._over:
                if not self.agents:
                    self._nothing_to_step()
                self._was_dead_step(action)
                self._stepped = True
                return
            state, legal = self._table, True
            try:
                state.apply(action)  # type: ignore[arg-type]
            except ValueError:
                if self._raises:
                    raise
                legal = False
            agent = self.agent_selection
            self._cycles += 1
            self._stepped = True
            self._cumulative_rewards[agent] = 0.0
            self.infos[agent] = self._idle_info()
            if legal:
                self._show(state)
            else:
                self._forfeit(agent)
        finally:
            hold.free = True

    def observe(self, agent: str) -> Observation:
        """An agent's observation and mask, whether or not it is to act."""
        hold = self._hold
        try:
            del hold.free
        except AttributeError:
            hold.wait_or_refuse()
            del hold.free
        try:
            if self._state is None:
                self._nothing_to_step()
            if agent == self.agent_selection and not self._over:
                seat, copy_mask = None, self._state.action_mask
            else:
                seat = self._seat_of[self._known(agent)]
                copy_mask = (self._all if self._over else self._idle).copy
            observed = self._state.observation(seat)
            return {"observation": observed, "action_mask": copy_mask()} if self._dict else observed
        finally:
            hold.free = True

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:
        """The agent to step next, until no agents are left, or `max_iter` times.

        Raises:
            ResetNeeded: before the first reset.
            RuntimeError: the agent was given, and nobody was stepped.
        """
        if self._state is None:
            self._nothing_to_step()
        return self._agents_to_step(max_iter)

    def __getattr__(self, name: str) -> Any:
        if name in ("agent_selection", "infos", "rewards", "terminations", "truncations"):
            raise AttributeError(f"{name}: call reset() first")
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    # ---- Inside -----------------------------------------------------------------------------

    def _agents_to_step(self, max_iter: int) -> Iterator[str]:
        while self.agents and max_iter > 0:
            max_iter -= 1
            self._stepped = False
            yield self.agent_selection
            if not self._stepped:
                raise RuntimeError(
                    f"{self.agent_selection} was not stepped: call step(action) in the loop, "
                    "step(None) for an agent whose episode is over"
                )

    def _show(self, state: State) -> None:
        """Set what PettingZoo reads, after an action and at the start."""
        earned = state._earned()
        if earned is not None or self._earned:
            self._earned = earned is not None
            self._pay(earned or [0.0] * len(self.agents))
        if results := self._ended_rounds(state):
            self.infos = {
                agent: info | ({} if self._even else _earlier_rounds(info, results)) | results
                for agent, info in self.infos.items()
            }
        seat = state.seat
        if seat < 0:
            self._finish(self.terminations)
        elif self._cycles == self._max_cycles:
            self._finish(self.truncations)
        else:
            self.agent_selection = mover = self.agents[seat]
            self.infos[mover] = self._with_mask(self.infos[mover], state.action_mask())
        if self.render_mode == "human":
            self._render()

    def _pay(self, earned: list[float]) -> None:
        """The rewards of the last action, in the order of the seats."""
        self.rewards = dict(zip(self.agents, earned, strict=True))
        self._accumulate_rewards()

    def _finish(self, ended: dict[str, bool], illegal: bool = False) -> None:
        """End the episode for all; `ended` are the terminations or the truncations."""
        self._over = True
        self._forfeits.see(1, illegal)
        for agent in self.agents:
            ended[agent] = True
            self.infos[agent] = self._with_mask(self.infos[agent], self._all.copy())
        self.agent_selection = self.agents[0]

    def _forfeit(self, agent: str) -> None:
        """End the episode by an agent's illegal action."""
        self._pay([ILLEGAL_REWARD if other == agent else 0.0 for other in self.agents])
        self._finish(self.terminations, illegal=True)
        self.infos[agent]["illegal_action"] = True

    def _idle_info(self) -> Info:
        """The info of an agent that is not to act."""
        return self._info(self._idle.copy())


class CardGameParallelEnv(_Table, ParallelEnv):  # type: ignore[misc]  # PettingZoo has no types
    """The seats of a card game, stepped together: one acts, the others wait.

    Waiting is a separate action, the last id: ``wait == game.num_actions``. The mask of an agent
    that is not to act allows only this action; the mask of the agent to act never does. The game's
    own ids keep their meaning; none of them could stand for waiting, since a pass, for example, is
    a move with consequences, and not every game has it. When the episode is over, all masks are all
    1.

    An agent that waits for a step and sees nothing new can conclude that somebody was asked.
    Players at a table do not learn that: agents with a memory should skip the steps in which they
    wait.

    Args:
        game: the game's id.
        obs_mode: ``"dict"`` with ``observation`` and ``action_mask``, or ``"flat"``.
        illegal_action: what becomes of an action that the mask does not allow, be it the moving
            agent's or a waiting one's. ``"terminate"``: the episode ends for all, with reward -1
            and ``info["illegal_action"]`` for its player. ``"raise"``: ValueError, the game is as
            it was.
        max_cycles: after so many steps the episode is truncated. None: never.
        render_mode: ``"ansi"`` (text), ``"human"`` (text, printed after every step),
            ``"rgb_array"``, ``"svg"`` or None; hidden cards are not shown.
        look: what pictures are painted in, one of ``mhing.render.LOOKS`` such as ``"dark"``.
        info: ``"changes"``: infos as :mod:`mhing.pettingzoo` says. ``"even"``: each one has the
            same entries, for libraries that stack them: all public numbers as they are now, and
            ``illegal_action``, True or False; but never ``earlier_rounds``, and ``action_mask``
            only if observations have none.
        seed_info: whether infos have the ``seed`` of the episode, see
            :class:`mhing.env.CardGameEnv`; agents that get it know all cards.
        options: any option of the game by name; see :class:`mhing.Game`.

    Raises:
        ValueError: an argument has a value that it cannot have.
        TypeError: there is no such argument or option, or a value is of the wrong type.
    """

    parallelizable = True
    waiting = 1

    @property
    def wait(self) -> int:
        """The action of an agent that is not to act."""
        return self.game.num_actions

    @held
    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, Info]]:
        """Start an episode, as :meth:`CardGameAECEnv.reset` does.

        Returns:
            Every agent's observation, and every agent's info.
        """
        self._begin(seed, options)
        return self._observed()

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
        """Play the action of the agent to act, while the others wait.

        Args:
            actions: one for each agent.

        Returns:
            observations, rewards (in the unit of the option `reward`, of this step), terminations,
            truncations and infos, each by agent.

        Raises:
            ResetNeeded: before the first reset, and when the episode is over.
            ValueError: an agent has no action, or an action no agent; or an action is not legal
                under ``illegal_action="raise"``.
            TypeError: an action is not a whole number.
        """
        if self._over:
            self._nothing_to_step()
        agents, state = self.agents, self._table
        if actions.keys() != self._seat_of.keys():
            raise ValueError(
                f"actions: {', '.join(map(str, actions)) or 'none'}; "
                f"expected one for each of {', '.join(agents)}"
            )
        illegal = self._illegal({agent: actions[agent] for agent in agents})
        if illegal:
            rewards = dict.fromkeys(agents, 0.0) | dict.fromkeys(illegal, ILLEGAL_REWARD)
        else:
            state.apply(int(actions[self._mover]))
            rewards = dict(zip(agents, state._earned() or [0.0] * len(agents), strict=True))
        self._cycles += 1
        terminated = bool(illegal) or state.seat < 0
        truncated = not terminated and self._cycles == self._max_cycles
        self._over = terminated or truncated
        observations, infos = self._observed()
        for agent in illegal:
            infos[agent]["illegal_action"] = True
        terminations = dict.fromkeys(agents, terminated)
        truncations = dict.fromkeys(agents, truncated)
        if self._over:
            self._forfeits.see(1, bool(illegal))
            self.agents = []
        return observations, rewards, terminations, truncations, infos

    # ---- Inside -----------------------------------------------------------------------------

    @property
    def _mover(self) -> str:
        return self.agents[self._table.seat]

    def _illegal(self, actions: dict[str, Any]) -> list[str]:
        """The agents whose action their mask does not allow; none if that is an error."""
        mover, wait, illegal = self._mover, self.wait, []
        legal = self._table.legal_actions().tolist()
        for agent, action in actions.items():
            number = action if type(action) is int else whole(action, f"action of {agent}")
            if not (number in legal if agent == mover else number == wait):
                if self._raises:
                    raise ValueError(f"action of {agent}: {number} is not legal now")
                illegal.append(agent)
        return illegal

    def _observed(self) -> tuple[dict[str, Observation], dict[str, Info]]:
        """All agents' observations and infos, after a step and at the start."""
        state = self._table
        results, acting = self._ended_rounds(state), state.seat
        observations: dict[str, Observation] = {}
        infos: dict[str, Info] = {}
        for seat, agent in enumerate(self.agents):
            mask = self._mask(seat, acting)
            infos[agent] = info = self._info(mask)
            info.update(results)
            observed = state.observation(None if seat == acting else seat)
            if self._dict:
                observations[agent] = {"observation": observed, "action_mask": mask.copy()}
            else:
                observations[agent] = observed
        if self.render_mode == "human":
            self._render()
        return observations, infos

    def _mask(self, seat: int, acting: int) -> NDArray[np.int8]:
        mask: NDArray[np.int8] = (self._all if self._over else self._idle).copy()
        if seat == acting and not self._over:
            mask[:-1], mask[-1] = self._table.action_mask(), 0
        return mask


def raw_env(game: str, *, illegal_action: str = "raise", **settings: Any) -> CardGameAECEnv:
    """The same as :func:`env`, but an illegal action is a ValueError and changes nothing."""
    return CardGameAECEnv(game, illegal_action=illegal_action, **settings)


def env(game: str, **settings: Any) -> CardGameAECEnv:
    """The environment whose agents act one at a time; see :class:`CardGameAECEnv`."""
    return CardGameAECEnv(game, **settings)


def parallel_env(game: str, **settings: Any) -> CardGameParallelEnv:
    """The environment that all agents step together; see :class:`CardGameParallelEnv`."""
    return CardGameParallelEnv(game, **settings)


def _register() -> None:
    for game in game_ids():
        name = pettingzoo_id(game)
        pettingzoo.register("aec", name, f"mhing.{name}:env")
        pettingzoo.register("parallel", name, f"mhing.{name}:parallel_env")


if hasattr(pettingzoo, "register"):  # from 1.27 on
    _register()
