"""All tests of this folder compare results with their schemas."""

from __future__ import annotations

from dataclasses import replace

import pytest
from checked_results import check_results  # noqa: F401

from mhing.arena import benchmark, suite
from mhing.arena.suite import TASKS


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """The suite with 40 deals a task."""
    monkeypatch.setattr(suite, "TASKS", [replace(task, deals=40) for task in TASKS])
    monkeypatch.setattr(benchmark, "TASKS", suite.TASKS)
