"""Options of the Python tests, see tests/python/conftest.py.

They stand here because pytest takes ``leduc`` in ``pytest --game leduc`` for a folder until it
knows the option, and then it looks for them in this folder only.
"""

from __future__ import annotations

from itertools import compress

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="run the long forms of the tests too")
    parser.addoption("--game", metavar="ID", help="run the tests of all games, for this one only")
    parser.addoption("--few", action="store_true", help="of each game in two variants only")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what is marked full, without --full."""
    if not config.getoption("--full"):
        is_full = [item.get_closest_marker("full") is not None for item in items]
        config.hook.pytest_deselected(items=[*compress(items, is_full)])
        items[:] = [item for item, left_out in zip(items, is_full, strict=True) if not left_out]
