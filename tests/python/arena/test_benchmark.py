"""The suite that others report on: its tasks, its scores and the command."""

from __future__ import annotations

import csv
import io
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mhing import arena
from mhing.arena import benchmark, suite, tournament
from mhing.arena.result import Mean
from mhing.arena.suite import QUICK, TASKS, Task
from mhing.cli import main

pytestmark = pytest.mark.once

Capture = pytest.CaptureFixture[str]
ROOT = Path(__file__).parents[3]
NAMES = [task.name for task in TASKS]

FIRST = 4
"""Deals in which the two reference bots are watched."""

EARNED = {
    "mhing_credits": (2.6875, 1.0625),
    "mhing_duel": (4.5, 2.375),
    "mhing_six": (0.875, 0.625),
    "mhing_jmhing": (1.33333, 4.66667),
    "mhing_chips": (0, -9.625),
    "mhing_game": (0.5625, 0.25),
    "general_points": (2.875, 3.125),
    "general_three": (0.541667, 0),
    "general_game": (0.5, 0.25),
    "rummy_first": (-10.9375, -8.4375),
    "rummy_any": (-19.1667, -18.3333),
    "rummy_game": (1.375, 0),
    "mhing_self": (1.4375, 1.375),
    "general_self": (2.5, 1.625),
    "rummy_self": (-15.3125, -16.25),
}
"""The earnings of expert and greedy in them, a game; among copies of expert in self-play."""


def first_legal(observation: Any, mask: Any, info: Any) -> int:
    return int(np.flatnonzero(mask)[0])


# ---- The tasks -------------------------------------------------------------------------------


def test_tasks_are_distinct() -> None:
    assert len(set(NAMES)) == len({task.number for task in TASKS}) == len(TASKS) == 15
    assert not {task.name for task in TASKS} & {task.game for task in TASKS}
    for task in TASKS:
        assert task.name.isidentifier()
        assert task.deals % QUICK == 0
        assert task.deals < task.step_deals < 2**32
        assert suite.SEEDS <= task.seed < 2**64 - 2**32
        assert task.seats == task.make_game().num_seats
        assert task.make_game(hints=True).options == task.make_game().options | {"hints": True}
    assert len({task.seed >> 32 for task in TASKS}) == len(TASKS)


@pytest.mark.parametrize("task", TASKS, ids=NAMES)
def test_a_step_is_large_against_its_uncertainty(task: Task) -> None:
    assert 0 < task.step.interval < 0.15 * task.step.value


@pytest.mark.parametrize("task", TASKS, ids=NAMES)
def test_the_references_play_as_they_did(task: Task) -> None:
    """If this fails for a good reason, raise the version of the suite and measure everything
    again: the steps, and the rows of results."""
    result = arena.play(
        ["expert", "greedy"],
        task.make_game(),
        field=task.company("expert"),
        deals=FIRST,
        first_seed=task.seed,
    )
    assert [one.reward.value for one in result.players] == pytest.approx(
        EARNED[task.name], rel=1e-5
    )


@pytest.mark.parametrize("name", ["general_three", "general_self", "mhing_self"])
def test_a_task_is_a_tournament_of_the_arena(name: str, capsys: Capture) -> None:
    task = TASKS[NAMES.index(name)]
    words = ["arena", "random", "greedy", *task.arguments("random").split(), "--deals", "20"]
    assert main([*words, "--json"]) == 0
    played = json.loads(capsys.readouterr().out)
    assert played["field"] == ("random" if task.is_self_play else task.field)
    (entry,) = benchmark.entries_of("random", [replace(task, deals=20)], False, "raw")
    outcome, _ = benchmark._enter(entry, False, False, None)
    assert played["pairs"][0]["difference"] == outcome.difference.value
    assert played["pairs"][0]["interval"] == outcome.difference.interval
    assert played["players"][0]["reward"] == outcome.reward.value
    assert outcome.score.value == outcome.difference.value / task.step.value


# ---- Scores ----------------------------------------------------------------------------------


def test_greedy_is_nothing_and_an_agent_that_plays_alike_is_alike() -> None:
    report = benchmark.run("greedy", tasks=["general_points", "rummy_first"], quick=True)
    assert [one.score for one in report.outcomes] == [Mean(0, 0)] * 2
    assert report.score == Mean(0, 0)
    assert not report.citable


@pytest.mark.usefixtures("few")
def test_paired_differences_are_of_the_same_tasks() -> None:
    """Rewards are those of the same games; differences are by play-outs."""
    raw, paired = (
        benchmark.run("random", tasks=["general_points"], estimator=estimator)
        for estimator in ("raw", "paired")
    )
    (one,), (other,) = raw.outcomes, paired.outcomes
    assert (one.reward, one.zero) == (other.reward, other.zero)
    assert one.difference.value != other.difference.value
    assert abs(one.difference.value - other.difference.value) < 1.5
    assert (one.estimator, other.estimator) == ("raw", "paired")
    assert (one.raw, other.raw) == (one.difference, one.difference)
    assert any("differences by pairs of play-outs with gr" in note for note in paired.notes())
    assert not any("play-outs" in note for note in raw.notes())


def test_the_score_of_many_tasks() -> None:
    scores = [Mean(value, 0) for value in (9, -50, 3, 1, 2, 4, 100, 3)]
    assert benchmark.aggregate(scores) == Mean(3, 0)  # of 2, 3, 3, 4
    assert benchmark.aggregate(scores[:3]) == Mean((9 - 50 + 3) / 3, 0)


def test_the_interval_of_a_score() -> None:
    """Of a mean of three, it is theirs over the root of three; leaving out the ends changes little
    where tasks are alike, and the ends do not count where they are far away."""
    assert benchmark.aggregate([Mean(1, 0.3)] * 3).interval == pytest.approx(0.3 / 3**0.5, rel=0.05)
    alike = benchmark.aggregate([Mean(1, 0.3)] * 12).interval
    assert alike == pytest.approx(0.3 / 12**0.5, rel=0.15)
    ends = [Mean(-50, 9), Mean(1, 0.3), Mean(1, 0.3), Mean(50, 9)]
    assert benchmark.aggregate(ends).interval == pytest.approx(0.3 / 2**0.5, rel=0.05)


def test_the_interval_covers() -> None:
    """A real bootstrap of deals, in strata, gives the same."""
    rng = np.random.default_rng(1)
    deals = rng.exponential(size=(12, 400)) + np.linspace(0, 0.3, 12)[:, None]
    means = [Mean(float(row.mean()), float(1.966 * row.std(ddof=1) / 20)) for row in deals]
    redrawn = [
        benchmark._interquartile([row[rng.integers(400, size=400)].mean() for row in deals])
        for _ in range(1000)
    ]
    assert benchmark.aggregate(means).interval == pytest.approx(1.96 * np.std(redrawn), rel=0.1)


# ---- Self-play and views --------------------------------------------------------------------


@pytest.mark.usefixtures("few")
def test_who_plays_among_itself_is_asked_in_all_seats_but_greedy_in_its_place() -> None:
    asked = {"own": 0}

    def watched(observation: Any, mask: Any, info: Any) -> int:
        asked["own"] += 1
        return first_legal(observation, mask, info)

    report = benchmark.run(watched, tasks=["general_self"], quick=True)
    (outcome,) = report.outcomes
    alone = arena.play(
        [first_legal, "greedy"],
        outcome.task.make_game(),
        field=first_legal,
        deals=4,
        first_seed=outcome.task.seed,
    )
    assert [outcome.reward, outcome.zero] == [one.reward for one in alone.players]
    assert report.self_play() == report.score
    assert benchmark.run("random", tasks=["general_points"], quick=True).self_play() is None
    assert asked["own"] > 0


@pytest.mark.usefixtures("few")
def test_copies_that_fail_are_reported() -> None:
    def never(observation: Any, mask: Any, info: Any) -> int:
        raise ZeroDivisionError

    report = benchmark.run(never, tasks=["general_self"], quick=True)
    assert report.outcomes[0].forfeits_of_field > 0
    assert any("general_self: the field forfeited" in note for note in report.notes())


@pytest.mark.usefixtures("few")
def test_play_outs_take_bots_in_every_seat() -> None:
    """The difference is by rewards if the field has copies of something else."""
    tasks = ["general_points", "general_self"]
    own = benchmark.run(first_legal, tasks=tasks, estimator="paired")
    assert [one.estimator for one in own.outcomes] == ["paired", "raw"]
    assert any("differences in general_points by pairs" in note for note in own.notes())
    bot = benchmark.run("expert", tasks=tasks, estimator="paired")
    assert [one.estimator for one in bot.outcomes] == ["paired", "paired"]


class Seeing:
    """Says what it sees."""

    def __init__(self, sees: str | None) -> None:
        self.sees = sees

    def __call__(self, observation: Any, mask: Any, info: Any) -> int:
        return int(np.flatnonzero(mask)[0])


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize(
    ("agent", "hints", "views"),
    [
        ("expert", False, ["features"]),
        (first_legal, False, ["observation"]),
        (first_legal, True, ["hints"]),
        (Seeing("raw"), True, ["observation"]),
        (Seeing("fields"), False, ["observation"]),
        (Seeing("fields"), True, ["hints"]),
        (Seeing("hints"), False, ["hints"]),
        (Seeing("features"), False, ["features"]),
        (Seeing("words"), True, ["words"]),
        (f"exec:{sys.executable} bot.py", False, ["observation", "words"]),
    ],
    ids=[
        "bot",
        "plain",
        "with hints",
        "raw",
        "fields",
        "fields and hints",
        "hints",
        "features",
        "words",
        "program",
    ],
)
def test_the_report_has_the_view_that_was_used(agent: Any, hints: bool, views: list[str]) -> None:
    (entry,) = benchmark.entries_of(agent, suite.TASKS[:1], hints, "raw")
    assert [*entry.views] == views
    if not isinstance(agent, str):
        report = benchmark.run(agent, tasks=["general_points"], quick=True, hints=hints)
        assert report.to_dict()["views"] == views


# ---- Runs ------------------------------------------------------------------------------------


@pytest.mark.usefixtures("few")
def test_a_run_is_repeated_by_its_seeds() -> None:
    tasks = ["general_points", "mhing_six"]
    reports = [benchmark.run("random", tasks=tasks, num_threads=number) for number in (1, 2)]
    plain = [[{**one, "seconds": 0} for one in report.to_dict()["tasks"]] for report in reports]
    assert plain[0] == plain[1]
    assert [one["task"] for one in plain[0]] == ["mhing_six", "general_points"]  # the suite's order
    assert [one["games"] for one in plain[0]] == [40 * 6, 40 * 2]
    assert not reports[0].citable


@pytest.mark.usefixtures("few")
def test_a_whole_run() -> None:
    report = benchmark.run(first_legal, quick=True, about="the first action")
    assert not report.citable
    whole = replace(report, quick=False)
    assert whole.citable
    plain = json.loads(json.dumps(whole.to_dict(), allow_nan=False))
    assert plain["agent"] == "first_legal"
    assert [one["task"] for one in plain["tasks"]] == NAMES
    assert plain["score"]["value"] == benchmark.aggregate([o.score for o in report.outcomes]).value
    cells = benchmark.row(plain)
    assert cells[:3] == ["first_legal", "the first action", "observation"]
    assert cells[3] == "public"
    assert cells[4] == str(report.score)
    rows = [*csv.DictReader(io.StringIO(whole.csv()))]
    assert [float(one["reward"]) for one in rows] == [one.reward.value for one in report.outcomes]
    assert {one["agent"] for one in rows} == {"first_legal"}


@pytest.mark.usefixtures("few")
def test_a_run_goes_on_after_a_kill(tmp_path: Path) -> None:
    """Also where a quick one has ended; its deals are not played again."""
    tasks = ["general_points", "rummy_first"]
    quick = benchmark.run("random", tasks=tasks, quick=True, logs=tmp_path / "log")
    assert [one.deals for one in quick.outcomes] == [4, 4]
    assert not any(one.resumed for one in quick.outcomes)
    log = tmp_path / "log/general_points.jsonl"
    assert len(log.read_bytes().splitlines()) == 5
    (tmp_path / "log/rummy_first.jsonl").unlink()
    whole = benchmark.run("random", tasks=tasks, logs=tmp_path / "log")
    assert [one.resumed for one in whole.outcomes] == [True, False]
    anew = benchmark.run("random", tasks=tasks)
    for one, other in zip(whole.outcomes, anew.outcomes, strict=True):
        assert (one.reward, one.difference) == (other.reward, other.difference)
    again = benchmark.run("random", tasks=tasks, logs=tmp_path / "log")
    assert [one.reward for one in again.outcomes] == [one.reward for one in anew.outcomes]
    with pytest.raises(ValueError, match="was begun with the players"):
        benchmark.run("greedy", tasks=tasks, logs=tmp_path / "log")


@pytest.mark.usefixtures("few")
def test_words_in_braces_and_hints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "agents_of_tasks.py").write_text(
        "sizes = {}\n"
        "def general_points(observation, mask, info):\n"
        "    sizes['general_points'] = observation.size\n"
        "    return mask.nonzero()[0][0]\n"
        "def mexican_rummy_4(observation, mask, info):\n"
        "    sizes['rummy'] = observation.size\n"
        "    return mask.nonzero()[0][0]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    sizes = __import__("agents_of_tasks").sizes
    for hints in (False, True):
        report = benchmark.run(
            "mine=agents_of_tasks:{task}", tasks=["general_points"], quick=True, hints=hints
        )
        assert report.agent == "mine"
        game = TASKS[NAMES.index("general_points")].make_game(hints)
        assert sizes["general_points"] == game.observation_size
    plain = benchmark.run(first_legal, tasks=["rummy_first"], quick=True)
    by_name = benchmark.run("agents_of_tasks:{game}_{players}", tasks=["rummy_first"], quick=True)
    assert by_name.outcomes[0].reward == plain.outcomes[0].reward


@pytest.mark.usefixtures("few")
def test_an_agent_that_cannot_play_is_found_before_anything_is_played(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tournament, "Dealer", None)
    with pytest.raises(
        ValueError, match=r"agent in rummy_game: nothing:rummy_game cannot be impor"
    ):
        benchmark.run("nothing:{task}", tasks=["rummy_game"])


@pytest.mark.usefixtures("few")
def test_one_of_several_plays_a_task_that_another_cannot_play() -> None:
    """It is said who played which; in each task the figures are those of that player."""
    tasks = ["mhing_credits", "rummy_game", "general_points"]
    mixed = benchmark.run("ours=net or expert", tasks=tasks, quick=True)
    assert mixed.agent == "ours"
    assert mixed.players() == {
        "net": ["mhing_credits", "general_points"],
        "expert": ["rummy_game"],
    }
    for outcome in mixed.outcomes:
        alone = benchmark.run(outcome.player, tasks=[outcome.task.name], quick=True)
        assert outcome.reward == alone.outcomes[0].reward
    assert "expert played rummy_game" in mixed.notes()
    assert mixed.to_dict()["tasks"][2]["player"] == "expert"


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize(
    ("agent", "words"),
    [
        ("net", "agent in rummy_game: .*net"),
        ("net or nett", "agent in rummy_game: no bot 'nett'"),
        ("gready or expert", "agent in mhing_credits: no bot 'gready'"),
    ],
)
def test_all_of_several_must_play_and_all_tasks_be_played(agent: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        benchmark.run(agent, tasks=["mhing_credits", "rummy_game"], quick=True)


@pytest.mark.usefixtures("few")
def test_forfeits_are_reported() -> None:
    def never(observation: Any, mask: Any, info: Any) -> int:
        raise ZeroDivisionError

    report = benchmark.run(never, tasks=["general_points"], quick=True)
    assert report.outcomes[0].forfeits == report.outcomes[0].games == 8
    assert any("general_points: 8 of 8 games forfeited: ZeroDiv" in note for note in report.notes())


@pytest.mark.parametrize(
    ("more", "error", "words"),
    [
        ({"tasks": ["chess"]}, ValueError, "tasks: no 'chess'; there are mhing_credits, "),
        ({"tasks": []}, ValueError, "tasks: none are given"),
        ({"tasks": "mhing"}, TypeError, "tasks: 'mhing' is a text"),
        ({"agent": "gready"}, ValueError, "agent in mhing_credits: no bot 'gready'"),
        ({"agent": 3}, TypeError, "agent in mhing_credits: 3 is neither"),
        ({"num_threads": 0}, ValueError, "num_threads: 0"),
    ],
)
def test_bad_arguments(more: dict[str, Any], error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        benchmark.run(**{"agent": "random", "quick": True, **more})


@pytest.mark.usefixtures("few")
def test_ranked_runs_are_of_deals_that_nobody_knew(tmp_path: Path, capsys: Capture) -> None:
    """The seeds that they print say which these were."""
    names = ["general_points", "mhing_six", "rummy_first"]
    reports = [benchmark.run("random", tasks=names, quick=True, ranked=True) for _ in range(2)]
    seeds = [one.seed for report in reports for one in report.outcomes]
    assert len({*seeds} - {None}) == 6
    assert not any("public" in note for note in reports[0].notes())
    plain = reports[0].to_dict()
    assert plain["ranked"]
    assert benchmark.row(plain)[3] == "drawn"
    for one in plain["tasks"]:
        task = TASKS[NAMES.index(one["task"])]
        words = task.arguments("random").replace(
            f"--first-seed {task.seed}", f"--seed {one['seed']}"
        )
        line = f"arena random greedy {words} --deals {one['deals']} --json"
        assert main(line.split()) == 0
        again = json.loads(capsys.readouterr().out)
        assert again["players"][0]["reward"] == one["reward"]
    begun = benchmark.run("random", tasks=names, quick=True, ranked=True, logs=tmp_path / "log")
    whole = benchmark.run("random", tasks=names, ranked=True, logs=tmp_path / "log")
    assert [one.seed for one in whole.outcomes] == [one.seed for one in begun.outcomes]
    assert (tmp_path / "log").stat().st_mode & 0o777 == 0o700
    with pytest.raises(ValueError, match="was begun with first_seed None, not 922"):
        benchmark.run("random", tasks=names, logs=tmp_path / "log")


# ---- The command -----------------------------------------------------------------------------


@pytest.mark.usefixtures("few")
def test_the_command(tmp_path: Path, capsys: Capture) -> None:
    line = f"benchmark random --quick --tasks general_mhing --csv {tmp_path}/x.csv --log {tmp_path}"
    assert main(line.split()) == 0
    out, err = capsys.readouterr()
    assert err == ""
    report = benchmark.run("random", tasks=["general_mhing"], quick=True)
    for one in report.outcomes:
        (found,) = (line for line in out.splitlines() if line.startswith(one.task.name))
        assert found.split()[:4] == [one.task.name, "4", *str(one.reward).split()[:2]]
        assert str(one.score) in found
    assert f"together: {report.score}" in out
    assert "not for citing" in out
    assert "4 of 15 tasks" in out
    assert "| random |" not in out
    assert len((tmp_path / "x.csv").read_text().splitlines()) == 1 + 4
    assert main(f"{line.replace('x.csv', 'y.csv')} --json".split()) == 0
    plain = json.loads(capsys.readouterr().out)
    assert plain["score"]["value"] == report.score.value
    assert all(one["resumed"] for one in plain["tasks"])


@pytest.mark.usefixtures("few")
def test_the_command_prints_a_row_for_the_page(capsys: Capture) -> None:
    assert main(["benchmark", "greedy", "--about", "a bot"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("| greedy | a bot | features | public | 0.000 ± 0.000 | 0.000 ± 0.000 |")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("benchmark", "AGENT"),
        ("benchmark gready", "agent in mhing_credits: no bot 'gready'"),
        ("benchmark random --tasks chess", "no 'chess'"),
        ("benchmark random --threads 0", "--threads"),
        ("benchmark random --log /dev/null", "--log: '/dev/null' is a file; name a folder"),
        ("benchmark random --csv /nowhere/x.csv", "there is no folder /nowhere; make it first"),
    ],
)
def test_bad_input(line: str, words: str, capsys: Capture) -> None:
    try:
        code = main(line.split())
    except SystemExit as end:
        code = end.code
    out, err = capsys.readouterr()
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert words in err
