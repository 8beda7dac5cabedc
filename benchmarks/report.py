"""Reports of benchmarks: tables on the terminal, and the JSON that RESULTS.md is made from.

    python benchmarks/bench_states.py 1 --json benchmarks/results/states.json
    python benchmarks/report.py benchmarks/results/core.json -- build/release/benchmarks/bench 1

The second command runs a program in C and reads its tables. A line without a tab is the title of
the table below it; lines with tabs are the table, the first of them its columns.

Figures replace those of a file that exists; its title and its note stay, since people write them.
Numbers keep their digits: 9.70 is 9.70 in the file and on the page. bench_load.py runs in Python
alone, so the package is imported only when a file is written.
"""

from __future__ import annotations

import argparse
import datetime
import json
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeAlias

Cell: TypeAlias = str | int | Decimal | None


@dataclass(frozen=True)
class Table:
    """Rows of cells under their columns."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    title: str = ""
    command: str | None = None
    """The commands that printed it; None: the commands of the report. Likewise below."""
    date: str | None = None
    commit: str | None = None
    machine: str | None = None


@dataclass(frozen=True)
class Report:
    """A subject of RESULTS.md: its tables, and where and when they were measured."""

    title: str
    note: str
    commands: list[str]
    date: str
    commit: str | None
    machine: str | None
    tables: list[Table]


def figure(value: float, digits: int = 0) -> Decimal:
    """A number with so many digits after the point."""
    return Decimal(f"{value:.{digits}f}")


def met(is_met: bool) -> str:
    """The cell that says whether a goal is reached."""
    return "yes" if is_met else "no"


def text(cell: Cell) -> str:
    """A cell as readers see it."""
    if cell is None or isinstance(cell, str):
        return cell or ""
    return f"{cell:,}"


# ---- Files -----------------------------------------------------------------------------------


def load(path: Path) -> Report:
    """Reads a report."""
    plain = json.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
    tables = [Table(**table) for table in plain.pop("tables")]
    return Report(**plain, tables=tables)


def dump(report: Report) -> str:
    """The JSON of a report, with a line for each row."""
    plain = asdict(report)
    tables = ",\n".join(map(_dump_table, plain.pop("tables")))
    head = json.dumps(plain, indent=2, ensure_ascii=False).removesuffix("\n}")
    return f'{head},\n  "tables": [\n{tables}\n  ]\n}}\n'


def _dump_table(table: dict[str, Any]) -> str:
    rows = ",\n".join(f"        {_dump_row(row)}" for row in table.pop("rows"))
    columns = _dump_row(table.pop("columns"))
    named = [f'"{name}": {json.dumps(it, ensure_ascii=False)}' for name, it in table.items() if it]
    parts = [*named, f'"columns": {columns}', f'"rows": [\n{rows}\n      ]']
    return f"    {{\n      {f',{chr(10)}      '.join(parts)}\n    }}"


def _dump_row(row: Iterable[Cell]) -> str:
    cells = (str(c) if isinstance(c, Decimal) else json.dumps(c, ensure_ascii=False) for c in row)
    return f"[{', '.join(cells)}]"


def save(path: Path, command: str, tables: list[Table]) -> None:
    """Writes the figures of this machine and commit."""
    from mhing.machine import machine  # noqa: PLC0415  # see the top

    git = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    found = subprocess.run(git, check=False, capture_output=True, text=True)
    commit = found.stdout.strip() or None  # a copy without its history has none
    today = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    report = Report(path.stem, "", [command], today, commit, machine(), tables)
    if path.exists():
        old = load(path)
        report = replace(report, title=old.title, note=old.note)
    path.write_text(dump(report), encoding="utf-8")


# ---- Programs --------------------------------------------------------------------------------


def parser(doc: str | None) -> argparse.ArgumentParser:
    """A parser with the option that all programs have; `doc` is their text at the top."""
    made = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as well")
    return made


def run(
    doc: str | None, tables: Callable[[Any], list[Table]], default: float, what: str = "seconds"
) -> None:
    """Runs a program that takes one number: seconds of each measurement, or what `what` says."""
    made = parser(doc)
    made.add_argument(what, type=type(default), nargs="?", default=default, help=f"({default})")
    given = made.parse_args()
    finish(given, tables(getattr(given, what)))


def finish(arguments: argparse.Namespace, tables: list[Table]) -> None:
    """Prints tables, and writes them where --json says so."""
    for table in tables:
        print(*lines(table), sep="\n")
    if arguments.json:
        given = sys.argv[1:]
        if "--json" in given:
            at = given.index("--json")
            del given[at : at + 2]
        program = f"benchmarks/{Path(sys.argv[0]).name}"
        save(arguments.json, shlex.join(["python", program, *given]), tables)


def lines(table: Table) -> Iterator[str]:
    """A table for a terminal."""
    cells = [[*table.columns], *([text(cell) for cell in row] for row in table.rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    if table.title:
        yield f"\n{table.title}"
    for row in cells:
        first, *rest = zip(row, widths, strict=True)
        yield "  ".join([first[0].ljust(first[1]), *(cell.rjust(wide) for cell, wide in rest)])


def read_tables(output: str) -> list[Table]:
    """The tables that a program in C has printed."""
    tables: list[Table] = []
    title = ""
    above = False
    for line in output.splitlines():
        cells = [cell.strip() for cell in line.split("\t")]
        if len(cells) == 1:
            title = cells[0] or title
        elif above:
            tables[-1] = replace(tables[-1], rows=[*tables[-1].rows, [*map(_cell, cells)]])
        else:
            tables.append(Table(cells, [], title))
        above = len(cells) > 1
    return tables


def _cell(word: str) -> Cell:
    try:
        return Decimal(word)
    except ArithmeticError:
        return word or None


def main() -> None:
    """Runs a program in C; shows what it prints, and writes its tables."""
    made = argparse.ArgumentParser(description="Writes the tables that a program in C prints.")
    made.add_argument("file", type=Path, metavar="FILE", help="benchmarks/results/NAME.json")
    made.add_argument("command", nargs="+", metavar="COMMAND", help="after --")
    arguments = made.parse_args()
    output = []
    with subprocess.Popen(arguments.command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            output.append(line)
    if process.returncode:
        sys.exit(process.returncode)
    save(arguments.file, shlex.join(arguments.command), read_tables("".join(output)))


if __name__ == "__main__":
    main()
