"""Builds and releases of the package: builds that cannot succeed, files that CI cannot run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from email import message_from_string
from email.message import Message
from pathlib import Path
from typing import Any

import pytest

import mhing

pytestmark = pytest.mark.once

ROOT = Path(__file__).parents[3]
PROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
ROWS: list[dict[str, str]] = json.loads(
    (ROOT / "csrc/server/libraries/libraries.json").read_bytes()
)


def configure(folder: Path, *settings: str, **environment: str) -> str:
    """The message of CMake when it refuses."""
    done = subprocess.run(
        ["cmake", "-S", ROOT, "-B", folder / "build", "-G", "Ninja", *settings],
        env=os.environ | environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode
    return " ".join(done.stderr.split())


# ---- Builds that cannot succeed ------------------------------------------------------------------


def test_a_machine_without_a_compiler_gets_the_package_to_install(tmp_path: Path) -> None:
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
    urls = " ".join(row["url"] for row in ROWS if row["name"] == "libsodium")
    words = configure(tmp_path, *settings)
    assert f"{tmp_path} has no .tar.gz with the bytes of one of: {urls}" in words


def test_every_library_has_sources_and_the_text_of_its_licence() -> None:
    assert {row["name"] for row in ROWS} == {"libzmq", "libsodium", "msgpack-c"}
    assert len({row["sha256"] for row in ROWS}) == len(ROWS)
    texts = {path.name for path in (ROOT / "csrc/server/libraries/licences").iterdir()}
    assert {row["copy"] for row in ROWS} == texts
    for row in ROWS:
        assert row["version"] in row["url"]
        assert re.fullmatch(r"https://github\.com/\S+\.tar\.gz", row["url"])
        assert re.fullmatch("[0-9a-f]{64}", row["sha256"])


# ---- Metadata ------------------------------------------------------------------------------------


def built(folder: Path, address: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Print the METADATA of a wheel, as the build writes it for a project at `address`."""
    folder.mkdir(exist_ok=True)
    for path in ROOT.iterdir():
        if path.name not in {"build", "pyproject.toml"}:
            (folder / path.name).symlink_to(path)
    given = PROJECT.replace('\naddress = ""\n', f'\naddress = "{address}"\n')
    (folder / "pyproject.toml").write_text(given, encoding="utf-8")
    program = """
from scikit_build_core.build import prepare_metadata_for_build_wheel as prepare
with open("out/" + prepare("out") + "/METADATA") as file:
    print("\\nWRITTEN " + file.read())
"""
    return subprocess.run(
        [sys.executable, "-c", program], cwd=folder, text=True, capture_output=True, check=False,
        env={key: value for key, value in os.environ.items() if not key.startswith("MHING_")}
        | environment,
    )  # fmt: skip


def metadata(folder: Path, address: str = "", **environment: str) -> Message:
    done = built(folder, address, **environment)
    assert done.returncode == 0, done.stderr
    return message_from_string(done.stdout.partition("\nWRITTEN ")[2])


def links(markdown: str) -> list[str]:
    """The links of the page of an index, pictures included."""
    from markdown_it import MarkdownIt

    page = MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown)
    return re.findall(r'(?:href|src)="([^"]*)"', page)


def test_on_an_index_no_link_is_dead(tmp_path: Path) -> None:
    home = "https://forge.example/mhing"
    message = metadata(tmp_path, f"{home}/")
    found = links(message.get_payload())
    assert len(found) > 80
    for link in found:
        assert re.match("https?://|#", link), link
        place = re.fullmatch(rf"{home}/(blob|raw|tree)/v{mhing.__version__}/([^#]+)(#.*)?", link)
        if place:
            path = ROOT / place[2]
            assert path.is_dir() if place[1] == "tree" else path.is_file(), link
            assert (place[1] == "raw") == (path.suffix in {".png", ".svg"}), link
        else:
            assert not link.startswith(home)
    addresses = dict(line.split(", ") for line in message.get_all("Project-URL", []))
    assert {"Source", "Documentation", "Changes", "Issues"} == addresses.keys()
    assert all(address.startswith(home) for address in addresses.values())


def test_the_address_stands_in_one_place() -> None:
    assert len(re.findall("^address = ", PROJECT, re.MULTILINE)) == 1


def test_a_release_needs_an_address(tmp_path: Path) -> None:
    done = built(tmp_path, MHING_RELEASE="1")
    assert done.returncode
    assert "ValueError: MHING_RELEASE: pyproject.toml has no address of the project" in done.stderr
    metadata(tmp_path / "again", MHING_RELEASE="0")


def test_a_release_needs_the_newest_libraries(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old/libzmq-4.3.5.tar.gz").write_bytes(b"something else")
    home = "https://forge.example/mhing"
    static = {"MHING_STATIC": "ON", "MHING_RELEASE": "1"}
    whole = metadata(tmp_path / "whole", home, **static)
    assert whole["License-Expression"] == "MIT AND MPL-2.0 AND ISC AND BSL-1.0"
    done = built(tmp_path / "part", home, **static, MHING_TARBALLS=str(tmp_path / "old"))
    assert "MHING_RELEASE: MHING_TARBALLS lacks the newest of some library" in done.stderr


def test_licences_are_those_of_what_is_inside(tmp_path: Path) -> None:
    plain = metadata(tmp_path / "plain")
    assert plain["License-Expression"] == "MIT"
    assert plain.get_all("License-File") == ["LICENSE"]
    static = metadata(tmp_path / "static", MHING_STATIC="ON")
    texts = ["libsodium-1.0.22.txt", "libzmq-4.3.5.txt", "msgpack-c.txt"]
    folder = "csrc/server/libraries/licences/"
    assert static.get_all("License-File") == ["LICENSE", *(folder + text for text in texts)]


def test_pythons_that_are_named_are_those_that_the_package_takes() -> None:
    named = re.findall(r'"Programming Language :: Python :: 3\.(\d+)"', PROJECT)
    assert named == [str(minor) for minor in range(10, 10 + len(named))]
    assert '\nrequires-python = ">=3.10"\n' in PROJECT


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
        "site": "release",
    }
    writers = [name for name, job in jobs.items() if "permissions" in job]
    assert writers == ["release", "site"]
    assert all(jobs[name]["if"] == "github.ref_type == 'tag'" for name in writers)


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
