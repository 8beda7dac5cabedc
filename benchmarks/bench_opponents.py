"""Frozen networks as opponents in a batch: asked once for all rows that wait, or row by row.

    OMP_NUM_THREADS=1 taskset -c 0 .venv/bin/python benchmarks/bench_opponents.py [seconds]

The learner plays random legal actions; the three other seats are one frozen policy: a linear one in
NumPy, or a net with 64 hidden units in an ONNX file. Rates are the learner's steps per second of
CPU time, medians of interleaved rounds of the same run; each takes 2 seconds by default.
It needs the packages onnx and onnxruntime.
"""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import onnx
import report
from numpy.typing import NDArray
from report import Cell, Table, figure

import mhing
from mhing.cli.bench import rate
from mhing.cli.doors import Work
from mhing.players import Policy
from mhing.players.onnx import OnnxPolicy

ROUNDS = 5
ROWS = (64, 1024)
GAME = mhing.Game("mhing")
HIDDEN = 64


class Linear:
    """Plays the legal action with the largest logit of a linear policy."""

    def __init__(self) -> None:
        shape = (GAME.observation_size, GAME.num_actions)
        self._weights = np.random.default_rng(1).normal(size=shape).astype(np.float32)

    def choose_rows(
        self, observations: NDArray[np.uint8], masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """One product for all rows."""
        logits = observations.astype(np.float32) @ self._weights
        actions: NDArray[np.int64] = np.where(masks, logits, -np.inf).argmax(axis=1)
        return actions

    def __call__(
        self, observation: NDArray[np.uint8], mask: NDArray[np.int8], info: dict[str, Any]
    ) -> int:
        """The same for one row."""
        return int(self.choose_rows(observation[None], mask[None])[0])


def write_net(path: Path) -> None:
    """A net with one hidden layer and random weights."""
    helper, kinds, random = onnx.helper, onnx.TensorProto, np.random.default_rng(1)
    sizes = (GAME.observation_size, HIDDEN, GAME.num_actions)
    weights = [
        onnx.numpy_helper.from_array(random.normal(size=shape).astype(np.float32), name)
        for name, shape in (("first", sizes[:2]), ("second", sizes[1:]))
    ]
    nodes = [
        helper.make_node("MatMul", ["observation", "first"], ["sums"]),
        helper.make_node("Relu", ["sums"], ["hidden"]),
        helper.make_node("MatMul", ["hidden", "second"], ["logits"]),
    ]
    taken = helper.make_tensor_value_info("observation", kinds.FLOAT, ["rows", sizes[0]])
    given = helper.make_tensor_value_info("logits", kinds.FLOAT, ["rows", sizes[2]])
    graph = helper.make_graph(nodes, "net", [taken], [given], weights)
    opset = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=8), path)


def row_by_row(policy: Any) -> Policy:
    """The same policy without the method that answers for many rows."""
    return lambda observation, mask, info: int(policy(observation, mask, info))


def steps(envs: Any) -> Work:
    """A step of the learner's in all rows."""

    def work() -> int:
        envs.step(envs.sample_actions())
        return int(envs.num_envs)

    return work


def tables(seconds: float) -> list[Table]:
    """A row for each policy and number of rows."""
    with tempfile.TemporaryDirectory() as folder:
        write_net(Path(folder) / "net.onnx")
        net = OnnxPolicy(str(Path(folder) / "net.onnx"), GAME)
    policies = {"linear policy, NumPy": Linear(), f"net of {HIDDEN} units, ONNX": net}
    lines: list[list[Cell]] = []
    for rows in ROWS:
        for name, policy in policies.items():
            pair: list[Any] = [
                gym.make_vec("mhing:Mhing-v0", num_envs=rows, opponents=asked, copy=False)
                for asked in (policy, row_by_row(policy))
            ]
            for envs in pair:
                envs.reset(seed=1)
            works = [*map(steps, pair)]
            rates = [[rate(work, seconds / ROUNDS) for work in works] for _ in range(ROUNDS)]
            once, single = (statistics.median(column) for column in zip(*rates, strict=True))
            ratio = figure(once / single, 1)
            lines.append([f"{rows} rows, {name}", figure(once), figure(single), ratio])
    return [Table(["steps a second", "at once", "row by row", "ratio"], lines)]


if __name__ == "__main__":
    report.run(__doc__, tables, 2.0)
