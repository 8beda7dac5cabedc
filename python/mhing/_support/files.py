"""Files for their owner alone, and with one writer at a time."""

from __future__ import annotations

import errno
import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO

if sys.platform != "win32":
    import fcntl


def open_private(path: str | Path, mode: str, **more: Any) -> IO[Any]:
    """Open a file as ``open`` does; a file that is made is for its owner alone (0600).

    A game in play and its seed give all cards away.
    """
    return open(path, mode, opener=lambda path, flags: os.open(path, flags, 0o600), **more)


def make_private(folder: Path) -> None:
    """Make a folder for its owner alone (0700), if it does not exist."""
    folder.mkdir(0o700, parents=True, exist_ok=True)


def write_new(path: Path, content: bytes) -> None:
    """Write a new file; where that fails, there is none.

    Raises:
        FileExistsError: the file exists.
        OSError: it cannot be written.
    """
    with open(path, "xb") as file:
        try:
            file.write(content)
            file.flush()
        except BaseException:
            path.unlink()
            raise


def part_of(path: Path) -> Path:
    """Return the path of a file until it is complete; readers of a folder ignore hidden files."""
    return path.with_name(f".{path.name}.part")


@contextmanager
def completed(path: Path) -> Iterator[BinaryIO]:
    """Open a file that gets its name when all is on the disk; where that fails, there is none."""
    part = part_of(path)
    try:
        with open(part, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.rename(path)
    finally:
        part.unlink(missing_ok=True)


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    found = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            found.update(block)
    return found.hexdigest()


@contextmanager
def sole_writer(path: Path, mode: int = 0o666) -> Iterator[None]:
    """Hold a file, or a folder for this process alone; make the file with `mode` if need be.

    The end of the process ends that too, also a kill. On Windows, and on network disks that do not
    know how, nothing is held.

    Raises:
        BlockingIOError: another process, or another caller in this one, holds it.
    """
    flags = os.O_RDONLY if path.is_dir() else os.O_RDWR | os.O_CREAT
    handle = os.open(path, flags, mode)
    try:
        _hold(handle, path)
        yield
    finally:
        os.close(handle)


def _hold(handle: int, path: Path) -> None:
    if sys.platform == "win32":
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        words = "another process is writing there"
        raise BlockingIOError(errno.EWOULDBLOCK, words, str(path)) from None
    except OSError:  # the disk's file system has no locks
        return
