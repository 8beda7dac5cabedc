"""Writes the tables of SUITE.md: the tasks as they are declared, and the reports in suite/.

    python benchmarks/suite_tables.py          from the reports as they are
    python benchmarks/suite_tables.py net      after all tasks were played anew for this row

A report is what `mhing benchmark AGENT --json` prints, with all tasks and all deals. Rows of agents
that the package does not have are made by that command.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import mhing
from mhing.arena import benchmark
from mhing.arena.benchmark import row
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
    found = [json.loads(path.read_text(encoding="utf-8")) for path in HERE.glob("suite/*.json")]
    return sorted(found, key=lambda report: (-report["score"]["value"], report["agent"]))


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
    """What the tasks are about."""
    return "\n".join(f"- `{task.name}`: {task.meaning}." for task in TASKS)


def results() -> str:
    """A row for each agent."""
    heads = ["agent", "what", "hints", "score", *TITLES, "seconds", "machine", "date"]
    return _table(heads, [row(report) for report in reports()], right=3)


def by_task() -> str:
    """What each agent earned a game, and its score."""
    agents = reports()
    lines = []
    for number, task in enumerate(TASKS):
        cells = [f"`{task.name}`"]
        for report in agents:
            one = report["tasks"][number]
            earned = Mean(one["reward"], one["reward_interval"])
            played = f"{earned} ({Mean(one['score'], one['score_interval'])})"
            several = len({other["player"] for other in report["tasks"]}) > 1
            cells.append(f"{one['player']}: {played}" if several else played)
        lines.append(cells)
    return _table(["task", *(report["agent"] for report in agents)], lines, right=1)


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
    tables = {"tasks": tasks, "meanings": meanings, "results": results, "by task": by_task}
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
