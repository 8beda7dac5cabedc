"""Tianshou: collecting through PettingZoo and Gymnasium, masks in DQN and PPO, and learning."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from options import known
from torch import nn
from zoo import every_game, module

import mhing

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of names in its own dependencies
    from tianshou.algorithm import DQN, PPO
    from tianshou.algorithm.algorithm_base import policy_within_training_step
    from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
    from tianshou.algorithm.modelfree.reinforce import ProbabilisticActorPolicy
    from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
    from tianshou.algorithm.optim import AdamOptimizerFactory
    from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv, PettingZooEnv

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*:DeprecationWarning", "ignore:.*only 1D sequences are supported"
)


@pytest.mark.slow
@every_game
def test_all_seats_through_pettingzoo(game: str) -> None:
    """Legal play to the end; what each seat earned is what the game says, and in the buffer."""
    env = PettingZooEnv(module(game).raw_env(**known(game, num_players=3, reward="chips")))
    seats = [
        MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=env.action_space)
        for _ in env.agents
    ]
    players = MultiAgentOffPolicyAlgorithm(algorithms=seats, env=env)
    buffer = VectorReplayBuffer(1000, 1)
    collector = Collector(players, DummyVectorEnv([lambda: env]), buffer)
    np.random.seed(1)
    found = collector.collect(n_episode=1, reset_before_collect=True, gym_reset_kwargs={"seed": 3})
    played, _ = buffer.sample(0)
    state = env.env.game.new_state(3)
    for action in played.act.tolist():
        state.apply(action)
    assert state.is_terminal
    assert found.returns[0].tolist() == state.returns().tolist()
    assert played.rew.sum(axis=0).tolist() == state.returns().tolist()


def make_seat(game: str) -> Any:
    """One seat against random ones, as Tianshou reads observations: `obs` and `mask`."""
    env = gym.make(mhing.environment_id(game), obs_mode="dict", opponents="random")
    return gym.wrappers.TransformObservation(
        env, lambda seen: {"obs": seen["observation"], "mask": seen["action_mask"]}, None
    )


class Net(nn.Module):
    """Numbers for the actions, or a value, from the observation alone."""

    def __init__(self, env: Any, outputs: int) -> None:
        super().__init__()
        size = env.unwrapped.game.observation_size
        self.layers = nn.Sequential(nn.Linear(size, 64), nn.Tanh(), nn.Linear(64, outputs))

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> Any:
        numbers = obs.obs if hasattr(obs, "obs") else obs
        return self.layers(torch.as_tensor(numbers, dtype=torch.float32)), state


class Actor(Net):
    def forward(self, obs: Any, state: Any = None, info: Any = None) -> Any:
        logits, state = super().forward(obs, state)
        return logits.masked_fill(torch.as_tensor(obs.mask) == 0, -1e9), state


class Critic(Net):
    def forward(self, obs: Any, **kwargs: Any) -> Any:
        return super().forward(obs)[0]


def assert_legal(buffer: Any) -> None:
    played, _ = buffer.sample(0)  # all
    assert (played.obs.mask[np.arange(len(played)), played.act] == 1).all()


@pytest.mark.slow
@every_game
def test_dqn_plays_by_the_mask(game: str) -> None:
    """Both the actions that the network prefers and those that it explores are legal."""
    env = make_seat(game)
    actions = int(env.action_space.n)
    policy = DiscreteQLearningPolicy(
        model=Net(env, actions), action_space=env.action_space, eps_training=0.5
    )
    learner = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), target_update_freq=50)
    buffer = VectorReplayBuffer(400, 2)
    collector = Collector(
        learner, DummyVectorEnv([lambda: make_seat(game)] * 2), buffer, exploration_noise=True
    )
    collector.reset()
    with policy_within_training_step(learner.policy):
        collector.collect(n_step=60)
        learner.update(buffer, sample_size=32)
    assert_legal(buffer)


def ppo(game: str, tables: int, rounds: int, steps: int) -> tuple[list[float], Any]:
    """The mean return of each round of learning, and the last of what was collected."""
    env = make_seat(game)
    policy = ProbabilisticActorPolicy(
        actor=Actor(env, int(env.action_space.n)),
        dist_fn=lambda logits: torch.distributions.Categorical(logits=logits),
        action_space=env.action_space,
        action_scaling=False,
    )
    learner = PPO(
        policy=policy, critic=Critic(env, 1), optim=AdamOptimizerFactory(lr=3e-3), gamma=1.0
    )
    buffer = VectorReplayBuffer(2048, tables)
    collector = Collector(learner, DummyVectorEnv([lambda: make_seat(game)] * tables), buffer)
    collector.reset()
    means = []
    for _ in range(rounds):
        buffer.reset(keep_statistics=True)
        with policy_within_training_step(learner.policy):
            found = collector.collect(n_step=steps)
            means.extend([float(found.returns.mean())] if found.n_collected_episodes else [])
            learner.update(buffer, batch_size=128, repeat=4)
    return means, buffer


@pytest.mark.slow
@every_game
def test_ppo_masks_in_the_actor(game: str) -> None:
    """Tianshou's PPO knows no masks; an actor that reads them is all that it takes."""
    _, buffer = ppo(game, 2, 1, 60)
    assert_legal(buffer)


@pytest.mark.slow
def test_ppo_learns() -> None:
    """Leduc against a random player, who is worth 0 by symmetry: a chip and more a hand."""
    torch.manual_seed(1)
    np.random.seed(1)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        means, _ = ppo("leduc", 8, 10, 512)
    finally:
        torch.set_num_threads(threads)
    assert np.mean(means[-3:]) > 0.5
