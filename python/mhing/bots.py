"""Opponents: built-in bots by name, ONNX policies by file, and callables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mhing import _lib
from mhing.game import Game

Policy = Callable[[NDArray[np.uint8], NDArray[np.int8], dict[str, Any]], int]
"""Chooses for one seat: (observation, mask, info) -> a legal action."""

Opponent = str | Policy
"""A built-in bot's name, ``"onnx:FILE"``, or a policy."""

_NUMBER_TYPES: dict[str, type] = {
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(float16)": np.float16,
    **{f"tensor({kind})": np.dtype(kind).type for kind in ("int8", "int16", "int32", "int64")},
    **{f"tensor({kind})": np.dtype(kind).type for kind in ("uint8", "uint16", "uint32", "uint64")},
    "tensor(bool)": np.bool_,
}
_ONNX = "onnx:"
_SELF = "self"


class OnnxPolicy:
    """Plays the legal action with the highest logit of a network in an ONNX file.

    The network takes ``observation`` (1, observation_size) and ``action_mask`` (1, num_actions), in
    the number types that it declares. Its first output is the logits (1, num_actions).

    Raises:
        ModuleNotFoundError: onnxruntime is not installed (extra ``mhing[onnx]``).
        ValueError: the file cannot be read, or its inputs have other names.
    """

    def __init__(self, path: str) -> None:
        try:
            import onnxruntime  # noqa: PLC0415  an extra, and slow to import
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                "opponents: ONNX policies need onnxruntime: pip install 'mhing[onnx]'"
            ) from error
        try:
            self._session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime has a class of its own for every kind of failure
            reason = str(error).splitlines()[0]
            raise ValueError(f"opponents: {path!r} cannot be loaded: {reason}") from error
        self._path = path
        inputs = {node.name: node.type for node in self._session.get_inputs()}
        if set(inputs) - {"observation", "action_mask"} or "observation" not in inputs:
            raise ValueError(
                f"opponents: {path!r} has the inputs {sorted(inputs)}; "
                "expected 'observation' and, if it uses it, 'action_mask'"
            )
        for name, kind in inputs.items():
            if kind not in _NUMBER_TYPES:
                raise ValueError(
                    f"opponents: {path!r} declares {name} as {kind}; expected one of "
                    f"{', '.join(_NUMBER_TYPES)}"
                )
        self._types = {name: _NUMBER_TYPES[kind] for name, kind in inputs.items()}

    def __call__(
        self, observation: NDArray[np.uint8], mask: NDArray[np.int8], info: dict[str, Any]
    ) -> int:
        """Chooses one action; `info` is not used.

        Raises:
            ValueError: the network cannot be run on this game, or what it puts out is no logits.
        """
        arrays: dict[str, NDArray[Any]] = {"observation": observation, "action_mask": mask}
        feed: dict[str, NDArray[Any]] = {
            name: arrays[name][None].astype(kind) for name, kind in self._types.items()
        }
        try:
            logits = np.asarray(self._session.run(None, feed)[0])
        except Exception as error:  # as above
            reason = str(error).splitlines()[0]
            raise ValueError(f"opponents: {self._path!r} cannot be run: {reason}") from error
        if logits.shape != (1, len(mask)) or logits.dtype.kind not in "iuf":
            raise ValueError(
                f"opponents: {self._path!r} puts out {logits.dtype} {logits.shape}; "
                f"expected numbers (1, {len(mask)}), one for each action"
            )
        return int(np.where(mask, logits[0], -np.inf).argmax())


def resolve(game: Game, opponents: Opponent | Sequence[Opponent] | None) -> list[int | Policy]:
    """The players that `opponents` names, for each seat clockwise from the learner's.

    Args:
        game: the game that they play.
        opponents: one for all other seats, or a list with one for each; None: the default bot.

    Returns:
        ``num_seats - 1`` entries: a built-in bot's number, or a policy to be called.

    Raises:
        ValueError: no such bot, a list of the wrong length, or a file that cannot be used.
        TypeError: an entry is neither text nor callable.
    """
    return [_policy(game, opponent) for opponent in _one_per_seat(game, opponents)]


def resolve_seats(game: Game, opponents: str | Sequence[str] | None) -> list[int]:
    """The players that `opponents` names in a batch, clockwise from the caller's own seat.

    Args:
        game: the game that they play.
        opponents: a built-in bot's name or ``"self"``, or a list with one for each seat; None: the
            default bot.

    Returns:
        ``num_seats - 1`` entries: a built-in bot's number, or `MH_CALLER` for ``"self"``.

    Raises:
        ValueError: no such bot, or a list of the wrong length.
        TypeError: an entry is not a str.
    """
    return [_player(game, opponent) for opponent in _one_per_seat(game, opponents)]


def _one_per_seat(game: Game, opponents: Any) -> Sequence[Any]:
    others = game.num_seats - 1
    if opponents is None:
        opponents = game.default_bot
    if isinstance(opponents, str) or not isinstance(opponents, Sequence):
        return [opponents] * others
    if len(opponents) != others:
        raise ValueError(
            f"opponents: {len(opponents)} given for {others} other seats; "
            "give one for each, clockwise from the learner's, or a single one for all"
        )
    return opponents


def _policy(game: Game, opponent: Opponent) -> int | Policy:
    if callable(opponent):
        return opponent
    if not isinstance(opponent, str):
        raise TypeError(
            f"opponents: {opponent!r} is neither a bot's name, nor 'onnx:FILE', nor callable"
        )
    if opponent.startswith(_ONNX):
        return OnnxPolicy(opponent.removeprefix(_ONNX))
    try:
        return game.bot_index(opponent)
    except ValueError as error:
        raise ValueError(f"opponents: {error}; or 'onnx:FILE', or a callable") from None


def _player(game: Game, opponent: str) -> int:
    if opponent == _SELF:
        return _lib.CALLER
    if callable(opponent) or (isinstance(opponent, str) and opponent.startswith(_ONNX)):
        raise ValueError(
            f"opponents: {opponent!r} is not a bot of the core, as a batch needs; "
            "give opponents='self' and choose for all seats yourself"
        )
    if not isinstance(opponent, str):
        raise TypeError(f"opponents: {opponent!r} is neither a bot's name nor 'self'")
    try:
        return game.bot_index(opponent)
    except ValueError as error:
        raise ValueError(f"opponents: {error}; or 'self'") from None


def ask(policy: Policy, observation: NDArray[np.uint8], info: dict[str, Any]) -> int:
    """A policy's choice for the seat that `info` was made for.

    Raises:
        ValueError: the action is not legal.
        TypeError: it is not a whole number.
    """
    name = f"opponent at seat {info['seat']}"
    mask = info["action_mask"]
    action = _lib.whole(policy(observation, mask.copy(), info), name)
    if not 0 <= action < len(mask) or not mask[action]:
        raise ValueError(f"{name}: action {action} is not legal now")
    return action
