"""The built-in bots of Mhing do what they are described to do."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from games.mhing.decks import DULL, table
from policies import choice, greedy_against_random

import mhing


def test_random_is_uniform_over_the_legal_actions() -> None:
    state = mhing.Game("mhing").new_state(1)
    legal = state.legal_actions().tolist()
    generator, drawn = 7, Counter[int]()
    for _ in range(500 * len(legal)):
        action, generator = state.bot_action("random", generator)
        drawn[action] += 1
    assert sorted(drawn) == legal
    # Five standard deviations of each count.
    assert all(abs(count - 500) < 5 * 500**0.5 for count in drawn.values())


def test_greedy_declares_a_complete_hand() -> None:
    own = table(["123p456p789p222m5s", DULL, DULL, DULL], "5s")
    assert choice(own) == "mhing"
    discard = table([DULL, "123p456p789p222m5s", DULL, DULL], "5s")
    discard.apply(discard.game.action_id("discard 5s"))
    assert choice(discard) == "mhing"


def test_greedy_claims_what_brings_it_nearer_and_passes_what_does_not() -> None:
    nearer = table([DULL, "46s123p456p78mEER", DULL, DULL], "5s")
    nearer.apply(nearer.game.action_id("discard 5s"))
    assert choice(nearer) == "sequence 456s"
    not_nearer = table([DULL, "456s123p456p78mEE", DULL, DULL], "5s")
    not_nearer.apply(not_nearer.game.action_id("discard 5s"))
    assert not_nearer.seat == 1
    assert choice(not_nearer) == "pass"


def test_greedy_keeps_the_smallest_distance_and_then_the_most_useful_cards() -> None:
    """The hints of the observation say what is nearest; greedy finds it without them."""
    rng = Random(5)
    game = mhing.Game("mhing", hints=True)
    judged = 0
    for seed in range(12):
        state = game.new_state(seed)
        while not state.is_terminal:
            legal = state.legal_actions()
            chosen, _ = state.bot_action("greedy", rng.getrandbits(64))
            shown = game.unpack(state.observation())
            ranks = [
                (int(shown["distance_after"][action]), -int(shown["useful_after"][action]))
                for action in legal
            ]
            rank = ranks[legal.tolist().index(chosen)]
            if game.action_id("mhing") in legal:
                assert game.action_text(chosen) == "mhing"
            elif game.action_id("pass") in legal:
                passed = ranks[legal.tolist().index(game.action_id("pass"))]
                assert (rank == passed) or rank[0] < passed[0]
                assert rank[0] == min(distance for distance, _ in ranks)
            else:
                judged += 1
                assert rank == min(ranks)
            state.apply(chosen)
    assert judged > 50


def test_greedy_beats_random() -> None:
    game = mhing.Game("mhing", reward="win")
    assert greedy_against_random(game, 60)[0] > 40


# ---- The expert ---------------------------------------------------------------------------------


def by_expert(state: mhing.State) -> str:
    action, _ = state.bot_action("expert", 1)
    return state.game.action_text(action)


@pytest.mark.parametrize(
    ("reward", "num_players"),
    [
        (reward, players)
        for reward in ("credits", "points", "chips", "win")
        for players in range(2, 5 if reward == "chips" else 7)  # R8.4
    ],
)
@pytest.mark.parametrize("variant", ["boxed", "jmhing", "seven_pairs"])
def test_the_expert_plays_every_variant_to_the_end(
    num_players: int, variant: str, reward: str
) -> None:
    rules: dict[str, object] = {
        "boxed": {}, "jmhing": {"rules": "jmhing"}, "seven_pairs": {"seven_pairs": True},
    }[variant]  # fmt: skip
    game = mhing.Game("mhing", num_players=num_players, reward=reward, **rules)
    declared = 0
    for seed in range(6):
        state = game.new_state(seed)
        while not state.is_terminal:
            action, _ = state.bot_action("expert", seed)
            state.apply(action)  # refuses what is not legal
        declared += state.info()["winner"] >= 0
    assert declared >= 3


@pytest.mark.parametrize("scoring", ["points", "chips"])
@pytest.mark.parametrize("reward", ["credits", "chips", "win"])
def test_the_expert_plays_whole_games(scoring: str, reward: str) -> None:
    game = mhing.Game("mhing", episode="game", scoring=scoring, reward=reward, rounds=12)
    state = game.new_state(3).play_out("expert", 1)
    assert state.is_terminal
    assert state.info()["round"] > 0


def test_the_expert_passes_up_a_cheap_hand_early_and_takes_a_valuable_one() -> None:
    """2 credits with a 4, 6 with a 1, of which three are left."""
    waiting = [DULL, "12323m123p456sEE", DULL, DULL]
    cheap, valuable = table(waiting, "4m"), table(waiting, "1m")
    cheap.apply(cheap.game.action_id("discard 4m"))
    valuable.apply(valuable.game.action_id("discard 1m"))
    for state, wanted in ((cheap, "pass"), (valuable, "mhing")):
        assert state.seat == 1
        assert "mhing" in [state.game.action_text(a) for a in state.legal_actions()]
        assert by_expert(state) == wanted


def test_the_expert_gives_up_a_joker_last() -> None:
    own = table(["123p456p789p22mJJ", DULL, DULL, DULL], "9s")
    assert by_expert(own) != "discard J"


def test_the_expert_beats_greedy() -> None:
    """On the same deals, each seat in turn; its mean is 0.2 credits above greedy's."""
    game = mhing.Game("mhing")
    expert = greedy = 0.0
    for seed in range(250):
        greedy += game.new_state(seed).play_out("greedy", 1).returns().sum()
        for seat in range(4):
            state = game.new_state(seed)
            while not state.is_terminal:
                action, _ = state.bot_action("expert" if state.seat == seat else "greedy", 1)
                state.apply(action)
            expert += state.returns()[seat]
    assert expert > greedy


def test_the_expert_knows_only_what_its_seat_sees() -> None:
    """With all other cards drawn anew it decides the same, whatever it is paid in."""
    asked = 0
    for number, reward in enumerate(["credits", "points", "chips", "win"]):
        state = mhing.Game("mhing", reward=reward, lay_down=number % 2 == 0).new_state(number)
        while not state.is_terminal:
            action, _ = state.bot_action("expert", 1)
            for seed in range(3):
                other = state.resample(state.seat, seed)
                assert other.seat == state.seat
                assert other.bot_action("expert", 1)[0] == action
                asked += 1
            state.apply(action)
    assert asked > 200
