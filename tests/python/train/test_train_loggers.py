"""Loggers: what they are told, also after a stop and a kill, and what becomes of those that fail.

TensorBoard is the real one. W&B and MLflow are not among the libraries of the tests: modules with
the calls that were seen to work with wandb 0.31.0 and mlflow 3.17.2 stand for them.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from small_runs import TINY, TUNE, one_thread  # noqa: F401  a fixture

from mhing._support.extras import install
from mhing.cli import main
from mhing.train import loggers
from mhing.train import run as training
from mhing.train.folder import RunFolder
from mhing.train.learner import Settings

Capture = pytest.CaptureFixture[str]


def settings(*log: str) -> Settings:
    return Settings("leduc", tuning=TINY, steps=1500, deals=20, log=log)


class Own:
    """A logger of nobody's library."""

    def __init__(self) -> None:
        self.begun: list[tuple[str, int]] = []
        self.settings: Mapping[str, Any] = {}
        self.numbers: dict[int, Mapping[str, float]] = {}
        self.ended = 0

    def begin(self, name: str, settings: Mapping[str, Any], steps: int) -> None:
        self.begun.append((name, steps))
        self.settings = settings

    def write(self, steps: int, numbers: Mapping[str, float]) -> None:
        self.numbers[steps] = numbers

    def end(self) -> None:
        self.ended += 1


def stopped_and_resumed(folder: Path, log: tuple[str, ...], own: Own | None = None) -> None:
    """A run that was killed after a checkpoint, so that two iterations are played again."""
    run = training.start(folder, settings(*log))
    calls = []

    def progress(*_: Any) -> None:
        calls.append(run.counts["iteration"])
        if len(calls) == 3:
            run.save()
        run.stopped = len(calls) == 5

    checkpoint = folder / "checkpoint.pt"
    end = training.Run.save

    def save(self: training.Run) -> None:
        if len(calls) < 5:
            end(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training.Run, "save", save)
        run.learn(progress, [own] if own else [])
    assert checkpoint.exists()
    training.resume(folder).learn(lambda *_: None, [own] if own else [])


def test_any_object_gets_what_the_log_has(tmp_path: Path) -> None:
    own = Own()
    stopped_and_resumed(tmp_path / "run", (), own)
    lines = RunFolder.open(tmp_path / "run").lines()
    assert {line["steps"]: loggers.numbers_of(line) for line in lines} == own.numbers
    assert any("evaluation/more" in one for one in own.numbers.values())
    (name, zero), (again, steps) = own.begun
    assert name == again
    assert name.startswith("run-")
    assert (zero, steps) == (0, lines[2]["steps"])
    assert own.settings["game"] == "leduc"
    assert own.ended == 2


@pytest.mark.parametrize("method", ["begin", "write", "end"])
def test_one_that_fails_is_left_and_the_run_continues(method: str, tmp_path: Path) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("no room\nfor this")

    failing, own = Own(), Own()
    setattr(failing, method, fail)
    run = training.start(tmp_path, settings())
    with pytest.warns(
        UserWarning, match="Own is left, for it failed: RuntimeError: no room$"
    ) as received:
        run.learn(lambda *_: None, [failing, own])
    assert len(received) == 1
    assert bool(failing.numbers) == (method == "end")
    assert run.done == 1
    assert own.ended == 1
    assert len(own.numbers) == len(run.folder.lines())


# ---- Libraries ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_tensorboard_has_the_numbers_of_the_log(tmp_path: Path) -> None:
    """Numbers after the checkpoint are taken back there."""
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    stopped_and_resumed(tmp_path / "run", (f"tensorboard:{tmp_path}/board",))
    (folder,) = (tmp_path / "board").iterdir()
    found = EventAccumulator(str(folder)).Reload()
    lines = RunFolder.open(tmp_path / "run").lines()
    for name in ("loss", "return"):
        shown = [(one.step, pytest.approx(one.value, rel=1e-6)) for one in found.Scalars(name)]
        assert [(line["steps"], line[name]) for line in lines] == shown
    assert "evaluation/more" in found.Tags()["scalars"]
    assert "settings/text_summary" in found.Tags()["tensors"]


def test_wandb_gets_the_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    run = SimpleNamespace(
        log=lambda numbers, step: calls.append((step, numbers)),
        finish=lambda: calls.append("finish"),
    )

    def init(**given: Any) -> Any:
        calls.append(given)
        return run

    module = SimpleNamespace(init=init, Settings=dict)
    monkeypatch.setitem(sys.modules, "wandb", module)
    made = loggers.make("wandb:cards")
    made.begin("run-12ab", {"game": "leduc"}, 0)
    made.write(8, {"loss": 0.5})
    made.end()
    about = {"project": "cards", "name": "run-12ab", "id": "run-12ab", "resume": "allow"}
    about |= {"mode": "offline"}
    assert calls == [
        about | {"config": {"game": "leduc"}, "settings": {"silent": True}},
        (8, {"loss": 0.5}),
        "finish",
    ]


@pytest.mark.parametrize("same", [False, True])
def test_mlflow_gets_the_lines(same: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is continued is found by its name."""
    calls: list[Any] = []
    run = SimpleNamespace(info=SimpleNamespace(run_id="r"))

    class Client:
        def __init__(self, place: str) -> None:
            assert place == f"sqlite:///{tmp_path / 'ml'}/mlflow.db"

        def __getattr__(self, name: str) -> Any:
            return lambda *given, **named: calls.append((name, *given, *named.values()))

        def get_experiment_by_name(self, name: str) -> Any:
            return SimpleNamespace(experiment_id="e") if same else None

        def create_experiment(self, name: str, place: str) -> str:
            calls.append(place)
            return "e"

        def search_runs(self, ids: list[str], query: str) -> list[Any]:
            assert (ids, query) == (["e"], "attributes.run_name = 'run-12ab'")
            return [run] if same else []

        def create_run(self, experiment: str, run_name: str) -> Any:
            calls.append(run_name)
            return run

    def metric(name: str, value: float, now: int, steps: int) -> tuple[str, float, int]:
        assert now > 1e12
        return name, value, steps

    module = SimpleNamespace(MlflowClient=Client, entities=SimpleNamespace(Metric=metric))
    monkeypatch.setitem(sys.modules, "mlflow", module)
    made = loggers.make(f"mlflow:{tmp_path}/ml")
    made.begin("run-12ab", {"game": "leduc"}, 0)
    made.write(8, {"loss": 0.5})
    made.end()
    place = (tmp_path / "ml" / "artifacts").as_uri()
    new = [place, "run-12ab", ("log_param", "r", "game", "leduc")]
    old = [("update_run", "r", "RUNNING")]
    assert calls == [
        *(old if same else new),
        ("log_batch", "r", [("loss", 0.5, 8)]),
        ("set_terminated", "r"),
    ]


# ---- The command --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("chess:here", "log: 'chess:here' is none of tensorboard:DIR, wandb:PROJECT, mlflow:DIR"),
        ("tensorbord:x", "; did you mean tensorboard?"),
        ("wandb", "log: 'wandb' is none of"),
        ("mlflow:", "log: 'mlflow:' is none of"),
    ],
)
def test_loggers_that_there_are_not(kind: str, words: str, tmp_path: Path, capsys: Capture) -> None:
    assert main(f"train leduc --out {tmp_path}/run --log {kind} {TUNE}".split()) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("module", "kind"),
    [("torch.utils.tensorboard", "tensorboard"), ("wandb", "wandb"), ("mlflow", "mlflow")],
)
def test_a_missing_library_is_named(
    module: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    assert main(f"train leduc --out {tmp_path}/run --log {kind}:x {TUNE}".split()) == 2
    assert capsys.readouterr().err == f"mhing: log: {kind} is missing: {install(kind)}\n"
    assert not (tmp_path / "run").exists()


def test_several_are_given_with_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, ...]] = []

    def start(_: Path, given: Settings) -> None:
        seen.append(given.log)
        raise ValueError("no further")

    monkeypatch.setattr(training, "start", start)
    assert main(["train", "leduc", "--log", "tensorboard:a,mlflow:b"]) == 2
    assert seen == [("tensorboard:a", "mlflow:b")]
