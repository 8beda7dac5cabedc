"""RLlib: its network with masks, the batch as columns, all seats as agents, and a cluster."""

from __future__ import annotations

import doctest
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pages
import pytest
import torch
from options import known
from same import assert_same
from seed_search import SEED, holds_seed

import mhing
from mhing.vector import CardGameVectorEnv

pytest.importorskip("tree", reason="RLlib has a separate environment: run .ci/rllib")

from networks import module, small
from ray.rllib.algorithms.ppo import PPO, PPOConfig
from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.core import DEFAULT_MODULE_ID
from ray.rllib.core.columns import Columns as Names
from ray.rllib.core.distribution.torch.torch_distribution import TorchCategorical
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
from ray.rllib.evaluation.postprocessing import Postprocessing

from mhing import rllib
from mhing.rllib.columns import ToBatch
from mhing.rllib.module import LegalCategorical
from mhing.rllib.runner import _observed

pytestmark = pytest.mark.filterwarnings("ignore")  # RLlib's own

TUNING: dict[str, Any] = {
    "train_batch_size": 2048,
    "minibatch_size": 512,
    "num_epochs": 4,
    "lr": 1e-3,
    "gamma": 1.0,
    "lambda_": 0.95,
    "entropy_coeff": 0.01,
    "use_kl_loss": False,
    "grad_clip": 0.5,
}
"""That of the page."""


def columns_of(game: str = "general_mhing", rows: int = 4, **settings: Any) -> rllib.ColumnRunner:
    settings = {"opponents": "random"} | settings
    config = small(rllib.ppo_config(game, rows, **settings))
    return rllib.ColumnRunner(config=config, worker_index=0)


# ---- The network ---------------------------------------------------------------------------------


def test_only_legal_actions_are_drawn() -> None:
    envs = CardGameVectorEnv(64, game="mhing", obs_mode="dict")
    seen, _ = envs.reset(seed=1)
    net = module("mhing")
    batch = {Names.OBS: {name: torch.from_numpy(array) for name, array in seen.items()}}
    legal = batch[Names.OBS]["action_mask"].bool()
    for forward in (net.forward_inference, net.forward_exploration, net.forward_train):
        found = LegalCategorical(forward(batch)[Names.ACTION_DIST_INPUTS])
        assert (found.probs[~legal] == 0).all()
        assert (found.probs[legal] > 0).all()
        assert legal.gather(1, found.sample()[:, None]).all()
    assert net.compute_values(batch).shape == (64,)
    assert net.get_train_action_dist_cls() is LegalCategorical
    assert torch.get_num_threads() == 1


def test_the_distribution_is_that_of_rllib() -> None:
    torch.manual_seed(1)
    illegal = torch.rand(50, 41) < 0.7
    illegal[..., 0] = False
    logits = torch.randn(2, 50, 41).masked_fill(illegal, torch.finfo().min).requires_grad_()
    found = []
    for kind in (LegalCategorical, TorchCategorical):
        one, other = map(kind.from_logits, logits)
        actions = torch.zeros(50, dtype=torch.int64)
        numbers = [one.logp(actions), one.entropy(), one.kl(other)]
        (gradient,) = torch.autograd.grad(sum(n.sum() for n in numbers), logits)
        found.append([*numbers, gradient, one.to_deterministic().sample()])
    torch.testing.assert_close(*found)


def test_observations_without_masks() -> None:
    with pytest.raises(ValueError, match=r"observation_space: Box.*obs_mode='dict'"):
        rllib.MaskedModule(observation_space=gym.spaces.Box(0, 1, (3,)))


# ---- The batch -----------------------------------------------------------------------------------

SEATS: list[dict[str, Any]] = [{}, {"seat": 1}, {"opponents": "self"}, {"num_players": 3}]


@pytest.mark.parametrize("settings", SEATS, ids=str)
@pytest.mark.parametrize("game", mhing.games())
def test_columns_are_what_is_played(game: str, settings: dict[str, Any]) -> None:
    """Step by step, beside a batch that plays the same actions; twice in a row."""
    options = {name: value for name, value in settings.items() if name == "num_players"}
    settings = {n: v for n, v in settings.items() if n not in options} | known(game, **options)
    runner = columns_of(game, 5, **settings)
    twin = CardGameVectorEnv(
        5, game=game, autoreset_mode="same_step", obs_mode="dict",
        **{"opponents": "random"} | settings,
    )  # fmt: skip
    seen, infos = twin.reset(seed=1)
    ended = 0
    for _ in range(2):
        (columns,) = runner.sample(num_timesteps=5 * 250)
        assert len(columns) == columns.env_steps() == 1250
        for t in range(250):
            assert_same(columns.observations[t], seen["observation"])
            assert_same(columns.masks[t], seen["action_mask"])
            assert_same(columns.seats[t], infos["seat"])
            assert columns.masks[t][range(5), columns.actions[t]].all()
            seats = infos["seat"]
            seen, earned, ends, _, infos = twin.step(columns.actions[t])
            assert_same(columns.earned[t], earned)
            assert_same(columns.ends[t], ends)
            for row in ends.nonzero()[0]:
                if "seat_rewards" in infos:
                    assert_same(columns.last[t, row], infos["seat_rewards"][row])
                else:
                    assert columns.last[t, row, seats[row]] == earned[row]
                ended += 1
        assert_same(columns.observations[250], seen["observation"])
        assert_same(columns.seats[250], infos["seat"])
    assert ended
    metrics = runner.get_metrics()
    assert metrics["num_episodes"].peek() == ended


def test_episodes_for_evaluation() -> None:
    """So many at least, all anew, and without chance where nothing is explored."""
    runner = columns_of("general_mhing", 8)
    first, second = (runner.sample(num_episodes=20, explore=False)[0] for _ in range(2))
    assert 20 <= first.ends.sum() < 28
    assert_same(first.actions, second.actions)  # the seed's episodes, every time
    assert_same(first.actions, first.logits.argmax(2))
    drawn = runner.sample(num_timesteps=64, random_actions=True)[0]
    assert not np.array_equal(drawn.actions, drawn.logits.argmax(2))


def test_runners_play_other_episodes() -> None:
    config = small(rllib.ppo_config("general_mhing", 4, opponents="random"))
    runners = [rllib.ColumnRunner(config=config, worker_index=index) for index in (1, 1, 2)]
    one, same, other = (runner.sample(num_timesteps=4)[0].observations[0] for runner in runners)
    assert_same(one, same)
    rows = {row.tobytes() for row in one} & {row.tobytes() for row in other}
    assert not rows


@pytest.mark.parametrize("opponents", ["random", "self"])
def test_the_batch_that_is_learned_from(opponents: str) -> None:
    """Each decision once if it is known what came of it; advantages by their definition."""
    runner = columns_of("general_mhing", 4, opponents=opponents)
    parts = [runner.sample(num_timesteps=4 * 30)[0] for _ in range(2)]
    net = module()
    connector = ToBatch(gamma=0.9, gae_lambda=0.8)
    batch = connector(rl_module={DEFAULT_MODULE_ID: net}, batch={}, episodes=parts)
    found = batch[DEFAULT_MODULE_ID]
    assert {len(value) for name, value in found.items() if name != Names.OBS} == {
        len(found[Names.OBS]["observation"])
    }
    advantages, targets, logs = [], [], []
    for part in parts:
        seen = {"observation": torch.from_numpy(part.observations.reshape(31 * 4, -1))}
        values = net.compute_values({Names.OBS: seen}).detach().view(31, 4).numpy()
        for t, row in np.ndindex(30, 4):
            if (expected := slow_advantage(part, values, t, row)) is not None:
                advantages.append(expected)
                targets.append(expected + values[t, row])
                chosen = torch.from_numpy(part.logits[t, row]).log_softmax(0)
                logs.append(chosen[part.actions[t, row]].item())
    mean, deviation = np.mean(advantages), np.std(advantages, ddof=1)
    expected = (np.array(advantages) - mean) / deviation
    np.testing.assert_allclose(found[Postprocessing.ADVANTAGES], expected, atol=1e-4)
    np.testing.assert_allclose(found[Postprocessing.VALUE_TARGETS], targets, atol=1e-4)
    np.testing.assert_allclose(found[Names.ACTION_LOGP], logs, atol=1e-5)
    assert (len(advantages) == 240) == (opponents == "random")


def slow_advantage(part: rllib.Columns, values: Any, t: int, row: int) -> float | None:
    """By the sum over the later decisions of the same seat; None: what came of it is unknown."""
    seat, total, weight = part.seats[t, row], 0.0, 1.0
    while True:
        later = t
        while not part.ends[later, row] and part.seats[later + 1, row] != seat:
            later += 1
            if later == len(part.actions):
                return None if weight == 1.0 else total
        if part.ends[later, row]:
            return total + weight * float(part.last[later, row, seat] - values[t, row])
        follows = 0.9 * values[later + 1, row] + part.earned[later, row]
        total += weight * float(follows - values[t, row])
        t, weight = later + 1, weight * 0.9 * 0.8
        if t == len(part.actions):
            return total


# ---- All seats -----------------------------------------------------------------------------------


class Reported(rllib.CardGameMultiAgentEnv):
    """Keeps what all seats have earned."""

    returns: list[list[float]] = []  # noqa: RUF012  of all of them

    def step(self, action_dict: dict[str, int]) -> Any:
        results = super().step(action_dict)
        if results[2]["__all__"]:
            self.returns.append(self.table.game_state.returns().tolist())
        return results


@pytest.mark.parametrize("game", mhing.games())
def test_every_seat_gets_what_it_has_earned(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through RLlib's runner, whatever the seat did last; and all actions are legal."""
    monkeypatch.setattr(Reported, "returns", [])
    config = small(rllib.multi_agent_config(game, illegal_action="raise"))
    runner = MultiAgentEnvRunner(config=config.environment(Reported), worker_index=0)
    earned = False
    while not earned:
        Reported.returns.clear()
        episodes = runner.sample(num_episodes=2)
        assert len(episodes) == len(Reported.returns) == 2
        for episode, returns in zip(episodes, Reported.returns, strict=True):
            for seat, expected in enumerate(returns):
                one = episode.agent_episodes.get(f"player_{seat}")
                if one is not None and len(one):
                    assert one.get_return() == pytest.approx(expected)
                    assert one.is_terminated
                    earned |= expected != 0


def test_a_seat_at_a_time() -> None:
    env = rllib.CardGameMultiAgentEnv({"game": "leduc", "render_mode": "ansi"})
    observations, infos = env.reset(seed=3)
    (agent,) = observations
    assert set(infos[agent]) >= {"action_mask"}
    assert "seed" not in infos[agent]
    assert env.observation_spaces[agent].contains(observations[agent])
    assert isinstance(env.render(), str)
    with pytest.raises(ValueError, match=f"expected one action, of {agent}"):
        env.step({})
    _, rewards, terminated, truncated, infos = env.step({agent: 10**6})
    assert rewards == {other: -float(other == agent) for other in env.agents}
    assert terminated == {"__all__": True}
    assert truncated == {"__all__": False}
    assert infos[agent]["illegal_action"]

    short = rllib.CardGameMultiAgentEnv({"max_cycles": 1})
    (agent,) = (observations := short.reset(seed=1)[0])
    action = int(observations[agent]["action_mask"].argmax())
    seen, _, terminated, truncated, _ = short.step({agent: action})
    assert (terminated["__all__"], truncated["__all__"]) == (False, True)
    assert [*seen] == short.possible_agents


# ---- Learning ------------------------------------------------------------------------------------


def earns(algorithm: PPO, rounds: int = 600) -> float:
    """Points a round against random, in rounds that nothing is learned from."""
    config = rllib.ppo_config("general_mhing", 64, opponents="random", hints=True)
    config.debugging(seed=10**6).rl_module(model_config=algorithm.config.model_config)
    runner = rllib.ColumnRunner(config=config, worker_index=0)
    runner.module.set_state(algorithm.get_module().get_state(inference_only=True))
    (columns,) = runner.sample(num_episodes=rounds)
    return float(columns.last[columns.ends].sum() / columns.ends.sum())


def test_it_learns_and_goes_on(local: None, tmp_path: Path) -> None:
    """At the start, after 16,384 decisions, and from a checkpoint."""
    config = rllib.ppo_config("general_mhing", 64, opponents="random", hints=True)
    algorithm = small(config, (64, 64)).training(**TUNING).build_algo()
    before = earns(algorithm)
    for _ in range(8):
        result = algorithm.train()
    after = earns(algorithm)
    assert result["env_runners"]["num_env_steps_sampled_lifetime"] == 16_384
    assert before < 1.5
    assert after > 1.9
    algorithm.save_to_path(tmp_path)
    algorithm.stop()
    again = PPO.from_checkpoint(tmp_path)
    assert earns(again) == after
    assert again.train()["training_iteration"] == 9
    again.stop()


@pytest.mark.parametrize(
    "make",
    [
        lambda: rllib.ppo_config("mhing", 8, columns=False, opponents="random"),
        lambda: rllib.multi_agent_config("leduc"),
        lambda: rllib.ppo_config("leduc", 8, opponents="self").evaluation(
            evaluation_interval=1,
            evaluation_duration=16,
            evaluation_config={"env_config": {"opponents": "random", "obs_mode": "dict"}},
        ),
    ],
    ids=["episodes", "agents", "self-play"],
)
def test_other_ways_to_learn(local: None, make: Callable[[], PPOConfig]) -> None:
    algorithm = small(make().environment(env_config={"illegal_action": "raise"})).build_algo()
    result = algorithm.train()
    algorithm.stop()
    assert result["env_runners"]["num_env_steps_sampled"] >= 256
    assert np.isfinite(result["env_runners"]["episode_return_mean"])


class Counting(RLlibCallback):
    """Counts episodes."""

    def on_episode_end(self, *, metrics_logger: Any, **_: Any) -> None:
        metrics_logger.log_value("ended", 1, reduce="sum")


class Sampling(RLlibCallback):
    """Is called by columns as well."""

    def on_sample_end(self, *, metrics_logger: Any, **_: Any) -> None:
        metrics_logger.log_value("ended", 1, reduce="sum")


@pytest.mark.parametrize(
    ("add", "words"),
    [
        (lambda config: config.callbacks(Counting), "on_episode_end: never called"),
        (lambda config: config.callbacks([Sampling, Counting]), "on_episode_end: never called"),
        (lambda config: config.callbacks(on_episode_step=print), "on_episode_step: never called"),
        (
            lambda config: config.env_runners(env_to_module_connector=print),
            "env_to_module_connector: never called",
        ),
    ],
)
def test_what_columns_would_not_call_is_refused(
    local: None, add: Callable[[PPOConfig], PPOConfig], words: str
) -> None:
    with pytest.raises(ValueError, match=rf"{words}.*columns=False"):
        add(small(rllib.ppo_config("leduc", 8))).build_algo()


def test_callbacks_that_are_called(local: None) -> None:
    of_episodes = rllib.ppo_config("leduc", 8, columns=False).callbacks(Counting)
    for config in (of_episodes, rllib.ppo_config("leduc", 8).callbacks(Sampling)):
        algorithm = small(config).build_algo()
        result = algorithm.train()
        algorithm.stop()
        assert result["env_runners"]["ended"] > 0


def test_rllib_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("mhing.rllib")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "ray.rllib", None)
    with pytest.raises(ModuleNotFoundError, match=r"is missing: pip install '\.\[rllib\]'"):
        import_module("mhing.rllib")


def test_mistakes() -> None:
    """Each is refused by a line that says what would be right."""
    mistakes: list[tuple[Callable[[], object], type[Exception], str]] = [
        (lambda: rllib.ppo_config("poker"), ValueError, "no game 'poker'; there is mhing"),
        (lambda: rllib.ppo_config("mhing", 0), ValueError, "num_envs: 0 "),
        (lambda: rllib.ppo_config(opponent="random"), TypeError, "did you mean opponents"),
        (lambda: rllib.ppo_config(obs_mode="flat"), TypeError, "obs_mode: no argument of"),
        (
            lambda: rllib.ppo_config(columns=False, opponents=["self"] * 3),
            ValueError,
            "'self' .*multi_agent_config",
        ),
        (lambda: rllib.multi_agent_config("mhing", seats=3), TypeError, "seats"),
        (
            lambda: rllib.ColumnRunner(config=rllib.ppo_config().learners(num_learners=2)),
            ValueError,
            "num_learners: 2; expected 0 or 1",
        ),
    ]
    for mistake, error, words in mistakes:
        with pytest.raises(error, match=words):
            mistake()


# ---- The pages -----------------------------------------------------------------------------------

OTHERS = {str(block) for page in pages.texts() for block in pages.after_learning(page)}
BLOCKS = [
    block for block in pages.blocks() if block.environment == "rllib" and str(block) not in OTHERS
]


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_block(block: pages.Block, tmp_path: Path) -> None:
    block.check(tmp_path)


def test_docstrings(local: None) -> None:
    runner = doctest.DocTestRunner()
    for name in pages.modules():
        if name.startswith("mhing.rllib"):
            for found in doctest.DocTestFinder().find(import_module(name), name):
                runner.run(found)
    assert runner.summarize(verbose=False).failed == 0
    assert runner.tries


def test_policies_get_no_seed() -> None:
    """Not even where infos were asked to hold it."""
    asked: dict[str, Any] = {"obs_mode": "dict", "seed_info": True, "opponents": "random"}
    envs = gym.make_vec("mhing:Mhing-v0", num_envs=2, **asked)
    observations, infos = envs.reset(seed=SEED)
    assert holds_seed(infos)
    agents = rllib.CardGameMultiAgentEnv({"game": "mhing", "seed_info": True})
    for data in (_observed(observations, infos), agents.reset(seed=SEED)[0]):
        assert not holds_seed(data)
