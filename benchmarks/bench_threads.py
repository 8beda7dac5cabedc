"""The gain of a second thread: wall clock of the same work with one thread and with two.

    .venv/bin/python benchmarks/bench_threads.py [seconds for each measurement, default 1]

It needs two free cores. Rounds of one and two threads alternate; medians are shown.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import report
from report import Cell, Table, figure

import mhing
from mhing.cli.bench import rate
from mhing.cli.doors import Work

ROUNDS = 5
ROWS = 1024
COPIES = 400


def play_outs(bot: str, threads: int) -> Work:
    """Rounds played on to their end from one state."""
    state = mhing.Game("mhing").new_state(1)

    def work() -> int:
        return len(state.play_outs(bot, COPIES, observer=0, seed=1, num_threads=threads))

    return work


def steps(opponents: str, threads: int) -> Work:
    """Steps of a batch with random legal actions, one unit a row."""
    envs: Any = gym.make_vec(
        "mhing:Mhing-v0", num_envs=ROWS, opponents=opponents, num_threads=threads, copy=False
    )
    envs.reset(seed=1)

    def work() -> int:
        envs.step(envs.sample_actions())
        return ROWS

    return work


def tables(seconds: float) -> list[Table]:
    """A row for each kind of work."""
    kinds: dict[str, Callable[[int], Work]] = {
        "play-outs, random bot": lambda threads: play_outs("random", threads),
        "play-outs, greedy bot": lambda threads: play_outs("greedy", threads),
        f"{ROWS} rows against greedy bots": lambda threads: steps("greedy", threads),
        f"{ROWS} rows, every seat the caller's": lambda threads: steps("self", threads),
    }
    rows: list[list[Cell]] = []
    for name, make in kinds.items():
        one, two = make(1), make(2)
        rates = [
            [rate(work, seconds / ROUNDS, time.perf_counter) for work in (one, two)]
            for _ in range(ROUNDS)
        ]
        first, second = (statistics.median(column) for column in zip(*rates, strict=True))
        rows.append([name, figure(first), figure(second), figure(second / first, 2)])
    return [Table(["a second of wall clock", "one thread", "two", "times as many"], rows)]


if __name__ == "__main__":
    report.run(__doc__, tables, 1.0)
