"""Scoring against the slow referee. `pytest --full` compares a hundred thousand complete hands."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest
from reference.cards import parse_cards
from reference.scoring import points
from rules.citing import rules_of

import mhing
from games.mhing.hands import Hand, complete_hand, spoilt

rule = rules_of("mhing")

CREDIT_NAMES = {
    "sequences only": 1,
    "double sequence": 1,
    "double triplet": 1,
    "honour triplet": 1,
    "broken royal run": 1,
    "two suits only": 1,
    "pair of 2s, 5s or 8s": 1,
    "flower": 1,
    "triplets only": 3,
    "identical double sequence": 3,
    "royal run": 3,
    "one suit with honours": 3,
    "nothing connects": 3,
    "all high / all low": 5,
    "all five": 5,
    "three dragons": 8,
    "one suit only": 8,
    "nothing connects with all honours": 8,
    "seven pairs": 5,
}
"""The printed table of credits: each part earns a multiple of its number."""


def scored(hand: Hand, seven_pairs: bool = False) -> mhing.Score | None:
    return mhing.score_hand(
        hand.text, melds=hand.meld_texts, flowers=hand.flowers, seven_pairs=seven_pairs
    )


def parts(hand: str, melds: tuple[str, ...] = (), flowers: int = 0) -> dict[str, int]:
    score = mhing.score_hand(hand, melds=melds, flowers=flowers)
    assert score is not None
    assert score.credits == sum(credits for _, credits in score.parts)
    assert score.points == points(score.credits)
    return dict(score.parts)


def test_worked_example_4() -> None:
    score = mhing.score_hand("567s567s678s789s99s")
    assert score is not None
    assert (score.credits, score.points) == (17, 512)
    assert dict(score.parts) == {
        "sequences only": 1,
        "identical double sequence": 3,
        "all high / all low": 5,
        "one suit only": 8,
    }


def test_best_hand_of_all() -> None:
    score = mhing.score_hand("345s345s34s55sJJJJ", flowers=8)
    assert score is not None
    assert (score.credits, score.points) == (41, 131072)
    assert dict(score.parts)["identical double sequence"] == 18


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        (
            "123s123s123p123pEE",
            {"sequences only": 1, "double sequence": 4, "identical double sequence": 6},
        ),
        (
            "123s123s456s789sEE",
            {
                "sequences only": 1,
                "identical double sequence": 3,
                "royal run": 6,
                "one suit with honours": 3,
            },
        ),
        ("345s345s345s111pEE", {"identical double sequence": 9}),
        ("123s789s456p111mEE", {"broken royal run": 1}),
        ("123s123s789s111mEE", {"broken royal run": 2, "identical double sequence": 3}),
        ("123s456s789s111mEE", {"royal run": 3}),
        ("111s111p222s333mEE", {"triplets only": 3, "double triplet": 1}),
        ("EEE111s222p333mRR", {"triplets only": 3, "honour triplet": 1, "all five": 5}),
        ("EEESSSWWWNNNRR", {"triplets only": 3, "honour triplet": 4}),
        ("RRRGGGPPP123s99s", {"three dragons": 8, "one suit with honours": 3}),
        (
            "RRRGGGPPPEEE99s",
            {
                "triplets only": 3,
                "honour triplet": 1,
                "three dragons": 8,
                "one suit with honours": 3,
            },
        ),
        ("123s456p789m111s22p", {"pair of 2s, 5s or 8s": 1}),
        ("123s567s678p999p99s", {"two suits only": 1}),
        ("147s258p369mESWNR", {"nothing connects": 3}),
        ("147s258p3mESWNRGP", {"nothing connects with all honours": 8}),
        ("567s678p789m777s88s", {"all high / all low": 5, "pair of 2s, 5s or 8s": 1}),
        ("123s234p345m111s44s", {"all high / all low": 5}),
        ("234s678p111m999pEE", {}),
    ],
)
@rule("R6.1")
def test_each_combination(hand: str, expected: dict[str, int]) -> None:
    assert parts(hand) == expected


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ("111s78p678mRRJJJJ", {"double sequence": 1, "honour triplet": 1, "all five": 5}),
        (
            "777p7mSSSRRRJJJJ",
            {
                "triplets only": 3,
                "double triplet": 1,
                "honour triplet": 2,
                "pair of 2s, 5s or 8s": 1,
                "all five": 5,
            },
        ),
    ],
)
def test_a_pair_of_jokers_brings_what_the_hand_has_no_card_of(
    hand: str, expected: dict[str, int]
) -> None:
    assert parts(hand) == expected


def test_nothing_but_fives_is_high_and_low_but_earns_that_once() -> None:
    assert parts("555s555p555m5sJJJJ") == {
        "triplets only": 3,
        "double triplet": 5,
        "all high / all low": 5,
        "pair of 2s, 5s or 8s": 1,
    }


@rule("R3.4")
def test_melds_on_the_table_stay_as_they_are() -> None:
    free = mhing.score_hand("123sJJ", melds=["EEE", "456s", "789s"])
    bound = mhing.score_hand("123sEE", melds=["EEE", "4*56s", "789s"])
    assert free is not None
    assert bound is not None
    assert free.arrangement[:3] == ["EEE", "456s", "789s"]
    assert dict(bound.parts) == {"royal run": 3, "honour triplet": 1, "one suit with honours": 3}


def test_flowers_add_one_each() -> None:
    plain = parts("147s258p369mESWNR")
    assert parts("147s258p369mESWNR", flowers=3) == plain | {"flower": 3}


@rule("R5.4", "R6.6")
def test_seven_pairs_only_by_their_option() -> None:
    hand = "1122s3344p5577mEE"
    assert mhing.score_hand(hand) is None
    score = mhing.score_hand(hand, seven_pairs=True)
    assert score is not None
    assert dict(score.parts) == {"seven pairs": 5}
    equal = mhing.score_hand("111133557799sRR", seven_pairs=True)
    assert equal is not None
    assert dict(equal.parts) == {"seven pairs": 5, "one suit with honours": 3}


@pytest.mark.parametrize(
    "hand",
    [
        "37s37p37mESWNRGPJ",  # fourteen unconnected cards, but no place for the joker
        "146s258p369mESWNR",  # 4 and 6 are too near
        "123s456s789s12p34mE",
        "ESWNRGPESWNRGP",
        "123s456s789s999pER",
    ],
)
def test_hands_that_are_not_complete(hand: str) -> None:
    assert len(parse_cards(hand)) == 14
    assert mhing.score_hand(hand) is None


def test_a_hand_without_credits_is_complete_all_the_same() -> None:
    score = mhing.score_hand("234s678p111m999pEE")
    assert score is not None
    assert (score.credits, score.points, score.parts) == (0, 0, [])


def test_points_of_every_number_of_credits() -> None:
    assert [mhing.points(credits) for credits in range(50)] == [points(n) for n in range(50)]


@pytest.mark.parametrize("number", [2**31, 2**64, 10**30, -(2**31) - 1, -(10**30)])
def test_numbers_beyond_those_of_c(number: int) -> None:
    assert mhing.points(number) == (131072 if number > 0 else 0)
    with pytest.raises(ValueError, match=f"flowers: {number} is not"):
        mhing.score_hand("567s567s678s789s99s", flowers=number)


def compare(rng: Random, hand: Hand, reached: Counter[str]) -> None:
    seven_pairs = rng.random() < 0.3
    ours = hand.declared.best(seven_pairs)
    theirs = scored(hand, seven_pairs)
    assert (ours is None) == (theirs is None), hand
    if ours is None or theirs is None:
        return
    assert theirs.credits == ours.credits, (hand, ours, theirs)
    assert theirs.points == points(ours.credits)
    assert hand.declared.faults(theirs.arrangement, theirs.credits, dict(theirs.parts)) == []
    reached.update(name for name, _ in theirs.parts)


@pytest.mark.slow
def test_random_complete_hands(full: bool) -> None:
    """0-6 Mhing cards, 0-4 melds on the table; every credit is earned at least once."""
    rng = Random(2024)
    reached: Counter[str] = Counter()
    hands, jokers = (100_000, (0, 1, 2, 3, 4, 5, 6)) if full else (4_000, (0, 0, 1, 1, 2, 2, 3, 4))
    for n in range(hands):
        chosen = 6 if not full and n % 100 == 0 else rng.choice(jokers)
        compare(rng, complete_hand(rng, chosen, rng.choice((0, 0, 1, 2, 3, 4))), reached)
    assert reached.keys() == CREDIT_NAMES.keys()


def test_hands_that_just_miss(full: bool) -> None:
    rng = Random(7)
    for _ in range(50_000 if full else 3_000):
        hand = complete_hand(rng, rng.choice((0, 0, 1, 2)), rng.choice((0, 1, 2, 3, 4)))
        compare(rng, spoilt(rng, hand), Counter())


@rule("R5.5")
def test_the_order_of_the_cards_does_not_change_what_is_reported() -> None:
    rng = Random(3)
    for _ in range(200):
        hand = complete_hand(rng, rng.randint(0, 4), rng.randint(0, 2))
        mixed = list(hand.concealed)
        rng.shuffle(mixed)
        assert scored(hand) == scored(Hand(tuple(mixed), hand.melds, hand.flowers))


def test_credits_by_name_are_multiples_of_the_table() -> None:
    rng = Random(11)
    for _ in range(300):
        score = scored(complete_hand(rng, rng.randint(0, 3), rng.randint(0, 4)), seven_pairs=True)
        assert score is not None
        for name, credits in score.parts:
            assert credits > 0
            assert credits % CREDIT_NAMES[name] == 0


def test_many_hands_at_once() -> None:
    game = mhing.Game("mhing")
    counts, kinds, flowers, expected = [], [], [], []
    for seed in range(300):
        state = game.new_state(seed).play_out("greedy", seed)
        result = state.to_dict()["result"]
        if result["winner"] < 0:
            continue
        view = game.unpack(state.observation(result["winner"]))
        counts.append(view["revealed"])
        kinds.append(view["meld_kind"][0])
        flowers.append(view["flowers"][0])
        expected.append((result["credits"], result["points"]))
    hands = mhing.hands_array(np.array(counts), np.array(kinds), np.array(flowers))
    credits, points = mhing.score_hands(hands)
    assert list(zip(credits.tolist(), points.tolist(), strict=True)) == expected
    assert not mhing.distances(hands).any()


def test_many_hands_from_texts() -> None:
    texts = ["567s567s678s789s99s", "123s456p789mEEE5m5p", "1133s2255p88mEERR"]
    credits, points = mhing.score_hands(mhing.hands_array(texts))
    assert credits.tolist() == [17, -1, -1]
    assert points.tolist() == [512, 0, 0]
    assert mhing.distances(mhing.hands_array(texts), seven_pairs=True).tolist() == [0, 1, 0]
    assert len(mhing.distances(mhing.hands_array([]))) == 0
    credits, _ = mhing.score_hands(mhing.hands_array(texts, flowers=[3, 0, 1]))
    assert credits.tolist() == [20, -1, -1]
    with pytest.raises(TypeError, match="list"):
        mhing.hands_array(texts[0])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((np.zeros((2, 34), np.uint8),), r"hands: uint8 \(2, 34\)"),
        ((np.zeros((2, 35)),), "hands: float64"),
        ((np.full((1, 35), -1),), "hands: -1 to -1"),
        ((np.zeros((2, 35), np.uint8), np.zeros((2, 3), np.uint8)), "melds: uint8"),
        ((np.zeros((2, 35), np.uint8), None, np.zeros(3, np.uint8)), "flowers: uint8"),
        ((["567s"],), "hand: 3 cards"),
        (
            (np.zeros((2, 35), np.uint8), [[1, 2, 0, 0], [3, 0, 10, 17]]),
            "melds: row 1, .* after a 0",
        ),
        ((["567s567s678s789s99s"], [[1, 0, 0, 0]]), "melds: .* counts"),
        ((["567s567s678s789s99s"], None, [3, 4]), "flowers: int64"),
    ],
)
def test_arrays_that_are_no_hands(arguments: tuple[Any, ...], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        mhing.hands_array(*arguments)


def test_rows_that_are_no_hands() -> None:
    hands = mhing.hands_array(["567s567s678s789s99s", "567s567s678s789s9s"])
    with pytest.raises(ValueError, match="row 1 is not a hand"):
        mhing.score_hands(hands)
    with pytest.raises(TypeError, match="hands_array"):
        mhing.distances(np.zeros((2, 35), np.uint8))  # type: ignore[arg-type]
