"""The search: compared with exact expectations, blind to hidden cards, alike with all threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from decisions import decisions

import mhing

CASES: dict[str, dict[str, Any]] = {
    "mhing": {},
    "general_mhing": {"num_players": 3, "reward": "margin"},
    "mexican_rummy": {"num_players": 3, "objective": 2},
}


def same(one: mhing.Search, other: mhing.Search) -> bool:
    return (one.action, one.prior) == (other.action, other.prior) and all(
        np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True)
        for name in ("actions", "visits", "values", "halves", "gains", "gain_halves")
    )


@pytest.mark.parametrize("game_id", CASES)
def test_it_sees_nothing_that_the_seat_does_not(game_id: str) -> None:
    """All that it finds, not only its choice, is the same in another world of the seat."""
    game = mhing.Game(game_id, **CASES[game_id])
    for number, state in enumerate(decisions(game, 3, "greedy")):
        if number % 7 == 0:
            other = state.resample(state.seat, number)
            assert same(state.search("40", seed=number), other.search("40", seed=number))


@pytest.mark.parametrize("game_id", CASES)
def test_threads_and_the_bot_find_the_same(game_id: str) -> None:
    game = mhing.Game(game_id, **CASES[game_id])
    for number, state in enumerate(decisions(game, 1, "greedy")):
        if number % 25 == 0:
            found = state.search("300", seed=number)
            assert same(found, state.search("300", seed=number, num_threads=3))
            assert state.bot_action("search:300", number)[0] == found.action
            assert found.action in found.actions
            judge = [bot.name for bot in state.game.bots if bot.values][-1]
            assert found.prior == state.bot_action(judge, 0)[0]


@pytest.mark.parametrize("behind", ["0.5", "1", "2", "none"])
def test_what_is_found_fits_together(behind: str) -> None:
    """An action is given up at a quarter of a part, being behind, or with the worse half."""
    ended = 0
    for number, state in enumerate(decisions(mhing.Game("mhing"), 2, "greedy")):
        found = state.search(f"200,actions=5,errors=2,behind={behind}", seed=number)
        tried = found.visits > 0
        assert found.actions.tolist() == state.legal_actions().tolist()
        assert tried.sum() == min(5, len(found.actions))
        prior = found.actions == found.prior
        assert (np.sort(found.visits)[-2:] == found.visits[prior]).all()  # never the prior's alone
        assert found.gains[prior] == found.gain_halves[prior] == 0
        for name in ("values", "halves", "gains", "gain_halves"):
            assert np.array_equal(np.isfinite(getattr(found, name)), tried), name
        chosen = found.actions == found.action
        others = tried & ~prior
        is_behind = np.zeros(len(tried), bool)
        if behind != "none":
            is_behind = found.gains < 1e-9 - float(behind) * found.gain_halves / 1.96
        first = 200 // (2 if tried.sum() > 3 else 1) // tried.sum()  # worlds of the first part
        early = others & (found.visits < found.visits.max()) & (found.visits != first)
        assert is_behind[early].all()
        assert found.visits.sum() <= 200
        assert found.visits.sum() >= 150 or is_behind[others].any()
        if behind == "none":  # then it is half of the others, after the first of two parts
            half = (tried.sum() - 1) // 2 if tried.sum() > 3 else 0
            assert (found.visits[others] == first).sum() == (half or others.sum())
        if is_behind[others].all():
            assert found.action == found.prior
            ended += found.visits.sum() < 150
        if found.action != found.prior:
            assert found.gains[chosen] > 2 * found.gain_halves[chosen] / 1.96
            # Of those tried to the end it is the best.
            last = tried & (found.visits == found.visits.max())
            assert found.gains[chosen] == found.gains[last].max()
    assert (ended > 0) == (behind != "none")


def test_the_prior_is_left_only_beyond_its_doubts() -> None:
    """With more standard errors it is left less often, with very many never."""
    left = dict.fromkeys((0, 1, 99), 0)
    for number, state in enumerate(decisions(mhing.Game("mhing"), 4, "greedy")):
        for errors in left:
            found = state.search(f"60,errors={errors}", seed=number)
            left[errors] += found.action != found.prior
    assert left[0] > left[1] > left[99] == 0


SURROGATES = [
    ("mhing", {"reward": "win"}, "credits"),
    ("mhing", {"reward": "win", "scoring": "chips"}, "chips"),
    ("general_mhing", {"reward": "win"}, "margin"),
    ("mexican_rummy", {"reward": "win"}, "score"),
    ("mexican_rummy", {"reward": "rank"}, "score"),
]


@pytest.mark.parametrize(("game_id", "options", "reward"), SURROGATES)
def test_where_only_the_game_is_rewarded_it_searches_for_what_rounds_pay(
    game_id: str, options: dict[str, Any], reward: str
) -> None:
    """It finds, from the same seed, what it finds where that is the reward; also in round two."""
    one = mhing.Game(game_id, episode="game", **options).new_state(1)
    other = mhing.Game(game_id, episode="game", **(options | {"reward": reward})).new_state(1)
    searched = set()
    for number in range(300):
        if one.is_terminal:
            break
        if number % 19 == 0:
            found, paid = (state.search("24", seed=number) for state in (one, other))
            assert (found.action, found.prior) == (paid.action, paid.prior)
            assert np.allclose(found.values, paid.values, equal_nan=True)
            assert np.allclose(found.gains, paid.gains, equal_nan=True)
            searched.add(one.rounds_over)
        action = one.bot_action("greedy", 0)[0]
        one.apply(action)
        other.apply(action)
    assert len(searched) > 1


def test_a_round_that_is_the_episode_is_searched_for_its_own_reward() -> None:
    state = next(decisions(mhing.Game("general_mhing", reward="win"), 1, "greedy"))
    found = state.search("60,cut=none", seed=1)
    assert set(found.values[found.visits > 0] * found.visits[found.visits > 0] % 1) == {0}


def test_a_time_is_kept() -> None:
    """Not by a clock: with more of it there are more play-outs, and each part has some."""
    state = next(decisions(mhing.Game("mhing"), 1, "greedy"))
    few, many = (state.search(time, seed=1).visits.sum() for time in ("1ms", "300ms"))
    assert 0 < few < many


def test_a_search_may_be_called_by_the_name_of_its_bot() -> None:
    state = mhing.Game("mhing").new_state(1)
    plain, named = (state.search(text, seed=1) for text in ("20,errors=2", "search:20,errors=2"))
    assert (plain.action, plain.visits.tolist()) == (named.action, named.visits.tolist())


def test_bad_arguments_are_refused() -> None:
    state = mhing.Game("mhing").new_state(1)
    with pytest.raises(ValueError, match="'many' is no budget"):
        state.search("many")
    with pytest.raises(TypeError, match="settings: 200 is no text"):
        state.search(200)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="num_threads"):
        state.search("20", num_threads=0)
    with pytest.raises(ValueError, match="seed"):
        state.search("20", seed=2**64)
    with pytest.raises(RuntimeError, match="the episode is over"):
        state.play_out("greedy", 1).search("20")
