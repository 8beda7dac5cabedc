"""The expert of General Mhing plays for the reward, by what its seat knows, and beats greedy."""

from __future__ import annotations

import pytest

import mhing
from mhing import arena

REWARDS = ["points", "win", "margin"]


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("players", [2, 3])
def test_it_beats_greedy_with_the_same_deals(players: int, reward: str) -> None:
    """The 95 % interval of the difference to greedy in the same seats lies well above 0."""
    result = arena.play(
        ["expert", "greedy"],
        field="greedy",
        game="general_mhing",
        num_players=players,
        reward=reward,
        deals=3000 if players == 2 else 1000,
        seed=1,
    )
    (pair,) = result.pairs
    assert pair.decided
    assert pair.difference.value > 1.5 * pair.difference.interval


@pytest.mark.parametrize("options", [
    {"episode": "game"},
    {"episode": "game", "reward": "win", "num_players": 3},
    {"turn_limit": 1},
    {"turn_limit": 9, "reward": "margin", "num_players": 3},
    {"turn_limit": 1000, "num_players": 3, "hints": True},
    {"episode": "game", "target": 0, "rounds": 3, "starter": 1},
])  # fmt: skip
def test_it_plays_to_the_end_under_all_options(options: dict[str, object]) -> None:
    game = mhing.Game("general_mhing", **options)
    for seed in range(5):
        state = game.new_state(seed)
        while not state.is_terminal:
            action, _ = state.bot_action("expert", 0)
            assert state.action_mask()[action]
            state.apply(action)
