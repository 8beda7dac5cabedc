"""General Mhing, rule by rule: positions set up and played, with what RULES.md says about them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from games.general_mhing.matches import table
from playing import DULL, cards
from policies import play

import mhing
from rules.citing import rules_of

rule = rules_of("general_mhing")

State = mhing.State
FEW = "Th Jd Kd 3s 6s 9s Qs"
"""A hand without anything near each other."""


def at(options: dict[str, Any] | None = None, **keys: Any) -> State:
    """A position of which hands and sequences are written as texts."""
    keys["hands"] = [cards(hand) for hand in keys["hands"]]
    laid = keys.get("sequences", [])
    keys["sequences"] = [[{"text": text} for text in texts.split()] for texts in laid]
    game = mhing.Game("general_mhing", **{"num_players": len(keys["hands"]), **(options or {})})
    return game.state_from_dict({name: value for name, value in keys.items() if value})


def legal(state: State) -> set[str]:
    return set(map(state.game.action_text, state.legal_actions().tolist()))


def words(state: State) -> set[str]:
    """The kinds of what is legal."""
    return {text.split()[0] for text in legal(state)}


def laid(state: State, seat: int) -> list[str]:
    return [sequence["text"] for sequence in state.to_dict()["sequences"][seat]]


def idle(state: State) -> None:
    """Plays a turn without a sequence: the card drawn goes."""
    if "draw" in legal(state):
        play(state, "draw")
    play(state, f"discard {state.to_dict()['drawn'][0]}")


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
    """Who begins the rounds of a game of three, in which two turns make a round."""
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
def test_the_first_player_is_drawn_by_lot() -> None:
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


def with_an_ace(text: str, held: str, **keys: Any) -> State:
    """Seat 0 has drawn and has a sequence in front of it."""
    return at(hands=[f"{held} 2c 5c 8c", "3s 6s 9s 2d 5d 8d Jd"], sequences=[text, ""], **keys)


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


# ---- R4 How a round ends -------------------------------------------------------------------------


def before_the_fourth(**keys: Any) -> State:
    options = keys.pop("options", {})
    return at(
        options,
        hands=["JQKh 4s 7s Ts Qs Ks", "2s 3s 5s 6s 8s 9s Js"],
        sequences=["234h 567h 89Th", keys.pop("other", "")],
        **keys,
    )


@rule("R4.1")
def test_the_fourth_sequence_ends_the_round() -> None:
    state = before_the_fourth()
    pile = state.to_dict()["draw_pile"]
    play(state, "sequence JQKh")
    now = state.to_dict()
    assert state.is_terminal
    assert now["result"]["ending"] == "fourth sequence"
    assert (now["draw_pile"], len(now["hands"][0])) == (pile, 5)


@rule("R4.1")
def test_no_swap_after_the_fourth() -> None:
    state = at(
        hands=["JQKh 4h 7s Ts Qs Ks", "2s 3s 5s 6s 8s 9s Js"], sequences=["A23h 567h 789c", ""]
    )
    assert "swap 4h" in legal(state)
    play(state, "sequence JQKh")
    assert state.is_terminal


@rule("R4.2")
def test_all_discards_but_the_last_are_shuffled() -> None:
    hands = [cards("AKs 2s 5h 9h Kh Td 7d"), cards("2d 4d 7c 9c Qh Js 4s")]
    names = mhing.Game("general_mhing").labels["cards"]
    pile = [card for card in names if card not in hands[0] + hands[1]]
    discards = [{"card": card, "by": n % 2} for n, card in enumerate(pile)]
    state = mhing.Game("general_mhing").state_from_dict(
        {
            "hands": hands,
            "discards": discards,
            "draw_pile": [],
            "turn": 41,
        }
    )
    play(state, "discard Td")
    if "draw" in legal(state):
        play(state, "draw")
    now = state.to_dict()
    assert now["shuffles"] == 1
    assert [made["card"] for made in now["discards"]] == ["Td"]
    assert sorted([*now["draw_pile"], *now["drawn"]]) == sorted(pile)
    assert now["draw_pile"] != [card for card in pile if card not in now["drawn"]]


@rule("R4.2")
def test_shuffles_do_not_change_the_next_deal() -> None:
    deals, shuffles = [], []
    for bot in ("nobody", "greedy"):
        state = mhing.Game("general_mhing", episode="game", turn_limit=90).new_state(5)
        while state.rounds_over == 0:
            last = state.to_dict()["shuffles"]
            if bot == "greedy":
                state.apply(state.bot_action(bot, 1)[0])
            else:
                idle(state)
        deals.append((state.to_dict()["hands"], state.to_dict()["draw_pile"]))
        shuffles.append(last)
    assert deals[0] == deals[1]
    assert shuffles[0] > shuffles[1]


def shuffled(state: State, action: str, shuffler: str) -> list[str]:
    """The draw pile that must be made to draw after an action, its first card first."""
    table_ = state.to_dict() | {"shuffler": shuffler}
    del table_["events"]
    state = state.game.state_from_dict(table_)
    play(state, action)
    if "draw" in legal(state):
        play(state, "draw")
    now = state.to_dict()
    assert now["shuffles"] == 1
    made = [card for card, number in now["shuffle_of"].items() if number]
    drawn = [card for card in now["drawn"] if card in made]
    elsewhere = [card for card in made if card not in now["draw_pile"] and card not in drawn]
    return [*elsewhere, *drawn, *now["draw_pile"]]


def pile_of(state: State, count: int, **keys: Any) -> State:
    """The same hands with an empty draw pile but for so many cards, and all others discarded."""
    table_ = state.to_dict()
    pile = table_["draw_pile"] + [made["card"] for made in table_["discards"]]
    keys |= {"draw_pile": pile[:count], "turn": 43, "starter": state.seat}
    keys["discards"] = [{"card": card, "by": n % 2} for n, card in enumerate(pile[count:])]
    kept = {name: table_[name] for name in ("hands", "sequences", "drawn", "phase", "on_turn")}
    return state.game.state_from_dict(kept | keys)


THREES = [["A23s", "456s", "789s"], ["A23h", "456h", "789h"], ["A23d", "456d", "789d"]]
FEWEST = {
    "hands": ["TJs Th JQd 4c 6c 9c", "QKs Jh 2c 5c 8c Tc", "Qh Kh Td Kd 3c 7c Jc"],
    "sequences": [" ".join(each) for each in THREES],
}
"""Three seats with three sequences each."""


@pytest.mark.slow
@rule("R4.2")
@pytest.mark.parametrize(
    ("keys", "left", "action", "size"),
    [
        ({"hands": [FEW + " 2c", "4c 7c 2d 5d 8d 3h 6h"]}, 0, "discard 2c", 37),
        ({"hands": ["789s Th Jd Kd 3s 6h", "4c 7c 2d 5d 8d 3h 9h"]}, 1, "sequence 789s", 35),
        ({"hands": ["789s Ks Th Jd Kd 3s", "4c 7c 2d 5d 8d 3h 9h"], "sequences": ["JQK*s", "TJQc"]},
         0, "sequence 789s", 30),
        (FEWEST, 0, "discard 9c", 3),
    ],
    ids=["before a turn's card", "between two cards", "before two cards", "the fewest"],
)  # fmt: skip
def test_every_order_of_a_shuffle_is_as_likely(
    keys: dict[str, Any], left: int, action: str, size: int
) -> None:
    """Every card of the pile is in every place as often: chi-square, five deviations wide."""
    state = pile_of(at(**keys), left)
    counts: Counter[tuple[str, int]] = Counter()
    tries = 100 * size if size > 3 else 1200
    for seed in range(tries):
        order = shuffled(
            state, action, mhing.Game("general_mhing").new_state(seed).to_dict()["shuffler"]
        )
        assert len(order) == size
        counts.update((card, place) for place, card in enumerate(order))
    cards_ = {card for card, _ in counts}
    expected = tries / size
    square = sum(
        (counts[card, place] - expected) ** 2 / expected for card in cards_ for place in range(size)
    )
    freedom = (size - 1) ** 2
    assert len(cards_) == size
    assert abs(square - freedom) < 5 * (2 * freedom) ** 0.5, (square, freedom)


@rule("R4.3")
def test_the_fewest_cards_in_the_piles() -> None:
    """Three players with three sequences each: four cards, of which one is drawn in a turn."""
    state = pile_of(at(**FEWEST), 0)
    play(state, "discard 9c")
    if "draw" in legal(state):
        play(state, "draw")
    now = state.to_dict()
    assert (now["shuffles"], len(now["draw_pile"]), len(now["discards"])) == (1, 2, 1)


@rule("R4.4")
@pytest.mark.parametrize("limit", [1, 2, 7, 200])
def test_the_number_of_turns_ends_a_round(limit: int) -> None:
    state, turns = mhing.Game("general_mhing", turn_limit=limit).new_state(2), 0
    while not state.is_terminal:
        idle(state)
        turns += 1
    assert turns == limit
    assert state.to_dict()["result"]["ending"] == "turn limit"
    with pytest.raises(ValueError, match="turn_limit"):
        mhing.Game("general_mhing", turn_limit=0)
    assert mhing.Game("general_mhing").options["turn_limit"] == 200


@rule("R4.4")
def test_the_last_of_65535_turns() -> None:
    state = at({"turn_limit": 65535}, hands=[FEW + " 2c", "4c 7c 2d 5d 8d 3h 6h"], turn=65535)
    play(state, "discard 2c")
    assert state.is_terminal


@rule("R4.5")
def test_a_round_that_turns_end_is_scored() -> None:
    options = {"turn_limit": 9}
    state = at(
        options,
        hands=[FEW + " 2c", "4c 7c 2d 5d 8d 3h 6h"],
        sequences=["TJQc", ""],
        turn=9,
    )
    play(state, "discard 2c")
    result = state.to_dict()["result"]
    assert (result["ending"], result["winner"], result["points"]) == ("turn limit", 0, 1)
    assert state.to_dict()["scores"] == state.returns().tolist() == [1, 0]


# ---- R5 Scoring ----------------------------------------------------------------------------------


@rule("R5.1", "R5.2")
@pytest.mark.parametrize(
    ("texts", "parts"),
    [
        ("678h 9TJh", {"same suit": 1, "in order": 1}),
        ("678h 678s", {"same values": 1}),
        ("678h 9TJs", {"in order": 1}),
        ("9TJs 678h", {"in order": 1}),
        ("678h 8*9Ts", {}),
        ("678h TJQs", {}),
        ("567h", {"all high or all low": 1}),
        ("789h", {"all high or all low": 1}),
        ("567h 789s", {}),
        ("A23h 345s", {"all high or all low": 1}),
        ("5*67h 78*9s TJQ*d", {"in order": 1}),
        ("567*h 234s", {"in order": 1, "all high or all low": 1}),
        ("7*89h TJQ*s", {"in order": 1, "all high or all low": 1}),
        ("678h 678s 678d", {"same values": 3}),
    ],
)
def test_what_two_sequences_earn(texts: str, parts: dict[str, int]) -> None:
    score = mhing.score_sequences(texts.split())
    assert dict(score.parts) == parts
    assert score.points == sum(parts.values())


@rule("R5.3")
def test_no_sequence_no_point() -> None:
    assert mhing.score_sequences([]).points == 0
    state = at({"turn_limit": 3}, hands=[FEW + " 2c", "4c 7c 2d 5d 8d 3h 6h"], turn=3)
    play(state, "discard 2c")
    assert [seat["tally"] for seat in state.to_dict()["result"]["seats"]] == [0, 0]


@rule("R5.4")
@pytest.mark.parametrize(
    ("texts", "points", "parts"),
    [
        ("789h TJQh 789s", 5, [1, 1, 2, 1]),
        ("789h TJQh 789s 789c", 8, [1, 3, 3, 1]),
        ("234h 567h 89Th JQKh", 9, [6, 0, 3, 0]),
    ],
)
def test_worked_examples(texts: str, points: int, parts: list[int]) -> None:
    names = ["same suit", "same values", "in order", "all high or all low"]
    score = mhing.score_sequences(texts.split())
    assert score.points == points
    assert [dict(score.parts).get(name, 0) for name in names] == parts


def ended(mine: str, theirs: str, third: str | None = None) -> dict[str, Any]:
    """The result of a round that ends with the turn, by what lies in front of the seats."""
    texts = [mine, theirs, *([] if third is None else [third])]
    held = [card for text in texts for word in text.split() for card in cards(word)]
    rest = [c for c in mhing.Game("general_mhing").labels["cards"] if c not in held]
    hands = [rest[:8], rest[8:15], rest[15:22]][: len(texts)]
    state = at(
        {"turn_limit": 3 * len(texts) + 1},
        hands=[" ".join(hand) for hand in hands],
        sequences=texts,
        turn=3 * len(texts) + 1,
    )
    play(state, f"discard {hands[0][0]}")
    result: dict[str, Any] = state.to_dict()["result"]
    return result


@rule("R5.5")
@pytest.mark.parametrize(
    ("laid_by", "winner", "points"),
    [
        (("678h 9TJh", "678s"), 0, 2),
        (("678h", "TJQs 789s"), 1, 3),
        (("678h 9TJs", "234d"), 1, 1),
        (("234h", "234d"), -1, 0),
        (("678h", ""), 1, 0),
        (("", ""), -1, 0),
        (("678h 9TJs", "234d", "TJQc"), -1, 0),
        (("678h 9TJs", "234d", "678c"), 1, 1),
        (("678h 9TJh", "678s 9TJs", "678c"), -1, 0),
    ],
)
def test_the_highest_score_then_fewer_sequences(
    laid_by: tuple[str, ...], winner: int, points: int
) -> None:
    result = ended(*laid_by)
    assert (result["winner"], result["points"]) == (winner, points)


@rule("R5.5")
def test_only_the_winner_earns() -> None:
    state = before_the_fourth(other="789c", options={"episode": "game"})
    play(state, "sequence JQKh")
    assert state.to_dict()["scores"] == [9, 0]


# ---- R6 The game ---------------------------------------------------------------------------------

FIRST_ROUND = {
    "winner": -1,
    "ending": "turn limit",
    "seats": [{"sequences": []}, {"sequences": []}],
}


def late_in_a_game(scores: list[int], round_: int = 20, **options: Any) -> State:
    """The round is about to end with nine points for seat 0."""
    return before_the_fourth(
        options={"episode": "game", **options}, scores=scores, round=round_, result=FIRST_ROUND
    )


@rule("R6.1")
@pytest.mark.parametrize(
    ("options", "score", "over"),
    [
        ({}, 4, False),
        ({}, 5, True),
        ({"rules": "twenty"}, 10, False),
        ({"rules": "twenty"}, 11, True),
        ({"target": 0}, 100, False),
        ({"rounds": 0, "target": 30}, 20, False),
        ({"rounds": 0, "target": 30}, 21, True),
    ],
)
def test_rounds_until_somebody_has_the_target(
    options: dict[str, Any], score: int, over: bool
) -> None:
    state = late_in_a_game([score, 3], **options)
    play(state, "sequence JQKh")
    assert state.is_terminal == over
    assert state.to_dict()["scores"] == [score + 9, 3]


@rule("R6.2")
@pytest.mark.parametrize(
    ("options", "round_", "over"),
    [({}, 98, False), ({}, 99, True), ({"rounds": 22}, 20, False), ({"rounds": 22}, 21, True),
     ({"rounds": 0}, 5000, False)],
)  # fmt: skip
def test_a_game_ends_after_so_many_rounds(options: dict[str, Any], round_: int, over: bool) -> None:
    state = late_in_a_game([0, 0], round_, **options)
    play(state, "sequence JQKh")
    assert state.is_terminal == over


@rule("R6.3")
@pytest.mark.parametrize(("scores", "shares"), [([5, 13], [1, 0]), ([4, 13], [0.5, 0.5]),
                                                ([0, 13], [0, 1])])  # fmt: skip
def test_the_highest_score_wins_and_ties_share(scores: list[int], shares: list[float]) -> None:
    state = late_in_a_game(scores, 20, rounds=21, reward="win")
    play(state, "sequence JQKh")
    assert state.returns().tolist() == shares


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
