"""Files for their owner alone: a game in play and its seed give all cards away."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO, Any


def open_private(path: str | Path, mode: str, **more: Any) -> IO[Any]:
    """Open a file as ``open`` does; a file that is made is for its owner alone (0600)."""
    return open(path, mode, opener=lambda path, flags: os.open(path, flags, 0o600), **more)


def make_private(folder: Path) -> None:
    """Make a folder for its owner alone (0700), if it does not exist."""
    folder.mkdir(0o700, parents=True, exist_ok=True)
