"""The greedy bot of Mexican Rummy does what it is described to do."""

from __future__ import annotations

import pytest
from playing import DULL
from policies import choice, greedy_against_random, play
from rummy import table

import mhing


def test_it_asks_for_and_takes_what_brings_the_objective_nearer() -> None:
    hand = "7s 7h Ks Kh Kd 3h 4d 9h Jc Qd"
    state = table([DULL, hand], "2h 5d 6d", up="7d")
    assert choice(state) == "may i"
    state = table([hand, DULL], "2h 5d 6d", up="7d")
    play(state, "pass")
    assert choice(state) == "take"
    state = table([hand, DULL], "2h 5d 6d", up="5c")
    play(state, "pass")
    assert choice(state) == "draw"


def test_it_asks_for_nothing_in_the_last_round() -> None:
    hand = "7s 7h Ks Kh Kd 3h 4d 9h Jc Qd"
    assert choice(table([DULL, hand], "2h", up="7d", objective=6)) == "pass"


def test_it_takes_what_it_needs_itself_and_refuses_others_before_it_is_down() -> None:
    for hand, wish in (
        ("7s 7h 2h 3s 4d 5c 9d Jc Qh Kd", "take"),
        ("8s 8h 8d Ks Kh 3s 4d 5c 9d Jc", "refuse"),
    ):
        state = table([hand, DULL, DULL], "2h", up="7d")
        play(state, "may i")
        assert choice(state) == wish


def test_it_grants_what_it_does_not_need_when_it_is_down() -> None:
    state = table(["7s 7h 7d Ks Kh Kd 3h 4d 9h Jc", DULL, DULL], "2h 2d 3c 4c")
    play(state, "pass", "pass", "draw", "set 7", "discard 2h", "pass", "draw", "discard 2d")
    play(state, "pass", "draw", "discard 3c", "may i")
    assert (state.seat, choice(state)) == (0, "grant")


def test_it_keeps_what_it_needs_and_throws_the_dearest_of_the_rest() -> None:
    state = table(["7s 7h 7d Ks Kh 3h 4d 9d Ac Td", DULL], "5c")
    play(state, "pass", "draw")
    assert choice(state) == "discard Ac"


def test_it_lays_down_and_off_all_that_it_can() -> None:
    state = table(["7s 7h 7d 7c Ks Kh Kd 3h 4d 9h", DULL], "Kc")
    play(state, "pass", "draw")
    random = 1
    seat = state.seat
    while state.seat == seat:
        action, random = state.bot_action("greedy", random)
        state.apply(action)
    left = [card[:2] for card in state.to_dict()["hands"][0]]
    assert sorted(left) in (["3h", "4d"], ["3h", "9h"], ["4d", "9h"])


def test_it_keeps_black_twos_where_naturals_do() -> None:
    state = table(["4567d 9s 9h 9d 2s Jc Qh", DULL], "3s", objective=2)
    play(state, "pass", "draw", "set 9")
    while "*" not in str(state) and state.seat == 0 and "plans" in str(state):
        play(state, choice(state))
    melds = state.to_dict()["melds"][0]
    assert melds[1]["text"] == "4567d"


@pytest.mark.parametrize("objective", range(1, 7))
def test_it_beats_random(objective: int) -> None:
    game = mhing.Game("mexican_rummy", num_players=3, objective=objective)
    points = greedy_against_random(game, 60)
    assert points[0] > 0.5 * max(points[1:])


@pytest.mark.parametrize("objective", range(1, 7))
def test_it_brings_rounds_to_an_end(objective: int) -> None:
    game = mhing.Game("mexican_rummy", objective=objective)
    endings = {int(game.new_state(s).play_out("greedy", s).info()["ending"]) for s in range(60)}
    assert {game.labels["endings"][ending] for ending in endings} == {
        "No Discardo" if objective == 6 else "last card laid"
    }
