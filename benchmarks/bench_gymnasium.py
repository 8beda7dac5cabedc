"""The single Gymnasium environment against a do-nothing C environment behind the same API.

    taskset -c 0 .venv/bin/python benchmarks/bench_gymnasium.py [seconds a measurement, default 1]

The floor is what Gymnasium's default wrappers, one CFFI call a step, two array copies and an info
dict cost when the C step writes arrays of the same sizes and plays nothing. Rates are steps per
second of CPU time, medians of interleaved rounds of the same run. Also printed: the time from
`import mhing` to the first step, in a fresh process that has imported gymnasium and numpy before.
The floor is compiled on the spot: it needs a C compiler and setuptools.
"""

from __future__ import annotations

import importlib.util
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import cffi
import gymnasium as gym
import numpy as np
import report
from report import Cell, Table, figure, met

from mhing.cli.bench import rate
from mhing.cli.doors import Work

ROUNDS = 5
GOAL = 0.8
"""Of the floor, among random bots."""
STEPS = 500
NAMES = (
    "Mhing-v0, the other seats random",
    "Mhing-v0, the other seats greedy",
    "do-nothing C environment",
)

FLOOR_C = """
#include <stdint.h>
#include <string.h>
int floor_step(int32_t *action, uint8_t *observation, int size, int8_t *mask, int actions,
               float *reward)
{
    memset(observation, *action & 1, size);
    memset(mask, 1, actions);
    *reward = 0;
    return 0;
}
"""

FIRST_STEP = """
import time, gymnasium, numpy
begin = time.perf_counter()
import mhing
env = gymnasium.make("Mhing-v0")
_, info = env.reset(seed=1)
env.step(int(info["action_mask"].argmax()))
print(time.perf_counter() - begin)
"""


def build_floor(folder: str) -> str:
    """Compiles the do-nothing C step into a CFFI module in API mode; returns its path."""
    ffi = cffi.FFI()
    ffi.cdef("int floor_step(int32_t *, uint8_t *, int, int8_t *, int, float *);")
    ffi.set_source("mhing_floor", FLOOR_C, extra_compile_args=["-O3"])
    path: str = ffi.compile(tmpdir=folder)
    return path


def load_floor(path: str) -> Any:
    """The module that build_floor has made."""
    spec = importlib.util.spec_from_file_location("mhing_floor", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class FloorEnv(gym.Env[Any, Any]):
    """Steps that cost only what every environment of these sizes must cost."""

    def __init__(self, module: Any, size: int, actions: int) -> None:
        self.observation_space = gym.spaces.Box(0, 255, (size,), np.uint8)
        self.action_space = gym.spaces.Discrete(actions)
        self._observation = np.zeros(size, np.uint8)
        self._mask = np.ones(actions, np.int8)
        self._action, self._reward = np.zeros(1, np.int32), np.zeros(1, np.float32)
        self._lib, ffi = module.lib, module.ffi
        self._arguments = (
            ffi.from_buffer("int32_t[]", self._action),
            ffi.from_buffer("uint8_t[]", self._observation),
            size,
            ffi.from_buffer("int8_t[]", self._mask),
            actions,
            ffi.from_buffer("float[]", self._reward),
        )

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Starts nothing."""
        super().reset(seed=seed)
        return self._observation.copy(), {"action_mask": self._mask.copy()}

    def step(self, action: int) -> Any:
        """One C call, two copies, one dict."""
        self._action[0] = action
        self._lib.floor_step(*self._arguments)
        info = {"action_mask": self._mask.copy()}
        return self._observation.copy(), float(self._reward[0]), False, False, info


def steps(env: gym.Env[Any, Any], choose: Callable[[dict[str, Any]], int]) -> Work:
    """Steps of an environment, resets included."""
    infos = [env.reset()[1]]

    def work() -> int:
        for _ in range(STEPS):
            _, _, terminated, _, infos[0] = env.step(choose(infos[0]))
            if terminated:
                _, infos[0] = env.reset()
        return STEPS

    return work


def first_legal(info: dict[str, Any]) -> int:
    """The cheapest legal choice, so that the environment is measured and not the choosing."""
    return int(info["action_mask"].argmax())


def make_envs(floor: str) -> dict[str, gym.Env[Any, Any]]:
    """The environments that are compared, by name, with Gymnasium's default wrappers and reset."""
    random, greedy = (gym.make("mhing:Mhing-v0", opponents=bot) for bot in ("random", "greedy"))
    size = random.unwrapped.game.observation_size  # type: ignore[attr-defined]
    actions = random.action_space.n  # type: ignore[attr-defined]
    module = load_floor(floor)
    gym.register("Floor-v0", entry_point=lambda **_: FloorEnv(module, size, actions))
    envs = dict(zip(NAMES, (random, greedy, gym.make("Floor-v0")), strict=True))
    for env in envs.values():
        env.reset(seed=1)
    return envs


def tables(seconds: float) -> list[Table]:
    """Steps, and the time to the first one."""
    with tempfile.TemporaryDirectory() as folder:
        envs = make_envs(build_floor(folder))
        rates: dict[str, list[float]] = {name: [] for name in envs}
        for _ in range(ROUNDS):
            for name, env in envs.items():
                rates[name].append(rate(steps(env, first_legal), seconds / ROUNDS))
    middle = {name: statistics.median(values) for name, values in rates.items()}
    rows: list[list[Cell]] = []
    for name, found in middle.items():
        ratio = found / middle[NAMES[-1]]
        goal = [figure(GOAL, 1), met(ratio >= GOAL)] if name == NAMES[0] else [None, None]
        rows.append([name, figure(found), figure(ratio, 2), *goal])
    command = [sys.executable, "-c", FIRST_STEP]
    times = [float(subprocess.check_output(command)) for _ in range(ROUNDS)]
    return [
        Table(["environment", "steps a second", "of the floor", "goal", "met"], rows),
        Table(
            ["", "seconds"],
            [["import mhing to the first step", figure(statistics.median(times), 3)]],
        ),
    ]


if __name__ == "__main__":
    report.run(__doc__, tables, 1.0)
