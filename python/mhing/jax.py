"""JAX: many rows of a card game, stepped from inside ``jax.jit`` and ``jax.lax.scan``.

>>> import jax
>>> import jax.numpy as jnp
>>> from mhing.jax import VecEnv
>>> env = VecEnv("mhing", num_envs=64, opponents="random")
>>> weights = jnp.zeros((env.game.observation_size, env.game.num_actions))
>>> def decide(state, _):
...     logits = state.observation.astype(jnp.float32) @ weights
...     after, actions = env.sample_step(state, logits)
...     return after, (state.observation, actions, after.reward, after.done)
>>> rollout = jax.jit(lambda state: jax.lax.scan(decide, state, None, length=32))
>>> state, (observations, actions, rewards, dones) = rollout(env.reset(seed=1))
>>> observations.shape, observations.dtype
((32, 64, 659), dtype('uint8'))

The rows are those of :class:`mhing.vector.CardGameVectorEnv`: the core plays them where it always
does, and JAX calls it whenever it gets to a step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mhing._lib.arguments import refuse_settled
from mhing._support.extras import install
from mhing.env import Info
from mhing.game import DEFAULT_GAME
from mhing.players.seating import Given, has_self
from mhing.vector import CardGameVectorEnv
from mhing.vector.settings import VectorSettings

try:
    import jax
    import jax.numpy as jnp
    from jax.custom_batching import custom_vmap
    from jax.experimental import io_callback
    from jax.experimental.buffer_callback import buffer_callback
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(f"{error.name} is missing: {install('jax')}") from error

if TYPE_CHECKING:
    from typing_extensions import Unpack

_ELSEWHERE = {
    "autoreset_mode": "rows that are over start anew in the same step",
    "copy": "JAX has its own arrays",
    "obs_mode": "states have the observation and the mask",
    "seed": "call env.reset(seed=...)",
}
"""Arguments that do not exist here, and the reason."""

_Arrays = tuple[NDArray[Any], ...]


class EnvState(NamedTuple):
    """The rows as they are after a reset or a step, and what that step has brought."""

    observation: jax.Array
    """uint8 (num_envs, observation_size): what the seat to act sees."""
    action_mask: jax.Array
    """bool (num_envs, num_actions): its legal actions, at least one."""
    reward: jax.Array
    """float32 (num_envs,): what the caller's seat has earned by the step. With ``"self"`` among the
    opponents (num_envs, num_seats): what each seat gets now, namely the seat to act of what it
    has earned since its own last decision, and where `done` is set every seat of what is left."""
    done: jax.Array
    """bool (num_envs,): the step has ended the episode. All else but `reward` then belongs to the
    next episode, which has begun."""
    seat: jax.Array
    """int32 (num_envs,): the seat to act."""
    tick: jax.Array
    """uint32 (): how often the rows have been reset or stepped, by which a state that they have
    left behind is known."""


class VecEnv:
    """Rows of a card game for JAX.

    A state is what the next step is given, and each can be given once: the rows themselves are
    outside JAX, in this object, and cannot go back. All functions that use it move the same rows
    on. Under ``jax.vmap`` it is refused, since it is a batch already; several devices cannot share
    one. Rewards and observations have no gradient; ``jax.grad`` passes by a step.

    Args:
        game: the game's id.
        num_envs: how many rows.
        opponents: as for :class:`mhing.vector.CardGameVectorEnv`. Those from Python are asked while
            JAX waits and should not call JAX, which could wait for itself; to play against what is
            being learned take ``"self"``.
        settings: all others of :class:`mhing.vector.CardGameVectorEnv`, such as `num_threads`,
            `seat`, and the options of the game; but not `autoreset_mode`, `copy` and `obs_mode`.

    Raises:
        ValueError: an argument has a value that it cannot have.
        TypeError: there is no such argument or option, or a value is of the wrong type.
    """

    def __init__(
        self,
        game: str = DEFAULT_GAME,
        num_envs: int = 1,
        *,
        opponents: Given | Sequence[Given] | None = None,
        **settings: Unpack[VectorSettings],
    ) -> None:
        refuse_settled("VecEnv", settings, _ELSEWHERE)
        self.envs = CardGameVectorEnv(
            num_envs,
            game=game,
            opponents=opponents,
            autoreset_mode="same_step",
            copy=False,
            **settings,
        )
        """The rows outside JAX, for `state`, `render` and the like. JAX works ahead: first wait
        for it, by ``jax.block_until_ready(state)``."""
        self.game = self.envs.game
        self.num_envs = num_envs
        self._tick = 0
        seats = self.game.num_seats
        self._seats = seats if has_self(opponents) else None

        array: Any = jax.ShapeDtypeStruct
        rows = (num_envs,)
        shapes = EnvState(
            observation=array((num_envs, self.game.observation_size), jnp.uint8),
            action_mask=array((num_envs, self.game.num_actions), jnp.bool_),
            reward=array((num_envs, seats) if self._seats else rows, jnp.float32),
            done=array(rows, jnp.bool_),
            seat=array(rows, jnp.int32),
            tick=array((), jnp.uint32),
        )
        self._step = _outside(self._step_now, tuple(shapes))
        self._sample_step = _outside(self._sample_step_now, (*shapes, array(rows, jnp.int32)))

    def reset(self, seed: int | Sequence[int | None] | None = None) -> EnvState:
        """Start an episode in every row. Call it outside ``jax.jit``: steps start later ones.

        Args:
            seed: an int s, 0 to 2**64 - 1: row i begins the sequence of episodes of seed s + i; or
                one for each row. None: the next episodes (the first ones: from fresh entropy).

        Returns:
            The rows; `reward` and `done` are 0.

        Raises:
            ValueError: a seed is out of its range, or there is not one for each row.
            TypeError: one is not a whole number, or is an array of JAX.
        """
        if any(isinstance(part, jax.Array) for part in jax.tree.leaves(seed)):
            raise TypeError(
                "seed: an array of JAX, which cuts whole numbers to 32 bits; give Python's int, "
                "and call reset outside jax.jit"
            )
        if isinstance(jnp.zeros(()), jax.core.Tracer):
            raise TypeError("reset: call it outside jax.jit; steps start later episodes")
        jax.effects_barrier()  # steps that JAX has yet to make
        observations, infos = self.envs.reset(seed=seed)
        self._advance()
        rewards = np.zeros((self.num_envs, self._seats) if self._seats else self.num_envs, "f4")
        state = self._parts(observations, rewards, np.zeros(self.num_envs, np.bool_), infos)
        return EnvState(*(jnp.array(part, copy=True) for part in state))

    def step(self, state: EnvState, actions: jax.Array) -> EnvState:
        """Play one action in every row.

        Args:
            state: the rows as they are now.
            actions: whole numbers (num_envs,).

        Returns:
            The rows after it.

        Raises:
            ValueError: the shape is wrong.
            TypeError: the actions are not whole numbers.
            jax.errors.JaxRuntimeError: the state has been left behind, an action is illegal under
                ``illegal_action="raise"``, or an opponent has failed. Its text has that error. The
                rows are as they were.
        """
        actions = _given(actions, "actions", (self.num_envs,), jnp.integer)
        return EnvState(*self._step(state.tick, actions))

    def sample_step(self, state: EnvState, logits: jax.Array) -> tuple[EnvState, jax.Array]:
        """Draw a legal action for every row, in the core, and play it.

        A rollout is five times as fast as with ``jax.random.categorical``. The draw depends on the
        row's seed and the decision, so runs can be repeated.

        Args:
            state: the rows as they are now.
            logits: floats (num_envs, num_actions); -inf: never. Those of illegal actions are
                ignored.

        Returns:
            The rows after it, and the actions, int32 (num_envs,).

        Raises:
            ValueError: the shape is wrong.
            TypeError: the logits are not floats.
            jax.errors.JaxRuntimeError: as for :meth:`step`, or a row's logits are invalid: NaN, for
                example.
        """
        shape = (self.num_envs, self.game.num_actions)
        logits = _given(logits, "logits", shape, jnp.floating).astype(jnp.float32)
        *after, actions = self._sample_step(state.tick, jax.lax.stop_gradient(logits))
        return EnvState(*after), actions

    # ---- Outside JAX, while it waits --------------------------------------------------------

    def _step_now(self, tick: Any, actions: Any) -> _Arrays:
        self._refuse_unless_now(tick)
        observations, rewards, done, _, infos = self.envs.step(np.asarray(actions))
        self._advance()
        if self._seats:
            rewards = self._by_seat(rewards, done, infos)
        return self._parts(observations, rewards, done, infos)

    def _sample_step_now(self, tick: Any, logits: Any) -> _Arrays:
        self._refuse_unless_now(tick)
        actions = self.envs.sample_actions(logits=np.asarray(logits))
        return (*self._step_now(tick, actions), actions)

    def _refuse_unless_now(self, tick: Any) -> None:
        if int(tick) != self._tick:
            raise ValueError(
                f"state: one of tick {int(tick)}, but the rows are at {self._tick} and cannot go "
                "back; give each state to one step only, the one that comes next"
            )

    def _advance(self) -> None:
        self._tick = (self._tick + 1) % 2**32

    def _by_seat(
        self, rewards: NDArray[np.float32], done: NDArray[np.bool_], infos: Info
    ) -> NDArray[np.float32]:
        """Return the rewards by seat; `rewards`: of the seat to act where the episode continues."""
        paid = np.zeros((self.num_envs, self.game.num_seats), np.float32)
        paid[np.arange(self.num_envs), infos["seat"]] = rewards
        if done.any():
            paid[done] = infos["seat_rewards"][done]
        return paid

    def _parts(
        self,
        observations: Any,
        rewards: NDArray[np.float32],
        done: NDArray[np.bool_],
        infos: Info,
    ) -> _Arrays:
        """The parts of a state."""
        masks, seats = infos["action_mask"].view(np.bool_), infos["seat"].astype(np.int32)
        return observations, masks, rewards, done, seats, np.asarray(self._tick, np.uint32)


def _outside(call: Callable[..., _Arrays], shapes: tuple[Any, ...]) -> Callable[..., Any]:
    """The function of JAX that makes a call outside it.

    Steps come in order, since each needs the tick of the one before. On a processor the call reads
    and writes the memory of JAX in place; for other devices JAX copies everything to the processor
    and back.
    """

    def in_place(_: Any, results: Sequence[Any], *given: Any) -> None:
        for result, value in zip(results, call(*map(np.asarray, given)), strict=True):
            np.copyto(np.asarray(result), value)

    if jax.default_backend() == "cpu":
        made = buffer_callback(in_place, shapes, has_side_effect=True)
    else:
        made = partial(io_callback, call, shapes, ordered=True)
    traced = custom_vmap(made)
    traced.def_vmap(_refuse_vmap)
    jitted: Callable[..., Any] = jax.jit(traced)  # what is not compiled cannot be called in place
    return jitted


def _refuse_vmap(*_: Any) -> Any:
    raise ValueError(
        "jax.vmap: a VecEnv is a batch already, and its rows are stepped together; "
        "give it more rows by num_envs, and vmap what computes from its states"
    )


def _given(values: Any, name: str, shape: tuple[int, ...], kind: Any) -> jax.Array:
    """Return the checked inputs of a step, as far as JAX knows them beforehand."""
    array = jnp.asarray(values)
    if not jnp.issubdtype(array.dtype, kind):
        raise TypeError(f"{name}: numbers of type {array.dtype}; expected {kind.__name__}")
    if array.shape != shape:
        raise ValueError(f"{name}: an array {array.shape}; expected {shape}")
    return array
