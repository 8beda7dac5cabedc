"""Properties of every game's rules: masks, rewards, cards, and which snapshots are states.

Where the game has a reference (`reference/GAME.py`), its masks are compared with that too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from random import Random

import numpy as np
import pytest
from every_game import (
    CASES,
    Options,
    case_name,
    check_cards,
    check_mask,
    check_state,
    in_another_process,
    some_play,
)
from numpy.typing import NDArray

import mhing

DECISIONS = 100
SEED = 11

every_case = pytest.mark.parametrize(("game_id", "options"), CASES, ids=case_name)
every_id = pytest.mark.parametrize("game_id", mhing.games())


# ---- Masks --------------------------------------------------------------------------------------


@every_case
def test_the_mask_is_that_of_the_rules(game_id: str, options: Options) -> None:
    """That of the reference, if there is one; and every card that an action names is in reach."""
    game = mhing.Game(game_id, **options)
    for seed in range(2):
        for state in some_play(game, SEED + seed, 60):
            check_mask(state)


@every_case
def test_every_legal_action_leads_to_a_state(game_id: str, options: Options) -> None:
    """To one that a snapshot may hold: what the game refuses there, it must not play either."""
    game = mhing.Game(game_id, **options)
    for moment, state in enumerate(some_play(game, SEED + 1, DECISIONS)):
        before = state.to_bytes()
        for action in state.legal_actions().tolist() if moment % 10 == 0 else ():
            after = state.clone()
            after.apply(action)
            assert after.to_bytes() != before
            assert game.from_bytes(after.to_bytes()) == after, game.action_text(action)
            check_state(after)
        assert state.to_bytes() == before


@every_case
def test_illegal_actions_are_refused(game_id: str, options: Options) -> None:
    game = mhing.Game(game_id, **options)
    rng = Random(SEED)
    for state in some_play(game, SEED + 1, DECISIONS):
        before = state.to_bytes()
        legal = set(state.legal_actions().tolist())
        share = game.num_actions if rng.random() < 0.1 else min(20, game.num_actions)
        for action in {-1, game.num_actions, 2**31, *rng.sample(range(game.num_actions), share)}:
            error = (
                RuntimeError
                if state.is_terminal and action in range(game.num_actions)
                else ValueError
            )
            if action not in legal:
                with pytest.raises(error, match=r"\S"):
                    state.apply(action)
        assert state.to_bytes() == before


# ---- Rewards ------------------------------------------------------------------------------------


@every_case
def test_rewards_add_up_to_the_returns(game_id: str, options: Options) -> None:
    game = mhing.Game(game_id, **options)
    for seed in range(3):
        total = np.zeros(game.num_seats)
        for state in some_play(game, seed, 2_000):
            rewards = state.rewards()
            assert rewards.shape == (game.num_seats,)
            assert rewards.dtype == np.float32
            total += rewards
            assert state.returns().dtype == np.float64
            np.testing.assert_allclose(state.returns(), total, rtol=1e-6)


Numbers = dict[str, "int | NDArray[np.int64]"]
Paid = NDArray[np.float64]


class Stretch:
    """An episode's stretch to the end of a round: its public numbers and what it paid."""

    def __init__(self, state: mhing.State, before: Numbers, returns: Paid) -> None:
        self.before, self.after = before, state.info()
        self.paid = state.returns() - returns
        self.is_last = state.is_terminal
        winners = [int(self.after[field.name]) for field in state.game.info_role("winner")]
        self.winner = winners[0] if winners else -1

    def number(self, name: str) -> Paid:
        """A number of each seat."""
        return np.asarray(self.after[name], np.float64)

    def change(self, name: str) -> Paid:
        """The change of a number of each seat."""
        return self.number(name) - np.asarray(self.before[name], np.float64)

    def rank(self, name: str) -> Paid:
        """At the end of the episode, the seats with less of a number, less those with more."""
        number = self.number(name)
        return np.sign(number[:, None] - number).sum(axis=1) * self.is_last

    def win(self, name: str, sign: int) -> Paid:
        """At the end of the episode, one win shared by the seats with most of a number."""
        number = sign * self.number(name)
        best = number == number.max()
        return best / best.sum() * self.is_last

    def prize(self, amount: float, lost: float) -> Paid:
        """The winner's earnings, when the others lose that share of it together."""
        paid = np.full(len(self.paid), -amount * lost / (len(self.paid) - 1))
        paid[self.winner] = amount
        return paid if self.winner >= 0 else np.zeros(len(paid))


def stretches(game: mhing.Game) -> Iterator[Stretch]:
    """The rounds of some episodes, most of them played by the default bot."""
    for seed in range(8):
        state = game.new_state(seed)
        random = seed
        rounds, before, returns = 0, state.info(), state.returns()
        for _ in range(1_000):
            bot = game.bots[0].name if seed % 4 == 3 else game.default_bot
            action, random = state.bot_action(bot, random)
            state.apply(action)
            if state.is_terminal or state.rounds_over != rounds:
                yield Stretch(state, before, returns)
                rounds, before, returns = state.rounds_over, state.info(), state.returns()
            if state.is_terminal:
                break


def whole_episodes(game: mhing.Game) -> Iterator[Stretch]:
    """Episodes as one stretch each, for rewards that only their end pays."""
    for seed in range(6):
        state = game.new_state(seed)
        yield Stretch(state.play_out(game.default_bot, seed), state.info(), state.returns())


def reward_rules(game: mhing.Game) -> dict[str, Callable[[Stretch], Paid]]:
    """The ways in which public numbers may say what a round pays, by a description."""
    rules: dict[str, Callable[[Stretch], Paid]] = {"a win": lambda s: s.prize(1, lost=0)}
    for name in (field.name for field in game.info_fields if field.count == game.num_seats):
        rules |= {
            name: partial(Stretch.number, name=name),
            f"less {name}": lambda s, name=name: -s.number(name),
            f"the change of {name}": partial(Stretch.change, name=name),
            f"less the change of {name}": lambda s, name=name: -s.change(name),
            f"the order by {name}": partial(Stretch.rank, name=name),
            f"the order by {name}, the fewest first": lambda s, name=name: -s.rank(name),
            f"a win for the most {name}": partial(Stretch.win, name=name, sign=1),
            f"a win for the fewest {name}": partial(Stretch.win, name=name, sign=-1),
        }
    for name in (field.name for field in game.info_fields if field.count == 1):
        rules |= {
            f"{name} for the winner": lambda s, name=name: s.prize(float(s.after[name]), lost=0),
            f"{name} from the others": lambda s, name=name: s.prize(float(s.after[name]), lost=1),
        }
    return rules


@every_case
def test_public_numbers_say_what_a_round_pays(game_id: str, options: Options) -> None:
    """Nothing is paid twice, and nothing is lost."""
    game = mhing.Game(game_id, **options)
    played = list(stretches(game))
    if not any(stretch.paid.any() for stretch in played):
        played = list(whole_episodes(game))
    assert any(stretch.paid.any() for stretch in played), "nobody has earned anything"
    rules = reward_rules(game)
    fits = [
        name
        for name, rule in rules.items()
        if all(np.allclose(stretch.paid, rule(stretch)) for stretch in played)
    ]
    assert fits, f"public numbers do not say what rewards are; tried: {'; '.join(rules)}"


# ---- Cards and snapshots ------------------------------------------------------------------------


@every_case
def test_no_card_is_lost_or_made(game_id: str, options: Options) -> None:
    game = mhing.Game(game_id, **options)
    for state in some_play(game, SEED + 9, 2 * DECISIONS):
        check_cards(state)


@pytest.mark.slow
@every_id
def test_damaged_snapshots_are_refused_or_states(game_id: str, full: bool) -> None:
    """In a separate process: a crash must be a failed test, not the end of the run."""
    variants = [options for known, options in CASES if known == game_id]
    task = {"game": game_id, "seed": SEED, "tries": 1_000 if full else 25}
    assert in_another_process("damage", task | {"variants": variants, "flipped": 0}) is not None


@pytest.mark.slow
@every_id
def test_every_byte_of_a_snapshot_counts(game_id: str) -> None:
    """Each byte is flipped once, in states of the default game and of the last variant."""
    variants = [options for known, options in CASES if known == game_id]
    task = {"game": game_id, "seed": SEED, "tries": 0, "flipped": 2}
    chosen = {"variants": [variants[0], variants[-1]]}
    assert in_another_process("damage", task | chosen) is not None
