"""The steps of .ci/run: their times, and those that run at the same time."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.once

STEPS = Path(__file__).parents[3] / ".ci/steps"
LANES = """
meet() { touch "$1"; until [ -e "$2" ]; do sleep 0.01; done; }
one() { step "First of one"; meet a b; step "Second of one"; echo said by one; }
two() { step "Of two"; meet b a; echo said by two; }
broken() { step "Breaks"; false; echo goes on; }
priority() { echo "priority $(nice)"; }
later() { priority; }
"""


def run(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    """Runs lines of a script that begins as .ci/run does."""
    return subprocess.run(
        ["bash", "-c", f"set -euo pipefail; . {STEPS}\n{LANES}{script}"],
        capture_output=True, text=True, check=False, cwd=folder, timeout=30,
        env=os.environ | {"MHING_STEPS": str(folder / "times")},
    )  # fmt: skip


@pytest.mark.slow
def test_each_step_has_its_time(tmp_path: Path) -> None:
    done = run(tmp_path, 'step "A"; sleep 1.1; step "B"; steps_end; steps_table')
    assert done.returncode == 0, done.stderr
    assert re.search(r"^  0:0[1-9]  A\n  0:0\d  B\n  0:0[1-9]  in all", done.stdout, re.MULTILINE)


def test_lanes_run_at_the_same_time_and_are_shown_one_after_the_other(tmp_path: Path) -> None:
    """Each waits for the other, so that neither would end alone."""
    done = run(tmp_path, 'step "Before"; lanes one two; echo after; steps_table')
    assert done.returncode == 0, done.stderr
    said = [line for line in done.stdout.splitlines() if line]
    assert said[0] == "==== Before"
    begun = ["one: First of one ...", "one: Second of one ...", "two: Of two ..."]
    assert sorted(said[1:4]) == begun
    assert said[4:10] == [
        "==== First of one", "==== Second of one", "said by one", "==== Of two", "said by two",
        "after",
    ]  # fmt: skip
    times = (tmp_path / "times").read_text()
    assert {*re.findall(r"\t(.*)", times)} == {"Before", "First of one", "Second of one", "Of two"}


@pytest.mark.parametrize("lanes", ["broken quick", "quick broken"])
def test_a_lane_that_fails_ends_the_run_when_all_have_ended(tmp_path: Path, lanes: str) -> None:
    done = run(tmp_path, f'quick() {{ step "Quick"; echo done; }}\nlanes {lanes}; echo after')
    assert done.returncode == 1
    assert "==== Breaks" in done.stdout
    assert "==== Quick\ndone" in done.stdout
    assert "after" not in done.stdout
    assert "goes on" not in done.stdout


def test_the_first_lane_comes_first_where_cores_are_short(tmp_path: Path) -> None:
    done = run(tmp_path, "nice; lanes priority later")
    assert done.returncode == 0, done.stderr
    own, first, second = map(int, re.findall(r"-?\d+", done.stdout))
    assert (first, second) == (own, min(own + 5, 19))  # 19 is the last of all
