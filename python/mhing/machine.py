"""The machine that something was measured on."""

from __future__ import annotations

import contextlib
import platform
from pathlib import Path


def machine() -> str:
    """The processor and the Python that were measured."""
    with contextlib.suppress(OSError, StopIteration):  # only Linux names the model
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(line for line in lines if line.startswith("model name"))
        return f"{model.partition(': ')[2]}, Python {platform.python_version()}"
    return f"{platform.machine()}, Python {platform.python_version()}"
