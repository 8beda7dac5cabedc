"""SuperSuit's wrappers over flat observations: which work, and what the others stumble over.

The page python/docs/pages/libraries/pettingzoo.md has the same two lists.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pages
import pytest
from zoo import every_game, module

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # of names in NumPy and PettingZoo
    import supersuit as ss

Wrapper = Callable[[Any], Any]


def floats(env: Any) -> Any:
    return ss.dtype_v0(env, np.float32)


def normalized(env: Any) -> Any:
    return ss.normalize_obs_v0(floats(env))


WORK: dict[str, Wrapper] = {
    "dtype_v0": floats,
    "normalize_obs_v0": normalized,
    "flatten_v0": ss.flatten_v0,
    "reshape_v0": lambda env: ss.reshape_v0(env, (1, *env.observation_space("player_0").shape)),
    "frame_stack_v1": lambda env: ss.frame_stack_v1(env, 3),
    "frame_stack_v2": lambda env: ss.frame_stack_v2(env, 3),
    "delay_observations_v0": lambda env: ss.delay_observations_v0(env, 2),
    "max_observation_v0": lambda env: ss.max_observation_v0(env, 2),
    "agent_indicator_v0": lambda env: ss.agent_indicator_v0(normalized(env)),
    "pad_observations_v0": ss.pad_observations_v0,
    "pad_action_space_v0": ss.pad_action_space_v0,
    "clip_reward_v0": ss.clip_reward_v0,
    "reward_lambda_v0": lambda env: ss.reward_lambda_v0(env, lambda reward: reward / 10),
    "observation_lambda_v0": lambda env: ss.observation_lambda_v0(env, lambda seen, _: seen // 2),
    "action_lambda_v1": lambda env: ss.action_lambda_v1(
        env, lambda action, _: action, lambda space: space
    ),
    "nan_noop_v0": lambda env: ss.nan_noop_v0(env, 0),
    "nan_zeros_v0": ss.nan_zeros_v0,
    "nan_random_v0": ss.nan_random_v0,
}

FAIL: dict[str, tuple[Wrapper, type[Exception], str]] = {
    "color_reduction_v0": (ss.color_reduction_v0, AssertionError, "must be a 3d image"),
    "resize_v1": (lambda env: ss.resize_v1(env, 4, 4), AssertionError, "^$"),
    "scale_actions_v0": (lambda env: ss.scale_actions_v0(env, 2), AssertionError, "Box action"),
}
"""Wrappers for pictures and for actions that are not ids, refused at once."""

ILLEGAL: dict[str, Wrapper] = {
    "sticky_actions_v0": lambda env: ss.sticky_actions_v0(env, 0.9),
    "frame_skip_v0": lambda env: ss.frame_skip_v0(env, 4),
}
"""Wrappers that play an action once more, by when it is illegal."""


def play(env: Any, decisions: int, seed: int = 1) -> dict[str, float]:
    """Random legal play through whatever wrappers; returns what each agent was told it earned."""
    rng, earned = Random(seed), {}
    env.reset(seed=seed)
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, info = env.last()
        assert seen in env.observation_space(agent)
        earned[agent] = earned.get(agent, 0.0) + reward
        if terminated or truncated:
            env.step(None)
            continue
        env.step(rng.choice(np.flatnonzero(info["action_mask"]).tolist()))
        decisions -= 1
        if not decisions:
            break
    return earned


def play_together(env: Any, decisions: int) -> dict[str, float]:
    rng = Random(1)
    _, infos = env.reset(seed=1)
    earned = dict.fromkeys(env.agents, 0.0)
    while env.agents and decisions:
        legal = {agent: np.flatnonzero(infos[agent]["action_mask"]) for agent in env.agents}
        actions = {agent: rng.choice(ids.tolist()) for agent, ids in legal.items()}
        observations, rewards, _, _, infos = env.step(actions)
        for agent, seen in observations.items():
            assert seen in env.observation_space(agent)
            earned[agent] += rewards[agent]
        decisions -= 1
    return earned


@every_game
@pytest.mark.parametrize("name", WORK)
def test_wrappers_that_work(game: str, name: str) -> None:
    """Observations fit their space, and the play of the game is that of the bare environment."""
    wrap = WORK[name]
    scale = 10.0 if name == "reward_lambda_v0" else 1.0
    for make, play_on in ((module(game).env, play), (module(game).parallel_env, play_together)):
        bare, wrapped = make(obs_mode="flat"), wrap(make(obs_mode="flat"))
        earned = play_on(wrapped, 60)
        expected = play_on(bare, 60)
        assert wrapped.unwrapped.game_state == bare.game_state
        if name == "clip_reward_v0":
            expected = {agent: float(np.clip(reward, -1, 1)) for agent, reward in expected.items()}
        assert {agent: scale * reward for agent, reward in earned.items()} == pytest.approx(
            expected, rel=1e-6
        )


@every_game
def test_what_some_of_them_show(game: str) -> None:
    bare, normal, stack, marked = (module(game).env(obs_mode="flat") for _ in range(4))
    normal, marked = normalized(normal), ss.agent_indicator_v0(normalized(marked))
    stack = ss.frame_stack_v2(stack, 3)
    seats = len(bare.possible_agents)
    for env in (bare, normal, stack, marked):
        env.reset(seed=1)
    seen, agent = bare.last()[0], bare.agent_selection
    high = bare.observation_space(agent).high
    np.testing.assert_allclose(normal.last()[0], seen / high, rtol=1e-6)
    assert np.array_equal(stack.last()[0], np.tile(seen, 3))
    place = bare.possible_agents.index(agent)
    assert np.flatnonzero(marked.last()[0][-seats:]).tolist() == [place]


@every_game
@pytest.mark.parametrize("name", FAIL)
def test_wrappers_for_other_spaces(game: str, name: str) -> None:
    wrap, error, words = FAIL[name]
    for make in (module(game).env, module(game).parallel_env):
        with pytest.raises(error, match=words):
            wrap(make(obs_mode="flat"))


@pytest.mark.filterwarnings("ignore:.*5 episodes in a row")
@every_game
def test_wrappers_that_play_actions_again(game: str) -> None:
    sticky = ILLEGAL["sticky_actions_v0"](module(game).env(obs_mode="flat"))
    forfeits = 0
    for seed in range(8):
        play(sticky, -1, seed)
        assert not sticky.agents
        forfeits += not sticky.unwrapped.game_state.is_terminal
    assert forfeits
    skipping = ILLEGAL["frame_skip_v0"](module(game).parallel_env(obs_mode="flat"))
    skipping.reset(seed=1)
    with pytest.raises(AttributeError, match="np_random"):
        skipping.step(dict.fromkeys(skipping.agents, 0))


@every_game
def test_clipped_actions(game: str) -> None:
    """Refused with the first action: ids are not between bounds."""
    aec, parallel = (
        ss.clip_actions_v0(make(obs_mode="flat"))
        for make in (module(game).env, module(game).parallel_env)
    )
    for env in (aec, parallel):
        env.reset(seed=1)
    for env, actions in ((aec, 0), (parallel, dict.fromkeys(parallel.agents, 0))):
        with pytest.raises(AttributeError, match="low"):
            env.step(actions)


@every_game
def test_black_death(game: str) -> None:
    """It takes an episode for over only when it is terminated and truncated, and steps on."""
    env = ss.black_death_v3(module(game).parallel_env(obs_mode="flat", max_cycles=1))
    _, infos = env.reset(seed=1)
    actions = {agent: int(info["action_mask"].argmax()) for agent, info in infos.items()}
    _, _, ended, _, _ = env.step(actions)
    assert not any(ended.values())
    assert env.unwrapped.agents == []
    with pytest.raises(AssertionError, match="is_parallelizable"):
        ss.black_death_v3(module(game).env(obs_mode="flat"))


@every_game
def test_vectors(game: str) -> None:
    """Rows are agents: those of two tables, side by side, with terminal rewards."""
    rows = ss.pettingzoo_env_to_vec_env_v1(normalized(module(game).parallel_env(obs_mode="flat")))
    envs = ss.concat_vec_envs_v1(rows, 2)
    seats = len(rows.par_env.possible_agents)
    seen, infos = envs.reset(seed=1)
    assert seen.shape == (2 * seats, *envs.observation_space.shape)
    rng, tables = Random(1), [module(game).parallel_env(obs_mode="flat") for _ in range(2)]
    for place, table in enumerate(tables):
        table.reset(seed=1 + place)
    ended = 0
    for _ in range(80):
        ids = [rng.choice(np.flatnonzero(info["action_mask"]).tolist()) for info in infos]
        seen, rewards, terminated, truncated, infos = envs.step(np.array(ids))
        assert not truncated.any()
        for place, table in enumerate(tables):
            here = slice(place * seats, (place + 1) * seats)
            if not table.agents:
                continue  # SuperSuit has begun its next episode from a seed that it does not say
            _, expected, over, _, _ = table.step(dict(zip(table.agents, ids[here], strict=True)))
            assert rewards[here].tolist() == list(expected.values())
            assert terminated[here].tolist() == list(over.values())
            if not table.agents:
                ended += 1
                assert all("terminal_observation" in info for info in infos[here])
    assert ended or game != "leduc"


@pytest.mark.filterwarnings("ignore:agent_selector is deprecated")
@every_game
def test_vectors_of_agents_in_turn(game: str) -> None:
    envs = ss.vectorize_aec_env_v0(module(game).env(obs_mode="flat"), 3)
    envs.reset(seed=1)
    for _ in range(30):
        seen, _, _, _, _, _, passes, infos = envs.last()
        assert seen.shape == (3, *envs.observation_space("player_0").shape)
        assert not passes.all()
        envs.step([int(info["action_mask"].argmax()) if info else 0 for info in infos])


def test_the_page_has_them_all() -> None:
    """Every wrapper of SuperSuit is in one of the lists here, and in the same on the page."""
    page = (pages.WRITTEN / "libraries/pettingzoo.md").read_text(encoding="utf-8")
    work, fail = re.search(
        r"\nThese work.*?\n\n(.*?)\n\nThese do not.*?\n\n(.*?)\n\n##", page, re.S
    ).groups()
    names = re.compile(r"`(\w+_v\d)")
    vectors = {"pettingzoo_env_to_vec_env_v1", "concat_vec_envs_v1", "vectorize_aec_env_v0"}
    assert set(names.findall(work)) == WORK.keys() | vectors
    assert set(names.findall(fail)) == FAIL.keys() | ILLEGAL.keys() | {
        "black_death_v3",
        "clip_actions_v0",
    }
    public = {name for name in dir(ss) if re.fullmatch(r"\w+_v\d", name)}
    of_gymnasium = {name for name in public if re.match("gym_|stable_baselines", name)}
    assert public - of_gymnasium == set(names.findall(work + fail))
