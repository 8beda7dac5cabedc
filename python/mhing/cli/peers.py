"""Environments by others, each played in its usual way, to compare with ours.

A step of a peer is what a step of ours is: the decision of one player at random among the legal
ones, with the observation and the legal actions that it was chosen from. Chance and the steps of
agents that are out are not counted; starting the next episode is part of the time.

No peer is needed for anything else. They are imported when they are measured.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np

from mhing.cli.doors import BATCH, ENVIRONMENT, ROWS, STATES, Work, pick


@dataclass(frozen=True)
class Peer:
    """An environment of others."""

    name: str
    unit: str
    package: str
    """The name that pip installs."""
    module: str
    """The name that Python imports."""
    door: str
    """The door of ours that does the same."""
    make: Callable[[Any], Work]
    """The work, from the module."""

    @property
    def installed(self) -> bool:
        """Return whether Python finds the module."""
        return importlib.util.find_spec(self.module.partition(".")[0]) is not None

    def work(self) -> Work:
        """Import the peer and make it ready; raise whatever stands in the way."""
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")  # its warnings and greetings are not ours
            return self.make(importlib.import_module(self.module))


def cartpole(module: Any) -> Work:
    """Gymnasium's best-known environment: two actions, no rules to speak of."""
    env: gym.Env[Any, Any] = module.make("CartPole-v1")
    env.reset(seed=1)

    def work() -> int:
        env.reset()
        steps, over = 0, False
        while not over:
            _, _, terminated, truncated, _ = env.step(pick((0, 1)))
            over = terminated or truncated
            steps += 1
        return steps

    return work


def envpool_cartpole(module: Any) -> Work:
    """The same in a C++ batch, played by one thread."""
    envs = module.make("CartPole-v1", "gymnasium", num_envs=ROWS, num_threads=1, seed=1)
    envs.reset()
    random = np.random.default_rng(1)

    def work() -> int:
        for _ in range(10):
            envs.step(random.integers(0, 2, ROWS))
        return 10 * ROWS

    return work


def gymnasium_vector(module: Any) -> Work:
    """The same in a NumPy batch, by Gymnasium itself."""
    envs = module.make_vec("CartPole-v1", ROWS, "vector_entry_point")
    envs.reset(seed=1)
    random = np.random.default_rng(1)

    def work() -> int:
        for _ in range(10):
            envs.step(random.integers(0, 2, ROWS))
        return 10 * ROWS

    return work


def envpool_cards(task: str) -> Callable[[Any], Work]:
    """Return the maker of a card game in a C++ batch, played by one thread."""

    def make(module: Any) -> Work:
        envs = module.make(task, "gymnasium", num_envs=ROWS, num_threads=1, seed=1)
        _, info = envs.reset()
        random = np.random.default_rng(1)

        def work() -> int:
            nonlocal info
            for _ in range(10):
                mask = info["legal_action_mask"]
                actions = (random.random(mask.shape) * mask).argmax(1)
                *_, info = envs.step(actions)
            return 10 * ROWS

        return work

    return make


def fastcatan_batch(module: Any) -> Work:
    """Catan for four in a C++ batch: masks and steps alone, without observations.

    Its masks are bits, which take NumPy longer than a step to choose from. So the choices are made
    before, and the same steps are played again and again.
    """
    games = module.BatchedEnv(ROWS, seed=1)
    games.reset()
    start = np.zeros((ROWS, module.SNAPSHOT_BYTES), np.uint8)
    games.save_snapshots(start)
    masks = np.zeros((ROWS, module.MASK_WORDS), np.uint64)
    overs = np.zeros(ROWS, np.uint8)
    random, played = np.random.default_rng(1), []
    for _ in range(500):
        games.write_masks(masks)
        legal = np.unpackbits(masks.view(np.uint8), axis=1, bitorder="little")
        played.append((random.random(legal.shape) * legal).argmax(1).astype(np.uint32))
        games.step_autoreset(played[-1], overs)

    def work() -> int:
        games.load_snapshots(start)
        for actions in played:
            games.write_masks(masks)
            games.step_autoreset(actions, overs)
        return len(played) * ROWS

    return work


def openspiel_hearts(module: Any) -> Work:
    """Hearts for four, in C++; tensor and mask come to Python as lists."""
    game = module.load_game("hearts")

    def work() -> int:
        state = game.new_initial_state()
        decisions = 0
        while not state.is_terminal():
            if not state.is_chance_node():
                state.information_state_tensor()
                state.legal_actions_mask()
                decisions += 1
            state.apply_action(pick(state.legal_actions()))  # chance is uniform in hearts
        return decisions

    return work


def play_in_turn(env: Any, choose: Callable[[Any], int]) -> int:
    """Play an episode of PettingZoo by what is chosen from masks; its decisions."""
    env.reset()
    decisions = 0
    for _ in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
        else:
            env.step(choose(observation["action_mask"]))
            decisions += 1
    return decisions


def pettingzoo_leduc(module: Any) -> Work:
    """The one card game that PettingZoo has had in all its versions: poker with six cards."""
    env = module.env()
    return lambda: play_in_turn(env, lambda mask: pick(mask.nonzero()[0]))


def riichienv_round(module: Any) -> Work:
    """A round of riichi in Rust, its log of events off; several players may answer at once."""
    env = module.RiichiEnv("4p-red-single", skip_mjai_logging=True, seed=1)

    def work() -> int:
        observations, decisions = env.reset(), 0
        while not env.done():
            actions = {}
            for seat, observation in observations.items():
                observation.encode()
                observation.mask()
                actions[seat] = pick(observation.legal_actions())
            observations = env.step(actions)
            decisions += len(actions)
        return decisions

    return work


def rlcard_mahjong(module: Any) -> Work:
    """Mahjong for four in Python; hands are not scored."""
    env = module.make("mahjong", {"seed": 1})

    def work() -> int:
        state, _ = env.reset()
        decisions = 0
        while not env.is_over():
            state, _ = env.step(pick(list(state["legal_actions"])))
            decisions += 1
        return decisions

    return work


PEERS = (
    Peer("CartPole", "steps", "gymnasium", "gymnasium", ENVIRONMENT, cartpole),
    Peer("rlcard mahjong", "decisions", "rlcard", "rlcard", STATES, rlcard_mahjong),
    Peer("riichienv, one round", "decisions", "riichienv", "riichienv", STATES, riichienv_round),
    Peer("OpenSpiel hearts", "decisions", "open_spiel", "pyspiel", STATES, openspiel_hearts),
    Peer(
        "PettingZoo leduc hold'em", "decisions", "pettingzoo[classic]",
        "pettingzoo.classic.leduc_holdem_v4", STATES, pettingzoo_leduc,
    ),
    Peer(f"EnvPool CartPole x {ROWS}", "steps", "envpool", "envpool", BATCH, envpool_cartpole),
    Peer(
        f"CartPole x {ROWS}, NumPy", "steps", "gymnasium", "gymnasium", BATCH, gymnasium_vector,
    ),
    *(
        Peer(
            f"EnvPool {name} x {ROWS}", "decisions", "envpool", "envpool", BATCH,
            envpool_cards(task),
        )
        for name, task in (("Leduc", "LeducHoldem-v1"), ("Sparrow", "SparrowMahjong-v1"))
    ),
    Peer(
        f"fastcatan x {ROWS}, masks", "decisions", "fastcatan", "fastcatan", BATCH,
        fastcatan_batch,
    ),
)  # fmt: skip
