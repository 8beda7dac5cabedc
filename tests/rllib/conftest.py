"""RLlib has an environment of its own, see .ci/rllib; what tests share lies beside the others."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

import rooms  # noqa: F401  # before what it finds
