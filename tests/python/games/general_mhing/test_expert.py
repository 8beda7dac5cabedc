"""The expert of General Mhing plays for the reward, by what its seat knows, and beats greedy."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from policies import play
from reference.general_expert import Expert

import mhing
from mhing import arena

REWARDS = ["points", "win", "margin"]


@pytest.mark.slow
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
    {"offer": "top"},
    {"offer": "top", "episode": "game", "rounds": 0, "num_players": 3},
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "reward", "offer"),
    [
        *[pytest.param(2, reward, "previous", marks=pytest.mark.full) for reward in REWARDS],
        *[(3, reward, "previous") for reward in REWARDS],
        (2, "points", "top"),
        (3, "margin", "top"),
    ],
)
def test_it_chooses_what_a_slow_reference_values_most(
    players: int, reward: str, offer: str
) -> None:
    """The reference has nothing but the seat's observation."""
    game = mhing.Game("general_mhing", num_players=players, reward=reward, offer=offer)
    rng = Random(players)
    asked = Counter[str]()
    for seed in range(100, 104):
        state = game.new_state(seed)
        while not state.is_terminal:
            legal = [game.action_text(action) for action in state.legal_actions().tolist()]
            chosen = game.action_text(state.bot_action("expert", 0)[0])
            seen = game.unpack(state.observation())
            # Early in a round the reference takes seconds: it goes through all that may come.
            if (seen["sequence_kind"] > 0).sum() > 2 * (players - 1) and rng.random() < 0.3:
                values = Expert(seen, reward, offer == "top").values(legal)
                assert values[chosen] == pytest.approx(max(values.values()), abs=1e-9)
                asked[chosen.split()[0]] += len(values) > 1
            play(state, chosen if rng.random() < 0.8 else rng.choice(legal))
    assert sum(asked.values()) > 7


def test_it_waits_for_points_and_ends_for_a_win() -> None:
    """The expert's choice where greedy lays a fourth sequence that wins the round."""
    ends = {reward: Counter[bool]() for reward in REWARDS}
    for reward in REWARDS:
        game = mhing.Game("general_mhing", reward=reward)
        for seed in range(150):
            state = game.new_state(seed)
            while not state.is_terminal:
                greedy, _ = state.bot_action("greedy", 0)
                laid = game.unpack(state.observation())["sequence_kind"][0]
                if laid[2] and is_sequence(game, greedy):
                    expert, _ = state.bot_action("expert", 0)
                    ends[reward][is_sequence(game, expert)] += 1
                state.apply(greedy)
    assert ends["win"][True] > 80
    assert not ends["win"][False]
    assert ends["points"][False] > ends["margin"][False] > 10


def is_sequence(game: mhing.Game, action: int) -> bool:
    return game.action_text(action).startswith("sequence")
