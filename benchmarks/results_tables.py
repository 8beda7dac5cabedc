"""Writes RESULTS.md from results/.

    python benchmarks/results_tables.py            writes the page
    python benchmarks/results_tables.py --check    exits with 1 if the page differs

README.md says how the files are made. `SUBJECTS` is the order of the page.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from report import Report, Table, load, text

HERE = Path(__file__).parent
PAGE = HERE / "RESULTS.md"
RESULTS = HERE / "results"

SUBJECTS = (
    "core", "core_bots", "pictures", "gymnasium", "states", "pettingzoo", "opponents", "data",
    "peers", "pgx", "memory_use", "threads", "arena", "paired", "memory",
    "server/server", "server/server_spread", "server/server_python", "server/load",
    "server/load_calm", "server/load_sessions", "server/waits", "server/servers",
    "learning", "learning_time", "train", "exploitability",
    "agents_goals", "agents_expert_mhing", "agents_net_mhing", "agents_expert_general",
    "agents_net_general", "agents_expert_rummy", "agents_net_rummy", "agents_search",
    "agents_games",
)  # fmt: skip

HEAD = """\
# Results

<!-- `python benchmarks/results_tables.py` writes this page from results/. -->

[README.md](README.md) says what each program measures and how. Figures of two machines do not
compare. Speeds are per second of CPU time and medians of five rounds unless a note differs, and
intervals are 95 %. The commit was measured, or brought the figures here.
[SUITE.md](SUITE.md#results) has the scores of agents in `mhing benchmark`.
"""

NUMBER = re.compile(r"[-+±.,()%\d *to]*")
"""A cell that stands to the right."""


MISSED = {miss: f"**{miss}**" for miss in ("no", "in part")}
"""Goals that are not met are bold."""


def markdown(table: Table) -> Iterator[str]:
    """A table, below its title, its measurement and its command."""
    own = ", ".join(_measured(table.date, table.commit, table.machine))
    command = f"`{table.command}`" if table.command else ""
    if above := ". ".join(filter(None, [table.title and f"**{table.title}**", own, command])):
        yield f"{above}\n"
    cells = [[MISSED.get(text(cell), text(cell)) for cell in row] for row in table.rows]
    right = [all(map(NUMBER.fullmatch, column)) for column in zip(*cells, strict=True)]
    yield f"| {' | '.join(table.columns)} |"
    yield f"|{'|'.join('---:' if it else '---' for it in right)}|"
    yield from (f"| {' | '.join(row)} |" for row in cells)
    yield ""


def _measured(date: str | None, commit: str | None, machine: str | None) -> Iterator[str]:
    if date:
        yield date
    if commit:
        yield f"commit {commit}"
    if machine:
        yield machine


def section(report: Report) -> str:
    """A report as a section of the page."""
    lines = [f"## {report.title}", ""]
    commands = "; ".join(f"`{command}`" for command in report.commands)
    lines += [f"{', '.join(_measured(report.date, report.commit, report.machine))}: {commands}", ""]
    if report.note:
        lines += [report.note, ""]
    for table in report.tables:
        lines += markdown(table)
    return "\n".join(lines)


def page() -> str:
    """The whole page."""
    reports = [load(RESULTS / f"{subject}.json") for subject in SUBJECTS]
    return "\n".join([HEAD, *map(section, reports)])


def main() -> None:
    """Writes or checks it."""
    parser = argparse.ArgumentParser(description="Writes RESULTS.md from results/.")
    parser.add_argument("--check", action="store_true", help="write nothing")
    made = page()
    if not parser.parse_args().check:
        PAGE.write_text(made, encoding="utf-8")
    elif PAGE.read_text(encoding="utf-8") != made:
        sys.exit(f"{PAGE}: not what results/ gives; python benchmarks/results_tables.py")


if __name__ == "__main__":
    main()
