"""Mhing's features against slow ones, made from a state's JSON and the meanings in mhing.def."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest
from reference.cards import COPIES, JOKER, NAMES, PLAYABLE, parse_cards, parse_meld
from reference.distance import distance
from reference.mhing_features import Left, features
from reference.mhing_plans import PLANS

import mhing
from games.mhing.random_games import random_game

PASS = 339


def lefts(state: mhing.State) -> Iterator[tuple[int, Left]]:
    """The hand after each discard of the seat to act, or after its pass."""
    table, seat = state.to_dict(), state.seat
    hand = Counter(parse_cards("".join(table["hands"][seat])))
    laid = [[parse_meld(meld["text"]) for meld in melds] for melds in table["melds"]]
    unseen = Counter({card: COPIES[card] for card in (*PLAYABLE, JOKER)}) - hand
    for melds in laid:
        for meld in melds:
            unseen -= meld.needs()
    for made in table["discards"]:
        if made["taken_by"] is None:
            unseen -= Counter(parse_cards(made["card"]))
    own = [meld.cards for meld in laid[seat]]
    if table["phase"] == "claim":
        yield PASS, Left(table, seat, hand, own, unseen, None)
        return
    for card in sorted(hand):
        yield card, Left(table, seat, hand - Counter([card]), own, unseen, card)


def named(game: mhing.Game, row: np.ndarray[Any, np.dtype[np.float32]]) -> dict[str, list[float]]:
    return {f.name: row[f.offset : f.offset + f.count].tolist() for f in game.features}


def assert_alike(found: dict[str, list[float]], left: Left) -> None:
    expected = features(left)
    assert found["distances"] == expected["distances"]
    unsettled = PLANS.index("all five") - 1  # its useful cards are those of each group, about
    assert 0 <= found["useful_for"][unsettled] <= 1
    found["useful_for"][unsettled] = expected["useful_for"][unsettled]
    away = distance(left.hand.elements(), len(left.laid), left.seven_pairs)
    one, two = found.pop("expert")
    assert one == pytest.approx(expected.pop("expert")[0], abs=1e-6)
    assert (two != 0) <= (away == 2)
    assert found.keys() == expected.keys()
    for name, numbers in found.items():
        assert numbers == pytest.approx(expected[name], abs=1e-6), name


@pytest.mark.slow
def test_features_are_those_of_the_reference(full: bool) -> None:
    compared = Counter[str]()
    for seed in range(3_000 if full else 50):
        rng = Random(seed)
        game = random_game(rng)
        if game.options["reward"] == "win" and game.options["episode"] == "game":
            continue
        state = game.new_state(seed)
        while not state.is_terminal and state.rounds_over < 2:
            if rng.random() < 0.08:
                actions, rows, _ = state.afterstates(every=True)
                choices = list(lefts(state))
                for action, left in rng.sample(choices, min(2, len(choices))):
                    assert_alike(named(game, rows[actions == action][0]), left)
                    compared["pass" if action == PASS else "discard"] += 1
            if rng.random() < 0.1:
                state.apply(rng.choice(state.legal_actions().tolist()))
            else:
                state.apply(state.bot_action("greedy", 0)[0])
    assert compared["discard"] > 150
    assert compared["pass"] > 30


def given_like_others(discards: list[tuple[str, int, int | None]]) -> set[str]:
    """The discards of seat 0 that are flagged as such of which another seat's last one was."""
    melds: list[list[dict[str, Any]]] = [[], [], []]
    for card, by, taker in discards:
        if taker is not None:
            melds[taker].append({"text": card[0] * 3 + card[1:], "from": by})
    hands = ["147s258p369mESWNR", "159s159p159mEEWW", "369s147p258mSSNN"]
    held = [
        [NAMES[card] for card in parse_cards(hand)][: 13 - 3 * len(laid) + (seat == 0)]
        for seat, (hand, laid) in enumerate(zip(hands, melds, strict=True))
    ]
    made = [{"card": card, "by": by, "taken_by": taker} for card, by, taker in discards]
    state = mhing.Game("mhing", num_players=3).state_from_dict(
        {"hands": held, "melds": melds, "discards": made}
    )
    actions, rows, _ = state.afterstates(every=True)
    texts = map(state.game.action_text, actions.tolist())
    rows_by_text = dict(zip(texts, rows, strict=True))
    return {text for text, row in rows_by_text.items() if named(state.game, row)["given"][7]}


def test_a_discard_is_compared_with_the_last_one_of_each_other_seat() -> None:
    """Its last one, however old: seat 1 is skipped by a claim. Not the one before, nor an own."""
    assert given_like_others([("7s", 0, None), ("1s", 1, None), ("2p", 2, None)]) == {
        "discard 1s", "discard 2p",
    }  # fmt: skip
    skipped = [("P", 0, 2), ("8m", 2, None)]
    older = [("7s", 0, None), ("1s", 1, None), ("2p", 2, None)]
    assert given_like_others([*older, *skipped]) == {"discard 1s"}
    later = [("7s", 0, None), ("9s", 1, None), ("2p", 2, None)]
    assert given_like_others([*older, *later]) == {"discard 2p"}
