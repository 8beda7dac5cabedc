"""Threads of the core: never more than the machine has a use for, however many are asked for."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

import mhing
from mhing._lib.binding import max_threads

TASKS = Path("/proc/self/task")  # an entry for each thread of this process
HUGE = 2**31 - 1

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="threads are counted by /proc")


def most_threads_during(work: Callable[[], object]) -> int:
    """The most threads that this process had at once while it did the work, its own not counted."""
    before, seen, over = len(list(TASKS.iterdir())), [0], threading.Event()

    def count() -> None:
        while not over.is_set():
            seen.append(len(list(TASKS.iterdir())) - before - 1)

    counter = threading.Thread(target=count)
    counter.start()
    try:
        work()
    finally:
        over.set()
        counter.join()
    return max(seen)


def test_the_machine_sets_the_limit() -> None:
    assert max_threads() == max(4, os.cpu_count() or 1)


def test_a_batch_has_no_more_threads_than_are_of_use() -> None:
    before = len(list(TASKS.iterdir()))
    envs = gym.make_vec("Mhing-v0", num_envs=3000, num_threads=HUGE)
    assert len(list(TASKS.iterdir())) - before == max_threads() - 1
    few = gym.make_vec("Mhing-v0", num_envs=3000)
    for batch in (envs, few):
        batch.reset(seed=1)
        batch.step(batch.unwrapped.sample_actions())
    np.testing.assert_array_equal(envs.unwrapped.observe()[0], few.unwrapped.observe()[0])


def test_play_outs_have_no_more_threads_than_are_of_use() -> None:
    """So few that C plays them at once: threads of an earlier part may still be counted."""
    state = mhing.Game().new_state(1)
    found = []
    count = most_threads_during(
        lambda: found.append(state.play_outs("random", 16, seed=1, num_threads=HUGE))
    )
    assert count < max_threads()
    np.testing.assert_array_equal(found[0], state.play_outs("random", 16, seed=1))
