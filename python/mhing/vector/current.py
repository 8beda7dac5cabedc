"""``CurrentRows``: the rows of a vector environment as they are now, which its steps change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import logger
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.vector import VectorEnv
from numpy.typing import ArrayLike, NDArray

from mhing._lib.arguments import seed64
from mhing._lib.games import OVER
from mhing._lib.hold import Hold, held
from mhing._support.environments import draw
from mhing.batches import Batch
from mhing.env import Info, Observation
from mhing.game import Game, State
from mhing.vector import inputs
from mhing.vector.afterstates import RowAfterstates
from mhing.vector.report import StepReport
from mhing.words import Part


class CurrentRows(VectorEnv[Any, Any, Any]):
    """All that can be read of the rows between steps. Nothing here changes a row.

    The environment sets the attributes, and moves the rows through `_batch`.
    """

    game: Game
    look: str
    _batch: Batch
    _report: StepReport
    _same_step: bool
    _started: bool

    @held
    def render(self) -> tuple[Any, ...] | None:
        """Each row's table as the seat of ``infos["seat"]`` sees it.

        Returns:
            One str a row under ``"ansi"`` and ``"svg"``, uint8 (height, width, 3) under
            ``"rgb_array"``.

        Raises:
            ResetNeeded: before the first reset.
        """
        if self.render_mode is None:
            logger.warn("render() needs a render_mode: give one to gym.make_vec")
            return None
        seats = self._batch.seats.tolist()
        return tuple(
            draw(self._state(row), seat, self.render_mode, self.look)
            for row, seat in enumerate(seats)
        )

    @property
    @held
    def episode_seeds(self) -> NDArray[np.uint64]:
        """(num_envs,) the seed of each row's episode: ``reset(seed=...)`` plays them again.

        With them all cards are known, which is why infos are without them; see `seed_info`.
        """
        self._refuse_unless_started()
        seeds: NDArray[np.uint64] = self._batch.seeds.copy()
        return seeds

    @held
    def action_masks(self) -> NDArray[np.bool_]:
        """(num_envs, num_actions) True for each legal action; all True where a row is over."""
        self._refuse_unless_started()
        _, masks = self._report.shown()
        return masks.astype(np.bool_)

    @held
    def observe(self) -> tuple[Observation, Info]:
        """Observations and ``infos`` of all rows as they are now, such as after a load."""
        self._refuse_unless_started()
        return self._report.of_now()

    def unpack(self, observations: Observation) -> dict[str, NDArray[np.uint8]]:
        """The named parts of observations, as views; see :meth:`mhing.Game.unpack`."""
        if isinstance(observations, dict):
            observations = observations["observation"]
        return self.game.unpack(observations)

    @held
    def omniscient(self, out: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
        """Return the hidden part of every row as it is now, for centralised critics.

        Args:
            out: the array to write to; None: a fresh one.

        Returns:
            uint8 (num_envs, omniscient_size), `out` if given: the named parts are
            ``game.omniscient_fields``, and row i is ``state(i).omniscient()``. After a step that
            ends an episode and starts the next one, it belongs to the next one.

        Raises:
            ValueError: `out` has another shape, is read-only, or is not contiguous.
            TypeError: `out` is not an array of uint8.
            ResetNeeded: before the first reset.

        >>> import gymnasium as gym
        >>> envs = gym.make_vec("mhing:Mhing-v0", num_envs=2)
        >>> observations, infos = envs.reset(seed=1)
        >>> envs.game.unpack_omniscient(envs.omniscient())["hands"].shape
        (2, 4, 35)
        """
        self._refuse_unless_started()
        out = inputs.output(out, (self.num_envs, self.game.omniscient_size))
        self._batch.omniscient(out)
        return out

    @held
    def bot_actions(self, bot: str, random: int = 0) -> NDArray[np.int32]:
        """Return the action that a built-in bot would play for the seat to act in every row.

        The entry of row i is the action of ``state(i).bot_action(bot, random + i)``, and 0 where
        the episode is over. No row changes. All rows are asked by one call into the core, on the
        threads of the environment.

        Args:
            bot: the bot's name.
            random: the generator of row 0, from 0 to 2**64 - 1; those of the others follow it.

        Returns:
            Actions, int32 (num_envs,).

        Raises:
            ValueError: there is no such bot, or `random` is out of range.
            ResetNeeded: before the first reset.
            NotImplementedError: the rows are on a server.

        >>> import gymnasium as gym
        >>> envs = gym.make_vec("mhing:Mhing-v0", num_envs=2)
        >>> observations, infos = envs.reset(seed=1)
        >>> envs.bot_actions("greedy").shape  # to imitate, or to compare a policy with
        (2,)
        """
        self._refuse_unless_started()
        return self._batch.bot_actions(self.game.bot_index(bot), seed64(random))

    @held
    def afterstates(self, every: bool = False, skip: Sequence[str] = ()) -> RowAfterstates:
        """Return the afterstates of the seat to act in every row, for a net to evaluate.

        The entries of row i are those of ``state(i).afterstates(every)``. All rows are looked at by
        one call into the core, on the threads of the environment.

        Args:
            every: after each legal action, not only those worth considering.
            skip: names of features that nobody reads: they are 0, and most take no time.

        Raises:
            ValueError: the game has no features, or none of a name.
            TypeError: `skip` is one text.
            ResetNeeded: before the first reset.
            NotImplementedError: the rows are on a server.

        >>> import gymnasium as gym
        >>> envs = gym.make_vec("mhing:Mhing-v0", num_envs=2)
        >>> observations, infos = envs.reset(seed=1)
        >>> rows, actions, features, values = envs.afterstates()
        >>> scores = np.where(np.isnan(values), features @ np.ones(154), values)
        >>> logits = np.full((2, 341), -np.inf, np.float32)
        >>> np.maximum.at(logits, (rows, actions), scores)  # an action is worth its best way
        >>> actions = envs.sample_actions(logits=logits)
        """
        self._refuse_unless_started()
        skipped = np.zeros(self.game._handle.sizes.features, np.uint8)
        skipped[self.game.feature_places(skip)] = 1
        return RowAfterstates(*self._batch.afterstates(every, skipped))

    @held
    def words(
        self,
        rows: ArrayLike | None = None,
        part: Part = "all",
        *,
        number: int | None = None,
        names: Sequence[str] | None = None,
    ) -> list[str]:
        """Return what the seat of each row sees, in sentences: for language models.

        The text of row i is ``state(i).words(infos["seat"][i])``; where the row is over, without
        moves. All are made by one call into the core.

        Args:
            rows: which rows: (n,) numbers, or bool (num_envs,); None: all.
            part: what is wanted, see :data:`mhing.words.Part`.
            number: see :meth:`mhing.State.words`.
            names: of the players, by seat; see :meth:`mhing.State.words`.

        Raises:
            ValueError: there is no such row or part, one comes twice, or a name is missing.
            ResetNeeded: before the first reset.

        >>> import gymnasium as gym
        >>> envs = gym.make_vec("mhing:Mhing-v0", num_envs=2)
        >>> observations, infos = envs.reset(seed=1)
        >>> [text.partition(":")[0] for text in envs.words(part="moves")]
        ['Moves', 'Moves']
        """
        self._refuse_unless_started()
        batch = self._batch
        chosen = np.arange(self.num_envs) if rows is None else inputs.rows(rows, self.num_envs)
        observations, masks = self._report.shown()
        over = self._report.terminated[chosen] & (not self._same_step)
        return self.game.words(
            observations[chosen],
            batch.seats[chosen],
            part,
            number=number,
            masks=np.where(over[:, None], 0, masks[chosen]),
            info=batch.info[chosen],
            to_act=np.where(over, OVER, batch.seats[chosen]),
            names=names,
        )

    @held
    def state(self, row: int) -> State:
        """A copy of a row's state, hidden cards included, for search and tools."""
        return self._state(row)

    @property
    def _hold(self) -> Hold:
        """The batch's, a new one after an interrupted call."""
        return self._batch.hold

    def _state(self, row: int) -> State:
        return State(self.game, self._batch.state(self._row(row)))

    def _row(self, row: int) -> int:
        self._refuse_unless_started()
        return inputs.row(row, self.num_envs)

    def _refuse_unless_started(self) -> None:
        if self.closed or not self._started:
            raise self._refusal()

    def _refusal(self, over: NDArray[np.bool_] | None = None) -> Exception:
        """Raise the reason why nothing can be done now; `over`: rows that are."""
        if self.closed:
            return ClosedEnvironmentError("the environment is closed; make another one")
        if over is None:
            return ResetNeeded("call reset() first")
        return ResetNeeded(
            f"row {np.argmax(over)}: its episode is over; with autoreset disabled call "
            "reset(options={'reset_mask': terminations}) first"
        )
