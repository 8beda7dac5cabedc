"""Lines of the core, the server and the games that the tests reach.

    python tests/coverage.py            builds build/coverage, runs the tests, prints the figures
    python tests/coverage.py --no-run   the figures of the last run once more

It runs the C tests with the corpora of tests/fuzz, and the Python tests of the server, whose
sockets, keys and command line C tests do not reach. Fails when less than 90 % of the lines of the
core or of the server are reached, or when a function of theirs has lines that nothing reaches and
is not in tests/unreached.txt, which says why: FILE:FUNCTION: REASON on each line.

Needs gcovr, in the extra ``test``.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build" / "coverage"
REPORT = BUILD / "coverage.json"
UNREACHED = ROOT / "tests" / "unreached.txt"
LEAST = 90.0
"""Percent of the lines."""

PARTS: dict[str | None, str] = {"server": "csrc/server/", "core": "csrc/", "games": "envs/"}
"""By the beginning of a file's path; the first that fits counts."""
DEMANDED = ("server", "core")

CONFIGURE = [
    "cmake", "-S", ".", "-B", str(BUILD), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
    "-DMHING_SANITIZE=none", "-DMHING_SERVER=ON", "-DMHING_EXTRA_GAMES=leduc",
    "-DCMAKE_C_FLAGS=--coverage -O1",
]  # fmt: skip
SERVER_TESTS = (
    "admin", "adversity", "bots", "command", "curve", "drain", "guests", "hostile", "memory",
    "metrics", "once", "pictures", "seen",
)  # fmt: skip


def run(*command: str, **environment: str) -> None:
    """Runs a command in the repository; its output is shown when it fails."""
    done = subprocess.run(
        command, check=False, cwd=ROOT, capture_output=True, text=True,
        env=os.environ | environment,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout[-8000:]}{done.stderr[-4000:]}")


def run_tests() -> None:
    """Builds and runs all that counts; what earlier runs reached is forgotten."""
    run(*CONFIGURE)
    run("cmake", "--build", str(BUILD))
    for count in BUILD.rglob("*.gcda"):
        count.unlink()
    run(
        "ctest",
        "--test-dir",
        str(BUILD),
        "-j2",
        "-E",
        "^(layers|signature)_",
        "--output-on-failure",
    )
    files = [f"tests/python/server/test_server_{name}.py" for name in SERVER_TESTS]
    server = str(BUILD / "mhing-server")
    run(sys.executable, "-m", "pytest", "-q", "-n", "2", *files, MHING_TEST_SERVER=server)
    run(
        "gcovr", "--root", ".", "--filter", "csrc/", "--filter", "envs/",
        "--exclude", "csrc/draw/tables/",  # runs during the build; test_art_files.py tries it
        "--gcov-ignore-parse-errors=negative_hits.warn_once_per_file", "--json", str(REPORT),
        str(BUILD),
    )  # fmt: skip


def part_of(path: str) -> str | None:
    """The part that a file belongs to."""
    return next((name for name, begin in PARTS.items() if path.startswith(begin)), None)


def known() -> dict[str, str]:
    """The reasons of the list, by file and function."""
    lines = [line for line in UNREACHED.read_text().splitlines() if line and line[0] != "#"]
    return {f"{file}:{function}": reason for file, function, reason in map(_entry, lines)}


def _entry(line: str) -> list[str]:
    entry = line.split(":", 2)
    if len(entry) != 3 or not entry[2].strip():
        sys.exit(f"{UNREACHED.name}: {line!r} is not FILE:FUNCTION: REASON")
    return entry


def main() -> int:
    """Prints the figures; 1 when too few lines are reached, or some without a reason."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--no-run", action="store_true", help="read the last run's report")
    if not parser.parse_args().no_run:
        run_tests()
    lines: Counter[str | None] = Counter()
    reached: Counter[str | None] = Counter()
    missing: dict[str, list[int]] = defaultdict(list)
    for file in json.loads(REPORT.read_text())["files"]:
        part = part_of(file["file"])
        for line in counted(file) if part else ():
            lines[part] += 1
            reached[part] += line["count"] > 0
            if part in DEMANDED and line["count"] == 0:
                missing[f"{file['file']}:{function_of(file, line)}"].append(line["line_number"])
    for part in PARTS:
        share = 100 * reached[part] / max(lines[part], 1)
        print(f"{part}: {reached[part]} of {lines[part]} lines, {share:.1f} %")
    reasons = known()
    for place in sorted(reasons.keys() - missing.keys()):
        print(f"reached now, and no longer to be listed: {place}")
    odd = sorted(missing.keys() - reasons.keys())
    for place in odd:
        print(f"not reached, and no reason given: {place}: lines {missing[place]}")
    low = [part for part in DEMANDED if 100 * reached[part] < LEAST * lines[part]]
    if low:
        print(f"below {LEAST:g} %: {', '.join(low)}")
    return 1 if low or odd else 0


def function_of(file: dict[str, Any], line: dict[str, Any]) -> str:
    """The name of a line's function, which gcov does not know where all calls are inlined."""
    name = str(line.get("function_name"))
    first = re.fullmatch(r"<unknown function (\d+)>", name)
    if first:
        text = (ROOT / file["file"]).read_text().splitlines()[int(first[1]) - 1]
        name = text.partition("(")[0].rpartition(" ")[2].lstrip("*")
    return name


def counted(file: dict[str, Any]) -> list[dict[str, Any]]:
    """The lines of a file that are code, each once, however often it was compiled."""
    by_number: dict[int, dict[str, Any]] = {}
    for line in file["lines"]:
        number = line["line_number"]
        if number not in by_number or by_number[number]["count"] < line["count"]:
            by_number[number] = line
    return list(by_number.values())


if __name__ == "__main__":
    sys.exit(main())
