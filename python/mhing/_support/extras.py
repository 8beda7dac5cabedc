"""Lines that install optional libraries."""

from __future__ import annotations


def install(extra: str) -> str:
    """The end of a message that something is missing."""
    return f"pip install '.[{extra}]' in the folder of mhing's sources"
