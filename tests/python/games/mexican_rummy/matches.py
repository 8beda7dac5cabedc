"""Mexican Rummy for tests: decks that bring about a wanted position, and games with a referee."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from random import Random
from typing import Any

import numpy as np
import playing
from playing import DULL, cards
from policies import Policy, at_random, greedy
from reference.mexican_rummy import HAND, RummyReferee
from reference.rummy_plan import TYPES

import mhing


def table(
    hands: list[str | None], draws: str, up: str = "9c", last: str = "", **options: Any
) -> mhing.State:
    """A state dealt so: a seat for each hand, seat 0 begins.

    `up` is turned up, `draws` are drawn first, `last` last, and the others in between.
    """
    named = [
        card for text in [draws, up, last, *(hand or "" for hand in hands)] for card in cards(text)
    ]
    left = Counter(dict.fromkeys(TYPES, 2))
    left.subtract(named)
    assert min(left.values()) >= 0, f"more than two of a card: {left}"
    dealt = []
    for hand in hands:
        held = dull(left) if hand is DULL else cards(hand)
        assert len(held) == HAND, held
        dealt += held
    between = rest_of([*dealt, *cards(up), *cards(draws), *cards(last)])
    Random(1).shuffle(between)
    deck = [*dealt, *cards(up), *cards(draws), *between, *cards(last)]
    game = mhing.Game("mexican_rummy", num_players=len(hands), dealer=len(hands) - 1, **options)
    return game.new_state(seed=1, deck=[TYPES.index(card) for card in deck])


def rest_of(dealt: Iterable[str]) -> list[str]:
    """The cards of two decks beside these."""
    left = Counter(dict.fromkeys(TYPES, 2))
    left.subtract(dealt)
    return sorted(left.elements())


def dull(left: Counter[str]) -> list[str]:
    """Ten of the cards left, which it takes: nothing fits together, no black 2s and no aces."""
    hand: list[str] = []
    for rank in "369QK47TJ58":
        for suit in "hdsc":
            near = [held for held in hand if held[1] == suit]
            if left[rank + suit] and len(hand) < HAND and len(near) < 3:
                hand.append(rank + suit)
                left[rank + suit] -= 1
                break
    return hand


class Match(playing.Match):
    """A game of Mexican Rummy with its referee."""

    referee_of = RummyReferee

    def play_unasked(self, *actions: str) -> None:
        """Plays these actions, and before each one everybody passes who might ask for a card."""
        for action in actions:
            while self.table["phase"] == "ask":
                self.play("pass")
            self.play(action)


def check_sums(state: mhing.State) -> None:
    """Every card is in one place, by type, and `unseen` counts the places hidden from each seat."""
    game = state.game
    for seat in range(game.num_seats):
        seen = game.unpack(state.observation(seat))
        places = seen["draw_pile_left"] + (seen["hand_size"] - seen["known"].sum(axis=-1))[1:].sum()
        assert seen["unseen"].sum() == places
        assert (seen["drawable"] <= seen["unseen"]).all()
        found = seen["hand"].astype(int) + seen["unseen"] + seen["known"][1:].sum(axis=0)
        for field in ("discards", "meld_cards", "plan_cards", "swap_card"):
            found += np.bincount(seen[field].ravel(), minlength=len(TYPES) + 1)[1:]
        if seen["swap_card"]:  # the black 2 is in the plan already, and still in its run
            found[_swapped(seen)] -= 1
        assert (found == 2).all(), [TYPES[n] for n in np.flatnonzero(found != 2)]


def _swapped(seen: dict[str, Any]) -> int:
    """The type of the black 2 that the observer is about to swap."""
    seat, meld = divmod(int(seen["swap_from"][0]) - 1, 3)
    card = seen["meld_cards"][seat].reshape(3, 14)[meld][seen["swap_from"][1] - 1]
    return int(card) - 1


def polite(state: mhing.State, legal: list[str], rng: Random) -> str:
    """Asks for everything and grants everything, so that hands grow and the draw pile ends."""
    return next((action for action in ("may i", "grant") if action in legal), rng.choice(legal))


def laying(state: mhing.State, legal: list[str], rng: Random) -> str:
    """Greedy with its discards, but lays, swaps and places in any way that is legal."""
    lays = [action for action in legal if action.split()[0] in LAYS]
    return rng.choice(lays) if lays else greedy(state, legal, rng)


def waiting(state: mhing.State, legal: list[str], rng: Random) -> str:
    """Greedy, but asks for nothing and lays nothing, so that the discards are shuffled."""
    idle = [action for action in legal if action.split()[0] not in {*LAYS, "may"}]
    return greedy(state, legal, rng) if idle == legal else rng.choice(idle or legal)


LAYS = {"set", "run", "lay", "onto", "low", "high", "swap"}

ALL: dict[str, Policy] = {
    "at random": at_random,
    "greedy": greedy,
    "polite": polite,
    "laying": laying,
    "waiting": waiting,
}


def moody(state: mhing.State, legal: list[str], rng: Random) -> str:
    """Any of the others at every decision, greedy most often."""
    return rng.choice([greedy, greedy, laying, *ALL.values()])(state, legal, rng)
