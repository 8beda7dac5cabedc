"""Runs of training that are over in a moment: what their tests share."""

from __future__ import annotations

import pytest
import torch

TINY = {"rows": 16, "horizon": 8, "minibatch": 64, "hidden": 16}
"""Tuning of PPO."""

TUNE = " ".join(f"--tune {name}={value}" for name, value in TINY.items())


@pytest.fixture(autouse=True)
def one_thread() -> None:
    """Several would wait for each other longer than they work. Tests that import it have it."""
    torch.set_num_threads(1)
