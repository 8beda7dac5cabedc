"""A seat's beliefs about answers that it does not see: as often a claim as in the truth (R4.7).

A seat that is asked after another one knows nothing of that one's answer. Over many such moments of
play between players whose answers depend on their cards alone, as greedy's do, the share of worlds
that `resample` makes in which an earlier seat has claimed is the share in which one has in truth.
"""

from __future__ import annotations

from random import Random

import pytest

import mhing


def has_claimed(state: mhing.State) -> bool:
    return any(answer["action"] != "pass" for answer in state.to_dict()["claims"])


@pytest.mark.slow
def test_earlier_answers_are_claims_as_often_as_in_the_truth(full: bool) -> None:
    """Hands of the worlds are played about as greedy plays: their claims are 5 % more."""
    truth = worlds = moments = 0
    game = mhing.Game("mhing", num_players=6)
    for seed in range(4_000 if full else 250):
        rng, state = Random(seed), game.new_state(seed)
        while not state.is_terminal:
            table = state.to_dict()
            if table["phase"] == "claim" and table["claims"]:
                world = state.resample(state.seat, rng.randrange(2**32))
                moments += 1
                truth += has_claimed(state)
                worlds += has_claimed(world)
            state.apply(state.bot_action("greedy", 0)[0])
    assert moments > 1_000
    assert truth > 200
    assert 0.85 * truth < worlds < 1.2 * truth
