"""Leduc poker, the template: the whole game, every deal and every action, against a reference.

It is in builds that were given ``-DMHING_EXTRA_GAMES=leduc``.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from math import factorial, sqrt

import numpy as np
import pytest
from reference import leduc

import mhing

if "leduc" not in mhing.games():
    pytest.skip("built without MHING_EXTRA_GAMES=leduc", allow_module_level=True)

LETTERS = "fcr"
"""By action id."""


def deck_of(cards: leduc.Cards) -> list[int]:
    """A whole deck that begins with these cards."""
    rest = [card for card in leduc.CARDS if card not in cards]
    return [leduc.CARDS.index(card) for card in [*cards, *rest]]


def play(game: mhing.Game, deal: leduc.Deal) -> mhing.State:
    """The engine's state after the same deal and actions."""
    state = game.new_state(1, deck=deck_of(deal.cards))
    for letter in deal.actions:
        state.apply(LETTERS.index(letter))
    return state


@pytest.mark.slow
@pytest.mark.parametrize("max_raises", [1, 2, 3])
def test_all_deals_and_all_actions_are_those_of_the_reference(max_raises: int) -> None:
    game = mhing.Game("leduc", max_raises=max_raises)
    for cards in leduc.deals():
        for deal in leduc.tree(leduc.Deal(cards, max_raises=max_raises)):
            state = play(game, deal)
            table = state.to_dict()
            assert state.seat == deal.seat, deal
            assert [LETTERS[action] for action in state.legal_actions()] == list(deal.legal), deal
            assert state.returns().tolist() == deal.returns, deal
            assert table["stakes"] == deal.stakes, deal
            assert table["hands"] == [[cards[0]], [cards[1]]]
            assert table["open"] == (cards[2] if deal.streets[1] is not None else None), deal
            if deal.is_over:
                winner = deal.returns.index(max(deal.returns)) if any(deal.returns) else -1
                info = {"rounds_over": 1, "winner": winner, "chips": np.array(deal.returns)}
            else:
                info = {"rounds_over": 0, "winner": -1, "chips": np.zeros(2)}
            np.testing.assert_equal(state.info(), info, str(deal))


def test_the_game_has_as_many_information_sets_as_it_is_known_for() -> None:
    """An observation is an information set: as many different ones as there are of these.

    With the suits apart a seat's card is one of 6 and the open card one of 5 more; with ranks only
    it is 3 and 3. The numbers come of counting the reference's tree, not of this engine's.
    """
    game = mhing.Game("leduc")
    sets: dict[int, set[tuple[str, ...]]] = {0: set(), 1: set()}
    ranks: dict[int, set[tuple[str, ...]]] = {0: set(), 1: set()}
    seen: dict[int, set[bytes]] = {0: set(), 1: set()}
    for cards in leduc.deals():
        for deal in leduc.tree(leduc.Deal(cards)):
            if not deal.is_over:
                own, opened, actions = known = deal.known_to(deal.seat)
                sets[deal.seat].add(known)
                ranks[deal.seat].add((own[0], opened[:1], actions))
                seen[deal.seat].add(play(game, deal).observation().tobytes())
    assert [len(sets[seat]) for seat in (0, 1)] == [468, 468]
    assert [len(ranks[seat]) for seat in (0, 1)] == [144, 144]
    assert [len(seen[seat]) for seat in (0, 1)] == [468, 468]


def test_an_observation_tells_the_information_set_and_no_more() -> None:
    """Also of the seat that is not to act, and at the end: one observation for one set."""
    game = mhing.Game("leduc")
    shown = defaultdict(set)
    for cards in leduc.deals():
        for deal in leduc.tree(leduc.Deal(cards)):
            state = play(game, deal)
            for seat in (0, 1):
                other = cards[1 - seat] if deal.is_over and deal.folded is None else ""
                shown[seat, deal.known_to(seat), other].add(state.observation(seat).tobytes())
    assert all(len(observations) == 1 for observations in shown.values())
    assert len({next(iter(one)) for one in shown.values()}) == len(shown)


@pytest.mark.parametrize(
    ("actions", "open_card", "shown"),
    [("", False, False), ("rc", True, False), ("rf", False, False), ("cccc", True, True)],
)
def test_resampled_worlds_are_all_that_fit_and_equally_likely(
    actions: str, open_card: bool, shown: bool
) -> None:
    """In the first betting round, in the second, after a fold, and after a showdown."""
    samples = 3_000
    cards = ("Ks", "Jh", "Qs")
    state = play(mhing.Game("leduc"), leduc.Deal(cards, actions))
    for seat in (0, 1):
        known = {seat} | ({1 - seat} if shown else set()) | ({2} if open_card else set())
        decks = Counter(
            tuple(leduc.card_names(state.resample(seat, seed).to_dict())) for seed in range(samples)
        )
        assert all(deck[place] == cards[place] for deck in decks for place in known)
        worlds = factorial(len(leduc.CARDS) - len(known))
        assert len(decks) == worlds
        expected = samples / worlds
        assert all(abs(count - expected) < 6 * sqrt(expected) for count in decks.values())


def test_the_greedy_bot_beats_the_random_one() -> None:
    """From either seat, on the mean of all deals."""
    game = mhing.Game("leduc")
    for seat in (0, 1):
        total = 0.0
        for number, cards in enumerate(leduc.deals()):
            state, random = game.new_state(1, deck=deck_of(cards)), number
            while not state.is_terminal:
                bot = "greedy" if state.seat == seat else "random"
                action, random = state.bot_action(bot, random)
                state.apply(action)
            total += state.returns()[seat]
        assert total > 0


def test_its_bots_judge_nothing() -> None:
    with pytest.raises(ValueError, match=r"those that do: none$"):
        mhing.Game("leduc").new_state(1).values("greedy")


# ---- Search --------------------------------------------------------------------------------------


def greedy(deal: leduc.Deal) -> str:
    """The game's own bot once more."""
    own, opened = deal.known_to(deal.seat)[:2]
    if "r" in deal.legal and (own[0] == "K" or own[0] == opened[:1]):
        return "r"
    return "f" if "f" in deal.legal and own[0] == "J" and own[0] != opened[:1] else "c"


def earned(deal: leduc.Deal, seat: int, other_errs: bool) -> float:
    """The average earnings of a seat as greedy; the other one also plays so, or at random."""
    if deal.is_over:
        return deal.returns[seat]
    errs = other_errs and deal.seat != seat
    letters = deal.legal if errs else greedy(deal)
    return sum(earned(deal.after(letter), seat, other_errs) for letter in letters) / len(letters)


def expected(deal: leduc.Deal, other_errs: bool) -> dict[str, list[float]]:
    """By action, what it brings in each of the worlds that are alike for the seat to act."""
    known = deal.known_to(deal.seat)
    worlds = [leduc.Deal(cards, deal.actions, deal.max_raises) for cards in leduc.deals()]
    alike = [world for world in worlds if world.known_to(deal.seat) == known]
    return {
        letter: [earned(world.after(letter), deal.seat, other_errs) for world in alike]
        for letter in deal.legal
    }


def decided() -> list[leduc.Deal]:
    """A decision of each information set."""
    deals = [deal for cards in leduc.deals() for deal in leduc.tree(leduc.Deal(cards))]
    return list({deal.known_to(deal.seat): deal for deal in deals if not deal.is_over}.values())


@pytest.mark.slow
@pytest.mark.parametrize("others", ["greedy", "random"])
def test_a_search_finds_the_exact_expectations(others: str) -> None:
    """Of each action in every information set, and of what it brings more than the prior's."""
    game, play_outs, far = mhing.Game("leduc"), 1200, 0.0
    settings = f"{play_outs},prior=greedy,others={others}"
    deals = decided()
    errors = []
    for number, deal in enumerate(deals):
        found = play(game, deal).search(settings, seed=number)
        exact = expected(deal, others == "random")
        prior = exact[greedy(deal)]
        assert LETTERS[found.prior] == greedy(deal)
        for place, action in enumerate(found.actions):
            worlds = exact[LETTERS[action]]
            gains = np.subtract(worlds, prior)
            for mean, half, truth in (
                (found.values[place], found.halves[place], np.mean(worlds)),
                (found.gains[place], found.gain_halves[place], gains.mean()),
            ):
                error = abs(mean - truth) / max(half / 1.96, 1e-9)
                errors.append(error if half > 0 else 0)
                far = max(far, errors[-1])
                assert half > 0 or mean == pytest.approx(truth)
            if others == "greedy":
                # Chance is in the worlds alone: what both actions have in common cancels out.
                width = 1.96 * gains.std() / sqrt(found.visits[place])
                assert found.gain_halves[place] == pytest.approx(width, rel=0.25, abs=1e-9)
        best = max(np.mean(worlds) for worlds in exact.values()) - np.mean(prior)
        chosen = np.mean(exact[LETTERS[found.action]]) - np.mean(prior)
        assert chosen >= 0 or best < 0.1
    assert far < 5, "five standard errors away"
    assert np.mean(np.array(errors) > 1.96) < 0.08, "more than 5 in 100 are outside of the interval"
