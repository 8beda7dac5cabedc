"""The built-in bots of Mhing do what they are described to do."""

from __future__ import annotations

from collections import Counter
from random import Random

from decks import DULL, table
from policies import choice, greedy_against_random

import mhing


def test_random_is_uniform_over_the_legal_actions() -> None:
    state = mhing.Game("mhing").new_state(1)
    legal = state.legal_actions().tolist()
    generator, drawn = 7, Counter[int]()
    for _ in range(500 * len(legal)):
        action, generator = state.bot_action("random", generator)
        drawn[action] += 1
    assert sorted(drawn) == legal
    # Five standard deviations of each count.
    assert all(abs(count - 500) < 5 * 500**0.5 for count in drawn.values())


def test_greedy_declares_a_complete_hand() -> None:
    own = table(["123p456p789p222m5s", DULL, DULL, DULL], "5s")
    assert choice(own) == "mhing"
    discard = table([DULL, "123p456p789p222m5s", DULL, DULL], "5s")
    discard.apply(discard.game.action_id("discard 5s"))
    assert choice(discard) == "mhing"


def test_greedy_claims_what_brings_it_nearer_and_passes_what_does_not() -> None:
    nearer = table([DULL, "46s123p456p78mEER", DULL, DULL], "5s")
    nearer.apply(nearer.game.action_id("discard 5s"))
    assert choice(nearer) == "sequence 456s"
    not_nearer = table([DULL, "456s123p456p78mEE", DULL, DULL], "5s")
    not_nearer.apply(not_nearer.game.action_id("discard 5s"))
    assert not_nearer.seat == 1
    assert choice(not_nearer) == "pass"


def test_greedy_keeps_the_smallest_distance_and_then_the_most_useful_cards() -> None:
    """The hints of the observation say what is nearest; greedy finds it without them."""
    rng = Random(5)
    game = mhing.Game("mhing", hints=True)
    judged = 0
    for seed in range(12):
        state = game.new_state(seed)
        while not state.is_terminal:
            legal = state.legal_actions()
            chosen, _ = state.bot_action("greedy", rng.getrandbits(64))
            shown = game.unpack(state.observation())
            ranks = [
                (int(shown["distance_after"][action]), -int(shown["useful_after"][action]))
                for action in legal
            ]
            rank = ranks[legal.tolist().index(chosen)]
            if game.action_id("mhing") in legal:
                assert game.action_text(chosen) == "mhing"
            elif game.action_id("pass") in legal:
                passed = ranks[legal.tolist().index(game.action_id("pass"))]
                assert (rank == passed) or rank[0] < passed[0]
                assert rank[0] == min(distance for distance, _ in ranks)
            else:
                judged += 1
                assert rank == min(ranks)
            state.apply(chosen)
    assert judged > 50


def test_greedy_beats_random() -> None:
    game = mhing.Game("mhing", reward="win")
    assert greedy_against_random(game, 60)[0] > 40
