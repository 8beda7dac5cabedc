"""All agents of PettingZoo together, for every game: equality with the states, and refusals."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from zoo import assert_results, every_case, every_game, module, random_legal, some_illegal, step

import mhing


def parallel_play(env: Any, seed: int) -> Iterator[tuple[mhing.State, Any]]:
    """One random episode: the state after each step, and what the environment returned."""
    rng = Random(seed)
    env.reset(seed=seed)
    state = env.game.new_state(seed)
    while env.agents:
        action = random_legal(state, rng)
        returned = step(env, action)
        state.apply(action)
        yield state, returned


@pytest.mark.slow
@every_case
def test_the_same_as_states_together(game: str, options: dict[str, Any]) -> None:
    env = module(game).parallel_env(**options)
    for seed in range(3):
        total = np.zeros(env.game.num_seats)
        rounds = 0
        for state, (observations, rewards, terminations, truncations, infos) in parallel_play(
            env, seed
        ):
            assert env.game_state == state
            assert list(rewards) == env.possible_agents
            assert list(rewards.values()) == state.rewards().tolist()
            total += list(rewards.values())
            assert set(terminations.values()) == {state.is_terminal}
            assert set(truncations.values()) == {False}
            for seat, agent in enumerate(env.possible_agents):
                seen, info = observations[agent], infos[agent]
                assert seen in env.observation_space(agent)
                assert np.array_equal(seen["observation"], state.observation(seat))
                assert np.array_equal(seen["action_mask"], info["action_mask"])
                legal = np.flatnonzero(seen["action_mask"]).tolist()
                if state.is_terminal:
                    assert seen["action_mask"].all()
                elif state.seat == seat:
                    assert legal == state.legal_actions().tolist()
                else:
                    assert legal == [env.wait] == [env.game.num_actions]
                if state.info()["rounds_over"] != rounds:
                    assert_results(info, state)
                else:
                    assert set(info) == {"action_mask"}
            rounds = state.info()["rounds_over"]
        assert state.is_terminal
        assert rounds
        np.testing.assert_allclose(state.returns(), total, rtol=1e-6)


@pytest.mark.filterwarnings("ignore:.*5 episodes in a row")
@every_game
def test_illegal_actions_together(game: str) -> None:
    """Acting out of turn is as illegal as a move that the rules forbid, or as no move at all."""
    env = module(game).parallel_env()
    env.reset(seed=1)
    state, wait = env.game_state, env.wait
    mover, other = env.agents[state.seat], env.agents[state.seat - 1]
    waiting = dict.fromkeys(env.agents, wait)
    legal = int(state.legal_actions()[0])
    for wrong, offenders in (
        ({mover: some_illegal(state)}, {mover}),
        ({}, {mover}),
        ({mover: wait + 1}, {mover}),
        ({mover: -1}, {mover}),
        ({mover: 2**70}, {mover}),
        ({mover: legal, other: legal}, {other}),
        ({other: legal}, {mover, other}),
    ):
        env.reset(seed=1)
        observations, rewards, terminations, truncations, infos = env.step(waiting | wrong)
        assert env.game_state == state
        assert env.agents == []
        for agent in env.possible_agents:
            assert rewards[agent] == (-1 if agent in offenders else 0)
            assert infos[agent].get("illegal_action", False) is (agent in offenders)
            assert terminations[agent]
            assert not truncations[agent]
            assert observations[agent]["action_mask"].all()
    _, infos = env.reset(seed=1)
    assert "illegal_action" not in infos[mover]
    step(env, legal)
    assert env.agents


@every_game
def test_illegal_actions_together_can_be_refused(game: str) -> None:
    env = module(game).parallel_env(illegal_action="raise")
    env.reset(seed=1)
    state, mover = env.game_state, env.agents[env.game_state.seat]
    waiting = dict.fromkeys(env.agents, env.wait)
    for wrong in (some_illegal(state), env.wait, -1, 2**70):
        with pytest.raises(ValueError, match=f"action of {mover}: {wrong} is not legal now"):
            env.step(waiting | {mover: wrong})
    other = env.agents[state.seat - 1]
    with pytest.raises(ValueError, match=f"action of {other}: 0 is not legal now"):
        env.step(waiting | {mover: int(state.legal_actions()[0]), other: 0})
    assert env.game_state == state
    step(env, int(state.legal_actions()[0]))


@every_game
def test_steps_that_cannot_be_taken_together(game: str) -> None:
    env = module(game).parallel_env()
    with pytest.raises(ResetNeeded, match=r"reset\(\) first"):
        env.step({})
    env.reset(seed=1)
    state = env.game_state
    full = dict.fromkeys(env.agents, env.wait)
    for actions, error, words in (
        ({}, ValueError, "actions: none; expected one for each of player_0"),
        ({"player_0": 0}, ValueError, "actions: player_0; expected"),
        (full | {"north": 0}, ValueError, "north; expected"),
        (full | {"player_0": 1.0}, TypeError, "action of player_0: 1.0"),
        (full | {"player_1": None}, TypeError, "action of player_1: None"),
    ):
        with pytest.raises(error, match=words):
            env.step(actions)
    assert env.game_state == state
    for _ in parallel_play(env, 1):
        pass
    with pytest.raises(ResetNeeded, match="over"):
        env.step({})
