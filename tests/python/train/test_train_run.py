"""Runs: what they leave, how they are stopped and resumed, and the command."""

from __future__ import annotations

import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from small_runs import TINY, TUNE, one_thread  # noqa: F401  a fixture

import mhing
from mhing import arena
from mhing._support.extras import install
from mhing.cli import main
from mhing.train import run as training
from mhing.train.config import plain, settings_of
from mhing.train.folder import RunFolder
from mhing.train.learner import Settings
from mhing.train.payoffs import payoffs

Capture = pytest.CaptureFixture[str]


def settings(steps: int = 3000, **given: Any) -> Settings:
    return Settings("leduc", tuning=TINY, steps=steps, deals=20, **given)


def finished(folder: Path, **given: Any) -> training.Run:
    run = training.start(folder, settings(**given))
    run.learn(lambda *_: None)
    return run


def weights(folder: Path) -> dict[str, torch.Tensor]:
    state = RunFolder.open(folder).load()
    assert state is not None
    net: dict[str, torch.Tensor] = state["learner"]["net"]
    return net


def same_weights(one: Path, other: Path) -> bool:
    return all(map(torch.equal, weights(one).values(), weights(other).values()))


def numbers(folder: Path) -> list[dict[str, Any]]:
    """The log without times."""
    lines = RunFolder.open(folder).lines()
    return [
        {name: 0 if name.startswith("seconds") else value for name, value in line.items()}
        for line in lines
    ]


# ---- To the end ------------------------------------------------------------------------------


def test_a_log_of_all_iterations(tmp_path: Path) -> None:
    run = finished(tmp_path)
    lines = run.folder.lines()
    assert [line["iteration"] for line in lines] == [*range(1, len(lines) + 1)]
    assert all(a["steps"] < b["steps"] for a, b in pairwise(lines))
    assert lines[-1]["steps"] >= 3000 > lines[-2]["steps"]
    assert {"rounds", "return", "loss", "entropy"} <= lines[0].keys()
    found = [line["evaluation"] for line in lines if "evaluation" in line]
    assert len(found) == training.EVALUATIONS
    assert {one["deals"] for one in found} == {2}


def test_evaluations_are_what_the_arena_finds(tmp_path: Path) -> None:
    run = finished(tmp_path, opponents=("random",))
    final = run.finish()
    players = {"mine": f"run:{tmp_path}", "random": "random"}
    result = arena.play(players, "leduc", field="random", deals=20, first_seed=training.FRESH)
    assert final["reward"] == result.players[0].reward.value
    assert final["baseline"] == result.players[1].reward.value
    assert final["more"] == result.pairs[0].difference.value
    assert final["more_interval"] == result.pairs[0].difference.interval
    assert final["files"] == ["policy.onnx"]
    assert run.folder.evaluation() == {name: final[name] for name in final if name != "files"}
    assert not result.players[0].forfeits


def test_what_fails_in_play_is_no_result() -> None:
    def fail(*_: object) -> int:
        raise ValueError("no idea")

    learner: Any = SimpleNamespace(player=lambda: fail, rivals=dict)
    with pytest.raises(RuntimeError, match="failed in play: ValueError: no idea"):
        training.evaluate(settings(), learner, 2)


def test_who_is_evaluated_against_is_the_baseline_of_play_outs() -> None:
    """Also where the learner is a bot itself."""
    learner: Any = SimpleNamespace(player=lambda: "random", rivals=dict)
    found = training.evaluate(settings(), learner, 40, "paired")
    wanted, other = (
        arena.play(
            {"learner": "random", "greedy": "greedy"}, "leduc", field="greedy", deals=40,
            first_seed=training.FRESH, estimator="paired", baseline=baseline,
        ).pairs[0]
        for baseline in ("greedy", "random")
    )  # fmt: skip
    assert found["more"] == wanted.difference.value != other.difference.value
    assert found["raw"] == wanted.raw.value


@pytest.mark.parametrize(
    ("given", "fields"),
    [
        ({}, ["greedy"]),
        ({"opponents": ("random",)}, ["random"]),
        ({"opponents": ("self",)}, ["greedy"]),
        ({"opponents": ("self",), "against": "random"}, ["random"]),
        ({"opponents": ("greedy", "random", "greedy", "self")}, ["greedy", "random"]),
        ({"opponents": ("league",)}, ["greedy"]),
        ({"opponents": ("league",), "against": "random"}, ["random"]),
    ],
)
def test_who_is_played_against_in_evaluations(given: dict[str, Any], fields: list[str]) -> None:
    assert settings(**given).fields(mhing.Game("leduc")) == fields


def test_a_league_is_evaluated_in_all_its_fields(tmp_path: Path) -> None:
    one = training.start(tmp_path / "run", settings(opponents=("league",)))
    own: Any = one.learner
    for _ in range(25):
        own.step()
    final = training.evaluate(one.settings, own, 40)
    assert final["against"] == "greedy, past:25"
    assert final["deals"] == 40
    payoffs = final["payoffs"]
    assert [(row["player"], row["field"]) for row in payoffs] == [
        ("learner", "greedy"), ("greedy", "greedy"),
        ("learner", "past:25"), ("past:25", "past:25"),
    ]  # fmt: skip
    assert {row["rounds"] for row in payoffs} == {40}
    assert final["reward"] == pytest.approx((payoffs[0]["reward"] + payoffs[2]["reward"]) / 2)
    both = [payoffs[0]["interval"], payoffs[2]["interval"]]
    assert final["reward_interval"] == pytest.approx(math.hypot(*both) / 2)


def test_what_the_members_of_a_league_earn_among_each_other(tmp_path: Path) -> None:
    """From the checkpoint; in Leduc one wins what the other loses in the same deals."""
    one = training.start(tmp_path / "run", settings(opponents=("league",)))
    own: Any = one.learner
    for _ in range(25):
        own.step()
    with torch.no_grad():
        for weights in own.net.parameters():  # so that it plays unlike its past
            weights.neg_()
    one.save()
    found = payoffs(tmp_path / "run", deals=20)
    assert found.players == ["learner", "past:25", "greedy"]
    rewards = np.array([[cell.value for cell in line] for line in found.rewards])
    assert np.allclose(rewards, -rewards.T)
    assert len(np.unique(rewards.round(9))) > 3
    assert not any(math.isinf(cell.interval) for line in found.rewards for cell in line)
    known = training.evaluate(one.settings, one.learner, 40)["payoffs"]
    assert (known[0]["player"], known[0]["field"]) == ("learner", "greedy")
    assert known[0]["reward"] == rewards[0, 2]
    cells = found.to_dict()["payoffs"]
    assert cells[2] == {key: known[0][key] for key in ("player", "field", "reward", "interval")}
    head, first, *_ = str(found).splitlines()
    assert head.split() == found.players
    assert first.endswith(f"  {found.rewards[0][2]}")


# ---- Stopped and resumed ---------------------------------------------------------------------


@pytest.mark.slow
def test_a_run_that_is_over_can_last_longer(tmp_path: Path) -> None:
    short = finished(tmp_path / "run")
    assert training.resume(tmp_path / "run").done == 1
    run = training.resume(tmp_path / "run", steps=9000)
    assert 0.3 < run.done < 0.5
    run.learn(lambda *_: None)
    assert run.counts["steps"] >= 9000
    assert run.settings == settings_of(plain(settings(9000)))
    assert RunFolder.open(tmp_path / "run").settings == run.settings
    lines = run.folder.lines()
    assert lines[: short.counts["iteration"]] == short.folder.lines()[: short.counts["iteration"]]
    assert [line["iteration"] for line in lines] == [*range(1, run.counts["iteration"] + 1)]
    assert any("evaluation" in line for line in lines[short.counts["iteration"] :])
    by_time = training.resume(tmp_path / "run", minutes=500.0)
    assert by_time.done < 0.1
    assert not by_time.settings.steps


@pytest.mark.slow
def test_two_runs_in_a_folder_do_not_disturb_each_other(tmp_path: Path) -> None:
    finished(alone := tmp_path / "alone")
    run = training.start(shared := tmp_path / "shared", settings())

    def second(*_: object) -> None:
        resumed = training.resume(shared)
        with pytest.raises(BlockingIOError, match="another process is writing there"):
            resumed.learn(lambda *_: None)

    run.learn(second)
    assert numbers(shared) == numbers(alone)
    assert same_weights(shared, alone)


@pytest.mark.slow
def test_a_resumed_run_equals_one_that_was_never_stopped(tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    finished(whole)
    run = training.start(broken, settings())
    calls = []

    def stop(done: float, _: str) -> None:
        calls.append(done)
        run.stopped = len(calls) == 5

    run.learn(stop)
    run.folder.write({"iteration": 6, "after": "the checkpoint"})
    assert len(calls) == 5
    training.resume(broken).learn(lambda *_: None)
    assert numbers(broken) == numbers(whole)
    assert same_weights(broken, whole)


PROGRAM = """
import sys
import mhing.train.run as run
from mhing.cli import main

run.SAVE_EVERY = float(sys.argv[1])
sys.exit(main(sys.argv[2:]))
"""


def begin(folder: Path, line: str, save_every: float) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", PROGRAM, str(save_every), "train", *line.split()]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    return subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=environment, cwd=folder)


def wait_for_iterations(process: subprocess.Popen[str], log: Path, count: int) -> None:
    while not log.exists() or log.read_bytes().count(b"\n") < count:
        assert process.poll() is None, process.stderr and process.stderr.read()
        time.sleep(0.01)


@pytest.mark.slow
@pytest.mark.once
def test_a_killed_run_goes_on(tmp_path: Path) -> None:
    """It is killed at any moment, while it writes one checkpoint after the other."""
    folder, line = tmp_path / "run", f"leduc --steps 6000 --deals 20 --out run {TUNE}"
    saved = 0
    for kill in range(2):
        process = begin(tmp_path, line, 0)
        wait_for_iterations(process, folder / "log.jsonl", saved + 3 + 5 * kill)
        process.kill()
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        state = RunFolder.open(folder).load()
        assert state is not None
        assert state["counts"]["iteration"] >= saved + 2 + 5 * kill, (
            "it loses one iteration at most"
        )
        saved = state["counts"]["iteration"]
        line = "--resume run"
    process = begin(tmp_path, "--resume run --json", 60)
    assert process.communicate()[1].endswith("evaluating: 0 %\n")
    assert process.returncode == 0
    finished(tmp_path / "whole", steps=6000, teacher="greedy")
    assert numbers(folder) == numbers(tmp_path / "whole")
    assert same_weights(folder, tmp_path / "whole")


@pytest.mark.slow
@pytest.mark.once
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_is_stopped(tmp_path: Path, number: signal.Signals) -> None:
    """It saves, although the next checkpoint would not be due for a minute."""
    process = begin(tmp_path, f"leduc --out run {TUNE}", 60)
    wait_for_iterations(process, tmp_path / "run" / "log.jsonl", 5)
    process.send_signal(number)
    _, err = process.communicate()
    assert process.returncode == 130
    assert "saved; mhing train --resume run continues it" in err
    assert "Traceback" not in err
    state = RunFolder.open(tmp_path / "run").load()
    assert state is not None
    assert state["counts"]["iteration"] == len(numbers(tmp_path / "run")) >= 5


def test_a_full_disk_leaves_the_last_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    out = tmp_path / "run"
    saves = []

    def save(self: training.Run) -> None:
        saves.append(self.counts["iteration"])
        if len(saves) == 3:
            raise OSError(28, "No space left on device")
        before(self)

    before = training.Run.save
    monkeypatch.setattr(training.Run, "save", save)
    monkeypatch.setattr(training, "SAVE_EVERY", 0.0)
    assert main(f"train leduc --steps 3000 --out {out} {TUNE}".split()) == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"mhing: {out}: No space left on device"
    monkeypatch.setattr(training.Run, "save", before)
    assert training.resume(out).counts["iteration"] == saves[1] > 0


# ---- The command -----------------------------------------------------------------------------


@pytest.mark.slow
def test_train(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    """A stranger's way: train, look, resume, seat what was learned."""
    monkeypatch.chdir(tmp_path)
    line = f"train leduc --steps 2000 --deals 20 --out run --curve curve.svg {TUNE}"
    assert main(line.split()) == 0
    out, err = capsys.readouterr()
    assert "held-out deals, in each seat among greedy, reward a game" in out
    assert "policy.onnx; seat it as run:run" in out
    assert main(out.splitlines()[-1].split()[1:]) == 0  # "mhing" and a line that seats it
    assert "run:run" in capsys.readouterr().out
    assert "learning leduc: 0 %" in err
    picture = Path("curve.svg").read_text()
    for words in ("leduc: ppo, learning against", "greedy in its place", " of learning"):
        assert words in picture
    assert main(["train", "--resume", "run", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["deals"] == 20
    assert err.startswith("learning leduc: 100 %\n")
    line = "arena run:run mine=onnx:run/policy.onnx greedy --game leduc --deals 20 --json"
    assert main(line.split()) == 0
    players = json.loads(capsys.readouterr().out)["players"]
    assert [player["forfeits"] for player in players] == [0, 0, 0]
    line = "arena run:run mine=onnx:run/policy.onnx --field greedy --game leduc --deals 20 --json"
    assert main(line.split()) == 0
    players = json.loads(capsys.readouterr().out)["players"]
    assert players[0]["reward"] == players[1]["reward"]


def test_a_method_that_needs_a_teacher_has_that_of_the_command(tmp_path: Path) -> None:
    """In Python as well, where no teacher means none to others."""
    given: dict[str, Any] = {"tuning": {"rounds": 60, "minibatch": 64}, "method": "fitted"}
    training.start(tmp_path, Settings("mhing", steps=100, **given))
    assert RunFolder.open(tmp_path).settings.teacher == "expert"


@pytest.mark.slow
def test_a_copy_of_the_teacher_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """A difference of 0 in every deal is no result of luck, and there is a way out of it."""
    monkeypatch.chdir(tmp_path)
    line = "train leduc --steps 3000 --deals 50 --out"
    assert main([*line.split(), "copy"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"more +0\.000 ± 0\.000\n\nEvery deal ends as it does with greedy", out)
    assert "a copy of its teacher greedy; --teacher none begins from nothing" in out
    assert main([*line.split(), "own", "--teacher", "none"]) == 0
    out = capsys.readouterr().out
    assert not re.search(r"more +0\.000 ± 0\.000", out)
    assert "Every deal ends" not in out


def test_what_judges_plays_as_a_net(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """In games with features: the run and its file play alike, without PyTorch."""
    monkeypatch.chdir(tmp_path)
    tune = "--tune rows=16 --tune horizon=8 --tune minibatch=64"
    assert main(f"train mhing --steps 600 --deals 4 --out run {tune}".split()) == 0
    assert "policy.net; seat it as run:run" in capsys.readouterr().out
    line = "arena run:run mine=net:run/policy.net --field greedy --deals 20 --json"
    assert main(line.split()) == 0
    players = json.loads(capsys.readouterr().out)["players"]
    assert players[0]["reward"] == players[1]["reward"]
    line = "arena run:run greedy --option reward=win --deals 4"
    assert main(line.split()) == 2
    assert "trained for reward=credits, not for reward=win" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "options", "teacher"),
    [
        (
            "general_mhing --players 3 --reward win --sees observation",
            {"hints": True, "num_players": 3},
            "expert",
        ),
        ("mexican_rummy --players 3", {"hints": False, "num_players": 3}, "expert"),
        ("general_mhing --reward win --teacher expert", {"reward": "win"}, "expert"),
        ("mhing --rules jmhing --option hints=off --teacher none", {"lay_down": True}, None),
        ("mhing --sees observation --option hints=off", {"hints": False}, "expert"),
        ("leduc", {"max_raises": 2}, "greedy"),
        ("leduc --teacher random", {"max_raises": 2}, None),
        ("mhing --method fitted", {"hints": False}, "expert"),
        ("mhing --method fitted --teacher greedy", {"hints": False}, "greedy"),
    ],
)
def test_settings_of_a_run(
    line: str, options: dict[str, Any], teacher: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hints are on where a game has them and observations are seen, unless they are turned off."""
    received: list[Settings] = []

    def start(_: Path, given: Settings) -> None:
        received.append(given)
        raise ValueError("no further")

    monkeypatch.setattr(training, "start", start)
    assert main(["train", *line.split()]) == 2
    assert options.items() <= received[0].options.items()
    assert received[0].teacher == teacher
    assert received[0].make_game().id == line.split(maxsplit=1)[0]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("chess", "'chess'"),
        ("leduc --option colour=red", "'colour'"),
        ("leduc --opponents clever", "'clever'"),
        ("--opponents greedy,greedy", "opponents: 2 given for 3 other seats"),
        ("leduc --teacher clever", "'clever'"),
        ("leduc --against clever", "'clever'"),
        ("leduc --method magic", "method: 'magic' is none of"),
        ("leduc --tune colour=1", "tuning: 'colour' is none of rows"),
        ("leduc --tune trace=1", "tuning: 'trace' is called gae_lambda"),
        ("mhing --method fitted --tune held=9", "tuning: 'held' is called held_out"),
        ("leduc --tune held=9", "tuning: 'held' is none of rows"),
        ("leduc --tune rows=1.5", "tuning: rows: 1.5 is not a whole number from 1 to 2147483647"),
        ("leduc --tune rows", "--tune rows: write NAME=VALUE"),
        ("leduc --tune rows=many", "--tune rows=many: 'many' is not a number"),
        ("leduc --tune rows=0", "tuning: rows: 0.0 is not a whole number from 1 to"),
        ("leduc --tune gae_lambda=-1", "--tune gae_lambda=-1: '-1' is not a number from 0"),
        ("mhing --method fitted --teacher none", "teacher none: fitted begins with"),
        ("leduc --method fitted", "method: leduc has no features"),
        ("leduc --minutes 0", "minutes: 0 is not more than 0"),
        ("leduc --sees features", "sees: leduc has no features"),
        ("leduc --sees cards", "sees: ppo sees features or observation, not cards"),
        ("mhing --method fitted --sees observation", "sees: fitted sees features, not observation"),
        ("leduc --device tpu", "device: 'tpu' cannot be used"),
        ("leduc --device cuda:99", "device: 'cuda:99' cannot be used"),
        ("leduc --out /proc/nowhere", "/proc/nowhere: "),
        ("leduc --out file", "argument --out: 'file' is a file; name a folder"),
        ("leduc --curve curve.doc", "end its name in one of .svg, .png, .pdf"),
        ("--resume run --minutes 1 --steps 9", "steps: the length is given in minutes as well"),
        ("--resume nowhere", "'nowhere' holds no run of mhing train"),
        ("--resume run --seed 5", "--seed: a run that is resumed keeps its settings"),
        ("leduc --resume run", "--game: a run that is resumed keeps its settings"),
        ("leduc --out run", "'run' holds a run; continue it with --resume"),
    ],
)
def test_bad_input_is_refused_before_the_training(
    line: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    training.start("run", settings())
    before = sorted(path.name for path in tmp_path.rglob("*"))
    monkeypatch.setattr(training.Run, "learn", None)
    try:
        code = main(["train", *line.split()])
    except SystemExit as end:
        code = int(end.code or 0)
    err = capsys.readouterr().err
    assert (code, err.count("\n")) == (2, 1)
    assert words in err
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


def test_runs_that_do_not_fit_a_table(tmp_path: Path, capsys: Capture) -> None:
    training.start(tmp_path, settings())
    net = tmp_path / "mine.net"
    net.touch()
    for line, words in (
        (f"arena run:{net} greedy", f"it is the file of a net, which plays as net:{net}"),
        (f"arena run:{tmp_path} greedy", "has learned to play Game('leduc'), not Game('mhing')"),
        ("arena run:nowhere greedy", "'nowhere' holds no run of mhing train"),
    ):
        assert main(line.split()) == 2
        assert words in capsys.readouterr().err
    content = RunFolder.open(tmp_path).load()
    assert content is not None
    torch.save(content | {"learner": {}}, tmp_path / "checkpoint.pt")
    assert main(f"train --resume {tmp_path}".split()) == 2
    assert "its checkpoint does not fit: KeyError" in capsys.readouterr().err


@pytest.mark.parametrize("missing", ["torch", "onnx", "matplotlib"])
def test_a_missing_extra_is_named(
    missing: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    assert main(["train"]) == 2
    expected = f"mhing: train: {missing} is missing: {install('train')}\n"
    assert capsys.readouterr().err == expected


@pytest.mark.parametrize(
    ("module", "missing"), [("run", "torch"), ("export", "torch"), ("export", "onnx")]
)
def test_modules_name_a_missing_extra(
    module: str, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, f"mhing.train.{module}", raising=False)
    monkeypatch.setitem(sys.modules, missing, None)
    expected = re.escape(f"{missing} is missing: {install('train')}")
    with pytest.raises(ModuleNotFoundError, match=expected):
        import_module(f"mhing.train.{module}")
