"""Secrets of the seats of Mhing: other hands, the source, and the claims that did not win."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
from matches import Match
from policies import moody, reluctant
from reference.cards import DECK
from reference.referee import Referee
from rules.citing import rules_of
from viewer import check_resamples_ignore_the_seed

import mhing
from games.mhing.decks import DULL, table

rule = rules_of("mhing")

CLAIMERS = ["46s258p147mSSWWN", "55s258p147mRRWWN", "123p456p789p222m5s"]
CLAIMS = ["sequence 456s", "triplet 555s", "mhing"]


def seen(state: mhing.State) -> list[bytes]:
    return [state.observation(seat).tobytes() for seat in range(state.game.num_seats)]


def test_an_answer_shows_to_nobody_but_its_seat_while_others_are_still_asked() -> None:
    start = table([DULL, *CLAIMERS], "5s")
    start.apply(start.game.action_id("discard 5s"))
    views = set()
    for answers in product(("claim", "pass"), repeat=2):
        state = start.clone()
        for asked, answer in enumerate(answers, 1):
            assert state.seat == asked
            before = seen(state)
            state.apply(state.game.action_id(CLAIMS[asked - 1] if answer == "claim" else "pass"))
            # Only the seat that answered and the one asked next can tell that anything happened.
            others = {0, 1, 2, 3} - {asked, asked + 1}
            assert all(seen(state)[seat] == before[seat] for seat in others)
        assert state.seat == 3
        views.add((seen(state)[0], seen(state)[3]))
    assert len(views) == 1, "seats 0 and 3 saw what seats 1 and 2 had answered"


@rule("R4.7")
def test_a_claim_that_loses_never_shows() -> None:
    outcomes: dict[str, set[tuple[bytes, ...]]] = {}
    for answers in product(("claim", "pass"), repeat=3):
        match = Match(table([DULL, *CLAIMERS], "5s1m"))
        match.play("discard 5s")
        for claim, answer in zip(CLAIMS, answers, strict=True):
            match.play(claim if answer == "claim" else "pass")
        won = max((n for n in range(3) if answers[n] == "claim"), default=None)
        outcomes.setdefault(str(won), set()).add(tuple(seen(match.state)))
    assert len(outcomes) == 4
    assert all(len(views) == 1 for views in outcomes.values())


@rule("R4.7")
def test_the_discarder_cannot_tell_who_is_asked() -> None:
    state = table([DULL, *CLAIMERS], "5s")
    state.apply(state.game.action_id("discard 5s"))
    asked = set()
    for seed in range(200):
        other = state.resample(0, seed)
        assert np.array_equal(other.observation(0), state.observation(0))
        given = other.to_dict()
        asked.add((*[claim["seat"] for claim in given["claims"]], given["seat"], *given["to_ask"]))
    assert len(asked) > 3


def test_resampled_tables_keep_all_that_is_public_and_fit_together() -> None:
    """Those are asked whom the new hands call for, and the answers given are legal."""
    public = [
        "round", "turn", "dealer", "phase", "on_turn", "offer", "offered_by", "claimed_from",
        "melds", "flowers", "discards", "events", "scores", "chips", "returns", "result", "options",
    ]  # fmt: skip
    rng = Random(31)
    for number in range(12):
        game = mhing.Game("mhing", num_players=2 + number % 5, lay_down=number % 2 == 0)
        match = Match(game.new_state(number))
        for moment in range(60):
            if match.state.is_terminal:
                break
            match.play_by(moody if number % 3 else reluctant, rng, decisions=1)
            seat = rng.randrange(game.num_seats)
            other = match.state.resample(seat, moment).to_dict()
            assert {name: other[name] for name in public} == {
                name: match.table[name] for name in public
            }
            assert other["hands"][seat] == match.table["hands"][seat]
            assert [len(hand) for hand in other["hands"]] == [
                len(hand) for hand in match.table["hands"]
            ]
            assert len(other["source"]) == len(match.table["source"])
            assert Referee(other).faults() == []
            if match.state.seat == seat:
                assert other["seat"] == seat
                assert other["drawn"] == match.table["drawn"]


def test_a_resample_can_be_played_on_by_the_rules() -> None:
    rng = Random(37)
    for number in range(8):
        state = mhing.Game("mhing", num_players=2 + number % 5).new_state(number)
        for _ in range(rng.randint(5, 60)):
            if not state.is_terminal:
                state.apply(rng.choice(state.legal_actions().tolist()))
        match = Match(state.resample(rng.randrange(state.game.num_seats), number))
        match.play_by(moody, rng, decisions=60)


def test_the_rest_of_the_game_is_unknown_to_a_resample_too() -> None:
    """The next deals follow from the generator inside the state: it must be drawn anew."""
    game = mhing.Game("mhing", episode="game")
    state = game.new_state(2)
    next_deals = set()
    for seed in range(5):
        other = state.resample(0, seed)
        rng = Random(0)
        while other.to_dict()["round"] == 0:
            other.apply(rng.choice(other.legal_actions().tolist()))
        next_deals.add(str(other.to_dict()["hands"]))
    assert len(next_deals) == 5


def test_a_resample_does_not_depend_on_the_seed_of_the_episode() -> None:
    game = mhing.Game("mhing", episode="game", dealer=0)
    deck = DECK.copy()
    Random(3).shuffle(deck)
    check_resamples_ignore_the_seed(game, deck, 30)


def test_resampled_hands_have_been_played() -> None:
    """After three turns or more others are as near to complete as greedy brings them.

    Cards drawn evenly are 1.5 farther from complete there.
    """
    near: dict[str, list[int]] = {"truth": [], "resample": []}
    for seed in range(60):
        state = mhing.Game("mhing").new_state(seed)
        while not state.is_terminal:
            worlds = {
                "truth": state.to_dict(),
                "resample": state.resample(state.seat, seed).to_dict(),
            }
            for name, world in worlds.items():
                for seat in range(4):
                    if seat != state.seat and 12 <= world["turn"] < 24:
                        melds = [meld["text"] for meld in world["melds"][seat]]
                        near[name].append(mhing.distance("".join(world["hands"][seat]), melds))
            state.apply(state.bot_action("greedy", 0)[0])
    truth, resample = (float(np.mean(near[name])) for name in near)
    assert abs(resample - truth) < 0.5


def test_hidden_cards_are_drawn_evenly() -> None:
    """Before anybody has played, a card is as likely in a hidden place as in any other."""
    state = table([DULL, "123456789sJJJJ", DULL], "5s")
    draws = 3_000
    jokers = sum(state.resample(0, seed).to_dict()["hands"][1].count("J") for seed in range(draws))
    hidden = len(state.to_dict()["source"]) + 2 * 13 - state.to_dict()["source"].count("F")
    expected = draws * 6 * 13 / hidden
    assert abs(jokers - expected) < 5 * expected**0.5
