"""Remakes the table of libraries on the page python/docs/pages/libraries/index.md.

    .venv/bin/python benchmarks/bench_libraries.py             all rows, some minutes
    .venv/bin/python benchmarks/bench_libraries.py sb3 jax     these rows; the others stay

A row has its place in `ROWS`, and a page of documentation. To add a library:

1. Write its page. At most one block of Python on it learns. It prints how far it is in lines such
   as ``2048 decisions: 1.45 points a round`` (or ``1.45 ± 0.08 points a round``), the first one
   before anything is learnt, the last one at the end. It is run as it stands on the page.
2. Write a function here that makes the environment and returns a function: some steps of
   the environment alone, through everything that the library needs of it, returning how many
   decisions that were. Play Mhing with four seats, and against ``opponents="random"`` if the
   library sees one seat, so that rows can be compared.
3. Add a row to `ROWS`. Its `typed` are lines of code that stand on the page.
4. Run this command with the row's name, where the library is installed.

Everything runs with one thread, each half of a row in a new process. Seconds are of CPU time
in this process: an example has to learn without others. The rate of an environment is the median of
five rounds. That of learning, and its seconds, go from the first line that the example prints to
the last, with what it does in between to measure itself.
"""
# ruff: noqa: PLC0415  # a library is imported where it is measured, so that the others may be missing

from __future__ import annotations

import argparse
import contextlib
import datetime
import io
import multiprocessing
import os
import runpy
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from mhing.cli import bench
from mhing.cli.doors import Work
from mhing.machine import machine

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests/python/helpers"))

import pages  # noqa: E402  # the reader of pages that the tests have

OVERVIEW = ROOT / "python/docs/pages/libraries/index.md"
ROUNDS = 5
ID = "mhing:Mhing-v0"


# ---- The environments alone ------------------------------------------------------------------


def gymnasium() -> Work:
    """An episode of one seat, the first legal action."""
    import gymnasium as gym

    env = gym.make(ID, opponents="random")

    def play() -> int:
        _, info = env.reset()
        decisions, over = 0, False
        while not over:
            _, _, over, _, info = env.step(info["action_mask"].argmax())
            decisions += 1
        return decisions

    return play


def pettingzoo() -> Work:
    """An episode of all seats, `last()` before each step."""
    from bench_pettingzoo import in_turn

    from mhing import mhing_v0

    env = mhing_v0.env()
    return lambda: in_turn(env)


def supersuit() -> Work:
    """The same through four wrappers, masks from infos."""
    import numpy as np
    from supersuit import agent_indicator_v0, dtype_v0, frame_stack_v2, normalize_obs_v0

    from mhing import mhing_v0

    env = normalize_obs_v0(dtype_v0(mhing_v0.env(obs_mode="flat"), np.float32))
    env = agent_indicator_v0(frame_stack_v2(env, 4))

    def play() -> int:
        env.reset()
        decisions = 0
        for _ in env.agent_iter():
            _, _, over, _, info = env.last()
            env.step(None if over else int(info["action_mask"].argmax()))
            decisions += not over
        return decisions

    return play


def sb3() -> Work:
    """A step of 64 rows, masks asked for as MaskablePPO does."""
    import numpy as np

    from mhing.sb3 import MhingVecEnv

    envs = MhingVecEnv("mhing", 64, opponents="random")
    envs.reset()

    def play() -> int:
        envs.step(np.stack(envs.env_method("action_masks")).argmax(axis=1))
        return 64

    return play


def cleanrl() -> Work:
    """A step of 64 rows of the batch itself."""
    import gymnasium as gym

    envs = gym.make_vec(ID, 64, opponents="random", autoreset_mode="same_step")
    infos = [envs.reset()[1]]

    def play() -> int:
        infos[0] = envs.step(infos[0]["action_mask"].argmax(axis=1))[-1]
        return 64

    return play


def torchrl() -> Work:
    """A step of 64 rows, and the reset of those that are over, as collectors do it."""
    from mhing.torchrl import MhingEnv

    env = MhingEnv("mhing", num_envs=64, opponents="random")
    state = [env.reset()]

    def play() -> int:
        seen = state[0]
        _, state[0] = env.step_and_maybe_reset(
            seen.set("action", seen["action_mask"].byte().argmax(1))
        )
        return 64

    return play


def jax() -> Work:
    """A rollout of 64 rows for 32 steps, actions drawn by logits."""
    import jax
    import jax.numpy as jnp

    from mhing.jax import EnvState, VecEnv

    env = VecEnv("mhing", 64, opponents="random")
    logits = jnp.zeros((64, env.game.num_actions))

    @jax.jit
    def rollout(state: EnvState) -> Any:
        return jax.lax.scan(lambda now, _: env.sample_step(now, logits), state, length=32)

    states = [env.reset()]

    def play() -> int:
        states[0] = jax.block_until_ready(rollout(states[0]))[0]
        return 32 * 64

    return play


def rllib() -> Work:
    """A step of 64 rows, as mhing.rllib.ColumnRunner steps them."""
    import gymnasium as gym

    envs = gym.make_vec(
        ID, num_envs=64, opponents="random", obs_mode="dict", autoreset_mode="same_step"
    )
    seen = [envs.reset()[0]]

    def play() -> int:
        seen[0] = envs.step(seen[0]["action_mask"].argmax(axis=1))[0]
        return 64

    return play


def tianshou() -> Work:
    """A step of eight environments, in Tianshou's vector."""
    import gymnasium as gym
    import numpy as np
    from tianshou.env import DummyVectorEnv

    def make() -> Any:
        env = gym.make(ID, opponents="random", obs_mode="dict")
        return gym.wrappers.TransformObservation(
            env, lambda seen: {"obs": seen["observation"], "mask": seen["action_mask"]}, None
        )

    envs = DummyVectorEnv([make] * 8)
    seen, _ = envs.reset()

    def play() -> int:
        seen[:], _, terminated, _, _ = envs.step(np.array([row["mask"].argmax() for row in seen]))
        over = terminated.nonzero()[0]
        if over.size:
            seen[over], _ = envs.reset(over)
        return 8

    return play


def openspiel() -> Work:
    """An episode of all seats, with observations as tensors."""
    import random

    import pyspiel

    import mhing.openspiel

    game = pyspiel.load_game("python_mhing(num_players=4)")
    rng = random.Random(1)

    def play() -> int:
        state, decisions = game.new_initial_state(), 0
        state.apply_action(rng.randrange(mhing.openspiel.DEALS))
        while not state.is_terminal():
            state.observation_tensor()
            state.apply_action(rng.choice(state.legal_actions()))
            decisions += 1
        return decisions

    return play


def data() -> Work:
    """500 games by random bots, to a Parquet file."""
    from mhing.data import Games, Parquet, write_parquet

    path = Path("games.parquet")

    def play() -> int:
        path.unlink(missing_ok=True)
        write_parquet(path, Games("mhing", "random", games=500))
        return sum(len(batch["action"]) for batch in Parquet(path).batches())

    return play


# ---- The rows --------------------------------------------------------------------------------


class Row(NamedTuple):
    """A library: how it is called, its page, what one types, and its environment alone."""

    title: str
    page: str
    typed: tuple[str, ...]
    alone: Callable[[], Work]


ROWS = {
    "gymnasium": Row(
        "Gymnasium",
        "gymnasium.md",
        ('env = gym.make("mhing:Mhing-v0", opponents="random")',),
        gymnasium,
    ),
    "pettingzoo": Row(
        "PettingZoo", "pettingzoo.md", ("env = mhing_v0.env(num_players=4)",), pettingzoo
    ),
    "supersuit": Row(
        "SuperSuit",
        "pettingzoo.md#supersuit",
        ('env = mhing_v0.env(obs_mode="flat")', "env = supersuit.frame_stack_v2(env, 4)"),
        supersuit,
    ),
    "sb3": Row(
        "Stable-Baselines3",
        "stable_baselines3.md",
        ('MhingVecEnv("mhing", num_envs=64, opponents="random", hints=True)',),
        sb3,
    ),
    "cleanrl": Row(
        "CleanRL",
        "cleanrl.md",
        (
            'envs = gym.make_vec(env_id, num_envs, autoreset_mode="same_step", **settings)',
            "return self.actor(x / high).masked_fill(mask == 0, -1e9)",
        ),
        cleanrl,
    ),
    "torchrl": Row(
        "TorchRL",
        "torchrl.md",
        ('MhingEnv("general_mhing", num_envs=64, opponents="random", hints=True)',),
        torchrl,
    ),
    "jax": Row(
        "JAX",
        "jax.md",
        ('VecEnv("mhing", num_envs=1024, opponents="random", hints=True)',),
        jax,
    ),
    "rllib": Row(
        "RLlib",
        "rllib.md",
        ('rllib.ppo_config("mhing", num_envs=64, opponents="random", hints=True)',),
        rllib,
    ),
    "tianshou": Row(
        "Tianshou",
        "tianshou.md",
        ('gym.make("mhing:GeneralMhing-v0", opponents="random", obs_mode="dict")',),
        tianshou,
    ),
    "openspiel": Row(
        "OpenSpiel",
        "openspiel.md",
        ('pyspiel.load_game("python_general_mhing(num_players=2)")',),
        openspiel,
    ),
    "data": Row(
        "Parquet, Minari",
        "../tutorials/data.md",
        ("mhing record mhing --bots expert,greedy --games 200 --out games.parquet",),
        data,
    ),
}


def page_of(row: Row) -> str:
    """The path of its page in the repository."""
    page = OVERVIEW.parent / row.page.partition("#")[0]
    return str(page.resolve().relative_to(ROOT))


def example(row: Row) -> str | None:
    """The block of the row's page that learns, if there is one."""
    block = None if "#" in row.page else pages.learning(page_of(row))
    return block.code if block else None


# ---- Measuring -------------------------------------------------------------------------------


class Learnt(NamedTuple):
    """The output of an example."""

    decisions: int
    seconds: float
    before: str
    after: str
    unit: str

    def cells(self) -> list[str]:
        """Steps a second, what was learnt, seconds."""
        gained = f"{self.before} → {self.after} {self.unit}"
        return [f"{self.decisions / self.seconds:,.0f}", gained, f"{self.seconds:.2g}"]


class Clock(io.TextIOBase):
    """Takes what is printed, and the CPU time of each line."""

    def __init__(self) -> None:
        self.lines: list[tuple[float, str]] = []
        self._rest = ""

    def write(self, text: str) -> int:
        """Some text, with or without ends of lines."""
        *lines, self._rest = (self._rest + text).split("\n")
        self.lines += [(time.process_time(), line) for line in lines]
        return len(text)


def learnt(lines: Iterable[tuple[float, str]]) -> Learnt:
    """The figures of the first and the last line that have one."""
    found = [(at, said) for at, text in lines if (said := pages.SAID.fullmatch(text))]
    if len(found) < 2:
        raise ValueError(
            f"{len(found)} lines such as '2048 decisions: 1.45 points a round'; expected two"
        )
    (begin, first), (end, last) = found[0], found[-1]
    decisions = int(last[1]) - int(first[1])
    return Learnt(decisions, end - begin, first[2] + first[3], last[2] + last[3], last[4])


def learn(code: str) -> Learnt:
    """Runs an example in this process, in the folder that is current."""
    path, clock = Path("example.py"), Clock()
    path.write_text(code, encoding="utf-8")
    with contextlib.redirect_stdout(clock):
        runpy.run_path(str(path), run_name="__main__")
    return learnt(clock.lines)


def rate(alone: Callable[[], Work], seconds: float) -> float:
    """Decisions per second of CPU time."""
    play = alone()
    play()
    return statistics.median(bench.rate(play, seconds / ROUNDS) for _ in range(ROUNDS))


def elsewhere(work: Callable[..., Any], *arguments: Any) -> Any:
    """The result of a function in a new process and a new folder, with one thread."""
    os.environ["OMP_NUM_THREADS"] = "1"
    spawn = multiprocessing.get_context("spawn")
    with (
        tempfile.TemporaryDirectory() as folder,
        ProcessPoolExecutor(1, spawn, initializer=os.chdir, initargs=(folder,)) as process,
    ):
        return process.submit(work, *arguments).result()


def measure(row: Row, seconds: float) -> str:
    """The row's line of the table."""
    code = example(row)
    cells = [
        f"[{row.title}]({row.page})",
        "<br>".join(f"`{line}`" for line in row.typed),
        f"{elsewhere(rate, row.alone, seconds):,.0f}",
        *(elsewhere(learn, code).cells() if code else ["", "", ""]),
        datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
    ]
    return f"| {' | '.join(cells)} |"


# ---- The page --------------------------------------------------------------------------------

HEADS = [
    "| library | what you type | steps a second | learning | its example learns | seconds | date |",
    "|---|---|---:|---:|---|---:|---|",
]
BEGIN, END = "<!-- libraries -->\n", "<!-- end -->"


def written(page: str, lines: dict[str, str]) -> str:
    """The page with these lines, by the names of their rows, and the others as they are."""
    before, begin, rest = page.partition(BEGIN)
    table, end, after = rest.partition(END)
    old = table.splitlines()
    for name, row in ROWS.items():
        for line in old:
            if line.startswith(f"| [{row.title}]("):
                lines.setdefault(name, line)
    rows = [lines[name] for name in ROWS if name in lines]
    return f"{before}{begin}\n{chr(10).join([*HEADS, *rows])}\n\n{end}{after}"


def main(arguments: list[str] | None = None) -> int:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(description="Remakes the table of libraries on their page.")
    parser.add_argument("names", metavar="NAME", nargs="*", help=f"rows: {', '.join(ROWS)}")
    parser.add_argument("--seconds", type=float, default=2, help="for each environment alone")
    given = parser.parse_args(arguments)
    if unknown := [name for name in given.names if name not in ROWS]:
        parser.error(f"no row {unknown[0]!r}; there are {', '.join(ROWS)}")
    print(f"{machine()}, one thread", flush=True)
    missing = 0
    for name in given.names or ROWS:
        try:
            line = measure(ROWS[name], given.seconds)
        except ModuleNotFoundError as error:
            print(f"{name}: {error}; its row stays as it is", file=sys.stderr)
            missing += 1
            continue
        print(line, flush=True)
        page = OVERVIEW.read_text(encoding="utf-8")
        OVERVIEW.write_text(written(page, {name: line}), encoding="utf-8")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
