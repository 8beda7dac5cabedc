"""Players made of networks: an `ObservationNet`, or an `AfterstateNet`."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any
from weakref import finalize

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from mhing._lib.nets import NET_FILE
from mhing.game import Game
from mhing.players.rows import LogitPolicy
from mhing.players.seating import Given
from mhing.train.afterstate_net import AfterstateNet
from mhing.train.learner import Settings
from mhing.train.netfile import made_by
from mhing.train.observation_net import ObservationNet


class NetPolicy(LogitPolicy):
    """Plays by the logits of a network; see :data:`mhing.players.Policy`."""

    def __init__(self, game: Game, net: ObservationNet) -> None:
        self._net = net
        self._device = net.scale.device
        self.sees = game.observation_size

    @torch.no_grad()
    def logits(self, observations: NDArray[np.uint8], masks: NDArray[np.int8]) -> NDArray[Any]:
        """Return the network's logits, (rows, num_actions)."""
        observed = torch.tensor(observations, device=self._device)
        legal = torch.tensor(masks, dtype=torch.bool, device=self._device)
        found: NDArray[np.float32] = self._net.logits(observed, legal).cpu().numpy()
        return found


class NetworkSeats:
    """Seats networks of a run.

    An `AfterstateNet` plays like a net of the core, from a file that exists as long as this
    object.
    """

    def __init__(self, game: Game, settings: Settings) -> None:
        self._game, self._settings = game, settings
        self._folder = Path(mkdtemp(prefix="mhing-net-"))
        self._files = 0
        finalize(self, rmtree, self._folder, ignore_errors=True)

    def player(self, net: ObservationNet | AfterstateNet) -> Given:
        """Play what the network finds most likely."""
        if isinstance(net, ObservationNet):
            return NetPolicy(self._game, net)
        self._files += 1
        path = self._folder / f"{self._files}.net"
        path.write_bytes(net.to_bytes(self._game, made_by(self._settings, self._game)))
        return f"{NET_FILE}{path}"

    def past(self, net: ObservationNet | AfterstateNet, weights: dict[str, Tensor]) -> Given:
        """Play what a network like `net` with these weights finds most likely."""
        own = deepcopy(net)
        own.load_state_dict(weights)
        return self.player(own)


class Logits(nn.Module):
    """A network's logits, as :func:`mhing.train.export.export_onnx` takes them."""

    def __init__(self, net: ObservationNet) -> None:
        super().__init__()
        self.net = net

    def forward(self, observation: Tensor, action_mask: Tensor) -> Tensor:
        """Logits of all actions, from uint8 observations and int8 masks."""
        return self.net.logits(observation, action_mask.bool())
