"""A server of :mod:`mhing.openenv` in a process."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import mhing

FOLDER = Path(mhing.__file__).parent / "openenv"

PYTHON = os.environ.get("MHING_OPENENV_PYTHON", sys.executable)
"""That of the server, which has another environment where a library wants an older OpenEnv."""


@contextmanager
def serving(game: str, sessions: int) -> Iterator[str]:
    """Its address: a server as its Containerfile starts it, whose bots play by chance."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    settings = {"MHING_GAME": game, "MHING_OPPONENTS": "random", "MHING_SESSIONS": str(sessions)}
    (line,) = [
        line
        for line in (FOLDER / "Containerfile").read_text(encoding="utf-8").splitlines()
        if line.startswith("CMD ")
    ]
    command = json.loads(line.removeprefix("CMD "))
    command[0], command[command.index("0.0.0.0")], command[-1] = PYTHON, "127.0.0.1", port
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(command, env=os.environ | settings, cwd=folder)
        try:
            until = time.monotonic() + 900
            while True:
                try:
                    urlopen(f"http://127.0.0.1:{port}/health").close()
                    break
                except OSError:
                    assert process.poll() is None
                    assert time.monotonic() < until
                    time.sleep(0.2)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(30)
