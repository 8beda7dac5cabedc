"""Ways to play: what bots do, and for referees to watch, those of Mhing from sound to perverse."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
from numpy.typing import NDArray

import mhing

Policy = Callable[[mhing.State, list[str], Random], str]
"""Chooses one of the texts of the legal actions."""


def at_random(state: mhing.State, legal: list[str], rng: Random) -> str:
    return rng.choice(legal)


def greedy(state: mhing.State, legal: list[str], rng: Random) -> str:
    action, _ = state.bot_action("greedy", rng.getrandbits(64))
    return state.game.action_text(action)


def choice(state: mhing.State) -> str:
    """The action of the greedy bot."""
    action, _ = state.bot_action("greedy", 1)
    return state.game.action_text(action)


def play(state: mhing.State, *actions: str) -> None:
    """Plays these actions one after the other."""
    for action in actions:
        state.apply(state.game.action_id(action))


def greedy_against_random(game: mhing.Game, episodes: int) -> NDArray[np.float64]:
    """The returns of all seats together, where greedy plays seat 0 and random the others."""
    returns = np.zeros(game.num_seats)
    for seed in range(episodes):
        state = game.new_state(seed)
        random = seed
        while not state.is_terminal:
            action, random = state.bot_action("greedy" if state.seat == 0 else "random", random)
            state.apply(action)
        returns += state.returns()
    return returns


def generous(state: mhing.State, legal: list[str], rng: Random) -> str:
    """Throws Mhing cards away, and claims or lays whatever holds most of them."""
    if "discard J" in legal and rng.random() < 0.7:
        return "discard J"
    most = max(action.count("*") for action in legal)
    return rng.choice([action for action in legal if action.count("*") == most])


def eager(state: mhing.State, legal: list[str], rng: Random) -> str:
    """Never passes, and lays all that can be laid."""
    return rng.choice(
        [action for action in legal if " " in action and "discard" not in action] or legal[-1:]
    )


def reluctant(state: mhing.State, legal: list[str], rng: Random) -> str:
    """Claims nothing and declares nothing, so that the source runs out."""
    dull = [action for action in legal if action == "pass" or action.startswith("discard")]
    return rng.choice(dull)


def late(state: mhing.State, legal: list[str], rng: Random) -> str:
    """Claims and lays natural melds half of the time, and hardly ever declares."""
    others = [action for action in legal if action != "mhing"]
    if "mhing" in legal and rng.random() < 0.3:
        return "mhing"
    melds = [action for action in others if "*" not in action and "discard" not in action]
    return rng.choice(melds) if melds and rng.random() < 0.5 else rng.choice(others)


ALL: dict[str, Policy] = {
    "at random": at_random,
    "greedy": greedy,
    "generous": generous,
    "eager": eager,
    "reluctant": reluctant,
    "late": late,
}


def moody(state: mhing.State, legal: list[str], rng: Random) -> str:
    """Any of the others at every decision, `greedy` most often."""
    policy = rng.choice([greedy, greedy, greedy, *ALL.values()])
    return policy(state, legal, rng)
