"""The plans that Mhing's features rest on, against slow ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

import numpy as np
import pytest
from reference.cards import JOKER, parse_cards
from reference.mhing_plans import PLANS, missing
from rules.mhing_positions import position

import mhing
from games.mhing.decks import DULL

FLAGS = 8
FAR = 6


def hands(options: dict[str, bool], rounds: int) -> Iterator[tuple[mhing.State, int, Counter[int]]]:
    """Discards of seats that play at random now and then: state, type, and what is left."""
    game = mhing.Game("mhing", **options)
    for seed in range(rounds):
        rng, state = Random(seed), game.new_state(seed)
        while not state.is_terminal:
            action, _ = state.bot_action("greedy", 1)
            if action < JOKER and rng.random() < 0.5:
                left = Counter(dict(enumerate(counts_of(state))))
                left[action] -= 1
                yield state, action, +left
            if rng.random() < 0.15:
                action = rng.choice(state.legal_actions().tolist())
            state.apply(action)


def counts_of(state: mhing.State) -> list[int]:
    counts: list[int] = state.game.unpack(state.observation())["hand"].tolist()
    return counts


def laid_of(state: mhing.State) -> list[tuple[int, ...]]:
    seats = state.game.unpack(state.observation())
    melds = []
    for kind in seats["meld_kind"][0].tolist():
        if kind > 21:
            melds.append((kind - 22,) * 3)
        elif kind:
            low = (kind - 1) // 7 * 9 + (kind - 1) % 7
            melds.append((low, low + 1, low + 2))
    return melds


def plans_of(state: mhing.State, action: int) -> list[tuple[int, float]]:
    """Distance, or FLAGS for what is farther, and share of useful cards, by plan."""
    actions, rows, _ = state.afterstates(every=True)
    row = rows[actions == action][0]
    parts = {f.name: row[f.offset : f.offset + f.count] for f in state.game.features}
    flags = parts["distances"].reshape(len(PLANS), FLAGS)
    shares = [*parts["useful"].tolist(), *parts["useful_for"].tolist()]
    assert set(np.unique(flags)) <= {0, 1}
    assert (flags.sum(1) <= 1).all()
    away = [int(r.argmax()) if r.any() else FLAGS for r in flags]
    return [*zip(away, shares, strict=True)]


@pytest.mark.parametrize("seven_pairs", [False, True])
def test_distances_are_those_of_slow_plans(seven_pairs: bool) -> None:
    seen: Counter[str] = Counter()
    for state, action, left in hands({"seven_pairs": seven_pairs}, rounds=14):
        jokers = left.pop(JOKER, 0)
        lacking = missing(left, laid_of(state), seven_pairs)
        for name, (distance, _) in zip(PLANS, plans_of(state, action), strict=True):
            expected = min(max(0, lacking[name] - jokers), FLAGS)
            if name in ("any", "nothing connects", "seven pairs") or expected < FLAGS:
                assert distance == expected, (name, left, laid_of(state))
            else:
                assert distance == FLAGS
            seen[name] += distance < FLAGS
    few = {name for name in PLANS if seen[name] < 5}
    assert few == (set() if seven_pairs else {"seven pairs"})


EXACT = ("any", "nothing connects", "triplets", "one suit", "two suits", "royal run")


def check_useful(state: mhing.State, action: int, left: Counter[int]) -> int:
    """Check the shares of useful cards after a discard; return how many of them are exact.

    Of several ways that are as near, the best counts: so cards that help any are at least as many,
    and where there is one way, as many.
    """
    checked = 0
    jokers, laid = left.pop(JOKER, 0), laid_of(state)
    unseen = state.game.unpack(state.observation())["unseen"]
    lacking = missing(left, laid, False)
    helps = dict.fromkeys(EXACT, int(unseen[JOKER]))
    for card in range(34):
        if unseen[card] and left[card] < 4:
            nearer = missing(left + Counter({card: 1}), laid, False)
            for name in EXACT:
                helps[name] += int(unseen[card]) * (nearer[name] < lacking[name])
    plans = dict(zip(PLANS, plans_of(state, action), strict=True))
    for name in EXACT:
        share = helps[name] / int(unseen.sum())
        if lacking[name] - jokers >= FAR:
            assert plans[name][1] == 0
        else:
            assert plans[name][1] <= share + 1e-6
            if name in ("any", "nothing connects", "triplets"):
                assert plans[name][1] == pytest.approx(share)
                checked += 1
    return checked


@pytest.mark.slow
def test_useful_cards_bring_the_nearest_way_nearer() -> None:
    played = hands({}, rounds=4)
    assert sum(check_useful(state, action, left) for state, action, left in played) >= 30


def test_any_type_makes_the_pair_of_four_equal_cards() -> None:
    """Beside three triplets on the table a fourth is there, and no other type is held."""
    keys = {"melds": [["SSS", "WWW", "PPP"], [], []]}
    state = position(["5555sN", DULL, DULL], keys, lay_down=True)
    action = state.game.action_id("discard N")
    assert check_useful(state, action, Counter(parse_cards("5555s"))) == 2
