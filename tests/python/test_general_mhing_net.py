"""The net that comes with General Mhing: what it is worth, and where it does not play."""

from __future__ import annotations

import pytest

import mhing
from mhing import arena


def test_it_earns_more_than_the_expert_with_the_same_deals() -> None:
    """The 95 % interval of the difference between the two among greedy seats lies well above 0."""
    result = arena.play(["net", "expert"], field="greedy", game="general_mhing", deals=2000, seed=1)
    (pair,) = result.pairs
    assert pair.decided
    assert pair.difference.value > 2 * pair.difference.interval


@pytest.mark.parametrize("reward", ["win", "margin"])
def test_it_refuses_what_it_was_not_trained_for(reward: str) -> None:
    game = mhing.Game("general_mhing", reward=reward)
    assert "net" not in [bot.name for bot in game.bots]
    with pytest.raises(ValueError, match=f"trained for reward=points, not for reward={reward}"):
        game.bot_index("net")


@pytest.mark.parametrize("options", [{"episode": "game"}, {"target": 20}, {"hints": True}])
def test_it_plays_to_the_end(options: dict[str, object]) -> None:
    game = mhing.Game("general_mhing", **options)
    for seed in range(5):
        assert game.new_state(seed).play_out("net", seed=seed).is_terminal
