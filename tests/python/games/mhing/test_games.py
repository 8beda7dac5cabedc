"""Whole games of Mhing: the agreed rounds, the stake, and words for how a round ended."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from rules.citing import rules_of

import mhing

rule = rules_of("mhing")


def rounds_left(state: mhing.State) -> int | None:
    """After the one on the table, as the observation says; None: no number of them is agreed."""
    left = int(state.game.unpack(state.observation(0))["rounds_left"].view("<u4")[0])
    return left - 1 if left else None


@rule("R8.3", "R8.7")
@pytest.mark.parametrize(
    ("options", "left"),
    [
        ({"scoring": "chips"}, 99),
        ({"scoring": "chips", "rounds": 7}, 6),
        ({"scoring": "chips", "rounds": 0}, None),
        ({"rounds": 7}, 6),
        ({"rounds": 400}, 399),
        ({}, None),
    ],
)
def test_rounds_left_are_those_agreed(options: dict[str, Any], left: int | None) -> None:
    """With chips it is 100 where nothing else is said."""
    state = mhing.Game("mhing", episode="game", **options).new_state(1)
    assert rounds_left(state) == left
    while state.rounds_over < 2:
        state.apply(state.bot_action("greedy", 0)[0])
    assert rounds_left(state) == (None if left is None else left - 2)
    assert rounds_left(mhing.Game("mhing", **options).new_state(1)) is None, "one round, no more"


@rule("R8.7")
def test_a_game_of_chips_ends_after_a_hundred_rounds() -> None:
    state = mhing.Game("mhing", episode="game", scoring="chips").new_state(1)
    while not state.is_terminal:
        state.apply(state.bot_action("greedy", 0)[0])
    assert state.rounds_over == 100
    assert rounds_left(state) == 0


WON = {
    "hands": [
        ["2s", "3s", "4s", "5s", "6s", "7s", "3p", "4p", "5p", "8p", "8p", "E", "E", "E"],
        ["1m", "1m", "1m", "2m", "2m", "2m", "3m", "3m", "3m", "4m", "4m", "4m", "5m"],
        ["5m", "5m", "5m", "6m", "6m", "6m", "7m", "7m", "7m", "8m", "8m", "8m", "9m"],
        ["N", "N", "N", "W", "W", "W", "S", "S", "S", "R", "R", "R", "J"],
    ]
}
"""Seat 0 may declare: a honour triplet and a pair of 8s, 2 credits, 4 points."""


@rule("R8.4", "R8.6")
def test_everybody_starts_with_the_stake_and_pays_of_it() -> None:
    for stake, chips in ((500, [512, 496, 496, 496]), (7, [19, 3, 3, 3]), (3, [12, 0, 0, 0])):
        game = mhing.Game("mhing", episode="game", scoring="chips", stake=stake, reward="chips")
        state = game.state_from_dict(WON)
        assert state.to_dict()["chips"] == [stake] * 4
        state.apply(game.action_id("mhing"))
        assert state.to_dict()["chips"] == chips
        assert state.rewards().tolist() == [have - stake for have in chips]
        assert state.is_terminal == (stake == 3), "R8.7: one has them all"
        bounds = game.bounds
        assert (bounds.lowest, bounds.highest) == (-stake, 3 * stake)


@rule("R8.4")
def test_the_largest_stake_fits() -> None:
    game = mhing.Game("mhing", episode="game", scoring="chips", stake=500_000_000, reward="chips")
    state = game.new_state(1)
    for _ in range(300):
        assert sum(state.to_dict()["chips"]) == 2_000_000_000
        state.apply(state.bot_action("greedy", 0)[0])
    assert game.bounds.highest == 1_500_000_000
    assert game.from_bytes(state.to_bytes()) == state
    for stake in (0, 500_000_001):
        with pytest.raises(ValueError, match="stake"):
            mhing.Game("mhing", stake=stake)


@rule("R11.1")
def test_words_say_how_mhing_was_declared() -> None:
    game = mhing.Game("mhing")
    kind = next(event.id for event in game.events if event.name == "mhing")
    assert game.event_text(kind, 0, 0) == "from the hand"
    assert game.event_text(kind, 1, 0) == "on the discard"
    state = game.state_from_dict(WON)
    state.apply(game.action_id("mhing"))
    last = state.to_dict()["events"][-1]
    assert last == {"seat": 0, "event": "mhing", "text": "from the hand", "detail": 0, "jokers": 0}
    again = game.state_from_dict(state.to_dict())
    assert again == state
    assert np.array_equal(again.observation(1), state.observation(1))
