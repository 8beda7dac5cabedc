"""Players by name: built-in bots, ONNX policies by file, and callables."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mhing._lib import nets
from mhing._lib.arguments import whole
from mhing._lib.rows import CALLER, GUEST
from mhing._support.extras import install
from mhing.game import Game
from mhing.state import SEARCH

Policy = Callable[[NDArray[np.uint8], NDArray[np.int8], dict[str, Any]], int]
"""Chooses for one seat: (observation, mask, info) -> a legal action.

Observation and mask are uint8 (observation_size,) and int8 (num_actions,); `info` holds
``action_mask``, the mask once more, and ``seat``. The seed is not in it: it would give all cards
away.

One that also has a method ``choose_rows(observations, masks)`` is asked once for many rows, where
they wait at the same time: uint8 (rows, observation_size) and int8 (rows, num_actions) -> (rows,)
actions. Its arrays are copies, which it may keep or change.

One that also has a method ``probabilities(observations, masks)`` can judge decisions, see
:mod:`mhing.judge`: for such rows it returns how likely it plays each action, floats
(rows, num_actions).
"""

Opponent = str | Policy
"""A built-in bot's name, ``"net:FILE"``, ``"onnx:FILE"``, ``"run:FOLDER"``,
``"module:function"``, or a policy.
"""

_NUMBER_TYPES: dict[str, type] = {
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(float16)": np.float16,
    **{f"tensor({kind})": np.dtype(kind).type for kind in ("int8", "int16", "int32", "int64")},
    **{f"tensor({kind})": np.dtype(kind).type for kind in ("uint8", "uint16", "uint32", "uint64")},
    "tensor(bool)": np.bool_,
}
GUEST_NAME = "[A-Za-z0-9_-]{1,32}"
"""A pattern: names under which bots wait at a server, and by which the arena invites them."""

ONNX = "onnx:"
"""The prefix of a network's name, before its file."""

RUN = "run:"
"""The prefix of a learner's name, before the folder of its run, see ``mhing train``."""

CHECKPOINT = "checkpoint.pt"
"""The file in such a folder that holds what has been learned."""

_IMPORTED = re.compile(r"([^\W\d][\w.]*):([^\W\d][\w.]*)")
_FILE = re.compile(r"(?:.*[/\\])?([^\W\d]\w*)\.py:(.+)", re.DOTALL)
_SELF = "self"


class OnnxPolicy:
    """Plays the legal action with the highest logit of a network in an ONNX file.

    The network takes ``observation`` (1, observation_size) and ``action_mask`` (1, num_actions), in
    the number types that it declares. Its first output is the logits (1, num_actions). If it does
    not fix the first dimension at 1, it takes many rows at once.

    It runs on one thread: networks for card games are small, and threads that wait for each other
    cost more than they bring.

    Args:
        path: the file.
        game: the game that it plays.
        argument: what errors call the argument that named it.

    Raises:
        ModuleNotFoundError: onnxruntime is not installed (extra ``mhing[onnx]``).
        ValueError: the file cannot be read, or its inputs have other names, types or shapes.
    """

    def __init__(self, path: str, game: Game, argument: str = "opponents") -> None:
        try:
            import onnxruntime  # noqa: PLC0415  an extra, and slow to import
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                f"{argument}: ONNX policies need onnxruntime: {install('onnx')}"
            ) from error
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = settings.inter_op_num_threads = 1
        if not Path(path).is_file():
            raise ValueError(f"{argument}: {path!r} cannot be loaded: there is no such file")
        try:
            self._session = onnxruntime.InferenceSession(
                path, settings, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime has a separate class for every kind of failure
            reason = str(error).splitlines()[0]
            raise ValueError(f"{argument}: {path!r} cannot be loaded: {reason}") from error
        self._name = f"{argument}: {path!r}"
        nodes = self._session.get_inputs()
        inputs = {node.name: node.type for node in nodes}
        if set(inputs) - {"observation", "action_mask"} or "observation" not in inputs:
            raise ValueError(
                f"{self._name} has the inputs {sorted(inputs)}; "
                "expected 'observation' and, if it uses it, 'action_mask'"
            )
        for name, kind in inputs.items():
            if kind not in _NUMBER_TYPES:
                raise ValueError(
                    f"{self._name} declares {name} as {kind}; expected one of "
                    f"{', '.join(_NUMBER_TYPES)}"
                )
        sizes = {"observation": game.observation_size, "action_mask": game.num_actions}
        for node in nodes:
            _check_shape(node.shape, sizes[node.name], f"{self._name} takes {node.name}")
        self._types = {name: _NUMBER_TYPES[kind] for name, kind in inputs.items()}
        self._one_by_one = any(node.shape and isinstance(node.shape[0], int) for node in nodes)

    def __call__(
        self, observation: NDArray[np.uint8], mask: NDArray[np.int8], info: dict[str, Any]
    ) -> int:
        """Choose one action; `info` is not used.

        Raises:
            ValueError: the network cannot be run on this game, or what it puts out is no logits.
        """
        return int(self._choose(observation[None], mask[None])[0])

    def choose_rows(
        self, observations: NDArray[np.uint8], masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """Choose an action for each row; raise as a call does."""
        step = 1 if self._one_by_one else len(masks)
        parts = range(0, len(masks), step)
        return np.concatenate(
            [self._choose(observations[i : i + step], masks[i : i + step]) for i in parts]
        )

    def probabilities(
        self, observations: NDArray[np.uint8], masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """Return the probability of each action, (rows, num_actions); raise as a call does."""
        return softmax(self._logits(observations, masks), masks)

    def _choose(
        self, observations: NDArray[np.uint8], masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        logits = self._logits(observations, masks)
        actions: NDArray[np.int64] = np.where(masks, logits, -np.inf).argmax(1)
        return actions

    def _logits(self, observations: NDArray[np.uint8], masks: NDArray[np.int8]) -> NDArray[Any]:
        arrays: dict[str, NDArray[Any]] = {"observation": observations, "action_mask": masks}
        feed: dict[str, NDArray[Any]] = {
            name: arrays[name].astype(kind) for name, kind in self._types.items()
        }
        try:
            logits = np.asarray(self._session.run(None, feed)[0])
        except Exception as error:  # as above
            reason = str(error).splitlines()[0]
            raise ValueError(f"{self._name} cannot be run: {reason}") from error
        if logits.shape != masks.shape or logits.dtype.kind not in "iuf":
            raise ValueError(
                f"{self._name} puts out {logits.dtype} {logits.shape}; "
                f"expected numbers {masks.shape}, one for each action"
            )
        return logits


def softmax(logits: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.float64]:
    """Probabilities of actions from their logits, (rows, num_actions); 0 for illegal ones."""
    scores = np.where(masks, np.asarray(logits, np.float64), -np.inf)
    likely = np.exp(scores - scores.max(1, keepdims=True))
    return np.asarray(likely / likely.sum(1, keepdims=True))


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
    return [named(game, opponent) for opponent in _one_per_seat(game, opponents)]


def resolve_seats(
    game: Game, opponents: Opponent | Sequence[Opponent] | None
) -> tuple[list[int], list[Policy]]:
    """The players that `opponents` names in a batch, clockwise from the caller's own seat.

    Args:
        game: the game that they play.
        opponents: as for :func:`resolve`, or ``"self"`` for the caller.

    Returns:
        ``num_seats - 1`` numbers, of a built-in bot, `MH_CALLER` for ``"self"``, or of a guest; and
        the policies that are these guests, each once however many seats it has.

    Raises:
        ValueError: no such bot, a list of the wrong length, or a file that cannot be used.
        TypeError: an entry is neither text nor callable.
    """
    players = _one_per_seat(game, opponents)
    keys = [player if isinstance(player, str) else id(player) for player in players]
    numbers: dict[str | int, int] = {_SELF: CALLER}
    policies: list[Policy] = []
    for key, player in zip(keys, players, strict=True):
        if key not in numbers:
            found = named(game, player, also=f"{_SELF!r}, ")
            if isinstance(found, int):
                numbers[key] = found
            else:
                numbers[key] = GUEST - len(policies)
                policies.append(found)
    return [numbers[key] for key in keys], policies


def has_self(opponents: Opponent | Sequence[Opponent] | None) -> bool:
    """Return whether ``"self"`` is among the opponents, so that the caller plays several seats."""
    return any(isinstance(player, str) and player == _SELF for player in listed(opponents))


def listed(opponents: Any) -> Sequence[Any]:
    """The opponents; one alone as a list."""
    alone = isinstance(opponents, str) or not isinstance(opponents, Sequence)
    return [opponents] if alone else opponents


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


def _check_shape(shape: Sequence[Any], size: int, what: str) -> None:
    """Refuse rows of another size; a network leaves open what is no number."""
    rows, columns = shape if len(shape) == 2 else (0, 0)
    if (isinstance(rows, int) and rows != 1) or (isinstance(columns, int) and columns != size):
        raise ValueError(f"{what} of the shape {shape}; expected (1, {size}), or any rows")


def _checked(policy: Any, name: str) -> Policy:
    """The policy, if it is an object that can be called with three arguments."""
    if isinstance(policy, type):
        raise TypeError(f"{name} is a class; give an object of it")
    try:
        arguments = signature(policy)
    except ValueError:  # written in C without one
        return cast("Policy", policy)
    try:
        arguments.bind(None, None, None)
    except TypeError:
        raise TypeError(
            f"{name} takes {arguments}; expected (observation, mask, info), and to return an action"
        ) from None
    return cast("Policy", policy)


def named(
    game: Game, player: Opponent, argument: str = "opponents", also: str = ""
) -> int | Policy:
    """The player that a name stands for: a built-in bot's number, or a policy to be called.

    Args:
        game: the game that it plays.
        player: its name, or the policy itself.
        argument: what errors call the argument.
        also: names that the caller takes beside these, each with a comma.

    Raises:
        ValueError: no such bot, or a file or a module that cannot be used.
        TypeError: it is neither text nor callable, or cannot be called with three arguments.
    """
    if callable(player):
        return _checked(player, f"{argument}: {player!r}")
    if not isinstance(player, str):
        raise TypeError(f"{argument}: {player!r} is neither a player's name nor callable")
    if player.startswith(ONNX):
        return OnnxPolicy(player.removeprefix(ONNX), game, argument)
    if player.startswith(RUN):
        return _learner(player.removeprefix(RUN), game, argument)
    if player.startswith((nets.NET_FILE, SEARCH)):
        return _built_in(game, player, argument)
    if found := _FILE.fullmatch(player):
        raise ValueError(
            f"{argument}: {player!r} names a file; name the module, from its folder or with that "
            f"in PYTHONPATH: '{found[1]}:{found[2]}'"
        )
    if found := _IMPORTED.fullmatch(player):
        return _imported(found[1], found[2], argument)
    others = f"; or {also}'net:FILE', 'onnx:FILE', 'run:FOLDER', 'module:function', or a callable"
    return _built_in(game, player, argument, others)


def _built_in(game: Game, player: str, argument: str, others: str = "") -> int:
    """The number of a bot of the core; where there is none of that name, errors list `others`."""
    try:
        return game.bot_index(player)
    except ValueError as error:
        unknown = str(error).startswith("no bot ")  # and not one that cannot play with the options
        raise ValueError(f"{argument}: {error}{others if unknown else ''}") from None


def _learner(folder: str, game: Game, argument: str) -> int | Policy:
    """Return the player that the run in a folder has learned by its last checkpoint."""
    from mhing.train.run import learned  # noqa: PLC0415  an extra, and slow to import

    try:
        return learned(folder, game)
    except ValueError as error:
        raise ValueError(f"{argument}: {error}") from error


def _imported(module: str, name: str, argument: str) -> Policy:
    """The callable of that name in a module."""
    try:
        found: Any = import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except Exception as error:  # whatever its code raises
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        raise ValueError(f"{argument}: {module}:{name} cannot be imported: {reason}") from error
    if not callable(found):
        raise ValueError(f"{argument}: {module}:{name} is no function but {found!r}")
    try:
        return _checked(found, f"{argument}: {module}:{name}")
    except TypeError as error:
        raise ValueError(str(error)) from None


def name_of(player: Opponent) -> str:
    """A player's name: as it is given, or what Python calls a policy."""
    return player if isinstance(player, str) else getattr(player, "__name__", type(player).__name__)


def ask(policy: Policy, observation: NDArray[np.uint8], mask: NDArray[np.int8], seat: int) -> Any:
    """A policy's answer for a seat, which :func:`legal` is to check; it gets copies."""
    return policy(observation.copy(), mask.copy(), {"action_mask": mask.copy(), "seat": seat})


def legal(action: Any, mask: NDArray[np.int8], player: str) -> int:
    """The action that a player has answered with.

    Raises:
        ValueError: it is not legal.
        TypeError: it is not a whole number.
    """
    number = whole(action, player)
    if not 0 <= number < len(mask) or not mask[number]:
        raise ValueError(f"{player}: action {number} is not legal now")
    return number
