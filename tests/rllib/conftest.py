"""Fixtures for the tests of RLlib, which has a separate environment, see .ci/rllib.

Helpers that these tests share with others are in tests/python.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

import rooms  # noqa: F401  # before what it finds


@pytest.fixture(scope="module")
def local() -> Iterator[None]:
    """Ray on this machine, for what all algorithms want of it."""
    import ray

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_AUTH_MODE", "disabled")
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        ray.init(
            num_cpus=1,
            include_dashboard=False,
            object_store_memory=10**8,
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
        yield
        ray.shutdown()
