"""Checked inputs of a vector environment: its mode, rows, actions, weights, seeds and masks."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import ArrayLike, NDArray

from mhing._lib.arguments import one_of, seed64, whole
from mhing.words import plural

_MODES = {mode.name.lower(): mode for mode in AutoresetMode}


def put_actions(actions: ArrayLike, target: NDArray[np.int32], num_actions: int) -> None:
    """Write one action for each row; those beyond 32 bits are as illegal as any other.

    Raises:
        ValueError: there is not one for each row.
        TypeError: an action is not a whole number.
    """
    array = _array(actions, "actions")
    if array.shape != target.shape:
        raise ValueError(
            f"actions: an array {array.shape}; expected {target.shape}, one for each row"
        )
    if array.dtype.kind not in "iu":
        numbers = [whole(number, f"actions[{row}]") for row, number in enumerate(array)]
        array = np.array([number if 0 <= number < num_actions else -1 for number in numbers])
    np.copyto(target, array, casting="unsafe")
    if array.dtype != np.int32:
        target[target != array] = -1


def autoreset(mode: str | AutoresetMode) -> AutoresetMode:
    """The mode, by its name or as Gymnasium has it; ValueError where there is none."""
    if isinstance(mode, AutoresetMode):
        return mode
    one_of("autoreset_mode", mode, list(_MODES))
    return _MODES[mode]


def row(number: Any, num_envs: int) -> int:
    """The number of a row.

    Raises:
        IndexError: there is no such row.
        TypeError: it is not a whole number.
    """
    checked = whole(number, "row")
    if not 0 <= checked < num_envs:
        raise IndexError(f"row: {checked} is not from 0 to {num_envs - 1}")
    return checked


def rows(values: ArrayLike, num_envs: int) -> NDArray[np.intp]:
    """The numbers of the rows that a step is to play in.

    Raises:
        ValueError: there is no such row, one comes twice, none is chosen, or a mask does not fit.
        TypeError: they are neither whole numbers nor a mask of bool.
    """
    array = _array(values, "rows")
    if array.dtype == np.bool_:
        if array.shape != (num_envs,):
            raise ValueError(f"rows: a mask {array.shape}; expected ({num_envs},)")
        array = array.nonzero()[0]
    if array.ndim != 1 or not array.size:
        raise ValueError(f"rows: an array {array.shape}; expected at least one row's number")
    if array.dtype.kind not in "iu":
        raise TypeError(f"rows: numbers of type {array.dtype}; expected whole ones, or a bool mask")
    outside = array[(array < 0) | (array >= num_envs)]
    if outside.size:
        raise ValueError(f"rows: {outside[0]} is not from 0 to {num_envs - 1}")
    numbers, counts = np.unique(array, return_counts=True)
    if len(numbers) < len(array):
        raise ValueError(f"rows: {numbers[counts > 1][0]} comes more than once")
    return array.astype(np.intp)


def weights(values: ArrayLike, name: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """A number for each action of each row.

    Raises:
        ValueError: the array has another shape.
        TypeError: it does not hold numbers.
    """
    array = values if type(values) is np.ndarray else _array(_detached(values), name)
    if array.dtype.kind not in "iuf" and array.dtype.name != "bfloat16":  # of JAX
        raise TypeError(f"{name}: numbers of type {array.dtype}; expected float32")
    if array.shape != shape:
        raise ValueError(f"{name}: an array {array.shape}; expected {shape}")
    if array.dtype != np.float32:
        with np.errstate(over="ignore"):
            array = array.astype(np.float32)
    return np.ascontiguousarray(array)


def _detached(values: Any) -> Any:
    """A tensor of PyTorch as one that NumPy can read: without its graph, and never bfloat16."""
    if not hasattr(values, "detach"):
        return values
    tensor = values.detach()
    return (tensor.float() if tensor.is_floating_point() else tensor).numpy(force=True)


def row_seeds(
    seed: Any, own: NDArray[np.uint64] | None, num_envs: int
) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    """A seed for every row, and which of them were given; in a first reset (`own` None) all are.

    Args:
        seed: one, several or None.
        own: the seeds of the rows' episodes, where no row is given one.
        num_envs: how many rows there are.

    Raises:
        ValueError: one is out of its range, or there is not one for each row.
        TypeError: one is not a whole number.
    """
    seeds = _seeds_given(seed, num_envs)
    given = np.array([own is None or number is not None for number in seeds])
    if own is not None and not given.any():
        return own, given
    return _seeds64(seeds), given


def _seeds_given(seed: Any, num_envs: int) -> list[Any]:
    """A seed or None for each row, not looked at any further.

    Raises:
        ValueError: there is not one for each row.
        TypeError: a single one is not a whole number.
    """
    if seed is None:
        seeds: list[Any] = [None] * num_envs
    elif isinstance(seed, str | bytes) or not hasattr(seed, "__len__"):
        first = whole(seed, "seed")
        seeds = [first + row for row in range(num_envs)]
    else:
        seeds = list(seed)
    if len(seeds) != num_envs:
        raise ValueError(f"seed: {len(seeds)} given for {plural(num_envs, 'row')}")
    return seeds


def _seeds64(seeds: list[Any]) -> NDArray[np.uint64]:
    """Seeds as the core takes them, fresh ones for None.

    Raises:
        ValueError: one is out of its range.
        TypeError: one is not a whole number.
    """
    numbers = []
    for row, number in enumerate(seeds):
        try:
            numbers.append(seed64(number))
        except (TypeError, ValueError) as error:
            raise type(error)(f"row {row}: {error}") from None
    return np.array(numbers, np.uint64)


def reset_mask(options: dict[str, Any] | None, num_envs: int) -> NDArray[np.bool_]:
    """The rows that a reset with these options starts anew.

    Raises:
        ValueError: there is no such option, or the mask does not fit or is empty.
        TypeError: the mask is not an array of bool.
    """
    options = dict(options or {})
    mask = options.pop("reset_mask", None)
    if options:
        raise ValueError(
            f"options: {next(iter(options))!r} is unknown; the reset of a batch takes 'reset_mask'"
        )
    if mask is None:
        return np.ones(num_envs, np.bool_)
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        kind = mask.dtype if isinstance(mask, np.ndarray) else type(mask).__name__
        raise TypeError(f"reset_mask: a {kind}; expected a bool array ({num_envs},)")
    if mask.shape != (num_envs,):
        raise ValueError(f"reset_mask: an array {mask.shape}; expected ({num_envs},)")
    if not mask.any():
        raise ValueError("reset_mask: no row is chosen; at least one has to be")
    return mask


def output(out: NDArray[np.uint8] | None, shape: tuple[int, int]) -> NDArray[np.uint8]:
    """The array `out` to be written to, or a fresh one for None.

    Raises:
        ValueError: it has another shape, is read-only, or does not lie in one piece.
        TypeError: it is not an array of uint8.
    """
    if out is None:
        return np.empty(shape, np.uint8)
    if not isinstance(out, np.ndarray) or out.dtype != np.uint8:
        kind = out.dtype if isinstance(out, np.ndarray) else type(out).__name__
        raise TypeError(f"out: a {kind}; expected a uint8 array {shape}")
    if out.shape != shape:
        raise ValueError(f"out: an array {out.shape}; expected {shape}")
    if not (out.flags.c_contiguous and out.flags.writeable):
        raise ValueError("out: not an array that lies in one piece and may be written to")
    return out


def _array(values: ArrayLike, name: str) -> NDArray[Any]:
    try:
        return np.asarray(values)
    except ValueError as error:  # lines of different lengths
        raise ValueError(f"{name}: they make no array: {error}") from None
