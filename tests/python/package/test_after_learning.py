"""The day after learning: the code of each library's page does what the overview's table says."""

from __future__ import annotations

import re
from typing import Any

import pages
import pytest

pytestmark = pytest.mark.once

after_learning: Any = pages.script("benchmarks", "after_learning")
NAMES = [name for name in after_learning.ROWS if after_learning.environment(name) is None]
SHORTEST = "pettingzoo"
"""The row that .ci/run makes again; --full makes the others too, each for half a minute."""


def test_the_table_has_these_rows_and_no_others() -> None:
    """Each of its cells is made by another test, and every page with such code has a row."""
    page = after_learning.OVERVIEW.read_text(encoding="utf-8")
    assert after_learning.written(page, {}) == page
    linked = re.findall(r"\(([\w./]+\.md)#after-learning\) \|", page)
    note = "<!-- test: after learning -->"
    continued = {pages.ROOT / name for name, text in pages.texts().items() if note in text}
    assert {(after_learning.OVERVIEW.parent / path).resolve() for path in linked} == continued
    assert len(linked) == len(after_learning.ROWS)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.full] if name != SHORTEST else []) for name in NAMES],
)
def test_a_row_is_true(name: str) -> None:
    """`python benchmarks/after_learning.py NAME` makes it again."""
    missing = {module for block in after_learning.blocks(name) for module in block.missing}
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    page = after_learning.OVERVIEW.read_text(encoding="utf-8")
    assert after_learning.line(name) in page.splitlines()
