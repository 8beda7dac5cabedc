"""Fuzzes all that reads what others wrote: the C targets under libFuzzer, then those of Python.

    python tests/fuzz/run.py                        2 seconds each, for CI
    python tests/fuzz/run.py --seconds 3600         an hour each, before a release
    python tests/fuzz/run.py --seconds 600 --keep   what was found that is new goes into the corpora

It builds the C targets in build/fuzz with clang, AddressSanitizer and UBSan, and replays each
corpus first: tests/fuzz/corpus/TARGET.zip, which CMake unpacks to build/fuzz/corpus. Inputs that
fail are kept in build/fuzz/failures. ``.ci/setup build server fuzz`` installs missing packages.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "tests" / "fuzz"
BUILD = ROOT / "build" / "fuzz"
CORPUS = BUILD / "corpus"
FAILURES = BUILD / "failures"

CONFIGURE = [
    "cmake", "-S", ".", "-B", str(BUILD), "-DCMAKE_C_COMPILER=clang", "-DMHING_FUZZ=ON",
    "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DMHING_SANITIZE=address", "-DMHING_SERVER=ON",
    "-DMHING_EXTRA_GAMES=leduc", "-G", "Ninja",
]  # fmt: skip
LIMITS = ["-max_len=4096", "-timeout=20", "-rss_limit_mb=2048", "-print_final_stats=1"]
LARGEST = 200_000
"""Bytes of a corpus in the repository."""


def build(targets: list[str]) -> None:
    """Builds the C targets."""
    for command in (CONFIGURE, ["cmake", "--build", str(BUILD), "--target", *targets]):
        done = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


def fuzz(target: str, seconds: int, found: Path) -> bool:
    """Runs a C target; what it finds that is new goes to the folder `found`."""
    log = BUILD / f"{target}.log"
    command = [
        str(BUILD / target), f"-max_total_time={seconds}", *LIMITS,
        f"-artifact_prefix={FAILURES}/{target}-", str(found), str(CORPUS / target),
    ]  # fmt: skip
    with log.open("w") as file:
        status = subprocess.run(
            command, check=False, stdout=file, stderr=subprocess.STDOUT
        ).returncode
    text = log.read_text(errors="replace")
    runs = re.search(r"number_of_executed_units: (\d+)", text)
    covered = re.findall(r"cov: (\d+)", text)
    files = len(list((CORPUS / target).iterdir()))
    print(
        f"{target}: {files} files, {runs[1] if runs else '?'} inputs, "
        f"{covered[-1] if covered else '?'} edges, {'failed' if status else 'no failure'}",
        flush=True,
    )
    if status:
        print(text[-6000:])
    return status == 0


def archive(path: Path, inputs: dict[str, bytes]) -> None:
    """Writes a corpus; the same inputs give the same bytes.

    Git compresses the archive, so nothing in it is compressed: zlib's versions differ in the bytes.
    """
    with zipfile.ZipFile(path, "w") as file:
        for name in sorted(inputs):
            entry = zipfile.ZipInfo(name)  # dated 1980
            entry.create_system = 3  # Unix, on every system
            file.writestr(entry, inputs[name])


def keep(target: str, found: Path) -> None:
    """Adds to the corpus those new inputs that reach code which its files do not."""
    corpus = CORPUS / target
    with tempfile.TemporaryDirectory() as folder:
        merge = [str(BUILD / target), "-merge=1", "-use_counters=0", *LIMITS]
        subprocess.run([*merge, folder, str(corpus), str(found)], check=True, capture_output=True)
        inputs = {path.name: path.read_bytes() for path in corpus.iterdir()}
        have = set(inputs.values())
        new = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
        inputs |= {name: data for name, data in new.items() if data not in have}
    archive(SOURCES / "corpus" / f"{target}.zip", inputs)
    size = sum(map(len, inputs.values()))
    if size > LARGEST:
        print(f"{target}: its corpus has {size} bytes; {LARGEST} are the most that are kept")


def main() -> int:
    """Runs the targets of the command line."""
    in_c = sorted(path.stem for path in SOURCES.glob("fuzz_*.c"))
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("targets", nargs="*", help=f"of {', '.join(in_c)}; none: all, and Python's")
    parser.add_argument("--seconds", type=int, default=2, help="for each target")
    parser.add_argument("--keep", action="store_true", help="add what is new to the corpora")
    args = parser.parse_args()
    targets = args.targets or in_c
    if unknown := set(targets) - set(in_c):
        parser.error(f"{unknown.pop()} is none of {', '.join(in_c)}")
    build(targets)
    FAILURES.mkdir(exist_ok=True)
    passed = True
    for target in targets:
        with tempfile.TemporaryDirectory() as found:
            passed &= fuzz(target, args.seconds, Path(found))
            if args.keep:
                keep(target, Path(found))
    if not args.targets:
        python = [sys.executable, str(SOURCES / "fuzz_python.py"), "--seconds", str(args.seconds)]
        python += ["--keep", str(FAILURES)]
        passed &= subprocess.run(python, check=False).returncode == 0
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
