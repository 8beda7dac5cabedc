"""The greedy bot of General Mhing does what it is described to do."""

from __future__ import annotations

import pytest
from playing import DULL
from policies import choice, greedy_against_random, play

import mhing
from games.general_mhing.matches import table


def test_it_lays_what_matches_best() -> None:
    state = table(["TJQh 789h 3c", "26Ts 369d Qc"], "4c 5c 2d Kd 4s")
    play(state, "sequence TJQh", "discard Kd")
    legal = [state.game.action_text(action) for action in state.legal_actions().tolist()]
    assert {"sequence 345c", "sequence 789h"} <= set(legal)
    # 789h is of one suit with TJQh and in order with it; 345c matches nothing.
    assert choice(state) == "sequence 789h"


def test_it_swaps_an_ace_back_when_that_costs_nothing() -> None:
    state = table(["A89h 7h 2s 4s Kc", DULL], "Kd 5d Qc Jc")
    play(state, "sequence 7*89h")
    assert choice(state) == "swap 7h"


def test_it_discards_what_leads_nowhere_and_keeps_aces() -> None:
    assert choice(table(["78h 56d 56c Kc", DULL], "2s")) in ("discard Kc", "discard 2s")
    state = table(["A7h A5d Kc 2s 9s", DULL], "Jd")
    assert choice(state).startswith("discard")
    assert "A" not in choice(state)


@pytest.mark.slow
def test_it_ends_a_round_only_when_that_wins() -> None:
    """A fourth sequence with fewer points than another seat has is kept."""
    wins = losses = 0
    for seed in range(200):
        state = mhing.Game("general_mhing").new_state(seed)
        random = seed
        while not state.is_terminal:
            bot = "greedy" if state.seat == 0 else "random"
            action, random = state.bot_action(bot, random)
            seat = state.seat
            state.apply(action)
            result = state.to_dict()["result"]
            if result and result["ending"] == "fourth sequence" and seat == 0:
                wins += result["winner"] == 0
                losses += result["winner"] != 0
    assert wins > 150
    assert losses == 0


@pytest.mark.parametrize(("players", "least"), [(2, 180), (3, 160)])
def test_it_beats_random(players: int, least: int) -> None:
    game = mhing.Game("general_mhing", num_players=players, reward="win")
    assert greedy_against_random(game, 200)[0] > least
