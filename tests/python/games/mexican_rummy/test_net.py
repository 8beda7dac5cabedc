"""The nets of Mexican Rummy do better than greedy, and say what they are for."""

from __future__ import annotations

import numpy as np
import pytest

import mhing


def gains(game: mhing.Game, bot: str, deals: int) -> list[float]:
    """The gain of a bot over greedy among greedy ones in each deal, mean of all seats."""
    found = []
    for seed in range(deals):
        seats = range(game.num_seats)
        theirs = game.new_state(seed).play_out("greedy", seed).returns()
        ours = [
            game.new_state(seed).play_out([bot if s == seat else "greedy" for s in seats], seed)
            for seat in seats
        ]
        found.append(np.mean([ours[seat].returns()[seat] - theirs[seat] for seat in seats]))
    return found


@pytest.mark.slow
def test_it_wins_more_rounds_than_greedy() -> None:
    """By half of what benchmarks/RESULTS.md says, over all objectives."""
    games = [mhing.Game("mexican_rummy", objective=n, reward="win") for n in range(1, 7)]
    assert np.mean([gains(game, "net", 60) for game in games]) > 0.035


def test_it_loses_fewer_points_than_greedy() -> None:
    """By half of what benchmarks/RESULTS.md says, over all objectives."""
    games = [mhing.Game("mexican_rummy", objective=n) for n in range(1, 7)]
    assert np.mean([gains(game, "net", 60) for game in games]) > 2.9


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"num_players": 3, "reward": "win"}, "trained for num_players=4, not for num_players=3"),
        ({"reward": "rank"}, "trained for reward=score, not for reward=rank"),
        (
            {"episode": "game", "reward": "win"},
            "trained for (episode=round, not for episode=game|reward=score, not for reward=win)",
        ),
    ],
)
def test_it_refuses_what_it_was_not_trained_for(options: dict[str, str | int], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        mhing.Game("mexican_rummy", **options).bot_index("net")
