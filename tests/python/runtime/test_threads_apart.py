"""Threads of Python with an environment each play what they play one after the other.

In free-threaded builds they do so without the lock: no extension module may have brought it back.
"""

from __future__ import annotations

import hashlib
import sys
import sysconfig
import threading

import gymnasium as gym

import mhing  # noqa: F401  registers environments

TASKS = [("Mhing-v0", 1), ("GeneralMhing-v0", 2), ("MexicanRummy-v0", 3), ("Mhing-v0", 4)]


def played(env_id: str, seed: int) -> str:
    """A digest of what a single environment and a batch show while the first legal moves are made.

    Calls of the batch give up Python's lock.
    """
    digest = hashlib.sha256()
    env = gym.make(env_id)
    observation, info = env.reset(seed=seed)
    over = False
    while not over:
        digest.update(observation.tobytes())
        observation, reward, over, _, info = env.step(int(info["action_mask"].argmax()))
        digest.update(repr(float(reward)).encode())
    envs = gym.make_vec(env_id, num_envs=8)
    _, infos = envs.reset(seed=seed)
    for _ in range(100):
        batch, rewards, *_, infos = envs.step(infos["action_mask"].argmax(1))
        digest.update(batch.tobytes() + rewards.tobytes())
    return digest.hexdigest()


def test_threads_with_an_environment_each() -> None:
    alone = [played(*task) for task in TASKS]
    together: dict[int, str] = {}
    begun = threading.Barrier(len(TASKS))

    def play(place: int) -> None:
        begun.wait()
        together[place] = played(*TASKS[place])

    threads = [threading.Thread(target=play, args=(place,)) for place in range(len(TASKS))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [together[place] for place in range(len(TASKS))] == alone
    assert len({*alone}) == len(TASKS)


def test_builds_without_the_lock_stay_without_it() -> None:
    has_lock = getattr(sys, "_is_gil_enabled", lambda: True)()
    assert has_lock == (not sysconfig.get_config_var("Py_GIL_DISABLED"))
