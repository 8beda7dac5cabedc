"""Builds the core for other platforms, runs its tests there, and compares what it computes.

    python tests/platforms/run.py NAME...           some platforms, or all: before a release
    python tests/platforms/run.py --few NAME...     without the longer tests: in CI
    python tests/platforms/run.py --list            the platforms
    python tests/platforms/run.py --packages NAME...    the Debian packages that they need

Programs for other processors run under qemu, those for Windows under Wine, WebAssembly in Node.js.
32-bit ones for x86 run directly: under qemu-i386 7.2 threads that wait for each other hang. Every
platform plays the games of tests/golden/signature.txt, and its observations, texts, draws, and
saved states and rows must have the hashes of tests/golden/bytes.txt (probe.c), which are those of
x86-64; --few computes those that say so. Prints a table; exits with 1 when a platform fails.
`.ci/setup platforms` installs what CI's three need, `.ci/setup all_platforms` the rest, but for
zig: pip install ziglang.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from debian import ROOT, Failure, run

BUILDS = ROOT / "build" / "platforms"

IN_CI = ("s390x", "i386", "wasm32")
"""Big-endian; 32-bit with its own alignment of numbers, which found most bugs; web pages."""

FEW_TARGETS = ("probe", "mhing_bench", "test_exp", "test_batch_rows", "test_runtime")
FEW_TESTS = "signature_.*|test_exp|test_batch_rows|test_runtime"
NOT_HERE = "^layers_"
"""Tests of the sources, not of what is built."""


@dataclass(frozen=True)
class Platform:
    """The build for a platform, and the runner of its programs."""

    compiler: str = "gcc"
    packages: tuple[str, ...] = ("gcc", "libc6-dev")
    flags: str = "-O3"
    system: tuple[str, str] = ("", "")
    """The system and processor of CMake; empty: this machine's."""
    emulator: str = ""
    libraries: str = ""
    """Libraries that programs are linked with beside that of C."""
    is_single: bool = False
    """True if it has neither threads nor processes, which the longer tests need."""


def _cross(triple: str, processor: str, qemu: str, package: str) -> Platform:
    emulator = f"{qemu};-L;/usr/{triple}"
    libc = processor.replace("aarch64", "arm64")
    packages = (f"gcc-{package}", f"libc6-dev-{libc}-cross", "qemu-user")
    return Platform(f"{triple}-gcc", packages, system=("Linux", processor), emulator=emulator)


_WINDOWS = ("Windows", "AMD64")

PLATFORMS = {
    "x86_64": Platform(),
    "x86_64-O0": Platform(flags="-O0 -UNDEBUG"),
    "x86_64-native": Platform(flags="-O3 -march=native"),
    "clang": Platform("clang", ("clang",)),
    "clang-native": Platform("clang", ("clang",), flags="-O3 -march=native"),
    "musl": Platform("musl-gcc", ("musl-tools",)),
    "aarch64": _cross("aarch64-linux-gnu", "aarch64", "qemu-aarch64", "aarch64-linux-gnu"),
    "i386": Platform(
        "i686-linux-gnu-gcc",
        ("gcc-i686-linux-gnu", "libc6-dev-i386-cross"),
        system=("Linux", "i686"),
        emulator="/usr/i686-linux-gnu/lib/ld-linux.so.2;--library-path;/usr/i686-linux-gnu/lib",
    ),
    "s390x": _cross("s390x-linux-gnu", "s390x", "qemu-s390x", "s390x-linux-gnu"),
    "windows-mingw": Platform(
        "x86_64-w64-mingw32-gcc",
        ("gcc-mingw-w64-x86-64", "wine", "wine64"),
        "-O3",
        _WINDOWS,
        "wine",
    ),
    "wasm32": Platform(
        "zig wasm32-wasi",
        ("nodejs",),
        "-O3 -msimd128 -D_WASI_EMULATED_PROCESS_CLOCKS",
        ("Generic", "wasm32"),
        f"node;--no-warnings;{ROOT / 'tests' / 'platforms' / 'wasi.mjs'}",
        "-lwasi-emulated-process-clocks",
        is_single=True,
    ),
    "windows-zig": Platform("zig x86_64-windows-gnu", ("wine", "wine64"), "-O3", _WINDOWS, "wine"),
}


def zig_compilers(folder: Path, target: str) -> list[str]:
    """Settings for zig's compiler, which is a program with commands; CMake wants one for each."""
    found = importlib.util.find_spec("ziglang")
    if found is None or not found.submodule_search_locations:
        raise Failure("zig is not installed: pip install ziglang")
    zig = Path(found.submodule_search_locations[0]) / "zig"
    folder.mkdir(parents=True, exist_ok=True)
    commands = {word: f"{word} -target {target}" for word in ("cc", "c++")}
    commands |= {word: word for word in ("ar", "ranlib", "rc")}
    for name, command in commands.items():
        script = folder / f"zig-{name}"
        script.write_text(f'#!/bin/sh\nexec {shlex.quote(str(zig))} {command} "$@"\n')
        script.chmod(0o755)
    names = {
        "C_COMPILER": "cc",
        "CXX_COMPILER": "c++",
        "AR": "ar",
        "RANLIB": "ranlib",
        "RC_COMPILER": "rc",
    }
    return [f"-DCMAKE_{key}={folder / f'zig-{name}'}" for key, name in names.items()]


def settings_of(platform: Platform, folder: Path) -> list[str]:
    """The settings for CMake; `folder` is for zig's scripts."""
    zig, _, target = platform.compiler.partition(" ")
    is_zig = zig == "zig"
    settings = (
        zig_compilers(folder, target) if is_zig else [f"-DCMAKE_C_COMPILER={platform.compiler}"]
    )
    settings += [
        "-DCMAKE_BUILD_TYPE=Release",
        f"-DCMAKE_C_FLAGS_RELEASE=-DNDEBUG {platform.flags}",
        "-DMHING_WERROR=ON",
        "-DMHING_SERVER=OFF",
        "-DMHING_EXTRA_GAMES=leduc",
    ]
    system, processor = platform.system
    if system:
        settings += [f"-DCMAKE_SYSTEM_NAME={system}", f"-DCMAKE_SYSTEM_PROCESSOR={processor}"]
        settings += [f"-DCMAKE_CROSSCOMPILING_EMULATOR={platform.emulator}"]
    if platform.libraries:
        settings += [f"-DCMAKE_EXE_LINKER_FLAGS={platform.libraries}"]
    return settings


def wheel_command(folder: Path, settings: Iterable[str], *more: str) -> list[object]:
    """The words after `python` that build the package's wheel in a folder, where none is left.

    `settings` are CMake's, of which the last one of a name counts; `more` are options of pip.
    """
    for old in folder.rglob("mhing-*.whl"):
        old.unlink()
    defined = dict(word.removeprefix("-D").split("=", 1) for word in settings)
    return [
        "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "-w", folder,
        f"--config-settings=build-dir={folder / 'build'}", *more,
        *(f"--config-settings=cmake.define.{key}={value}" for key, value in defined.items()), ROOT,
    ]  # fmt: skip


@dataclass(frozen=True)
class Result:
    """The results on one platform."""

    passed: int
    tests: int
    equal: bool
    build_seconds: float
    test_seconds: float
    report: str

    @property
    def ok(self) -> bool:
        """All tests pass, and there were some."""
        return 0 < self.tests == self.passed


def build_and_test(name: str, few: bool) -> Result:
    """Builds for a platform and runs its tests.

    Raises:
        Failure: it cannot be built, with the compiler's last words.
    """
    folder, short = BUILDS / name, few or PLATFORMS[name].is_single
    began = time.monotonic()
    settings = settings_of(PLATFORMS[name], BUILDS / f"zig-{name}")
    run("cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", *settings, WINEDEBUG="-all")
    targets = ("--target", *FEW_TARGETS) if short else ()
    run("cmake", "--build", folder, *targets, WINEDEBUG="-all")
    built = time.monotonic()
    probe = "probe_few" if few else "probe"
    chosen = ("-R", f"^({probe}|{FEW_TESTS})$") if short else ("-E", NOT_HERE)
    tests = ("ctest", "--test-dir", str(folder), "-j", str(os.cpu_count() or 1), *chosen)
    done = subprocess.run(
        [*tests, "--output-on-failure", "--no-tests=error"],
        cwd=ROOT, env=os.environ | {"WINEDEBUG": "-all"},
        capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    results = re.findall(r"Test +#\d+: (\S+) [.* ]+(Passed)?", done.stdout)
    passed = [test for test, is_passed in results if is_passed]
    hashed = [test for test, _ in results if re.match("probe|signature", test)]
    return Result(
        len(passed),
        len(results),
        bool(hashed) and {*hashed} <= {*passed},
        built - began,
        time.monotonic() - built,
        done.stdout if done.returncode else "",
    )


def main() -> int:
    """Runs the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="of a platform; or all, or ci")
    parser.add_argument("--few", action="store_true", help="leave the longer tests out")
    parser.add_argument("--list", action="store_true", help="print the platforms")
    parser.add_argument("--packages", action="store_true", help="print what they need")
    given = parser.parse_args()
    if given.list:
        print(*PLATFORMS, sep="\n")
        return 0
    groups = {"all": tuple(PLATFORMS), "ci": IN_CI}
    names = [name for word in given.names for name in groups.get(word, (word,))]
    unknown = [name for name in names if name not in PLATFORMS]
    if unknown or not names:
        said = f"no platform {unknown[0]!r}" if unknown else "name a platform"
        parser.exit(2, f"run.py: {said}; there are {', '.join(PLATFORMS)}, or all, or ci\n")
    if given.packages:
        print(*sorted({package for name in names for package in PLATFORMS[name].packages}))
        return 0
    return show(names, given.few)


def show(names: list[str], few: bool) -> int:
    """Prints a row for each platform as it is done; 1 when one has failed."""
    failed = 0
    print("| platform | tests passed | bytes equal | build s | tests s |")
    print("|---|---:|---|---:|---:|")
    reports = []
    for name in names:
        try:
            result = build_and_test(name, few)
        except (Failure, FileNotFoundError) as error:
            failed += 1
            reports.append(f"{name}: {error}")
            print(f"| {name} | not built | | | |", flush=True)
            continue
        failed += not result.ok
        reports += [f"{name}:\n{result.report}"] if result.report else []
        print(
            f"| {name} | {result.passed} of {result.tests} | {'yes' if result.equal else 'NO'} "
            f"| {result.build_seconds:.0f} | {result.test_seconds:.0f} |",
            flush=True,
        )
    for report in reports:
        print(f"\n{report}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
