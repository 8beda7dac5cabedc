"""Makes mutants of the core and the games by machine, and shows which of them no test notices.

    python tests/mutants/run.py --sample 200             of all, at random
    python tests/mutants/run.py --area check resample    of these areas; --list shows the areas
    python tests/mutants/run.py --in envs/mhing/score.c  of files whose path begins so
    python tests/mutants/run.py --find "score.c:30:"     whose id has this in it
    python tests/mutants/run.py --list                   prints them instead
    python tests/mutants/run.py                          all of them: half a day

A mutant is a change of one place in csrc/ or envs/ that is nearly always a bug (mutate.py). Each is
built on its own (build.py), and tests run until one fails, the fastest first: golden bytes and
signatures, then the C tests, then the Python tests that reach the file (tests_of). What the
compiler makes the same of is none; those in equivalent.txt are known to change nothing that
matters, and why. Exits with 1 when more than the goal survive in what is demanded, when a reason in
equivalent.txt has lost its mutant, or when a test fails without any.

Needs tree-sitter, in the extra ``test``, CMake, Ninja and a C compiler. Nothing outside of
build/mutants is changed.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from build import BUILD, LIBRARY, Core, Test
from mutate import Mutant, mutants_of
from scratch import ROOT, Failure  # of tests/planted, which build.py has added to the path

GAMES = ("mhing", "general_mhing", "mexican_rummy")
NOT_CORE = ("draw", "include", "server")
"""Folders of csrc beside those of the core."""
EQUIVALENT = Path(__file__).with_name("equivalent.txt")
GOAL = 2.0
"""Percent of the mutants of DEMANDED that may survive."""

AREAS = {
    "rules": "round legal match turns cards hand kinds position melds " + " ".join(GAMES),
    "scoring": "score arrange credits",
    "resample": "resample",
    "check": "check check_game check_rounds",
    "observe": "observe",
    "features": "features hints outlook plans distance race solve plan",
    "bots": "bots greedy expert player",
    "texts": "report read",
    "shown": "check_shown words say_event picture declared",
}
"""Names of files in games' folders by area; all else is the core."""
DEMANDED = ("rules", "scoring", "resample", "check", "observe", "features")

PYTHON = (
    "golden every_rule every_game from_dict observation exact_numbers every_secret cases sheet "
    "event_numbers bounds every_shuffle extremes bots values afterstates play_outs nets search "
    "vector vector_guests earlier_rounds information_state"
)
"""The Python tests of all games that ask something of the core, by names: FOLDER/test_NAME.py."""
PYTHON_OF_GAME = ("rules/test_{}*.py", "games/{}/test_*.py")
"""Those of one game, by places."""
SELECTED = {
    None: "",
    "mhing": "not general_mhing and not mexican_rummy and not leduc",
    "general_mhing": "not (mhing and not general_mhing) and not mexican_rummy and not leduc",
    "mexican_rummy": "not mhing and not leduc",
}
"""Those of them that name no other game, as pytest takes it."""
MEMORY = 8 << 30
"""Bytes for each process: a mutant may ask for any number."""


@dataclass(frozen=True)
class Verdict:
    """The fate of a mutant."""

    mutant: Mutant
    end: str
    """The tests that killed it: golden, C or Python; or same, equivalent, survived."""
    test: str
    seconds: float


def area_of(file: str) -> str:
    """The area of a file by AREAS."""
    path = Path(file)
    if path.parts[0] == "csrc":
        return "core"
    return next(area for area, names in AREAS.items() if path.stem in names.split())


def game_of(file: str) -> str | None:
    """The game that a file belongs to."""
    return Path(file).parts[1] if file.startswith("envs/") else None


def all_mutants() -> list[Mutant]:
    """Those of all files."""
    csrc = ROOT / "csrc"
    core = [path for path in csrc.iterdir() if path.is_dir() and path.name not in NOT_CORE]
    games = [ROOT / "envs" / game / part for game in GAMES for part in ("", "bots")]
    folders = (csrc, *sorted(core), *games)
    paths = [path for folder in folders for path in sorted(folder.glob("*.[chi]*"))]
    files = [str(path.relative_to(ROOT)) for path in paths]
    return [mutant for file in files for mutant in mutants_of(ROOT, file)]


def known() -> dict[tuple[str, ...], str]:
    """The reasons of equivalent.txt: blocks of file and function, line, change and reason."""
    text = re.sub(r"^#.*\n", "", EQUIVALENT.read_text(encoding="utf-8"), flags=re.MULTILINE)
    blocks = [
        [line.strip() for line in block.strip().splitlines()]
        for block in text.split("\n\n")
        if block.strip()
    ]
    for block in blocks:
        if len(block) < 4:
            raise Failure(f"{EQUIVALENT.name}: not FILE FUNCTION, line, change, reason: {block}")
    return {tuple(block[:3]): " ".join(block[3:]) for block in blocks}


def drawn(mutants: list[Mutant], seed: int, count: int | None) -> list[Mutant]:
    """Some at random. Each has its own draw, so that a change elsewhere draws the same ones."""

    def rank(mutant: Mutant) -> bytes:
        return hashlib.sha256(repr((seed, mutant.key)).encode()).digest()

    return sorted(mutants, key=rank)[:count]


# ---- Tests ---------------------------------------------------------------------------------------


class Judge:
    """Runs tests over a core."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._running: set[subprocess.Popen[str]] = set()
        self._lock = threading.Lock()
        self._sound_seconds: dict[str, float] = {}
        self._sound_work: dict[str, float] = {}
        self._sound: dict[str, bool] = {}
        for test in core.tests():
            began, before = time.monotonic(), _work()
            if not self._passes(test, core.sound, 600):
                raise Failure(f"{test.name} fails without any mutant")
            self._sound_seconds[test.name] = time.monotonic() - began
            self._sound_work[test.name] = _work() - before
        self._tests = core.tests()

    def by_c(self, mutant: Mutant, folder: Path) -> Verdict | None:
        """The verdict of C tests; None if it is no C. The core is kept where all of them pass."""
        began = time.monotonic()
        different = self._core.build(mutant, folder)
        if different is None:
            return None
        end, test = self._killed(mutant, folder) if different else ("same", "")
        if end == "survived":
            kept = _kept(mutant)
            kept.mkdir(parents=True, exist_ok=True)
            shutil.copy2(folder / LIBRARY, kept / LIBRARY)
        return Verdict(mutant, end, test, time.monotonic() - began)

    def by_python(self, mutant: Mutant) -> Verdict:
        """The verdict of Python tests on one that C tests let pass."""
        began = time.monotonic()
        game = game_of(mutant.file)
        test = self._failing(python_tests(game), game, _kept(mutant))
        end = "Python" if test else "survived"
        return Verdict(mutant, end, test, time.monotonic() - began)

    def stop(self) -> None:
        """Ends all tests that run."""
        with self._lock:
            for process in self._running:
                _end(process)

    def _killed(self, mutant: Mutant, folder: Path) -> tuple[str, str]:
        game = game_of(mutant.file)
        tests = sorted(
            (test for test in self._tests if not _is_of_another(test.name, game)),
            key=lambda test: (not _is_golden(test), self._sound_seconds[test.name]),
        )
        for test in tests:
            limit = 10 * self._sound_seconds[test.name] + 10
            if not self._passes(self._limited(test, game), folder, limit):
                return "golden" if _is_golden(test) else "C", test.name
        return "survived", ""

    def _limited(self, test: Test, game: str | None) -> Test:
        """The part of a test that a game can change, with five times the work it needs: a mutant
        may have no end."""
        part = (game,) if game and test.name == "probe" else ()
        work = int(5 * self._sound_work[test.name]) + 2
        return replace(test, command=_working((*test.command, *part), work))

    def _passes(self, test: Test, folder: Path, limit: float) -> bool:
        status, output = self._run(test.command, folder, limit)
        return bool(re.search(test.expected, output)) if test.expected else status == 0

    def _failing(self, tests: list[str], game: str | None, folder: Path) -> str:
        """The first Python test that fails with this core and passes with the sound one, or ""."""
        words = ["-v", "-x", "--tb=short", "--color=no", "-p", "no:cacheprovider"]
        command = (sys.executable, "-m", "pytest", *words, "-k", SELECTED[game], *tests)
        status, output = self._run(_working(command, 1200), folder, 7200)
        if status == 0:
            return ""
        last = re.findall(
            r"^(tests/python/\S+?::.*?)(?: (?:PASSED|FAILED|ERROR).*)?$", output, re.MULTILINE
        )
        if not last:
            raise Failure(f"the tests do not run\n{output[-3000:]}")
        test = str(last[-1]).rstrip()
        with self._lock:
            is_new = test not in self._sound
            self._sound[test] = True
        if is_new:
            status, output = self._run(
                (sys.executable, "-m", "pytest", *words, test), self._core.sound, 900
            )
            if status:
                raise Failure(f"{test} fails without any mutant\n{output[-3000:]}")
        return test

    def _run(self, command: tuple[str, ...], folder: Path, limit: float) -> tuple[int, str]:
        added = {"LD_LIBRARY_PATH": str(folder), "PYTHONPATH": str(self._core.package)}
        process = subprocess.Popen(
            command, cwd=ROOT, env=os.environ | added | {"PYTHONDONTWRITEBYTECODE": "1"},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            text=True, errors="replace", start_new_session=True,
        )  # fmt: skip
        with self._lock:
            self._running.add(process)
        try:
            output, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            _end(process)
            output, _ = process.communicate()
        finally:
            with self._lock:
                self._running.discard(process)
        return process.returncode, output


def _end(process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _kept(mutant: Mutant) -> Path:
    return BUILD / "kept" / hashlib.sha256(repr(mutant.key).encode()).hexdigest()[:16]


def _is_golden(test: Test) -> bool:
    return test.name == "probe" or test.name.startswith("signature_")


def _work() -> float:
    """Seconds that processors have worked for tests: other work beside does not change them."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _working(command: tuple[str, ...], seconds: int) -> tuple[str, ...]:
    """A command that ends when it has worked for so long."""
    return ("sh", "-c", f'ulimit -t {seconds}; exec "$@"', "sh", *command)


def _is_of_another(name: str, game: str | None) -> bool:
    """Return whether a C test is one of another game."""
    named = re.fullmatch(f"(?:signature|test|fuzz)_({'|'.join(GAMES)}|leduc)(?:_.*)?", name)
    return bool(game and named and named[1] != game)


def python_tests(game: str | None) -> list[str]:
    """The files of Python tests that reach a game, or the core if None, in their order."""
    places = [place.format(one) for one in ([game] if game else GAMES) for place in PYTHON_OF_GAME]
    places += [f"*/test_{name}.py" for name in PYTHON.split()]
    found = []
    for place in places:
        paths = sorted((ROOT / "tests/python").glob(place))
        if not paths:
            raise Failure(f"tests/python has no {place}")
        found += [str(path.relative_to(ROOT)) for path in paths]
    return found


# ---- The command ---------------------------------------------------------------------------------


def judged(mutants: list[Mutant], jobs: int) -> list[Verdict]:
    """Return the verdicts, and print each as soon as it is known; after Ctrl-C, those known so far.

    Python tests take longest, so they come last, for mutants that all others have let pass.
    """
    BUILD.mkdir(parents=True, exist_ok=True)
    lock = (BUILD / "lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise Failure(f"another run is at work in {BUILD}") from error
    judge = Judge(Core())
    folders = [BUILD / f"job{number}" for number in range(jobs)]
    verdicts: list[Verdict] = []
    left: list[Mutant] = []

    def by_c(mutant: Mutant) -> Verdict | None:
        folder = folders.pop()
        try:
            return judge.by_c(mutant, folder)
        finally:
            folders.append(folder)

    with ThreadPoolExecutor(jobs) as pool:
        try:
            for number, verdict in enumerate(pool.map(by_c, mutants), 1):
                if verdict:
                    say(verdict, f"{number}/{len(mutants)}", "no C test")
                    if verdict.end == "survived":
                        left.append(verdict.mutant)
                    else:
                        verdicts.append(verdict)
            for number, verdict in enumerate(pool.map(judge.by_python, left), 1):
                say(verdict, f"{number}/{len(left)}", "no test")
                verdicts.append(verdict)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            judge.stop()
    return verdicts


def say(verdict: Verdict, number: str, nothing: str) -> None:
    """Prints a verdict in a line."""
    end = nothing if verdict.end == "survived" else verdict.end
    by = f" by {verdict.test}" if verdict.test else ""
    shown = f"{verdict.mutant.id}  `{verdict.mutant.text}`"
    print(f"{number} {verdict.seconds:5.1f} s  {end}{by}: {shown}", flush=True)


ENDS = ("same", "golden", "C", "Python", "equivalent", "survived")


def table(verdicts: list[Verdict]) -> str:
    """The numbers of fates by area, in Markdown."""
    rows = [
        "| area | mutants | same code | golden | C tests | Python tests | equivalent | survived |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for area in (*AREAS, "core", "all"):
        of_area = [v for v in verdicts if area in ("all", area_of(v.mutant.file))]
        if of_area:
            count = Counter(verdict.end for verdict in of_area)
            cells = [len(of_area), *(count[end] for end in ENDS)]
            rows.append(f"| {area} | {' | '.join(map(str, cells))} |")
    return "\n".join(rows)


def share(verdicts: list[Verdict]) -> float:
    """Percent that survive in what is demanded."""
    count = Counter(v.end for v in verdicts if area_of(v.mutant.file) in DEMANDED)
    return 100 * count["survived"] / max(count.total() - count["same"] - count["equivalent"], 1)


def main() -> int:
    """Runs the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sample", type=int, metavar="N", help="as many, at random")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (%(default)s)")
    parser.add_argument("--area", nargs="+", choices=(*AREAS, "core"), help="only of these")
    parser.add_argument("--in", dest="files", nargs="+", metavar="PATH", help="only of these")
    parser.add_argument("--find", default="", metavar="TEXT", help="only those with it in their id")
    parser.add_argument("--list", action="store_true", help="print them, and make none")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what became of each")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="at the same time")
    given = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        return run(given)
    except Failure as error:
        print(error, file=sys.stderr)
        return 1


def run(given: argparse.Namespace) -> int:
    """The wishes of the command line."""
    mutants = all_mutants()
    reasons = known()
    lost = reasons.keys() - {mutant.key for mutant in mutants}
    for key in sorted(lost):
        print(f"{EQUIVALENT.name}: there is no such mutant: {' | '.join(key)}")
    chosen = [
        mutant
        for mutant in mutants
        if (not given.area or area_of(mutant.file) in given.area)
        and (not given.files or mutant.file.startswith(tuple(given.files)))
        and given.find in mutant.id
    ]
    chosen = drawn(chosen, given.seed, given.sample) if given.sample else chosen
    if given.list:
        print(
            *(f"{area_of(mutant.file)}  {mutant.id}  `{mutant.text}`" for mutant in chosen),
            sep="\n",
        )
        return 1 if lost else 0
    began = time.monotonic()
    verdicts = [Verdict(m, "equivalent", "", 0.0) for m in chosen if m.key in reasons]
    verdicts += judged([m for m in chosen if m.key not in reasons], given.jobs)
    if given.json:
        entries = [
            {"id": v.mutant.id, "key": v.mutant.key, "end": v.end, "test": v.test} for v in verdicts
        ]
        given.json.write_text(json.dumps(entries, indent=1))
    print(f"\n{table(verdicts)}\n")
    for verdict in verdicts:
        if verdict.end == "survived":
            print("\n    ".join((f"survived: {verdict.mutant.id}", *verdict.mutant.key)))
    percent = share(verdicts)
    print(f"{percent:.1f} % survive in {', '.join(DEMANDED)}; {time.monotonic() - began:.0f} s")
    return 1 if lost or percent > GOAL else 0


if __name__ == "__main__":
    sys.exit(main())
