"""Networks of JAX: functions with their parameters, modules of Equinox, and files of either."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mhing._support.extras import install
from mhing.game import Game
from mhing.players.rows import OBSERVATIONS, LogitPolicy

try:
    import jax
    from jax import export
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(f"{error.name} is missing: {install('jax')}") from error

Network = Callable[..., Any]


class JaxPolicy(LogitPolicy):
    """Plays by the logits of a network of JAX.

    It is compiled once for 1, 2, 4, 8 ... rows, and asked about the next such number of them.

    Args:
        network: a function of JAX that takes observations as float32 (rows, observation_size), and
            if it has two arguments masks as bool (rows, num_actions), and returns logits
            (rows, num_actions); of several results the first. Parameters are bound by
            ``functools.partial(net.apply, params)``. Or a module of Equinox, which takes one row.
        deterministic: True: the most likely action; False: one at random.

    >>> import jax.numpy as jnp
    >>> import mhing
    >>> game = mhing.Game("general_mhing")
    >>> weights = jnp.ones((game.observation_size, game.num_actions))
    >>> policy = JaxPolicy(lambda observations: observations @ weights)
    >>> mhing.players.load(policy, game).choose(game.new_state(seed=1)) >= 0
    True
    """

    sees = OBSERVATIONS

    def __init__(self, network: Network, deterministic: bool = True) -> None:
        self._network = jax.jit(_of_rows(network))
        self.deterministic = deterministic
        self._device: jax.Device | None = None  # None: that of JAX

    def logits(self, observations: NDArray[np.uint8], masks: NDArray[np.int8]) -> NDArray[Any]:
        """Return the network's logits, (rows, num_actions)."""
        rows = len(masks)
        more = [(0, (1 << (rows - 1).bit_length()) - rows), (0, 0)]
        inputs = np.pad(observations, more).astype(np.float32)
        legal = np.pad(masks, more, constant_values=1).astype(np.bool_)
        with jax.default_device(self._device):
            return np.asarray(self._network(inputs, legal))[:rows]


def load(file: str, game: Game) -> JaxPolicy:
    """Return the network that :func:`save` has written, as a player.

    Raises:
        ValueError: it cannot be loaded, or was saved for another game.
    """
    if not Path(file).is_file():
        raise ValueError(f"{file!r} cannot be loaded: there is no such file")
    try:
        network = export.deserialize(bytearray(Path(file).read_bytes()))
    except Exception as error:  # of flatbuffers, and of JAX
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        raise ValueError(
            f"{file!r} cannot be loaded: {reason}; mhing.players.jax.save writes such files"
        ) from error
    policy = JaxPolicy(lambda inputs, masks: network.call(inputs, masks))  # noqa: PLW0108  it says both
    policy.sees = network.in_avals[0].shape[1]
    (policy._device, *_) = jax.devices("cpu")
    return policy


def save(network: Network, file: str, game: Game) -> None:
    """Write a network with its parameters to a file, which plays as ``jax:FILE``.

    The file holds what JAX has compiled, by ``jax.export``: it needs no code to be loaded, and runs
    none but JAX's. It plays on the CPU.

    Args:
        network: as for :class:`JaxPolicy`.
        file: where to.
        game: the game that it plays, with hints if the network reads them.

    Raises:
        TypeError: the network takes something else.
        ValueError: what it puts out is no logits.

    >>> import jax.numpy as jnp
    >>> import mhing
    >>> game = mhing.Game("general_mhing")
    >>> weights = jnp.ones((game.observation_size, game.num_actions))
    >>> save(lambda observations: observations @ weights, "linear.jax", game)
    >>> mhing.players.load("jax:linear.jax", game).name
    'jax:linear.jax'
    """
    (rows,) = export.symbolic_shape("rows")
    found = export.export(jax.jit(_of_rows(network)), platforms=["cpu"])(
        jax.ShapeDtypeStruct((rows, game.observation_size), np.float32),
        jax.ShapeDtypeStruct((rows, game.num_actions), np.bool_),
    )
    (logits,) = found.out_avals
    if logits.shape != (rows, game.num_actions):
        raise ValueError(
            f"network: it puts out {logits.dtype} {logits.shape}; expected numbers "
            f"(rows, {game.num_actions}), one for each action"
        )
    Path(file).write_bytes(found.serialize())


def _of_rows(network: Network) -> Network:
    """The network as a function of observations and masks of many rows, to logits."""
    needed = [
        one
        for one in signature(network).parameters.values()
        if one.default is one.empty and one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
    ]
    takes_masks = len(needed) > 1
    called = jax.vmap(network) if _is_equinox(network) else network

    def logits(observations: jax.Array, masks: jax.Array) -> jax.Array:
        found = called(observations, masks) if takes_masks else called(observations)
        first: jax.Array = found[0] if isinstance(found, tuple) else found
        return first

    return logits


def _is_equinox(network: Network) -> bool:
    return any(
        one.__name__ == "Module" and one.__module__.startswith("equinox.")
        for one in type(network).__mro__
    )
