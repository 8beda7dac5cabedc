"""Policies of Tianshou."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tianshou.data import Batch

from mhing.players.rows import OBSERVATIONS, RowPolicy


class TianshouPolicy(RowPolicy):
    """Plays as a policy does outside training; ``deterministic_eval`` says whether it draws.

    Args:
        policy: one that reads ``{"obs": ..., "mask": ...}``, or the algorithm that trains it.
    """

    sees = OBSERVATIONS

    def __init__(self, policy: Any) -> None:
        self._policy = getattr(policy, "policy", policy)

    @torch.no_grad()
    def choose_rows(
        self, observations: NDArray[np.uint8], masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """Choose an action for each row."""
        batch = Batch(obs=observations, mask=masks.astype(np.bool_))
        found = self._policy(Batch(obs=batch, info=Batch()))
        actions: NDArray[np.int64] = torch.as_tensor(found.act).numpy(force=True)
        return actions
