"""The seed of an episode reveals all cards: nothing that players get has it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from vectors import ID, MODES

import mhing
from mhing.env import CardGameEnv
from mhing.vector import CardGameVectorEnv

every_game = pytest.mark.parametrize("game", mhing.games())


def keys_in(data: Any) -> set[str]:
    """The keys of nested infos."""
    if isinstance(data, dict):
        return {*data}.union(*map(keys_in, data.values()))
    if isinstance(data, list | tuple):
        return set().union(*map(keys_in, data))
    return set()


def make(game: str, **settings: Any) -> CardGameEnv:
    env = gym.make(f"mhing:{mhing.environment_id(game)}", **settings).unwrapped
    assert isinstance(env, CardGameEnv)
    return env


@every_game
@pytest.mark.parametrize("seed_info", [False, True])
def test_of_single_environments(game: str, seed_info: bool) -> None:
    env = make(game, opponents="random", **{"seed_info": True} if seed_info else {})
    for seed in (3, 2**64 - 1):
        _, info = env.reset(seed=seed)
        while True:
            assert ("seed" in keys_in(info)) == seed_info
            if seed_info:
                assert info["seed"] % 2**64 == env.episode_seed
            if not env.legal_actions().size:
                break
            *_, info = env.step(int(env.legal_actions()[0]))
    first = env.reset()[0], env.episode_seed
    assert first[1] not in (3, 2**64 - 1), "the next one of the sequence"
    assert np.array_equal(make(game, opponents="random").reset(seed=first[1])[0], first[0])


@every_game
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed_info", [False, True])
def test_of_batches(game: str, mode: str, seed_info: bool) -> None:
    envs: Any = gym.make_vec(
        f"mhing:{mhing.environment_id(game)}", num_envs=3, autoreset_mode=mode,
        opponents=["self"] + ["random"] * (mhing.Game(game).num_seats - 2),
        **{"seed_info": True} if seed_info else {},
    )  # fmt: skip
    _, infos = envs.reset(seed=2**64 - 3)
    assert envs.episode_seeds.tolist() == [2**64 - 3, 2**64 - 2, 2**64 - 1]
    ended = 0
    for _ in range(300):
        assert ("seed" in keys_in(infos)) == seed_info
        assert not seed_info or (infos["seed"].view(np.uint64) == envs.episode_seeds).all()
        if "final_info" in infos:
            assert ("seed" in infos["final_info"]) == seed_info
        _, _, over, _, infos = envs.step(envs.sample_actions())
        ended += over.sum()
        if mode == "disabled" and over.any():
            _, infos = envs.reset(options={"reset_mask": over})
            infos = envs.observe()[1] if seed_info else infos
    assert ended


@every_game
@pytest.mark.parametrize("kind", ["env", "raw_env", "parallel_env"])
@pytest.mark.parametrize("seed_info", [False, True])
def test_of_pettingzoo(game: str, kind: str, seed_info: bool) -> None:
    pytest.importorskip("pettingzoo")
    module = import_module(f"mhing.{mhing.pettingzoo_id(game)}")
    env = getattr(module, kind)(**{"seed_info": True} if seed_info else {}).unwrapped
    env.reset(seed=2**64 - 1)
    assert env.episode_seed == 2**64 - 1
    assert env.game_state == mhing.Game(game).new_state(env.episode_seed)
    infos = env.reset(seed=4)[1] if kind == "parallel_env" else env.infos
    assert ("seed" in keys_in(infos)) == seed_info
    while env.agents and not all(info["action_mask"].all() for info in infos.values()):
        masks = {agent: np.flatnonzero(info["action_mask"]) for agent, info in infos.items()}
        if kind == "parallel_env":
            infos = env.step({agent: int(legal[0]) for agent, legal in masks.items()})[4]
        else:
            env.step(int(masks[env.agent_selection][0]))
            infos = env.infos
        assert ("seed" in keys_in(infos)) == seed_info


def test_before_the_first_reset_there_is_none() -> None:
    with pytest.raises(gym.error.ResetNeeded):
        make("leduc").episode_seed  # noqa: B018
    envs = gym.make_vec(ID, num_envs=2)
    assert isinstance(envs, CardGameVectorEnv)
    with pytest.raises(gym.error.ResetNeeded):
        envs.episode_seeds  # noqa: B018


@pytest.mark.parametrize("make_one", [gym.make, gym.make_vec])
def test_it_is_a_yes_or_a_no(make_one: Any) -> None:
    with pytest.raises(TypeError, match="seed_info: 1 is neither True nor False"):
        make_one(ID, seed_info=1)
