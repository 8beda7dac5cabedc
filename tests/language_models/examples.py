"""The examples of the page about these libraries, one for each."""

from __future__ import annotations

from typing import Any

import pages

PAGE = "python/docs/pages/tutorials/language_model_libraries.md"


def example(library: str) -> pages.Block:
    """Its block of code."""
    blocks = pages.blocks_of(PAGE, pages.texts()[PAGE])
    (block,) = (block for block in blocks if block.environment == library)
    return block


def run(code: str, **given: Any) -> dict[str, Any]:
    """Run code here, with names that are given to it, and return its names."""
    names: dict[str, Any] = {"__name__": "example", **given}
    exec(code, names)
    return names
