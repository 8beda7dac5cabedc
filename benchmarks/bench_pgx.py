"""Pgx, games on JAX, on a processor: random legal play of 1,024 of them at once.

    python3 -m venv build/pgx-venv
    build/pgx-venv/bin/pip install . pgx==2.6.0
    taskset -c 0 build/pgx-venv/bin/python benchmarks/bench_pgx.py [seconds]

They are made for accelerators, where thousands of games cost little more than one; so this says
only what they do where our batch runs. Rates are decisions a second of CPU time, medians of five
rounds that take turns with those of our batch, whose seats all play at random. Compiling does not
count and has a column. Finished games start anew. MahJax is not measured: on a processor it plays
some 2,000 decisions a second, and its authors give figures for accelerators.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from itertools import count
from typing import Any

import jax
import pgx
import report
from pgx.experimental import act_randomly, auto_reset
from report import Cell, Table, figure

import mhing
from mhing.cli import doors
from mhing.cli.bench import rate
from mhing.cli.doors import ROWS, Work

ROUNDS = 5
STEPS = 16
"""Of each piece of work."""

Keys = Iterator[jax.Array]


def with_keys(function: Any) -> Any:
    """The function of a game for all of them, with a key for each as its last argument."""
    mapped = jax.vmap(function)

    def call(*arguments: Any) -> Any:
        return mapped(*arguments[:-1], jax.random.split(arguments[-1], ROWS))

    return call


def rounds(env: Any, keys: Keys) -> Work:
    """Rounds one after the other, by random legal decisions; states hold observations."""
    step = with_keys(auto_reset(env.step, env.init))

    @jax.jit
    def advance(state: Any, key: jax.Array) -> Any:
        choice, own = jax.random.split(key)
        return step(state, act_randomly(choice, state.legal_action_mask), own)

    states = [with_keys(env.init)(next(keys))]

    def play() -> int:
        for _ in range(STEPS):
            states[0] = advance(states[0], next(keys))
        jax.block_until_ready(states[0])
        return ROWS * STEPS

    return play


def works() -> Iterator[tuple[str, Work]]:
    """Ours, and the games of Pgx."""
    keys = map(jax.random.key, count(1))
    ours = {name: work for name, _, work in doors.game_works(mhing.Game())}
    yield "ours", ours[doors.BATCH]
    for game in ("leduc_holdem", "sparrow_mahjong"):
        yield f"Pgx, {game}", rounds(pgx.make(game), keys)


def tables(seconds: float) -> list[Table]:
    """A row for ours, and one for each game of others."""
    measured = dict(works())
    compiling: dict[str, float] = {}
    for name, work in measured.items():
        begun = time.perf_counter()
        work()
        compiling[name] = time.perf_counter() - begun
    rates: dict[str, list[float]] = {name: [] for name in measured}
    for _ in range(ROUNDS):
        for name, work in measured.items():
            rates[name].append(rate(work, seconds))
    middle = {name: statistics.median(found) for name, found in rates.items()}
    rows: list[list[Cell]] = [["ours", figure(middle.pop("ours")), None, None]]
    for name, found in middle.items():
        times = statistics.median(rates["ours"]) / found
        ratio = figure(times, 1 if times < 10 else 0)
        rows.append([name, figure(found), ratio, figure(compiling[name])])
    heads = [f"{ROWS:,} games", "decisions a second", "ours is times as fast", "seconds to compile"]
    return [Table(heads, rows)]


if __name__ == "__main__":
    report.run(__doc__, tables, 2.0)
