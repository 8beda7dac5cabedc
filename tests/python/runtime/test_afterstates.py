"""Afterstates as numbers for a net: of every game that has such features."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np
import pytest
from every_game import CASES, Options, case_name
from gymnasium.error import ResetNeeded

import mhing
from mhing.vector import CardGameVectorEnv

WITH_FEATURES = [case for case in CASES if mhing.Game(case[0]).features]

every_case = pytest.mark.parametrize(("game_id", "options"), WITH_FEATURES, ids=case_name)


def decisions(game: mhing.Game, rounds: int) -> Iterator[mhing.State]:
    """The decisions of some episodes, mostly greedy ones, sometimes a random one."""
    for seed in range(rounds):
        rng, state = Random(seed), game.new_state(seed)
        for _ in range(300):
            if state.is_terminal:
                break
            yield state
            action, _ = state.bot_action(game.default_bot, rng.getrandbits(64))
            if rng.random() < 0.1:
                action = rng.choice(state.legal_actions().tolist())
            state.apply(action)


def test_features_of_a_game_fill_its_numbers() -> None:
    assert WITH_FEATURES
    for game in map(mhing.Game, sorted({game_id for game_id, _ in WITH_FEATURES})):
        places = [feature.offset for feature in game.features]
        counts = [feature.count for feature in game.features]
        assert places == [sum(counts[:i]) for i in range(len(counts))]
        assert game.new_state(1).afterstates().features.shape[1] == sum(counts)


@every_case
def test_each_legal_action_is_there_once_in_a_row(game_id: str, options: Options) -> None:
    for state in decisions(mhing.Game(game_id, **options), rounds=2):
        actions = state.afterstates(every=True).actions
        runs = actions[np.flatnonzero(np.diff(actions, prepend=-1))]
        assert sorted(runs.tolist()) == state.legal_actions().tolist()


@every_case
def test_actions_that_deserve_a_look_are_legal(game_id: str, options: Options) -> None:
    for state in decisions(mhing.Game(game_id, **options), rounds=2):
        actions = state.afterstates().actions
        runs = actions[np.flatnonzero(np.diff(actions, prepend=-1))]
        assert 1 <= len(runs) == len(set(runs.tolist()))
        assert set(runs.tolist()) <= set(state.legal_actions().tolist())


@every_case
def test_features_are_moderate_numbers(game_id: str, options: Options) -> None:
    game, seen = mhing.Game(game_id, **options), []
    for state in decisions(game, rounds=3):
        _, features, values = state.afterstates()
        assert not features[~np.isnan(values)].any()
        assert not np.isinf(values).any()
        seen.append(features[np.isnan(values)])
    numbers = np.concatenate(seen)
    assert np.isfinite(numbers).all()
    assert np.abs(numbers).max() <= 8
    assert len(np.unique(numbers, axis=0)) > len(numbers) / 10


@every_case
def test_features_follow_from_what_the_seat_knows(game_id: str, options: Options) -> None:
    """Also the order of the afterstates, and which are worth considering."""
    for number, state in enumerate(decisions(mhing.Game(game_id, **options), rounds=2)):
        other = state.resample(state.seat, seed=number)
        for every in (False, True):
            np.testing.assert_equal(state.afterstates(every), other.afterstates(every))


@every_case
def test_afterstates_change_nothing(game_id: str, options: Options) -> None:
    for state in decisions(mhing.Game(game_id, **options), rounds=1):
        before = state.clone()
        state.afterstates(every=True)
        assert state == before


def test_certain_values_are_what_the_action_brings() -> None:
    """In Mhing the declaration, in the unit of the reward, no matter who pays."""
    declared = 0
    for reward in ("credits", "points", "chips", "win"):
        for state in decisions(mhing.Game("mhing", reward=reward, num_players=3), rounds=25):
            actions, _, values = state.afterstates()
            certain = ~np.isnan(values)
            assert state.game.action_id("mhing") in actions or not certain.any()
            if certain.any():
                after = state.clone()
                after.apply(int(actions[certain][0]))
                while not after.is_terminal:  # the others may claim as well; here they pass
                    after.apply(after.idle_action())
                if after.returns()[state.seat] > 0:
                    assert after.returns()[state.seat] == values[certain][0]
                    declared += 1
    assert declared >= 20


# ---- Many rows at once -----------------------------------------------------------------------


def same_as_states(envs: CardGameVectorEnv, every: bool) -> None:
    """The afterstates of all rows are those of their states, one after the other."""
    found = envs.afterstates(every)
    alone = [envs.state(row).afterstates(every) for row in range(envs.num_envs)]
    counts = [len(one.actions) for one in alone]
    assert found.rows.tolist() == np.repeat(np.arange(envs.num_envs), counts).tolist()
    for name, array in zip(found._fields[1:], found[1:], strict=True):
        expected = np.concatenate([getattr(one, name) for one in alone])
        assert array.dtype == expected.dtype
        np.testing.assert_array_equal(array, expected)


@every_case
def test_afterstates_of_all_rows(game_id: str, options: Options) -> None:
    envs = CardGameVectorEnv(
        5, game=game_id, opponents="self", num_threads=2, autoreset_mode="same_step", **options
    )
    envs.reset(seed=3)
    for turn in range(6):
        before = [envs.save(row) for row in range(5)]
        same_as_states(envs, every=bool(turn % 2))
        assert [envs.save(row) for row in range(5)] == before
        envs.step(envs.sample_actions())


def test_skipped_features_are_left_0() -> None:
    envs = CardGameVectorEnv(3, game="mhing", opponents="self", autoreset_mode="same_step")
    envs.reset(seed=3)
    every, some = envs.afterstates(), envs.afterstates(skip=["useful", "melds"])
    places = envs.game.feature_places(["useful", "melds"])
    assert every.features[:, places].any()
    every.features[:, places] = 0
    for one, other in zip(every, some, strict=True):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(ValueError, match=r"^mhing has no feature 'exprt', but distances, useful"):
        envs.afterstates(skip=["exprt"])
    with pytest.raises(TypeError, match=r"^features: 'expert' is not a list, such as"):
        envs.afterstates(skip="expert")


def test_room_grows_with_what_is_left() -> None:
    """More than a batch makes room for at first: wild cards can go many ways."""
    envs = CardGameVectorEnv(1, game="mhing", opponents="greedy", autoreset_mode="same_step")
    envs.reset(seed=1)
    most = 0
    while most <= 16:
        same_as_states(envs, every=True)
        most = max(most, len(envs.afterstates(every=True).actions))
        envs.step(envs.sample_actions())


def test_rows_that_are_over_have_no_afterstates() -> None:
    envs = CardGameVectorEnv(
        2, game="mhing", opponents="self", autoreset_mode="disabled", illegal_action="terminate"
    )
    envs.reset(seed=1)
    masks = envs.action_masks()
    illegal, legal = masks[0].argmin(), masks[1].argmax()
    _, _, over, _, _ = envs.step([illegal, legal])
    assert over.tolist() == [True, False]
    assert set(envs.afterstates().rows.tolist()) == {1}


def test_errors_of_rows() -> None:
    envs = CardGameVectorEnv(2, game="mhing")
    with pytest.raises(ResetNeeded):
        envs.afterstates()
    for game in (mhing.Game(game_id) for game_id in mhing.games()):
        if not game.features:
            bare = CardGameVectorEnv(2, game=game.id)
            bare.reset(seed=1)
            with pytest.raises(ValueError, match=f"{game.id} has no features"):
                bare.afterstates()


def test_errors() -> None:
    state = mhing.Game("mhing").new_state(1).play_out("greedy", seed=1)
    with pytest.raises(RuntimeError, match="the episode is over"):
        state.afterstates()
    for game in (mhing.Game(game_id) for game_id in mhing.games()):
        if not game.features:
            with pytest.raises(ValueError, match=f"{game.id} has no features"):
                game.new_state(1).afterstates()
