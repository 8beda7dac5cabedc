"""Objectives that the engine can lay down, against a search that tries everything."""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random

import pytest
from playing import DULL
from reference.rummy_plan import OBJECTIVES, RANKS, SUITS, TYPES, Plan, can_finish

from games.mexican_rummy.matches import table


def played_begins(hand: list[str], objective: int) -> tuple[bool, bool]:
    """Return whether the engine can lay down an objective, and whether a search can."""
    up = next(card for card in TYPES if hand.count(card) < 2)
    state = table([" ".join(hand[:10]), DULL], hand[10], up=up, objective=objective)
    for action in ("pass", "draw"):
        state.apply(state.game.action_id(action))
    legal = [state.game.action_text(action) for action in state.legal_actions().tolist()]
    engine = any(action.split()[0] in ("set", "run") for action in legal)
    in_order = tuple(sorted(hand, key=TYPES.index))
    return engine, can_finish(objective, Plan(in_order))


@pytest.mark.slow
def test_objectives_are_recognised_as_by_trying_everything(full: bool) -> None:
    """Hands near the border: what meets an objective, with some cards changed."""
    rng = Random(17)
    found: Counter[tuple[int, bool]] = Counter()
    for number in range(6_000 if full else 600):
        objective = 1 + number % 6
        sets, runs = OBJECTIVES[objective - 1]
        hand: list[str] = []
        for _ in range(sets):
            rank = rng.choice("A2579JQK")
            hand += [rank + rng.choice(SUITS) for _ in range(3)]
        for _ in range(runs):
            suit, low = rng.choice("sh" if number % 2 else SUITS), rng.randrange(11)
            hand += [RANKS[(low + i) % 13] + suit for i in range(4)]
        for place in range(len(hand)):
            if rng.random() < 0.12:
                hand[place] = rng.choice(["2s", "2c", "2s", rng.choice(TYPES)])
        while len(hand) < 11:
            hand.append(rng.choice([*TYPES, "2s", "2c"]))
        if max(Counter(hand).values()) > 2:
            continue
        rng.shuffle(hand)
        engine, by_trying = played_begins(hand, objective)
        assert engine == by_trying, (objective, sorted(hand))
        found[objective, engine] += 1
    assert all(found[key] > 5 for key in product(range(1, 7), (False, True))), found
