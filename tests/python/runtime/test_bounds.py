"""Bounds of an episode (C47): no play goes beyond the bounds, and plays reach them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import permutations
from random import Random
from typing import Any

import pytest
from every_game import CASES, Options, case_name

import mhing


def decisions(state: mhing.State) -> int:
    """The number of actions that have been played."""
    number: int = state.to_dict()["decisions"]
    return number


@pytest.mark.parametrize(("game_id", "options"), CASES, ids=case_name)
def test_no_play_goes_beyond(game_id: str, options: Options) -> None:
    game = mhing.Game(game_id, **options)
    bounds = game.bounds
    assert bounds.lowest < bounds.highest
    for seed, bot in enumerate(["random", "random", game.default_bot, game.default_bot]):
        end = game.new_state(seed).play_out(bot, seed)
        returns = end.returns()
        assert returns.min() >= bounds.lowest
        assert returns.max() <= bounds.highest
        assert bounds.sum is None or math.isclose(returns.sum(), bounds.sum, abs_tol=1e-9)
        assert bounds.decisions is None or decisions(end) <= bounds.decisions


class Stubborn:
    """Plays the longest episodes: never what ends them, and first what is asked again."""

    def __init__(self, *last: str) -> None:
        self.last = last

    def __call__(self, state: mhing.State, rng: Random) -> int:
        actions = state.legal_actions().tolist()
        rest = [a for a in actions if not state.game.action_text(a).startswith(self.last)]
        return int(rng.choice(rest or actions))


LONG = {
    "mhing": Stubborn("mhing", "pass"),
    "general_mhing": Stubborn("sequence", "take"),
    "mexican_rummy": Stubborn("set", "run", "pass", "take", "grant"),
}
"""By game, what makes it long."""


@pytest.mark.parametrize("game_id", LONG)
def test_long_episodes(game_id: str) -> None:
    game = mhing.Game(game_id)
    most = 0
    for seed in range(4):
        state, rng = game.new_state(seed), Random(seed)
        while not state.is_terminal:
            state.apply(LONG[game_id](state, rng))
        most = max(most, decisions(state))
    assert game.bounds.decisions is not None
    assert game.bounds.decisions / 6 < most <= game.bounds.decisions, most


# ---- Bounds that are reached --------------------------------------------------------------------


def ends(state: mhing.State) -> Iterator[mhing.State]:
    """Every end that play from a state can come to."""
    if state.is_terminal:
        yield state
    for action in state.legal_actions():
        after = state.clone()
        after.apply(action)
        yield from ends(after)


@pytest.mark.skipif("leduc" not in mhing.games(), reason="MHING_EXTRA_GAMES=leduc builds it")
@pytest.mark.parametrize("max_raises", [1, 2, 3])
def test_leduc_reaches_all(max_raises: int) -> None:
    game = mhing.Game("leduc", max_raises=max_raises)
    cards = range(6)
    found = [
        end
        for deal in permutations(cards, 3)
        for end in ends(game.new_state(0, deck=[*deal, *(set(cards) - set(deal))]))
    ]
    assert min(end.returns().min() for end in found) == game.bounds.lowest
    assert max(end.returns().max() for end in found) == game.bounds.highest
    assert {float(end.returns().sum()) for end in found} == {game.bounds.sum}
    assert max(map(decisions, found)) == game.bounds.decisions


def played(game: mhing.Game, table: dict[str, Any], action: str) -> mhing.State:
    state = game.state_from_dict(table)
    state.apply(game.action_id(action))
    return state


MOST_CREDITS = {
    "hands": [
        ["3s", "4s", "5s"] * 3 + ["J"] * 5,
        *([[f"{number}{suit}" for number in range(1, 7) for _ in "12"] + ["7" + suit]
          for suit in "pm"]),
        ["E", "S", "W", "N", "R", "G", "P", "1s", "2s", "6s", "7s", "8s", "9s"],
    ],
    "flowers": [8, 0, 0, 0],
}  # fmt: skip
"""The most valuable hand (R7.3), about to be declared; the others have what is left."""


@pytest.mark.parametrize("reward", ["credits", "points", "chips", "win"])
def test_mhing_reaches_the_highest(reward: str) -> None:
    game = mhing.Game("mhing", reward=reward)
    returns = played(game, MOST_CREDITS, "mhing").returns()
    assert returns[0] == game.bounds.highest
    assert returns[1:].tolist() == [game.bounds.lowest] * 3


MOST_POINTS = {
    "hands": [
        ["4s", "7s", "Ts", "Qs", "Ks", "Jh", "Qh", "Kh"],
        ["2s", "3s", "5s", "6s", "8s", "9s", "Js"],
    ],
    "sequences": [[{"text": "234h"}, {"text": "567h"}, {"text": "89Th"}], []],
}
"""The best four sequences (R5.4), of which the last is about to be laid."""


@pytest.mark.parametrize("reward", ["points", "win", "margin"])
def test_general_mhing_reaches_the_highest(reward: str) -> None:
    game = mhing.Game("general_mhing", reward=reward)
    returns = played(game, MOST_POINTS, "sequence JQKh").returns()
    assert returns.tolist() == [game.bounds.highest, game.bounds.lowest]


@pytest.mark.parametrize("reward", ["score", "rank", "win"])
def test_mexican_rummy_reaches_the_highest(reward: str) -> None:
    game = mhing.Game("mexican_rummy", reward=reward)
    found = [game.new_state(seed).play_out("greedy", seed).returns() for seed in range(20)]
    assert max(returns.max() for returns in found) == game.bounds.highest
    if reward != "score":  # whose bound is the points of all cards, more than a hand can have
        assert min(returns.min() for returns in found) == game.bounds.lowest


def test_where_there_is_no_bound() -> None:
    """Washes do not end a game of Mhing, and with chips its players can win back and forth."""
    assert mhing.Game("mhing", episode="game").bounds.decisions is None
    endless = mhing.Game("mhing", episode="game", scoring="chips", rounds=0)
    assert endless.bounds == mhing.game.Bounds(0.0, math.inf, None, None)
    agreed = mhing.Game("mhing", episode="game", target=0, rounds=3, reward="points")
    assert agreed.bounds == mhing.game.Bounds(0.0, 3 * 131072.0, None, 3 * 456)
