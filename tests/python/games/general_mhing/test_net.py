"""The net that comes with General Mhing: what it is worth, and where it does not play."""

from __future__ import annotations

import pytest

import mhing
from mhing import arena


@pytest.mark.slow
@pytest.mark.parametrize("reward", ["points", "win", "margin"])
def test_it_earns_more_than_the_expert_with_the_same_deals(reward: str) -> None:
    assert_more_than("expert", mhing.Game("general_mhing", reward=reward), deals=4000)


@pytest.mark.parametrize("reward", ["points", "margin"])
def test_it_earns_more_than_greedy_with_three_players(reward: str) -> None:
    """Not against the expert, which takes half a minute then."""
    assert_more_than("greedy", mhing.Game("general_mhing", reward=reward, num_players=3), deals=300)


def assert_more_than(other: str, game: mhing.Game, deals: int) -> None:
    """The 95 % interval of the difference between the two among greedy seats lies above 0."""
    result = arena.play(["net", other], game, field="greedy", deals=deals, seed=1)
    (pair,) = result.pairs
    assert pair.decided
    assert pair.difference.value > pair.difference.interval


def test_it_refuses_rounds_of_three_that_are_to_be_won() -> None:
    game = mhing.Game("general_mhing", reward="win", num_players=3)
    assert "net" not in [bot.name for bot in game.bots]
    refused = r"net: trained for (num_players=2|reward=\w+), not for"
    with pytest.raises(ValueError, match=refused):
        game.bot_index("net")


@pytest.mark.parametrize("options", [{"episode": "game"}, {"target": 20}, {"hints": True}])
def test_it_plays_to_the_end(options: dict[str, object]) -> None:
    game = mhing.Game("general_mhing", **options)
    for seed in range(5):
        assert game.new_state(seed).play_out("net", seed=seed).is_terminal
