"""A network that plays: in this process, or exported for others."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from mhing.game import Game
from mhing.train.folder import write_whole
from mhing.train.net import Net


class NetPolicy:
    """Plays the most likely action, the first one of equals; see :data:`mhing.bots.Policy`."""

    def __init__(self, game: Game, net: Net) -> None:
        self._net = net
        self._device = net.scale.device

    def __call__(
        self, observation: NDArray[np.uint8], mask: NDArray[np.int8], info: dict[str, Any]
    ) -> int:
        """Chooses one action; `info` is not used."""
        return int(self.choose_rows(observation[None], mask[None])[0])

    @torch.no_grad()
    def choose_rows(
        self, observations: NDArray[np.uint8], masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """Chooses an action for each row."""
        seen = torch.tensor(observations, device=self._device)
        legal = torch.tensor(masks, dtype=torch.bool, device=self._device)
        chosen: NDArray[np.int64] = self._net.policy(seen, legal).argmax(1).cpu().numpy()
        return chosen


class _Exported(nn.Module):
    """The actor with the inputs that :class:`mhing.bots.OnnxPolicy` gives."""

    def __init__(self, net: Net) -> None:
        super().__init__()
        self.net = net

    def forward(self, observation: Tensor, action_mask: Tensor) -> Tensor:
        return self.net.policy(observation, action_mask.bool())


def export_onnx(game: Game, net: Net, path: Path) -> Path:
    """Writes the network for ``onnx:FILE``.

    Raises:
        OSError: the file cannot be written.
    """
    state = game.new_state(seed=1)
    example = (
        torch.from_numpy(state.observation())[None],
        torch.from_numpy(state.action_mask())[None],
    )
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the exporter that needs no further packages
        torch.onnx.export(
            _Exported(net).cpu().eval(), example, buffer,  # type: ignore[arg-type]
            dynamo=False, opset_version=18,
            input_names=["observation", "action_mask"], output_names=["logits"],
            dynamic_axes={name: {0: "rows"} for name in ("observation", "action_mask", "logits")},
        )  # fmt: skip
    write_whole(path, buffer.getbuffer())
    return path
