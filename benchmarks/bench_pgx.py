"""Games of others on JAX, on a processor: random legal play of 1,024 of them at once.

    python3 -m venv build/pgx-venv
    build/pgx-venv/bin/pip install . pgx==2.6.0 mahjax==0.1.6
    taskset -c 0 build/pgx-venv/bin/python benchmarks/bench_pgx.py [seconds]

They are made for accelerators, where thousands of games cost little more than one; so this says
only what they do where our batch runs. Rates are decisions a second of CPU time, medians of five
rounds that take turns with those of our batch, whose seats all play at random. Compiling is not
counted, and printed. Pgx's finished games start anew; of MahJax the first decisions of a round are
played.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import jax
import mahjax
import pgx
from pgx.experimental import act_randomly, auto_reset

import mhing
from mhing.cli import doors
from mhing.cli.bench import rate
from mhing.cli.doors import ROWS, Work

ROUNDS = 5
STEPS = 16
"""Of each piece of work."""

Keys = Iterator[jax.Array]
Advance = Callable[[Any, jax.Array], Any]


def with_keys(function: Any) -> Any:
    """The function of a game for all of them, with a key for each as its last argument."""
    mapped = jax.vmap(function)

    def call(*arguments: Any) -> Any:
        return mapped(*arguments[:-1], jax.random.split(arguments[-1], ROWS))

    return call


def advancing(step: Any) -> Advance:
    """A random legal decision in every game, compiled."""

    def advance(state: Any, key: jax.Array) -> Any:
        choice, own = jax.random.split(key)
        return step(state, act_randomly(choice, state.legal_action_mask), own)

    return jax.jit(advance)


def on_and_on(env: Any, keys: Keys) -> Work:
    """Pgx: rounds one after the other; its states hold observations."""
    advance = advancing(with_keys(auto_reset(env.step, env.init)))
    states = [with_keys(env.init)(next(keys))]

    def play() -> int:
        for _ in range(STEPS):
            states[0] = advance(states[0], next(keys))
        jax.block_until_ready(states[0])
        return ROWS * STEPS

    return play


def openings(env: Any, keys: Keys) -> Work:
    """MahJax: how rounds begin, with the observation of each decision."""
    begin, advance = jax.jit(with_keys(env.init)), advancing(with_keys(env.step))
    look = jax.jit(jax.vmap(env.observe))

    def play() -> int:
        state = begin(next(keys))
        for _ in range(STEPS):
            state = advance(state, next(keys))
            jax.block_until_ready(look(state))
        return ROWS * STEPS

    return play


def main() -> None:
    """Measures everything."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 2
    keys = map(jax.random.key, count(1))
    ours = {name: work for name, _, work in doors.game_works(mhing.Game())}
    works: dict[str, Work] = {
        "ours": ours[doors.BATCH],
        "pgx leduc_holdem": on_and_on(pgx.make("leduc_holdem"), keys),
        "pgx sparrow_mahjong": on_and_on(pgx.make("sparrow_mahjong"), keys),
        "mahjax no_red_mahjong": openings(mahjax.make("no_red_mahjong", round_mode="single"), keys),
    }
    for name, work in works.items():
        begun = time.perf_counter()
        work()
        print(f"{name:24}{time.perf_counter() - begun:5.0f} s until it had played", flush=True)
    rates: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(ROUNDS):
        for name, work in works.items():
            rates[name].append(rate(work, seconds))
    middle = {name: statistics.median(found) for name, found in rates.items()}
    for name, found in middle.items():
        times = middle["ours"] / found
        print(f"{name:24}{found:12,.0f} decisions/s   ours is {times:,.1f} times as fast")


if __name__ == "__main__":
    main()
