"""The shares of the parts of learning in its time."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from small_runs import TINY, TUNE, one_thread

from mhing.cli import main
from mhing.train import profile
from mhing.train import run as training
from mhing.train.clock import Clock
from mhing.train.folder import RunFolder
from mhing.train.learner import SECONDS, Settings

__all__ = ["one_thread"]

Capture = pytest.CaptureFixture[str]


def lines_of(folder: Path, **given: Any) -> list[dict[str, Any]]:
    """The log of a run to its end."""
    settings = Settings(**{"game": "leduc", "steps": 1000, "tuning": TINY, **given})
    training.start(folder, settings).learn(lambda *_: None)
    return RunFolder.open(folder).lines()


def parts_of(line: dict[str, Any]) -> set[str]:
    return {name.removeprefix(SECONDS) for name in line if name.startswith(SECONDS)}


def test_a_clock_adds_up_by_part_and_begins_anew() -> None:
    clock = Clock()
    for _ in range(2):
        with clock.part("slow"):
            time.sleep(0.01)
    with clock.part("quick"):
        pass
    spent = clock.take()
    assert spent["slow"] >= 0.02 > spent["quick"]
    assert clock.take() == {}


def test_actors_play_at_the_same_time() -> None:
    clock = Clock()
    clock.add_mean([{"play": 1.0, "wait": 4.0}, {"play": 3.0}])
    assert clock.take() == {"play": 2.0, "wait": 2.0}


def test_what_fails_takes_time_too() -> None:
    clock = Clock()
    with pytest.raises(KeyError), clock.part("broken"):
        raise KeyError
    assert list(clock.take()) == ["broken"]


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_the_parts_of_an_iteration_are_within_it(tmp_path: Path, workers: int) -> None:
    lines = lines_of(tmp_path, workers=workers)
    before = 0.0
    for line in lines:
        assert parts_of(line) == {"observe", "network", "teacher", "environment", "update"}
        spent = sum(line[SECONDS + part] for part in parts_of(line))
        assert 0 < spent <= line["seconds"] - before
        before = line["seconds"]


def test_parts_of_fitted_values(tmp_path: Path) -> None:
    fitted = {"method": "fitted", "tuning": {"rounds": 60, "minibatch": 64}, "steps": 100}
    [line, *_] = lines_of(tmp_path, game="mhing", teacher="greedy", **fitted)
    assert parts_of(line) == {"environment", "network", "update"}


def test_shares_sum_to_one_with_the_rest() -> None:
    lines = [
        {"seconds": 2.0, "seconds_play": 1.0, "seconds_learn": 0.5},
        {"seconds": 4.0, "seconds_play": 1.0, "seconds_learn": 0.5, "loss": 7.0},
    ]
    assert profile.shares(lines) == {"play": 0.5, "learn": 0.25, "rest": 0.25}
    assert [*profile.shares(lines)] == ["play", "learn", "rest"]
    assert profile.shares([]) == {} == profile.shares([{"seconds": 1.0}])


def test_hints_are_measured_where_there_are_any(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile, "MEASURED", 0.05)
    assert profile.share_of_hints(Settings(game="leduc")) is None
    assert profile.share_of_hints(Settings(game="mhing")) is None  # it sees features
    seen = Settings(game="mhing", sees="observation", opponents=("random",))
    assert profile.share_of_hints(seen) is None
    hints = Settings(
        game="mhing", sees="observation", opponents=("random",), options={"hints": True}
    )
    share = profile.share_of_hints(hints)
    assert share is not None
    assert 0.1 < share < 1


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.chdir(tmp_path)
    line = f"train leduc --steps 500 --deals 2 --out run {TUNE} --profile"
    main(line.split())
    words = capsys.readouterr().out
    assert "a second of learning:" in words
    assert "  update " in words
    main(["train", "--resume", "run", "--profile", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert sum(found["profile"].values()) == pytest.approx(1)
    assert found["hints"] is None
