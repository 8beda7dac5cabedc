"""Players by rules of one line, in this process and as programs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from mhing import arena

Info = dict[str, Any]

LARGE = 9 << 32
"""A seed on which programs play without a warning."""


def first_legal(observation: Any, mask: Any, info: Info) -> int:
    return int(np.flatnonzero(mask)[0])


def last_legal(observation: Any, mask: Any, info: Info) -> int:
    return int(np.flatnonzero(mask)[-1])


PROGRAM = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        assert len(message["ids"]) == len(message["legal"])
        print(json.dumps({"turn": message["turn"], "action": message["legal"][-1]}), flush=True)
"""


def program(folder: Path, text: str = PROGRAM, name: str = "bot.py") -> str:
    (folder / name).write_text(text)
    return f"exec:{sys.executable} {folder / name}"


def same_results(one: arena.Result, other: arena.Result) -> None:
    for a, b in zip(one.players, other.players, strict=True):
        assert (a.reward, a.rounds, a.totals) == (b.reward, b.rounds, b.totals)
