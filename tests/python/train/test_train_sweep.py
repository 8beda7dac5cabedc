"""Sweeps: what is tried, what a kill leaves, and what is refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from small_runs import one_thread  # noqa: F401  a fixture

from mhing._support.extras import install
from mhing.cli import main
from mhing.train import run as training
from mhing.train.config import read
from mhing.train.folder import RunFolder
from mhing.train.sweep import Sweep, space_of

pytest.importorskip("optuna")

Capture = pytest.CaptureFixture[str]

FILE = """
game = "leduc"
steps = 600
deals = 40

[tune]
rows = 16
horizon = 8
minibatch = 64

[sweep]
tune.learning_rate = { low = 1e-4, high = 1e-2, log = true }
tune.hidden = { choices = [8, 16] }
seed = { low = 1, high = 5 }
"""


def given(text: str = FILE) -> dict[str, Any]:
    return read(text.encode(), "file")


@pytest.mark.slow
def test_trials_are_runs_and_the_table_has_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """Settings that are refused are a trial as well, and more trials come on top."""
    monkeypatch.chdir(tmp_path)
    before = training.start

    def start(path: Path, settings: Any) -> training.Run:
        if path.name == "trial-1":
            raise ValueError("they do not fit")
        return before(path, settings)

    monkeypatch.setattr(training, "start", start)
    Path("mine.toml").write_text(FILE)
    assert main(["sweep", "--config", "mine.toml", "--trials", "2", "--storage", "s.db"]) == 0
    head, best, worst, *_, line = capsys.readouterr().out.splitlines()
    assert head.split() == ["trial", "more", "learning_rate", "hidden", "seed"]
    assert best.split()[:1] == ["0"]
    assert "they do not fit" in worst
    assert line == "  mhing train --config s.db.runs/trial-0/settings.toml --seed 2"
    assert (
        main(["sweep", "--config", "mine.toml", "--trials", "3", "--storage", "s.db", "--json"])
        == 0
    )
    trials = json.loads(capsys.readouterr().out)
    assert sorted(one["number"] for one in trials) == [0, 1, 2]
    assert trials[0]["more"] >= trials[1]["more"]
    assert trials[2]["refused"] == "they do not fit"
    for one in trials[:2]:
        settings = RunFolder.open(Path("s.db.runs") / one["folder"]).settings
        chosen = one["chosen"]
        assert settings.tuning["learning_rate"] == chosen["tune.learning_rate"]
        assert settings.tuning["hidden"] == chosen["tune.hidden"]
        assert settings.seed == chosen["seed"]
        assert settings.tuning["rows"] == 16
    assert trials[0]["chosen"] != trials[1]["chosen"]


PROGRAM = """
import sys
import mhing.train.run as run
from mhing.cli import main

run.SAVE_EVERY = 0
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.slow
@pytest.mark.once
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_sweep_that_is_ended_continues(tmp_path: Path, number: signal.Signals) -> None:
    """Trials that ended are kept, and the one in play continues from its checkpoint."""
    (tmp_path / "mine.toml").write_text(FILE)
    line = ["sweep", "--config", "mine.toml", "--trials", "2", "--storage", "s.db"]
    log = tmp_path / "s.db.runs" / "trial-1" / "log.jsonl"
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *line], stderr=subprocess.PIPE, text=True, cwd=tmp_path,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    while not log.exists() or log.read_bytes().count(b"\n") < 2:
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)
    process.send_signal(number)
    _, err = process.communicate()
    if number == signal.SIGINT:
        assert process.returncode == 130
        assert "saved; the same line continues it" in err
    first = (tmp_path / "s.db.runs" / "trial-0" / "log.jsonl").read_bytes()
    begun = log.read_bytes().splitlines()[0]
    sweep = Sweep(given(), tmp_path / "s.db")
    (kept,) = sweep.trials()
    assert kept.number == 0
    assert sweep.run(2, lambda *_: None)
    assert sorted((one.number, one.folder) for one in sweep.trials()) == [
        (0, "trial-0"),
        (1, "trial-1"),
    ]
    assert kept in sweep.trials()
    assert (tmp_path / "s.db.runs" / "trial-0" / "log.jsonl").read_bytes() == first
    assert log.read_bytes().splitlines()[0] == begun, "it was not begun anew"
    assert sorted(path.name for path in (tmp_path / "s.db.runs").iterdir()) == [
        "trial-0",
        "trial-1",
    ]
    assert sweep.run(2, lambda *_: pytest.fail("it is at its end"))
    assert sweep.run(3, lambda *_: None)
    assert max((one.number, one.folder) for one in sweep.trials()) == (2, "trial-2")


# ---- What is refused ----------------------------------------------------------------------------


def test_a_space() -> None:
    space = space_of(given())
    assert space["tune.learning_rate"]["whole"] is False
    assert space["seed"]["whole"] is True
    assert [*space] == ["tune.learning_rate", "tune.hidden", "seed"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "sweep: there is nothing to be tried"),
        ("seed = { low = 3 }", "sweep.seed: give several choices, or low and a higher high"),
        ("seed = { low = 3, high = 3 }", "sweep.seed: give several choices, or low and a higher"),
        ("seed = { low = 1, choices = [1, 2] }", "sweep.seed: give choices, or low and high"),
        ("seed = { low = 1.5, high = 3 }", "sweep: seed: 1.5 is not a whole number from 0"),
        ("seed = { choices = [1, true] }", "sweep: seed: True is not a whole number"),
        ("tune.clip = { low = 0, high = 1, log = true }", "sweep.tune.clip: low: 0 is not more"),
        ("tune.clips = { low = 0, high = 1 }", "sweep.tune.clips: there is no such setting; did"),
        (
            "seed = { lo = 1, high = 3 }",
            "sweep.seed.lo: there is no such setting; did you mean low",
        ),
        ("opponents = { choices = [1, 2] }", "sweep.opponents: there is no such setting"),
    ],
)
def test_spaces_that_are_refused(line: str, words: str) -> None:
    with pytest.raises(ValueError, match=words.replace(".", r"\.")):
        space_of(given(FILE[: FILE.index("tune.learning_rate")] + line))


def test_files_that_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text(FILE)
    Path("text.db").write_text("no study")
    Sweep(given(), "mine.db")
    Path("other.toml").write_text(FILE.replace("steps = 600", "steps = 700"))
    Path("wrong.toml").write_text(FILE.replace('"leduc"', '"leduc"\nmethod = "fitted"'))
    Path("nameless.toml").write_text(FILE.replace('game = "leduc"', ""))
    for line, words in (
        ("--config mine.toml --storage text.db", "text.db: no study can be kept there: "),
        ("--config other.toml --storage mine.db", "mine.db: its trials have other settings"),
        ("--config nowhere.toml --storage a.db", "nowhere.toml: No such file or directory"),
        ("--config wrong.toml --storage a.db", "tuning: 'horizon' is none of rounds"),
        ("--config nameless.toml --storage a.db", "game: it is not said; name it, such as"),
    ):
        assert main(f"sweep {line}".split()) == 2
        err = capsys.readouterr().err
        assert words in err
        assert err.count("\n") == 1
    assert not Path("a.db").exists()
    assert Path("text.db").read_text() == "no study"


@pytest.mark.parametrize("missing", ["torch", "optuna"])
def test_a_missing_library_is_named(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    (tmp_path / "mine.toml").write_text(FILE)
    line = f"sweep --config {tmp_path}/mine.toml --storage {tmp_path}/s.db"
    assert main(line.split()) == 2
    assert capsys.readouterr().err == f"mhing: sweep: {missing} is missing: {install('sweep')}\n"
