"""The day after learning with RLlib: the row of the overview's table, made again."""

from __future__ import annotations

from typing import Any

import pages
import pytest

pytest.importorskip("tree", reason="RLlib has a separate environment: run .ci/rllib")

after_learning: Any = pages.script("benchmarks", "after_learning")


@pytest.mark.full
def test_the_row_is_true(monkeypatch: pytest.MonkeyPatch) -> None:
    """`build/rllib/bin/python benchmarks/after_learning.py rllib` writes it."""
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    page = after_learning.OVERVIEW.read_text(encoding="utf-8")
    assert after_learning.line("rllib") in page.splitlines()
