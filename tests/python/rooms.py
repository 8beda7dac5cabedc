"""Lets the modules of all folders of tests find each other, whatever program imports this one."""

import sys
from pathlib import Path

HERE = Path(__file__).parent

sys.path[:0] = [
    str(folder)
    for folder in (HERE, *sorted(HERE.iterdir()))
    if folder.is_dir() and str(folder) not in sys.path and not (folder / "__init__.py").exists()
]
