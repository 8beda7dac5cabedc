"""Shared settings of the Python tests.

pytest                 everything in its short form, a minute and a half or so
pytest --full          also the long runs: a hundred thousand hands against the slow scorer, many
                       more games before the referee, more corrupted snapshots (some 20 minutes)
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="run the long forms of the tests too")


@pytest.fixture(scope="session")
def full(request: pytest.FixtureRequest) -> bool:
    """Whether the long forms were asked for."""
    return bool(request.config.getoption("--full"))
