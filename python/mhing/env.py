"""``CardGameEnv``: one seat of a card game as a Gymnasium environment, the same for every game."""

from __future__ import annotations

import struct
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import gymnasium as gym
import numpy as np
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from numpy.typing import NDArray

from mhing import spaces
from mhing._lib.arguments import one_of, seed64, signed_seed, truth, whole
from mhing._lib.hold import Hold, held, readable
from mhing._lib.rows import ILLEGAL, LAST_INFO, LAST_OBSERVED
from mhing._lib.scenes import LOOKS
from mhing._support import copies
from mhing._support.environments import INFOS, OBS_MODES, Forfeits, draw, make_game
from mhing._support.seats import seat_number
from mhing.batches import Batch, Batches, Endpoint
from mhing.game import DEFAULT_GAME, State
from mhing.options import Options
from mhing.players.asking import ask
from mhing.players.lineups import Lineups, Opponents
from mhing.players.player import Command, Player
from mhing.players.pool import Pool

if TYPE_CHECKING:
    from typing_extensions import Unpack


Observation: TypeAlias = NDArray[np.uint8] | dict[str, NDArray[Any]]
Info: TypeAlias = dict[str, Any]

_MAGIC = b"MHE1"  # of snapshots, with the version of their head
_HEAD = struct.Struct("<4sbd")
"""The magic, the seat of a reset's option (-1: none), and the reward before the first decision."""

_NUMBERS = frozenset((int, np.int64, np.int32))
"""The types of nearly all actions. Others are asked whether they are numbers: a bool of PyTorch
would be taken for one."""


class _Row:
    """A batch of one row, its arrays as Python numbers (memoryviews give them fastest)."""

    __slots__ = (
        "actions", "batch", "changes", "illegal", "info", "lineups", "mask", "observation",
        "rewards", "round_ended", "seats", "step_parts", "terminated",
    )  # fmt: skip

    def __init__(self, batch: Batch, lineups: Lineups) -> None:
        self.batch, self.lineups = batch, lineups
        self.actions = batch.actions.data
        self.terminated = batch.terminated.data
        self.illegal = batch.illegal.data
        self.seats = batch.seats.data
        self.rewards = batch.rewards.data
        self.observation = batch.observations[0]
        self.mask = batch.masks[0]
        self.info = batch.info[0]
        self.round_ended = batch.round_ended.data
        self.changes = batch.changes.data
        # For a step to unpack at once, which takes less than to look up each.
        self.step_parts = (batch.try_play, self.observation.copy, self.mask.copy)


class CardGameEnv(gym.Env[Any, Any]):
    """One seat of a card game; the other seats are played inside :meth:`step`.

    >>> import gymnasium as gym
    >>> env = gym.make("mhing:Mhing-v0", opponents="random", num_players=3)
    >>> observation, info = env.reset(seed=1)
    >>> action = env.action_space.sample(info["action_mask"])
    >>> observation, reward, terminated, truncated, info = env.step(action)

    An environment takes one call at a time: a call that another thread makes meanwhile raises
    RuntimeError and changes nothing. An opponent's callable may look, but not step or reset.

    Observations are uint8 vectors of named fields (``env.unwrapped.unpack(observation)``), each a
    fresh copy. Seats are relative to the learner's. ``info`` holds

    - ``action_mask`` int8 (num_actions,): 1 for each legal action; all 1 when the episode is over,
    - ``seat``: the learner's seat in this episode,
    - after a reset, and when a round ended in this step, all public numbers
      (``game.info_fields``), such as ``winner``, ``credits``, ``scores``: int, or int64 arrays,
      labelled ones too (``game.parts_text(info["parts"])`` has them in words),
    - ``earlier_rounds``: where bots ended several rounds in this step, a list of the public numbers
      after each but the last, in their order,
    - ``illegal_action``: True, only when this step's action was not legal.

    Episodes that would end before the learner is asked anything are skipped.

    Args:
        game: the game's id.
        opponents: the players of the other seats: one for all, named or given as
            :mod:`mhing.players` says; or a list, one for each seat clockwise from the learner's;
            or a :class:`mhing.players.Pool`, of which each episode meets one member. None:
            ``game.default_bot``, ``"greedy"`` in most games.
        seat: the learner's seat; None: drawn from the seed of each episode.
        illegal_action: ``"terminate"`` (the episode ends, reward -1), ``"raise"`` (ValueError, the
            game is as it was) or ``"random"`` (a random legal action is played instead).
        obs_mode: ``"flat"``, or ``"dict"`` with ``observation`` and ``action_mask``.
        render_mode: ``"ansi"`` (text), ``"human"`` (text, printed after every step),
            ``"rgb_array"``, ``"svg"`` or None; hidden cards are not shown.
        look: what pictures are painted in, one of ``mhing.render.LOOKS`` such as ``"dark"``.
        info: ``"changes"``: infos as above. ``"even"``: each one has the same entries, for
            libraries that stack them: all public numbers as they are now, and
            ``illegal_action``, True or False; but never ``earlier_rounds``.
        seed_info: whether infos have the ``seed`` of the episode, an int64 (less 2**64 from 2**63
            on, which everything that takes a seed understands). It gives away all cards, by
            ``game.new_state(seed)``: keep such infos from players.
        endpoint: a server to play on, its address or what :func:`mhing.connect` returns; None: this
            process. Results are the same.
        options: any option of the game by name, such as ``num_players``, ``rules``, ``episode``
            (``"round"`` or ``"game"``), ``reward`` and ``hints``; see :class:`mhing.Game`.

    Raises:
        ValueError: an argument has a value that it cannot have.
        TypeError: there is no such argument or option, or a value is of the wrong type.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  as Gymnasium declares it
        "render_modes": ["ansi", "human", "rgb_array", "svg"],
        "render_fps": 4,
    }

    def __init__(
        self,
        game: str = DEFAULT_GAME,
        *,
        opponents: Opponents = None,
        seat: int | None = None,
        illegal_action: str = "terminate",
        obs_mode: str = "flat",
        render_mode: str | None = None,
        look: str = "felt",
        info: str = "changes",
        seed_info: bool = False,
        endpoint: Endpoint = None,
        **options: Unpack[Options],
    ) -> None:
        self._settings = copies.settings_of(locals())
        self.game = make_game(game, options, type(self))
        one_of("illegal_action", illegal_action, list(ILLEGAL))
        one_of("obs_mode", obs_mode, list(OBS_MODES))
        one_of("info", info, list(INFOS))
        if render_mode is not None:
            one_of("render_mode", render_mode, self.metadata["render_modes"])
        self.render_mode = render_mode
        one_of("look", look, list(LOOKS))
        self.look = look
        self._human = render_mode == "human"
        self._illegal_action = illegal_action
        self._dict = obs_mode == "dict"
        self._even = info == "even"
        self._tells_seed = truth("seed_info", seed_info)
        if isinstance(opponents, Pool) and endpoint is not None:
            raise ValueError("opponents: a server does not draw from a pool; leave out endpoint")
        self._opponents = opponents
        self._plain = False
        """True if a step without changes is just the arrays of the row."""

        self.action_space = spaces.action_space(self.game)
        self.observation_space = spaces.observation_space(self.game, self._dict)

        self._forfeits = Forfeits()

        self._hold = Hold("environment")
        self._batches = Batches(endpoint)
        self._rows: dict[int | None, _Row] = {}
        self._main = self._row = self._row_of(
            None if seat is None else seat_number(self.game, seat)
        )
        self._started = self._playing = self._closed = False

        # Of the episode that is being played:
        self._seat = -1
        self._seed = 0
        self._carry = 0.0  # reported before the learner's first decision
        self._ended: list[NDArray[np.int64]] = []  # rounds in the step, numbers after each

    # ---- Gymnasium --------------------------------------------------------------------------

    @held
    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Start an episode.

        Args:
            seed: 0 to 2**64 - 1; begins a sequence of episodes that is the same everywhere. None:
                the next episode of the sequence (the first one of all: from fresh entropy).
            options: ``{"seat": k}``: the learner's seat in this episode; ``{"deck": [...]}``: cards
                (types, or texts) in the order in which the first round is dealt and drawn.

        Returns:
            The learner's observation and ``info``.

        Raises:
            ValueError: the seed, the seat or the deck is invalid, or there is no such option.
            TypeError: one of them is of the wrong type.
        """
        if self._closed:
            raise self._refusal()
        if seed is not None:
            seed = seed64(seed)
        seat, deck = self._reset_options(options) if options else (None, None)
        if seed is not None:
            super().reset(seed=seed)
        self._playing = False
        self._main.lineups.update()
        if seed is None and not self._started:
            seed = seed64(None)
        self._main.batch.reset(None if seed is None else np.array([seed], np.uint64))
        self._row = self._main if seat is None else self._row_of(seat)
        self._started = True
        self._row.lineups.update()  # lets go of opponents whom the last episode had
        has_extras = self._human or self._dict or self._even or self._tells_seed
        if options:
            number = self._main.batch.seed(0) if seed is None else seed
            if self._row is not self._main:
                self._row.batch.reset(np.array([number], np.uint64))
            if deck is not None:
                self._row.batch.deal(0, number, deck)
        self._plain = not (self._row.lineups.guests or has_extras)
        self._begin()
        info = self._info()
        self._add_results(info)
        if self._human:
            self._render()
        return self._observation(), info

    def step(self, action: int) -> tuple[Observation, float, bool, bool, Info]:
        """Play the learner's action and let the others play until it is asked again.

        Args:
            action: an id; ``info["action_mask"]`` and :meth:`legal_actions` list the legal ones.

        Returns:
            observation, reward (in the unit of the option `reward`, since the learner's last
            decision), terminated, truncated (always False) and ``info``.

        Raises:
            ResetNeeded: before the first reset and after the end of an episode.
            ValueError: an illegal action under ``illegal_action="raise"``.
            TypeError: the action is not a whole number.
            RuntimeError: an opponent's callable has raised an exception, which is the cause; reset
                the environment then.
        """
        hold = self._hold
        try:
            del hold.free
        except AttributeError:
            hold.wait_or_refuse()
            del hold.free
        try:
            if not self._playing:
                raise self._refusal()
            if type(action) not in _NUMBERS:
                action = whole(action, "action")
            row = self._row
            try_play, copy_observation, copy_mask = row.step_parts
            try:
                status = try_play(action)
            except OverflowError:  # beyond 32 bits
                status = try_play(-1)
            if status < 0:
                row.batch.step()
            if status or self._carry or not self._plain:
                return self._end_step()
            # Nearly all steps end here, without another Python frame.
            info = {"action_mask": copy_mask(), "seat": self._seat}
            return copy_observation(), 0.0, False, False, info
        finally:
            hold.free = True

    @readable
    def render(self) -> Any:
        """The table as the learner sees it.

        Returns:
            str under ``"ansi"`` and ``"svg"``, uint8 (height, width, 3) under ``"rgb_array"``;
            None under ``"human"``, which prints.

        Raises:
            ResetNeeded: before the first reset.
        """
        return self._render()

    @held
    def close(self) -> None:
        """Close the environment; further calls raise ``ClosedEnvironmentError``."""
        self._closed = True
        self._playing = False
        for row in self._rows.values():
            row.lineups.close()
        self._batches.close()

    # ---- Beyond Gymnasium -------------------------------------------------------------------

    @property
    @readable
    def state(self) -> State:
        """A copy of the state, hidden cards included, for search and tools."""
        return self._state()

    @property
    @readable
    def episode_seed(self) -> int:
        """The seed of the episode, 0 to 2**64 - 1: ``reset(seed=...)`` plays it again.

        With it all cards are known, which is why infos are without it; see `seed_info`.
        """
        if not self._started or self._closed:
            raise self._refusal()
        return self._seed

    @readable
    def action_masks(self) -> NDArray[np.bool_]:
        """(num_actions,) True for each legal action; all True when the episode is over."""
        if not self._started or self._closed:
            raise self._refusal()
        mask: NDArray[np.bool_] = self._row.mask.astype(np.bool_)
        return mask

    @readable
    def legal_actions(self) -> NDArray[np.int64]:
        """The ids of the legal actions, ascending; none when the episode is over."""
        if not self._playing and (not self._started or self._closed):
            raise self._refusal()
        return self._row.mask.nonzero()[0] if self._playing else np.empty(0, np.int64)

    @held
    def observe(self) -> tuple[Observation, Info]:
        """The observation and ``info`` as they are now, such as after :meth:`load`; ``info`` has
        all public numbers.
        """
        if not self._started or self._closed:
            raise self._refusal()
        self._ended = []
        info = self._info()
        self._add_results(info)
        return self._observation(), info

    @held
    def save(self) -> bytes:
        """A snapshot for :meth:`load`: the state, and all else that the next steps depend on.

        Only what callables among the opponents remember is not in it. Whoever has it knows all
        cards.

        Raises:
            ResetNeeded: before the first reset.

        >>> import gymnasium as gym
        >>> env = gym.make("mhing:Mhing-v0").unwrapped
        >>> observation, info = env.reset(seed=1)
        >>> snapshot = env.save()
        >>> first = [env.step(action)[1] for action in env.legal_actions()[:1]]
        >>> env.load(snapshot)
        >>> first == [env.step(action)[1] for action in env.legal_actions()[:1]]
        True
        """
        return self._save()

    @held
    def load(self, snapshot: bytes) -> None:
        """Continue from a snapshot of this environment, or of one with the same options.

        :meth:`observe` then returns the observation and ``info``.

        Raises:
            ValueError: the bytes are no snapshot of an environment of this game and these options,
                or its opponents have gone from the pool since; the environment is as it was.
            TypeError: `snapshot` is not bytes.
        """
        if self._closed:
            raise self._refusal()
        if not isinstance(snapshot, bytes):
            raise TypeError(f"snapshot: a {type(snapshot).__name__}; save() returns bytes")
        before = self._save() if self._started else None
        try:
            self._continue(snapshot)
        except Exception:
            if before is not None:
                self._continue(before)
            raise

    def unpack(self, observation: Observation) -> dict[str, NDArray[np.uint8]]:
        """The named parts of an observation, as views; see :meth:`mhing.Game.unpack`."""
        if isinstance(observation, Mapping):
            observation = observation["observation"]
        return self.game.unpack(observation)

    @held
    def __reduce__(self) -> Any:
        """Copy or pickle for use from here on; callables are copied by their rules."""
        if self._closed:
            raise self._refusal()
        for row in self._rows.values():
            row.lineups.refuse_copy()
        return copies.parts(self, self._settings, self._save() if self._started else None)

    # ---- Opponents --------------------------------------------------------------------------

    @property
    def opponents(self) -> Opponents:
        """The players of the other seats as they were given; :meth:`set_opponents` changes them."""
        return self._opponents

    @opponents.setter
    def opponents(self, opponents: Opponents) -> None:
        raise AttributeError("opponents: they are not assigned; call set_opponents(...)")

    @held
    def set_opponents(self, opponents: Opponents) -> None:
        """Seat other opponents from the next episode on.

        Args:
            opponents: as at the beginning.

        Raises:
            ValueError, TypeError, ModuleNotFoundError: as at the beginning; nothing changes then.
            NotImplementedError: the environment is on a server.

        >>> import gymnasium as gym
        >>> env = gym.make("mhing:Mhing-v0", opponents="random").unwrapped
        >>> env.set_opponents(["greedy", "greedy", "expert"])
        """
        for row in self._rows.values():
            row.lineups.change(opponents)
        self._opponents = opponents

    @property
    @readable
    def member(self) -> str:
        """The name of the pool's member that the episode meets; empty without a pool."""
        if not self._started or self._closed:
            raise self._refusal()
        return self._row.lineups.member(0)

    # ---- Inside -----------------------------------------------------------------------------

    def _render(self) -> Any:
        if self.render_mode is None:
            gym.logger.warn("render() needs a render_mode: give one to gym.make")
            return None
        picture = draw(self._state(), self._seat, self.render_mode, self.look)
        if self.render_mode != "human":
            return picture
        print(picture)
        return None

    def _save(self) -> bytes:
        """Return the snapshot: a head, the row of the sequence, and the one that plays."""
        if not self._started or self._closed or not (self._playing or self._row.terminated[0]):
            raise self._refusal()
        seat, rows = -1, [self._main]
        if self._row is not self._main:
            seat, rows = self._seat, [self._main, self._row]
        head = _HEAD.pack(_MAGIC, seat, self._carry)
        return head + b"".join(row.batch.save_row(0) for row in rows)

    def _continue(self, snapshot: bytes) -> None:
        """Load a snapshot; after an error some of it may have been."""
        head, rows = snapshot[: _HEAD.size], snapshot[_HEAD.size :]
        if head[: len(_MAGIC)] != _MAGIC or len(head) < _HEAD.size:
            raise ValueError("snapshot: these bytes are no snapshot of an environment")
        _, seat, carry = _HEAD.unpack(head)
        row = self._main if seat < 0 else self._row_of(seat_number(self.game, seat))
        size = len(rows) if row is self._main else len(rows) // 2
        for one, part in ((self._main, rows[:size]), (row, rows[size:])):
            if part:
                one.batch.reset(np.zeros(1, np.uint64))  # it may be new
                one.lineups.load(one.batch, 0, part)
        self._row, self._carry, self._ended = row, carry, []
        self._plain = False
        self._started, self._playing = True, not row.terminated[0]
        self._seat, self._seed = row.batch.own_seat(0), row.batch.seed(0)

    def _state(self) -> State:
        if not self._started or self._closed:
            raise self._refusal()
        return State(self.game, self._row.batch.state(0))

    def _row_of(self, seat: int | None) -> _Row:
        """The row in which the learner has that seat (None: one drawn from the seed)."""
        if seat not in self._rows:
            lineups = Lineups(self.game, self._opponents, rows=1, seat=seat, guests=False)
            batch = self._batches.make(
                self.game._handle,
                rows=1,
                seat=-1 if seat is None else seat,
                players=lineups.first,
                illegal=ILLEGAL[self._illegal_action],
                without=("results", *LAST_OBSERVED, *LAST_INFO),
            )
            lineups.bind(batch)
            self._rows[seat] = _Row(batch, lineups)
        return self._rows[seat]

    def _reset_options(self, options: dict[str, Any]) -> tuple[int | None, Any]:
        options = dict(options)
        seat, deck = options.pop("seat", None), options.pop("deck", None)
        if options:
            raise ValueError(
                f"options: {next(iter(options))!r} is unknown; reset takes 'seat' and 'deck'"
            )
        return (
            None if seat is None else seat_number(self.game, seat),
            None if deck is None else self.game.card_types(deck),
        )

    def _begin(self) -> None:
        """Play from the start of an episode to the learner's first decision."""
        row = self._row
        while True:
            self._seat = row.batch.own_seat(0)
            self._seed = row.batch.seed(0)
            self._ended = []
            self._take_rounds()
            row.lineups.begin([0])
            self._let_policies_play()
            if not row.terminated[0]:
                break
            row.batch.reset(None)
        self._carry = row.rewards[0]

    def _take_rounds(self) -> None:
        """Keep the numbers of rounds that the last step of the row has ended."""
        batch = self._row.batch
        if self._row.round_ended[0]:
            self._ended += [numbers for _, _, numbers in batch.earlier()]
            self._ended.append(self._row.info.copy())

    def _let_policies_play(self) -> None:
        """Ask the opponents that are Python's until it is the learner's turn or the end."""
        row = self._row
        self._playing = False  # should a policy raise
        while row.seats[0] != self._seat:
            seat = row.seats[0]
            player = row.lineups.player(0, (seat - self._seat) % self.game.num_seats)
            self._hold.asked = threading.get_ident()
            try:
                row.actions[0] = self._asked(player, seat)
            finally:
                self._hold.asked = 0
            row.batch.step()
            self._take_rounds()
        self._playing = True

    def _asked(self, player: Player, seat: int) -> int:
        """Return the action of an opponent that is no built-in bot."""
        row = self._row
        if isinstance(player.plays, Command):
            (action,) = row.lineups.programs.ask(player, [(0, self._seed, self._state())])
            return action
        observation = player.view.of_row(row.observation, self._state)
        try:
            answer = ask(player.policy, observation, row.mask, seat)
        except Exception as error:  # whatever its code raises
            answer = error
        return player.action(answer, row.mask, self._state, player.called_at(seat))

    def _end_step(self) -> tuple[Observation, float, bool, bool, Info]:
        """Let policies play after the learner's action; return what :meth:`step` does."""
        row = self._row
        illegal = row.changes[0] and row.illegal[0]
        self._ended = []
        if row.changes[0]:
            self._take_rounds()
        if row.seats[0] != self._seat:
            self._let_policies_play()
        reward: float = self._carry + row.rewards[0]
        self._carry = 0.0
        terminated = row.terminated[0] == 1
        self._playing = not terminated
        if terminated:
            row.lineups.tell()
        info = self._info()
        if self._ended or illegal:
            self._add_changes(info, illegal)
        if self._human:
            self._render()
        return self._observation(), reward, terminated, False, info

    def _observation(self) -> Observation:
        observation: NDArray[np.uint8] = self._row.observation.copy()
        if self._dict:
            return {"observation": observation, "action_mask": self._row.mask.copy()}
        return observation

    def _info(self) -> Info:
        """Return the info of every observation."""
        info: Info = {"action_mask": self._row.mask.copy(), "seat": self._seat}
        if self._tells_seed:
            info["seed"] = signed_seed(self._seed)
        if self._even:
            info["illegal_action"] = False
            self._add_results(info)
        return info

    def _add_results(self, info: Info) -> None:
        """Add all public numbers, and those after rounds that ended before the last one."""
        numbers = self._ended[-1] if self._ended else self._row.info.copy()
        info.update(self.game.name_numbers(numbers))
        if len(self._ended) > 1 and not self._even:
            info["earlier_rounds"] = [self.game.name_numbers(n) for n in self._ended[:-1]]

    def _add_changes(self, info: Info, illegal: int) -> None:
        """Add what few steps have to report."""
        if self._ended:
            self._add_results(info)
        if illegal:
            info["illegal_action"] = True
        if not self._playing and self._illegal_action == "terminate":
            self._forfeits.see(1, illegal)

    def _refusal(self) -> Exception:
        """Raise the reason why nothing can be done now."""
        if self._closed:
            return ClosedEnvironmentError("the environment is closed; make another one")
        if not self._started:
            return ResetNeeded("call reset() first")
        return ResetNeeded("the episode is over: call reset()")
