"""Trains an agent for each task of the suite, all by one method with the same settings.

    python benchmarks/suite/suite_train.py runs/ppo-1 --method ppo --steps 500000 --seed 1
    mhing benchmark 'run:runs/ppo-1/{task}' --json --about "..." > benchmarks/suite/ppo-1.json

Each is one `mhing train` with the task's options, against the task's field, and with the arguments
given here. A run that was cut short is resumed; a complete one is left alone.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from mhing.arena.suite import TASKS, Task

DEALS = "20"
"""Of the evaluation with which a run ends: the suite's own deals say more, and nobody trains on
those."""

DONE = "complete"
"""The file that says so in a run's folder."""


def train(task: Task, folder: Path, arguments: list[str]) -> None:
    """Trains the agent of a task, or resumes that."""
    if (folder / DONE).exists():
        return
    command = [sys.executable, "-m", "mhing", "train"]
    if folder.exists():
        command += ["--resume", str(folder)]
    else:
        options = [f"--option={name}={value}" for name, value in task.options.items()]
        command += [task.game, *options, "--opponents", task.field, "--deals", DEALS]
        command += ["--out", str(folder), *arguments]
    subprocess.run(command, check=True)
    (folder / DONE).touch()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Trains an agent for each task of the suite.")
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="a run for each task goes here")
    given, arguments = parser.parse_known_args()
    for task in TASKS:
        train(task, given.folder / task.name, arguments)
