"""``mhing serve``: what it says, and how it ends."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from server_process import Server

import mhing
from mhing.cli import main


@contextmanager
def mhing_serve(*options: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "mhing", "serve", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.terminate()


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_serve(tmp_path: Path, stop: int) -> None:
    wanted = f"ipc://{tmp_path}/socket"
    with mhing_serve("--bind", wanted) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == f"serving at {wanted}\n"
        assert process.stdout.readline().strip().startswith("gym.make(")
        with mhing.connect(wanted) as connection:
            assert connection.games == mhing.games()
        process.send_signal(stop)
        assert process.wait(10) == 0


def test_serve_tells_programs_where() -> None:
    with mhing_serve("--json", "--bind", "tcp://127.0.0.1:*") as process:
        assert process.stdout is not None
        endpoint = json.loads(process.stdout.readline())["endpoint"]
        with mhing.connect(endpoint) as connection:
            connection.request("ping")


def test_serve_killed_leaves_no_server(tmp_path: Path) -> None:
    with mhing_serve("--bind", f"ipc://{tmp_path}/socket", "--state", str(tmp_path)) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("serving at")
        process.kill()
        process.stdout.read()  # until nobody can write to it
    with Server(tmp_path, "--state", str(tmp_path)):
        pass  # neither its socket nor its folder is in use


@pytest.mark.slow
def test_serve_ends_when_nobody_reads_it(tmp_path: Path) -> None:
    bind = ("--bind", f"ipc://{tmp_path}/socket", "--figures", "1")
    with mhing_serve(*bind) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("serving at")
        with mhing.connect(f"ipc://{tmp_path}/socket") as connection:
            connection.request("ping")
            process.stdout.close()
            assert process.wait(20) == 0


def test_serve_with_bad_input(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [sys.executable, "-m", "mhing", "serve", "--colour", "red"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "--colour" in done.stderr
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["serve"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "libzmq3-dev" in err
