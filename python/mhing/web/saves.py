"""Games that are kept on the disk while they are played: a folder of records.

A sitting is one file: its games one after another, each with the seat and the wishes of the person
in the first line. Whatever happens to the command, the file has all moves, and the game continues
where it was.
"""

from __future__ import annotations

import os
import re
import secrets
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from mhing._support.files import make_private
from mhing.recorder import Recorder
from mhing.records import Record, records

WISHES = "wishes"
"""The key of a record's first line that says how a person wanted to play."""

_NAME = re.compile(r"\w[\w-]*")


@dataclass(frozen=True)
class Saved:
    """A sitting on the disk."""

    name: str
    games: list[Record]
    """The games, one or more; the last one may not be over."""
    when: float
    """The time of its last move, in seconds since 1970."""

    @property
    def wishes(self) -> Mapping[str, Any]:
        """The person's settings for play."""
        wishes = self.games[-1].header.get(WISHES)
        return wishes if isinstance(wishes, dict) else {}


class Saves:
    """Sittings in a folder.

    Args:
        folder: where they are; None: in the user's own folder for data.
    """

    def __init__(self, folder: str | Path | None = None) -> None:
        self.folder = _own_folder() if folder is None else Path(folder)

    def make(self) -> None:
        """Make the folder if it does not exist.

        Raises:
            OSError: it cannot be made, or nothing can be written there.
        """
        make_private(self.folder)
        with TemporaryFile(dir=self.folder):
            pass

    def of(self, browser: str) -> Saves:
        """Return the games of a browser, which have a separate folder."""
        return Saves(self.folder / browser)

    def new(self) -> tuple[str, Recorder]:
        """A name that nobody can guess, and what writes the file of that name.

        Raises:
            OSError: nothing can be written there.
        """
        self.make()
        name = f"{time.strftime('%Y-%m-%d')}-{secrets.token_hex(6)}"
        return name, Recorder(self._path(name))

    def find(self, name: str) -> Saved | None:
        """The sitting of that name; None: there is none.

        Raises:
            ValueError: the file is no record; the message names the line.
        """
        return _read(self._path(name)) if name in self else None

    def __contains__(self, name: str) -> bool:
        """Return whether there is a sitting of that name."""
        return bool(_NAME.fullmatch(name)) and self._path(name).is_file()

    def __iter__(self) -> Iterator[Saved]:
        """All sittings that can be read, the last one first."""
        paths = self.folder.glob("*.jsonl") if self.folder.is_dir() else ()
        for path in sorted(paths, key=lambda path: path.stat().st_mtime, reverse=True):
            try:
                yield _read(path)
            except ValueError:
                continue

    def resume(self, name: str) -> Recorder:
        """Return a recorder that continues the last game of a sitting.

        Raises:
            ValueError: the game is over.
            OSError: the file cannot be written, or another process writes there.
        """
        *_, last = records(self._path(name))
        return Recorder.resume(last)

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.jsonl"


def _read(path: Path) -> Saved:
    return Saved(path.stem, list(records(path)), path.stat().st_mtime)


def _own_folder() -> Path:
    """Return the folder where programs of this system keep what belongs to their user."""
    if sys.platform == "win32":
        base = Path(os.environ.get("APPDATA", Path.home()))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return base / "mhing" / "games"
