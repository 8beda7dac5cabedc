"""Infos with the same entries in every step, in the libraries that stack them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import mhing

every_game = pytest.mark.parametrize("game", mhing.games())


def form(info: dict[str, Any]) -> dict[str, Any]:
    """The entries by their types and shapes."""
    return {name: (type(it), np.shape(it), getattr(it, "dtype", 0)) for name, it in info.items()}


def infos_of(env: Any, episodes: int = 6) -> Iterator[tuple[dict[str, Any], mhing.State]]:
    """All infos of some episodes, the last of which ends by an illegal action."""
    draw = np.random.default_rng(1)
    for seed in range(episodes):
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            yield info, env.unwrapped.state
            mask = env.unwrapped.action_masks()
            action = int(draw.choice(np.flatnonzero(mask == (seed + 1 < episodes))))
            *_, over, _, info = env.step(action)
        yield info, env.unwrapped.state


@every_game
def test_single_environment(game: str) -> None:
    numbers = {field.name for field in mhing.Game(game).info_fields}
    options: dict[str, Any] = {"opponents": "random", "info": "even", "seed_info": True}
    if "episode" in mhing.Game(game).options:
        options["episode"] = "game"
    env = gym.make(f"mhing:{mhing.environment_id(game)}", **options)
    forms = set()
    for info, state in infos_of(env):
        forms.add(str(form(info)))
        assert {*info} == {"action_mask", "seat", "seed", "illegal_action", *numbers}
        for name, number in state.info().items():
            assert np.array_equal(info[name], number)
    assert len(forms) == 1
    assert info["illegal_action"] is True


@every_game
@pytest.mark.parametrize("obs_mode", ["flat", "dict"])
@pytest.mark.parametrize("kind", ["env", "parallel_env"])
def test_all_seats(game: str, obs_mode: str, kind: str) -> None:
    pytest.importorskip("pettingzoo", reason="needs the extra mhing[pettingzoo]")
    make = getattr(getattr(mhing, mhing.pettingzoo_id(game)), kind)
    env, draw, forms = make(obs_mode=obs_mode, info="even"), np.random.default_rng(1), set()
    for seed in range(4):
        env.reset(seed=seed)
        infos = env.reset(seed=seed)[1] if kind == "parallel_env" else env.infos
        while env.agents:
            for info in infos.values():
                forms.add(str(form(info)))
                assert ("action_mask" in info) == (obs_mode == "flat")
                assert info["illegal_action"] is False
            state = env.game_state
            legal = state.legal_actions()
            if kind == "env":
                env.step(int(draw.choice(legal)) if legal.size else None)
                infos = env.infos
                continue
            actions = dict.fromkeys(env.agents, env.wait)
            actions[f"player_{state.seat}"] = int(draw.choice(legal))
            infos = env.step(actions)[-1]
    assert len(forms) == 1


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Minari's folder
@pytest.mark.once
def test_minari_records_infos(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    minari = pytest.importorskip("minari", reason="needs the extra mhing[minari]")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    env = gym.make("mhing:GeneralMhing-v0", opponents="random", info="even")
    collector = minari.DataCollector(env, record_infos=True)
    for info, _ in infos_of(collector):
        assert info["action_mask"].any()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # there is no author
        dataset = collector.create_dataset("mhing/even-v0")
    episodes = [*minari.load_dataset("mhing/even-v0").iterate_episodes()]
    assert len(episodes) == len(dataset) == 6
    for episode in episodes:
        count = len(episode.actions) + 1
        assert {len(values) for values in episode.infos.values()} == {count}
        assert episode.infos["scores"].shape == (count, 2)


@pytest.mark.parametrize("obs_mode", ["flat", "dict"])
@pytest.mark.parametrize("make", [mhing.mhing_v0.env, mhing.mhing_v0.parallel_env])
@pytest.mark.once
def test_the_wrapper_of_torchrl(make: Callable[..., Any], obs_mode: str) -> None:
    """Their own one, not ours."""
    pytest.importorskip("pettingzoo", reason="needs the extra mhing[pettingzoo]")
    envs = pytest.importorskip("torchrl.envs", reason="needs the extra mhing[torchrl]")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        table = make(num_players=3, info="even", obs_mode=obs_mode)
        env = envs.PettingZooWrapper(table, use_mask=True)
    envs.check_env_specs(env)
    rollout = env.rollout(700, break_when_any_done=False)
    group = "player" if table.metadata["is_parallelizable"] else "player_0"
    assert rollout[group, "info", "scores"].shape[-1] == 3
    assert rollout["next", "done"].sum() > 2
    assert not rollout["next", group, "info", "illegal_action"].any()
