"""Writes the tables of SUITE.md and CARDS.md: the tasks as they are declared, the reports
beside it, and what was found against agents, in exploit/.

    python benchmarks/suite/suite_tables.py          from the reports as they are
    python benchmarks/suite/suite_tables.py net      after all tasks were played anew for this row
    python benchmarks/suite/suite_tables.py net --tasks rummy_self    after these alone were played
    python benchmarks/suite/suite_tables.py net --view words          after the positions were asked

A report is what `mhing benchmark AGENT --json` prints, with all tasks and all deals. Rows of agents
that the package does not have are made by that command. Reports of version 1 have the twelve tasks
that version 2 began with; they are compared in a table of these alone.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import cache, partial
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import mhing
from mhing.arena import benchmark, words
from mhing.arena.benchmark import aggregate, row
from mhing.arena.figures import student
from mhing.arena.result import Mean
from mhing.arena.suite import TASKS, VERSION, Task
from mhing.models import shipped_models
from mhing.players.seating import SELF

HERE = Path(__file__).parent
PAGES = (HERE.parent / "SUITE.md", HERE.parent / "CARDS.md")
ROWS = {
    "random": ("random", "uniform over the legal actions; training: none"),
    "greedy": ("greedy", "written by hand; training: none"),
    "expert": ("expert", "written by hand; training: none"),
    "net": (
        "net or expert",
        "a net where one was trained for the task or its rounds; training: small",
    ),
    "search": ("search:50", "50 play-outs a decision; training: none"),
}
"""The rows of the package's own agents: who plays, and what it is."""

TITLES = [mhing.Game(game).title for game in dict.fromkeys(task.game for task in TASKS)]
FIELDS = {task.field: "itself" if task.is_self_play else task.field for task in TASKS}
"""The names of the tasks' fields in tables."""


Report = dict[str, Any]


def reports(version: int = VERSION) -> list[Report]:
    """The reports that have the score of a version, the best method and its best run first."""
    return [report for runs in methods(version).values() for report in runs]


@cache
def methods(version: int = VERSION) -> dict[str, list[Report]]:
    """The reports of each method, with their scores in a version: in the tasks that it had.

    The best method comes first, and the best of its runs. The runs of a method that learns are in
    `ppo-1.json` and so on; others have one report.
    """
    found: dict[str, list[Report]] = {}
    for path in sorted(HERE.glob("*.json")):
        if (report := _read(path))["mhing benchmark"] >= version:
            found.setdefault(path.stem.partition("-")[0], []).append(_scored(report, version))
    for runs in found.values():
        runs.sort(key=_score, reverse=True)
    return dict(sorted(found.items(), key=lambda item: -fmean(map(_score, item[1]))))


def _read(path: Path) -> Report:
    """A report; the reading ends where it is of no version that is known."""
    report: Report = json.loads(path.read_text(encoding="utf-8"))
    version = report.get("mhing benchmark")
    if version not in range(1, VERSION + 1):
        raise SystemExit(f"{path}: a report of suite {version}; versions 1 to {VERSION} are read")
    return report


def _scored(report: Report, version: int) -> Report:
    """A report with its scores in the tasks that a version had."""
    played = {one["task"]: one for one in report["tasks"]}
    scores = [
        (task, Mean(one["score"], one["score_interval"]))
        for task in TASKS
        if task.since <= version and (one := played.get(task.name))
    ]
    games = [*dict.fromkeys(task.game for task, _ in scores)]
    by_game = {game: [score for task, score in scores if task.game == game] for game in games}
    fields = [field for field in FIELDS if field in {task.field for task, _ in scores}]
    by_field = {field: [score for task, score in scores if task.field == field] for field in fields}
    among = {field: asdict(aggregate(some)) for field, some in by_field.items()}
    return report | {
        "score": asdict(aggregate([score for _, score in scores])),
        "by_game": {game: asdict(aggregate(some)) for game, some in by_game.items()},
        "by_field": among,
        "self_play": among.get(SELF),
    }


def _score(report: Report) -> float:
    return float(report["score"]["value"])


def responses(report: Report) -> dict[str, Report]:
    """Results of `mhing exploit` against a report's players, by the task of self-play."""
    played = {one["task"]: one["player"] for one in report["tasks"]}
    found = {}
    for path in sorted(HERE.glob("exploit/*.json")):
        one: Report = json.loads(path.read_text(encoding="utf-8"))
        for task in filter(lambda task: task.is_self_play, TASKS):
            same_player = (task.game, played.get(task.name)) == (one["game"], one["agent"])
            if same_player and task.make_game().options == one["options"]:
                found[task.name] = one
    return found


def _exploitability(report: Report) -> str:
    """The mean of the bounds that were found in the tasks of self-play, in steps of theirs."""
    steps = {task.name: task.step.value for task in TASKS if task.is_self_play}
    found = responses(report)
    if found.keys() != steps.keys():
        return "not measured"
    return f"≥ {fmean(one['bound'] / steps[name] for name, one in found.items()):.2f}"


def tasks() -> str:
    """The tasks."""
    heads = ["task", "options", "field", "deals", "first seed", "a step, 95 %", "measured on"]
    return _table(heads, [_task(task) for task in TASKS], right=2)


def _task(task: Task) -> list[str]:
    options = ", ".join(f"{name}={value}" for name, value in task.options.items())
    measured = f"{task.step_deals:,} deals"
    step = f"{task.step.value:.4g} ± {task.step.interval:.2g}"
    return [
        f"`{task.name}`", f"`{task.game}`: {options}", FIELDS[task.field], f"{task.deals:,}",
        str(task.seed), step, measured,
    ]  # fmt: skip


def meanings() -> str:
    """The subjects of the tasks."""
    return "\n".join(f"- `{task.name}`: {task.meaning}." for task in TASKS)


def results() -> str:
    """A row for each agent."""
    among = [f"among {name}" for name in FIELDS.values()]
    heads = ["agent", "what", "view", "deals", "score", *TITLES, *among, "exploitability"]
    lines = []
    for report in reports():
        *cells, _, seconds, computer, _ = row(report)
        cells += [str(Mean(**mean)) for mean in report["by_field"].values()]
        lines.append([*cells, _exploitability(report), seconds, computer, _when(report)])
    return _table([*heads, "seconds", "machine", "date"], lines, right=4)


def results_1() -> str:
    """The same in the tasks of version 1, also for agents that were not in later ones."""
    heads = ["agent", "what", "report of", "score", *TITLES, "date"]
    lines = []
    for report in reports(1):
        version = f"version {report['mhing benchmark']}"
        scores, date = _scores(report), _when(report)
        lines.append([report["agent"], report["about"], version, *scores, date])
    return _table(heads, lines, right=3)


def _scores(report: Report) -> list[str]:
    """The score, and that in each game."""
    return [str(Mean(**mean)) for mean in (report["score"], *report["by_game"].values())]


def learned() -> str:
    """The means of the methods with several runs, in the tasks that all of them have."""
    games = [*reports(1)[0]["by_game"]]
    lines = [
        [name, str(len(runs)), str(_between(_score(run) for run in runs))]
        + [str(_between(run["by_game"][game]["value"] for run in runs)) for game in games]
        for name, runs in methods(1).items()
        if len(runs) > 1
    ]
    return _table(["method", "runs", "score", *TITLES], lines, right=1)


def exploited() -> str:
    """The best responses that were learned against agents."""
    own = [task for task in TASKS if task.is_self_play]
    heads = ["agent", *(f"`{task.name}`" for task in own), "in steps, at least"]
    lines = []
    for report in reports():
        if found := responses(report):
            cells = [_gained(found[task.name]) if task.name in found else "" for task in own]
            lines.append([report["agent"], *cells, _exploitability(report)])
    return _table(heads, lines, right=1)


def _gained(one: Report) -> str:
    return Mean(one["difference"], one["difference_interval"]).signed


def _between(values: Iterator[float]) -> Mean:
    """The mean over runs, and its interval by the spread between them."""
    found = [*values]
    return Mean(fmean(found), student(len(found) - 1) * stdev(found) / sqrt(len(found)))


def by_task() -> str:
    """The earnings of each method a game, and its score; of old reports in the tasks they have."""
    found = methods(1)
    heads = [name if len(runs) > 1 else runs[0]["agent"] for name, runs in found.items()]
    lines = [
        [f"`{task.name}`", *(_earned(runs, task) for runs in found.values())] for task in TASKS
    ]
    return _table(["task", *heads], lines, right=1)


def _earned(runs: list[Report], task: Task) -> str:
    """The earnings of a method in a task, of several runs the mean."""
    played = [one for run in runs for one in run["tasks"] if one["task"] == task.name]
    if not played:
        return ""
    one = played[0]
    if len(runs) > 1:
        reward, score = (_between(run[of] for run in played) for of in ("reward", "score"))
        return f"{reward} ({score})"
    reward, score = (Mean(one[of], one[f"{of}_interval"]) for of in ("reward", "score"))
    several = len({other["player"] for other in runs[0]["tasks"]}) > 1
    return f"{one['player']}: {reward} ({score})" if several else f"{reward} ({score})"


def card(name: str) -> str:
    """The figures of a method in its card."""
    version = max(run["mhing benchmark"] for run in methods(1)[name])
    runs = methods(version)[name]
    lines = [[f"suite {version}", str(_of_runs([run["score"] for run in runs]))]]
    for game, title in zip(runs[0]["by_game"], TITLES, strict=True):
        lines.append([title, str(_of_runs([run["by_game"][game] for run in runs]))])
    for field in runs[0]["by_field"]:
        lines.append(
            [f"among {FIELDS[field]}", str(_of_runs([run["by_field"][field] for run in runs]))]
        )
    if runs[0]["self_play"]:
        lines += [["exploitability, in steps", _exploitability(runs[0])]]
    lines += [["deals", f"{sum(one['deals'] for one in runs[0]['tasks']):,}, public"]]
    lines += [["played", _when(*runs)]]
    return _table(["score", "steps, 95 %"], lines, right=1)


def _of_runs(means: list[dict[str, float]]) -> Mean:
    """The mean of one run, or that over several."""
    return _between(mean["value"] for mean in means) if len(means) > 1 else Mean(**means[0])


def _when(*runs: Report) -> str:
    """The first and the last day on which tasks of reports were played."""
    dates = sorted(one.get("date", run["date"]) for run in runs for one in run["tasks"])
    return " to ".join(dict.fromkeys((dates[0], dates[-1])))


def made_nets() -> str:
    """The commands that made the models of the package."""
    lines = [[f"`{one.id}`", f"`{one.command}`"] for one in shipped_models()]
    return _table(["model", "made by"], lines, right=2)


def in_words() -> str:
    """The answers of each agent to the positions."""
    paths = HERE.glob("words/*.json")
    found: list[Report] = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    found.sort(key=lambda one: (-one["score"]["value"], one["agent"]))
    heads = ["agent", "what", "form", "score"]
    heads += [f"`{name}`" for name in found[0]["by_task"]]
    heads += [f"level {level}" for level in found[0]["by_level"]]
    lines = []
    for one in found:
        means = [one["score"], *one["by_task"].values(), *one["by_level"].values()]
        scores = [str(Mean(**mean)) for mean in means]
        counts = [str(one["refused"]), str(one["lost"]), one["date"]]
        lines.append([one["agent"], one["about"], one["form"], *scores, *counts])
    return _table([*heads, "refused", "lost", "date"], lines, right=3)


def play(name: str, names: Sequence[str] | None, view: str | None = None) -> None:
    """Plays a row of `ROWS` anew, or these of its tasks alone, and keeps its report."""
    agent, about = ROWS[name]
    path = HERE / f"{name}.json"
    report: Report
    if view is not None:
        path = HERE / f"{view}/{name}.json"
        report = words.run(agent, about=about).to_dict()
    else:
        report = benchmark.run(agent, about=about, tasks=names).to_dict()
        if names is not None:
            report = merged(_read(path), report)
    text = json.dumps(report, indent=2, ensure_ascii=False)
    path.write_text(f"{text}\n", encoding="utf-8")


def merged(before: Report, report: Report) -> Report:
    """A report of some tasks with the other tasks of an earlier one, of an agent unchanged in them.

    Tasks do not change from one version to the next. Those of version 1 had the raw estimator, and
    bots in the field, who lose no game by what they do.
    """
    kept = {
        one["task"]: {
            "raw_difference": one["difference"],
            "raw_difference_interval": one["difference_interval"],
            "estimator": "raw",
            "forfeits_of_field": 0,
            "stopped": None,
            "date": before["date"],
            **one,
        }
        for one in before["tasks"]
    }
    kept |= {one["task"]: one for one in report["tasks"]}
    tasks = [kept[task.name] for task in TASKS if task.name in kept]
    whole = report | {
        "citable": before["citable"] and len(tasks) == len(TASKS),
        "tasks": tasks,
        "seconds": round(sum(one["seconds"] for one in tasks), 1),
        "machine": " and ".join(dict.fromkeys((before["machine"], report["machine"]))),
    }
    scored = _scored(whole, VERSION)
    return {key: scored[key] for key in report}


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], right: int) -> str:
    """A table in Markdown; columns from `right` on are to the right."""
    rule = ["---" if number < right else "---:" for number in range(len(heads))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heads, rule, *rows))


def written(page: str) -> str:
    """A page with all of its tables as they should be."""
    tables: dict[str, Callable[[], str]] = {
        "tasks": tasks,
        "meanings": meanings,
        "results": results,
        "results of version 1": results_1,
        "learned": learned,
        "exploited": exploited,
        "by task": by_task,
        "words": in_words,
        "nets": made_nets,
        **{f"card {name}": partial(card, name) for name in methods(1)},
    }
    for name, table in tables.items():
        before, begin, rest = page.partition(f"<!-- {name} -->\n")
        if begin:
            _, end, after = rest.partition("<!-- end -->")
            page = f"{before}{begin}\n{table()}\n\n{end}{after}"
    return page


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Writes the tables of SUITE.md and CARDS.md.")
    parser.add_argument("rows", metavar="ROW", nargs="*", help=f"play anew: {', '.join(ROWS)}")
    parser.add_argument("--tasks", metavar="TASK,...", help="play these alone; others stay")
    parser.add_argument("--view", choices=("words",), help="ask about the positions instead")
    given = parser.parse_args()
    if unknown := {*given.rows} - {*ROWS}:
        parser.error(f"no row {min(unknown)!r}; there are {', '.join(ROWS)}")
    for name in given.rows:
        play(name, given.tasks and given.tasks.split(","), given.view)
    for page in PAGES:
        page.write_text(written(page.read_text(encoding="utf-8")), encoding="utf-8")
