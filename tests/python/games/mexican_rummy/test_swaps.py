"""Swaps of Mexican Rummy beside full runs, onto which no card fits, held against the reference."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from playing import cards
from reference.rummy_melds import meld_of
from reference.rummy_plan import RANKS, SUITS, TWOS, TYPES

import mhing
from games.mexican_rummy.matches import Match, laying

HAND = "7s 8s 9s Ts Ah 2h 3h 4h Jc Kc Qh"


def run(ranks: str, suit: str, **wild: str) -> dict[str, Any]:
    """A run of these ranks; `wild` names the black 2 that lies in the place of a rank."""
    cards = [wild.get(f"of_{rank}", rank + suit) for rank in ranks]
    return {"kind": "run", "suit": SUITS.index(suit), "low": RANKS.index(ranks[0]), "cards": cards}


def beside(
    spades: dict[str, Any], diamonds: dict[str, Any], hand: str = HAND, others: str = "9c 9h"
) -> Match:
    """Seat 0 has drawn the `Qh` in turn 9; seat 1 has laid two runs, and holds `others`."""
    game = mhing.Game("mexican_rummy", num_players=2, objective=3)
    state = game.state_from_dict(
        {
            "phase": "play",
            "turn": 9,
            "seat": 0,
            "drawn": "Qh",
            "hands": [hand.split(), others.split()],
            "melds": [[], [spades, diamonds]],
            "discards": [{"card": "5c", "by": 1}],
            "decisions": 40,
        }
    )
    return Match(state)


FULL = RANKS + "A"
SPADES = run(FULL, "s", of_7="2c")
DIAMONDS = run(FULL, "d")


def test_a_black_two_of_a_full_run_is_swapped_though_no_card_fits_onto_it() -> None:
    match = beside(SPADES, DIAMONDS)
    assert {"swap 7s", "run 789Ts", "run A234h"} <= set(match.legal())
    match.play("swap 7s")
    match.play_by(laying, Random(1), decisions=5)
    assert [laid["text"] for laid in match.table["melds"][1]] == [f"{FULL}s", f"{FULL}d"]


def test_the_swap_is_the_same_where_a_card_fits() -> None:
    match = beside(SPADES, run(RANKS, "d"), HAND.replace("Jc", "Ad"), "9c 9h 9d")
    assert "swap 7s" in match.legal()


@pytest.mark.parametrize("bot", ["random", "greedy", "expert"])
def test_bots_play_on_beside_full_runs(bot: str) -> None:
    for seed in range(10):
        state = beside(SPADES, DIAMONDS).state
        assert state.bot_action(bot, seed)[0] in state.legal_actions()
        assert state.resample(1, seed).play_out(bot, seed).is_terminal
        state.apply(state.game.action_id("swap 7s"))
        assert state.play_out(bot, seed).is_terminal


def test_nets_and_hints_know_the_swap() -> None:
    table = beside(SPADES, DIAMONDS).state.to_dict()
    others = [[card + mark for card in cards("4678Tc 5678Th")] for mark in ("", "'")]
    more = {"hands": [*table["hands"], *others], "melds": [*table["melds"], [], []]}
    game = mhing.Game("mexican_rummy", objective=3, hints=True)
    state = game.state_from_dict({name: table[name] for name in KEPT} | more)
    swap = game.action_id("swap 7s")
    assert swap in state.afterstates(every=True).actions
    assert game.unpack(state.observation(0))["lacking_after"][swap] == 0
    assert state.play_out("net", 1).is_terminal


KEPT = ("phase", "turn", "seat", "drawn", "discards", "decisions")


def long_runs(rng: Random) -> list[dict[str, Any]]:
    """Two long runs, most of them full, some with black 2s."""
    melds = []
    for suit in rng.sample(SUITS * 2, 2):
        low, high = rng.choice([(0, 14), (0, 14), (0, 14), (0, 13), (1, 14), (2, 12)])
        laid = [RANKS[place % 13] + suit for place in range(low, high)]
        for place in rng.sample(range(len(laid)), rng.randrange(4)):
            laid[place] = rng.choice(TWOS)
        melds.append({"kind": "run", "suit": SUITS.index(suit), "low": low, "cards": laid})
    return melds


def stood_for(melds: list[dict[str, Any]]) -> list[str]:
    """The cards in whose places black 2s lie."""
    runs = map(meld_of, melds)
    return [
        meld.stands_for(place)
        for meld in runs
        for place in range(meld.low, meld.low + len(meld.cards))
        if meld.is_wild(place)
    ]


def random_beside(rng: Random) -> Match | None:
    """A hand that has two runs or nearly so, beside long runs; None: there are not those cards."""
    melds = long_runs(rng)
    deck = Counter(TYPES * 2)
    deck.subtract(card for meld in melds for card in meld["cards"])
    hand: list[str] = []
    for suit in rng.choices(SUITS, k=2):
        low = rng.randrange(11)
        hand += [RANKS[(low + i) % 13] + suit for i in range(4)]
    hand[rng.randrange(8)] = rng.choice(hand[1:] + TYPES)
    hand += stood_for(melds)[:1]
    deck.subtract(hand)
    if min(deck.values()) < 0:
        return None
    rest = sorted(deck.elements())
    rng.shuffle(rest)
    size = 2 - sum(len(meld["cards"]) for meld in melds) % 2
    taken = iter(rest)
    hands = [
        hand + [next(taken) for _ in range(11 - len(hand))],
        [next(taken) for _ in range(size)],
    ]
    cards_there = [card for held in hands for card in held] + [next(taken)]
    marks = ["'" * (card in cards_there[:place]) for place, card in enumerate(cards_there)]
    names = iter([card + mark for card, mark in zip(cards_there, marks, strict=True)])
    game = mhing.Game("mexican_rummy", num_players=2, objective=3)
    named = [[next(names) for _ in held] for held in hands]
    return Match(
        game.state_from_dict(
            {
                "phase": "play",
                "turn": 9,
                "seat": 0,
                "drawn": rng.choice(named[0]),
                "hands": named,
                "melds": [[], melds],
                "discards": [{"card": next(names), "by": 1}],
                "decisions": 40,
            }
        )
    )


@pytest.mark.slow
def test_masks_beside_long_runs_are_those_of_trying_everything(full: bool) -> None:
    rng = Random(23)
    seen: Counter[str] = Counter()
    for _ in range(20_000 if full else 400):
        match = random_beside(rng)
        if match is None:
            continue
        swaps = [action for action in match.legal() if action.startswith("swap")]
        fits = any(
            any(meld_of(laid).spots(card)) for laid in match.table["melds"][1] for card in TYPES
        )
        seen[f"{'swaps' if swaps else 'no swap'}, {'a card fits' if fits else 'none fits'}"] += 1
        if swaps:
            match.play(rng.choice(swaps))
        match.play_by(laying, rng, decisions=12)
    assert len(seen) == 4
    assert min(seen.values()) > 3, seen
