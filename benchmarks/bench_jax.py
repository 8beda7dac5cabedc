"""JAX over the batch, and the batch stepped from Python, in one run.

    OMP_NUM_THREADS=1 taskset -c 0 .venv/bin/python benchmarks/bench_jax.py [seconds]

Decisions a second of Mhing among random bots, by 256 and 1,024 rows: the batch alone, its actions
drawn by fixed logits; a rollout of `mhing.jax` by fixed logits, and by those of a network with 64
units; the same network, compiled, in a loop in Python; and both with the actions drawn by JAX. Each
rate comes with its ratio to the first one. Rates are per second of CPU time, medians of interleaved
rounds; each takes 2 seconds by default. It needs the extra jax.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np
import report
from report import Table, figure

from mhing.cli.bench import rate
from mhing.cli.doors import Work
from mhing.jax import EnvState, VecEnv

ROUNDS = 5
ROWS = (256, 1024)
STEPS = 32
"""Of each rollout."""

Logits = Callable[[jax.Array], jax.Array]


def network(env: VecEnv) -> Logits:
    """Logits by 64 units."""
    first, last = jax.random.split(jax.random.key(1))
    into = 0.05 * jax.random.normal(first, (env.game.observation_size, 64))
    out = 0.05 * jax.random.normal(last, (64, env.game.num_actions))
    return lambda seen: jnp.tanh(seen.astype(jnp.float32) @ into) @ out


def drawn(key: jax.Array, logits: jax.Array, mask: jax.Array) -> jax.Array:
    """Actions drawn by JAX."""
    return jax.random.categorical(key, jnp.where(mask, logits, -jnp.inf))


def batch(rows: int, **settings: Any) -> Any:
    """The native batch, and its first observations and infos."""
    envs = gym.make_vec("mhing:Mhing-v0", num_envs=rows, opponents="random", copy=False, **settings)
    return envs, *envs.reset(seed=1)


def alone(rows: int) -> Work:
    """The batch, its actions drawn by fixed logits."""
    envs, _, infos = batch(rows, autoreset_mode="same_step")
    logits = np.zeros(infos["action_mask"].shape, np.float32)

    def play() -> int:
        for _ in range(STEPS):
            envs.step(envs.sample_actions(logits=logits))
        return rows * STEPS

    return play


def scanned(env: VecEnv, decide: Callable[[EnvState, jax.Array], EnvState]) -> Work:
    """Rollouts by `jax.lax.scan`; `decide` makes a step, given a new key."""

    @jax.jit
    def rollout(state: EnvState, key: jax.Array) -> tuple[EnvState, jax.Array]:
        after, key = jax.random.split(key)
        keys = jax.random.split(key, STEPS)
        return jax.lax.scan(lambda now, k: (decide(now, k), None), state, keys)[0], after

    carry = [rollout(env.reset(seed=1), jax.random.key(1))]

    def play() -> int:
        carry[0] = jax.block_until_ready(rollout(*carry[0]))
        return env.num_envs * STEPS

    return play


def looped(rows: int, logits: Logits, in_core: bool) -> Work:
    """A loop in Python around the compiled network; actions drawn in the core, or by JAX."""
    envs, *seen = batch(rows, autoreset_mode="same_step")
    weigh = jax.jit(logits)

    @jax.jit
    def choose(observations: jax.Array, mask: jax.Array, key: jax.Array) -> Any:
        key, own = jax.random.split(key)
        return drawn(own, logits(observations), mask == 1), key

    keys = [jax.random.key(1)]

    def play() -> int:
        for _ in range(STEPS):
            if in_core:
                actions = envs.sample_actions(logits=weigh(seen[0]))
            else:
                actions, keys[0] = choose(seen[0], seen[1]["action_mask"], keys[0])
            seen[0], _, _, _, seen[1] = envs.step(actions)
        return rows * STEPS

    return play


def kinds(rows: int) -> dict[str, Work]:
    """All that is measured, by name."""
    envs = [VecEnv("mhing", rows, opponents="random") for _ in range(3)]
    logits = network(envs[0])
    fixed = jnp.zeros((rows, envs[0].game.num_actions))

    def by_jax(state: EnvState, key: jax.Array) -> EnvState:
        return envs[2].step(state, drawn(key, logits(state.observation), state.action_mask))

    return {
        "batch alone": alone(rows),
        "scan, no network": scanned(envs[0], lambda now, _: envs[0].sample_step(now, fixed)[0]),
        "scan": scanned(
            envs[1], lambda now, _: envs[1].sample_step(now, logits(now.observation))[0]
        ),
        "loop in Python": looped(rows, logits, in_core=True),
        "scan, drawn by JAX": scanned(envs[2], by_jax),
        "loop in Python, drawn by JAX": looped(rows, logits, in_core=False),
    }


def tables(seconds: float) -> list[Table]:
    """A table for each number of rows."""
    found = []
    for rows in ROWS:
        plays = kinds(rows)
        rates: dict[str, list[float]] = {name: [] for name in plays}
        for play in plays.values():
            play()
        for _ in range(ROUNDS):
            for name, play in plays.items():
                rates[name].append(rate(play, seconds / ROUNDS))
        middles = {name: statistics.median(values) for name, values in rates.items()}
        first = middles["batch alone"]
        lines = [(name, figure(mid), figure(mid / first, 2)) for name, mid in middles.items()]
        found.append(Table(["", "decisions a second", "of the batch alone"], lines, f"{rows} rows"))
    return found


if __name__ == "__main__":
    report.run(__doc__, tables, 2.0)
