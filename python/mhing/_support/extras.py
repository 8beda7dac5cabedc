"""Lines that install optional libraries."""

from __future__ import annotations

import json


def install(extra: str) -> str:
    """Return the end of a message that something is missing, by how the package came here.

    A clone, from which pip installed a folder, can do it as it is; to a wheel, pip adds what its
    extra names.
    """
    from importlib import metadata  # noqa: PLC0415  slow, and wanted for such messages alone

    try:
        origin = json.loads(metadata.distribution("mhing").read_text("direct_url.json") or "{}")
    except metadata.PackageNotFoundError:  # read from the sources, not installed
        origin = {"dir_info": {}}
    if "dir_info" in origin:
        return f"pip install '.[{extra}]' in the folder of mhing's sources"
    return f"pip install 'mhing[{extra}]'"
