"""A copy of the package for tests, beside the one that is installed; and what builds need."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Where PYTHONPATH begins with this file's folder, an editable install does not come first.
SITE = """\
import sys
sys.meta_path[:] = [
    finder for finder in sys.meta_path if type(finder).__name__ != "ScikitBuildRedirectingFinder"
]
"""


class Failure(Exception):
    """Something besides the bug went wrong; the text is what to show."""


def copy_package(folder: Path) -> Path:
    """Copies the package without its core to a new folder, which is returned, for PYTHONPATH."""
    ignored = shutil.ignore_patterns("_core*", "docs", "__pycache__")
    shutil.copytree(ROOT / "python", folder, ignore=ignored)
    (folder / "sitecustomize.py").write_text(SITE, encoding="utf-8")
    return folder


def command(*words: object) -> str:
    """Runs a command and returns what it prints."""
    try:
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise Failure(f"{words[0]} is not installed; pip install cmake ninja") from error
    if done.returncode:
        raise Failure(f"{' '.join(map(str, words))}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout
