"""Distance against the referee that compares a hand with every target."""

from __future__ import annotations

from random import Random

import pytest
from reference.cards import cards_text, parse_cards
from reference.distance import distance

import mhing
from games.mhing.hands import complete_hand, dealt_hand, spoilt


@pytest.mark.parametrize(
    ("hand", "melds", "expected"),
    [
        ("567s567s678s789s99s", [], 0),
        ("567s567s678s789s9s", [], 1),
        ("37s37p37mESWNRGP", [], 2),  # never fourteen unconnected cards
        ("37s37p37mESWNRGPJ", [], 1),
        ("147s258p369mESWNR", [], 0),
        ("5s", ["EEE", "123s", "456p", "789m"], 1),
        ("5sJ", ["EEE", "123s", "456p", "789m"], 0),
        ("5s6s", ["EEE", "123s", "456p", "789m"], 1),
        ("JJJJJ", ["EEE", "123s", "456p"], 0),
        ("5555s", ["EEE", "123s", "456p"], 1),
    ],
)
def test_distances_that_can_be_counted_by_hand(hand: str, melds: list[str], expected: int) -> None:
    assert mhing.distance(hand, melds=melds) == expected


@pytest.mark.slow
def test_random_hands_before_and_after_the_draw(full: bool) -> None:
    rng = Random(41)
    for _ in range(20_000 if full else 1_500):
        hand = dealt_hand(rng, rng.choice((1, 2, 4, 5, 7, 8, 10, 11, 13, 13, 14, 14)))
        for seven_pairs in (False, True):
            expected = distance(hand.concealed, len(hand.melds), seven_pairs)
            found = mhing.distance(hand.text, melds=hand.meld_texts, seven_pairs=seven_pairs)
            assert found == expected, hand


@pytest.mark.slow
def test_hands_that_are_nearly_complete(full: bool) -> None:
    """Random cards are far from everything; here jokers and near misses of every shape."""
    rng = Random(43)
    for _ in range(20_000 if full else 1_500):
        hand = complete_hand(rng, rng.randint(0, 4), rng.choice((0, 0, 1, 2, 3, 4)))
        for _ in range(rng.randint(0, 3)):
            hand = spoilt(rng, hand)
        cards = list(hand.concealed)[rng.randint(0, 1) :]
        expected = distance(cards, len(hand.melds), seven_pairs=True)
        found = mhing.distance(cards_text(cards), melds=hand.meld_texts, seven_pairs=True)
        assert found == expected, hand


def test_complete_is_distance_zero_and_the_other_way_round() -> None:
    rng = Random(47)
    for _ in range(300):
        hand = complete_hand(rng, rng.randint(0, 3), rng.randint(0, 4))
        for tried in (hand, spoilt(rng, hand)):
            score = mhing.score_hand(tried.text, melds=tried.meld_texts, seven_pairs=True)
            found = mhing.distance(tried.text, melds=tried.meld_texts, seven_pairs=True)
            assert (found == 0) == (score is not None), tried


def test_a_card_less_is_never_nearer() -> None:
    rng = Random(53)
    for _ in range(300):
        hand = dealt_hand(rng, 14)
        after = mhing.distance(hand.text)
        assert all(
            after
            <= mhing.distance(cards_text(hand.concealed[:n] + hand.concealed[n + 1 :]))
            <= after + 1
            for n in range(14)
        )
    assert mhing.distance(cards_text(parse_cards("123s456s789s123pEE")[1:])) == 1
