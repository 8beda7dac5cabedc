"""Tries extreme positions of a game: `python tests/python/extremes/run.py GAME --count N --seed S`.

It prints those that fail, each as `Game.state_from_dict` takes it, with what is wrong; then the
status is 1. The positions are numbered, S is the number of the first one.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

if __name__ == "__main__":
    # Not this folder, in which the module of a game has the name of the game, mhing for one.
    sys.path[0] = str(Path(__file__).parents[1])
    import_module("rooms")
    sys.exit(import_module("extremes.running").main())
