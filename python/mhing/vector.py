"""``CardGameVectorEnv``: many rows of a card game stepped by one call into the core.

What it returns is what Gymnasium's ``SyncVectorEnv`` of as many :class:`mhing.env.CardGameEnv`
returns, byte for byte, but that rewards are float32 and labelled numbers an array; no Python runs
for single rows, except for the last observations of episodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from gymnasium import logger
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from mhing import _lib, bots, spaces
from mhing.batches import Batches, Endpoint
from mhing.env import (
    OBS_MODES,
    CardGameEnv,
    Info,
    Observation,
    draw,
    make_game,
    seat_number,
)
from mhing.game import State

Step: TypeAlias = tuple[
    Observation, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], Info
]

_MODES = {mode.name.lower(): mode for mode in AutoresetMode}
_RENDER_MODES = [mode for mode in CardGameEnv.metadata["render_modes"] if mode != "human"]


class CardGameVectorEnv(VectorEnv[Any, Any, Any]):
    """Rows of a card game; of each, one seat or several are the caller's.

    >>> import gymnasium as gym
    >>> envs = gym.make_vec("mhing:Mhing-v0", num_envs=1024, opponents="random", num_threads=2)
    >>> observations, infos = envs.reset(seed=1)
    >>> actions = envs.sample_actions()
    >>> observations, rewards, terminations, truncations, infos = envs.step(actions)

    An object belongs to one thread at a time; `num_threads` are its own.

    Every step returns arrays with one line per row: observations uint8 (num_envs,
    observation_size), rewards float32, terminations and truncations (all False) bool. Row i after
    ``reset(seed=s)`` is the single environment after ``reset(seed=s + i)``, byte for byte, whatever
    `num_envs` and `num_threads` are. ``infos`` follows Gymnasium's vector environments: beside
    each entry ``"name"`` stands ``"_name"``, bool (num_envs,), that tells which rows have it, and
    rows that have not hold zeros or None:

    - ``action_mask`` int8 (num_envs, num_actions): all 1 where the episode is over; ``seat`` int64
      and ``seed`` uint64 (num_envs,), of all rows (after a reset with ``reset_mask``, of its rows);
    - in rows where a round ended in this step all public numbers (``game.info_fields``) as int64
      arrays, labelled ones too: ``parts`` (num_envs, 19), one number for each of
      ``game.labels["parts"]``; and ``illegal_action`` in rows whose action was not legal;
    - under ``"same_step"``, in rows whose episode ended: ``final_obs`` (an object array of
      observations) and ``final_info`` (infos of the step that ended it).

    With ``"self"`` among the opponents several seats of a row are the caller's. Then ``seat`` is
    the one to act, observation and mask are its own, and the reward is what it earned since its
    own last decision. When an episode ends nothing is lost: under any autoreset mode ``infos`` has
    ``seat_rewards`` float32 (num_envs, num_seats), what each seat earned since it was last told
    (reward and seat of the row itself are then the own seat's, `seat`), and the entries of
    ``final_obs`` are what all seats see at the end: (num_seats, observation_size).

    Args:
        num_envs: how many rows.
        game: the game's id.
        num_threads: how many threads share a step, at most as many as the machine has processors
            (or 4); results do not depend on it.
        copy: True: every call returns fresh arrays. False: observations, rewards, terminations and
            what ``infos`` hold (the observations of ``final_obs`` too) are the batch's own arrays,
            which the next call of :meth:`step`, :meth:`reset`, :meth:`load` or :meth:`copy_row`
            overwrites: twice as fast, for those who by then have put elsewhere what they keep.
            They must not be written to. The actions of :meth:`sample_actions` are such an array,
            too, which its next call overwrites as well; they may be changed before the step.
        autoreset_mode: ``"next_step"``: the step after the end of an episode ignores the row's
            action and starts the next one; ``"same_step"``: the step that ends an episode starts
            the next one; ``"disabled"``: rows that are over must be reset with ``reset_mask``. Or
            the member of Gymnasium's ``AutoresetMode``.
        opponents: who plays the other seats of a row: a built-in bot's name, or ``"self"`` for the
            caller; or a list, one for each seat clockwise from the own seat.
        seat: the own seat; None: drawn from the seed of each episode.
        illegal_action: ``"terminate"`` (the row's episode ends, reward -1), ``"raise"``
            (ValueError, all rows are as they were) or ``"random"`` (a random legal action is
            played instead).
        obs_mode: ``"flat"``, or ``"dict"`` with ``observation`` and ``action_mask``.
        render_mode: ``"ansi"``, ``"rgb_array"``, ``"svg"`` or None.
        endpoint: a server on which to play, see :class:`mhing.env.CardGameEnv`; how many threads
            it takes is its own matter.
        options: any option of the game by name; see :class:`mhing.Game`.

    Raises:
        ValueError: an argument has a value that it cannot have.
        TypeError: there is no such argument or option, or a value is of the wrong type.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        game: str = "mhing",
        num_threads: int = 1,
        copy: bool = True,
        autoreset_mode: str | AutoresetMode = "next_step",
        opponents: str | Sequence[str] = "greedy",
        seat: int | None = None,
        illegal_action: str = "terminate",
        obs_mode: str = "flat",
        render_mode: str | None = None,
        endpoint: Endpoint = None,
        **options: Any,
    ) -> None:
        self._batches = Batches(endpoint)
        self.num_envs = _lib.positive(num_envs, "num_envs")
        self.num_threads = _lib.positive(num_threads, "num_threads")
        self.game = make_game(game, options, type(self))
        if not isinstance(copy, bool):
            raise TypeError(f"copy: {copy!r} is neither True nor False")
        self.copy = copy
        if not isinstance(autoreset_mode, AutoresetMode):
            _lib.one_of("autoreset_mode", autoreset_mode, list(_MODES))
            autoreset_mode = _MODES[autoreset_mode]
        self.autoreset_mode = autoreset_mode
        _lib.one_of("illegal_action", illegal_action, list(_lib.ILLEGAL))
        _lib.one_of("obs_mode", obs_mode, list(OBS_MODES))
        if render_mode is not None:
            _lib.one_of("render_mode", render_mode, _RENDER_MODES)
        self.render_mode = render_mode
        self.metadata = {
            **CardGameEnv.metadata,
            "render_modes": _RENDER_MODES,
            "autoreset_mode": autoreset_mode,
        }

        players = bots.resolve_seats(self.game, opponents)
        self._shared = _lib.CALLER in players
        self._same_step = autoreset_mode is AutoresetMode.SAME_STEP
        self._disabled = autoreset_mode is AutoresetMode.DISABLED
        self._batch = self._batches.make(
            self.game._handle,
            rows=self.num_envs,
            seat=-1 if seat is None else seat_number(self.game, seat),
            players=[_lib.CALLER, *players],
            illegal=_lib.ILLEGAL[illegal_action],
            autoreset=_lib.AUTORESET[autoreset_mode.name.lower()],
            threads=self.num_threads,
            without=self._untold(),
        )

        self._dict = obs_mode == "dict"
        self.single_action_space = spaces.action_space(self.game)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.single_observation_space = (
            spaces.dict_observation_space(self.game)
            if self._dict
            else spaces.flat_observation_space(self.game)
        )
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)

        # How public numbers are told: columns and blocks of an array.
        fields = self.game.info_fields
        self._parts = {
            field.name: slice(field.offset, field.offset + field.count) for field in fields
        }
        self._single = {field.name for field in fields if field.count == 1}
        self._present = [f"_{name}" for name in self._parts]

        # The batch's arrays as they are told, and two that never change:
        batch = self._batch
        self._nowhere = np.zeros(self.num_envs, np.bool_)
        self._everywhere = np.ones(self.num_envs, np.bool_)
        self._nowhere.flags.writeable = self._everywhere.flags.writeable = False
        self._terminated = batch.terminated.view(np.bool_)
        self._illegal = batch.illegal.view(np.bool_)
        self._round_ended = batch.round_ended.view(np.bool_)
        self._told_always: Info = {
            "action_mask": batch.masks,
            "_action_mask": self._everywhere,
            "seat": batch.seats,
            "_seat": self._everywhere,
            "seed": batch.seeds,
            "_seed": self._everywhere,
        }
        self._told_of_rounds = {
            **self._told_always,
            **self._name(batch.results),
            **dict.fromkeys(self._present, self._round_ended),
        }

        # The same of episodes that have ended, and `final_obs` with its rows where it is not fresh.
        self._final_count = batch.final_count.data
        self._final_round_ended = batch.final_round_ended.view(np.bool_)
        self._final_results = self._name(batch.final_info)
        self._last_seen = np.empty(len(batch.final_observations), np.object_)
        for place, seen in enumerate(batch.final_observations):
            self._last_seen[place] = seen if self._shared else seen[0]
        self._last = np.empty(self.num_envs, np.object_)
        self._ended = np.zeros(0, np.int64)
        self._started = False

    # ---- Gymnasium --------------------------------------------------------------------------

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observation, Info]:
        """Starts an episode in every row, or in those of a mask.

        Args:
            seed: an int s, 0 to 2**64 - 1: row i begins the sequence of episodes of seed s + i; or
                one for each row. None, also for a single row: the next episode of its sequence
                (the first one of all: from fresh entropy).
            options: ``{"reset_mask": m}``, m bool (num_envs,): only these rows start anew, and
                ``infos`` has entries of them alone; observations are of all.

        Returns:
            Observations and ``infos``.

        Raises:
            ValueError: a seed or the mask cannot be, or there is no such option.
            TypeError: one of them is of the wrong type.
            ResetNeeded: the first reset leaves rows out.
        """
        if self.closed:
            raise self._refusal()
        chosen = self._reset_mask(options)
        if not self._started and not chosen.all():
            raise ResetNeeded(f"row {np.argmin(chosen)}: the first reset must start all rows")
        seeds, given = self._row_seeds(seed)
        if isinstance(seed, int | np.integer):
            super().reset(seed=int(seed))
        for some, values in ((chosen & given, seeds), (chosen & ~given, None)):
            if some.any():
                self._batch.reset(values, None if some.all() else some)
        self._started = True
        told = self._round_ended & chosen
        if chosen.all():
            infos = self._infos(bool(told.any()))
        else:
            infos = self._infos_of(chosen.nonzero()[0], chosen)
            if told.any():
                self._add_results(infos, told, self._name(self._batch.results * told[:, None]))
        return self._observations(), infos

    def step(self, actions: ArrayLike) -> Step:
        """Plays one action in every row.

        Args:
            actions: (num_envs,) whole numbers; ``infos["action_mask"]`` tells the legal ones.

        Returns:
            observations, rewards, terminations, truncations and ``infos``.

        Raises:
            ResetNeeded: before the first reset; with autoreset disabled, when a row is over.
            ValueError: the shape is wrong, or an action is illegal under
                ``illegal_action="raise"``; nothing is changed then.
            TypeError: an action is no whole number.
        """
        batch = self._batch
        if self.closed or not self._started:
            raise self._refusal()
        terminated = self._terminated
        if self._disabled and terminated.any():
            raise self._refusal()
        if actions is not batch.actions:  # where sample_actions has put them
            self._put(actions)
        if status := batch.try_step():
            batch.check(status)

        infos = self._infos(1 in batch.round_ended_bytes)
        if (self._same_step or self._shared) and (count := self._final_count[0]):
            self._tell_ends(infos, count)
        if 1 in batch.illegal_bytes:
            told = self._illegal & ~terminated if self._same_step else self._illegal.copy()
            self._tell_illegal(infos, told)

        rewards, truncated = batch.rewards, self._nowhere
        if self.copy:
            rewards, terminated, truncated = rewards.copy(), terminated.copy(), truncated.copy()
        return self._observations(), rewards, terminated, truncated, infos

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
            draw(self.state(row), seat, self.render_mode) for row, seat in enumerate(seats)
        )

    def close_extras(self) -> None:
        """Called by ``close``: gives up what the batch has on a server."""
        self._batches.close()

    # ---- Beyond Gymnasium -------------------------------------------------------------------

    def sample_actions(
        self, logits: ArrayLike | None = None, probabilities: ArrayLike | None = None
    ) -> NDArray[np.int32]:
        """Draws a legal action for every row, in the core: uniformly, or as a policy weighs them.

        What is drawn follows from the seed of the row's episode, the decision, and how many draws
        were made since the last step, so that runs can be repeated.

        Args:
            logits: (num_envs, num_actions) floats; -inf: never. Those of illegal actions are not
                looked at.
            probabilities: the same as numbers of 0 or more, which need not add up to 1.

        Returns:
            (num_envs,) actions for :meth:`step`; 0 in rows that are over.

        Raises:
            ValueError: the shape is wrong, both are given, or a row's weights cannot be.
            ResetNeeded: before the first reset.

        >>> import gymnasium as gym
        >>> envs = gym.make_vec("mhing:Mhing-v0", num_envs=2)
        >>> observations, infos = envs.reset(seed=1)
        >>> actions = envs.sample_actions(probabilities=np.ones((2, 341)))
        """
        self._refuse_unless_started()
        if logits is not None and probabilities is not None:
            raise ValueError("logits, probabilities: give one of them, not both")
        if probabilities is None:
            name, weights = "logits", logits
        else:
            name, weights = "probabilities", probabilities
        array = None if weights is None else self._weights(weights, name)
        self._batch.choose(array, _lib.WEIGHTS[name])
        return self._batch.actions.copy() if self.copy else self._batch.actions

    def action_masks(self) -> NDArray[np.bool_]:
        """(num_envs, num_actions) True for each legal action; all True where a row is over."""
        self._refuse_unless_started()
        return self._batch.masks.astype(np.bool_)

    def observe(self) -> tuple[Observation, Info]:
        """Observations and ``infos`` of all rows as they are, as after :meth:`load`."""
        self._refuse_unless_started()
        return self._observations(), self._infos(False)

    def unpack(self, observations: Observation) -> dict[str, NDArray[np.uint8]]:
        """The named parts of observations, as views; see :meth:`mhing.Game.unpack`."""
        if isinstance(observations, dict):
            observations = observations["observation"]
        return self.game.unpack(observations)

    def omniscient(self, out: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
        """What is hidden from the seats of every row as it is now, for centralised critics.

        Args:
            out: an array to write to; None: a fresh one.

        Returns:
            uint8 (num_envs, omniscient_size), `out` if given: the named parts are
            ``game.omniscient_fields``, and row i is ``state(i).omniscient()``. After a step that
            ends an episode and starts the next one, that is the next one's.

        Raises:
            ValueError: `out` has another shape, is read-only, or does not lie in one piece.
            TypeError: `out` is no array of uint8.
            ResetNeeded: before the first reset.

        >>> import gymnasium as gym
        >>> envs = gym.make_vec("mhing:Mhing-v0", num_envs=2)
        >>> observations, infos = envs.reset(seed=1)
        >>> envs.game.unpack_omniscient(envs.omniscient())["hands"].shape
        (2, 4, 35)
        """
        self._refuse_unless_started()
        shape = (self.num_envs, self.game.omniscient_size)
        if out is None:
            out = np.empty(shape, np.uint8)
        elif not isinstance(out, np.ndarray) or out.dtype != np.uint8:
            kind = out.dtype if isinstance(out, np.ndarray) else type(out).__name__
            raise TypeError(f"out: a {kind}; expected a uint8 array {shape}")
        elif out.shape != shape:
            raise ValueError(f"out: an array {out.shape}; expected {shape}")
        elif not (out.flags.c_contiguous and out.flags.writeable):
            raise ValueError("out: not an array that lies in one piece and may be written to")
        self._batch.omniscient(out)
        return out

    def state(self, row: int) -> State:
        """A copy of a row's state, hidden cards included, for search and tools."""
        return State(self.game, self._batch.state(self._row(row)))

    def save(self, row: int) -> bytes:
        """A snapshot of a row for :meth:`load`: its state and all that its later steps depend on.

        Raises:
            IndexError: there is no such row.
            ResetNeeded: before the first reset.
        """
        return self._batch.save_row(self._row(row))

    def load(self, row: int, snapshot: bytes) -> None:
        """Goes on in a row from a snapshot, of this batch or one with the same options.

        :meth:`observe` then shows what is to be decided there.

        Raises:
            ValueError: the bytes are no snapshot of a row of this game and these options.
            IndexError: there is no such row.
            TypeError: `snapshot` is no bytes.
            ResetNeeded: before the first reset.
        """
        row = self._row(row)
        if not isinstance(snapshot, bytes):
            raise TypeError(f"snapshot: {snapshot!r} is no bytes; save(row) gives them")
        self._batch.load_row(row, snapshot)

    def copy_row(self, source: int, target: int) -> None:
        """Goes on in the row `target` from where the row `source` is, as if saved and loaded."""
        self._batch.copy_row(self._row(source), self._row(target))

    def __reduce__(self) -> Any:
        raise TypeError(
            "an environment cannot be copied or pickled: "
            "save and load its rows, or make another one with gym.make_vec(envs.spec)"
        )

    # ---- What goes in -----------------------------------------------------------------------

    def _put(self, actions: ArrayLike) -> None:
        """Hands on the actions; those beyond 32 bits are as illegal as any other."""
        target = self._batch.actions
        array = _array(actions, "actions")
        if array.shape != target.shape:
            raise ValueError(
                f"actions: an array {array.shape}; expected {target.shape}, one for each row"
            )
        if array.dtype.kind not in "iu":
            numbers = [_lib.whole(number, f"actions[{row}]") for row, number in enumerate(array)]
            array = np.array(
                [number if 0 <= number < self.game.num_actions else -1 for number in numbers]
            )
        np.copyto(target, array, casting="unsafe")
        if array.dtype != np.int32:
            target[target != array] = -1

    def _row_seeds(self, seed: Any) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
        """A seed for every row, and which of them were given."""
        if seed is None:
            seeds: list[Any] = [None] * self.num_envs
        elif isinstance(seed, str | bytes) or not hasattr(seed, "__len__"):
            first = _lib.whole(seed, "seed")
            seeds = [first + row for row in range(self.num_envs)]
        else:
            seeds = list(seed)
        if len(seeds) != self.num_envs:
            raise ValueError(f"seed: {len(seeds)} given for {self.num_envs} rows")
        given = np.array([number is not None for number in seeds])
        if not self._started:
            given[:] = True
        elif not given.any():
            return self._batch.seeds, given
        numbers = []
        for row, number in enumerate(seeds):
            try:
                numbers.append(_lib.seed64(number))
            except (TypeError, ValueError) as error:
                raise type(error)(f"row {row}: {error}") from None
        return np.array(numbers, np.uint64), given

    def _reset_mask(self, options: dict[str, Any] | None) -> NDArray[np.bool_]:
        options = dict(options or {})
        mask = options.pop("reset_mask", None)
        if options:
            raise ValueError(
                f"options: {next(iter(options))!r} is unknown; the reset of a batch takes "
                "'reset_mask'"
            )
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            kind = mask.dtype if isinstance(mask, np.ndarray) else type(mask).__name__
            raise TypeError(f"reset_mask: a {kind}; expected a bool array ({self.num_envs},)")
        if mask.shape != (self.num_envs,):
            raise ValueError(f"reset_mask: an array {mask.shape}; expected ({self.num_envs},)")
        if not mask.any():
            raise ValueError("reset_mask: no row is chosen; at least one has to be")
        return mask

    def _weights(self, weights: ArrayLike, name: str) -> NDArray[np.float32]:
        array, shape = _array(weights, name), self._batch.masks.shape
        if array.dtype.kind not in "iuf":
            raise TypeError(f"{name}: numbers of type {array.dtype}; expected float32")
        if array.shape != shape:
            raise ValueError(f"{name}: an array {array.shape}; expected {shape}")
        with np.errstate(over="ignore"):
            return np.ascontiguousarray(array, np.float32)

    def _row(self, row: int) -> int:
        self._refuse_unless_started()
        number = _lib.whole(row, "row")
        if not 0 <= number < self.num_envs:
            raise IndexError(f"row: {number} is not from 0 to {self.num_envs - 1}")
        return number

    # ---- What comes out ---------------------------------------------------------------------

    def _untold(self) -> list[str]:
        """The batch's arrays from which nothing is told: not to write them saves time."""
        untold = ["info"]
        if not self._same_step:
            untold += _lib.LAST_INFO
            if not self._shared:
                untold += _lib.LAST_SEEN
        return untold

    def _observations(self) -> Observation:
        observations, masks = self._batch.observations, self._batch.masks
        if self._dict:
            if self.copy:
                observations, masks = observations.copy(), masks.copy()
            return {"observation": observations, "action_mask": masks}
        return observations.copy() if self.copy else observations

    def _infos(self, rounds: bool) -> Info:
        """What all rows are told beside observations, and those in which rounds have ended."""
        told = self._told_of_rounds if rounds else self._told_always
        return {n: v.copy() for n, v in told.items()} if self.copy else told.copy()

    def _infos_of(self, rows: NDArray[np.intp], present: NDArray[np.bool_]) -> Info:
        """The same, but of some rows alone."""
        batch = self._batch
        return {
            "action_mask": self._spread(rows, batch.masks[rows]),
            "_action_mask": present.copy(),
            "seat": self._spread(rows, batch.seats[rows]),
            "_seat": present.copy(),
            "seed": self._spread(rows, batch.seeds[rows]),
            "_seed": present.copy(),
        }

    def _tell_ends(self, infos: Info, count: int) -> None:
        """Adds the last observations of episodes that have ended, their last infos under
        ``"same_step"``, and the last rewards of all seats where they are the caller's.
        """
        present = self._terminated.copy() if self.copy else self._terminated
        infos["final_obs"], infos["_final_obs"] = self._last_observations(count), present
        if self._shared:
            rewards = self._batch.final_rewards
            infos["seat_rewards"] = rewards.copy() if self.copy else rewards
            infos["_seat_rewards"] = present
        if self._same_step:
            infos["final_info"], infos["_final_info"] = self._final(present, count), present

    def _last_observations(self, count: int) -> NDArray[np.object_]:
        rows, seen = self._batch.final_rows[:count].copy(), self._last_seen[:count]
        if self.copy:
            last = np.empty(self.num_envs, np.object_)
        else:
            last = self._last
            last[self._ended] = None
            self._ended = rows
        last[rows] = seen
        if self.copy or self._dict:
            for row in rows.tolist():
                observation = last[row].copy() if self.copy else last[row]
                if self._dict:
                    masks = np.ones((*observation.shape[:-1], self.game.num_actions), np.int8)
                    observation = {"observation": observation, "action_mask": masks}
                last[row] = observation
        return last

    def _final(self, present: NDArray[np.bool_], count: int) -> Info:
        """The last infos of the `count` episodes that have ended and been followed by others."""
        batch = self._batch
        seats, seeds = batch.final_seats, batch.final_seeds
        told, results = self._final_round_ended, self._final_results
        if self.copy:
            seats, seeds, told = seats.copy(), seeds.copy(), told.copy()
        # All 1 in these rows, all 0 in the others: one number a row, seen as often as needed.
        masks: NDArray[np.int8] = np.ndarray(batch.masks.shape, np.int8, present, strides=(1, 0))
        final = {
            "action_mask": masks,
            "_action_mask": present,
            "seat": seats,
            "_seat": present,
            "seed": seeds,
            "_seed": present,
        }
        rounds = np.count_nonzero(told)
        if rounds < count:  # illegal actions ended the others, whose numbers are old news
            results = self._name(batch.final_info * told[:, None])
        if rounds:
            self._add_results(final, told, results)
        if 1 in batch.illegal_bytes:
            self._tell_illegal(final, self._illegal & present)
        return final

    def _name(self, numbers: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
        """The public numbers of all rows by name, as views."""
        return {
            name: numbers[:, part.start] if name in self._single else numbers[:, part]
            for name, part in self._parts.items()
        }

    def _add_results(
        self,
        infos: Info,
        told: NDArray[np.bool_],
        results: dict[str, NDArray[np.int64]],
    ) -> None:
        """Adds the public numbers of the rows in which a round has ended."""
        infos.update({n: v.copy() for n, v in results.items()} if self.copy else results)
        infos.update(dict.fromkeys(self._present, told))

    def _tell_illegal(self, infos: Info, illegal: NDArray[np.bool_]) -> None:
        if illegal.any():
            infos["illegal_action"], infos["_illegal_action"] = illegal, illegal.copy()

    def _spread(self, rows: NDArray[np.intp], values: NDArray[Any]) -> NDArray[Any]:
        """Values of some rows as an array of all, zero in the others."""
        array = np.zeros((self.num_envs, *values.shape[1:]), values.dtype)
        array[rows] = values
        return array

    # ---- The order of calls -----------------------------------------------------------------

    def _refuse_unless_started(self) -> None:
        if self.closed or not self._started:
            raise self._refusal()

    def _refusal(self) -> Exception:
        """Why nothing can be done now."""
        if self.closed:
            return ClosedEnvironmentError("the environment is closed; make another one")
        if not self._started:
            return ResetNeeded("call reset() first")
        row = int(np.argmax(self._terminated))
        return ResetNeeded(
            f"row {row}: its episode is over; with autoreset disabled call "
            "reset(options={'reset_mask': terminations}) first"
        )


def _array(values: ArrayLike, name: str) -> NDArray[Any]:
    try:
        return np.asarray(values)
    except ValueError as error:  # lines of different lengths
        raise ValueError(f"{name}: they make no array: {error}") from None
