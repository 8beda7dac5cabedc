"""``CardGameVectorEnv``: many rows of a card game stepped by one call into the core.

It returns the same bytes as Gymnasium's ``SyncVectorEnv`` of as many
:class:`mhing.env.CardGameEnv`, except that rewards are float32. No Python runs for single rows,
except for the last observations of episodes, and for callables that play.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from numpy.typing import ArrayLike, NDArray

from mhing import spaces
from mhing._lib.arguments import one_of, positive, truth
from mhing._lib.hold import held
from mhing._lib.rows import AUTORESET, CALLER, ILLEGAL, WEIGHTS, LocalBatch
from mhing._lib.scenes import LOOKS
from mhing._support import copies
from mhing._support.environments import OBS_MODES, make_game
from mhing._support.seats import seat_number
from mhing.batches import Batches, Endpoint
from mhing.env import CardGameEnv, Info, Observation
from mhing.game import DEFAULT_GAME
from mhing.options import Options
from mhing.players.lineups import Lineups, Opponents
from mhing.players.pool import Pool
from mhing.players.seating import has_self
from mhing.vector import inputs
from mhing.vector.current import CurrentRows
from mhing.vector.guests import BatchGuests
from mhing.vector.report import Step, StepReport, unreported
from mhing.vector.row import EnvRow, attributes

if TYPE_CHECKING:
    from typing_extensions import Unpack


_RENDER_MODES = [mode for mode in CardGameEnv.metadata["render_modes"] if mode != "human"]


class CardGameVectorEnv(CurrentRows):
    """Rows of a card game; the caller plays one seat or several of each row.

    >>> import gymnasium as gym
    >>> envs = gym.make_vec("mhing:Mhing-v0", num_envs=1024, opponents="random", num_threads=2)
    >>> observations, infos = envs.reset(seed=1)
    >>> actions = envs.sample_actions()
    >>> observations, rewards, terminations, truncations, infos = envs.step(actions)

    It takes one call at a time: a call that another thread makes meanwhile raises RuntimeError and
    changes nothing. Its `num_threads` are internal.

    Every step returns arrays with one line per row: observations uint8 (num_envs,
    observation_size), rewards float32, terminations and truncations (all False) bool. Row i after
    ``reset(seed=s)`` is the single environment after ``reset(seed=s + i)``, byte for byte, whatever
    `num_envs` and `num_threads` are. ``infos`` follows Gymnasium's vector environments. Each entry
    ``"name"`` comes with ``"_name"``, bool (num_envs,), which marks the rows that have it; other
    rows hold zeros or None:

    - ``action_mask`` int8 (num_envs, num_actions): all 1 where the episode is over; ``seat`` int64
      (num_envs,), for all rows (after a reset with ``reset_mask``, for its rows);
    - in rows where an episode began or a round ended in this step, all public numbers
      (``game.info_fields``) as int64 arrays, labelled ones too: ``parts`` (num_envs, 19), one
      number for each of ``game.labels["parts"]``; and ``illegal_action`` in rows whose action was
      not legal;
    - ``earlier_rounds`` in rows where bots ended several rounds: an object array of lists, of the
      public numbers by name after each round but the last;
    - under ``"same_step"``, in rows whose episode ended: ``final_obs`` (an object array of
      observations) and ``final_info`` (infos of the step that ended it).

    With ``"self"`` among the opponents the caller plays several seats of a row. Then ``seat`` is
    the seat to act, observation and mask belong to it, and the reward is what it earned since its
    own last decision. When an episode ends, no reward is lost. In every autoreset mode ``infos``
    has ``seat_rewards`` float32 (num_envs, num_seats), what each seat earned since its last reward;
    reward and seat of the row itself are then those of the argument `seat`. The entries of
    ``final_obs`` hold what all seats see at the end: (num_seats, observation_size).

    Args:
        num_envs: how many rows.
        game: the game's id.
        num_threads: how many threads share a step, at most as many as the machine has processors
            (or 4); results do not depend on it.
        copy: True: every call returns fresh arrays. False: observations, rewards, terminations and
            what ``infos`` hold (the observations of ``final_obs`` too) are the batch's own arrays,
            which the next call of :meth:`step`, :meth:`reset`, :meth:`load` or :meth:`copy_row`
            overwrites. That takes two thirds of the time; copy what you keep. Do not write to these
            arrays. :meth:`sample_actions` also returns such an array, which its next call
            overwrites; you may change it before the step.
        autoreset_mode: ``"next_step"``: the step after the end of an episode ignores the row's
            action and starts the next one; ``"same_step"``: the step that ends an episode starts
            the next one; ``"disabled"``: rows that are over must be reset with ``reset_mask``. Or
            the member of Gymnasium's ``AutoresetMode``.
        opponents: the players of the other seats of a row: one for all, named or given as
            :mod:`mhing.players` says, or ``"self"`` for the caller; or a list, one for each seat
            clockwise from `seat`; or a :class:`mhing.players.Pool`, of which each episode meets one
            member. None: ``game.default_bot``, ``"greedy"`` in most games. A
            callable with a method ``choose_rows(observations, masks)`` is asked once for all rows
            that wait for it, see :data:`mhing.players.Policy`; others are asked row by row, in the
            order of the rows. They must not use this environment. When one fails, the call that it
            was asked in raises and changes nothing.
        seat: the caller's seat; None: drawn from the seed of each episode.
        illegal_action: ``"terminate"`` (the row's episode ends, reward -1), ``"raise"``
            (ValueError, all rows are as they were) or ``"random"`` (a random legal action is
            played instead).
        obs_mode: ``"flat"``, or ``"dict"`` with ``observation`` and ``action_mask``.
        render_mode: ``"ansi"``, ``"rgb_array"``, ``"svg"`` or None.
        look: what pictures are painted in, one of ``mhing.render.LOOKS`` such as ``"dark"``.
        seed_info: whether infos have ``seed`` int64 (num_envs,), see
            :class:`mhing.env.CardGameEnv`.
        endpoint: a server to play on, see :class:`mhing.env.CardGameEnv`; the server chooses its
            own number of threads.
        options: any option of the game by name; see :class:`mhing.Game`.

    Raises:
        ValueError: an argument has a value that it cannot have.
        TypeError: there is no such argument or option, or a value is of the wrong type.
    """

    closed = True
    """Until it is made: Gymnasium closes what is deleted, also what could not be made."""

    def __init__(
        self,
        num_envs: int = 1,
        *,
        game: str = DEFAULT_GAME,
        num_threads: int = 1,
        copy: bool = True,
        autoreset_mode: str | AutoresetMode = "next_step",
        opponents: Opponents = None,
        seat: int | None = None,
        illegal_action: str = "terminate",
        obs_mode: str = "flat",
        render_mode: str | None = None,
        look: str = "felt",
        seed_info: bool = False,
        endpoint: Endpoint = None,
        **options: Unpack[Options],
    ) -> None:
        self._settings = copies.settings_of(locals())
        self._batches = Batches(endpoint)
        self.num_envs = positive(num_envs, "num_envs")
        self.num_threads = positive(num_threads, "num_threads")
        self.game = make_game(game, options, type(self))
        self.copy = truth("copy", copy)
        self.autoreset_mode = inputs.autoreset(autoreset_mode)
        one_of("illegal_action", illegal_action, list(ILLEGAL))
        one_of("obs_mode", obs_mode, list(OBS_MODES))
        if render_mode is not None:
            one_of("render_mode", render_mode, _RENDER_MODES)
        self.render_mode = render_mode
        one_of("look", look, list(LOOKS))
        self.look = look
        self.metadata = {
            **CardGameEnv.metadata,
            "render_modes": _RENDER_MODES,
            "autoreset_mode": self.autoreset_mode,
        }

        self._lineups = Lineups(
            self.game, opponents, rows=self.num_envs, seat=seat, also="'self', ", guests=True
        )
        if self._lineups.pool is not None and endpoint is not None:
            raise ValueError("opponents: a server does not draw from a pool; leave out endpoint")
        if self._lineups.guests and endpoint is not None:
            raise ValueError(
                "opponents: a server does not ask policies; leave out endpoint, or give built-in "
                "bots or 'self'"
            )
        shared = CALLER in self._lineups.first[1:]
        self._same_step = self.autoreset_mode is AutoresetMode.SAME_STEP
        self._disabled = self.autoreset_mode is AutoresetMode.DISABLED
        self._batch = self._batches.make(
            self.game._handle,
            rows=self.num_envs,
            seat=-1 if seat is None else seat_number(self.game, seat),
            players=self._lineups.first,
            illegal=ILLEGAL[illegal_action],
            autoreset=AUTORESET[self.autoreset_mode.name.lower()],
            threads=self.num_threads,
            without=unreported(shared, self._same_step),
        )

        self._shared = shared
        self._guests: BatchGuests | None = None
        self._lineups.bind(self._batch)
        self._seat_guests()

        as_dict = obs_mode == "dict"
        self.single_action_space = spaces.action_space(self.game)
        self.action_space = spaces.batch_space(self.single_action_space, self.num_envs)
        self.single_observation_space = spaces.observation_space(self.game, as_dict)
        self.observation_space = spaces.batch_space(self.single_observation_space, self.num_envs)

        self._report = StepReport(
            self.game,
            self._batch,
            copy=copy,
            as_dict=as_dict,
            shared=shared,
            followed=self._same_step,
            forfeits=illegal_action == "terminate",
            tells_seeds=truth("seed_info", seed_info),
        )
        self._started = False
        self.closed = False

    # ---- Gymnasium --------------------------------------------------------------------------

    @held
    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observation, Info]:
        """Start an episode in every row, or in those of a mask.

        Args:
            seed: an int s, 0 to 2**64 - 1: row i begins the sequence of episodes of seed s + i; or
                one for each row. None, also for a single row: the next episode of its sequence
                (the first one of all: from fresh entropy).
            options: ``{"reset_mask": m}``, m bool (num_envs,): only these rows start anew, and
                ``infos`` covers these rows only; observations cover all.

        Returns:
            Observations and ``infos``.

        Raises:
            ValueError: a seed or the mask is invalid, or there is no such option.
            TypeError: one of them is of the wrong type.
            ResetNeeded: the first reset leaves rows out.
        """
        if self.closed:
            raise self._refusal()
        chosen = inputs.reset_mask(options, self.num_envs)
        if not self._started and not chosen.all():
            raise ResetNeeded(f"row {np.argmin(chosen)}: the first reset must start all rows")
        own = self._batch.seeds if self._started else None
        seeds, given = inputs.row_seeds(seed, own, self.num_envs)
        if isinstance(seed, int | np.integer):
            super().reset(seed=int(seed))
        self._lineups.update()
        self._seat_guests()
        self._lineups.begin(chosen.nonzero()[0].tolist())
        for some, values in ((chosen & given, seeds), (chosen & ~given, None)):
            if some.any():
                self._play(partial(self._batch.reset, values, None if some.all() else some))
        self._started = True
        return self._report.of_reset(chosen)

    def step(self, actions: ArrayLike) -> Step:
        """Play one action in every row.

        Args:
            actions: (num_envs,) whole numbers; ``infos["action_mask"]`` marks the legal ones.

        Returns:
            observations, rewards, terminations, truncations and ``infos``.

        Raises:
            ResetNeeded: before the first reset; with autoreset disabled, when a row is over.
            ValueError: the shape is wrong, or an action is illegal under
                ``illegal_action="raise"``; nothing changes then.
            TypeError: an action is not a whole number.
            RuntimeError: an opponent's callable has raised an exception; nothing changes then.
        """
        batch = self._batch
        hold = batch.hold
        try:
            del hold.free
        except AttributeError:
            hold.wait_or_refuse()
            del hold.free
        try:
            if self.closed or not self._started:
                raise self._refusal()
            if self._disabled and self._report.terminated.any():
                raise self._refusal(self._report.terminated)
            if actions is not batch.actions:  # where sample_actions has put them
                inputs.put_actions(actions, batch.actions, self.game.num_actions)
            if has_pools := self._lineups.has_pools:
                self._lineups.update()
                self._seat_guests()
            shown = None
            if self._guests is not None:
                self._guests.complete(batch.step)
            elif self.copy:
                shown = self._report.unset()
                if status := batch.try_step_to(*shown):
                    batch.check(status)
            elif status := batch.try_step():
                batch.check(status)
            if has_pools:
                self._lineups.tell()
            return self._report.of_step(shown)
        finally:
            hold.free = True

    @held
    def step_rows(self, rows: ArrayLike, actions: ArrayLike) -> Step:
        """Play one action in some of the rows; the others stay as they are.

        >>> import gymnasium as gym
        >>> envs = gym.make_vec("mhing:Mhing-v0", num_envs=4)
        >>> observations, infos = envs.reset(seed=1)
        >>> actions = envs.sample_actions()
        >>> observations, rewards, *_, infos = envs.step_rows([3, 0], actions[[3, 0]])
        >>> infos["_seat"]
        array([ True, False, False,  True])

        Args:
            rows: which rows: (n,) numbers, or bool (num_envs,).
            actions: (n,) whole numbers, in the same order.

        Returns:
            As :meth:`step`, for all rows. Rows that are left out have their observation, reward 0
            and no termination; ``infos`` covers the rows that were stepped only.

        Raises:
            ValueError: there is no such row, or one comes twice; or as for :meth:`step`.
            TypeError: a number is not a whole one.
            ResetNeeded: before the first reset; with autoreset disabled, when one of the rows is
                over.
            RuntimeError: an opponent's callable has raised an exception; nothing changes then.
            NotImplementedError: the rows are on a server.
        """
        self._refuse_unless_started()
        batch = self._batch
        numbers = inputs.rows(rows, self.num_envs)
        chosen = np.zeros(self.num_envs, np.bool_)
        chosen[numbers] = True
        if self._disabled and (over := self._report.terminated & chosen).any():
            raise self._refusal(over)
        given = np.empty(len(numbers), np.int32)
        inputs.put_actions(actions, given, self.game.num_actions)
        batch.actions[numbers] = given
        self._lineups.update()
        self._seat_guests()
        self._play(partial(batch.step_chosen, chosen))
        self._lineups.tell()
        return self._report.of_step(chosen=chosen)

    @held
    def close_extras(self) -> None:
        """Called by ``close``: gives up what the batch has on a server, and ends programs."""
        self._lineups.close()
        self._batches.close()

    def call(self, name: str, *arguments: Any, **keywords: Any) -> tuple[Any, ...]:
        """Return the results of a method of each row, or an attribute, as ``SyncVectorEnv`` does.

        Rows have ``action_masks()``, ``legal_actions()``, ``render()``, ``unpack()``, ``state``,
        ``game``, ``look``, ``render_mode``, ``opponents``, ``member`` and their spaces.
        ``set_opponents`` is for all at once.

        Raises:
            AttributeError: rows have no such method or attribute.

        >>> import gymnasium as gym
        >>> envs = gym.make_vec("mhing:Mhing-v0", num_envs=2)
        >>> observations, infos = envs.reset(seed=1)
        >>> [actions.shape for actions in envs.call("legal_actions")]
        [(14,), (13,)]
        """
        if name == "action_masks":
            return tuple(self.action_masks())
        if name == "opponents":
            return (self.opponents,) * self.num_envs
        if name == "set_opponents":
            self.set_opponents(*arguments, **keywords)
            return (None,) * self.num_envs
        found = attributes((EnvRow(self, row) for row in range(self.num_envs)), name)
        return tuple(one(*arguments, **keywords) if callable(one) else one for one in found)

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Return an attribute of each row; the same as :meth:`call` without arguments."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute of all rows: ``look`` can be set.

        Args:
            name: of the attribute.
            values: one for all rows, or a list with the same one for each row.

        Raises:
            AttributeError: rows have no such attribute, or it cannot be set.
            ValueError: there is no such look, or not the same one for each row.
        """
        if name == "opponents":
            raise AttributeError("opponents: they are not assigned; call set_opponents(...)")
        if name != "look":
            raise AttributeError(f"{name}: no attribute of rows that can be set; look can be")
        given = list(values) if isinstance(values, list | tuple) else [values] * self.num_envs
        if len(given) != self.num_envs or given.count(given[0]) < self.num_envs:
            raise ValueError(f"{name}: {given} given; expected the same for {self.num_envs} rows")
        one_of(name, given[0], list(LOOKS))
        self.look = given[0]

    # ---- Beyond Gymnasium -------------------------------------------------------------------

    @held
    def sample_actions(
        self, logits: ArrayLike | None = None, probabilities: ArrayLike | None = None
    ) -> NDArray[np.int32]:
        """Draw a legal action for every row, in the core: uniformly, or as a policy weighs them.

        The draw depends on the seed of the row's episode, the decision, and the number of draws
        since the last step only, so runs can be repeated.

        Args:
            logits: (num_envs, num_actions) floats, such as a tensor of PyTorch or JAX, also one
                that needs its gradient; -inf: never. Those of illegal actions are ignored.
            probabilities: (num_envs, num_actions) numbers, 0 or more; they need not add up to 1.

        Returns:
            (num_envs,) actions for :meth:`step`; 0 in rows that are over.

        Raises:
            ValueError: the shape is wrong, both are given, or a row's weights are invalid.
            ResetNeeded: before the first reset.

        >>> import gymnasium as gym
        >>> envs = gym.make_vec("mhing:Mhing-v0", num_envs=2)
        >>> observations, infos = envs.reset(seed=1)
        >>> actions = envs.sample_actions(probabilities=np.ones((2, 341)))
        """
        self._refuse_unless_started()
        batch = self._batch
        if logits is not None and probabilities is not None:
            raise ValueError("logits, probabilities: give one of them, not both")
        if logits is not None:
            self._choose("logits", logits)
        elif probabilities is not None:
            self._choose("probabilities", probabilities)
        elif status := batch.try_draw():
            batch.check(status)
        return batch.actions.copy() if self.copy else batch.actions

    @held
    def save(self, row: int) -> bytes:
        """A snapshot of a row for :meth:`load`: its state and all else that its next steps depend
        on.

        Raises:
            IndexError: there is no such row.
            ResetNeeded: before the first reset.
        """
        return self._batch.save_row(self._row(row))

    @held
    def load(self, row: int, snapshot: bytes) -> None:
        """Continue a row from a snapshot of this batch, or of one with the same options.

        :meth:`observe` then returns the row's observation and mask.

        Raises:
            ValueError: the bytes are not a snapshot of a row of this game and these options, or its
                opponents have gone from the pool since.
            IndexError: there is no such row.
            TypeError: `snapshot` is not bytes.
            ResetNeeded: before the first reset.
        """
        row = self._row(row)
        if not isinstance(snapshot, bytes):
            raise TypeError(f"snapshot: {snapshot!r} is not bytes; save(row) returns them")
        self._lineups.load(self._batch, row, snapshot)

    @held
    def copy_row(self, source: int, target: int) -> None:
        """Continue the row `target` from where the row `source` is, as if saved and loaded."""
        self._batch.copy_row(self._row(source), self._row(target))

    @held
    def __reduce__(self) -> Any:
        """Copy or pickle for use from here on; callables are copied by their rules."""
        if self.closed:
            raise self._refusal()
        self._lineups.refuse_copy()
        rows = [self._batch.save_row(row) for row in range(self.num_envs * self._started)]
        return copies.parts(self, self._settings, rows or None)

    # ---- Opponents --------------------------------------------------------------------------

    @property
    def opponents(self) -> Opponents:
        """The players of the other seats as they were given; :meth:`set_opponents` changes them."""
        return self._lineups.given

    @opponents.setter
    def opponents(self, opponents: Opponents) -> None:
        raise AttributeError("opponents: they are not assigned; call set_opponents(...)")

    @held
    def set_opponents(self, opponents: Opponents) -> None:
        """Seat other opponents in the episodes that begin from now on; those in play keep theirs.

        Args:
            opponents: as at the beginning; ``"self"`` only if it was among them then.

        Raises:
            ValueError, TypeError, ModuleNotFoundError: as at the beginning; nothing changes then.
            NotImplementedError: the rows are on a server.

        >>> import gymnasium as gym
        >>> envs = gym.make_vec("mhing:Mhing-v0", num_envs=2, opponents="random")
        >>> envs.set_opponents("greedy")
        >>> envs.opponents
        'greedy'
        """
        if not (self._shared or isinstance(opponents, Pool)) and has_self(opponents):
            raise ValueError("opponents: 'self' has to be among them when the environment is made")
        self._lineups.change(opponents)
        self._seat_guests()

    @property
    @held
    def members(self) -> list[str]:
        """(num_envs,) the name of the pool's member that each row's episode meets."""
        self._refuse_unless_started()
        return [self._lineups.member(row) for row in range(self.num_envs)]

    # ---- Inside -----------------------------------------------------------------------------

    def _seat_guests(self) -> None:
        """Let policies that are new among the opponents be asked."""
        if self._guests is None and self._lineups.guests:
            assert isinstance(self._batch, LocalBatch)
            self._guests = BatchGuests(self.game, self._batch, self._lineups)

    def _play(self, call: Callable[[], None]) -> None:
        """Make a call into the batch, the policies among the opponents included."""
        if self._guests is None:
            call()
        else:
            self._guests.complete(call)

    def _continue(self, snapshots: list[bytes]) -> None:
        """Start all rows from snapshots."""
        begin = partial(self._batch.reset, np.zeros(self.num_envs, np.uint64))
        if self._guests is None:
            begin()
        else:
            self._guests.skip(begin)
        for row, snapshot in enumerate(snapshots):
            self._lineups.load(self._batch, row, snapshot)
        self._started = True

    def _choose(self, name: str, weights: ArrayLike) -> None:
        """Draw actions as the argument `name` weighs them."""
        array = inputs.weights(weights, name, self._batch.masks.shape)
        self._batch.choose(array, WEIGHTS[name])
