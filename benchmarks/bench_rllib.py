"""RLlib over the batch, with columns and with episodes, and over single environments, in one run.

    OMP_NUM_THREADS=1 taskset -c 0 build/rllib/bin/python benchmarks/bench_rllib.py [updates]

One process plays and learns, as on the page; the network has two layers of 64. Decisions per second
of CPU time, medians of interleaved updates of 4,096 decisions (5 of them by default): first of
playing alone, then of playing and learning, three epochs in minibatches of 1,024. It needs the
extra rllib; `.ci/rllib` makes the environment.
"""

from __future__ import annotations

import logging
import statistics
import time
from typing import Any

import ray
import report
from ray.rllib.algorithms.ppo import PPO, PPOConfig
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from report import Table, figure

from mhing import rllib

DECISIONS = 4096
TUNING: dict[str, Any] = {
    "train_batch_size": DECISIONS,
    "minibatch_size": 1024,
    "num_epochs": 3,
    "lr": 1e-3,
    "gamma": 1.0,
    "lambda_": 0.95,
    "entropy_coeff": 0.01,
    "use_kl_loss": False,
    "grad_clip": 0.5,
}


def ways() -> dict[str, PPOConfig]:
    """The ways that are compared, the plain one last."""
    found = {
        f"{rows} rows, {name}": rllib.ppo_config(
            "mhing", rows, columns=name == "columns", opponents="random"
        )
        for rows in (64, 256)
        for name in ("columns", "episodes")
    }
    plain = rllib.ppo_config("mhing", 8, columns=False, opponents="random")
    found["8 single environments"] = plain.env_runners(gym_env_vectorize_mode="sync")
    return found


def build(config: PPOConfig) -> PPO:
    """The algorithm, after its first update."""
    model = DefaultModelConfig(fcnet_hiddens=[64, 64], vf_share_layers=False)
    algorithm = (
        config.training(**TUNING).rl_module(model_config=model).debugging(seed=1).build_algo()
    )
    algorithm.train()
    return algorithm


def rates(algorithm: PPO) -> tuple[float, float]:
    """Decisions per second of CPU time, playing alone and learning."""
    begin = time.process_time()
    played = sum(len(part) for part in algorithm.env_runner.sample(num_timesteps=DECISIONS))
    alone = time.process_time() - begin
    algorithm.env_runner.get_metrics()  # or the update would report these decisions as well
    begin = time.process_time()
    learned = algorithm.train()["env_runners"]["num_env_steps_sampled"]
    return played / alone, learned / (time.process_time() - begin)


def tables(updates: int) -> list[Table]:
    """A row for each way."""
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    algorithms = {name: build(config) for name, config in ways().items()}
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in algorithms}
    for _ in range(updates):
        for name, algorithm in algorithms.items():
            found[name].append(rates(algorithm))
    rows = []
    for name, pairs in found.items():
        playing, learning = map(statistics.median, zip(*pairs, strict=True))
        rows.append((name, figure(playing), figure(learning)))
    return [Table(["decisions a second", "playing", "learning"], rows)]


if __name__ == "__main__":
    report.run(__doc__, tables, 5, "updates")
