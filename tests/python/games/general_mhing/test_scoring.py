"""Scoring in General Mhing: played, without a game, and who wins by it."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, combinations_with_replacement
from random import Random

import pytest
from playing import cards
from reference.general_mhing import DECK, SEQUENCES, Sequence, every_sequence, parts_of, winner_of

import mhing
from games.general_mhing.matches import Match, moody

EXAMPLES = [
    ("789h TJQh 789s", 5),
    ("789h TJQh 789s 789c", 8),
    ("234h 567h 89Th JQKh", 9),
]


@pytest.mark.parametrize(("texts", "points"), EXAMPLES)
def test_worked_examples(texts: str, points: int) -> None:
    """Played: one seat draws what it lays, the other discards what it draws."""
    laid = texts.split()
    wanted = [card for text in laid for card in cards(text)]
    hand, rest = wanted[:7], wanted[7:]
    other = [card for card in DECK if card[1] == "d" and card[0] != "A"][:7]
    fill = [card for card in DECK if card not in wanted + other]
    # Each round of turns: a draw of mine, two after a sequence, then a draw of the other seat.
    draws: list[str] = []
    for _ in range(len(laid)):
        draws += [rest.pop(0) if rest else fill.pop() for _ in range(3)] + [fill.pop()]
    deck = [*hand, *other, *draws, *(c for c in DECK if c not in hand + other + draws)]
    game = mhing.Game("general_mhing", starter=0, turn_limit=2 * len(laid))
    match = Match(game.new_state(1, deck=[DECK.index(card) for card in deck]))
    while not match.state.is_terminal:
        legal = match.legal()
        mine = [f"sequence {text}" for text in laid if f"sequence {text}" in legal]
        idle = [action for action in legal if action in ("draw", "end")]
        drawn = [f"discard {card}" for card in match.table["drawn"]]
        match.play((mine or idle or drawn)[0] if match.state.seat == 0 else (idle or drawn)[0])
    result = match.table["result"]
    assert [laid["text"] for laid in result["seats"][0]["sequences"]] == laid
    assert (result["winner"], result["points"]) == (0, points)
    assert match.state.returns().tolist() == [points, 0]


def fits_one_deck(sequences: tuple[Sequence, ...]) -> bool:
    """Return whether the aces can be placed so that no card is needed twice."""
    needed = Counter(card for sequence in sequences for card in sequence.stands_for)
    for suit in "shdc":
        twice = sum(copies - 1 for card, copies in needed.items() if card[1] == suit)
        if twice > (0 if needed["A" + suit] else 1) or needed["A" + suit] > 1:
            return False
    return True


def test_sequences_score_without_a_game_as_they_do_in_the_reference() -> None:
    """Those of one deck, with aces anywhere; others are refused."""
    rng, refused, scored = Random(4), 0, Counter[int]()
    for _ in range(4000):
        suits = rng.choice(("s", "sh", "shdc"))
        texts = [text for text in SEQUENCES if text[-1] in suits]
        chosen = [SEQUENCES[text] for text in rng.choices(texts, k=rng.randrange(5))]
        written = [sequence.text for sequence in chosen]
        held = Counter(card for sequence in chosen for card in sequence.cards)
        if max(held.values(), default=1) > 1:
            refused += 1
            with pytest.raises(ValueError, match="is in two of them") as caught:
                mhing.score_sequences(written)
            assert held[str(caught.value).split()[1]] > 1
            continue
        score = mhing.score_sequences(written)
        parts = parts_of(chosen)
        assert (score.points, dict(score.parts)) == (sum(parts.values()), parts)
        scored[len(chosen)] += 1
    assert refused > 100
    assert min(scored[count] for count in range(5)) > 20


@pytest.mark.parametrize(
    ("sequences", "words"),
    [
        (["78h"], "sequences: '78h' is none; write 789h, or 78.9h where the ace stands for the 8"),
        (["789x"], "'789x' is none"),
        (["987h"], "'987h' is none"),
        (["QKAh"], "'QKAh' is none"),
        (["A*23h"], "'A.23h' is none"),
        (["7*8*9h"], "is none"),
        (["7" * 99], "'7{40}' is none"),
        ([""], "'' is not one sequence"),
        (["789h TJQh"], "'789h TJQh' is not one sequence"),
        (["789h\0"], "is not one sequence"),
        (["789h", "789s", "789d", "789c", "234h"], "more than the 4 that end a round"),
        (["789h", "9TJh"], "9h is in two of them, and the deck has it once"),
        (["7*89h", "456*h"], "Ah is in two of them"),
    ],
)
def test_what_is_no_sequences(sequences: list[str], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        mhing.score_sequences(sequences)


def test_sequences_are_a_list_of_texts() -> None:
    for wrong in ("789h", [3], ["789h", None]):
        with pytest.raises(TypeError, match="is not a list of str"):
            mhing.score_sequences(wrong)  # type: ignore[arg-type]
    assert mhing.score_sequences([]) == mhing.SequenceScore(0, [])


def test_nine_is_the_most_that_four_sequences_of_one_deck_score() -> None:
    kinds = [Sequence(low, suit, None) for suit in "shdc" for low in range(11)]
    best = Counter[int]()
    for four in combinations_with_replacement(kinds, 4):
        points = sum(parts_of(four).values())
        if points > 7 and fits_one_deck(four):
            best[points] += 1
    assert max(best) == 9
    assert best[9] > 0


def test_one_deck_is_judged_as_by_trying_all_places_of_aces() -> None:
    """The shortcut of the test above, against sets of cards, for pairs and triples."""
    forms = every_sequence()
    rng = Random(3)
    for count in (2, 3):
        possible = set()
        some = forms if count == 2 else rng.sample(forms, 60)
        for chosen in combinations(some, count):
            held = [card for sequence in chosen for card in sequence.cards]
            if len(set(held)) == len(held):
                possible.add(tuple(sorted(sequence.kind for sequence in chosen)))
        for key in possible:
            assert fits_one_deck(tuple(Sequence(k % 11, "shdc"[k // 11], None) for k in key))
        if count == 2:
            kinds = [Sequence(low, suit, None) for suit in "shdc" for low in range(11)]
            pairs = {
                (one.kind, other.kind)
                for one, other in combinations_with_replacement(kinds, 2)
                if fits_one_deck((one, other))
            }
            assert pairs == possible


@pytest.mark.parametrize(
    ("tallies", "counts", "winner"),
    [
        ([3, 1], [4, 2], 0),
        ([3, 3], [4, 2], 1),
        ([3, 3], [4, 4], -1),
        ([0, 0], [1, 0], 1),
        ([0, 0], [0, 0], -1),
        ([2, 5, 5], [1, 3, 4], 1),
        ([5, 5, 5], [4, 3, 3], -1),
    ],
)
def test_who_wins(tallies: list[int], counts: list[int], winner: int) -> None:
    assert winner_of(tallies, counts) == winner


@pytest.mark.slow
def test_equal_scores_are_won_by_the_seat_with_fewer_sequences() -> None:
    found = Counter[str]()
    rng = Random(8)
    for seed in range(400):
        game = mhing.Game("general_mhing", num_players=2 + seed % 2, turn_limit=20)
        match = Match(game.new_state(seed))
        match.play_by(moody, rng)
        seats = match.table["result"]["seats"]
        tallies = [seat["tally"] for seat in seats]
        if tallies.count(max(tallies)) > 1:
            found["won" if match.table["result"]["winner"] >= 0 else "nobody"] += 1
    assert found["won"] > 5
    assert found["nobody"] > 5
