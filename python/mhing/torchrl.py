"""TorchRL: the batch as one of its environments, and all seats of a game as agents.

>>> from torchrl.envs import check_env_specs
>>> from mhing.torchrl import MhingEnv
>>> env = MhingEnv("mhing", num_envs=64, opponents="random")
>>> check_env_specs(env)
>>> env.rollout(10, break_when_any_done=False)["action_mask"].shape
torch.Size([64, 10, 341])

Masks are bool tensors under ``"action_mask"``, as ``MaskedCategorical`` wants them, and
``action_spec`` holds them too: what ``env.rand_action()`` draws is legal, also with any transforms
around the environment. ``SerialEnv`` and ``ParallelEnv`` copy specs, and need ``ActionMask()``.
:class:`MhingSeatsEnv` shows the environments for PettingZoo to TorchRL, :class:`ActorPolicy` seats
what has been learned.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mhing._lib.arguments import refuse_settled
from mhing._support.environments import HasOpponents
from mhing._support.extras import install
from mhing.game import DEFAULT_GAME, Game
from mhing.players.lineups import Opponents
from mhing.players.rows import OBSERVATIONS, RowPolicy
from mhing.players.seating import has_self
from mhing.spaces import flat_observation_space
from mhing.vector import CardGameVectorEnv
from mhing.vector.settings import VectorSettings

try:
    import torch
    from tensordict import TensorDict, TensorDictBase
    from torchrl.data import Binary, Bounded, Categorical, Composite, Unbounded
    from torchrl.data.utils import ACTION_SPACE_MAP
    from torchrl.envs import EnvBase, ExplorationType, PettingZooWrapper, set_exploration_type
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(f"{error.name} is missing: {install('torchrl')}") from error

if TYPE_CHECKING:
    from tensordict.nn import TensorDictModule
    from typing_extensions import Unpack

_ELSEWHERE = {
    "autoreset_mode": "TorchRL starts rows anew that are over",
    "copy": "the tensors of every step are fresh ones",
    "look": "TorchRL records no pictures; use gym.make",
    "obs_mode": "masks have a separate key, 'action_mask'",
    "render_mode": "TorchRL records no texts; use gym.make",
    "seed": "call env.set_seed(seed)",
}
"""Arguments that do not exist here, and the reason."""


class LegalActions(Categorical):  # type: ignore[misc]  # TorchRL has no types
    """Actions, of which the mask of the last observation rules some out.

    Copies have the same mask, not a copy of it: ``TransformedEnv`` makes one of the spec at first,
    and what it draws later has to be legal by then.
    """

    def clone(self) -> LegalActions:
        """A copy with the same mask."""
        twin: LegalActions = super().clone()
        twin.mask = self.mask
        return twin


ACTION_SPACE_MAP[LegalActions] = ACTION_SPACE_MAP[Categorical]  # TorchRL's losses look there


class MhingEnv(HasOpponents, EnvBase):  # type: ignore[misc]  # TorchRL has no types
    """One card game, or many rows of it stepped by one call; the learner has one seat in each.

    Row i after ``set_seed(s)`` and ``reset()`` is the single environment of seed s + i. It reads
    ``"action"`` int64 (num_envs,), and ``"_reset"`` or ``"_step"`` bool (num_envs, 1) where only
    some rows begin anew or continue. It writes

    - ``"observation"`` uint8 (num_envs, observation_size), see :meth:`mhing.Game.unpack`,
    - ``"action_mask"`` bool (num_envs, num_actions): all True where the episode is over,
    - ``"reward"`` float32, ``"done"``, ``"terminated"`` and ``"truncated"`` bool (num_envs, 1).

    Without `num_envs` the first of these dimensions is missing everywhere.

    Args:
        game: the game's id.
        num_envs: how many rows; None: a single game, whose tensors have no dimension for rows.
        device: where the tensors are; the games are played on the CPU.
        opponents: as :class:`mhing.vector.CardGameVectorEnv` takes them, without ``"self"``.
        settings: all others of that class, such as `num_threads`, `illegal_action`, and the options
            of the game; but not `autoreset_mode`, `copy`, `obs_mode` and `render_mode`.

    Raises:
        ValueError: an argument has a value that it cannot have.
        TypeError: there is no such argument or option, or a value is of the wrong type.
    """

    def __init__(
        self,
        game: str = DEFAULT_GAME,
        num_envs: int | None = None,
        *,
        device: Any = None,
        opponents: Opponents = None,
        **settings: Unpack[VectorSettings],
    ) -> None:
        if not isinstance(game, str):
            raise TypeError(
                f"game: {type(game).__name__} given; expected a game's id, such as "
                f"{DEFAULT_GAME!r}: this makes the rows itself, from the arguments of gym.make_vec"
            )
        refuse_settled("MhingEnv", settings, _ELSEWHERE)
        if has_self(opponents):
            raise ValueError(
                "opponents: with 'self' several players act in a row, which TorchRL takes for one; "
                "give ActorPolicy(actor), or let all seats learn by MhingSeatsEnv"
            )
        self.envs = CardGameVectorEnv(
            1 if num_envs is None else num_envs,
            game=game,
            opponents=opponents,
            autoreset_mode="disabled",
            copy=False,
            **settings,
        )
        super().__init__(device=device, batch_size=[] if num_envs is None else [num_envs])
        self._seed: int | None = None
        self._over = np.zeros(self.envs.num_envs, np.bool_)
        self._make_specs()

    @property
    def game(self) -> Game:
        """The :class:`mhing.Game` that is played."""
        return self.envs.game

    # ---- TorchRL ----------------------------------------------------------------------------

    def _make_specs(self) -> None:
        rows, actions = self.batch_size, self.game.num_actions
        space = flat_observation_space(self.game)
        high = torch.from_numpy(space.high).expand(*rows, -1)
        self.observation_spec = Composite(
            observation=Bounded(torch.zeros_like(high), high, high.shape, dtype=torch.uint8),
            action_mask=Binary(actions, (*rows, actions), dtype=torch.bool),
            shape=rows,
        ).to(self.device)
        self._masks = torch.ones((*rows, actions), dtype=torch.bool, device=self.device)
        self.action_spec = LegalActions(actions, rows, device=self.device, mask=self._masks)
        self.reward_spec = Unbounded((*rows, 1), device=self.device)
        flags = {
            name: Categorical(2, (*rows, 1), dtype=torch.bool)
            for name in ("done", "terminated", "truncated")
        }
        self.done_spec = Composite(flags, shape=rows).to(self.device)

    def _set_seed(self, seed: int | None) -> None:
        self._seed = seed

    def _reset(
        self, tensordict: TensorDictBase | None = None, seed: int | None = None
    ) -> TensorDictBase:
        chosen = None if tensordict is None else tensordict.get("_reset", None)
        rows = np.ones(self.envs.num_envs, np.bool_) if chosen is None else _by_row(chosen)
        seed, self._seed = self._seed if seed is None else seed, None
        observations, _ = self.envs.reset(seed=seed, options={"reset_mask": rows})
        self._over &= ~rows
        return self._observed(observations)

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        actions, chosen = _by_row(tensordict["action"]), tensordict.get("_step", None)
        if chosen is None:
            observations, rewards, self._over[:], *_ = self.envs.step(actions)
        else:
            rows = _by_row(chosen)
            observations, rewards, over, *_ = self.envs.step_rows(rows, actions[rows])
            self._over |= over
        observed = self._observed(observations)
        observed["reward"] = self._tensor(rewards[:, None])
        return observed

    def _observed(self, observations: Any) -> TensorDictBase:
        """Return observations of rows, uint8 (num_envs, ...); masks bind draws of `action_spec`."""
        masks = self._tensor(self.envs.action_masks())
        self._masks.copy_(masks)
        self.input_spec["full_action_spec", "action"].mask = self._masks  # explorers set another
        over = self._tensor(self._over[:, None])
        observed = {
            "observation": self._tensor(observations),
            "action_mask": masks,
            "done": over,
            "terminated": over.clone(),
            "truncated": torch.zeros_like(over),
        }
        return TensorDict(observed, self.batch_size, device=self.device)

    def _tensor(self, array: NDArray[Any]) -> torch.Tensor:
        """A copy of an array with a line for each row."""
        return torch.tensor(array if self.batch_size else array[0], device=self.device)

    def close(self, *, raise_if_closed: bool = True) -> None:
        """Close the batch."""
        self.envs.close()
        super().close(raise_if_closed=raise_if_closed)


class MhingSeatsEnv(PettingZooWrapper):  # type: ignore[misc]  # nor here
    """All seats of a card game as agents of TorchRL, over one of the environments for PettingZoo.

    >>> from mhing import mhing_v0
    >>> from mhing.torchrl import MhingSeatsEnv
    >>> env = MhingSeatsEnv(mhing_v0.parallel_env(num_players=3))
    >>> env.reset()["player", "action_mask"].shape
    torch.Size([3, 342])

    It is TorchRL's ``PettingZooWrapper`` without the infos, whose entries change from step to step.
    Every agent's ``"reward"`` is what the step has brought it. Over ``env()`` each agent is a
    separate group, and ``(agent, "mask")`` says who acts; masks of the others are all True. Over
    ``parallel_env()`` all agents are the group ``"player"``.

    Args:
        env: ``mhing_v0.env()``, ``mhing_v0.parallel_env()``, or those of another game.
        settings: all others of ``PettingZooWrapper``, such as `group_map` and `device`.

    Raises:
        TypeError: `env` is no environment for PettingZoo, or there is no such setting.
    """

    def __init__(self, env: Any, **settings: Any) -> None:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "PettingZoo in TorchRL is tested", UserWarning)
            super().__init__(env=env, **{"use_mask": True} | settings)

    def _reset_aec(self, **settings: Any) -> Any:
        return _without_infos(super()._reset_aec(**settings))

    def _reset_parallel(self, **settings: Any) -> Any:
        return _without_infos(super()._reset_parallel(**settings))

    def _step_aec(self, tensordict: TensorDictBase) -> Any:
        return _without_infos(super()._step_aec(tensordict))

    def _step_parallel(self, tensordict: TensorDictBase) -> Any:
        return _without_infos(super()._step_parallel(tensordict))


class ActorPolicy(RowPolicy):
    """An actor as a player; given as one, it is seated so by itself.

    Args:
        actor: reads ``"observation"`` uint8 and ``"action_mask"`` bool, and writes ``"action"``.
        deterministic: True: the most likely action; False: one at random.
    """

    sees = OBSERVATIONS

    def __init__(self, actor: TensorDictModule, deterministic: bool = True) -> None:
        if not {"observation", "action_mask"} & {*getattr(actor, "in_keys", ())}:
            raise TypeError(
                f"actor: a {type(actor).__name__}; expected a TensorDictModule that reads "
                "'observation' and 'action_mask'"
            )
        self._actor = actor
        self._how = ExplorationType.DETERMINISTIC if deterministic else ExplorationType.RANDOM

    def choose_rows(
        self, observations: NDArray[np.uint8], masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """An action for each row."""
        device = next((value.device for value in self._actor.parameters()), None)
        observed = TensorDict(
            observation=torch.tensor(observations),
            action_mask=torch.tensor(masks, dtype=torch.bool),
        )
        observed.batch_size = [len(observations)]
        with torch.no_grad(), set_exploration_type(self._how):
            chosen: NDArray[np.int64] = self._actor(observed.to(device))["action"].numpy(force=True)
        return chosen


def load(file: str, game: Game) -> ActorPolicy:
    """Return the actor that ``torch.save(actor, FILE)`` has saved, as a player.

    Such files are pickles: to load one is to run code from it.

    Raises:
        ValueError: it cannot be loaded, or is no actor.
    """
    if not Path(file).is_file():
        raise ValueError(f"{file!r} cannot be loaded: there is no such file")
    try:
        return ActorPolicy(torch.load(file, map_location="cpu", weights_only=False))
    except Exception as error:  # of pickles, and of classes that are not there
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        raise ValueError(
            f"{file!r} cannot be loaded as an actor: {reason}; torch.save(actor, FILE) writes such "
            "files"
        ) from error


def _by_row(tensor: torch.Tensor) -> NDArray[Any]:
    """(num_envs,) what a tensor of shape (num_envs,), (num_envs, 1), (1,) or () holds."""
    array: NDArray[Any] = tensor.reshape(-1).numpy(force=True)
    return array


def _without_infos(results: tuple[Any, ...]) -> tuple[Any, ...]:
    """The same, with masks alone in the infos, which are last."""
    *others, infos = results
    masks = {agent: {"action_mask": info["action_mask"]} for agent, info in infos.items()}
    return (*others, masks)
