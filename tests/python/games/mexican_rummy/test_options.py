"""Options of Mexican Rummy that few games have: no card turned up, needed swaps."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from playing import DULL

import mhing
from games.mexican_rummy.matches import Match, laying, table
from games.mexican_rummy.test_referee import began, swap_table

NO_CARD = {"turned_up": False}


# ---- No card turned up (R2.4) -------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3])
def test_without_a_card_turned_up_the_first_player_has_drawn_and_nobody_is_asked(
    players: int,
) -> None:
    match = Match(table([DULL] * players, "Ah 3h 4h", **NO_CARD))
    table_ = match.table
    # The 9c that is turned up else lies on top of the draw pile.
    assert (table_["phase"], table_["seat"], table_["turn"]) == ("play", 0, 1)
    assert table_["drawn"][:2] == "9c"
    assert (table_["discards"], table_["offer"], table_["decisions"]) == ([], None, 0)
    assert len(table_["draw_pile"]) == 104 - 10 * len(table_["hands"]) - 1
    assert table_["events"] == [{"seat": 0, "event": "deal", "text": "", "detail": 0, "place": 0}]
    match.play("discard 9c")
    assert match.table["offered_by"] == 0


def test_of_two_players_nobody_ever_asks_then() -> None:
    match = Match(
        mhing.Game("mexican_rummy", num_players=2, episode="game", **NO_CARD).new_state(2)
    )
    rng, phases = Random(4), set()
    while not match.state.is_terminal:
        match.play_by(laying, rng, decisions=1)
        phases.add(match.table["phase"])
    assert {"start", "play", "over"} <= phases
    assert not phases & {"ask", "answer"}
    assert match.table["round"] == 5


def test_the_first_draw_is_no_choice_in_a_state_from_a_dict() -> None:
    game = mhing.Game("mexican_rummy", num_players=2, **NO_CARD)
    made = game.new_state(3).to_dict()
    made["hands"][made["on_turn"]].remove(made["drawn"])
    made |= {"draw_pile": [made["drawn"], *made["draw_pile"]], "drawn": None, "phase": "start"}
    made["discards"] = [{"card": made["draw_pile"].pop(), "by": None}]
    made["offer"] = made["discards"][0]["card"]
    with pytest.raises(ValueError, match="no play leads to this state"):
        game.state_from_dict(made)


def test_what_is_drawn_first_stays_hidden() -> None:
    game = mhing.Game("mexican_rummy", **NO_CARD)
    state = game.new_state(1)
    drawn = Counter()
    for seed in range(60):
        world = state.resample((state.seat + 1) % 4, seed)
        assert game.from_bytes(world.to_bytes()) == world
        drawn[world.to_dict()["drawn"]] += 1
    assert len(drawn) > 30
    seen = game.unpack(state.observation((state.seat + 1) % 4))
    assert seen["drawn"] == 0
    assert seen["unseen"].sum() == 104 - 10


def test_words_say_nothing_of_a_card() -> None:
    game = mhing.Game("mexican_rummy", **NO_CARD)
    state = game.new_state(1)
    seat = state.seat
    assert state.words(None, "events") == f"Seat {seat} has the first turn.\n"
    state = mhing.Game("mexican_rummy").new_state(1)
    (up,) = state.to_dict()["events"]
    assert f": {up['text']} is turned up." in state.words(None, "events")


# ---- Swaps that are needed (R5.2) ---------------------------------------------------------------


def test_a_swap_that_is_not_needed_is_refused_where_it_must_be() -> None:
    without_need, needed = "9TJQs 6d 5s 5h 5c Kd Kh", "9TQs 6d 5s 5h 5c Kd Kh 8c"
    for swaps, expected in (("any", {"swap 6d", "set 5"}), ("needed", {"set 5"})):
        match = swap_table(without_need, swaps=swaps)
        match.play("draw")
        assert began(match) == expected
        match = swap_table(needed, swaps=swaps)
        match.play("draw")
        assert began(match) == {"swap 6d"}


def test_a_plan_with_a_swap_that_is_not_needed_is_no_state_then() -> None:
    match = swap_table("9TJQs 6d 5s 5h 5c Kd Kh")
    match.play("draw", "swap 6d")
    made = match.state.to_dict()
    assert match.state.game.state_from_dict(made).to_dict() == made
    needed = mhing.Game("mexican_rummy", **{**made["options"], "swaps": "needed"})
    with pytest.raises(ValueError, match="a plan that cannot be"):
        needed.state_from_dict(made | {"options": needed.options})


# ---- Turns (R7.4) -------------------------------------------------------------------------------


def test_the_sixth_round_has_at_most_65535_turns() -> None:
    """And the observation counts them to the last."""
    for limit, objective, turns in ((65535, 1, 65535), (32767, 6, 65534), (40_000, 6, 65535)):
        game = mhing.Game("mexican_rummy", num_players=2, objective=objective, turn_limit=limit)
        made = game.new_state(1).to_dict()
        state = game.state_from_dict(
            {
                "turn": turns,
                "phase": "play",
                "hands": [[*made["hands"][0], made["draw_pile"][0]], made["hands"][1]]
                if turns % 2
                else [made["hands"][0], [*made["hands"][1], made["draw_pile"][0]]],
                "starter": 0,
                "drawn": made["draw_pile"][0],
                "objective": objective,
            }
        )
        assert not state.game.unpack(state.observation(0))["turns_left"].any()
        state.apply(state.idle_action())
        assert state.to_dict()["result"]["ending"] == "turn limit"
        assert state.to_dict()["turn"] == turns
