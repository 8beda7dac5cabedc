"""Rules of General Mhing: how rounds end, what they count and how a game ends."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from playing import cards
from policies import play

import mhing
from rules.citing import rules_of
from rules.general_positions import FEW, State, at, before_the_fourth, idle, legal

rule = rules_of("general_mhing")


# ---- R4 How a round ends -------------------------------------------------------------------------


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
