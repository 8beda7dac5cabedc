"""Builds and releases of the package: builds that cannot succeed, files that CI cannot run."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

import mhing

pytestmark = pytest.mark.once

ROOT = Path(__file__).parents[3]
PROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
LIBRARIES = (ROOT / "csrc/server/libraries/CMakeLists.txt").read_text(encoding="utf-8")


def configure(folder: Path, *settings: str, **environment: str) -> str:
    """The message of CMake when it refuses."""
    done = subprocess.run(
        ["cmake", "-S", ROOT, "-B", folder / "build", "-G", "Ninja", *settings],
        env=os.environ | environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode
    return " ".join(done.stderr.split())


# ---- Builds that cannot succeed ------------------------------------------------------------------


def test_a_machine_without_a_compiler_is_told_what_to_install(tmp_path: Path) -> None:
    words = configure(tmp_path, CC="no-such-compiler")
    assert words.startswith("CMake Error at CMakeLists.txt:")
    assert words.endswith("There is no C compiler here; on Debian: apt-get install gcc libc6-dev")


def test_libraries_inside_the_server_need_another_compiler(tmp_path: Path) -> None:
    words = configure(tmp_path, "-DMHING_SERVER=ON", "-DMHING_STATIC=ON", CXX="no-such-compiler")
    assert "MHING_STATIC needs a C++ compiler, for libzmq; on Debian: apt-get install g++" in words


@pytest.mark.slow
def test_sources_of_other_bytes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "libsodium-1.0.18.tar.gz").write_bytes(b"something else")
    settings = ("-DMHING_SERVER=ON", "-DMHING_STATIC=ON", f"-DMHING_TARBALLS={tmp_path}")
    url = re.findall(r"mhing_library\(\w+ (\S+)", LIBRARIES)[0]
    assert f"{tmp_path} has no .tar.gz with the bytes of {url}" in configure(tmp_path, *settings)


def test_every_library_has_a_source_and_a_hash() -> None:
    found = re.findall(r"mhing_library\((\w+) https://(\S+)\s+([0-9a-f]{64})\b", LIBRARIES)
    assert [name for name, _, _ in found] == ["sodium_source", "libzmq", "msgpackc"]
    assert len({digest for _, _, digest in found}) == len(found)


# ---- A release -----------------------------------------------------------------------------------


def load(path: str) -> dict[Any, Any]:
    import yaml

    loaded = yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def test_the_version_stands_once() -> None:
    assert re.findall(r'^version = "(.+)"$', PROJECT, re.MULTILINE) == [mhing.__version__]
    changes = (ROOT / "python/docs/pages/changes.md").read_text(encoding="utf-8")
    assert f"\n## {mhing.__version__}" in changes
    citation = load(".github/CITATION.cff")
    assert "version" not in citation
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()


def test_a_release_waits_for_all_that_is_built() -> None:
    jobs = load(".github/workflows/release.yml")["jobs"]
    assert {name: job.get("needs") for name, job in jobs.items()} == {
        "version": None,
        "wheels": "version",
        "source": "version",
        "release": ["wheels", "source"],
    }
    assert jobs["release"]["if"] == "github.ref_type == 'tag'"
    assert [name for name, job in jobs.items() if "permissions" in job] == ["release"]


@pytest.mark.parametrize(
    ("tag", "code"), [(f"v{mhing.__version__}", 0), ("v0.0.1", 1), (mhing.__version__ + ".1", 1)]
)
def test_the_tag_is_compared_with_the_version(tag: str, code: int) -> None:
    steps = load(".github/workflows/release.yml")["jobs"]["version"]["steps"]
    (command,) = [step["run"] for step in steps if "run" in step]
    environment = os.environ | {"GITHUB_REF_NAME": tag}
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, env=environment, check=False)
    assert done.returncode == code


def test_tests_that_wheels_are_tried_with_exist() -> None:
    settings = PROJECT.partition("\n[tool.cibuildwheel]\n")[2].partition("\n[tool.pytest")[0]
    named = re.findall(r"\{project\}/([\w/.]+)", settings)
    assert named
    assert all((ROOT / name).is_file() for name in named)
