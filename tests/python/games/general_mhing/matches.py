"""General Mhing for tests: decks that bring about a wanted position, and games with a referee."""

from __future__ import annotations

from random import Random
from typing import Any

import playing
from playing import DULL, cards
from policies import Policy, at_random, greedy
from reference.general_mhing import DECK, HAND, GeneralReferee

import mhing


def table(
    hands: list[str | None], draws: str, starter: int = 0, last: str = "", **options: Any
) -> mhing.State:
    """A state dealt so: a seat for each hand, the starter's first and clockwise from there.

    `draws` are drawn first, `last` last, and the other cards of the deck in between.
    """
    named = [
        card for text in [draws, last, *(hand or "" for hand in hands)] for card in cards(text)
    ]
    assert len(set(named)) == len(named), f"twice in {named}"
    left = [card for card in DECK if card not in named]
    dealt = []
    for hand in hands:
        held = _dull(left) if hand is DULL else cards(hand)
        assert len(held) == HAND, held
        dealt += held
        left = [card for card in left if card not in held]
    deck = [*dealt, *cards(draws), *left, *cards(last)]
    game = mhing.Game("general_mhing", num_players=len(hands), starter=starter, **options)
    return game.new_state(seed=1, deck=[DECK.index(card) for card in deck])


def _dull(left: list[str]) -> list[str]:
    """Seven natural cards of which no two are of one suit and near each other."""
    hand: list[str] = []
    for card in left:
        near = [
            held
            for held in hand
            if held[1] == card[1] and abs(DECK.index(held) - DECK.index(card)) < 4
        ]
        if card[0] != "A" and not near:
            hand.append(card)
    return hand[:HAND]


class Match(playing.Match):
    """A game of General Mhing with its referee."""

    referee_of = GeneralReferee


def swapping(state: mhing.State, legal: list[str], rng: Random) -> str:
    """Lays aces in sequences, swaps them back whenever it can, and never discards one."""
    wishes = [
        lambda action: action.startswith("swap"),
        lambda action: "*" in action,
        lambda action: action == "take" or action.startswith("sequence"),
        lambda action: "A" not in action,
    ]
    return rng.choice(next(list(filter(wish, legal)) for wish in wishes if any(map(wish, legal))))


def hoarding(state: mhing.State, legal: list[str], rng: Random) -> str:
    """Lays nothing, so that the discards are shuffled again and again."""
    idle = [action for action in legal if action != "take" and not action.startswith("sequence")]
    return rng.choice(idle or legal)


ALL: dict[str, Policy] = {
    "at random": at_random,
    "greedy": greedy,
    "swapping": swapping,
    "hoarding": hoarding,
}


def moody(state: mhing.State, legal: list[str], rng: Random) -> str:
    """Any of the others at every decision."""
    return rng.choice(list(ALL.values()))(state, legal, rng)
