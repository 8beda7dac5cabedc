"""Extreme positions of every game agree with its slow reference; more of them by `run.py`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from extremes.running import failures, games

POSITIONS = 150
"""In each of the parts, between which the seeds are divided; with --full thirty times as many."""
PARTS = 2
RUN = Path(__file__).with_name("run.py")


@pytest.mark.slow
@pytest.mark.parametrize("game_id", games())
@pytest.mark.parametrize("part", range(PARTS))
def test_extreme_positions(game_id: str, part: int, full: bool) -> None:
    count = POSITIONS * (30 if full else 1)
    failed = [
        str(failure)
        for failure in failures(game_id, range(part * count, (part + 1) * count))
        if failure
    ]
    assert not failed, f"{len(failed)} of {count} failed; the first: {failed[0]}"


def run(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(RUN), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_command_says_what_it_has_done() -> None:
    game_id = games()[0]
    done = run(game_id, "--count", "3", "--seed", "5")
    assert done.stdout == f"{game_id}: 3 of 3 positions played, 0 failed\n"
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("chess", "no positions of 'chess'"),
        ("", "the following arguments are required: GAME"),
        ("chess --count many", "invalid int value: 'many'"),
        (f"{games()[0]} --count 0", "--count 0: give 1 or more"),
    ],
)
def test_bad_arguments_are_one_line(line: str, words: str) -> None:
    done = run(*line.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1
