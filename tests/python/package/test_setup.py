"""The set-up script of the README's two commands, on machines that differ in what they have.

A machine is a folder of programs that the script finds: the shell's own tools, and stand-ins for
the compiler, Python, the package manager and sudo, which note how they were called.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.once

SETUP = Path(__file__).parents[3] / ".ci/setup"
TOOLS = ["bash", "awk", "sort", "tr", "sed", "dirname", "mktemp", "tail", "rm", "env"]
LINE = "apt-get install --no-install-recommends"
WAIT = "-o DPkg::Lock::Timeout=600"


class Machine:
    """A folder of programs, and what the package manager was asked for."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.log = folder / "log"
        self.bin.mkdir()
        for tool in TOOLS:
            found = shutil.which(tool)
            assert found
            (self.bin / tool).symlink_to(found)
        self.program("python3", f'exec {sys.executable} "$@"')
        self.program("dpkg", "exit 1")
        self.program("id", "echo 1000")

    def program(self, name: str, script: str) -> None:
        path = self.bin / name
        path.write_text(f"#!{shutil.which('bash')}\n{script}\n", encoding="utf-8")
        path.chmod(0o755)

    def headers(self, *names: str) -> None:
        """A compiler that finds the headers of these names only."""
        cases = "|".join(f"'#include <{name}.h>'" for name in names)
        self.program("cc", f"read -r line; case $line in {cases}) exit 0 ;; esac; exit 1")

    def package_manager(self, before: str = "", status: int = 0) -> None:
        self.program("apt-get", f'{before}echo "$@" >> {self.log}; exit {status}')

    def setup(self, *purposes: str) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": str(self.bin), "TMPDIR": str(self.bin.parent)}
        if "LD_PRELOAD" in os.environ:
            environment["LD_PRELOAD"] = os.environ["LD_PRELOAD"]
        return subprocess.run(
            [SETUP, *purposes], env=environment, capture_output=True, text=True, check=False
        )

    def asked(self) -> list[str]:
        return self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path)
    machine.headers("stdlib")
    machine.package_manager()
    return machine


def test_nothing_is_said_or_done_where_nothing_is_missing(machine: Machine) -> None:
    machine.headers("stdlib", "zmq", "msgpack")
    machine.program("dpkg", "exit 0")
    done = machine.setup("build", "server", "bots")
    assert (done.returncode, done.stdout, done.stderr, machine.asked()) == (0, "", "", [])


def test_root_installs_what_is_missing_and_says_so_in_one_line(machine: Machine) -> None:
    machine.program("id", "echo 0")
    done = machine.setup("build", "server")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "setup: installs for build server: libmsgpack-dev libzmq3-dev\n"
    assert machine.asked() == [
        "update -qq",
        f"install -y -qq {WAIT} --no-install-recommends libmsgpack-dev libzmq3-dev",
    ]


def test_a_machine_with_nothing_gets_compiler_and_python(machine: Machine) -> None:
    (machine.bin / "python3").unlink()
    machine.headers()
    done = machine.setup("build")
    packages = "gcc libc6-dev python3 python3-dev python3-venv"
    assert done.returncode == 1
    assert done.stderr == f"setup: missing for build; as root, run: {LINE} {packages}\n"
    assert machine.asked() == []


def test_sudo_is_used_where_it_asks_for_no_password(machine: Machine) -> None:
    machine.program(
        "sudo", f'[ "$1" = -n ] || exit 1; shift; echo sudo >> {machine.log}; exec "$@"'
    )
    machine.program("true", "exit 0")
    done = machine.setup("server")
    assert done.returncode == 0, done.stderr
    assert machine.asked()[1:] == [
        "sudo", "update -qq",
        "sudo", f"install -y -qq {WAIT} --no-install-recommends libmsgpack-dev libzmq3-dev",
    ]  # fmt: skip


@pytest.mark.parametrize("sudo", [None, "exit 1"], ids=["no sudo", "sudo asks for a password"])
def test_without_permission_the_line_to_run_is_printed(machine: Machine, sudo: str | None) -> None:
    if sudo:
        machine.program("sudo", sudo)
    done = machine.setup("server")
    assert done.returncode == 1
    line = f"setup: missing for server; as root, run: {LINE} libmsgpack-dev libzmq3-dev\n"
    assert (done.stdout, done.stderr) == ("", line)
    assert machine.asked() == []


def test_other_systems_read_what_debian_calls_the_packages(machine: Machine) -> None:
    (machine.bin / "apt-get").unlink()
    done = machine.setup("server")
    assert done.returncode == 1
    assert done.stderr.endswith(f"on Debian it would be: {LINE} libmsgpack-dev libzmq3-dev\n")


def test_an_installation_that_fails_is_reported_with_its_last_words(machine: Machine) -> None:
    machine.program("id", "echo 0")
    machine.package_manager("echo no such mirror >&2; ", status=100)
    done = machine.setup("server")
    assert done.returncode == 1
    assert done.stderr.startswith("no such mirror\n")
    assert f"as root, run: apt-get update && {LINE} libmsgpack-dev" in done.stderr


def test_languages_of_the_example_bots_come_from_their_page(machine: Machine) -> None:
    machine.program("dpkg", '[ "$2" != rustc ]')
    done = machine.setup("bots")
    assert done.stderr == f"setup: missing for bots; as root, run: {LINE} rustc\n"


def test_an_old_python_is_named(machine: Machine) -> None:
    version = (
        "case $1 in -V) echo Python 3.9.2 ;; -c) case $2 in *version_info*) exit 1 ;; esac ;; esac"
    )
    machine.program("python3", version)
    done = machine.setup("build")
    assert done.returncode == 1
    assert "Python 3.10 or newer is needed" in done.stderr
    assert "Python 3.9.2" in done.stderr


def test_an_unknown_purpose_is_refused(machine: Machine) -> None:
    done = machine.setup("everything")
    assert done.returncode == 2
    assert done.stderr == (
        "setup: 'everything' is not a purpose; choose from build, server, bots, operators, "
        "containers, shells, browser, fuzz, platforms, all_platforms\n"
    )
