"""Networks written to ONNX files, for :class:`mhing.players.onnx.OnnxPolicy`: ``onnx:FILE``."""

from __future__ import annotations

import copy
import io
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from mhing.game import Game
from mhing.train.folder import write_whole


class _Called(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[[Tensor, Tensor], Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, observation: Tensor, action_mask: Tensor) -> Tensor:
        return self.function(observation, action_mask)


def export_onnx(game: Game, policy: Callable[[Tensor, Tensor], Tensor], path: str | Path) -> Path:
    """Write a policy to a file that plays wherever opponents are named: as ``onnx:FILE``.

    Args:
        game: the game that it plays.
        policy: a module or function of ``observation`` uint8 (rows, observation_size) and
            ``action_mask`` int8 (rows, num_actions), for any number of rows, that returns float
            logits (rows, num_actions). Those of illegal actions do not matter. A module is copied
            to the CPU; tensors that a function uses must be there, and want no gradients.
        path: the file; an existing one is replaced.

    Returns:
        The path.

    Raises:
        ValueError: what the policy returns are no logits.
        OSError: the file cannot be written.
    """
    module = policy if isinstance(policy, nn.Module) else _Called(policy)
    module = copy.deepcopy(module).cpu().eval()
    state = game.new_state(seed=1)
    example: tuple[Any, ...] = tuple(
        torch.from_numpy(array).repeat(2, 1) for array in (state.observation(), state.action_mask())
    )
    with torch.no_grad():
        logits = module(*example)
    expected = (2, game.num_actions)
    if logits.shape != expected or not logits.is_floating_point():
        raise ValueError(
            f"policy: it returns {logits.dtype} {tuple(logits.shape)} for two rows; "
            f"expected logits, floats {expected}"
        )
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the exporter that needs no further packages
        torch.onnx.export(
            module, example, buffer,  # type: ignore[arg-type]
            dynamo=False, opset_version=18,
            input_names=["observation", "action_mask"], output_names=["logits"],
            dynamic_axes={name: {0: "rows"} for name in ("observation", "action_mask", "logits")},
        )  # fmt: skip
    write_whole(Path(path), buffer.getbuffer())
    return Path(path)
