"""The examples of the page that belong to this environment, see .ci/language_models."""

from __future__ import annotations

import sys
from pathlib import Path

import pages
import pytest

PAGE = "python/docs/pages/tutorials/language_model_libraries.md"
NAME = Path(sys.prefix).name


@pytest.mark.parametrize(
    "block",
    [one for one in pages.blocks_of(PAGE, pages.texts()[PAGE]) if one.environment == NAME],
    ids=str,
)
def test_block(block: pages.Block, tmp_path: Path) -> None:
    if NAME == "trl":
        import tiny

        tiny.save(tmp_path / "tiny")
    block.check(tmp_path)
