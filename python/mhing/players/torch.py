"""Networks of PyTorch as they are."""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from mhing.players.rows import OBSERVATIONS, LogitPolicy


class TorchPolicy(LogitPolicy):
    """Plays the legal action with the highest logit of a network.

    Args:
        network: takes observations as float32 (rows, observation_size), and if its ``forward`` has
            two arguments masks as bool (rows, num_actions). It returns logits (rows, num_actions);
            of several results the first. It plays in its mode: call ``eval()`` before.
    """

    sees = OBSERVATIONS

    def __init__(self, network: torch.nn.Module) -> None:
        self._network = network
        needed = [
            one
            for one in signature(network.forward).parameters.values()
            if one.default is one.empty and one.kind is one.POSITIONAL_OR_KEYWORD
        ]
        self._takes_masks = len(needed) > 1

    @torch.no_grad()
    def logits(self, observations: NDArray[np.uint8], masks: NDArray[np.int8]) -> NDArray[Any]:
        """Return the network's logits, (rows, num_actions)."""
        device = next((one.device for one in self._network.parameters()), None)
        inputs = torch.as_tensor(observations, dtype=torch.float32, device=device)
        legal = torch.as_tensor(masks, dtype=torch.bool, device=device)
        found: Any = self._network(inputs, legal) if self._takes_masks else self._network(inputs)
        logits = found[0] if isinstance(found, tuple) else found
        numbers: NDArray[np.float32] = logits.float().numpy(force=True)
        return numbers
