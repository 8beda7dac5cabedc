"""The doors of the package, each as work whose speed can be measured."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import gymnasium as gym
from numpy.typing import NDArray

import mhing

Work = Callable[[], int]
"""Does a piece of work and returns how many units it was."""

Measured = tuple[str, str, Work]
"""A measurement: its name, the unit that it counts, the work."""

ROWS = 1024  # of the batch
ENVIRONMENT = "Gymnasium environment, random opponents"
STATES = "states, every seat random"
BATCH = f"batch of {ROWS}, every seat random"


def pick(choices: Sequence[Any] | NDArray[Any]) -> Any:
    """One of them at random, as cheaply as Python can."""
    return choices[int(random.random() * len(choices))]


def game_works(game: mhing.Game) -> Iterator[Measured]:
    """Playing, through each door."""
    yield ENVIRONMENT, "steps", environment_work(game)
    yield STATES, "decisions", state_work(game)
    yield BATCH, "decisions", batch_work(game)


def environment_work(game: mhing.Game) -> Work:
    """Whole episodes of a Gymnasium environment with copied observations and masks."""
    options: dict[str, Any] = {**game.options, "opponents": "random"}
    env = gym.make(mhing.environment_id(game.id), **options)
    env.reset(seed=1)

    def work() -> int:
        _, info = env.reset()
        steps, over = 0, False
        while not over:
            _, _, over, _, info = env.step(pick(info["action_mask"].nonzero()[0]))
            steps += 1
        return steps

    return work


def state_work(game: mhing.Game) -> Work:
    """Whole episodes of states: an observation, the legal actions, one of them at random."""
    seeds = itertools.count(1)

    def work() -> int:
        state = game.new_state(next(seeds))
        decisions = 0
        while not state.is_terminal:
            state.observation()
            state.apply(pick(state.legal_actions()))
            decisions += 1
        return decisions

    return work


def batch_work(game: mhing.Game, *, copy: bool = False) -> Work:
    """A batch that plays all seats, its own arrays as they are: random actions drawn in C."""
    options: dict[str, Any] = {**game.options, "opponents": "self", "copy": copy}
    envs: Any = gym.make_vec(mhing.environment_id(game.id), num_envs=ROWS, **options)
    envs.reset(seed=1)

    def work() -> int:
        for _ in range(100):
            envs.step(envs.sample_actions())
        return 100 * ROWS

    return work
