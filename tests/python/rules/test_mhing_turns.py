"""Mhing: the cards, the deal, turns and claims (R1 to R4), a test for each rule."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from games.mhing.decks import DULL, table
from reference.referee import card_names

import mhing
from rules.citing import rules_of
from rules.mhing_positions import (
    MHING_CLAIMER,
    OVER,
    SEQUENCE_CLAIMER,
    TRIPLET_CLAIMER,
    all_pass,
    declared,
    legal,
    played,
    position,
)

rule = rules_of("mhing")

SUITS = [f"{number}{suit}" for suit in "spm" for number in range(1, 10)]


# ---- The cards ----------------------------------------------------------------------------------


@rule("R1.1")
def test_the_deck() -> None:
    expected = dict.fromkeys([*SUITS, *"ESWNRGP"], 4) | {"J": 6, "F": 8}
    assert sum(expected.values()) == 150
    for seed in range(3):
        dealt = mhing.Game("mhing").new_state(seed).to_dict()
        assert Counter(card_names(dealt)) == expected


@rule("R1.2")
def test_a_joker_stands_for_any_card_but_a_flower() -> None:
    result = declared("123p456p789pJJJJJ")
    assert result["hand"].count("J") == 5
    assert result["arrangement"][-1].count("*") == 2
    assert [text.count("*") for text in result["arrangement"][:-1]].count(3) == 1
    state = position(["147s258p36mESSJJJ", DULL], lay_down=True)
    of_jokers = {action for action in legal(state) if action.count("*") == 3}
    assert len(of_jokers) == 21 + 34
    assert not any("F" in action for action in legal(state))


@rule("R1.3")
def test_a_joker_stands_for_a_card_of_which_all_copies_are_in_use() -> None:
    dead = [{"card": "5s", "by": seat} for seat in range(4)]
    keys = {"discards": dead, "dealer": 0}
    state = position(["46sJ123p456p789p99m", DULL, DULL, DULL], keys, lay_down=True)
    assert {"sequence 45*6s", "triplet 999*m"} <= legal(state)
    assert "45*6s" in played(state, "mhing")["result"]["arrangement"]


@rule("R1.4")
def test_flowers_are_laid_aside_and_never_played() -> None:
    state = table([DULL, "123p456p789p11m2s3s", DULL], "1mFF1s", lay_down=True)
    played(state, "discard 1m")
    after = all_pass(state)
    assert (after["on_turn"], after["flowers"]) == (1, [0, 2, 0])
    assert "F" not in after["hands"][1]
    assert not any("F" in action for action in legal(state))
    parts = dict(played(state, "mhing")["result"]["parts"])
    assert parts["flower"] == 2


@rule("R1.5")
def test_cards_and_melds_as_text() -> None:
    names = (
        "1s 2s 3s 4s 5s 6s 7s 8s 9s 1p 2p 3p 4p 5p 6p 7p 8p 9p 1m 2m 3m 4m 5m 6m 7m 8m 9m "
        "E S W N R G P J F"
    )
    assert mhing.Game("mhing").labels["cards"] == names.split()
    score = mhing.score_hand("567s99pEEJ678m", ["PP*P*"])
    assert score is not None
    assert score.arrangement == ["PP*P*", "567s", "678m", "EEE*", "99p"]
    state = position(["46sJJ123p456pEEEP", DULL], lay_down=True)
    after = played(state, "sequence 45*6s")
    assert after["melds"][0] == [
        {
            "kind": "sequence",
            "text": "45*6s",
            "cards": ["4s", "5s", "6s"],
            "jokers": [1],
            "from": None,
        }
    ]
    state = position(["46sJJ123p456pEEEP", DULL], lay_down=True)
    meld = played(state, "triplet PP*P*")["melds"][0][0]
    assert (meld["text"], meld["cards"], meld["jokers"]) == ("PP*P*", ["P", "P", "P"], [1, 2])


def cards(text: str) -> list[str]:
    """The texts of cards, from one with spaces."""
    return text.split()


# ---- Set-up and dealing -------------------------------------------------------------------------


@rule("R2.1")
@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_play_goes_clockwise(players: int) -> None:
    state = mhing.Game("mhing", num_players=players, dealer=1).new_state(3)
    order = []
    for _ in range(2 * players):
        now = state.to_dict()
        order.append(now["on_turn"])
        played(state, f"discard {now['drawn']}")
        all_pass(state)
    assert order == [(1 + turn) % players for turn in range(2 * players)]


@rule("R2.1")
@pytest.mark.parametrize("players", [1, 7])
def test_nobody_plays_alone_or_with_seven(players: int) -> None:
    with pytest.raises(ValueError, match="num_players"):
        mhing.Game("mhing", num_players=players)


def dealer(seed: int, **options: Any) -> int:
    dealt: int = mhing.Game("mhing", **options).new_state(seed).to_dict()["dealer"]
    return dealt


@rule("R2.2")
def test_the_first_dealer_is_drawn_and_the_next_sits_to_the_left() -> None:
    dealers = [dealer(seed, num_players=3) for seed in range(120)]
    assert set(dealers) == {0, 1, 2}
    assert all(dealers.count(seat) > 20 for seat in range(3))
    assert dealers == [dealer(seed, num_players=3) for seed in range(120)]
    assert {dealer(seed, num_players=3, dealer=2) for seed in range(20)} == {2}
    hands = ["234s678p111m999pEE", DULL, DULL]
    after = played(position(hands, episode="game"), "mhing")
    assert (after["round"], after["dealer"], after["on_turn"]) == (1, 1, 1)
    keys = {"dealer": 2, "discards": [{"card": "N", "by": 2}]} | OVER
    after = played(position(hands, keys, episode="game"), "mhing")
    assert (after["round"], after["dealer"], after["on_turn"]) == (31, 0, 0)


@rule("R2.3")
def test_the_dealer_gets_the_first_thirteen_cards() -> None:
    first, second, third = "123456789s1234p", "56789p12345678m", "1234s56p7mESWNRG"
    hands = [first, second, third]
    dealt = table(hands, "P", last="1s", dealer=1).to_dict()
    assert dealt["hands"][2] == [
        "5p",
        "6p",
        "7p",
        "8p",
        "9p",
        "1m",
        "2m",
        "3m",
        "4m",
        "5m",
        "6m",
        "7m",
        "8m",
    ]
    assert dealt["hands"][0] == [
        "1s",
        "2s",
        "3s",
        "4s",
        "5p",
        "6p",
        "7m",
        "E",
        "S",
        "W",
        "N",
        "R",
        "G",
    ]
    assert dealt["hands"][1] == [
        "1s",
        "2s",
        "3s",
        "4s",
        "5s",
        "6s",
        "7s",
        "8s",
        "9s",
        "1p",
        "2p",
        "3p",
        "4p",
        "P",
    ]
    assert len(dealt["source"]) == 150 - 3 * 13 - 1
    assert dealt["source"][-1] == "1s"


@rule("R2.4")
def test_dealt_flowers_are_replaced_in_passes() -> None:
    """The dealer replaces both, then seat 2 its one; new flowers wait for the next pass."""
    hands = ["123456789s12pFF", "56789p1234567mF", "1234s5678p78mESW"]
    dealt = table(hands, "F1m" + "F" + "9s" + "F" + "9m" + "N", dealer=1).to_dict()
    assert dealt["flowers"] == [0, 3, 3]
    assert dealt["drawn"] == "N"
    assert dealt["hands"][1] == [
        "1s",
        "2s",
        "3s",
        "4s",
        "5s",
        "6s",
        "7s",
        "8s",
        "9s",
        "9s",
        "1p",
        "2p",
        "1m",
        "N",
    ]
    assert dealt["hands"][2] == [
        "5p",
        "6p",
        "7p",
        "8p",
        "9p",
        "1m",
        "2m",
        "3m",
        "4m",
        "5m",
        "6m",
        "7m",
        "9m",
    ]
    laid = [event["seat"] for event in dealt["events"] if event["event"] == "flower"]
    assert laid == [1, 1, 2, 1, 2, 2]


# ---- A turn -------------------------------------------------------------------------------------


@rule("R3.1")
def test_a_turn_begins_with_a_draw_and_flowers_are_replaced_at_once() -> None:
    state = table([DULL, DULL, DULL], "FF5s" + "F7s", dealer=2)
    now = state.to_dict()
    assert (now["seat"], now["turn"], now["drawn"], now["flowers"]) == (2, 1, "5s", [0, 0, 2])
    assert [len(hand) for hand in now["hands"]] == [13, 13, 14]
    after = played(state, "discard 5s")
    assert (after["seat"], after["turn"], after["drawn"]) == (0, 2, "7s")
    assert after["flowers"] == [1, 0, 2]
    assert [len(hand) for hand in after["hands"]] == [14, 13, 13]


@rule("R3.1")
@pytest.mark.parametrize("melds", range(5))
def test_three_concealed_cards_fewer_for_each_meld_on_the_table(melds: int) -> None:
    hand = ["159s159p159mESWNR", "159s159p159mEE", "159s159pSW", "159s19p", "1s9p"][melds]
    laid = ["222s", "333p", "444m", "GGG"][:melds]
    state = position([hand, DULL], {"melds": [laid, []]}, lay_down=True)
    assert len(state.to_dict()["hands"][0]) == (14, 11, 8, 5, 2)[melds]
    with pytest.raises(ValueError, match=r"cards; with|more than 14"):
        position([f"{hand}N", DULL], {"melds": [laid, []]}, lay_down=True)


COMPLETE = "123p456p789p222m55s"


@rule("R3.2")
def test_a_complete_hand_may_be_declared_and_need_not_be() -> None:
    hands = [COMPLETE, DULL, DULL]
    state = position(hands)
    assert {"mhing", "discard 5s", "discard 2m"} <= legal(state)
    after = played(state.clone(), "mhing")
    assert (after["phase"], after["seat"], after["discards"]) == ("over", -1, [])
    assert len(after["hands"][0]) == 14
    after = played(state, "discard 5s")
    assert (after["phase"], after["on_turn"], after["result"]) == ("turn", 1, None)
    assert "mhing" not in legal(position(["123p456p789p222m5s6s", DULL, DULL]))


@rule("R3.2")
def test_melds_are_laid_from_the_hand_with_lay_down_only() -> None:
    hands = ["123p456p789p222m5sE", DULL, DULL]
    assert all(action.startswith("discard ") for action in legal(position(hands)))
    state = position(hands, rules="jmhing")
    assert {"sequence 123p", "sequence 789p", "triplet 222m"} <= legal(state)
    played(state, "sequence 123p", "triplet 222m", "sequence 456p", "sequence 789p")
    assert legal(state) == {"discard 5s", "discard E"}
    after = played(state, "discard E")
    assert [meld["text"] for meld in after["melds"][0]] == ["123p", "222m", "456p", "789p"]
    assert after["hands"][0] == ["5s"]


@rule("R3.3")
def test_any_card_may_be_discarded() -> None:
    state = position(["258s258p258mEESWJ", DULL, DULL])
    cards = "2s 5s 8s 2p 5p 8p 2m 5m 8m E S W J"
    assert legal(state) == {f"discard {card}" for card in cards.split()}
    after = played(state, "discard J")
    assert after["discards"] == [{"card": "J", "by": 0, "taken_by": None}]
    assert len(after["hands"][0]) == 13


@rule("R3.4")
def test_melds_on_the_table_stay_as_they_are() -> None:
    """A seat that holds the card that a joker stands for cannot use it there."""
    keys = {"melds": [["4*56s", "E*E*E*"], [], []]}
    state = position(["45s9sEES7m9m", DULL, DULL], keys, lay_down=True)
    cards = "4s 5s 9s E S 7m 9m"
    assert legal(state) == {f"discard {card}" for card in cards.split()}
    before = state.to_dict()["melds"]
    assert [meld["jokers"] for meld in before[0]] == [[0], [0, 1, 2]]
    assert played(state, "discard 9m")["melds"] == before
    result = declared("456sEE", ["4*56s", "E*E*E*", "777p"])
    assert result["arrangement"] == ["4*56s", "E*E*E*", "777p", "456s", "EE"]


@rule("R3.5")
@pytest.mark.parametrize("source", ["", "F", "FF"])
def test_an_empty_source_is_a_wash(source: str) -> None:
    keys = {"source": source, "scores": [0, 16, 0, 0]} | OVER
    state = position(["5s258p147mEESSWWN", DULL, DULL, DULL], keys, episode="game")
    dealer = state.to_dict()["dealer"]
    played(state, "discard 5s")
    after = all_pass(state)
    assert after["result"]["winner"] == after["result"]["payer"] == -1
    assert (after["result"]["credits"], after["result"]["points"]) == (0, 0)
    assert after["scores"] == [0, 16, 0, 0]
    assert (after["round"], after["dealer"]) == (31, (dealer + 1) % 4)


@rule("R3.5")
def test_the_last_card_is_drawn_and_played() -> None:
    state = position(["5s258p147mEESSWWN", DULL, DULL, DULL], {"source": "N"})
    played(state, "discard 5s")
    after = all_pass(state)
    assert (after["phase"], after["on_turn"], after["drawn"]) == ("turn", 1, "N")
    assert after["source"] == []


@rule("R3.5")
def test_a_discard_made_after_the_last_draw_can_still_be_claimed() -> None:
    hands = ["5s258p147mEESSWWN", DULL, TRIPLET_CLAIMER, DULL]
    state = position(hands, {"source": ""})
    played(state, "discard 5s")
    assert legal(state) == {"triplet 555s", "pass"}
    after = played(state, "triplet 555s")
    assert (after["phase"], after["on_turn"]) == ("turn", 2)
    played(state, "discard 4m")
    assert all_pass(state)["result"]["winner"] == -1


# ---- Claims -------------------------------------------------------------------------------------


def offered(*hands: str | None, card: str = "5s", **options: object) -> mhing.State:
    """Seat 0 has discarded this card, which the other hands may claim."""
    state = position([f"258p147mEEGGPPN{card}", *hands], **options)
    played(state, f"discard {card}")
    return state


@rule("R4.1")
@pytest.mark.parametrize(
    ("hand", "card", "claims"),
    [
        (SEQUENCE_CLAIMER, "5s", {"sequence 456s"}),
        ("34s258p147mSSNNR", "5s", {"sequence 345s"}),
        (TRIPLET_CLAIMER, "5s", {"triplet 555s"}),
        ("5567s258p147mSSN", "5s", {"triplet 555s", "sequence 567s"}),
        (MHING_CLAIMER, "5s", {"mhing"}),
        ("147s258p369mESWN", "R", {"mhing"}),
        ("123p456p789p22m46s", "5s", {"sequence 456s", "mhing"}),
        ("123p456p789p22m55s", "5s", {"triplet 555s", "mhing"}),
    ],
)
def test_three_calls_and_what_they_take(hand: str, card: str, claims: set[str]) -> None:
    """Any player may call: here the player opposite."""
    state = offered(DULL, hand, DULL, card=card)
    while state.seat == 1:
        played(state, "pass")
    assert state.seat == 2
    assert legal(state) == claims | {"pass"}


@rule("R4.2")
def test_a_claimed_card_takes_its_own_place() -> None:
    state = offered("46sJ258p147mSSWW", DULL)
    texts = "456s 4*56s 456*s 3*45s 567*s"
    assert legal(state) == {f"sequence {text}" for text in texts.split()} | {"pass"}
    state = offered("5sJJ258p147mSSWW", DULL)
    assert {"triplet 555*s", "triplet 55*5*s"} <= legal(state)
    assert not {"triplet 5*5*5*s", "sequence 45*6s", "sequence 3*4*5*s"} & legal(state)
    assert "sequence 3*4*5s" in legal(state)


@rule("R4.2")
def test_a_discarded_joker_fills_the_place_of_a_joker() -> None:
    state = offered("459s147p258mESWN", DULL, card="J")
    assert legal(state) == {"sequence 3*45s", "sequence 456*s", "pass"}
    played(state, "sequence 456*s")
    after = all_pass(state)
    assert after["melds"][1][0]["jokers"] == [2]
    assert "J" not in after["hands"][1]
    state = offered("456s9s147p258mESW", DULL, card="J")
    assert {"sequence 4*56s", "sequence 45*6s", "sequence 456*s"} <= legal(state)
    assert "sequence 456s" not in legal(state), "the joker has no place in it"
    state = offered("123p456p789p22mEE", DULL, card="J")
    played(state, "mhing")
    assert all_pass(state)["result"]["arrangement"][3:] == ["EEE*", "22m"]


@rule("R4.3")
def test_all_who_can_claim_are_asked_in_turn() -> None:
    """Even after somebody has called MHING; a seat that can claim nothing is not asked."""
    state = offered(MHING_CLAIMER, DULL, TRIPLET_CLAIMER)
    now = state.to_dict()
    assert (now["seat"], now["to_ask"], now["claims"]) == (1, [3], [])
    others = []
    for answer in ("mhing", "pass"):
        asked = state.clone()
        after = played(asked, answer)
        assert (after["seat"], after["to_ask"], after["phase"]) == (3, [], "claim")
        assert after["claims"] == [{"seat": 1, "action": answer}]
        others.append(asked.observation(3))
        assert legal(asked) == {"triplet 555s", "pass"}
    assert np.array_equal(*others), "the first answer is no secret"


@rule("R4.4")
@pytest.mark.parametrize(
    ("answers", "winner"),
    [
        (("sequence 456s", "triplet 555s", "mhing"), 3),
        (("sequence 456s", "pass", "mhing"), 3),
        (("sequence 456s", "triplet 555s", "pass"), 2),
        (("sequence 456s", "pass", "pass"), 1),
        (("pass", "triplet 555s", "pass"), 2),
    ],
)
def test_the_dearer_call_wins(answers: tuple[str, ...], winner: int) -> None:
    state = offered(SEQUENCE_CLAIMER, TRIPLET_CLAIMER, MHING_CLAIMER)
    assert played(state, *answers)["discards"][0]["taken_by"] == winner


@rule("R4.4")
def test_the_dearer_call_wins_wherever_it_sits() -> None:
    state = offered(MHING_CLAIMER, TRIPLET_CLAIMER, SEQUENCE_CLAIMER)
    after = played(state.clone(), "mhing", "triplet 555s", "sequence 456s")
    assert after["discards"][0]["taken_by"] == 1
    after = played(state, "pass", "triplet 555s", "sequence 456s")
    assert after["discards"][0]["taken_by"] == 2


@rule("R4.4")
def test_of_equal_calls_the_first_after_the_discarder_wins() -> None:
    """Seat 2 discards, so seat 3 comes before seats 0 and 1."""
    hands = [SEQUENCE_CLAIMER, "46s369p258mEEGGN", DULL, "46s159p369mEEGGR"]
    keys = {"dealer": 2, "phase": "claim", "seat": 3, "discards": [{"card": "5s", "by": 2}]}
    state = position(hands, keys)
    after = played(state, "sequence 456s", "sequence 456s", "sequence 456s")
    assert after["discards"][0]["taken_by"] == 3
    state = position(hands, keys)
    after = played(state, "pass", "sequence 456s", "sequence 456s")
    assert after["discards"][0]["taken_by"] == 0
    state = offered(DULL, MHING_CLAIMER, "678s678p333m444m5s")
    assert played(state, "mhing", "mhing")["result"]["winner"] == 2


@rule("R4.5")
def test_the_winner_lays_the_meld_and_is_on_turn() -> None:
    state = offered(DULL, TRIPLET_CLAIMER, DULL)
    source = state.to_dict()["source"]
    after = played(state, "triplet 555s")
    assert (after["seat"], after["on_turn"], after["phase"], after["turn"]) == (2, 2, "turn", 2)
    assert (after["drawn"], after["offer"], after["claimed_from"]) == (None, None, 0)
    assert after["source"] == source
    (meld,) = after["melds"][2]
    assert (meld["text"], meld["from"]) == ("555s", 0)
    assert after["hands"][2] == cards("2p 5p 8p 1m 4m 7m W W N R R")
    assert all(action.startswith("discard ") for action in legal(state))
    played(state, "discard 7m")
    after = all_pass(state)
    assert after["on_turn"] == 3, "seat 1 has been skipped, and play continues from the winner"


@rule("R4.5")
def test_the_winner_may_go_on_laying_melds_with_lay_down() -> None:
    state = offered(DULL, "55s234p147mRRWWN", DULL, lay_down=True)
    played(state, "triplet 555s")
    assert "sequence 234p" in legal(state)


@rule("R4.6")
def test_mhing_takes_the_discard_among_the_concealed_cards() -> None:
    """No meld is laid with it, and it need not be where the hand was waiting."""
    state = offered(DULL, "2334455s678s22mJ", DULL)
    after = played(state, "mhing")
    assert (after["phase"], after["seat"], after["result"]["winner"]) == ("over", -1, 2)
    assert after["melds"][2] == []
    assert after["hands"][2] == [
        "2s",
        "3s",
        "3s",
        "4s",
        "4s",
        "5s",
        "5s",
        "5s",
        "6s",
        "7s",
        "8s",
        "2m",
        "2m",
        "J",
    ]
    assert after["result"]["hand"] == after["hands"][2]
    assert after["result"]["arrangement"] == ["234s", "2*34s", "678s", "555s", "22m"]


@rule("R4.7")
def test_passes_and_losing_claims_stay_hidden() -> None:
    """Seats that answer nothing see the same, whatever was answered, until a claim has won."""
    start = offered(SEQUENCE_CLAIMER, TRIPLET_CLAIMER, MHING_CLAIMER)
    views = {}
    for answers in (("sequence 456s", "triplet 555s"), ("pass", "triplet 555s")):
        state = start.clone()
        played(state, *answers)
        before = [state.observation(seat).tobytes() for seat in (0, 3)]
        played(state, "pass")
        after = [state.observation(seat).tobytes() for seat in range(4)]
        views[answers] = (before, after)
    one, other = views.values()
    assert one == other
    shown = [event["event"] for event in state.to_dict()["events"]]
    assert shown == ["discard", "claim"]


@rule("R4.8")
def test_a_discard_that_nobody_claims_is_dead() -> None:
    state = offered(DULL, TRIPLET_CLAIMER, DULL)
    after = played(state, "pass")
    assert after["discards"] == [{"card": "5s", "by": 0, "taken_by": None}]
    assert (after["on_turn"], after["phase"], after["offer"]) == (1, "turn", None)
    assert after["drawn"] is not None
    later = played(state, f"discard {after['drawn']}")
    assert later["offer"] != "5s"
    assert later["discards"][0]["taken_by"] is None


@rule("R4.9", "R8.5")
def test_a_hand_completed_by_a_claim_may_be_declared_in_that_turn() -> None:
    state = offered("123p456p789p46s22m", DULL, DULL, scoring="chips")
    played(state, "sequence 456s")
    assert "mhing" in legal(state)
    result = played(state, "mhing")["result"]
    assert (result["winner"], result["payer"]) == (1, 0)
    assert result["points"] == 32
    assert result["payments"] == [-64, 128, -32, -32]
