"""Environments that are saved, loaded, copied and pickled continue exactly like the first one."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from same import assert_same
from vectors import ID, MODES, make

import mhing


def first_legal(observation: Any, mask: Any, info: Any) -> int:
    """A callable that can be pickled."""
    return int(mask.argmax())


class Turns:
    """An opponent that remembers how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, observation: Any, mask: Any, info: Any) -> int:
        self.asked += 1
        legal = np.flatnonzero(mask)
        return int(legal[self.asked % len(legal)])


def single(game: str = "mhing", **options: Any) -> Any:
    env = gym.make(f"mhing:{mhing.environment_id(game)}", **{"opponents": "random", **options})
    return env.unwrapped


def play_on(env: Any, steps: int = 60) -> list[Any]:
    """Results of the next steps and resets, for the same actions everywhere."""
    draw, results = np.random.default_rng(1), []
    for _ in range(steps):
        legal = env.legal_actions()
        results.append(env.step(int(draw.choice(legal))) if legal.size else env.reset())
    return [*results, env.episode_seed]


def pickled(env: Any) -> Any:
    return pickle.loads(pickle.dumps(env))


every_game = pytest.mark.parametrize("game", mhing.games())

COPIES = [copy.copy, copy.deepcopy, pickled]


@every_game
def test_the_same_actions_give_the_same_results(game: str) -> None:
    """From every decision of an episode, from its end, and from the first observation."""
    for options in ({}, {"seat": 1}, {"opponents": first_legal}):
        env, other = single(game, **options), single(game, **options)
        env.reset(seed=3)
        for _ in range(12):
            snapshot = env.save()
            seen = env.observe()
            expected = play_on(env)
            env.load(snapshot)
            assert_same(env.observe(), seen)
            assert_same(play_on(env), expected)
            other.load(snapshot)
            assert_same(play_on(other), expected)
            env.load(snapshot)
            legal = env.legal_actions()
            env.step(int(legal[-1])) if legal.size else env.reset()


def test_the_end_and_resets_with_options_are_saved() -> None:
    deck = np.random.default_rng(1).permutation(mhing.Game("mhing").describe()["deck"])
    for options in ({"seat": 2}, {"deck": deck}, {"seat": 0, "deck": deck}):
        env, other = single(), single()
        env.reset(seed=5)
        env.reset(options=options)
        other.load(env.save())
        assert other.observe()[1]["seat"] == options.get("seat", other.observe()[1]["seat"])
        assert_same(play_on(other, 150), play_on(env, 150))
    while env.legal_actions().size:
        env.step(int(env.legal_actions()[0]))
    other.load(env.save())
    with pytest.raises(ResetNeeded, match="the episode is over"):
        other.step(0)
    assert_same(other.reset(), env.reset())


def test_a_reward_before_the_first_decision_is_not_lost() -> None:
    """The first step brings it; it is so rare that it is set here."""
    env = single()
    env.reset(seed=1)
    env._carry = 2.5
    twin = copy.deepcopy(env)
    action = int(env.legal_actions()[0])
    assert twin.step(action)[1] == env.step(action)[1] == 2.5


@pytest.mark.parametrize("make_copy", COPIES)
def test_copies(make_copy: Callable[[Any], Any]) -> None:
    env = single(render_mode="ansi", info="even", num_players=3)
    fresh = make_copy(env)
    with pytest.raises(ResetNeeded):
        fresh.step(0)
    env.reset(seed=2)
    env.look = "dark"
    env.action_space.seed(4)
    twin = make_copy(env)
    assert (twin.game, twin.look, twin.render()) == (env.game, "dark", env.render())
    if make_copy is not copy.copy:  # which shares what an object holds
        assert twin.action_space.sample() == env.action_space.sample()
    state = env.state
    expected = play_on(twin)
    assert env.state == state, "the copy goes its own way"
    assert_same(play_on(env), expected)
    wrapped = make_copy(gym.make(ID))
    assert wrapped.spec.id == "Mhing-v0"
    wrapped.reset(seed=1)


def test_opponents_are_copied_by_their_rules() -> None:
    turns = Turns()
    env = single(opponents=turns)
    env.reset(seed=1)
    twin = copy.deepcopy(env)
    expected, asked = play_on(twin), turns.asked
    assert turns.asked == asked
    assert_same(play_on(env), expected)
    assert pickled(env).reset(seed=1)
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(single(opponents=lambda observation, mask, info: 0))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("make_copy", COPIES)
def test_copies_of_vector_environments(make_copy: Callable[[Any], Any], mode: str) -> None:
    envs = make(4, opponents=["self", "random", "greedy"], autoreset_mode=mode)
    with pytest.raises(ResetNeeded):
        make_copy(envs).step([0] * 4)
    envs.reset(seed=1)
    for _ in range(30):
        over = envs.step(envs.sample_actions())[2]
        if mode == "disabled" and over.any():
            envs.reset(options={"reset_mask": over})
    twin = make_copy(envs)
    assert_same(twin.observe(), envs.observe())
    for _ in range(50):
        actions = envs.sample_actions()
        assert np.array_equal(twin.sample_actions(), actions)
        result = envs.step(actions)
        assert_same(twin.step(actions), result)
        if mode == "disabled" and result[2].any():
            for some in (envs, twin):
                some.reset(options={"reset_mask": result[2]})


def test_mistakes() -> None:
    """Each is named, and the environment is as it was."""
    env = single()
    for use in (env.save, env.observe):
        with pytest.raises(ResetNeeded):
            use()
    env.reset(seed=1)
    snapshot = env.save()
    others = {
        "game": single("leduc"),
        "players": single(num_players=3),
        "reward": single(reward="win"),
        "seat": single(seat=int(not env.observe()[1]["seat"])),
    }
    for other in others.values():
        for _ in range(2):  # before its first reset, and after it
            with pytest.raises(ValueError, match="snapshot: "):
                other.load(snapshot)
            seen = other.reset(seed=1)
        assert_same(other.observe()[0], seen[0])
    state = env.state
    for wrong in (b"", b"MHE1", snapshot[:-1], snapshot + b"1", b"no" + snapshot, snapshot[4:]):
        with pytest.raises(ValueError, match="snapshot: "):
            env.load(wrong)
    for wrong in (None, "text", bytearray(snapshot)):
        with pytest.raises(TypeError, match="snapshot: a "):
            env.load(wrong)
    assert env.state == state
    env.close()
    for use in (env.save, env.observe, lambda: env.load(snapshot), lambda: copy.copy(env)):
        with pytest.raises(ClosedEnvironmentError):
            use()


def test_changed_opponents_are_not_copied() -> None:
    """The episode in play may be one of those who were there before."""
    env = mhing.env.CardGameEnv("leduc", opponents="random")
    envs = mhing.vector.CardGameVectorEnv(game="leduc", num_envs=2, opponents="random")
    for one in (env, envs):
        one.reset(seed=1)
        copy.deepcopy(one)
        one.set_opponents("greedy")
        with pytest.raises(TypeError, match="opponents: they were changed after"):
            copy.deepcopy(one)


def test_a_pool_is_copied_with_its_environment() -> None:
    pool = mhing.players.Pool(["random", "greedy"])
    envs = mhing.vector.CardGameVectorEnv(game="leduc", num_envs=16, opponents=pool)
    envs.reset(seed=1)
    twin = copy.deepcopy(envs)
    assert twin.members == envs.members
    assert set(twin.members) == {"random", "greedy"}


@pytest.mark.parametrize("make_copy", COPIES)
def test_batches_with_policies_are_copied(make_copy: Callable[[Any], Any]) -> None:
    envs = mhing.vector.CardGameVectorEnv(16, game="leduc", opponents=first_legal)
    envs.reset(seed=5)
    twin = make_copy(envs)
    for _ in range(5):
        actions = envs.sample_actions()
        assert_same(envs.step(actions), twin.step(actions))


def test_a_pool_that_lost_a_member_is_not_copied() -> None:
    pool = mhing.players.Pool(["random", "greedy"])
    env = mhing.env.CardGameEnv("leduc", opponents=pool)
    env.reset(seed=1)
    pool.remove("random")
    with pytest.raises(TypeError, match="opponents: they were changed after"):
        copy.deepcopy(env)
