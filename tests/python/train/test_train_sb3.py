"""Stable-Baselines3: the batch as its vector environment, and what its trainers make of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pages
import pytest
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray
from options import known
from same import assert_same
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from small_runs import one_thread  # noqa: F401
from stable_baselines3 import PPO
from stable_baselines3.common import evaluation
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor, VecNormalize

import mhing
from mhing import arena
from mhing.sb3 import MhingVecEnv, ModelPolicy

SETTINGS: list[dict[str, Any]] = [
    {},
    {"opponents": "random", "obs_mode": "dict", "seat": 1},
    {"hints": True, "illegal_action": "random"},
    {"num_players": 3, "episode": "game"},
]
"""Options with which every game that has them is tried."""

SMALL: dict[str, Any] = {"n_steps": 8, "batch_size": 32, "n_epochs": 1}


def last_legal(observation: NDArray[Any], mask: NDArray[Any], info: dict[str, Any]) -> int:
    """An opponent from Python."""
    return int(mask.nonzero()[0][-1])


def make(num_envs: int = 4, game: str = "general_mhing", **settings: Any) -> MhingVecEnv:
    return MhingVecEnv(game, num_envs, **{"opponents": "random"} | settings)


def singles(num_envs: int, game: str, **settings: Any) -> DummyVecEnv:
    """As many single environments, in the way of Stable-Baselines3."""
    name = f"mhing:{mhing.environment_id(game)}"
    return DummyVecEnv([lambda: gym.make(name, **settings)] * num_envs)


def of_game(game: str, settings: dict[str, Any]) -> dict[str, Any]:
    """The settings without options that the game does not have."""
    own = ("opponents", "obs_mode", "seat", "illegal_action")
    options = {name: value for name, value in settings.items() if name not in own}
    return {n: v for n, v in settings.items() if n in own} | known(game, **options)


# ---- Rows are single environments ---------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.*episodes in a row")  # a part of the actions is illegal
@pytest.mark.parametrize("game", mhing.games())
@pytest.mark.parametrize(
    "settings",
    [*SETTINGS, {"opponents": last_legal}],
    ids=[*map(str, SETTINGS), "opponents=last_legal"],
)
def test_rows_are_what_single_environments_are(game: str, settings: dict[str, Any]) -> None:
    """Observations, rewards, ends and infos, also those of resets."""
    settings = of_game(game, settings)
    ours, theirs = MhingVecEnv(game, 3, **settings), singles(3, game, **settings)
    assert (ours.observation_space, ours.action_space) == (
        theirs.observation_space,
        theirs.action_space,
    )
    rng, ended = np.random.default_rng(1), 0
    for seed in (7, None):
        if seed is not None:
            assert ours.seed(seed) == theirs.seed(seed)
        assert_same(ours.reset(), theirs.reset())
        assert_same(ours.reset_infos, theirs.reset_infos)
        for _ in range(120):
            masks = np.stack(ours.env_method("action_masks"))
            assert_same(masks, np.stack(theirs.env_method("action_masks")))
            actions = np.array([rng.choice(mask.nonzero()[0]) for mask in masks])
            actions[rng.random(3) < 0.02] = -1
            step, other = ours.step(actions), theirs.step(actions)
            assert_same(step, other)
            assert_same(ours.reset_infos, theirs.reset_infos)
            ended += step[2].sum()
    assert ended


def test_many_threads_and_seeds_of_64_bits() -> None:
    """Each row has the next seed; as numbers of infos they are signed."""
    envs = make(3, num_threads=2, seed_info=True)
    for seed in (5, 2**63 - 1, 2**64 - 3):
        assert envs.seed(seed) == [seed, seed + 1, seed + 2]
        first = envs.reset()
        seeds = [info["seed"] for info in envs.reset_infos]
        assert [number % 2**64 for number in seeds] == [seed, seed + 1, seed + 2]
        assert not np.array_equal(envs.reset(), first)  # the next episodes
        envs.seed(seed)
        assert np.array_equal(envs.reset(), first)
    assert not np.array_equal(make().reset(), make().reset())


def test_what_rows_have() -> None:
    envs = make(3, render_mode="rgb_array")
    envs.seed(1)
    seen = envs.reset()
    masks = np.array(envs.env_method("action_masks"))
    assert envs.has_attr("action_masks")
    assert masks.dtype == np.bool_
    assert np.array_equal(masks, [ask() for ask in envs.get_attr("action_masks")])
    for indices in (1, [1], range(1, 2), np.array([1])):
        assert np.array_equal(envs.env_method("action_masks", indices=indices), masks[1:2])
    for row, (state, legal) in enumerate(
        zip(envs.get_attr("state"), envs.env_method("legal_actions"), strict=True)
    ):
        assert np.array_equal(legal, state.legal_actions())
        assert np.array_equal(seen[row], state.observation())
    (fields,) = envs.env_method("unpack", seen[0], indices=0)
    assert_same(fields, envs.get_attr("game")[0].unpack(seen[0]))
    assert not envs.has_attr("opponents")
    with pytest.raises(AttributeError, match=r"shuffle: no attribute of rows, which have .*state"):
        envs.env_method("shuffle")
    for assign in (setattr, type(envs).set_attr):
        with pytest.raises(AttributeError, match=r"opponents: they are .*call set_opponents"):
            assign(envs, "opponents", "greedy")
    envs.set_opponents("greedy")
    assert envs.opponents == envs.envs.opponents == "greedy"
    with pytest.raises(AttributeError, match=r"hints: rows cannot be changed.*set_env"):
        envs.set_attr("hints", True)
    assert envs.env_is_wrapped(gym.Wrapper, [0, 2]) == [False, False]

    picture = envs.render()
    assert picture is not None
    height, width, _ = np.array(envs.get_images()).shape[1:]
    assert picture.shape == (2 * height, 2 * width, 3)  # three of four places
    assert np.array_equal(picture[:height, :width], envs.env_method("render", indices=0)[0])
    envs.close()

    texts = make(1, render_mode="ansi")
    texts.reset()
    assert "round 1" in texts.env_method("render")[0]


def test_mistakes() -> None:
    """Each is refused by a line that says what would be right."""
    mistakes: list[tuple[Callable[[], object], type[Exception], str]] = [
        (lambda: MhingVecEnv(gym.make_vec("Mhing-v0")), TypeError, "expected a game's id"),  # type: ignore[arg-type]
        (lambda: MhingVecEnv(64), TypeError, "game: int given; expected a game's id"),  # type: ignore[arg-type]
        (lambda: MhingVecEnv("Mhing-v0"), ValueError, "no game 'Mhing-v0'; there is mhing"),
        (lambda: make(n_envs=4), TypeError, "'n_envs'; did you mean num_envs?"),
        (lambda: make(env_kwargs={}), TypeError, "unexpected keyword argument 'env_kwargs'"),
        (lambda: make(seed=1), TypeError, "seed: .* env.seed"),
        (lambda: make(autoreset_mode="disabled"), TypeError, "autoreset_mode: .* same step"),
        (lambda: make(copy=False), TypeError, "copy: .* fresh"),
        (lambda: make(opponents="self"), ValueError, "'self' .* give the model itself"),
        (lambda: make(opponents=["self"]), ValueError, "'self' .* give the model itself"),
        (lambda: make().step(np.zeros(4, int)), ResetNeeded, "reset"),
        (lambda: make().set_options({"seat": 1}), ValueError, "options: .* none"),
        (lambda: ModelPolicy(PPO("MlpPolicy", make())), TypeError, "PPO, .* MaskablePPO"),  # type: ignore[arg-type]
        (lambda: ModelPolicy("best.zip"), TypeError, "a str, .* MaskablePPO"),  # type: ignore[arg-type]
    ]
    for mistake, error, words in mistakes:
        with pytest.raises(error, match=words):
            mistake()


@pytest.mark.parametrize(
    "play",
    [
        lambda: PPO("MlpPolicy", make(), **SMALL).learn(64),
        lambda: evaluation.evaluate_policy(
            MaskablePPO("MlpPolicy", make(), **SMALL), VecMonitor(make())
        ),
    ],
)
def test_play_without_masks_gets_the_remedy(play: Callable[[], object]) -> None:
    with pytest.warns(
        UserWarning, match=r"illegal .*MaskablePPO and evaluate_policy of sb3_contrib"
    ):
        play()


# ---- Learning -----------------------------------------------------------------------------------


def tuning_of_the_page() -> dict[str, Any]:
    """As the benchmark reads it there."""
    found: dict[str, Any] = pages.script("benchmarks", "bench_sb3").tuning()
    return found


def points_of(model: MaskablePPO, envs: Any, rounds: int = 600) -> NDArray[np.float64]:
    envs.seed(1_000_000)
    points, _ = evaluate_policy(model, envs, rounds, return_episode_rewards=True)
    return np.asarray(points)


@pytest.mark.slow
def test_it_learns(tmp_path: Path) -> None:
    """Points a round against random: at the start, after 16,384 decisions, and from the file."""
    envs, held_out = (VecMonitor(make(64, hints=True)) for _ in range(2))
    model = MaskablePPO("MlpPolicy", envs, seed=1, **tuning_of_the_page())
    before = points_of(model, held_out)
    model.learn(16_384)
    after = points_of(model, held_out)
    error = np.sqrt(before.var() / before.size + after.var() / after.size)
    assert after.mean() > 2  # an untrained network earns 0.3 to 1.8 by its seed
    assert after.mean() - before.mean() > 4 * error  # its size differs by processor
    assert not any(info.get("illegal_action") for info in envs.unwrapped.reset_infos)

    model.save(tmp_path / "model")
    loaded = MaskablePPO.load(tmp_path / "model", env=envs)
    assert np.array_equal(points_of(loaded, held_out), after)
    loaded.learn(64 * 32, reset_num_timesteps=False)
    assert loaded.num_timesteps == 16_384 + 64 * 32


def test_the_same_seed_learns_the_same() -> None:
    weights = []
    for _ in range(2):
        model = MaskablePPO("MlpPolicy", make(), seed=3, **SMALL).learn(64)
        weights.append([value.detach().numpy() for value in model.policy.parameters()])
    assert_same(*weights)


@pytest.mark.parametrize("game", mhing.games())
def test_every_game_is_learned_from(game: str) -> None:
    """With observations of both kinds, and without an illegal action."""
    for policy, obs_mode in (("MlpPolicy", "flat"), ("MultiInputPolicy", "dict")):
        envs = MhingVecEnv(game, 4, obs_mode=obs_mode, illegal_action="raise")
        MaskablePPO(policy, envs, seed=1, **SMALL).learn(64)


@pytest.mark.slow
def test_monitor_and_evaluation_as_it_learns(tmp_path: Path) -> None:
    envs = VecMonitor(make(8), str(tmp_path / "log"), info_keywords=("winner",))
    callback = MaskableEvalCallback(
        VecMonitor(make(8)), n_eval_episodes=16, eval_freq=8, log_path=str(tmp_path), verbose=0
    )
    model = MaskablePPO("MlpPolicy", envs, seed=1, **SMALL)
    model.learn(8 * 64, callback=callback)
    envs.close()
    lines = (tmp_path / "log.monitor.csv").read_text().splitlines()
    assert mhing.environment_id("general_mhing") in lines[0]
    assert lines[1] == "r,l,t,winner"
    assert {line.split(",")[-1] for line in lines[2:]} <= {"-1", "0", "1"}
    assert len(lines) > 5
    results = np.load(tmp_path / "evaluations.npz")["results"]
    assert results.shape == (8, 16)
    assert np.isfinite(callback.last_mean_reward)


def test_normalized(tmp_path: Path) -> None:
    """Rewards are scaled, last observations normalized, and statistics saved."""
    envs = VecNormalize(VecMonitor(make(8)), gamma=1.0)
    model = MaskablePPO("MlpPolicy", envs, seed=1, **SMALL).learn(8 * 64)
    envs.save(str(tmp_path / "statistics"))
    held_out = VecNormalize.load(str(tmp_path / "statistics"), VecMonitor(make(8)))
    held_out.training = held_out.norm_reward = False
    assert not (points_of(model, held_out, 16) % 1).any()  # points are whole
    held_out.seed(1)
    envs.reset()
    done = np.zeros(8, bool)
    while not done.any():
        masks = np.array(envs.env_method("action_masks"))
        _, _, done, infos = envs.step(masks.argmax(axis=1))
    last = infos[done.argmax()]["terminal_observation"]
    assert last.dtype == np.float32
    assert last.min() < 0


# ---- What has learned plays ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "obs_mode"), [("MlpPolicy", "flat"), ("MultiInputPolicy", "dict")]
)
def test_a_model_as_opponent_and_in_the_arena(policy: str, obs_mode: str) -> None:
    model = MaskablePPO(policy, make(obs_mode=obs_mode), seed=1, **SMALL)
    player = ModelPolicy(model)
    frozen = make(4, opponents=player)
    frozen.seed(1)
    seen = frozen.reset()
    masks = np.array(frozen.env_method("action_masks"))
    both = {"observation": seen, "action_mask": masks.astype(np.int8)}
    chosen, _ = model.predict(
        both if obs_mode == "dict" else seen, action_masks=masks, deterministic=True
    )
    assert np.array_equal(player.choose_rows(seen, masks.astype(np.int8)), chosen)
    assert [player(row, mask, {}) for row, mask in zip(seen, masks, strict=True)] == chosen.tolist()
    MaskablePPO("MlpPolicy", frozen, seed=1, **SMALL).learn(64)

    result = arena.play([player, "random"], "general_mhing", deals=2, seed=1)
    assert [standing.name for standing in result.players] == ["ModelPolicy", "random"]

    drawn = ModelPolicy(model, deterministic=False)
    answers = {drawn(seen[0], masks[0], {}) for _ in range(50)}
    assert 1 < len(answers) <= masks[0].sum()
