"""How a network of :mod:`mhing.train.net` plays."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from mhing.game import Game
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


class Logits(nn.Module):
    """A network's logits, as :func:`mhing.train.export.export_onnx` takes them."""

    def __init__(self, net: Net) -> None:
        super().__init__()
        self.net = net

    def forward(self, observation: Tensor, action_mask: Tensor) -> Tensor:
        """Logits of all actions, from uint8 observations and int8 masks."""
        return self.net.policy(observation, action_mask.bool())
