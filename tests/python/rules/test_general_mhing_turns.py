"""Rules of General Mhing: the cards, the deal and a turn."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from games.general_mhing.matches import table
from playing import DULL, cards
from policies import play

import mhing
from rules.citing import rules_of
from rules.general_positions import State, at, idle, laid, legal, with_an_ace, words

rule = rules_of("general_mhing")


# ---- R1 The cards --------------------------------------------------------------------------------


@rule("R1.1", "R1.4")
def test_52_cards_each_once() -> None:
    ranks, suits = "A23456789TJQK", "shdc"
    names = [rank + suit for suit in suits for rank in ranks]
    assert mhing.Game("general_mhing").labels["cards"] == names
    dealt = mhing.Game("general_mhing").new_state(1).to_dict()
    assert sorted(dealt["draw_pile"] + dealt["hands"][0] + dealt["hands"][1]) == sorted(names)


@rule("R1.1", "R1.2")
def test_sequences_go_from_the_ace_to_the_king_and_no_further() -> None:
    state = at(hands=["A23s JQKh 9h 8h", "4s 6s 8s 2d 5d 9d Kc"])
    assert {text for text in legal(state) if text.startswith("sequence")} == {
        "sequence A23s",
        "sequence 234*s",
        "sequence JQKh",
    }
    state = at(hands=["QKAd 2h 5h 8h Js 6c", "4s 6s 8s 2d 5d 9d Kc"])
    assert {text for text in legal(state) if text.startswith("sequence")} == {"sequence J*QKd"}


@rule("R1.2")
def test_three_of_one_suit() -> None:
    state = at(hands=["78s 9h 9d 4c 5c 7c 2d", "4s 6s 8h 2h 5d Td Kc"])
    assert words(state) == {"discard"}


@rule("R1.3")
def test_an_ace_is_wild_in_its_own_suit_only() -> None:
    state = at(hands=["Ah 79h 79s 4c 6c Kd", "4s 6s 8h 2h 5d Td Kc"])
    assert {text for text in legal(state) if text.startswith("sequence")} == {"sequence 78*9h"}


@rule("R1.4")
def test_an_ace_is_written_as_what_it_stands_for() -> None:
    state = at(hands=["A23c 5c 7h 9h Jd Ks", "4s 6s 8h 2h 5d Td Kc"])
    play(state, "sequence A23c")
    assert state.to_dict()["sequences"][0] == [
        {"text": "A23c", "cards": ["Ac", "2c", "3c"], "ace": 0}
    ]
    state = at(hands=["A23c 5c 7h 9h Jd Ks", "4s 6s 8h 2h 5d Td Kc"])
    play(state, "sequence 234*c")
    assert state.to_dict()["sequences"][0] == [
        {"text": "234*c", "cards": ["2c", "3c", "4c"], "ace": 2}
    ]


# ---- R2 Set-up and dealing -----------------------------------------------------------------------


@rule("R2.1")
def test_two_or_three_play_clockwise() -> None:
    for players in (1, 4):
        with pytest.raises(ValueError, match="num_players"):
            mhing.Game("general_mhing", num_players=players)
    state = mhing.Game("general_mhing", num_players=3, starter=1).new_state(3)
    seats = []
    for _ in range(6):
        seats.append(state.seat)
        idle(state)
    assert seats == [1, 2, 0, 1, 2, 0]


def starters(**options: Any) -> list[int]:
    """The seats that begin the rounds of a game of three, in which two turns make a round."""
    game = mhing.Game(
        "general_mhing", num_players=3, episode="game", rounds=5, turn_limit=2, **options
    )
    state, found = game.new_state(4), [-1] * 5
    while not state.is_terminal:
        found[state.rounds_over] = state.to_dict()["starter"]
        idle(state)
    return found


@rule("R2.2")
def test_the_next_player_begins_each_later_round_or_the_same() -> None:
    assert starters(starter=2) == [2, 0, 1, 2, 0]
    assert starters(starter=2, next_starter="same") == [2, 2, 2, 2, 2]


@rule("R2.2")
def test_the_first_player_is_drawn() -> None:
    game = mhing.Game("general_mhing", num_players=3)
    drawn = Counter(game.new_state(seed).to_dict()["starter"] for seed in range(300))
    assert all(70 < drawn[seat] < 130 for seat in range(3))
    same = mhing.Game("general_mhing", num_players=3, next_starter="same", episode="game")
    assert [same.new_state(seed).to_dict()["starter"] for seed in range(9)] == [
        game.new_state(seed).to_dict()["starter"] for seed in range(9)
    ]


@rule("R2.3")
def test_seven_cards_each_from_the_starter_on() -> None:
    game = mhing.Game("general_mhing", num_players=3, starter=1)
    names = game.labels["cards"]
    table_ = game.new_state(1, deck=list(range(52))).to_dict()
    assert table_["hands"][1] == [*names[:7], names[21]]
    assert table_["hands"][2] == names[7:14]
    assert table_["hands"][0] == names[14:21]
    assert table_["draw_pile"] == names[22:]
    assert table_["discards"] == []


# ---- R3 A turn -----------------------------------------------------------------------------------

AFTER_A_SEQUENCE = {
    "hands": ["2s 4h 9s Jd Kc 6d 8c", "78h 2c 5s 9d Ks 4c"],
    "discards": [{"card": "3d", "by": 1}, {"card": "9h", "by": 0}],
}


@rule("R3.1")
def test_the_discard_of_the_player_before_can_be_taken() -> None:
    state = table([DULL, "78h 2s 5s 9s Ks 4c"], "9h 3d")
    assert (state.to_dict()["offer"], words(state)) == (None, {"discard"})
    play(state, "discard 9h")
    assert (state.to_dict()["offer"], state.to_dict()["offered_by"]) == ("9h", 0)
    assert legal(state) == {"draw", "take"}
    play(state, "draw")
    assert state.to_dict()["offer"] is None
    assert "3d" in state.to_dict()["hands"][1]


def one_lays_after_a_discard(offer: str) -> State:
    """Seat 0 discards the 9s, which seat 1 leaves; it lays a sequence. Seat 0 has TJs."""
    hands = ["TJs 2h 5h 8h 3d 6d", "QKAc 2s 4s 7d Td"]
    state = table([*hands], "9s 9d 2c 3c", offer=offer)
    play(state, "discard 9s")
    if state.to_dict()["phase"] == "start":
        play(state, "draw")
    play(state, "sequence J*QKc")
    if state.seat == 1:
        play(state, "end")
    return state


@rule("R3.1")
def test_after_a_sequence_there_is_nothing_to_take() -> None:
    state = one_lays_after_a_discard("previous")
    assert (state.seat, state.to_dict()["phase"], state.to_dict()["offer"]) == (0, "play", None)


@rule("R3.1")
def test_with_the_option_the_top_of_the_pile_can_be_taken_even_if_it_is_ones_own() -> None:
    state = one_lays_after_a_discard("top")
    assert (state.seat, state.to_dict()["phase"]) == (0, "start")
    assert (state.to_dict()["offer"], state.to_dict()["offered_by"]) == ("9s", 0)
    assert legal(state) == {"draw", "take"}
    seen = state.game.unpack(state.observation())
    assert (seen["offer"], seen["offered_by"]) == (9, 1)
    play(state, "take")
    assert laid(state, 0) == ["9TJs"]


@rule("R3.1")
def test_with_the_option_each_card_taken_uncovers_the_next() -> None:
    state = at(
        {"offer": "top"},
        hands=["TJs 2h 5h 8h 3d 6d", "67h 67c 7d Td Kd", "2d 4d 8d Qc Kc 3s 5s"],
        discards=[{"card": "5c", "by": 2}, {"card": "9s", "by": 1}],
        phase="start",
        turn=4,
    )
    assert (state.seat, state.to_dict()["offered_by"]) == (0, 1)
    play(state, "take")
    # Two cards are drawn, and nobody can swap: seat 1 may take the card under the 9s, which the
    # player before it did not discard.
    now = state.to_dict()
    assert (now["on_turn"], now["discards"][-1]) == (1, {"card": "5c", "by": 2})
    assert (now["phase"], now["offer"], now["offered_by"]) == ("start", "5c", 2)


@rule("R3.2")
def test_a_card_taken_is_laid_at_once() -> None:
    state = table([DULL, "A8h TJs 2d 5d 9c"], "9h 3d")
    play(state, "discard 9h", "take")
    assert state.to_dict()["phase"] == "taken"
    assert legal(state) == {"sequence 7*89h", "sequence 89T*h"}
    state = table([DULL, "8h 4h 2s 5s 9s Ks 4c"], "9h 3d")
    play(state, "discard 9h")
    assert state.to_dict()["phase"] == "play"


@rule("R3.3")
def test_a_discard_or_one_sequence_and_two_cards() -> None:
    state = table(["789h 789s Kd", DULL], "2c 3d 5d 6c")
    assert {"discard Kd", "sequence 789h", "sequence 789s"} <= legal(state)
    play(state, "sequence 789h")
    now = state.to_dict()
    assert now["on_turn"] == 1
    assert sorted(now["hands"][0]) == sorted(cards("789s Kd 2c 3d 5d"))
    assert now["discards"] == []


@rule("R3.4")
@pytest.mark.parametrize(
    ("text", "held", "swaps"),
    [
        ("789*h", "9h 6h Th 7s Qs", {"9h": "789h", "6h": "678h"}),
        ("7*89h", "7h Th 6h 7s Qs", {"7h": "789h", "Th": "89Th"}),
        ("78*9h", "8h 6h Th 7s Qs", {"8h": "789h"}),
        ("A23h", "4h 5h Kh 7s Qs", {"4h": "234h"}),
        ("JQK*h", "Th Kh 9h 7s Qs", {"Th": "TJQh", "Kh": "JQKh"}),
        ("23*4h", "3d 5h 6h 7s Qs", {}),
    ],
)
def test_a_card_for_the_ace_if_a_sequence_results(
    text: str, held: str, swaps: dict[str, str]
) -> None:
    state = with_an_ace(text, held)
    assert {word for word in legal(state) if word[:4] == "swap"} == {f"swap {c}" for c in swaps}
    for card, becomes in swaps.items():
        after = with_an_ace(text, held)
        play(after, f"swap {card}")
        assert laid(after, 0) == [becomes]
        assert "Ah" in after.to_dict()["hands"][0]
        assert card not in after.to_dict()["hands"][0]


@rule("R3.4")
def test_a_swap_before_the_draw_and_not_of_another_seats_ace() -> None:
    keys = {"hands": ["9h 2c 5c Jc 7s Qs Ks", "9d 6s 9s 2d 5d 8d Jd"]}
    start = at(**keys, sequences=["789*h", "78*9c"], phase="start", turn=3)
    assert legal(start) == {"draw", "swap 9h"}
    with pytest.raises(ValueError, match="no choice"):
        at(**keys, sequences=["78*9c", "789*h"], phase="start", turn=3)


@rule("R3.5")
def test_cards_just_drawn_can_be_swapped_and_several_in_a_turn() -> None:
    state = table(["A89h A89s 7h", DULL], "7s 2c 3d Kd 5c 6c Jc")
    play(state, "sequence 7*89h", "end", "discard Kd", "draw", "sequence 7*89s")
    assert legal(state) == {"end", "swap 7h", "swap 7s"}
    play(state, "swap 7s")
    assert legal(state) == {"end", "swap 7h"}
    state = table(["A89h 2s 4s 9c Kc", DULL], "7d 7h Qc 2d")
    play(state, "sequence 7*89h")
    assert state.to_dict()["drawn"] == ["7h", "Qc"]
    assert legal(state) == {"end", "swap 7h"}


@rule("R3.5")
def test_no_swap_between_taking_a_card_and_laying_it() -> None:
    state = at(
        hands=["A8h 7s 2c 5c 8c Qs", "3s Ts 2d 5d 8d Jd Kc"],
        sequences=["7*89s", ""],
        discards=[{"card": "9h", "by": 1}],
        offer="9h",
        turn=3,
    )
    assert "swap 7s" in legal(state)
    play(state, "take")
    assert legal(state) == {"sequence 7*89h", "sequence 89T*h"}


@rule("R3.6")
def test_a_discard_ends_the_turn() -> None:
    state = with_an_ace("789*h", "9h 6h 3h 7s Qs")
    play(state, "discard Qs")
    assert state.to_dict()["on_turn"] == 1
    assert laid(state, 0) == ["789*h"]


@rule("R3.7")
def test_nobody_is_asked_without_a_choice() -> None:
    state = table([DULL, "7h 2s 5s 9s Ks 4c 3d"], "9h 2d")
    play(state, "discard 9h")
    assert (state.seat, state.to_dict()["drawn"]) == (1, ["2d"])
    state = table([DULL, "78h 2s 5s 9s Ks 4c"], "9h 3d")
    play(state, "discard 9h", "take")
    assert (laid(state, 1), state.seat) == (["789h"], 0)
    state = with_an_ace("789*h", "9h JQKs 4s")
    play(state, "sequence JQKs")
    assert legal(state) >= {"end", "swap 9h"}
    play(state, "swap 9h")
    assert state.to_dict()["on_turn"] == 1
