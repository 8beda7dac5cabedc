"""The referee of Mhing itself: the examples that the rules give, before it judges anybody else."""

from __future__ import annotations

from collections import Counter

import pytest
from reference.cards import DECK, NAMES, all_patterns, parse_cards, parse_meld
from reference.distance import distance
from reference.scoring import best_score, is_complete, meld_credits, points

pytestmark = pytest.mark.once

HIGHEST = "345s345s34s55sJJJJ"


def parts(hand: str, flowers: int = 0) -> dict[str, int]:
    best = best_score(parse_cards(hand), flowers=flowers)
    assert best is not None
    assert best.credits == sum(best.parts.values())
    return best.parts


def test_the_deck_is_that_of_the_rules() -> None:
    assert len(DECK) == 150
    assert Counter(NAMES[card][-1] for card in DECK) == {
        **dict.fromkeys("spm", 36),
        **dict.fromkeys("ESWNRGP", 4),
        "J": 6,
        "F": 8,
    }


def test_there_are_304_ways_to_lay_a_meld_and_their_texts_read_back() -> None:
    texts = [meld.text for meld in all_patterns()]
    assert len(set(texts)) == 304
    assert {"45*6s", "P*P*P*", "55*5*m", "EEE"} <= set(texts)
    assert [parse_meld(text) for text in texts] == all_patterns()


def test_the_printed_table_of_points() -> None:
    table = {0: 0, 1: 2, 2: 4, 3: 8, 4: 16, 5: 32, 7: 32, 8: 64, 10: 64, 11: 128, 40: 65536}
    assert {credits: points(credits) for credits in table} == table
    assert points(41) == points(44) == 131072


def test_worked_example_4() -> None:
    assert parts("567s567s678s789s99s") == {
        "sequences only": 1,
        "identical double sequence": 3,
        "all high / all low": 5,
        "one suit only": 8,
    }


def test_the_best_hand_of_all_is_worth_41() -> None:
    assert sum(parts(HIGHEST, flowers=8).values()) == 41


def test_worked_examples_2_and_3_count_every_pair_of_melds() -> None:
    two_by_two = meld_credits([(0, 1, 2), (0, 1, 2), (9, 10, 11), (9, 10, 11)], 27)
    assert two_by_two["identical double sequence"] == 6
    assert two_by_two["double sequence"] == 4
    straight = meld_credits([(0, 1, 2), (0, 1, 2), (3, 4, 5), (6, 7, 8)], 27)
    assert straight["identical double sequence"] + straight["royal run"] == 9


def test_seven_honours_and_two_far_cards_of_each_suit_never_connect() -> None:
    cards = parse_cards("37s37p37mESWNRGP")
    assert not is_complete([*cards, parse_cards("J")[0]], 0)
    assert distance(cards, 0) == 2


@pytest.mark.parametrize(
    ("hand", "laid", "expected"),
    [
        ("123s456s789s123pEE", 0, 0),
        ("123s456s789s123pE", 0, 1),
        ("55s", 4, 0),
        ("5s", 4, 1),
        ("5sJ", 4, 0),
        ("5s6s", 4, 1),
        ("JJJJJ", 3, 0),
        ("147s258p369mESWNR", 0, 0),
        ("1s9p", 4, 1),
    ],
)
def test_distances_that_can_be_counted_by_hand(hand: str, laid: int, expected: int) -> None:
    assert distance(parse_cards(hand), laid) == expected
