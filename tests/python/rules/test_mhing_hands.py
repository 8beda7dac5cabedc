"""Mhing: complete hands, their credits and points (R5 to R7), a test for each rule.

What each combination earns is in `games/mhing/test_scoring.py`.
"""

from __future__ import annotations

import pytest
from games.mhing.decks import DULL

import mhing
from rules.citing import rules_of
from rules.mhing_positions import credits_of, declared, legal, played, position

rule = rules_of("mhing")


def is_complete(hand: str, melds: list[str] | None = None, **options: object) -> bool:
    """Return whether seat 0, on turn with this hand, may declare MHING."""
    keys = {"melds": [melds or [], [], []]}
    return "mhing" in legal(position([hand, DULL, DULL], keys, lay_down=True, **options))


# ---- Complete hands -----------------------------------------------------------------------------


@rule("R5.1")
def test_sequences_and_triplets() -> None:
    """Numbers follow one another in one suit, and honours in none."""
    state = position(["789s1p9p1m22m3sESWNR", DULL], lay_down=True)
    laid = {action for action in legal(state) if not action.startswith("discard")}
    assert laid == {"sequence 789s"}
    state = position(["89s1p89p12mEEEGGPP", DULL], lay_down=True)
    laid = {action for action in legal(state) if not action.startswith("discard")}
    assert laid == {"triplet EEE"}


@rule("R5.1")
@pytest.mark.parametrize(
    ("rest", "complete"),
    [
        ("789sEE", True),
        ("891sEE", False),
        ("777sEE", True),
        ("7s7p7mEE", False),
        ("RRREE", True),
        ("RGPEE", False),
        ("ESWNN", False),
        ("777s9s9p", False),
    ],
)
def test_melds_and_a_pair_of_identical_cards(rest: str, complete: bool) -> None:
    assert is_complete(f"123p456m888m{rest}") is complete


@rule("R5.2")
@pytest.mark.parametrize("laid", range(5))
def test_four_melds_and_a_pair_melds_on_the_table_included(laid: int) -> None:
    melds = ["123p", "456m", "888m", "EEE"]
    assert is_complete("".join(melds[laid:]) + "RR", melds[:laid])
    assert not is_complete("".join(melds[laid:]) + "RG", melds[:laid])


@rule("R5.3")
@pytest.mark.parametrize(
    ("hand", "complete"),
    [
        ("147s258p369mESWNR", True),
        ("159s258p17mESWNRG", True),
        ("19s19p19mESWNRGPJ", True),
        ("146s258p369mESWNR", False),
        ("137s258p369mESWNR", False),
        ("147s258p369mESWNN", False),
        ("1477s258p36mESWNR", False),
        ("37s37p37mESWNRGPJ", False),
    ],
)
def test_nothing_connects(hand: str, complete: bool) -> None:
    assert is_complete(hand) is complete


@rule("R5.3")
def test_nothing_connects_only_without_a_meld_on_the_table() -> None:
    state = position(["147s258p36mESWRJJ", DULL], lay_down=True)
    assert "mhing" in legal(state)
    played(state, "triplet RR*R*")
    assert "mhing" not in legal(state)
    assert not is_complete("147s258p36mESW", ["RRR"])


@rule("R5.4")
def test_seven_pairs_as_an_option() -> None:
    hand, equal = "1122s3344p5577mEE", "111133557799sRR"
    assert not is_complete(hand)
    assert not is_complete(equal)
    assert is_complete(hand, seven_pairs=True)
    assert is_complete(equal, seven_pairs=True)
    assert declared(equal, seven_pairs=True)["shape"] == "seven pairs"
    assert is_complete("1122s3344p5577mEJ", seven_pairs=True)
    assert not is_complete("1122s3344p5577mES", seven_pairs=True)
    assert not is_complete("1122s3344p559m", ["EEE"], seven_pairs=True)


@rule("R5.5")
def test_the_dearest_arrangement_counts() -> None:
    """Three identical sequences earn more than three triplets, and jokers go where most is."""
    assert credits_of("111222333s456p99s") == {
        "sequences only": 1,
        "identical double sequence": 9,
        "two suits only": 1,
    }
    assert credits_of("RRRGGJPPPEEE99p") == {
        "honour triplet": 1,
        "triplets only": 3,
        "three dragons": 8,
        "one suit with honours": 3,
    }


# ---- Credits ------------------------------------------------------------------------------------


@rule("R6.2")
def test_three_alike_sequences_make_three_pairs_and_four_make_six() -> None:
    three = credits_of("456m456m456m123pWW")
    assert three == {"sequences only": 1, "identical double sequence": 9}
    four = credits_of("345s345s345sJJJJJ")
    assert four["identical double sequence"] == 18


@rule("R6.3")
def test_three_dragons_replace_their_triplets_and_a_fourth_counts() -> None:
    three = credits_of("RRRGGGPPP123s99s")
    assert three == {"three dragons": 8, "one suit with honours": 3}
    fourth = credits_of("RRRGGGPPPEEE99s")
    assert fourth == three | {"honour triplet": 1, "triplets only": 3}
    assert credits_of("RRRGGG123s456p99s") == {"honour triplet": 2}


@rule("R6.4")
def test_identical_triplets_and_honours_make_no_double_triplet() -> None:
    alike = credits_of("777p888mWW", ["222s", "22*2*s"])
    assert alike == {"triplets only": 3}
    honours = credits_of("EEESSSWWWNNN99s")
    assert honours == {"triplets only": 3, "honour triplet": 4, "one suit with honours": 3}


@rule("R6.5")
def test_nothing_connects_earns_its_own_credits_and_flowers() -> None:
    """Although it has three suits, winds and dragons."""
    assert credits_of("147s258p369mESWNR") == {"nothing connects": 3}
    assert credits_of("147s258p369mESWNR", flowers=2) == {"nothing connects": 3, "flower": 2}
    assert credits_of("147s258p3mESWNRGP") == {"nothing connects with all honours": 8}


@rule("R6.6")
@pytest.mark.parametrize(
    ("hand", "further"),
    [
        ("1122s3344p5577mEE", {}),
        ("113355779922s44s", {"one suit only": 8}),
        ("1133s557799pEEEE", {}),
        ("113355s6688pEERR", {}),
        ("113355s667788p99p", {"two suits only": 1}),
        ("11335577sEERRGG", {"one suit with honours": 3}),
        ("5577s6688p7799m99s", {"all high / all low": 5}),
        ("1144s2255p1133m55s", {"all high / all low": 5}),
        ("22s55s88s22p55p88p22m", {}),
    ],
)
def test_seven_pairs_earn_what_rests_on_suits_and_numbers(
    hand: str, further: dict[str, int]
) -> None:
    for flowers in (0, 2):
        extra = {"flower": 2} if flowers else {}
        earned = credits_of(hand, flowers=flowers, seven_pairs=True)
        assert earned == {"seven pairs": 5} | further | extra


@rule("R6.7")
def test_nothing_but_fives_is_high_and_low_once() -> None:
    assert credits_of("555s555p555m5sJJJJ") == {
        "triplets only": 3,
        "double triplet": 5,
        "all high / all low": 5,
        "pair of 2s, 5s or 8s": 1,
    }


# ---- Points -------------------------------------------------------------------------------------


@rule("R7.1")
def test_credits_are_added_up_and_then_turned_into_points() -> None:
    points = [declared("234s678p111m999pEE", flowers=flowers)["points"] for flowers in range(9)]
    assert points == [0, 2, 4, 8, 16, 32, 32, 32, 64]
    assert mhing.points(41) == 131072
    for least, worth in ((11, 128), (14, 256), (17, 512), (20, 1024), (23, 2048), (26, 4096),
                         (29, 8192), (32, 16384), (35, 32768), (38, 65536)):  # fmt: skip
        assert [mhing.points(least + more) for more in range(-1, 3)] == [worth // 2, *[worth] * 3]


@rule("R7.2")
def test_a_hand_without_credits_ends_the_round_and_scores_nothing() -> None:
    keys = {"scores": [2, 64, 0, 0]} | {"round": 9, "result": {"winner": -1}}
    hands = ["234s678p111m999pEE", DULL, DULL, DULL]
    state = position(hands, keys, episode="game", scoring="chips")
    after = played(state, "mhing")
    assert (after["round"], after["scores"]) == (10, [2, 64, 0, 0])
    result = after["result"]
    assert (result["winner"], result["credits"], result["points"]) == (0, 0, 0)
    assert (result["parts"], result["payments"]) == ([], [0, 0, 0, 0])
