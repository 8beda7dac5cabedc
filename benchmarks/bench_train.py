"""The trainer, `mhing train` without its evaluations: what it takes to play and to learn from it.

    OMP_NUM_THREADS=1 taskset -c 0 .venv/bin/python benchmarks/bench_train.py [iterations]

PPO and fitted values with their usual settings among greedy bots, in every game with features: by
the features of what moves leave, in Mhing also without the two slowest ones, and PPO by
observations with hints as well. Microseconds of CPU a decision, medians of iterations (5 of them by
default): of PPO 32,768 decisions, without those in which it imitates a bot; of fitted values 20,000
rounds, after as many iterations as it keeps rows of. To compare two versions, install each in
another environment, and run both in turn. It needs the extra train.
"""

from __future__ import annotations

import statistics
import time

import report
import torch
from report import Table, figure

import mhing
from mhing.train.fitted import Fitted
from mhing.train.learner import FEATURES, OBSERVATION, Settings
from mhing.train.ppo import Ppo

ITERATIONS = 5
SLOWEST = {"mhing": ("expert", "useful_for")}
"""The features that take longest to find."""


def learner(method: str, game: str, sees: str, skip: tuple[str, ...]) -> Ppo | Fitted:
    """A learner whose first iterations, which differ from the others, are over."""
    teacher = "greedy" if method == "ppo" else None
    settings = Settings(
        game=game, method=method, sees=sees, skip=skip, opponents=("greedy",), teacher=teacher
    )
    made = settings.make_learner()
    assert isinstance(made, Ppo | Fitted)
    made.begin()
    made.set_progress(0.5)
    for _ in range(made.tuning.keep if isinstance(made, Fitted) else made.tuning.imitate):
        made.step()
    return made


def spent(one: Ppo | Fitted) -> tuple[float, float]:
    """Seconds of CPU to play and to learn, of one decision."""
    begun = time.process_time()
    if isinstance(one, Fitted):
        rows, _ = one.play(one.next_source(one.tuning.rounds))
        playing, begun = (time.process_time() - begun) / len(rows), time.process_time()
        decisions = one.step()["steps"]
        return playing, (time.process_time() - begun) / decisions - playing
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
        by_features = [
            (method, FEATURES, skip) for method in ("fitted", "ppo") for skip in ((), slowest)
        ]
        for method, sees, skip in dict.fromkeys([*by_features, ("ppo", OBSERVATION, ())]):
            one = learner(method, game, sees, skip)
            times = zip(*(spent(one) for _ in range(iterations)), strict=True)
            play, learn = (figure(1e6 * statistics.median(column), 1) for column in times)
            without = f" without {' and '.join(skip)}" if skip else ""
            rows.append((f"{game}, {method}, {sees}{without}", play, learn))
    return [Table(["microseconds of CPU a decision", "to play", "to learn"], rows)]


if __name__ == "__main__":
    report.run(__doc__, tables, ITERATIONS, "iterations")
