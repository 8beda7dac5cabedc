"""General Mhing followed by the referee: positions made on purpose, then many random games."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from matches import restore_damaged_snapshots
from playing import DULL, cards
from policies import greedy
from reference.general_mhing import (
    DECK,
    deal_faults,
)

import mhing
from games.general_mhing.matches import ALL, Match, hoarding, moody, swapping, table

# ---- Drawing and taking -------------------------------------------------------------------------


def test_a_discard_that_makes_a_sequence_can_be_taken_and_is_laid_at_once() -> None:
    match = Match(table([DULL, "78h 2s 5s 9s Ks 4c"], "9h 3d"))
    match.play("discard 9h")
    assert match.table["phase"] == "start"
    assert sorted(match.legal()) == ["draw", "take"]
    match.play("take")
    # The only sequence with it is laid without a question, and two cards are drawn.
    assert match.table["sequences"][1][0]["text"] == "789h"
    assert [event["event"] for event in match.table["events"][-3:]] == [
        "discard",
        "take",
        "sequence",
    ]
    assert match.table["on_turn"] == 0
    assert match.table["discards"] == []
    assert len(match.table["hands"][1]) == 7


def test_of_several_sequences_with_the_card_taken_one_is_chosen() -> None:
    match = Match(table([DULL, "A8h 2s 5s 9s Ks 4c"], "9h 3d"))
    match.play("discard 9h", "take")
    assert match.table["phase"] == "taken"
    assert sorted(match.legal()) == ["sequence 7*89h", "sequence 89T*h"]
    assert match.table["shown"] == ["9h"]
    match.play("sequence 89T*h")
    assert match.table["sequences"][1][0] == {
        "text": "89T*h",
        "cards": ["8h", "9h", "Th"],
        "ace": 2,
    }


def test_an_ace_can_be_taken_too() -> None:
    match = Match(table([DULL, "8Th 2s 5s 9s Ks 4c"], "Ah 3d"))
    match.play("discard Ah", "take")
    assert match.table["sequences"][1][0]["text"] == "89*Th"


def test_a_discard_that_makes_nothing_cannot_be_taken_and_nobody_is_asked() -> None:
    match = Match(table([DULL, "7h 2s 5s 9s Ks 4c 3d"], "9h 2d"))
    match.play("discard 9h")
    assert match.table["phase"] == "play"
    assert match.table["drawn"] == ["2d"]
    assert match.table["offer"] is None


def test_after_a_sequence_there_is_nothing_to_take() -> None:
    match = Match(table(["789h 2s 5s 9s Ks", "T8s JQc 4c 3d 2d"], "5d 6d 7d 8d"))
    match.play("discard 9s")
    assert "take" in match.legal()
    match.play("draw", "discard 4c", "sequence 789h")
    # The 9s still lies below the 4c, and neither is on offer.
    assert match.table["offer"] is None
    assert match.table["phase"] == "play"
    assert match.table["on_turn"] == 1


def test_a_discard_not_taken_at_once_is_gone() -> None:
    hands = [DULL, "78h 2s 5s 9s Ks 4c", "TJh 2c 6c 9c 3d 7d"]
    match = Match(table(hands, "9h Qd Td"))
    match.play("discard 9h", "draw", "discard Ks")
    # The third seat could use the 9h, but only the Ks was on offer.
    assert match.table["phase"] == "play"
    assert match.table["drawn"] == ["Td"]


# ---- Sequences ----------------------------------------------------------------------------------


def test_every_place_of_an_ace() -> None:
    match = Match(table(["A23h 78h Qs Ks", DULL], "As"))
    assert sorted(action for action in match.legal() if action.startswith("sequence")) == [
        "sequence 234*h",
        "sequence 6*78h",
        "sequence 789*h",
        "sequence A23h",
        "sequence J*QKs",
    ]
    match = Match(table(["A24h 68h QJs", DULL], "As"))
    assert sorted(action for action in match.legal() if action.startswith("sequence")) == [
        "sequence 23*4h",
        "sequence 45*6h",
        "sequence 67*8h",
        "sequence JQK*s",
        "sequence T*JQs",
    ]


def test_one_sequence_a_turn_and_two_cards_after_it() -> None:
    match = Match(table(["789h 789s Kd", DULL], "2c 3d 5d 6c"))
    match.play("sequence 789h")
    assert match.table["on_turn"] == 1
    assert set(cards("789s Kd 2c 3d 5d")) == set(match.table["hands"][0])
    assert match.table["drawn"] == ["6c"]


def test_the_fourth_sequence_ends_the_round_at_once() -> None:
    state = table(["789h 789s 7d", "234h 56Jh 2s"], "Kd 8d 9d 2c 3c 4d 4c 3d 5c 6c Td")
    match = Match(state)
    rng = Random(1)
    while not match.state.is_terminal:
        laid = [action for action in match.legal() if action.startswith("sequence")]
        match.play(laid[0] if laid else hoarding(match.state, match.legal(), rng))
    table_ = match.table
    assert table_["result"]["ending"] == "fourth sequence"
    assert len(table_["sequences"][table_["on_turn"]]) == 4
    assert len(table_["hands"][table_["on_turn"]]) == 5


# ---- Swaps --------------------------------------------------------------------------------------


def test_an_ace_is_swapped_for_the_card_that_it_stands_for_or_for_another_number() -> None:
    for card, becomes in [("7h", "789h"), ("Th", "89Th")]:
        match = Match(table(["A89h 7Th 2s 4s", DULL], "Kd Jc Qd 3c"))
        match.play("sequence 89T*h" if card == "7h" else "sequence 7*89h")
        assert match.table["phase"] == "end"
        assert sorted(match.legal()) == ["end", "swap 7h", "swap Th"]
        match.play(f"swap {card}")
        assert match.table["sequences"][0] == [
            {"text": becomes, "cards": cards(becomes), "ace": None}
        ]
        # With no other ace to swap the turn is over.
        assert match.table["on_turn"] == 1
        assert "Ah" in match.table["hands"][0]
        assert match.table["shown"] == ["Ah"]


def test_the_ace_of_a23_is_had_for_the_4_and_a_middle_ace_for_its_card_only() -> None:
    match = Match(table(["A23h 4h 2s 4s 9c", DULL], "Kd Jc Qd 3c"))
    match.play("sequence A23h", "swap 4h")
    assert match.table["sequences"][0][0]["text"] == "234h"
    match = Match(table(["A8Th 9h 7h Jh 9c", DULL], "Kd Jc Qd 3c"))
    match.play("sequence 89*Th")
    assert sorted(match.legal()) == ["end", "swap 9h"]


def test_a_swap_before_the_draw_can_make_the_discard_worth_taking() -> None:
    match = Match(table(["A89h TQh 2s 4s", DULL], "7d 3c Qc Kh"))
    match.play("sequence 7*89h", "end", "discard Kh")
    assert sorted(match.legal()) == ["draw", "swap Th"]
    match.play("swap Th")
    assert sorted(match.legal()) == ["draw", "take"]
    match.play("take")
    assert [laid["text"] for laid in match.table["sequences"][0]] == ["89Th", "J*QKh"]


def test_cards_drawn_in_the_turn_can_be_swapped() -> None:
    match = Match(table(["A89h 2s 4s 9c Kc", DULL], "7d 7h Qc 2d"))
    match.play("sequence 7*89h")
    # 7h and Qc have just been drawn.
    assert match.table["drawn"] == ["7h", "Qc"]
    match.play("swap 7h")
    assert match.table["sequences"][0][0]["text"] == "789h"
    match = Match(table(["A89h 2s 4s 9c Kc", DULL], "7d 5d Qc 2d 7h"))
    match.play("sequence 7*89h")
    match.play("discard 2d")
    assert match.table["drawn"] == ["7h"]
    assert "swap 7h" in match.legal()
    match.play("swap 7h")
    assert match.table["phase"] == "play"


def test_several_swaps_in_a_turn_and_no_swap_of_another_seats_ace() -> None:
    match = Match(table(["A89h A89s 7h", DULL], "7s 2c 3d Kd 5c 6c Jc"))
    match.play("sequence 7*89h")
    assert sorted(match.legal()) == ["end", "swap 7h"]
    match.play("end", "discard Kd", "draw", "sequence 7*89s")
    assert sorted(match.legal()) == ["end", "swap 7h", "swap 7s"]
    match.play("swap 7s", "swap 7h")
    assert match.table["on_turn"] == 1
    assert match.table["shown"] == ["As", "Ah"]
    other = Match(table(["A89h 2s 4s 9c Kc", "7h 3s 5s 2d 9d Kd Tc"], "7d 5d Qc Jc"))
    other.play("sequence 7*89h")
    assert not any(action.startswith("swap") for action in other.legal())


def test_a_swapped_ace_is_known_until_it_lies_open_again() -> None:
    match = Match(table(["A89h 7h 2s 4s Kc", "369c 2Td 6Ts"], "7d 5d Qc Jc"))
    match.play("sequence 7*89h", "swap 7h")
    assert match.table["shown"] == ["Ah"]
    match.play("discard Td", "discard Ah")
    assert match.table["shown"] == []


# ---- How a round ends ---------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [1, 7, 200])
def test_the_turn_limit(limit: int) -> None:
    game = mhing.Game("general_mhing", turn_limit=limit, num_players=3)
    match = Match(game.new_state(4))
    match.play_by(hoarding, Random(1))
    assert match.table["turn"] == limit
    assert match.table["result"]["ending"] == "turn limit"


def test_all_discards_but_the_last_become_the_draw_pile() -> None:
    match = Match(mhing.Game("general_mhing").new_state(2))
    rng = Random(3)
    while match.table["draw_pile"]:
        match.play_by(hoarding, rng, decisions=1)
    below = [made["card"] for made in match.table["discards"]]
    while not match.table["shuffles"]:
        below = [made["card"] for made in match.table["discards"]]
        match.play_by(hoarding, rng, decisions=1)
    shuffled = [card for card, number in match.table["shuffle_of"].items() if number == 1]
    assert len(shuffled) in (len(below) - 1, len(below))
    assert len(match.table["discards"]) in (1, 2)


@pytest.mark.slow
def test_the_draw_pile_never_runs_out_for_good() -> None:
    """Three seats with three sequences each leave the fewest cards for the piles: four."""
    rng = Random(5)
    fewest = 52
    for seed in range(12):
        game = mhing.Game("general_mhing", num_players=3, turn_limit=1000)
        match = Match(game.new_state(seed))
        while not match.state.is_terminal:
            seat = match.table["on_turn"]
            third = len(match.table["sequences"][seat]) == 3
            match.play((hoarding if third else swapping)(match.state, match.legal(), rng))
            piles = len(match.table["draw_pile"]) + len(match.table["discards"])
            fewest = min(fewest, piles)
    assert fewest <= 6


# ---- The game -----------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3])
def test_a_new_game(players: int) -> None:
    """The first starter is drawn at random, or given; nobody has points."""
    starters = Counter[int]()
    for seed in range(60 * players):
        dealt = mhing.Game("general_mhing", num_players=players).new_state(seed).to_dict()
        assert deal_faults(dealt) == []
        assert (dealt["round"], dealt["scores"], dealt["result"]) == (0, [0] * players, None)
        starters[dealt["starter"]] += 1
    assert len(starters) == players
    assert all(abs(count - 60) < 5 * 60**0.5 for count in starters.values())
    for starter in range(players):
        game = mhing.Game("general_mhing", num_players=players, starter=starter)
        assert game.new_state(1).to_dict()["starter"] == starter


def test_a_deal_from_a_deck() -> None:
    deck = list(range(52))
    Random(3).shuffle(deck)
    game = mhing.Game("general_mhing", num_players=3, starter=1)
    dealt = game.new_state(9, deck=deck).to_dict()
    names = [DECK[card] for card in deck]
    assert dealt["hands"][1] == sorted([*names[:7], names[21]], key=DECK.index)
    assert dealt["hands"][2] == sorted(names[7:14], key=DECK.index)
    assert dealt["hands"][0] == sorted(names[14:21], key=DECK.index)
    assert dealt["draw_pile"] == names[22:]


@pytest.mark.parametrize("deck", [[0] * 52, [*range(51)], [*range(1, 53)], [*range(51), 200]])
def test_a_deck_that_is_none(deck: list[int]) -> None:
    with pytest.raises(ValueError, match="deck"):
        mhing.Game("general_mhing").new_state(1, deck=deck)


@pytest.mark.parametrize(
    "options",
    [
        {"num_players": 4},
        {"num_players": 1},
        {"starter": 2},
        {"turn_limit": 0},
        {"rounds": 0, "target": 0},
        {"reward": "credits"},
        {"rules": "boxed"},
    ],
)
def test_options_that_cannot_be(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        mhing.Game("general_mhing", **options)


def test_targets() -> None:
    assert mhing.Game("general_mhing").options["target"] == 14
    assert mhing.Game("general_mhing", rules="fourteen").options["target"] == 14
    assert mhing.Game("general_mhing", rules="twenty").options["target"] == 20
    for target in (14, 20):
        game = mhing.Game("general_mhing", episode="game", target=target)
        match = Match(game.new_state(target))
        match.play_by(greedy, Random(2))
        scores = match.table["scores"]
        assert max(scores) >= target > sorted(scores)[-2]
        result = match.table["result"]
        assert scores[result["winner"]] - result["points"] < target


def test_the_number_of_rounds_ends_a_game_of_seats_that_lay_nothing() -> None:
    game = mhing.Game("general_mhing", episode="game", rounds=3, turn_limit=10, reward="win")
    match = Match(game.new_state(1))
    match.play_by(hoarding, Random(1))
    assert match.table["result"]["round"] == 2
    assert match.table["scores"] == [0, 0]
    assert match.state.returns().tolist() == [0.5, 0.5]


def test_starters_take_turns() -> None:
    game = mhing.Game("general_mhing", num_players=3, episode="game", rounds=5, target=0, starter=2)
    match = Match(game.new_state(6))
    starters = []
    while not match.state.is_terminal:
        if match.table["round"] == len(starters):
            starters.append(match.table["starter"])
        match.play_by(greedy, Random(1), decisions=1)
    assert starters == [2, 0, 1, 2, 0]


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("reward", ["points", "win", "margin"])
def test_returns_follow_from_the_scores(reward: str, players: int) -> None:
    options: dict[str, Any] = {"num_players": players, "episode": "game", "rounds": 6, "target": 0}
    match = Match(mhing.Game("general_mhing", reward=reward, **options).new_state(8))
    match.play_by(greedy, Random(3))
    scores, returns = match.table["scores"], match.state.returns().tolist()
    if reward == "points":
        assert returns == scores
    elif reward == "win":
        assert returns == [(s == max(scores)) / scores.count(max(scores)) for s in scores]
    else:
        mean = sum(scores) / players
        assert sum(returns) == 0
        # A seat's score less the mean of the others'.
        expected = [(score - mean) * players / (players - 1) for score in scores]
        assert returns == pytest.approx(expected)


def test_the_deals_follow_from_the_seed_alone() -> None:
    """The play of a round, shuffles included, changes nothing about the cards of the next."""
    second_rounds = set()
    for policy in (greedy, moody, hoarding):
        match = Match(mhing.Game("general_mhing", episode="game").new_state(12))
        while match.table["round"] == 0:
            match.play_by(policy, Random(1), decisions=1)
        second_rounds.add(str((match.table["hands"], match.table["draw_pile"])))
    assert len(second_rounds) == 1


# ---- Snapshots and random games -----------------------------------------------------------------


@pytest.mark.slow
def test_what_a_damaged_snapshot_restores_is_a_table_of_the_game(full: bool) -> None:
    """Wrong bytes are refused, or lead to a position that the referee finds nothing wrong with."""
    games = (
        mhing.Game("general_mhing", num_players=2 + number % 2, turn_limit=60)
        for number in range(60 if full else 6)
    )
    restore_damaged_snapshots(games, 60, Match, moody)


def some_options(rng: Random) -> dict[str, Any]:
    """Any rules, and few turns and rounds as often as many."""
    rounds = rng.choice((0, 1, 2, 5, 100))
    return {
        "num_players": rng.choice((2, 3)),
        "episode": rng.choice(("round", "game")),
        "rounds": rounds,
        "target": rng.choice((1, 4, 14, 20) if rounds == 0 else (0, 1, 4, 14, 20)),
        "turn_limit": rng.choice((1, 2, 3, 5, 7, 10, 60, 200)),
        "reward": rng.choice(("points", "win", "margin")),
        "offer": rng.choice(("previous", "top")),
        "starter": rng.choice((-1, 0, 1)),
        "next_starter": rng.choice(("clockwise", "same")),
    }


def test_every_state_that_play_reaches_is_accepted(full: bool) -> None:
    """Its bytes, and now and then its dict and what a seat may take it for."""
    rng, left = Random(61), 300_000 if full else 5_000
    while left > 0:
        game = mhing.Game("general_mhing", **some_options(rng))
        state, share = game.new_state(rng.getrandbits(60)), rng.random()
        for moment in range(400):
            left -= 1
            assert game.from_bytes(state.to_bytes()) == state
            if moment % 20 == 0:
                table_ = state.to_dict()
                assert game.state_from_dict(table_).to_dict() == table_
                world = state.resample(rng.randrange(game.num_seats), moment)
                assert game.from_bytes(world.to_bytes()) == world
            if state.is_terminal:
                break
            bot = "greedy" if rng.random() < share else "random"
            state.apply(state.bot_action(bot, rng.getrandbits(60))[0])


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("returns", [123, 0], "returns or rewards"),
        ("rewards", [9, 0], "returns or rewards"),
        ("decisions", 0, "decisions"),
        ("scores", [14, 0], "more points"),
        ("scores", [0, 0], "scores that the last round"),
        ("round", 3, "do not fit the end"),
    ],
)
def test_what_play_never_reaches_is_refused(key: str, value: Any, words: str) -> None:
    """The second round of three, of which seat 0 has won the first with one point."""
    game = mhing.Game("general_mhing", episode="game", rounds=3, turn_limit=9)
    hands = [cards("Th Jd Kd 3s 6s 9s Qs 2c"), cards("4c 7c 2d 5d 8d 3h 6h")]
    won = [{"sequences": [{"text": "789h"}]}, {"sequences": []}]
    result = {"winner": 0, "ending": "turn limit", "seats": won}
    position = {"hands": hands, "round": 1, "turn": 3, "starter": 0, "result": result}
    assert game.state_from_dict(position).to_dict()["scores"] == [1, 0]
    with pytest.raises(ValueError, match=words):
        game.state_from_dict(position | {key: value})


def situations(match: Match) -> set[str]:
    """Special features of a position, so that the random games can be shown to reach it."""
    table_ = match.table
    seen = {event["event"] for event in table_["events"]} | {table_["phase"]}
    legal = match.referee.legal_actions()
    if table_["phase"] == "start" and any(action.startswith("swap") for action in legal):
        seen.add("swap before the draw")
    if table_["phase"] == "start" and {"take", "draw"} < legal:
        seen.add("take or swap")
    if any(f"swap {card}" in legal for card in table_["drawn"]):
        seen.add("swap of a card just drawn")
    if table_["phase"] == "end" and sum(action.startswith("swap") for action in legal) > 1:
        seen.add("choice of swaps")
    laid = [each["text"] for sequences in table_["sequences"] for each in sequences]
    if any(text.startswith("A23") for text in laid):
        seen.add("A23")
    if table_["shown"]:
        seen.add("ace known")
    if table_["offered_by"] == table_["on_turn"]:
        seen.add("its own discard on offer")
    if table_["shuffles"] > 2:
        seen.add("several shuffles")
    if table_["result"]:
        seen.add(table_["result"]["ending"])
        seen.add("nobody wins" if table_["result"]["winner"] < 0 else "somebody wins")
    return seen


@pytest.mark.slow
def test_random_games(full: bool) -> None:
    """Two and three players, every rule switched at random, every temper of play."""
    rng = Random(99)
    seen: Counter[str] = Counter()
    for number in range(3_000 if full else 120):
        options: dict[str, Any] = {
            "num_players": 2 + number % 2,
            "episode": rng.choice(("round", "game")),
            "rounds": (rounds := rng.choice((0, 1, 2, 3))),
            "target": rng.choice((0, 4, 14) if rounds else (2, 4)),
            "turn_limit": rng.choice((5, 60, 200)),
            "reward": rng.choice(("points", "win", "margin")),
            "offer": rng.choice(("previous", "top")),
            "next_starter": rng.choice(("clockwise", "same")),
        }
        match = Match(mhing.Game("general_mhing", **options).new_state(number))
        policy = moody if number % 3 else ALL[rng.choice(sorted(ALL))]
        while not match.state.is_terminal:
            match.play_by(policy, rng, decisions=1)
            seen.update(situations(match))
    assert seen.keys() >= {
        *("deal", "take", "sequence", "swap", "discard", "shuffle", "over"),
        *("start", "taken", "play", "end"),
        "swap before the draw",
        "take or swap",
        "swap of a card just drawn",
        "choice of swaps",
        "A23",
        "ace known",
        "its own discard on offer",
        "several shuffles",
        "fourth sequence",
        "turn limit",
        "nobody wins",
        "somebody wins",
    }


@pytest.mark.parametrize("seed", [212, 247])
def test_cards_given_before_a_sequence_are_forgotten_with_it(seed: int) -> None:
    """The turn continues after the sequence, which is rare: hence the chosen seeds."""
    game = mhing.Game("general_mhing", num_players=2)
    state = game.new_state(seed)
    rng = Random(seed)
    seen = 0
    while state.seat >= 0:
        given = state.to_dict()["given"]
        legal = [game.action_text(action) for action in state.legal_actions()]
        action = swapping(state, legal, rng)
        state.apply(game.action_id(action))
        if action.startswith("sequence") and given and state.to_dict()["phase"] == "end":
            assert state.to_dict()["given"] == []
            seen += 1
    assert seen


def test_a_round_that_ends_by_its_turns_has_had_all_of_them() -> None:
    game = mhing.Game("general_mhing", num_players=2, turn_limit=20)
    state = game.new_state(1)
    rng = Random(1)
    while state.seat >= 0:
        legal = [game.action_text(action) for action in state.legal_actions()]
        state.apply(game.action_id(hoarding(state, legal, rng)))
    ended = state.to_dict()
    assert (ended["result"]["ending"], ended["turn"]) == ("turn limit", 20)
    with pytest.raises(ValueError, match="the turns do not fit the end of the round"):
        game.state_from_dict(ended | {"turn": 19})
