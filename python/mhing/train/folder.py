"""The folder of a run: its settings, its log, and the checkpoint from which it resumes.

    settings.toml    what the run began with, and how long it is to last: for --config as well
    log.jsonl        a line of JSON for each iteration
    checkpoint.pt    all that is needed to resume, by torch.save
    evaluation.json  the evaluation at the end

A kill at any moment leaves the settings, a log that begins with whole lines, and the last
checkpoint as a whole: files are written beside their place and then moved there.
"""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

from mhing.players.registry import CHECKPOINT
from mhing.train.config import plain, read, settings_of, to_toml
from mhing.train.learner import Settings

SETTINGS, LOG, EVALUATION = "settings.toml", "log.jsonl", "evaluation.json"
VERSION = 3


class RunFolder:
    """A folder that holds a run."""

    def __init__(self, path: Path, settings: Settings) -> None:
        self.path, self.settings = path, settings

    def create(self) -> None:
        """Begin a run there.

        Raises:
            ValueError: it holds a run already.
            OSError: it cannot be made, or nothing can be written there.
        """
        if any((self.path / name).exists() for name in (SETTINGS, CHECKPOINT)):
            raise ValueError(f"{str(self.path)!r} holds a run; continue it with --resume")
        self.path.mkdir(parents=True, exist_ok=True)
        write_whole(self.path / LOG, b"")
        self.write_settings()

    def write_settings(self) -> None:
        """Write down the settings as they are."""
        write_whole(self.path / SETTINGS, to_toml(plain(self.settings)).encode())

    @classmethod
    def open(cls, path: str | Path) -> RunFolder:
        """The folder of a run that has begun.

        Raises:
            ValueError: it holds no run.
        """
        try:
            content = read((Path(path) / SETTINGS).read_bytes(), SETTINGS)
            return cls(Path(path), settings_of(content))
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            if Path(path).suffix == ".net" and Path(path).is_file():
                reason = f"it is the file of a net, which plays as net:{path}"
            raise ValueError(f"{str(path)!r} holds no run of mhing train: {reason}") from error

    def save(self, state: dict[str, Any]) -> int:
        """Replace the last checkpoint by this one, together with the length of the log.

        Returns:
            This length, in bytes.
        """
        import torch  # noqa: PLC0415  slow, and an extra

        with open(self.path / LOG, "rb") as log:
            os.fsync(log.fileno())
            length = os.fstat(log.fileno()).st_size
        buffer = io.BytesIO()
        torch.save({"version": VERSION, "log": length, **state}, buffer)
        write_whole(self.path / CHECKPOINT, buffer.getbuffer())
        return length

    def load(self) -> dict[str, Any] | None:
        """The last checkpoint; None: there is none yet.

        Raises:
            ValueError: it is damaged.
        """
        import torch  # noqa: PLC0415  slow, and an extra

        path = self.path / CHECKPOINT
        if not path.exists():
            return None
        try:
            state: dict[str, Any] = torch.load(path, weights_only=True, map_location="cpu")
        except Exception as error:  # torch has many classes for what can be wrong with a file
            reason = f"{type(error).__name__}: {error}".splitlines()[0]
            raise ValueError(f"{str(path)!r} is damaged: {reason}") from error
        if not isinstance(state, dict) or state.get("version") != VERSION:
            raise ValueError(f"{str(path)!r} is no checkpoint of version {VERSION}")
        return state

    def rewind(self, length: int) -> None:
        """Take back the lines of the log from `length` bytes on, which will be played again, and
        the evaluation of what was learned before.
        """
        (self.path / EVALUATION).unlink(missing_ok=True)
        with open(self.path / LOG, "r+b") as log:
            log.truncate(length)

    def write(self, line: dict[str, Any]) -> None:
        """Add a line to the log."""
        with open(self.path / LOG, "ab") as log:
            log.write(json.dumps(line).encode() + b"\n")

    def lines(self) -> list[dict[str, Any]]:
        """The whole lines of the log."""
        data = (self.path / LOG).read_bytes()
        return [json.loads(line) for line in data[: data.rfind(b"\n") + 1].splitlines()]

    def write_evaluation(self, found: dict[str, Any]) -> None:
        """Write down what was found at the end."""
        write_whole(self.path / EVALUATION, json.dumps(found, indent=2).encode() + b"\n")

    def evaluation(self) -> dict[str, Any] | None:
        """The evaluation at the end; None: the run has not come so far."""
        path = self.path / EVALUATION
        return json.loads(path.read_bytes()) if path.exists() else None


def write_whole(path: Path, content: bytes | memoryview) -> None:
    """Write a file so that a kill leaves the old one or the new one, and nothing between."""
    beside = path.with_name(f".{path.name}.new")
    with open(beside, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)
    if hasattr(os, "O_DIRECTORY"):  # the new name is on the disk as well
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
