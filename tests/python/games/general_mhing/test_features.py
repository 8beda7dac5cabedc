"""General Mhing: what nets see of each move, against a slow reference."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
import pytest
from policies import play
from reference.general_expert import Expert
from reference.general_features import Afterstates, Features

import mhing


def numbers(game: mhing.Game, features: Features | None) -> list[float] | None:
    """In the order of the game's table, without the expert's judgement; None: the round is over."""
    if features is None:
        return None
    return [n for row in game.features if row.name != "expert" for n in features[row.name]]


def everything_but_expert(game: mhing.Game) -> list[int]:
    rows = [row for row in game.features if row.name != "expert"]
    return [row.offset + i for row in rows for i in range(row.count)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "offer"),
    [
        (2, "previous"),
        (3, "top"),
        pytest.param(2, "top", marks=pytest.mark.full),
        pytest.param(3, "previous", marks=pytest.mark.full),
    ],
)
def test_features_are_those_of_a_slow_reference(players: int, offer: str) -> None:
    """The reference has nothing but the seat's observation."""
    game = mhing.Game("general_mhing", num_players=players, offer=offer)
    columns = everything_but_expert(game)
    rng, asked = Random(players), Counter[str]()
    for seed in range(200, 210):
        state = game.new_state(seed)
        while not state.is_terminal:
            legal = [game.action_text(action) for action in state.legal_actions().tolist()]
            swaps = any(text.startswith("swap") for text in legal)
            if rng.random() < (0.5 if swaps else 0.1):
                check(state, columns)
                asked.update({text.split()[0] for text in legal})
            chosen = game.action_text(state.bot_action("greedy", 0)[0])
            play(state, chosen if rng.random() < 0.8 else rng.choice(legal))
    assert min(asked[kind] for kind in ("draw", "take", "sequence", "swap", "discard", "end")) > 0


def check(state: mhing.State, columns: list[int]) -> None:
    game = state.game
    actions, features, values = state.afterstates(every=True)
    top = game.options["offer"] == "top"
    expected = Afterstates(game.unpack(state.observation()), "points", top)
    for action in state.legal_actions().tolist():
        here = actions == action
        rows = [numbers(game, f) for f in expected.of_action(game.action_text(action))]
        assert np.isnan(values[here]).sum() == sum(row is not None for row in rows)
        found = features[here][np.isnan(values[here])][:, columns]
        wanted = np.array([row for row in rows if row is not None]).reshape(-1, len(columns))
        np.testing.assert_allclose(sorted(found.tolist()), sorted(wanted.tolist()), atol=1e-5)


@pytest.mark.parametrize(
    ("reward", "offer"),
    [("points", "previous"), ("win", "previous"), ("margin", "previous"), ("margin", "top")],
)
def test_the_expert_is_one_of_them(reward: str, offer: str) -> None:
    """Scaled by 5; late in a round, where the slow reference of the expert is quick enough."""
    game = mhing.Game("general_mhing", reward=reward, offer=offer)
    (place,) = (row.offset for row in game.features if row.name == "expert")
    compared = 0
    for seed in range(300, 303):
        state = game.new_state(seed)
        while not state.is_terminal:
            seen = game.unpack(state.observation())
            legal = [game.action_text(action) for action in state.legal_actions().tolist()]
            if (seen["sequence_kind"] > 0).sum() > 3 and seen["phase"] > 1:
                actions, features, values = state.afterstates(every=True)
                wanted = Expert(seen, reward, offer == "top").values(legal)
                for text in legal:
                    here = actions == game.action_id(text)
                    judged = np.where(np.isnan(values), features[:, place] * 5, values)[here]
                    assert judged.max() == pytest.approx(wanted[text], abs=1e-5)
                    compared += 1
            play(state, game.action_text(state.bot_action("greedy", 0)[0]))
    assert compared > 20


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("reward", ["points", "win", "margin"])
def test_a_fourth_sequence_is_worth_what_it_earns(players: int, reward: str) -> None:
    game = mhing.Game("general_mhing", num_players=players, reward=reward)
    earned: list[float] = []
    for seed in range(60):
        state = game.new_state(seed)
        while not state.is_terminal:
            actions, _, values = state.afterstates()
            for action, value in zip(actions.tolist(), values.tolist(), strict=True):
                if game.action_text(action).startswith("sequence") and not np.isnan(value):
                    after = state.clone()
                    after.apply(action)
                    assert after.is_terminal
                    assert after.returns()[state.seat] == pytest.approx(value)
                    earned.append(value)
            state.apply(state.bot_action("greedy", 0)[0])
    assert len(earned) > 40
    assert min(earned) <= 0 < max(earned)
