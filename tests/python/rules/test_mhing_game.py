"""Mhing: the game, options, actions and states as data (R8 to R11), a test for each rule."""

from __future__ import annotations

from typing import Any

import pytest
from games.mhing.decks import DULL, table

import mhing
from rules.citing import rules_of
from rules.mhing_positions import MHING_CLAIMER, OVER, legal, played, position

rule = rules_of("mhing")

SIX_CREDITS = "123p456p789p46s22m5s"
"""Sequences only, a double sequence, a royal run, a pair of 2s: 6 credits, 32 points."""
NO_CREDITS = "234s678p111m999pEE"


def ended(
    hand: str = SIX_CREDITS, keys: dict[str, Any] | None = None, **options: object
) -> dict[str, Any]:
    """The table after seat 0 has declared this hand after a draw, late in a game of four.

    With `chips` all have earned points enough for any payments.
    """
    if keys and "chips" in keys:
        keys = {"scores": [512, 512, 512, 512]} | keys
    state = position([hand, DULL, DULL, DULL], OVER | (keys or {}), episode="game", **options)
    return played(state, "mhing")


# ---- The game -----------------------------------------------------------------------------------


@rule("R8.1")
def test_points_or_chips_decide_the_game() -> None:
    keys = {"scores": [480, 0, 0, 0]}
    assert ended(keys=keys)["phase"] == "over"
    assert ended(keys=keys, scoring="chips")["phase"] == "turn"


@rule("R8.2")
def test_the_declarer_scores_and_the_first_to_reach_the_target_wins() -> None:
    after = ended(keys={"scores": [466, 256, 0, 2]})
    assert (after["phase"], after["scores"]) == ("turn", [498, 256, 0, 2])
    after = ended(keys={"scores": [468, 256, 0, 2]}, reward="win")
    assert (after["phase"], after["scores"]) == ("over", [500, 256, 0, 2])
    assert after["returns"] == [1, 0, 0, 0]
    assert ended(target=32)["phase"] == "over"
    assert ended(target=33)["phase"] == "turn"


@rule("R8.3")
def test_the_highest_score_wins_after_the_agreed_rounds() -> None:
    keys = {"scores": [2, 64, 0, 0]}
    after = ended(keys=keys, rounds=31, reward="win")
    assert (after["phase"], after["returns"]) == ("over", [0, 1, 0, 0])
    assert ended(keys=keys, rounds=32)["phase"] == "turn"
    assert ended(keys=keys, rounds=0)["phase"] == "turn"


@rule("R8.4")
def test_every_other_player_pays_the_declarer() -> None:
    assert mhing.Game("mhing").new_state(1).to_dict()["chips"] == [500] * 4
    after = ended()
    assert after["result"]["payments"] == [96, -32, -32, -32]
    assert after["chips"] == [596, 468, 468, 468]


@rule("R8.5")
def test_who_made_the_mhing_possible_pays_double() -> None:
    state = position(["258p147mEEGGPPN5s", DULL, "123p456p789p46s22m", DULL])
    result = played(state, "discard 5s", "mhing")["result"]
    assert (result["payer"], result["payments"]) == (0, [-64, -32, 128, -32])
    assert ended()["result"]["payer"] == -1


@rule("R8.6")
def test_a_player_pays_what_is_left_and_plays_on_barefoot() -> None:
    after = ended(keys={"chips": [1000, 0, 10, 990]}, scoring="chips")
    assert after["result"]["payments"] == [42, 0, -10, -32]
    assert after["chips"] == [1042, 0, 0, 958]
    assert after["on_turn"] == 1, "the barefoot player deals"
    after = ended(keys={"chips": [0, 1000, 10, 990]}, scoring="chips")
    assert after["chips"] == [74, 968, 0, 958]


@rule("R8.7")
def test_a_game_of_chips_ends_when_one_has_all_or_after_a_hundred_rounds() -> None:
    after = ended(keys={"chips": [1958, 0, 10, 32]}, scoring="chips", reward="win")
    assert (after["phase"], after["chips"]) == ("over", [2000, 0, 0, 0])
    assert after["returns"] == [1, 0, 0, 0]
    assert ended(keys={"chips": [1956, 0, 10, 34]}, scoring="chips")["phase"] == "turn"
    chips = {"chips": [100, 900, 500, 500]}
    after = ended(keys=chips | {"round": 99}, scoring="chips", reward="win")
    assert (after["phase"], after["returns"]) == ("over", [0, 1, 0, 0])
    assert ended(keys=chips | {"round": 98}, scoring="chips")["phase"] == "turn"
    assert ended(keys=chips, scoring="chips", rounds=31)["phase"] == "over"


@rule("R8.8")
def test_tied_players_share_the_win() -> None:
    keys = {"scores": [64, 2, 64, 64]}
    after = ended(NO_CREDITS, keys, rounds=31, reward="win")
    assert after["returns"] == pytest.approx([1 / 3, 0, 1 / 3, 1 / 3])


# ---- Options ------------------------------------------------------------------------------------


@rule("R9.1")
def test_an_option_beside_a_preset_changes_it() -> None:
    assert mhing.Game("mhing").options["lay_down"] is False
    assert mhing.Game("mhing", rules="jmhing").options["lay_down"] is True
    assert mhing.Game("mhing", rules="jmhing", lay_down=False).options["lay_down"] is False


@rule("R9.3")
@pytest.mark.parametrize(
    "options",
    [
        {"num_players": 5, "scoring": "chips"},
        {"num_players": 6, "reward": "chips"},
        {"num_players": 3, "dealer": 3},
        {"target": 0},
    ],
    ids=str,
)
def test_options_that_exclude_each_other(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="option"):
        mhing.Game("mhing", **options)


@rule("R9.4")
@pytest.mark.parametrize(
    ("reward", "earned"),
    [
        ("credits", [6, 0, 0, 0]),
        ("points", [32, 0, 0, 0]),
        ("chips", [96, -32, -32, -32]),
        ("win", [1, 0, 0, 0]),
    ],
)
def test_rewards_come_with_the_action_that_ends_the_round(reward: str, earned: list[int]) -> None:
    state = position([SIX_CREDITS, DULL, DULL, DULL], reward=reward)
    assert not state.rewards().any()
    played(state, "mhing")
    assert state.rewards().tolist() == earned
    assert state.returns().tolist() == earned


# ---- Actions ------------------------------------------------------------------------------------


@rule("R10.1", "R10.2")
@pytest.mark.parametrize("options", [{}, {"num_players": 2, "rules": "jmhing"}], ids=str)
def test_numbers_and_texts_of_actions(options: dict[str, Any]) -> None:
    game = mhing.Game("mhing", **options)
    assert game.num_actions == 341
    for number, text in (
        (4, "discard 5s"), (34, "discard J"), (35, "sequence 123s"), (67, "sequence 567s"),
        (61, "sequence 45*6s"), (66, "sequence 4*5*6*s"), (202, "sequence 7*8*9*m"),
        (203, "triplet 111s"), (311, "triplet EEE"), (337, "triplet PP*P*"),
        (338, "triplet P*P*P*"), (339, "pass"), (340, "mhing"),
    ):  # fmt: skip
        assert game.action_text(number) == text
        assert game.action_id(text) == number


@rule("R10.3")
def test_a_player_chooses_the_place_of_every_joker() -> None:
    state = position(["456s1s9sJ159p159mEN", DULL], lay_down=True)
    laid = {action for action in legal(state) if "456" in action.replace("*", "")}
    texts = "456s 4*56s 45*6s 456*s"
    assert laid == {f"sequence {text}" for text in texts.split()}


@rule("R10.4")
def test_claims_and_melds_from_the_hand_have_one_number() -> None:
    own = position(["456s19s159p159mENN", DULL], lay_down=True)
    claim = position(["159p159m19s7sEENR5s", "46s258p147mSSWWN"], lay_down=True)
    played(claim, "discard 5s")
    game = own.game
    assert game.action_id("sequence 456s") in own.legal_actions()
    assert game.action_id("sequence 456s") in claim.legal_actions()
    phases = [state.to_dict()["phase"] for state in (own, claim)]
    assert phases == ["turn", "claim"]


# ---- A state as data ----------------------------------------------------------------------------


@rule("R11.2")
def test_only_the_hands_are_needed() -> None:
    now = position([SIX_CREDITS, DULL, DULL, DULL]).to_dict()
    assert (now["phase"], now["dealer"], now["drawn"], now["turn"]) == ("turn", 0, "5s", 1)
    assert (now["chips"], now["scores"]) == ([500] * 4, [0] * 4)
    assert (now["melds"], now["discards"], now["events"]) == ([[]] * 4, [], [])
    assert len(now["source"]) == 150 - 4 * 13 - 1
    assert now["source"][-8:] == ["F"] * 8
    with pytest.raises(ValueError, match="result: is needed"):
        position([SIX_CREDITS, DULL, DULL, DULL], {"round": 1})


@rule("R11.3")
def test_the_table_stays_as_it_was_at_the_end() -> None:
    state = table([DULL, DULL, MHING_CLAIMER], "5s")
    after = played(state, "discard 5s", "mhing")
    assert after["seat"] == -1
    assert after["hands"][2].count("5s") == 2
    assert after["discards"] == [{"card": "5s", "by": 0, "taken_by": 2}]
    assert len(after["hands"][2]) == 14
