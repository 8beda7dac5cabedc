"""The table of libraries: each page has its row, and the command that measures them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pages
import pytest

pytestmark = pytest.mark.once

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def bench() -> Any:
    return pages.script("benchmarks", "bench_libraries")


# ---- The page --------------------------------------------------------------------------------


def rows_of(bench: Any) -> str:
    """The lines of its table."""
    page = bench.OVERVIEW.read_text(encoding="utf-8")
    return str(page.partition(bench.BEGIN)[2].partition(bench.END)[0])


def test_every_page_of_a_library_has_a_row(bench: Any) -> None:
    """`python benchmarks/bench_libraries.py NAME` writes it."""
    table = rows_of(bench)
    rows = re.findall(r"^\| \[.+\]\((.+?)\) \|", table, re.MULTILINE)
    assert rows == [row.page for row in bench.ROWS.values()]
    linked = {page.partition("#")[0] for page in rows}
    written = {path.name for path in bench.OVERVIEW.parent.glob("*.md")}
    assert written - linked == {"index.md", "rewards.md"}


def test_what_one_types_stands_on_the_page(bench: Any) -> None:
    table = rows_of(bench)
    for row in bench.ROWS.values():
        text = pages.texts()[bench.page_of(row)]
        code = "".join(block.code for block in pages.blocks_of(row.page, text))
        for line in row.typed:
            assert line in code, f"{row.title}: {line}"
            assert f"`{line}`" in table, f"{row.title}: {line}"


def test_examples_that_learn_have_learnt(bench: Any) -> None:
    """If a page has such an example, the table has its figures, the last above the first."""
    table = rows_of(bench).splitlines()
    for row in bench.ROWS.values():
        (line,) = (line for line in table if line.startswith(f"| [{row.title}]("))
        _, alone, learning, gained, seconds, _ = line.strip("| ").split("|", 1)[1].split(" | ")
        assert int(alone.replace(",", "")) > 0
        if bench.example(row) is None:
            assert learning == gained == seconds == ""
        else:
            assert int(learning.replace(",", "")) > 0
            before, _, after = gained.partition(" → ")
            assert float(after.split()[0]) > float(before.split()[0])


def test_only_measured_rows_change(bench: Any) -> None:
    page = bench.OVERVIEW.read_text(encoding="utf-8")
    assert bench.written(page, {}) == page
    line = f"| [{bench.ROWS['sb3'].title}](stable_baselines3.md) | anew |"
    lines, changed = page.splitlines(), bench.written(page, {"sb3": line}).splitlines()
    assert len(lines) == len(changed)
    assert [new for old, new in zip(lines, changed, strict=True) if old != new] == [line]
    empty = bench.written(f"before\n{bench.BEGIN}{bench.END}\nafter\n", {"sb3": line})
    assert empty.splitlines()[-4:] == [line, "", bench.END, "after"]


# ---- The command -----------------------------------------------------------------------------


def test_an_example_is_run_and_its_lines_are_timed(
    bench: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        "import sys, time\n"
        "class Here: pass\n"
        "assert sys.modules['__main__'].Here is Here\n"
        "print('begins')\n"
        "for number in range(3):\n"
        "    print(f'{1000 * number} decisions:', f'{number - 0.5:.2f} ± 0.10 points')\n"
        "    until = time.process_time() + 0.01\n"
        "    while time.process_time() < until: pass\n"
    )
    monkeypatch.chdir(tmp_path)
    found = bench.learn(code)
    assert (found.decisions, found.before, found.after) == (2000, "-0.50 ± 0.10", "1.50 ± 0.10")
    assert found.seconds >= 0.02
    rate, gained, _ = found.cells()
    assert int(rate.replace(",", "")) == round(2000 / found.seconds)
    assert gained == "-0.50 ± 0.10 → 1.50 ± 0.10 points"


@pytest.mark.parametrize("lines", [[], ["1 decisions: 2 points"], ["1 decisions", "2 decisions:"]])
def test_an_example_that_says_too_little(bench: Any, lines: list[str]) -> None:
    with pytest.raises(ValueError, match=r"\d lines such as '2048 decisions: 1.45 points a round'"):
        bench.learnt([(0.0, line) for line in lines])


def test_an_environment_alone(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(bench.ROOT / "benchmarks")
    assert bench.rate(bench.ROWS["pettingzoo"].alone, 0.01) > 0


def test_the_command(
    bench: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """Rows that are measured are written; one whose library is missing stays."""
    page = tmp_path / "index.md"
    page.write_text(bench.OVERVIEW.read_text(encoding="utf-8"), encoding="utf-8")

    def measured(row: Any, seconds: float) -> str:
        if row.title == "Tianshou":
            raise ModuleNotFoundError("tianshou is missing")
        return f"| [{row.title}]({row.page}) | {seconds} |"

    monkeypatch.setattr(bench, "OVERVIEW", page)
    monkeypatch.setattr(bench, "measure", measured)
    assert bench.main(["tianshou", "sb3", "--seconds", "3"]) == 1
    out, err = capsys.readouterr()
    line = "| [Stable-Baselines3](stable_baselines3.md) | 3.0 |"
    assert out.splitlines()[-1] == line
    assert err == "tianshou: tianshou is missing; its row stays as it is\n"
    assert line in page.read_text(encoding="utf-8")


def test_bad_input_and_help(bench: Any, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as end:
        bench.main(["sb4"])
    assert end.value.code == 2
    _, err = capsys.readouterr()
    assert "no row 'sb4'; there are gymnasium, pettingzoo, supersuit, sb3, " in err
    with pytest.raises(SystemExit) as end:
        bench.main(["--help"])
    assert end.value.code == 0
    assert ", ".join(bench.ROWS) in " ".join(capsys.readouterr().out.split())
