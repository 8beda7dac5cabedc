"""The planted bugs fit the source. That the tests notice them, `tests/planted/run.py` shows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PLANTED = ROOT / "tests" / "planted"
sys.path.insert(0, str(PLANTED))

from bugs import BUGS, Bug, Change, NotFound, planted  # noqa: E402
from package import SLIPS, SOURCE, Slip  # noqa: E402

pytestmark = pytest.mark.once


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: f"{bug.game}: {bug.name}")
def test_each_has_its_place(bug: Bug) -> None:
    for path, text in bug.planted(ROOT / "envs").items():
        assert text != path.read_text(encoding="utf-8")


@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: slip.name)
def test_each_of_the_package_has_its_place(slip: Slip) -> None:
    for path, text in planted(slip.changes, SOURCE, slip.name).items():
        assert text != path.read_text(encoding="utf-8")


def test_names_are_unique() -> None:
    assert len({(bug.game, bug.name) for bug in BUGS}) == len(BUGS)
    assert len({slip.name for slip in SLIPS}) == len(SLIPS)


@pytest.mark.parametrize("old", ["no such line", "return"])
def test_a_place_that_is_gone_or_not_the_only_one_is_named(old: str) -> None:
    bug = Bug("leduc", "a name", (Change("leduc.c", old, ""),))
    with pytest.raises(NotFound, match=rf"a name: envs/leduc/leduc.c has \d+ times\n    {old}\n"):
        bug.planted(ROOT / "envs")


@pytest.mark.parametrize(
    "words",
    [["run.py", "--game", "chess"], ["run.py", "--bug", "no such bug"], ["run.py", "--jobs", "0"],
     ["package.py", "--bug", "no such bug"]],
)  # fmt: skip
def test_bad_input_is_refused_before_anything_is_built(words: list[str]) -> None:
    program, *options = words
    done = subprocess.run(
        [sys.executable, PLANTED / program, *options], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "no bug is chosen" in done.stderr
