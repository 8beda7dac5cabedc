"""Measure how much narrower the paired estimator makes the arena's intervals, and its price.

    .venv/bin/python benchmarks/bench_paired.py [share]

Plays the same deals with both estimators. A ratio is the raw interval over the paired one: 5 is a
fifth as wide. At equal CPU time, raw play has as many deals more as the play-outs took time. For a
player that thinks far longer than the bots of the core, both ratios are the same. A callable is
asked along its games alone; this one decides as the bot expert does, and computes for 5 ms before.
`share` is that of the usual deals.
"""

from __future__ import annotations

import math
import time
from typing import Any, NamedTuple

import report
from report import Table, figure

import mhing
from mhing import arena
from mhing.arena.paired import ENOUGH

GOAL = 5
THINKS = 0.005
"""CPU seconds that the callable takes for a decision."""


class Expert:
    """The bot expert as a callable."""

    name = "callable"
    sees = "world"

    def __call__(self, state: mhing.State, mask: Any, info: dict[str, Any]) -> int:
        """Choose as the bot does."""
        begun = time.thread_time()
        while time.thread_time() < begun + THINKS:
            pass
        return state.bot_action("expert", 0)[0]


class Case(NamedTuple):
    """Two players, the first compared with the second, which is the baseline."""

    game: str
    player: str | Expert
    baseline: str
    deals: int


CASES = [
    Case(game, player, baseline, deals)
    for game in ("mhing", "general_mhing", "mexican_rummy")
    for player, baseline, deals in (
        ("net", "greedy", 300),
        ("expert", "net", 100),
        ("search:50", "net", 60),
    )
] + [
    Case(game, Expert(), "net", deals)
    for game, deals in (("mhing", 40), ("general_mhing", 40), ("mexican_rummy", 20))
]


def measure(case: Case, deals: int, **settings: Any) -> tuple[float, arena.Pair]:
    """The CPU seconds of a tournament and its difference; each player alone among greedy bots."""
    begun = time.process_time()
    result = arena.play(
        [case.player, case.baseline], case.game, field="greedy", deals=deals, first_seed=0,
        **settings,
    )  # fmt: skip
    return time.process_time() - begun, result.pairs[0]


def tables(share: float) -> list[Table]:
    """A row for each two players."""
    rows: list[list[Any]] = []
    for case in CASES:
        deals = max(ENOUGH, round(case.deals * share))
        raw_seconds, _ = measure(case, deals)
        seconds, pair = measure(case, deals, estimator="paired", baseline=case.baseline)
        narrower = pair.raw.interval / pair.difference.interval
        at_equal_cpu = narrower * math.sqrt(raw_seconds / seconds)
        rows.append(
            [
                case.game,
                f"{pair.first} - {pair.second}",
                deals,
                pair.raw.signed,
                pair.difference.signed,
                figure(narrower, 2),
                figure(seconds / raw_seconds, 1),
                figure(at_equal_cpu, 2),
            ]
        )
    columns = ["game", "difference", "deals", "raw", "paired", "ratio", "CPU, times"]
    return [Table([*columns, f"by CPU, goal {GOAL}"], rows)]


if __name__ == "__main__":
    report.run(__doc__, tables, 1.0, "share")
