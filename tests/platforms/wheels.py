"""Wheels on Debian's Python 3.14, here and on ARM; those for macOS and Windows.

    python tests/platforms/wheels.py NAME...        x86_64, aarch64, macos, windows; or all: before
                                                    a release

The wheel for x86-64 is that of `.ci/wheel`. The one for ARM is built here, without the server, with
the settings of run.py: `.ci/setup all_platforms` installs what it needs. Python comes from Debian's
unstable release. It and what the wheel requires are unpacked into build/platforms, and there, under
qemu on ARM, the package is imported with warnings as errors, bots play a demonstration, and threads
play at once. cross_wheels.py says what is done for macOS and Windows. Prints a row for each; exits
with 1 when one fails.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import cross_wheels
from debian import fetch
from run import BUILDS, PLATFORMS, ROOT, Failure, settings_of

PACKAGES = ("python3.14-minimal", "libpython3.14-stdlib", "libstdc++6")
"""The last one is for NumPy."""
TESTS = ("tests/python/runtime/test_threads_apart.py", "tests/python/runtime/test_one_call.py")
GLIBC = range(17, 40)
"""Minor versions of glibc 2 whose wheels pip may take; that of Debian is newer."""


@dataclass(frozen=True)
class Machine:
    """A Python from Debian."""

    architecture: str
    """By Debian's name."""
    runner: tuple[str, ...]
    """The beginning of a command that runs a program of it; {} is its root folder."""


MACHINES = {
    "x86_64": Machine(
        "amd64",
        ("{}/usr/lib64/ld-linux-x86-64.so.2", "--library-path", "{}/usr/lib/x86_64-linux-gnu"),
    ),
    "aarch64": Machine("arm64", ("qemu-aarch64", "-L", "{}")),
}


def _run(*words: object, **environment: str) -> str:
    done = subprocess.run(
        [str(word) for word in words], cwd=ROOT, env=os.environ | environment,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise Failure(f"{' '.join(map(str, words))}\n{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout


def build(name: str, folder: Path) -> Path:
    """The wheel, which for this machine is there."""
    if name == "x86_64":
        wheels = [*(ROOT / "build/wheel/repaired").glob("mhing-*.whl")]
        if not wheels:
            raise Failure("there is no wheel: run .ci/wheel")
        return wheels[0]
    defined = [word.removeprefix("-D") for word in settings_of(PLATFORMS[name], folder)]
    words = [f"--config-settings=cmake.define.{word}" for word in defined]
    _run(
        sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "-w", folder,
        f"--config-settings=build-dir={folder / 'build'}", *words, ROOT,
        _PYTHON_HOST_PLATFORM=f"linux-{name}",
    )  # fmt: skip
    (wheel,) = folder.glob("mhing-*.whl")
    return wheel


def install(name: str, wheel: Path, target: Path) -> None:
    """The wheel and its requirements, as for a Python that pip does not run in."""
    tags = [f"manylinux_2_{minor}_{name}" for minor in GLIBC] + [f"linux_{name}"]
    _run(
        sys.executable, "-m", "pip", "install", "--target", target, "--upgrade",
        "--only-binary=:all:", "--implementation=cp", "--python-version=3.14", "--abi=cp314",
        "--abi=abi3", "--abi=none", *(f"--platform={tag}" for tag in tags), wheel, "pytest>=8",
    )  # fmt: skip


def try_out(name: str) -> None:
    """Builds, installs and runs.

    Raises:
        Failure: one of these went wrong, with its last words.
    """
    folder, machine = BUILDS / f"wheel-{name}", MACHINES[name]
    debian, target = folder / "debian", folder / "packages"
    folder.mkdir(parents=True, exist_ok=True)
    if not debian.exists():
        fetch(folder, machine.architecture, "sid", PACKAGES)
    install(name, build(name, folder), target)
    runner = [word.format(debian) for word in machine.runner]
    python = (*runner, debian / "usr/bin/python3.14", "-W", "error")
    environment = {
        "PYTHONHOME": f"{debian}/usr", "PYTHONPATH": str(target), "PYTHONDONTWRITEBYTECODE": "1"
    }  # fmt: skip
    found = _run(*python, "-c", "import platform; print(platform.machine())", **environment)
    assert found.strip() == name
    _run(*python, "-c", "import mhing", **environment)
    _run(*python, "-m", "mhing", "demo", **environment)
    _run(*python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS, **environment)


def main() -> int:
    """Runs the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    known = [*MACHINES, *cross_wheels.TARGETS]
    parser.add_argument("names", nargs="+", choices=[*known, "all"], metavar="NAME")
    given = parser.parse_args().names
    failed = False
    print("| wheel | runs | s |")
    print("|---|---|---:|")
    for name in known if "all" in given else given:
        began, runs = time.monotonic(), "yes"
        try:
            if name in cross_wheels.TARGETS:
                runs = cross_wheels.try_out(name)
            else:
                try_out(name)
        except (Failure, OSError) as error:
            failed, runs = True, "NO"
            print(f"{name}: {error}", file=sys.stderr)
        print(f"| {name} | {runs} | {time.monotonic() - began:.0f} |", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
