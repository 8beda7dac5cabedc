"""The yardstick of exploitability: best responses in Leduc poker, where they are known."""

from __future__ import annotations

import numpy as np
import pytest
from reference.best_response import (
    Regrets,
    Strategy,
    Tree,
    best_response,
    exploitability,
    tree,
    value,
)

import mhing

pytestmark = pytest.mark.once

if "leduc" not in mhing.games():
    pytest.skip("built without MHING_EXTRA_GAMES=leduc", allow_module_level=True)

FOLD, CALL, RAISE = range(3)

VALUE = -0.0856
"""Of Leduc poker to the first seat, as it is known to four digits."""


@pytest.fixture(scope="module")
def leduc() -> Tree:
    return tree(mhing.Game("leduc"))


def bot(name: str) -> Strategy:
    """A built-in bot that draws nothing at random."""

    def strategy(state: mhing.State) -> list[float]:
        chances = [0.0] * state.game.num_actions
        chances[state.bot_action(name, 0)[0]] = 1.0
        return chances

    return strategy


def uniform(state: mhing.State) -> list[float]:
    mask = state.action_mask()
    return (mask / mask.sum()).tolist()


def first_of(*actions: int) -> Strategy:
    """Plays the first of these actions that is legal."""

    def strategy(state: mhing.State) -> list[float]:
        mask = state.action_mask()
        chosen = next(action for action in actions if mask[action])
        return [float(action == chosen) for action in range(3)]

    return strategy


PLAYERS = {
    "uniform": uniform,
    "greedy": bot("greedy"),
    "calls": first_of(CALL),
    "raises": first_of(RAISE, CALL),
    "folds": first_of(FOLD, CALL),
}


def test_the_tree_has_every_deal(leduc: Tree) -> None:
    assert sum(chance for chance, _ in leduc) == pytest.approx(1)
    assert len(leduc) == 3**3 - 3
    for one in PLAYERS.values():
        for other in PLAYERS.values():
            earned = value(leduc, [one, other])
            assert earned.sum() == pytest.approx(0, abs=1e-12)


def test_values_are_what_bots_earn(leduc: Tree) -> None:
    """By many deals, in which the engine's own bots play."""
    game, seeds = mhing.Game("leduc"), range(6000)
    earned = [game.new_state(seed).play_out(["greedy", "random"], seed).returns() for seed in seeds]
    spread = np.std(earned, axis=0) / len(seeds) ** 0.5
    assert abs(np.mean(earned, 0) - value(leduc, [PLAYERS["greedy"], uniform]))[0] < 4 * spread[0]


def test_uniform_play_is_as_exploitable_as_others_have_found(leduc: Tree) -> None:
    """OpenSpiel's exploitability of the uniform policy, which is half of its NashConv."""
    assert value(leduc, [uniform, uniform])[0] == pytest.approx(-0.078125)
    assert exploitability(leduc, [uniform, uniform]) == pytest.approx(4.747222222222222 / 2)


def test_who_folds_loses_the_ante(leduc: Tree) -> None:
    """And nothing can be had beyond it."""
    assert best_response(leduc, PLAYERS["folds"], 0) == pytest.approx(1)
    assert best_response(leduc, PLAYERS["folds"], 1) == pytest.approx(1)


@pytest.mark.parametrize("name", PLAYERS)
def test_a_best_response_is_better_than_any_player(name: str, leduc: Tree) -> None:
    for seat in (0, 1):
        best = best_response(leduc, PLAYERS[name], seat)
        for other in PLAYERS.values():
            pair = [other, PLAYERS[name]] if seat == 0 else [PLAYERS[name], other]
            assert value(leduc, pair)[seat] <= best + 1e-12
        assert best >= VALUE * (1 - 2 * seat) - 1e-4


def test_who_calls_everything_is_raised_by_the_likelier_winner(leduc: Tree) -> None:
    """Counted by hand: against calls alone, the seat raises twice where its cards win more often
    than they lose, and calls otherwise. Before the open card a king wins more often, a jack less,
    a queen as often; after it, that is known by the cards that are left."""
    earned = 0.0
    for own in range(3):
        for open_card in range(3):
            left = np.full(3, 2.0)
            left[own] -= 1
            chance = left[open_card]
            left[open_card] -= 1
            if chance <= 0:
                continue
            mine = (own == open_card, own)
            ahead = 0.0
            for other in range(3):
                theirs = (other == open_card, other)
                ahead += left[other] / left.sum() * ((mine > theirs) - (mine < theirs))
            before = 1 + 2 * (own == 2)
            earned += chance / 15 * max(ahead * before, ahead * (before + 4))
    assert best_response(leduc, PLAYERS["calls"], 0) == pytest.approx(earned)
    assert best_response(leduc, PLAYERS["calls"], 1) == pytest.approx(earned)


@pytest.mark.slow
def test_an_equilibrium_cannot_be_exploited(leduc: Tree) -> None:
    """The strategy of CFR+ approaches the known value, and best responses gain less and less."""
    found, gains = Regrets(leduc), []
    for turns in (5, 20, 75):
        found.run(turns)
        both = [found.strategy, found.strategy]
        gains.append(exploitability(leduc, both))
        assert best_response(leduc, found.strategy, 0) > VALUE - 1e-4
        assert best_response(leduc, found.strategy, 1) > -VALUE - 1e-4
    assert gains[0] > 2 * gains[1] > 4 * gains[2] > 0
    assert gains[2] < 0.02
    assert value(leduc, both)[0] == pytest.approx(VALUE, abs=0.01)
    assert exploitability(leduc, [PLAYERS["greedy"]] * 2) > 10 * gains[2]
