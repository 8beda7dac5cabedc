"""Stable-Baselines3 over the batch, and over single environments, in one run.

    OMP_NUM_THREADS=1 taskset -c 0 .venv/bin/python benchmarks/bench_sb3.py [seconds]

First decisions a second of the environments alone, masks asked for as MaskablePPO does, the first
legal action played; next to them the batch itself. Then MaskablePPO learns, with both. Rates are
per second of CPU time, medians of interleaved rounds; each takes 2 seconds by default, learning
three updates. Last, what the example of the page learns: mean reward against random, with its 95 %
interval, on seeds that nothing is learned from, by seconds of learning.
It needs the extra sb3.
"""

from __future__ import annotations

import ast
import re
import statistics
import time
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import report
import torch
from report import Cell, Table, figure
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv, VecMonitor

from mhing.cli.bench import rate
from mhing.cli.doors import Work
from mhing.sb3 import MhingVecEnv

ROUNDS = 5
ROWS = (1, 64, 256)
ID = "mhing:Mhing-v0"
PAGE = Path(__file__).parents[1] / "python/docs/pages/libraries/stable_baselines3.md"

UPDATE = 2048  # decisions
EPISODES = 2000
STEPS = (0, 25_000, 50_000, 100_000)


def tuning() -> dict[str, Any]:
    """The settings of the example on the page, from there."""
    page = PAGE.read_text(encoding="utf-8")
    (call,) = re.findall(r"^tuning = (dict\(.*\))$", page, re.MULTILINE)
    (keywords,) = (
        node.keywords for node in ast.walk(ast.parse(call)) if isinstance(node, ast.Call)
    )
    return {str(each.arg): ast.literal_eval(each.value) for each in keywords}


def batch(rows: int) -> Work:
    """A step of the batch itself."""
    envs = gym.make_vec(ID, num_envs=rows, opponents="random", autoreset_mode="same_step")
    infos = [envs.reset(seed=1)[1]]

    def step() -> int:
        infos[0] = envs.step(infos[0]["action_mask"].argmax(axis=1))[-1]
        return rows

    return step


def adapted(envs: VecEnv) -> Work:
    """A step of an environment of Stable-Baselines3, masks included."""
    envs.seed(1)
    envs.reset()

    def step() -> int:
        envs.step(np.stack(envs.env_method("action_masks")).argmax(axis=1))
        return envs.num_envs

    return step


def learning(envs: VecEnv) -> Work:
    """An update of MaskablePPO: as many decisions, whatever the number of rows."""
    settings = tuning() | {"n_steps": UPDATE // envs.num_envs}
    model = MaskablePPO("MlpPolicy", envs, seed=1, **settings)

    def step() -> int:
        model.learn(UPDATE, reset_num_timesteps=False)
        return UPDATE

    return step


def singles(rows: int) -> VecEnv:
    """As many single environments."""
    return DummyVecEnv([lambda: gym.make(ID, opponents="random")] * rows)


def compare(title: str, kinds: dict[str, Work], seconds: float) -> Table:
    """Each rate, and its ratio to the last one."""
    rates: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(ROUNDS):
        for name, step in kinds.items():
            rates[name].append(rate(step, seconds / ROUNDS))
    middles = {name: statistics.median(values) for name, values in rates.items()}
    last = [*middles.values()][-1]
    rows = [(name, figure(mid), figure(mid / last, 1)) for name, mid in middles.items()]
    return Table(["", "decisions a second", "of the last"], rows, title)


def learn() -> Table:
    """The example's result, and its seconds."""
    envs, held_out = (
        VecMonitor(MhingVecEnv("mhing", 64, opponents="random", hints=True)) for _ in range(2)
    )
    held_out.seed(1_000_000)
    model = MaskablePPO("MlpPolicy", envs, seed=1, **tuning())
    spent = 0.0
    rows: list[list[Cell]] = []
    for steps in STEPS:
        if steps:
            begin = time.process_time()
            model.learn(steps - model.num_timesteps, reset_num_timesteps=False)
            spent += time.process_time() - begin
        rewards, _ = evaluate_policy(model, held_out, EPISODES, return_episode_rewards=True)
        width = 1.96 * np.std(rewards) / EPISODES**0.5
        earned = f"{np.mean(rewards):.3f} ± {width:.3f}"
        rows.append([model.num_timesteps, figure(spent), earned])
    heads = ["decisions", "seconds of CPU", "credits a round"]
    return Table(heads, rows, "The example of the page, held-out deals")


def tables(seconds: float) -> list[Table]:
    """The environments alone, learning, and the example of the page."""
    torch.set_num_threads(1)
    found = []
    for rows in ROWS:
        ours = MhingVecEnv("mhing", rows, opponents="random")
        alone = {
            "batch, same_step": batch(rows),
            "MhingVecEnv": adapted(ours),
            "DummyVecEnv": adapted(singles(rows)),
        }
        found.append(compare(f"{rows} rows", alone, seconds))
        both = {"MhingVecEnv": learning(ours), "DummyVecEnv": learning(singles(rows))}
        found.append(compare(f"{rows} rows, learning", both, seconds))
    return [*found, learn()]


if __name__ == "__main__":
    report.run(__doc__, tables, 2.0)
