"""The installed files, compared with their metadata."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from server_process import executable

pytestmark = pytest.mark.once
of_the_server = pytest.mark.skipif(sys.platform == "win32", reason="the server needs POSIX")

WORDS = {
    "MIT": "MIT License",
    "MPL-2.0": "Mozilla Public License Version 2.0",
    "LGPL-3.0-or-later": "GNU LESSER GENERAL PUBLIC LICENSE",
    "ISC": "ISC License",
    "BSL-1.0": "Boost Software License - Version 1.0",
}
"""The beginning of each licence's text."""


@pytest.fixture
def installed() -> metadata.Distribution:
    return metadata.distribution("mhing")


def components(installed: metadata.Distribution) -> list[dict[str, Any]]:
    """Return the libraries inside the server; none where it takes those of the system."""
    (bill, *others) = [file for file in installed.files or () if "sboms" in file.parts] or [None]
    assert not others
    if bill is None:
        return []
    loaded = json.loads(bill.read_text())
    assert (loaded["bomFormat"], loaded["specVersion"]) == ("CycloneDX", "1.6")
    assert loaded["metadata"]["component"]["version"] == installed.version
    parts: list[dict[str, Any]] = loaded["components"]
    return parts


def test_licences_are_those_of_the_libraries_inside(installed: metadata.Distribution) -> None:
    named = [each["license"]["id"] for part in components(installed) for each in part["licenses"]
             if "license" in each]  # fmt: skip
    expression = installed.metadata["License-Expression"]
    assert sorted(expression.split(" AND ")) == sorted({"MIT", *named})
    listed = installed.metadata.get_all("License-File")
    assert len(listed) == 1 + len(named)
    texts = [installed.read_text(f"licenses/{name}") or "" for name in listed]
    for licence in ("MIT", *named):
        assert any(WORDS[licence] in " ".join(text.split()) for text in texts), licence


@of_the_server
def test_the_server_has_the_libraries_that_are_declared(installed: metadata.Distribution) -> None:
    server = executable()
    printed = subprocess.run([server, "--version"], capture_output=True, text=True, check=True)
    declared = {part["name"]: part["version"] for part in components(installed)}
    declared.pop("libstdc++", None)  # by its compiler
    linked = dict(re.findall(r"([\w-]+) ([\d.]+)[,)]", printed.stdout))
    assert printed.stdout.startswith(f"mhing-server {installed.version} (libzmq ")
    assert linked == declared or (not declared and linked.keys() == {"libzmq", "msgpack-c"})


@of_the_server
def test_the_server_does_not_say_where_it_was_built() -> None:
    """As libzmq would, whose assertions name their files: each build had other bytes."""
    assert not re.findall(rb"/[\w./-]+/_deps/[\w./-]+", Path(executable()).read_bytes())


def test_the_package_is_one_module(installed: metadata.Distribution) -> None:
    code = {
        file.parts[0] for file in installed.files or () if file.suffix in {".py", ".so", ".pyd"}
    }
    assert code - {"_editable_skbc_mhing.py"} <= {"mhing"}
