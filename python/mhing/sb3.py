"""Stable-Baselines3: many rows of a card game as one of its vector environments.

>>> from sb3_contrib import MaskablePPO
>>> from mhing.sb3 import MhingVecEnv
>>> env = MhingVecEnv("mhing", num_envs=64, opponents="random", hints=True)
>>> model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=1024)

:class:`MhingVecEnv` returns what ``DummyVecEnv`` of as many single environments returns, with one
call into the core for all of them. :class:`ModelPolicy` seats what has been learned.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from mhing import environment_id
from mhing._lib.arguments import refuse_settled
from mhing._support.environments import HasOpponents
from mhing._support.extras import install
from mhing.env import Info, Observation
from mhing.game import DEFAULT_GAME, Game
from mhing.players.lineups import Opponents
from mhing.players.rows import RowPolicy
from mhing.players.seating import has_self
from mhing.vector import CardGameVectorEnv
from mhing.vector.row import EnvRow, attributes
from mhing.vector.settings import VectorSettings

try:
    from stable_baselines3.common.vec_env import VecEnv
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(f"{error.name} is missing: {install('sb3')}") from error

if TYPE_CHECKING:
    from sb3_contrib import MaskablePPO
    from typing_extensions import Unpack

_ELSEWHERE = {
    "autoreset_mode": "rows that are over start anew in the same step",
    "copy": "the arrays of every step are fresh ones",
    "seed": "call env.seed(seed), or give the model a seed",
}
"""Arguments that do not exist here, and the reason."""


class MhingVecEnv(HasOpponents, VecEnv):
    """Rows of a card game for Stable-Baselines3; in each the learner has one seat.

    Row i after ``seed(s)`` and ``reset()`` is the single environment of seed s + i, and its infos
    are those of the single environment, with ``terminal_observation`` where an episode has ended
    and ``TimeLimit.truncated``, which is False: no episode is cut short. Models with a `seed` seed
    it themselves.

    ``env_method`` and ``get_attr`` reach what rows have of the single environment:
    ``action_masks()``, which ``MaskablePPO`` asks for, ``legal_actions()``, ``unpack()``,
    ``render()``, ``state``, ``game``, spaces and ``render_mode``.

    Args:
        game: the game's id.
        num_envs: how many rows.
        opponents: as :class:`mhing.vector.CardGameVectorEnv` takes them, without ``"self"``.
        settings: all others of that class, such as `num_threads`, `obs_mode`, and the options of
            the game; but not `autoreset_mode` and `copy`.

    Raises:
        ValueError: an argument has a value that it cannot have.
        TypeError: there is no such argument or option, or a value is of the wrong type.
    """

    def __init__(
        self,
        game: str = DEFAULT_GAME,
        num_envs: int = 1,
        *,
        opponents: Opponents = None,
        **settings: Unpack[VectorSettings],
    ) -> None:
        if not isinstance(game, str):
            raise TypeError(
                f"game: {type(game).__name__} given; expected a game's id, such as "
                f"{DEFAULT_GAME!r}: this makes the rows itself, from the arguments of gym.make_vec"
            )
        refuse_settled("MhingVecEnv", settings, _ELSEWHERE)
        if has_self(opponents):
            raise ValueError(
                "opponents: with 'self' several players act in a row, which Stable-Baselines3 "
                "takes for one; give the model itself"
            )
        self.envs = CardGameVectorEnv(
            num_envs, game=game, opponents=opponents, autoreset_mode="same_step", **settings
        )
        self.spec = gym.spec(environment_id(game))
        super().__init__(
            num_envs, self.envs.single_observation_space, self.envs.single_action_space
        )
        self.metadata["render_fps"] = self.envs.metadata["render_fps"]

    # ---- Stable-Baselines3 ------------------------------------------------------------------

    def reset(self) -> Observation:
        """Start an episode in every row.

        Returns:
            The observations (num_envs, ...); the infos are in `reset_infos`.
        """
        given = self._seeds if any(seed is not None for seed in self._seeds) else None
        observations, infos = self.envs.reset(seed=given)
        self._reset_seeds()
        self.reset_infos = _by_row(infos, self.num_envs)
        return observations

    def step_async(self, actions: NDArray[Any]) -> None:
        """Take one action for each row."""
        self._actions = actions

    def step_wait(
        self,
    ) -> tuple[Observation, NDArray[np.float32], NDArray[np.bool_], list[Info]]:
        """Play these actions.

        Returns:
            Observations, rewards float32, dones bool (num_envs,), and an info for each row. Where
            an episode has ended, the observation is the first one of the next episode.
        """
        observations, rewards, dones, _, infos = self.envs.step(self._actions)
        rows = _by_row(infos, self.num_envs)
        if "final_info" in infos:
            last = _by_row(infos["final_info"], self.num_envs)
            for row in dones.nonzero()[0].tolist():
                self.reset_infos[row], rows[row] = rows[row], last[row]
                rows[row]["terminal_observation"] = infos["final_obs"][row]
        for info in rows:
            info["TimeLimit.truncated"] = False
        return observations, rewards, dones, rows

    def close(self) -> None:
        """Close the batch."""
        self.envs.close()

    def set_options(self, options: list[dict[str, Any]] | dict[str, Any] | None = None) -> None:
        """Options of the next reset: rows have none.

        Raises:
            ValueError: there are some.
        """
        if options:
            raise ValueError(
                "options: the rows of a batch take none; single environments take 'seat' and 'deck'"
            )

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """A picture of each row, under ``render_mode="rgb_array"``."""
        return self.envs.render() or [None] * self.num_envs

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        """An attribute of rows, a method too.

        Raises:
            AttributeError: rows have no such attribute.
        """
        return attributes((EnvRow(self.envs, row) for row in self._get_indices(indices)), attr_name)

    def set_attr(
        self, attr_name: str, value: Any, indices: int | Iterable[int] | None = None
    ) -> None:
        """Nothing of a row can be set.

        Raises:
            AttributeError: always.
        """
        if attr_name == "opponents":
            self.opponents = value
        raise AttributeError(
            f"{attr_name}: rows cannot be changed; make another MhingVecEnv and use it by "
            "model.set_env(env)"
        )

    def env_method(
        self,
        method_name: str,
        *method_args: Any,
        indices: int | Iterable[int] | None = None,
        **method_kwargs: Any,
    ) -> list[Any]:
        """Return the results of a method of rows.

        Raises:
            AttributeError: rows have no such method.
        """
        if indices is None:
            return list(self.envs.call(method_name, *method_args, **method_kwargs))
        methods = self.get_attr(method_name, indices)
        return [method(*method_args, **method_kwargs) for method in methods]

    def env_is_wrapped(
        self, wrapper_class: type[gym.Wrapper[Any, Any, Any, Any]], indices: Any = None
    ) -> list[bool]:
        """Rows have no wrappers."""
        return [False for _ in self._get_indices(indices)]


class ModelPolicy(RowPolicy):
    """A model as a player; given as one, it is seated so by itself.

    >>> from sb3_contrib import MaskablePPO
    >>> from mhing.sb3 import MhingVecEnv, ModelPolicy
    >>> model = MaskablePPO("MlpPolicy", MhingVecEnv("general_mhing", num_envs=8))
    >>> env = MhingVecEnv("general_mhing", num_envs=8, opponents=ModelPolicy(model, False))

    It plays what the model has learned by then, and so learns with it; for a frozen one load what
    has been saved.

    Args:
        model: one whose ``predict`` takes ``action_masks``.
        deterministic: True: the most likely action; False: one at random.
    """

    def __init__(self, model: MaskablePPO, deterministic: bool = True) -> None:
        if "action_masks" not in signature(getattr(model, "predict", lambda: 0)).parameters:
            raise TypeError(
                f"model: a {type(model).__name__}, which takes no action masks; "
                "expected a MaskablePPO of sb3_contrib"
            )
        self._model, self._deterministic = model, deterministic
        space = model.observation_space
        self._dict = isinstance(space, gym.spaces.Dict)
        observed = space["observation"] if isinstance(space, gym.spaces.Dict) else space
        self.sees = int(np.prod(observed.shape or ()))

    def choose_rows(
        self, observations: NDArray[np.uint8], masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """An action for each row."""
        observed = (
            {"observation": observations, "action_mask": masks} if self._dict else observations
        )
        actions, _ = self._model.predict(
            observed, action_masks=masks, deterministic=self._deterministic
        )
        return actions


def load(file: str, game: Game) -> ModelPolicy:
    """Return what a MaskablePPO has saved, as a player; ValueError where it cannot be loaded."""
    if not Path(file).is_file():
        named = f"{file}.zip"  # as model.save has named it
        meant = f"; did you mean {named}?" * Path(named).is_file()
        raise ValueError(f"{file!r} cannot be loaded: there is no such file{meant}")
    from sb3_contrib import MaskablePPO  # noqa: PLC0415  slow to import

    try:
        return ModelPolicy(MaskablePPO.load(file, device="cpu"))
    except Exception as error:  # of zip files, pickles, and of PyTorch
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        raise ValueError(
            f"{file!r} cannot be loaded as a MaskablePPO: {reason}; model.save writes such files"
        ) from error


def _by_row(infos: Info, num_envs: int) -> list[Info]:
    """The infos of a batch as one for each row, numbers as Python's, without those of ends."""
    rows: list[Info] = [{} for _ in range(num_envs)]
    for name, values in infos.items():
        if f"_{name}" in infos and name not in ("final_info", "final_obs"):
            present = infos[f"_{name}"].nonzero()[0]
            some = values if len(present) == num_envs else values[present]
            for row, value in zip(
                present.tolist(), some.tolist() if some.ndim == 1 else some, strict=True
            ):
                rows[row][name] = value
    return rows
