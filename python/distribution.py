"""Metadata of the package that a build decides: addresses, licences, README as an index shows it.

pyproject.toml names this module, and scikit-build-core calls it for wheels and source archives. It
reads the environment:

- MHING_STATIC=ON: mhing-server has the libraries of csrc/server/libraries inside, so the wheel has
  their licences as well;
- MHING_TARBALLS: the folder with the sources of those libraries, as CMake reads it;
- MHING_RELEASE=1: the result is to be published, which needs an address.
"""

from __future__ import annotations

import hashlib
import json
import os
import posixpath
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LIBRARIES = Path("csrc/server/libraries")

LINK = re.compile(r'(?P<before>\]\(|(?:src|href)=")(?P<target>[^)"#:\s]+)(?P<after>[)"#])')
"""A link of README to a file of the repository, in Markdown or HTML."""

PICTURES = (".gif", ".png", ".svg", ".webp")


def dynamic_metadata(settings: Mapping[str, Any], project: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that ``project.dynamic`` names.

    Args:
        settings: ``address``, where the repository can be read; empty while there is none.
        project: the fields that pyproject.toml gives.

    Raises:
        ValueError: a release without an address, or with libraries other than the first rows.
    """
    address = settings["address"].rstrip("/")
    linked = linked_libraries() if is_on("MHING_STATIC") else []
    if is_on("MHING_RELEASE"):
        if not address:
            raise ValueError("MHING_RELEASE: pyproject.toml has no address of the project")
        if is_on("MHING_STATIC") and linked != first_of_each(rows()):
            raise ValueError("MHING_RELEASE: MHING_TARBALLS lacks the newest of some library")
    licences = dict.fromkeys(["MIT", *(row["license"] for row in linked)])
    texts = dict.fromkeys((LIBRARIES / "licences" / row["copy"]).as_posix() for row in linked)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return {
        "license": " AND ".join(licences),
        "license-files": list(texts),
        "urls": addresses(address, project["version"]) if address else {},
        "readme": {
            "content-type": "text/markdown",
            "text": with_absolute_links(text, address, project["version"]) if address else text,
        },
    }


def dynamic_wheel(_settings: Mapping[str, Any]) -> dict[str, bool]:
    """Return which fields may differ between a source archive and a wheel that is built from it."""
    return {"license": True, "license-files": True}


def is_on(variable: str) -> bool:
    """Return whether a variable of the environment switches something on."""
    return os.environ.get(variable, "").upper() not in {"", "0", "OFF"}


# ---- Libraries inside mhing-server ---------------------------------------------------------------


def rows() -> list[dict[str, str]]:
    """Return the sources of libraries, those of one library from the newest on."""
    table: list[dict[str, str]] = json.loads((ROOT / LIBRARIES / "libraries.json").read_bytes())
    return table


def first_of_each(some: Iterable[dict[str, str]]) -> list[dict[str, str]]:
    """Return the first row of each library."""
    found: dict[str, dict[str, str]] = {}
    for row in some:
        found.setdefault(row["name"], row)
    return [*found.values()]


def linked_libraries() -> list[dict[str, str]]:
    """Return the row of each library that CMake takes: the first whose bytes are there."""
    folder = os.environ.get("MHING_TARBALLS")
    if not folder:
        return first_of_each(rows())
    sums = {hashlib.sha256(path.read_bytes()).hexdigest() for path in Path(folder).glob("*.tar.gz")}
    return first_of_each(row for row in rows() if row["sha256"] in sums)


# ---- README and addresses ------------------------------------------------------------------------


def addresses(address: str, version: str) -> dict[str, str]:
    """Return the links that an index shows beside the page."""
    pages = f"{address}/blob/v{version}/python/docs/pages"
    return {
        "Source": address,
        "Documentation": f"{pages}/install.md",
        "Changes": f"{pages}/changes.md",
        "Issues": f"{address}/issues",
    }


def with_absolute_links(text: str, address: str, version: str) -> str:
    """Return README with each link to a file of the repository at the tag of the version."""

    def absolute(link: re.Match[str]) -> str:
        target = posixpath.normpath(link["target"])
        kind = "tree" if (ROOT / target).is_dir() else "blob"
        if target.endswith(PICTURES):
            kind = "raw"  # as an index shows it in the page
        return f"{link['before']}{address}/{kind}/v{version}/{target}{link['after']}"

    return LINK.sub(absolute, text)
