"""Networks written to ONNX files, for :class:`mhing.players.onnx.OnnxPolicy`: ``onnx:FILE``."""

from __future__ import annotations

import copy
import io
import warnings
from collections.abc import Callable, Sequence
from inspect import Signature, signature
from pathlib import Path
from typing import Any

from mhing._support.extras import install
from mhing.game import Game
from mhing.players.asking import reason
from mhing.train.folder import write_whole

try:
    import onnx  # noqa: F401  the exporter of PyTorch needs it
    import torch
    from torch import Tensor, nn
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(f"{error.name} is missing: {install('train')}") from error

_WANTED = "expected (observation, action_mask), or the first alone"
"""The arguments of a policy."""


class _Policy(nn.Module):
    """A module or a function as a module of an observation and a mask that returns logits."""

    def __init__(self, policy: Callable[..., Any], takes_masks: bool) -> None:
        super().__init__()
        self.policy, self.takes_masks = policy, takes_masks

    def forward(self, observation: Tensor, action_mask: Tensor) -> Any:
        given = (observation, action_mask) if self.takes_masks else (observation.float(),)
        found = self.policy(*given)
        return found[0] if isinstance(found, tuple) else found


def export_onnx(game: Game, policy: Callable[..., Any], path: str | Path) -> Path:
    """Write a policy to a file that plays wherever opponents are named: as ``onnx:FILE``.

    Args:
        game: the game that it plays.
        policy: a module or function of ``observation`` uint8 (rows, observation_size) and
            ``action_mask`` int8 (rows, num_actions), or of the first alone as float32, for any
            number of rows. It returns float logits (rows, num_actions), of which those of illegal
            actions do not matter; of several results the first counts, as in ``logits, value``. A
            module is copied to the CPU; tensors that a function uses must be there, and want no
            gradients.
        path: the file; an existing one is replaced.

    Returns:
        The path.

    Raises:
        ValueError: the policy fails, what it returns are no logits, or PyTorch cannot export it.
        TypeError: `game` is no game, or the policy does not take an observation and a mask.
        OSError: the file cannot be written.
    """
    if not isinstance(game, Game):
        raise TypeError(f"game: {game!r} is a {type(game).__name__}; expected a mhing.Game")
    module = _module_of(policy)
    state = game.new_state(seed=1)
    inputs = {
        "observation": torch.from_numpy(state.observation()).repeat(2, 1),
        "action_mask": torch.from_numpy(state.action_mask()).repeat(2, 1),
    }
    _try(module, [*inputs.values()], (2, game.num_actions))
    try:
        exported = onnx_bytes(module, inputs, "logits")
    except Exception as error:  # PyTorch has a separate class for every kind of failure
        raise ValueError(f"policy: PyTorch cannot export it: {reason(error)}") from error
    write_whole(Path(path), exported)
    return Path(path)


def _module_of(policy: Any) -> nn.Module:
    """A copy of a module or a function, as one that :func:`onnx_bytes` can write."""
    if not callable(policy) or isinstance(policy, type):
        raise TypeError(f"policy: {policy!r} is neither a module nor a function; {_WANTED}")
    taken = signature(policy.forward if isinstance(policy, nn.Module) else policy)
    numbers = [number for number in (2, 1) if _takes(taken, number)]
    if not numbers:
        raise TypeError(f"policy: it takes {taken}; {_WANTED}")
    try:
        return copy.deepcopy(_Policy(policy, numbers[0] == 2)).cpu().eval()
    except Exception as error:  # whatever its code raises
        raise ValueError(f"policy: it cannot be copied to the CPU: {reason(error)}") from error


def _takes(taken: Signature, number: int) -> bool:
    """Return whether a function can be called with so many arguments."""
    try:
        taken.bind(*[None] * number)
    except TypeError:
        return False
    return True


def _try(module: nn.Module, example: Sequence[Tensor], expected: tuple[int, ...]) -> None:
    """Raise ValueError unless it returns logits for two rows."""
    try:
        with torch.no_grad():
            logits = module(*example)
    except Exception as error:  # whatever its code raises
        given = " and ".join(f"{one.dtype} {tuple(one.shape)}" for one in example)
        raise ValueError(
            f"policy: it fails for two rows, {given}, of which .float() makes floats: "
            f"{reason(error)}"
        ) from error
    is_tensor = isinstance(logits, Tensor)
    if not is_tensor or logits.shape != expected or not logits.is_floating_point():
        found = f"{logits.dtype} {tuple(logits.shape)}" if is_tensor else type(logits).__name__
        raise ValueError(
            f"policy: it returns {found} for two rows; expected logits, floats {expected}"
        )


def onnx_bytes(module: nn.Module, inputs: dict[str, Tensor], output: str) -> bytes:
    """A module as the bytes of an ONNX file, for any number of rows.

    Args:
        module: on the CPU, for evaluation.
        inputs: an example of each, by the names that they shall have, with several rows.
        output: the name of what it returns.
    """
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the exporter that needs no further packages
        torch.onnx.export(
            module, tuple(inputs.values()), buffer,  # type: ignore[arg-type]
            dynamo=False, opset_version=18,
            input_names=[*inputs], output_names=[output],
            dynamic_axes={name: {0: "rows"} for name in (*inputs, output)},
        )  # fmt: skip
    return buffer.getvalue()
