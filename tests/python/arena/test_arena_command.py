"""The command `mhing arena`: what it prints and writes, and its errors."""

from __future__ import annotations

import csv
import fcntl
import io
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path
from xml.etree import ElementTree

import pytest
from terminals import read_terminal

from mhing import arena
from mhing._support.extras import install
from mhing.cli import main

pytestmark = pytest.mark.once

Capture = pytest.CaptureFixture[str]

COMMAND = (sys.executable, "-m", "mhing")


def printed(line: str, capsys: Capture) -> str:
    """The output of a command line that succeeds; nothing on stderr, which is no terminal."""
    assert main(["arena", *line.split()]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_what_is_printed_is_the_result(capsys: Capture) -> None:
    out = printed("random best=greedy --deals 120 --seed 9", capsys)
    result = arena.play({"random": "random", "best": "greedy"}, deals=120, seed=9)
    best, random = (next(p for p in result.players if p.name == n) for n in ("best", "random"))
    lines = out.splitlines()
    assert lines[0] == "120 deals, 240 games of mhing, seed 9"
    assert lines[3].split()[:4] == ["best", *str(best.reward).split()]
    assert lines[4].split()[:4] == ["random", *str(random.reward).split()]
    difference = result.difference("best", "random")
    assert lines[9].split() == ["best", *difference.signed.split()]
    assert lines[-2:] == [
        "95 % intervals by deal",
        "a player may have 2 of a table's 4 seats, and sees as many hands",
    ]
    assert f"{best.totals['wins'] / best.rounds:.1%}" in lines[3]


def test_json_has_everything(capsys: Capture) -> None:
    line = (
        "random greedy --deals 20 --game general_mhing --players 3 --field greedy --seed 1 --json"
    )
    options = {"game": "general_mhing", "num_players": 3, "field": "greedy"}
    assert (
        json.loads(printed(line, capsys))
        == arena.play(["random", "greedy"], deals=20, seed=1, **options).to_dict()
    )


def test_files(tmp_path: Path, capsys: Capture) -> None:
    table, picture = tmp_path / "table.csv", tmp_path / "picture.svg"
    printed(f"random greedy --deals 20 --csv {table} --svg {picture}", capsys)
    rows = list(csv.DictReader(io.StringIO(table.read_text(encoding="utf-8"))))
    assert [(row["player"], row["opponent"]) for row in rows] == [
        ("random", "greedy"), ("greedy", "random"),
    ]  # fmt: skip
    assert float(rows[0]["difference"]) == -float(rows[1]["difference"])
    ElementTree.fromstring(picture.read_text(encoding="utf-8"))


def test_threads_and_repetition_change_nothing(capsys: Capture) -> None:
    line = "random greedy greedy --deals 150 --seed 1 --json"
    assert printed(line, capsys) == printed(f"{line} --threads 3", capsys) == printed(line, capsys)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "counted"),
    [
        ("arena greedy random --deals 300", "playing.* 300 of 300 deals, [0-9,.]+ a second, 0:0"),
        (
            "benchmark random --tasks general_points --quick",
            "playing.* general_points, [0-9]+ of 800 games, [0-9,.]+ a second, 0:0[0-9] left",
        ),
    ],
)
def test_progress_is_shown_on_a_terminal(words: str, counted: str) -> None:
    shown, printed = on_terminal(words)
    assert re.search(counted, shown)
    assert shown.endswith("\x1b[K")
    quiet, same = on_terminal(f"{words} --quiet")
    assert (quiet, same.count("\n")) == ("", printed.count("\n"))


def on_terminal(words: str) -> tuple[str, str]:
    """A command's output on stderr, a wide terminal, and on stdout."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 200, 0, 0))
    command = [*COMMAND, *words.split()]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        while part := read_terminal(ours):
            shown += part
        assert process.stdout is not None
        printed = process.stdout.read()
    os.close(ours)
    return shown.decode(), printed.decode()


@pytest.mark.slow
def test_modules_of_the_working_folder(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "class Agent:\n"
        "    def act(self, observation, mask, info):\n"
        "        return mask.nonzero()[0][0]\n"
        "agent = Agent()\n"
    )
    (tmp_path / "broken.py").write_text("import nothing_of_that_name\n")
    command = [*COMMAND, "arena", "greedy", "--deals", "3", "--field", "mine:agent.act"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "against a field of mine:agent.act" in done.stdout
    for name in ("broken:agent", "mine:nobody", "mine:agent"):
        command[-1] = name
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, text=True)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert f"mhing: field: {name}" in done.stderr


def test_an_extra_that_is_missing(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setitem(sys.modules, "openskill.models", None)
    assert main(["arena", "greedy", "random", "--ratings"]) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"mhing: ratings: they need openskill: {install('openskill')}\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("flag", ["--csv", "--svg"])
def test_a_full_disk(flag: str, capsys: Capture) -> None:
    assert main(["arena", "greedy", "random", "--deals", "3", flag, "/dev/full"]) == 2
    assert capsys.readouterr().err == "mhing: /dev/full: No space left on device\n"


def test_ctrl_c_leaves_a_log_that_can_be_gone_on_with(tmp_path: Path, capsys: Capture) -> None:
    log = tmp_path / "log.jsonl"
    words = ["greedy", "random", "--deals", "100000", "--seed", "1", "--log", str(log)]
    with subprocess.Popen(
        [*COMMAND, "arena", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        while not log.exists() or log.read_bytes().count(b"\n") < 300:
            assert process.poll() is None
        process.send_signal(2)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err.strip()) == (130, b"")
    assert b"ended early: interrupted" in out
    assert printed(f"greedy random --deals 250 --seed 1 --log {log}", capsys) == printed(
        "greedy random --deals 250 --seed 1", capsys
    )
