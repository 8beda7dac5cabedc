"""Writes the tables of SUITE.md: the tasks as they are declared, and the reports in suite/.

    python benchmarks/suite_tables.py          from the reports as they are
    python benchmarks/suite_tables.py net      after all tasks were played anew for this row

A report is what `mhing benchmark AGENT --json` prints, with all tasks and all deals. Rows of agents
that the package does not have are made by that command.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import mhing
from mhing.arena import benchmark
from mhing.arena.benchmark import row
from mhing.arena.figures import student
from mhing.arena.result import Mean
from mhing.arena.suite import TASKS, Task

HERE = Path(__file__).parent
PAGE = HERE / "SUITE.md"
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


def reports() -> list[dict[str, Any]]:
    """All reports, the best agent first."""
    return [report for runs in methods().values() for report in runs]


def methods() -> dict[str, list[dict[str, Any]]]:
    """The reports of each method, the best method and the best of its runs first.

    The runs of a method that learns are in `ppo-1.json` and so on; others have one report.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for path in sorted(HERE.glob("suite/*.json")):
        report = json.loads(path.read_text(encoding="utf-8"))
        found.setdefault(path.stem.partition("-")[0], []).append(report)
    for runs in found.values():
        runs.sort(key=_score, reverse=True)
    return dict(sorted(found.items(), key=lambda item: -fmean(map(_score, item[1]))))


def _score(report: dict[str, Any]) -> float:
    return float(report["score"]["value"])


def tasks() -> str:
    """The tasks."""
    heads = ["task", "options", "field", "deals", "first seed", "a step, 95 %", "measured on"]
    return _table(heads, [_task(task) for task in TASKS], right=2)


def _task(task: Task) -> list[str]:
    options = ", ".join(f"{name}={value}" for name, value in task.options.items())
    measured = f"{task.step_deals:,} deals"
    step = f"{task.step.value:.4g} ± {task.step.interval:.2g}"
    return [
        f"`{task.name}`", f"`{task.game}`: {options}", task.field, f"{task.deals:,}",
        str(task.seed), step, measured,
    ]  # fmt: skip


def meanings() -> str:
    """The subjects of the tasks."""
    return "\n".join(f"- `{task.name}`: {task.meaning}." for task in TASKS)


def results() -> str:
    """A row for each agent."""
    heads = ["agent", "what", "hints", "deals", "score", *TITLES, "seconds", "machine", "date"]
    return _table(heads, [row(report) for report in reports()], right=4)


def learned() -> str:
    """The means of the methods with several runs."""
    games = [*reports()[0]["by_game"]]
    lines = [
        [name, str(len(runs)), str(_between(_score(run) for run in runs))]
        + [str(_between(run["by_game"][game]["value"] for run in runs)) for game in games]
        for name, runs in methods().items()
        if len(runs) > 1
    ]
    return _table(["method", "runs", "score", *TITLES], lines, right=1)


def _between(values: Iterator[float]) -> Mean:
    """The mean over runs, and its interval by the spread between them."""
    found = [*values]
    return Mean(fmean(found), student(len(found) - 1) * stdev(found) / sqrt(len(found)))


def by_task() -> str:
    """The earnings of each method a game, and its score."""
    found = methods()
    heads = [name if len(runs) > 1 else runs[0]["agent"] for name, runs in found.items()]
    lines = [
        [f"`{task.name}`", *(_earned(runs, number) for runs in found.values())]
        for number, task in enumerate(TASKS)
    ]
    return _table(["task", *heads], lines, right=1)


def _earned(runs: list[dict[str, Any]], number: int) -> str:
    """The earnings of a method in a task, of several runs the mean."""
    played = [run["tasks"][number] for run in runs]
    one = played[0]
    if len(runs) > 1:
        reward, score = (_between(run[of] for run in played) for of in ("reward", "score"))
        return f"{reward} ({score})"
    reward, score = (Mean(one[of], one[f"{of}_interval"]) for of in ("reward", "score"))
    several = len({other["player"] for other in runs[0]["tasks"]}) > 1
    return f"{one['player']}: {reward} ({score})" if several else f"{reward} ({score})"


def play(name: str) -> None:
    """Plays a row of `ROWS` anew, and keeps its report."""
    agent, about = ROWS[name]
    plain = benchmark.run(agent, about=about).to_dict()
    text = json.dumps(plain, indent=2, ensure_ascii=False)
    (HERE / f"suite/{name}.json").write_text(f"{text}\n", encoding="utf-8")


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], right: int) -> str:
    """A table in Markdown; columns from `right` on are to the right."""
    rule = ["---" if number < right else "---:" for number in range(len(heads))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heads, rule, *rows))


def written(page: str) -> str:
    """The page with all tables as they should be."""
    tables = {
        "tasks": tasks,
        "meanings": meanings,
        "results": results,
        "learned": learned,
        "by task": by_task,
    }
    for name, table in tables.items():
        before, begin, rest = page.partition(f"<!-- {name} -->\n")
        _, end, after = rest.partition("<!-- end -->")
        page = f"{before}{begin}\n{table()}\n\n{end}{after}"
    return page


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Writes the tables of SUITE.md.")
    parser.add_argument("rows", metavar="ROW", nargs="*", help=f"play anew: {', '.join(ROWS)}")
    given = parser.parse_args().rows
    if unknown := {*given} - {*ROWS}:
        parser.error(f"no row {min(unknown)!r}; there are {', '.join(ROWS)}")
    for name in given:
        play(name)
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
