"""Plants bugs in games, one after the other, and shows that the tests of all games notice each.

    python tests/planted/run.py                    all of them, as a table
    python tests/planted/run.py --game leduc       those of a game
    python tests/planted/run.py --bug resample     those with this in their name
    python tests/planted/run.py --list             their names

Exits with 1 if a bug is not noticed, if its place in the source is gone (tests/planted/bugs.py), or
if the tests fail without any bug. The games are built in a temporary folder: neither this folder
nor the installed package is changed. It needs CMake, Ninja and a C compiler, and what the tests do.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bugs import BUGS, Bug, NotFound
from scratch import ROOT, Failure, command, copy_package

SOURCES = ("CMakeLists.txt", "pyproject.toml", "csrc", "envs", "python/keep_lock.h")
SECRET, RULE, SHUFFLE = (
    f"tests/python/runtime/test_every_{name}.py" for name in ("secret", "rule", "shuffle")
)
LIMIT = 180
"""Seconds after which tests of a broken game are taken to hang."""


@dataclass(frozen=True)
class Verdict:
    """The verdict of the tests on a build: the first one that fails, or None."""

    caught_by: str | None
    seconds: float
    output: str


class Scratch:
    """A copy of the sources that builds one bug at a time, and the packages that come of it."""

    def __init__(self, folder: Path, games: set[str]) -> None:
        self.tree = folder / "tree"
        self.folder = folder
        self.tree.mkdir()
        for name in SOURCES:
            source = ROOT / name
            copy = shutil.copytree if source.is_dir() else shutil.copy2
            (self.tree / name).parent.mkdir(exist_ok=True)
            copy(source, self.tree / name)
        registered = (ROOT / "envs" / "games.def").read_text(encoding="utf-8")
        extra = sorted(games - set(re.findall(r"^MH_GAME\( *(\w+)", registered, re.MULTILINE)))
        command(
            *("cmake", "-S", self.tree, "-B", self.tree / "build", "-G", "Ninja"),
            *("-DSKBUILD=ON", f"-DPython_EXECUTABLE={sys.executable}", "-DMHING_SERVER=OFF"),
            *("-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS_RELEASE=-O1 -DNDEBUG"),
            f"-DMHING_EXTRA_GAMES={';'.join(extra)}",
        )

    def build(self, name: str, bug: Bug | None = None) -> Path:
        """Builds a package with the bug in it; the folder for PYTHONPATH."""
        texts = bug.planted(self.tree / "envs") if bug else {}
        sound = {path: path.read_text(encoding="utf-8") for path in texts}
        try:
            for path, text in texts.items():
                path.write_text(text, encoding="utf-8")
            command("cmake", "--build", self.tree / "build", "--target", "_core")
        finally:
            for path, text in sound.items():
                path.write_text(text, encoding="utf-8")
        package = copy_package(self.folder / name)
        (core,) = (path for path in (self.tree / "build").glob("_core*") if path.is_file())
        shutil.copy2(core, package / "mhing" / core.name)
        return package


def judge(package: Path, game: str, name: str = "") -> Verdict:
    """Runs the tests of all games on one game, up to the first failure.

    Those that the bug's name calls for come first, only so that the table says more.
    """
    rules_first = name.startswith(("rewards", "mask", "check"))
    tests = [RULE, SECRET] if rules_first else [SECRET, RULE]
    tests.insert(0 if name.startswith("shuffle") else 2, SHUFFLE)
    began = time.monotonic()
    environment = os.environ | {"PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
    words = ["-v", "-x", "--tb=short", "--color=no", "-p", "no:cacheprovider", "--game", game]
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *words, "--few", *tests],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
            timeout=LIMIT,
        )
        output, end = done.stdout, done.returncode
    except subprocess.TimeoutExpired as expired:
        output, end = (expired.stdout or b"").decode(errors="replace"), None
    seconds = time.monotonic() - began
    if end == 0:
        return Verdict(None, seconds, output)
    last = re.findall(r"^tests/python/(\S+?)\.py::(\w+)", output, re.MULTILINE)
    if not last or (end is not None and end > 1):
        raise Failure(f"{game}: the tests do not run\n{output[-3000:]}")
    how = " (hangs)" if end is None else " (crashes)" if end < 0 else ""
    shown = [test for test in last if f"{test[0]}.py::{test[1]}" in output]
    return Verdict("::".join(shown[-1]) + how, seconds, output)


def run(bugs: list[Bug], jobs: int) -> Iterator[tuple[Bug, Verdict]]:
    """The verdicts in the order of the bugs: one is built while others are tested."""
    with tempfile.TemporaryDirectory(prefix="mhing-planted-") as name:
        folder = Path(name)
        games = sorted({bug.game for bug in bugs})
        scratch = Scratch(folder, set(games))
        with ThreadPoolExecutor(jobs) as pool:
            package = scratch.build("sound")
            for game, verdict in zip(
                games, pool.map(lambda game: judge(package, game), games), strict=True
            ):
                if verdict.caught_by:
                    raise Failure(
                        f"{game}: {verdict.caught_by} fails without any bug\n"
                        f"{verdict.output[-3000:]}"
                    )
            waiting: list[tuple[Bug, Future[Verdict]]] = []
            for number, bug in enumerate(bugs):
                package = scratch.build(f"bug{number}", bug)
                waiting.append((bug, pool.submit(judge, package, bug.game, bug.name)))
                while waiting and (len(waiting) > 2 * jobs or waiting[0][1].done()):
                    done, verdict = waiting.pop(0)
                    yield done, verdict.result()
            for bug, verdict in waiting:
                yield bug, verdict.result()


def main() -> int:
    """Prints the table, or what went wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], epilog="Bugs are in tests/planted/bugs.py."
    )
    parser.add_argument("--game", help="only those planted in this game")
    parser.add_argument(
        "--bug", default="", metavar="TEXT", help="only those with TEXT in the name"
    )
    parser.add_argument("--list", action="store_true", help="print their names, and plant none")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="how many are tested at once"
    )
    given = parser.parse_args()
    bugs = [bug for bug in BUGS if given.game in (None, bug.game) and given.bug in bug.name]
    if not bugs or given.jobs < 1:
        games = ", ".join(sorted({bug.game for bug in BUGS}))
        parser.error(f"no bug is chosen (games: {games}), or jobs is less than 1")
    try:
        for bug in bugs:  # all of them at once, before anything slow
            bug.planted(ROOT / "envs")
        if given.list:
            print(*(f"{bug.game:14} {bug.name}" for bug in bugs), sep="\n")
            return 0
        return show(bugs, given.jobs)
    except (Failure, NotFound) as error:
        print(error, file=sys.stderr)
        return 1


def show(bugs: list[Bug], jobs: int) -> int:
    """Prints a line for each bug as it is judged; 1 if one was not noticed."""
    began = time.monotonic()
    width = max(len(bug.name) for bug in bugs)
    print(f"{'planted bug':{width}}  {'game':13}  seconds  caught by", flush=True)
    missed = 0
    for bug, verdict in run(bugs, jobs):
        missed += verdict.caught_by is None
        caught = verdict.caught_by or "NO TEST"
        print(f"{bug.name:{width}}  {bug.game:13}  {verdict.seconds:7.1f}  {caught}", flush=True)
    seconds = time.monotonic() - began
    print(f"{len(bugs) - missed} of {len(bugs)} planted bugs are caught, in {seconds:.0f} s")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
