"""The core with one mutant in it at a time, for C tests, benchmarks and the Python package.

All of the core is one shared library here. A mutant is another one, of which only what its file
takes part in is compiled; programs and package find it by LD_LIBRARY_PATH. What programs compile
of headers themselves, and tables that are made during the build, stay as they are.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from mutate import Mutant

sys.path.append(str(Path(__file__).parents[1] / "planted"))

from scratch import ROOT, command, copy_package

BUILD = ROOT / "build" / "mutants"
LIBRARY = "libmhing_core.so"
SETTINGS = (
    "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS_RELEASE=-O1 -DNDEBUG", "-DMHING_SERVER=OFF",
    "-DMHING_EXTRA_GAMES=leduc", f"-DPython_EXECUTABLE={sys.executable}",
)  # fmt: skip


@dataclass(frozen=True)
class Test:
    """A test of the C side, as CTest knows it."""

    name: str
    command: tuple[str, ...]
    expected: str | None
    """A pattern that the output must match."""


@dataclass(frozen=True)
class _Unit:
    """A file as it is compiled."""

    target: str
    command: tuple[str, ...]
    """Up to the name of the object."""
    source: Path
    object: Path


class Core:
    """The sound core, and what mutants of it are made from."""

    def __init__(self) -> None:
        tests = _configured(BUILD / "tests")
        module = _configured(BUILD / "module", "-DSKBUILD=ON")
        makers = (ROOT / "envs").glob("*/tables")
        tables = [f"generated/{folder.parent.name}_tables.h" for folder in makers]
        tables.append("generated/art_tables.h")
        command("cmake", "--build", BUILD / "tests", "--target", *tables)
        command("cmake", "--build", BUILD / "module", "--target", "generated/core_module.c")
        is_core = re.compile("mhing_core|game_")
        self._units = [unit for unit in tests if is_core.match(unit.target)]
        programs = [
            unit
            for unit in tests
            if not re.match("mhing_core|game_|.*_tables$|make_art$", unit.target)
        ]
        (binding,) = (unit for unit in module if unit.target == "_core")
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(_compiled, [*self._units, *programs, binding]))
        for old in (*BUILD.glob("job*"), BUILD / "kept"):  # of sources as they were
            shutil.rmtree(old, ignore_errors=True)
        self.sound = BUILD / "sound"
        self.sound.mkdir(exist_ok=True)
        self._link({}, self.sound)
        by_target: dict[str, list[Path]] = defaultdict(list)
        for unit in programs:
            by_target[unit.target].append(unit.object)
        for target, objects in by_target.items():
            place = "benchmarks/bench" if target == "mhing_bench" else target
            (BUILD / "tests" / place).parent.mkdir(exist_ok=True)
            self._link_with(objects, BUILD / "tests" / place)
        self.package = BUILD / "package"
        shutil.rmtree(self.package, ignore_errors=True)
        copy_package(self.package)
        name = f"_core{sysconfig.get_config_var('EXT_SUFFIX')}"
        self._link_with([binding.object], self.package / "mhing" / name, "-shared")
        for game in (ROOT / "envs").glob("*/RULES.md"):
            for folder, file in (("rules", "RULES.md"), ("guides", "GUIDE.md")):
                place = self.package / "mhing" / folder / f"{game.parent.name}.md"
                place.parent.mkdir(exist_ok=True)
                shutil.copy2(game.parent / file, place)

    def tests(self) -> list[Test]:
        """The C tests, the platforms' probe and the games' signatures."""
        shown = command("ctest", "--test-dir", BUILD / "tests", "--show-only=json-v1")
        found = []
        for test in json.loads(shown)["tests"]:
            known = {entry["name"]: entry["value"] for entry in test["properties"]}
            expected = known.get("PASS_REGULAR_EXPRESSION", [None])[0]
            found.append(Test(test["name"], tuple(test["command"]), expected))
        return [test for test in found if not test.name.startswith("layers")]

    def build(self, mutant: Mutant, folder: Path) -> bool | None:
        """Builds the core with the mutant in a folder; None: it does not compile, False: the
        compiler makes the same of it as without."""
        tree = folder / "tree"
        if not tree.exists():
            for name in ("csrc", "envs"):
                shutil.copytree(
                    ROOT / name, tree / name, ignore=shutil.ignore_patterns("server", "*.md")
                )
        path = tree / mutant.file
        sound = path.read_bytes()
        changed: dict[Path, Path] = {}
        try:
            path.write_bytes(mutant.made(sound))
            for unit in self._units:
                if ROOT / mutant.file in _read_by(unit):
                    other = folder / unit.object.relative_to(BUILD)
                    if not _compiles(unit, tree, other):
                        return None
                    if other.read_bytes() != unit.object.read_bytes():
                        changed[unit.object] = other
        finally:
            path.write_bytes(sound)
        if changed:
            self._link(changed, folder)
        return bool(changed)

    def _link(self, changed: dict[Path, Path], folder: Path) -> None:
        objects = [changed.get(unit.object, unit.object) for unit in self._units]
        command("cc", "-shared", "-o", folder / LIBRARY, *objects, "-lm", "-pthread")

    def _link_with(self, objects: list[Path], path: Path, *flags: str) -> None:
        command(
            "cc", *flags, "-o", path, *objects, f"-L{self.sound}", "-lmhing_core", "-lm", "-pthread"
        )


def _configured(folder: Path, *settings: str) -> list[_Unit]:
    command("cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", *SETTINGS, *settings)
    units = []
    for entry in json.loads((folder / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        words = words[: words.index("-o")]
        words = [word for word in words if word != "-fvisibility=hidden"]
        words += ["-fno-semantic-interposition", "-w"]
        target = re.findall(r"CMakeFiles/(\w+)\.dir/", entry["output"])[0]
        units.append(_Unit(target, tuple(words), Path(entry["file"]), folder / entry["output"]))
    return units


def _compiled(unit: _Unit) -> None:
    unit.object.parent.mkdir(parents=True, exist_ok=True)
    depends = unit.object.with_suffix(".d")
    command(*unit.command, "-MD", "-MF", depends, "-o", unit.object, "-c", unit.source)


def _read_by(unit: _Unit) -> set[Path]:
    words = unit.object.with_suffix(".d").read_text().replace("\\\n", " ").split()
    return {Path(word).resolve() for word in words[1:]}


def _compiles(unit: _Unit, tree: Path, path: Path) -> bool:
    path.parent.mkdir(parents=True, exist_ok=True)
    words = [*unit.command, "-o", str(path), "-c", str(unit.source)]
    for name in ("csrc", "envs"):
        words = [word.replace(f"{ROOT}/{name}", f"{tree}/{name}") for word in words]
    return not subprocess.run(words, capture_output=True, check=False).returncode
