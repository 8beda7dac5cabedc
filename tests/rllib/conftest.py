"""Fixtures for the tests of RLlib, which has a separate environment, see .ci/rllib.

Helpers that these tests share with others are in tests/python.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

import rooms  # noqa: F401  # before what it finds
