"""`mhing play` on a terminal: when it is the application, and how a killed game continues."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from terminals import read_terminal

from mhing import Game
from mhing._support.extras import install
from mhing.cli import main
from mhing.recorder import Recorder
from mhing.records import Record
from mhing.web.play import PlaySession, Wishes

pytestmark = pytest.mark.once

Capture = pytest.CaptureFixture[str]
WHOLE = b"\x1b[?1049h"
"""By which a program takes the whole terminal."""


class Terminal:
    """A command in a terminal of 80 columns and 24 rows."""

    def __init__(self, process: subprocess.Popen[bytes], handle: int) -> None:
        self.process, self._handle = process, handle
        self.shown = b""

    def expect(self, words: bytes) -> None:
        """Reads until the words are there."""
        end = time.monotonic() + 60
        while words not in self.shown:
            assert time.monotonic() < end, self.shown
            self.read(0.1)

    def type(self, keys: bytes) -> None:
        os.write(self._handle, keys)

    def end(self) -> int:
        """Reads to the end; returns the exit code."""
        end = time.monotonic() + 60
        while self.process.poll() is None:
            assert time.monotonic() < end, self.shown
            self.read(0.1)
        self.read(0.1)
        return self.process.returncode

    def read(self, seconds: float) -> None:
        """Takes what is shown in that time."""
        ready, _, _ = select.select([self._handle], [], [], seconds)
        if ready:
            self.shown += read_terminal(self._handle)


@contextmanager
def terminal(line: str, before: str = "", **env: str) -> Iterator[Terminal]:
    """Runs `mhing` with these words, after the statements `before`."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    code = f"import sys; {before}\nfrom mhing.cli import main\nsys.exit(main({line.split()}))"
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=theirs, stdout=theirs, stderr=theirs,
        env=os.environ | {"TERM": "xterm-256color"} | env,
    )  # fmt: skip
    os.close(theirs)
    try:
        yield Terminal(process, ours)
    finally:
        process.kill()
        process.wait()
        os.close(ours)


@pytest.mark.slow
def test_a_terminal_has_the_application() -> None:
    with terminal("play --seat 0 --seed 7 --delay 0") as there:
        there.expect(b"discard")
        assert WHOLE in there.shown
        there.type(b"q")
        there.expect(b"The game is lost")
        there.type(b"y")
        assert there.end() == 0
        assert there.shown.endswith(b"Seed 7 deals these cards again.\r\n")


@pytest.mark.parametrize(
    ("line", "before", "env"),
    [
        ("--plain", "", {}),
        ("", "", {"TERM": "dumb"}),
        ("", "sys.modules['textual'] = None", {}),
    ],
)
def test_lines_on_a_terminal(line: str, before: str, env: dict[str, str]) -> None:
    with terminal(f"play --seat 0 --seed 7 --delay 0 {line}", before, **env) as there:
        there.expect(b"Your move, 1-11 (? help, h hint, q quit): ")
        there.type(b"1\n")
        there.expect(b"You discard")
        there.type(b"q\n")
        assert there.end() == 0
    assert WHOLE not in there.shown
    assert there.shown.count(install("play").encode()) == (before != "")


@pytest.mark.slow
@pytest.mark.parametrize("line", ["", "--plain"])
def test_a_game_goes_on_after_a_kill(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """The game continues as without the kill: the same moves lead to the same end."""
    path = tmp_path / "mine.jsonl"
    with terminal(f"play --seat 1 --seed 1 --delay 0 {line} --record {path}") as there:
        there.expect(b"discard")
        while sum(move.by == "player" for move in Record(path).moves) < 3:
            there.type(b"1\n" if line else b"\r")
            there.read(0.3)
        there.process.send_signal(signal.SIGKILL)
        there.process.wait()
    monkeypatch.setattr(sys, "stdin", io.StringIO("1\n" * 300))
    assert main(["play", "--resume", str(path)]) == 0
    assert "The round is over" in capsys.readouterr().out
    record = Record(path)
    *_, (_, state) = record.replay()
    assert state.is_terminal
    play = PlaySession(Game(), [Game().default_bot], Wishes(seat=1, delay=0.0), 1)
    for move in record.moves:
        while play.due() is not None:
            play.tick()
        if move.by == "player":
            play.do({"do": "play", "action": move.action, "number": play.number})
    while play.due() is not None:
        play.tick()
    assert [one.action for one in play.table.played] == [move.action for move in record.moves]


@pytest.mark.slow
def test_the_application_goes_on_with_the_names_and_the_log(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    with terminal(f"play --seat 0 --seed 7 --delay 0 --record {path}") as there:
        there.expect(b"discard")
        there.type(b"\r")
        while not any(move.by == "player" for move in Record(path).moves):
            there.read(0.1)
        there.type(b"q")
        assert there.end() == 0
    assert f"mhing play --resume {path} continues it." in there.shown.decode().replace("\r\n", "")
    assert b"eed 7" not in there.shown, "the player must not know it before the end"
    with terminal(f"play --resume {path}") as there:
        there.expect(b"You discard")
        there.expect(b"greedy 1")
        there.type(b"q")
        assert there.end() == 0


def test_what_cannot_be_resumed(tmp_path: Path, capsys: Capture) -> None:
    path, over = tmp_path / "mine.jsonl", tmp_path / "over.jsonl"
    assert main(["record", "--games", "1", "--out", str(over)]) == 0
    with Recorder(path) as recorder:
        recorder.begin(Game(), 7, ["greedy", "greedy", "greedy", "nobody"])
    for line, words in (
        (f"--resume {path} --seat 1", "the file knows --seat; leave that out"),
        (f"--resume {path} --players 3", "the file knows the game; leave that out"),
        (f"--resume {path} --record x", "the file knows --record; leave that out"),
        (f"--resume {over}", "its game is over; mhing replay shows it"),
        (f"--resume {path}", "no bot 'nobody'"),
        (f"--resume {tmp_path}/none", "does not exist"),
    ):
        capsys.readouterr()
        try:
            code = main(["play", *line.split()])
        except SystemExit as end:
            code = int(str(end.code))
        out, err = capsys.readouterr()
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert words in err
    with Recorder(tmp_path / "held.jsonl") as recorder:
        recorder.begin(Game(), 7, ["greedy"] * 4)
        assert main(["play", "--resume", str(tmp_path / "held.jsonl")]) == 2
        assert re.search("held.jsonl: another process is writing there", capsys.readouterr().err)
