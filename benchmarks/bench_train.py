"""The trainer, `mhing train` without its evaluations: what it takes to play and to learn from it.

    OMP_NUM_THREADS=1 taskset -c 0 .venv/bin/python benchmarks/bench_train.py [iterations]

PPO with its usual settings among greedy bots, in every game with features: by the features of what
moves leave, in Mhing also without the two slowest ones, and by observations with hints.
Microseconds of CPU a decision, medians of iterations of 32,768 decisions (5 of them by default),
without those in which it imitates a bot. To compare two versions, install each in another
environment, and run both in turn. It needs the extra train.
"""

from __future__ import annotations

import statistics
import time

import report
import torch
from report import Table, figure

import mhing
from mhing.train.learner import FEATURES, OBSERVATION, Settings
from mhing.train.ppo import Ppo

ITERATIONS = 5
SLOWEST = {"mhing": ("expert", "useful_for")}
"""The features that take longest to find."""


def learner(game: str, sees: str, skip: tuple[str, ...]) -> Ppo:
    """One that imitates nobody any more."""
    settings = Settings(game=game, sees=sees, skip=skip, opponents=("greedy",), teacher="greedy")
    made = settings.make_learner()
    assert isinstance(made, Ppo)
    made.begin()
    for _ in range(made.tuning.imitate):
        made.step()
    return made


def spent(one: Ppo) -> tuple[float, float]:
    """Seconds of CPU to play and to learn, of one decision."""
    begun = time.process_time()
    played, *_ = one.gather(with_teacher=False)
    halfway = time.process_time()
    one.update(played, imitate=False)
    decisions = len(played.actions)
    return (halfway - begun) / decisions, (time.process_time() - halfway) / decisions


def tables(iterations: int) -> list[Table]:
    """A row for each game and what the network sees of it."""
    torch.set_num_threads(1)
    rows = []
    for game in filter(lambda game: mhing.Game(game).features, mhing.games()):
        slowest = SLOWEST.get(game, ())
        for sees, skip in dict.fromkeys([(FEATURES, ()), (FEATURES, slowest), (OBSERVATION, ())]):
            one = learner(game, sees, skip)
            times = zip(*(spent(one) for _ in range(iterations)), strict=True)
            play, learn = (figure(1e6 * statistics.median(column), 1) for column in times)
            without = f" without {' and '.join(skip)}" if skip else ""
            rows.append((f"{game}, {sees}{without}", play, learn))
    return [Table(["microseconds of CPU a decision", "to play", "to learn"], rows)]


if __name__ == "__main__":
    report.run(__doc__, tables, ITERATIONS, "iterations")
