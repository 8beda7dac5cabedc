"""Rules of General Mhing: options, actions, observations, states as data."""

from __future__ import annotations

import pytest
from playing import cards
from policies import play

import mhing
from rules.citing import rules_of
from rules.general_positions import FEW, at, before_the_fourth, laid, legal, with_an_ace

rule = rules_of("general_mhing")


# ---- R7 Options ----------------------------------------------------------------------------------


@rule("R7.1")
def test_presets_and_what_is_given_beside_them() -> None:
    assert (
        mhing.Game("general_mhing").options == mhing.Game("general_mhing", rules="fourteen").options
    )
    assert mhing.Game("general_mhing", rules="twenty").options["target"] == 20
    assert mhing.Game("general_mhing", rules="twenty", target=9).options["target"] == 9


@rule("R7.2")
def test_the_defaults() -> None:
    assert mhing.Game("general_mhing").options == {
        "num_players": 2,
        "target": 14,
        "rounds": 100,
        "turn_limit": 200,
        "offer": "previous",
        "starter": -1,
        "next_starter": "clockwise",
        "episode": "round",
        "reward": "points",
        "hints": False,
    }


@rule("R7.3")
def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="starter: seat 2 does not exist"):
        mhing.Game("general_mhing", starter=2)
    with pytest.raises(ValueError, match="target: 0"):
        mhing.Game("general_mhing", target=0, rounds=0)
    assert mhing.Game("general_mhing", starter=2, num_players=3).options["starter"] == 2


@rule("R7.4")
@pytest.mark.parametrize(
    ("reward", "returns"),
    [("points", [9, 0, 0]), ("margin", [9, -4.5, -4.5]), ("win", [1, 0, 0])],
)
def test_rewards_come_with_the_end_of_a_round(reward: str, returns: list[float]) -> None:
    state = at(
        {"reward": reward},
        hands=["JQKh 4s 7s Ts Qs Ks", "2s 3s 5s 6s 8s 9s Js", "2d 3d 5d 6d 8d 9d Jd"],
        sequences=["234h 567h 89Th", "", ""],
    )
    assert not state.rewards().any()
    play(state, "sequence JQKh")
    assert state.rewards().tolist() == returns
    assert state.returns().tolist() == returns


# ---- R8 Actions and their texts ------------------------------------------------------------------


@rule("R8.1", "R8.2")
@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "draw"), (1, "take"), (2, "sequence A23s"), (3, "sequence 234s"),
        (12, "sequence JQKs"), (13, "sequence 2*34s"), (22, "sequence J*QKs"),
        (23, "sequence 23*4s"), (33, "sequence 234*s"), (42, "sequence JQK*s"),
        (43, "sequence A23h"), (165, "sequence JQK*c"), (166, "swap 2s"), (177, "swap Ks"),
        (178, "swap 2h"), (213, "swap Kc"), (214, "discard As"), (265, "discard Kc"), (266, "end"),
    ],
)  # fmt: skip
def test_numbers_of_actions(number: int, text: str) -> None:
    for options in ({}, {"num_players": 3, "offer": "top"}):
        game = mhing.Game("general_mhing", **options)
        assert game.num_actions == 267
        assert game.action_text(number) == text
        assert game.action_id(text) == number


@rule("R8.3")
def test_a_player_chooses_what_an_ace_stands_for() -> None:
    state = at(hands=["A23s 5h 7h 9d Jd Kc", "4s 6s 8h 2h 5d Td Qc"])
    assert {"sequence A23s", "sequence 234*s"} <= legal(state)
    assert "sequence 2*34s" not in legal(state)


@rule("R8.4")
def test_what_a_seat_sees() -> None:
    state = with_an_ace("789*h", "9h 6h 3h 7s Qs")
    play(state, "swap 9h")
    own, other = (state.game.unpack(state.observation(seat)) for seat in (0, 1))
    assert own["hand"].sum() == 8
    assert other["hand"].sum() == 7
    assert not other["unseen"][13]
    assert other["aces_held"].tolist() == [[0, 0, 0, 0], [0, 1, 0, 0]]
    assert other["on_turn"] == 2
    assert own["on_turn"] == 1
    for seed in range(5):
        world = state.resample(1, seed)
        assert (world.observation(1) == state.observation(1)).all()
        assert "Ah" in world.to_dict()["hands"][0]


@rule("R8.5")
def test_the_game_describes_itself() -> None:
    described = mhing.Game("general_mhing").describe()
    assert [event["name"] for event in described["events"]] == [
        *("deal", "take", "sequence", "swap", "discard", "shuffle", "over"),
    ]
    names = {field["name"] for field in described["observation"]}
    assert names >= {"hand", "unseen", "drawable", "discards", "offer", "turns_left", "tally"}


# ---- R9 A state as data --------------------------------------------------------------------------

KEYS = [
    *("game", "options", "round", "seat", "turn", "starter", "phase", "on_turn", "offer"),
    *("offered_by", "taken", "drawn", "given", "draw_pile", "discards", "shuffles", "shuffle_of"),
    *("hands", "shown", "sequences", "tallies", "scores", "result", "events"),
    *("returns", "rewards", "decisions", "random", "shuffler"),
]


@rule("R9.1")
def test_keys_of_a_state() -> None:
    now = before_the_fourth().to_dict()
    assert list(now) == KEYS
    assert (now["seat"], now["phase"], now["tallies"], now["drawn"]) == (0, "play", [5, 0], ["Ks"])


@rule("R9.2")
def test_what_is_left_out() -> None:
    hands = [cards(FEW + " 2c"), cards("4c 7c 2d 5d 8d 3h 6h")]
    game = mhing.Game("general_mhing")
    now = game.state_from_dict({"hands": hands}).to_dict()
    names = game.labels["cards"]
    assert now["draw_pile"] == [card for card in names if card not in hands[0] + hands[1]]
    assert (now["phase"], now["drawn"], now["turn"], now["decisions"]) == ("play", ["2c"], 1, 0)
    one = {"winner": 0, "ending": "turn limit", "seats": [{"sequences": [{"text": "789h"}]},
                                                          {"sequences": []}]}  # fmt: skip
    whole = mhing.Game("general_mhing", episode="game", turn_limit=5)
    later = whole.state_from_dict({"hands": hands, "round": 1, "result": one, "turn": 3}).to_dict()
    assert (later["scores"], later["returns"], later["rewards"]) == ([1, 0], [1, 0], [0, 0])
    assert later["decisions"] == 7
    with pytest.raises(ValueError, match="returns"):
        whole.state_from_dict(
            {"hands": hands, "round": 1, "result": one, "turn": 3, "returns": [2, 0]}
        )
    top = mhing.Game("general_mhing", offer="top").state_from_dict(
        {
            "hands": [cards("78h 2s 5s 9s Ks 4c"), cards("4h 7c 2d 5d 8d 3h 6h")],
            "discards": [{"card": "9h", "by": 0}],
            "phase": "start",
            "turn": 3,
        }
    )
    assert top.to_dict()["offer"] == "9h"


@rule("R9.3")
def test_the_table_stays_when_an_episode_ends() -> None:
    state = before_the_fourth(other="789c")
    play(state, "sequence JQKh")
    assert laid(state, 0) == ["234h", "567h", "89Th", "JQKh"]
    assert laid(state, 1) == ["789c"]
    assert (state.to_dict()["phase"], state.to_dict()["seat"]) == ("over", -1)
    assert not state.legal_actions().size
