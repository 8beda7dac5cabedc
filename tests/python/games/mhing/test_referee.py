"""Mhing followed by the referee: positions made on purpose, then many random games."""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random
from typing import Any

import pytest
from matches import Match, restore_damaged_snapshots
from policies import ALL, eager, greedy, moody, reluctant
from reference.cards import DECK, FLOWER, NAMES
from reference.referee import HAND, deal_faults

import mhing
from games.mhing.decks import DULL, table

SEQUENCE_CLAIMER = "46s258p147mSSWWN"
TRIPLET_CLAIMER = "55s258p147mRRWWN"
MHING_CLAIMER = "123p456p789p222m5s"


# ---- Claims -------------------------------------------------------------------------------------


@pytest.mark.parametrize("answers", list(product(("claim", "pass"), repeat=3)))
def test_priority_of_claims(answers: tuple[str, ...]) -> None:
    """MHING before TRIPLET before SEQUENCE, wherever they sit; everybody is asked all the same."""
    match = Match(table([DULL, SEQUENCE_CLAIMER, TRIPLET_CLAIMER, MHING_CLAIMER], "5s"))
    match.play("discard 5s")
    wanted = ["sequence 456s", "triplet 555s", "mhing"]
    for seat, (answer, claim) in enumerate(zip(answers, wanted, strict=True), 1):
        assert match.state.seat == seat
        assert match.legal() in ([claim, "pass"], ["pass", claim])
        match.play(claim if answer == "claim" else "pass")
    winner = max((seat for seat in (1, 2, 3) if answers[seat - 1] == "claim"), default=None)
    assert match.table["discards"][0]["taken_by"] == winner
    if winner == 3:
        assert match.table["result"]["winner"] == 3
        assert match.table["result"]["payer"] == 0
    else:
        assert match.state.seat == (winner or 1)


@pytest.mark.parametrize("dealer", range(4))
def test_of_equal_claims_the_first_after_the_discarder_wins(dealer: int) -> None:
    hands = [DULL, SEQUENCE_CLAIMER, "46s369p258mSSWWN", "46s159p369mEEGGR"]
    match = Match(table(hands, "5s", dealer=dealer))
    match.play("discard 5s")
    order = [(dealer + step) % 4 for step in (1, 2, 3)]
    for seat in order:
        assert match.state.seat == seat
        match.play("sequence 456s")
    assert match.state.seat == order[0]
    assert match.table["claimed_from"] == dealer


def test_of_two_mhing_claims_the_first_wins_and_players_between_are_skipped() -> None:
    match = Match(table([DULL, DULL, MHING_CLAIMER, "678s678p333m444m5s"], "5s", episode="game"))
    match.play("discard 5s", "mhing", "mhing")
    assert match.table["result"]["winner"] == 2


def test_players_between_are_skipped() -> None:
    match = Match(table([DULL, DULL, DULL, TRIPLET_CLAIMER], "5s1m"))
    match.play("discard 5s", "triplet 555s")
    match.play_unclaimed("discard N")
    assert match.table["on_turn"] == 0
    assert match.table["drawn"] == "1m"


def test_a_dead_discard_stays_dead() -> None:
    match = Match(table([DULL, DULL, TRIPLET_CLAIMER, DULL], "5s9p"))
    match.play("discard 5s", "pass")
    assert match.table["on_turn"] == 1
    assert match.table["discards"] == [{"card": "5s", "by": 0, "taken_by": None}]


@pytest.mark.parametrize(
    "claim", ["sequence 456*s", "sequence 3*45s", "triplet SSS*", "triplet WWW*"]
)
def test_a_discarded_joker_is_claimed_for_a_meld(claim: str) -> None:
    match = Match(table([DULL, "45s258p147mSSWWN", DULL, DULL], "J"))
    match.play("discard J")
    assert match.state.seat == 1
    match.play_unclaimed(claim)
    assert match.table["melds"][1][0]["from"] == 0
    assert match.table["discards"][0]["taken_by"] == 1


def test_a_discarded_joker_with_jokers_in_hand_opens_every_pattern_that_holds_them() -> None:
    match = Match(table([DULL, "JJ4s258p147mSSWN", DULL, DULL], "J"))
    match.play("discard J")
    legal = match.legal()
    assert {"triplet P*P*P*", "sequence 4*5*6*s", "sequence 3*45*s", "triplet SSS*"} <= set(legal)
    # Of the 21 + 34 melds made of jokers alone each can be claimed.
    assert sum(action.count("*") == 3 for action in legal) == 55
    assert not any(action.count("*") == 0 for action in legal if action != "pass")
    match.play_unclaimed("triplet P*P*P*")
    assert match.table["hands"][1].count("J") == 0


def test_a_discarded_joker_is_claimed_for_mhing() -> None:
    match = Match(table([DULL, DULL, DULL, "123p456p789p22mRR"], "J"))
    match.play("discard J")
    while match.state.seat != 3:
        match.play("pass")
    match.play("mhing")
    assert match.table["result"]["winner"] == 3
    assert any("*" in text for text in match.table["result"]["arrangement"])


def test_a_natural_discard_fills_a_natural_place() -> None:
    match = Match(table([DULL, "46sJ258p147mSSWW", DULL, DULL], "5s"))
    match.play("discard 5s")
    claims = [action for action in match.legal() if "*" in action]
    assert claims
    assert all("5*" not in action for action in claims)


def test_a_pair_and_nothing_connects_by_mhing_only() -> None:
    match = Match(table([DULL, "147s258p369mESWR", DULL, DULL], "G"))
    match.play("discard G")
    assert match.state.seat == 1
    assert sorted(match.legal()) == ["mhing", "pass"]
    match.play("mhing")
    assert match.table["result"]["shape"] == "nothing connects"


# ---- MHING --------------------------------------------------------------------------------------


@pytest.mark.parametrize("scoring", ["points", "chips"])
def test_mhing_in_the_turn_of_a_claim_is_paid_double_by_the_discarder(scoring: str) -> None:
    match = Match(table([DULL, "123p456p789p46s22m", DULL, DULL], "5s", scoring=scoring))
    match.play("discard 5s", "sequence 456s")
    assert match.table["drawn"] is None
    assert match.table["claimed_from"] == 0
    match.play("mhing")
    result = match.table["result"]
    assert (result["winner"], result["payer"]) == (1, 0)
    assert result["payments"] == [
        -2 * result["points"],
        4 * result["points"],
        *[-result["points"]] * 2,
    ]


def test_nobody_pays_double_for_a_drawn_card() -> None:
    match = Match(table(["123p456p789p222m5s", DULL, DULL, DULL], "5s"))
    match.play("mhing")
    result = match.table["result"]
    assert result["payer"] == -1
    assert result["payments"] == [3 * result["points"], *[-result["points"]] * 3]


def test_mhing_need_not_be_declared() -> None:
    match = Match(table(["123p456p789p222m5s", DULL, DULL, DULL], "5s"))
    assert "mhing" in match.legal()
    match.play("discard 5s")
    assert match.table["phase"] != "over"


def test_the_emergency_brake_ends_the_round_and_scores_nothing() -> None:
    match = Match(
        table(
            ["234s678p111m999pE", DULL, DULL, DULL],
            "E",
            episode="game",
            scoring="chips",
        )
    )
    match.play("mhing")
    result = match.table["result"]
    assert (result["winner"], result["credits"], result["points"]) == (0, 0, 0)
    assert result["payments"] == [0, 0, 0, 0]
    assert match.table["round"] == 1
    assert match.table["dealer"] == 1
    assert match.table["scores"] == [0, 0, 0, 0]


def test_a_player_without_enough_chips_pays_what_is_left_and_plays_on_barefoot() -> None:
    match = Match(
        table(
            [DULL, "567s678s789s555sF", DULL, DULL],
            "9s9s",
            episode="game",
            scoring="chips",
            reward="chips",
            rounds=30,
        )
    )
    match.play("discard 9s", "mhing")
    result = match.table["result"]
    assert result["points"] == 256
    assert result["payments"] == [-500, 1012, -256, -256]
    assert match.table["chips"] == [0, 1512, 244, 244]
    match.play_by(moody, Random(5))
    assert sum(match.table["chips"]) == 2000


def test_the_game_ends_when_one_player_has_all_chips() -> None:
    match = Match(
        table(
            [DULL, "567s567s678s789s9s", DULL, DULL],
            "9s",
            episode="game",
            scoring="chips",
            reward="win",
        )
    )
    match.play("discard 9s", "mhing")
    assert match.state.is_terminal
    assert match.table["chips"] == [0, 2000, 0, 0]
    assert match.state.returns().tolist() == [0, 1, 0, 0]


# ---- Laying melds down --------------------------------------------------------------------------


def test_melds_are_laid_from_the_hand_only_in_jmhing() -> None:
    hands = ["123p456p789pJJJ2m", DULL, DULL, DULL]
    boxed = Match(table(hands, "5s"))
    assert all(action.startswith(("discard", "mhing")) for action in boxed.legal())
    match = Match(table(hands, "5s", rules="jmhing"))
    match.play("sequence 123p", "sequence 456p", "sequence 789p", "triplet P*P*P*")
    assert sorted(match.legal()) == ["discard 2m", "discard 5s"]
    match.play("discard 5s")
    assert match.table["hands"][0] == ["2m"]


def test_mhing_after_laying_all_four_melds() -> None:
    match = Match(table(["123p456p789pJJJ2m", DULL, DULL, DULL], "2m", rules="jmhing"))
    match.play("sequence 123p", "sequence 456p", "sequence 789p", "triplet P*P*P*")
    assert sorted(match.legal()) == ["discard 2m", "mhing"]
    match.play("mhing")
    assert match.table["result"]["arrangement"][:4] == ["123p", "456p", "789p", "P*P*P*"]


def test_nothing_connects_is_gone_once_a_meld_is_laid() -> None:
    match = Match(table(["147s258p36mESWNJ", DULL, DULL, DULL], "J", rules="jmhing"))
    assert "mhing" in match.legal()
    match.play("sequence 1*2*3m" if "sequence 1*2*3m" in match.legal() else "triplet EE*E*")
    assert "mhing" not in match.legal()


# ---- Flowers and washes -------------------------------------------------------------------------


def test_a_chain_of_flowers_is_replaced_at_once() -> None:
    match = Match(table([DULL, DULL, DULL, TRIPLET_CLAIMER], "FF1sFFF2s"))
    assert match.table["flowers"] == [2, 0, 0, 0]
    assert match.table["drawn"] == "1s"
    match.play_unclaimed("discard 1s")
    assert match.table["flowers"] == [2, 3, 0, 0]
    assert match.table["drawn"] == "2s"


def replaced_in_passes(deck: list[int], seats: int, dealer: int) -> dict[str, Any]:
    """A deal by the rules: 13 cards each, flowers replaced in passes, the dealer's draw."""
    order = [(dealer + step) % seats for step in range(seats)]
    hands = {seat: deck[n * HAND : (n + 1) * HAND] for n, seat in enumerate(order)}
    source = deck[seats * HAND :]
    flowers = [0] * seats
    replaced: dict[int, list[int]] = hands
    laid: list[int] = []
    while any(FLOWER in cards for cards in replaced.values()):
        drawn = {}
        for seat in order:
            count = replaced[seat].count(FLOWER)
            drawn[seat] = source[:count]
            source = source[count:]
            flowers[seat] += count
            laid += [seat] * count
            hands[seat] = [card for card in hands[seat] if card != FLOWER] + drawn[seat]
        replaced = drawn
    while source[0] == FLOWER:
        source = source[1:]
        flowers[dealer] += 1
        laid.append(dealer)
    hands[dealer] = [*hands[dealer], source[0]]
    return {
        "hands": [[NAMES[card] for card in sorted(hands[seat])] for seat in range(seats)],
        "source": [NAMES[card] for card in source[1:]],
        "flowers": flowers,
        "drawn": NAMES[source[0]],
        "laid": laid,
    }


def test_deals_from_given_decks() -> None:
    rng = Random(17)
    for _ in range(300):
        seats, dealer = rng.randint(2, 6), rng.randint(0, 5)
        deck = list(DECK)
        rng.shuffle(deck)
        if rng.random() < 0.7:
            # Bring the flowers to the top, so that they come in several passes.
            top = rng.randint(13, 13 * seats + 12)
            deck.sort(key=lambda card: card != FLOWER)
            head = deck[:8] + deck[8:][: top - 8]
            rng.shuffle(head)
            deck = head + deck[top:]
        dealer %= seats
        game = mhing.Game("mhing", num_players=seats, dealer=dealer)
        dealt = game.new_state(rng.getrandbits(64), deck=deck).to_dict()
        expected = replaced_in_passes(deck, seats, dealer)
        assert [
            event["seat"] for event in dealt["events"] if event["event"] == "flower"
        ] == expected.pop("laid")
        assert {name: dealt[name] for name in expected} == expected
        assert deal_faults(dealt) == []


@pytest.mark.parametrize("end", ["1s", "F", "FFFF"])
def test_an_empty_source_washes_the_round(end: str) -> None:
    match = Match(table([DULL, DULL, DULL, TRIPLET_CLAIMER], "7m", last=end, episode="game"))
    match.play("discard 7m")
    for _ in range(1_000):
        if match.table["round"]:
            break
        match.play(reluctant(match.state, match.legal(), Random(0)))
    assert match.table["result"]["winner"] == -1
    assert match.table["dealer"] == 1
    assert match.table["scores"] == [0, 0, 0, 0]


@pytest.mark.slow
def test_the_last_discard_can_still_be_claimed() -> None:
    claimed = 0
    for seed in range(25):
        match = Match(mhing.Game("mhing", num_players=3).new_state(seed))
        rng = Random(seed)
        while not match.state.is_terminal and match.table["source"]:
            match.play(reluctant(match.state, match.legal(), rng))
        while not match.state.is_terminal:
            claimed += match.table["phase"] == "claim"
            match.play(eager(match.state, match.legal(), rng))
    assert claimed


# ---- The beginning of a game --------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_a_new_game(players: int) -> None:
    """The first dealer is drawn at random, or given; nobody has points, everybody 500 chips."""
    dealers = Counter[int]()
    for seed in range(60 * players):
        dealt = mhing.Game("mhing", num_players=players).new_state(seed).to_dict()
        assert deal_faults(dealt) == []
        assert (dealt["round"], dealt["turn"], dealt["phase"]) == (0, 1, "turn")
        assert dealt["seat"] == dealt["on_turn"] == dealt["dealer"]
        assert dealt["scores"] == [0] * players
        assert dealt["chips"] == ([500] * players if players <= 4 else None)
        assert dealt["result"] is None
        dealers[dealt["dealer"]] += 1
    assert len(dealers) == players
    assert all(abs(count - 60) < 5 * 60**0.5 for count in dealers.values())
    for dealer in range(players):
        game = mhing.Game("mhing", num_players=players, dealer=dealer)
        assert game.new_state(1).to_dict()["dealer"] == dealer


@pytest.mark.parametrize(
    "options",
    [
        {"num_players": 5, "scoring": "chips"},
        {"num_players": 6, "reward": "chips"},
        {"num_players": 2, "dealer": 2},
        {"num_players": 7},
        {"num_players": 1},
        {"seven_pairs": "perhaps"},
        {"rules": "unheard of"},
        {"no_such_option": 1},
    ],
)
def test_options_that_exclude_each_other_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        mhing.Game("mhing", **options)


# ---- Whole games --------------------------------------------------------------------------------


def test_the_deals_follow_from_the_seed_alone() -> None:
    """The play of a round changes nothing about the cards of the next."""
    second_rounds = set()
    for policy in (greedy, moody, reluctant):
        match = Match(mhing.Game("mhing", episode="game").new_state(12))
        while match.table["round"] == 0:
            match.play_by(policy, Random(1), decisions=1)
        second_rounds.add(str((match.table["hands"], match.table["source"])))
    assert len(second_rounds) == 1


@pytest.mark.parametrize("rounds", [1, 4])
def test_an_agreed_number_of_rounds(rounds: int) -> None:
    match = Match(mhing.Game("mhing", episode="game", rounds=rounds, target=0).new_state(3))
    match.play_by(greedy, Random(1))
    assert match.table["result"]["round"] == rounds - 1


def test_a_game_to_a_target() -> None:
    match = Match(mhing.Game("mhing", episode="game", target=100, reward="win").new_state(4))
    match.play_by(greedy, Random(2))
    assert max(match.table["scores"]) >= 100
    assert match.table["scores"][match.table["result"]["winner"]] >= 100
    assert match.state.returns().sum() == 1


@pytest.mark.parametrize("reward", ["credits", "points", "chips", "win"])
@pytest.mark.parametrize("scoring", ["points", "chips"])
def test_returns_are_the_change_of_the_score(reward: str, scoring: str) -> None:
    game = mhing.Game("mhing", episode="game", rounds=5, target=0, scoring=scoring, reward=reward)
    match = Match(game.new_state(8))
    credits = [0, 0, 0, 0]
    while not match.state.is_terminal:
        over = match.state.info()["rounds_over"]
        match.play_by(greedy, Random(3), decisions=1)
        info: dict[str, Any] = match.state.info()
        if info["rounds_over"] != over and info["winner"] >= 0:
            credits[info["winner"]] += info["credits"]
    expected = {
        "credits": credits,
        "points": match.table["scores"],
        "chips": [chips - 500 for chips in match.table["chips"]],
    }
    returns = match.state.returns().tolist()
    if reward == "win":
        decided_by = expected["chips" if scoring == "chips" else "points"]
        best = max(decided_by)
        assert returns == [(have == best) / decided_by.count(best) for have in decided_by]
    else:
        assert returns == expected[reward]


def test_what_a_damaged_snapshot_restores_is_a_table_of_the_game(full: bool) -> None:
    """Wrong bytes are refused, or lead to a position that the referee finds nothing wrong with."""
    games = (
        mhing.Game("mhing", lay_down=number % 2 == 1, num_players=2 + number % 4)
        for number in range(40 if full else 4)
    )
    restore_damaged_snapshots(games, 80, Match, moody)


def situations(match: Match) -> set[str]:
    """Special features of a position, so that the random games can be shown to reach it."""
    table = match.table
    seen = {event["event"] for event in table["events"]}
    if table["phase"] == "claim" and table["offer"] == "J":
        seen.add("joker on offer")
    if table["phase"] == "claim" and len(table["claims"]) + len(table["to_ask"]) >= 2:
        seen.add("three asked")
    if any(
        discard["card"] == "J" and discard["taken_by"] is not None for discard in table["discards"]
    ):
        seen.add("joker claimed")
    if any(len(hand) == 1 for hand in table["hands"]):
        seen.add("one card left")
    if any(len(meld["jokers"]) == 3 for melds in table["melds"] for meld in melds):
        seen.add("meld of jokers")
    result = table["result"]
    if result and result["winner"] >= 0:
        seen.add(result["shape"])
        seen.add("made possible" if result["payer"] >= 0 else "drawn")
        if result["credits"] == 0:
            seen.add("no credits")
    return seen


@pytest.mark.slow
def test_random_games(full: bool) -> None:
    """Two to six players, every rule switched at random, every temper of play."""
    rng = Random(99)
    seen: Counter[str] = Counter()
    for number in range(1_500 if full else 60):
        players = 2 + number % 5
        options: dict[str, Any] = {
            "num_players": players,
            "lay_down": rng.random() < 0.5,
            "seven_pairs": rng.random() < 0.3,
            "episode": "game",
            "rounds": rng.choice((1, 2, 3)),
            "target": rng.choice((0, 16)),
            "reward": rng.choice(("credits", "points", "win")),
        }
        if players <= 4:
            options["scoring"] = rng.choice(("points", "chips"))
            options["reward"] = rng.choice(("credits", "points", "chips", "win"))
        match = Match(mhing.Game("mhing", **options).new_state(number))
        policy = moody if number % 3 else ALL[rng.choice(sorted(ALL))]
        while not match.state.is_terminal:
            match.play_by(policy, rng, decisions=1)
            seen.update(situations(match))
    assert seen.keys() >= {
        "deal",
        "flower",
        "discard",
        "claim",
        "lay_down",
        "mhing",
        "wash",
        "joker on offer",
        "three asked",
        "joker claimed",
        "one card left",
        "meld of jokers",
        "melds",
        "made possible",
        "drawn",
    }
