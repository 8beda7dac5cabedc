"""The browsers that have shown the token, which the next command at the same port still knows.

The token itself is kept nowhere, and neither is a cookie: the file has names that follow from
cookies, see :func:`mhing.web.guard.browser_of`, and nobody gets a cookie from its name.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

from mhing._support.files import open_private

LASTS = 24 * 3600
"""Seconds after which a file is forgotten that nothing was added to, unless its command has ended
since."""


class Welcomed:
    """Names of browsers, in memory and maybe in a file for their owner alone.

    Args:
        path: the file; None: they are forgotten at the end of the process.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._names: set[str] = set()
        if path is None:
            return
        with suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime < LASTS:
                self._names.update(path.read_text(encoding="ascii", errors="replace").split())
            else:
                path.unlink()

    def __contains__(self, name: str) -> bool:
        """Return whether that browser has shown the token."""
        return name in self._names

    def add(self, name: str) -> None:
        """Let a browser in; one that cannot be kept is let in until the process ends."""
        if name not in self._names and self._path is not None:
            with suppress(OSError), open_private(self._path, "a", encoding="ascii") as file:
                file.write(f"{name}\n")
        self._names.add(name)

    def close(self) -> None:
        """Begin the time after which they are forgotten."""
        if self._path is not None:
            with suppress(OSError):
                os.utime(self._path)
