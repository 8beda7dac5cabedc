"""Settings for tests of what trains language models, see .ci/language_models.

Helpers that these tests share with others are in tests/python.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

import rooms  # noqa: F401  # before what it finds
