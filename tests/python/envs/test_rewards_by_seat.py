"""Every seat gets what it earned, once, through every adapter: the same episode in each of them.

What is played is a script of the core's: an episode of random play, with what it brought each seat.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from options import known
from pettingzoo.utils.wrappers import OrderEnforcingWrapper, TerminateIllegalWrapper
from zoo import GAMES, module

import mhing

SEED = 3
CASES = [
    (game, known(game, num_players=3) | options)
    for game in GAMES
    for options in (
        {},
        {"episode": "game"},  # rewards in mid-episode as well
        {"reward": "margin"},  # and those of reward "chips" may be negative
        {"reward": "chips"},
        {"reward": "rank"},
    )
    if known(game, **options) == options
]
every_case = pytest.mark.parametrize(("game", "options"), CASES, ids=str)


@dataclass(frozen=True)
class Script:
    """An episode: its actions, whose they were, and what each seat earned by all of them."""

    game: mhing.Game
    actions: list[int]
    seats: list[int]
    earned: list[float]


def script(game: str, options: dict[str, Any]) -> Script:
    """Random play until somebody has earned something."""
    for tries in range(100):
        rng, state = Random(tries), mhing.Game(game, **options).new_state(SEED)
        actions, seats = [], []
        bots = 0
        while not state.is_terminal:
            seats.append(state.seat)
            if rng.random() < 0.2:
                action = rng.choice(state.legal_actions().tolist())
            else:
                action, bots = state.bot_action("greedy", bots)
            actions.append(action)
            state.apply(action)
        if state.returns().any():
            return Script(state.game, actions, seats, state.returns().tolist())
    raise AssertionError("nobody earns anything")


@every_case
def test_pettingzoo_in_turn(game: str, options: dict[str, Any]) -> None:
    """By last(), as each agent is asked and once more at the end, bare and in wrappers."""
    played = script(game, options)
    for wrap in (
        lambda env: env,
        lambda env: OrderEnforcingWrapper(TerminateIllegalWrapper(env, -1)),
    ):
        env = wrap(module(game).raw_env(**options))
        env.reset(seed=SEED)
        actions, earned = iter(played.actions), dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            _, reward, terminated, truncated, _ = env.last()
            earned[agent] += reward
            if terminated or truncated:
                env.step(None)
            else:
                env.step(next(actions))
        assert list(earned.values()) == pytest.approx(played.earned)


@every_case
def test_pettingzoo_together(game: str, options: dict[str, Any]) -> None:
    played = script(game, options)
    env = module(game).parallel_env(**options)
    env.reset(seed=SEED)
    earned = np.zeros(len(env.possible_agents))
    for seat, action in zip(played.seats, played.actions, strict=True):
        mover = env.possible_agents[seat]
        _, rewards, _, _, _ = env.step(dict.fromkeys(env.agents, env.wait) | {mover: action})
        earned += list(rewards.values())
    assert env.agents == []
    assert earned.tolist() == pytest.approx(played.earned)


@every_case
def test_gymnasium(game: str, options: dict[str, Any]) -> None:
    """Each seat in its turn is the learner's; the others' moves are the script's as well."""
    played = script(game, options)
    for seat in range(played.game.num_seats):
        rest = iter([])

        def other(observation: Any, mask: Any, info: Any) -> int:
            return next(rest)  # noqa: B023

        env = gym.make(
            mhing.environment_id(game), opponents=other, seat=seat,
            disable_env_checker=True, **options,
        )  # fmt: skip
        rest = iter(played.actions)
        env.reset(seed=SEED)
        earned, over = 0.0, False
        while not over:
            _, reward, over, _, _ = env.step(next(rest))
            earned += reward
        assert next(rest, None) is None
        assert earned == pytest.approx(played.earned[seat])


@every_case
@pytest.mark.parametrize("mode", list(gym.vector.AutoresetMode), ids=str)
def test_native_batch(game: str, options: dict[str, Any], mode: gym.vector.AutoresetMode) -> None:
    """Rewards belong to the seat that is asked next; at the end to all, in `seat_rewards`."""
    played = script(game, options)
    envs: Any = gym.make_vec(
        mhing.environment_id(game), num_envs=2, opponents="self", autoreset_mode=mode, **options
    )
    _, infos = envs.reset(seed=[SEED, SEED])
    earned = np.zeros((2, played.game.num_seats))
    for seat, action in zip(played.seats, played.actions, strict=True):
        assert (infos["seat"] == seat).all()
        _, rewards, terminated, _, infos = envs.step(np.array([action, action]))
        if terminated.any():
            assert terminated.all()
            earned += np.stack(list(infos["seat_rewards"]))
        else:
            earned[[0, 1], infos["seat"]] += rewards
    assert terminated.all()
    for row in earned.tolist():
        assert row == pytest.approx(played.earned)
