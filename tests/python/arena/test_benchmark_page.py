"""The pages of the benchmark: their tables, and reports of older versions."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pages
import pytest

from mhing.arena import benchmark, suite
from mhing.arena.result import Mean
from mhing.arena.suite import TASKS

pytestmark = pytest.mark.once


@pytest.fixture(scope="module")
def tables() -> Any:
    return pages.script("benchmarks/suite", "suite_tables")


def test_the_pages_have_the_tables_of_the_code(tables: Any) -> None:
    """`python benchmarks/suite/suite_tables.py` writes them."""
    for path in tables.PAGES:
        page = path.read_text(encoding="utf-8")
        assert page == tables.written(page)
        assert page.count("<!-- end -->") == len(re.findall("<!-- (?!end|test)", page))
    page = tables.PAGES[0].read_text(encoding="utf-8")
    assert f"**version {suite.VERSION}**" in page
    assert str(suite.SEEDS) in page


def test_results_are_of_this_suite(tables: Any) -> None:
    """The tasks of version 1 are tasks of this one, with the same deals."""
    rows = {(report["agent"], report["about"]) for report in tables.reports()}
    assert {tables.ROWS[name] for name in ("random", "greedy", "expert", "net")} <= rows
    for path in sorted(tables.HERE.glob("*.json")):
        report = json.loads(path.read_text(encoding="utf-8"))
        version = report["mhing benchmark"]
        entered = [task for task in TASKS if task.since <= version]
        assert len(entered) == {1: 12, 2: 15}[version]
        assert report["citable"]
        assert report["about"]
        scores = []
        for task, one in zip(entered, report["tasks"], strict=True):
            assert (one["task"], one["deals"]) == (task.name, task.deals)
            assert one["games"] == task.deals * task.seats
            assert one["difference"] == pytest.approx(one["reward"] - one["greedy"])
            scores.append(Mean(one["score"], one["score_interval"]))
            assert one["score"] == pytest.approx(one["difference"] / task.step.value)
            assert report["agent"] != "greedy" or one["score"] == 0
        assert report["score"]["value"] == pytest.approx(benchmark.aggregate(scores).value)
        assert report["score"]["interval"] == pytest.approx(benchmark.aggregate(scores).interval)


def test_reports_of_older_versions_are_read_and_others_refused(tables: Any, tmp_path: Path) -> None:
    of_1, of_2 = ({one["agent"] for one in tables.reports(version)} for version in (1, 2))
    assert "search:50" in of_1 - of_2
    assert of_2 < of_1
    net = json.loads((tables.HERE / "net.json").read_text(encoding="utf-8"))
    scores = [Mean(one["score"], one["score_interval"]) for one in net["tasks"][:12]]
    (scored,) = (one for one in tables.reports(1) if one["agent"] == net["agent"])
    assert scored["score"]["value"] == benchmark.aggregate(scores).value != net["score"]["value"]
    path = tmp_path / "new.json"
    for version in (suite.VERSION + 1, 0, None, "2"):
        path.write_text(json.dumps(net | {"mhing benchmark": version}))
        with pytest.raises(SystemExit, match=f"a report of suite {version}; versions 1 to 2 are"):
            tables._read(path)


@pytest.mark.usefixtures("few")
def test_a_report_can_be_completed_by_the_tasks_that_are_new(
    tables: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has the same figures as one of all tasks together, but for times."""
    monkeypatch.setattr(tables, "HERE", tmp_path)
    monkeypatch.setattr(tables, "TASKS", suite.TASKS)
    path = tmp_path / "random.json"
    tables.play("random", None)
    whole = json.loads(path.read_text())
    old = whole | {"mhing benchmark": 1, "tasks": whole["tasks"][:12], "date": "2026-11-22"}
    for one in old["tasks"]:
        for new in ("raw_difference", "raw_difference_interval", "estimator", "date", "stopped"):
            del one[new]
        del one["forfeits_of_field"]
    path.write_text(json.dumps(old))
    tables.play("random", ["mhing_self", "general_self", "rummy_self"])
    completed = json.loads(path.read_text())
    assert [one.pop("date") for one in completed["tasks"]][:12] == ["2026-11-22"] * 12
    for report in (whole, completed):
        report.pop("seconds")
        for one in report["tasks"]:
            one.pop("seconds")
            one.pop("date", None)
    whole = json.loads(json.dumps(whole))
    again = benchmark.run("random", about=tables.ROWS["random"][1]).to_dict()
    for one, other in zip(completed["tasks"], again["tasks"], strict=True):
        assert one == {name: other[name] for name in other if name not in ("seconds", "date")}
    assert completed["score"] == again["score"]
    assert completed["self_play"] == again["self_play"]


def test_exploitability_is_of_the_players_of_the_row(tables: Any) -> None:
    """The bounds in steps of the tasks of self-play; nothing where one of them was not measured."""
    steps = {task.name: task.step.value for task in TASKS if task.is_self_play}
    cells = {}
    for report in tables.reports():
        found = tables.responses(report)
        for one in found.values():
            assert one["agent"] in report["agent"].split(benchmark.OR)
            assert one["bound"] in (0, one["difference"])
        mean = sum(one["bound"] / steps[task] for task, one in found.items()) / 3
        cells[report["agent"]] = f"≥ {mean:.2f}" if found.keys() == steps.keys() else "not measured"
    rows = [line.split(" | ") for line in tables.results().splitlines()[2:]]
    assert {row[0].removeprefix("| "): row[11] for row in rows} == cells
    assert cells["greedy"].startswith("≥ ")
    assert cells["random"] == "not measured"


def test_each_field_has_a_column(tables: Any) -> None:
    """The score in the tasks of one field; that of self-play is the report's own."""
    heads, _, *rows = (line.split(" | ") for line in tables.results().splitlines())
    assert heads[8:11] == ["among greedy", "among expert", "among itself"]
    for report, row in zip(tables.reports(), rows, strict=True):
        for cell, field in zip(row[8:11], ("greedy", "expert", suite.SELF), strict=True):
            own = [
                Mean(one["score"], one["score_interval"])
                for task, one in zip(TASKS, report["tasks"], strict=True)
                if task.field == field
            ]
            assert cell == str(benchmark.aggregate(own))
        assert row[10] == str(Mean(**report["self_play"]))


def test_methods_that_learn_have_five_runs_or_more(tables: Any) -> None:
    """As the page asks of everybody; and no run is listed twice."""
    for runs in tables.methods(1).values():
        assert len(runs) == 1 or len(runs) >= 5
        assert len({run["about"] for run in runs}) == len(runs)
        assert len({run["score"]["value"] for run in runs}) == len(runs)
    assert any(len(runs) > 1 for runs in tables.methods(1).values())


def test_the_mean_of_runs_has_the_interval_between_them(tables: Any) -> None:
    runs = tables.methods(1)["ppo"]
    scores = [run["score"]["value"] for run in runs]
    off = sum((one - sum(scores) / 5) ** 2 for one in scores)
    t = 2.7764451  # of four degrees of freedom
    row = next(line for line in tables.learned().splitlines() if line.startswith("| ppo |"))
    expected = Mean(sum(scores) / 5, t * (off / 4 / 5) ** 0.5)
    assert row.split(" | ")[1:3] == ["5", str(expected)]
