"""A server for tests."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mhing.cli.serve import READY, find_server


@dataclass
class Server:
    """A server that is running, and where."""

    process: subprocess.Popen[str]
    endpoint: str

    def kill(self) -> None:
        """Ends it without a warning."""
        self.process.kill()
        self.process.wait()


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[Server]:
    """A server at a socket in the folder; it stops cleanly at the end, unless it was killed."""
    command = [find_server(), "--bind", f"ipc://{folder}/socket", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith(READY), "the server does not start"
        server = Server(process, line.removeprefix(READY).strip())
        try:
            yield server
        finally:
            if process.poll() is None:
                process.terminate()
                assert process.wait(10) == 0
