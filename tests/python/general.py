"""General Mhing for tests: decks that bring about a wanted position, and games with a referee."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from reference.general_mhing import DECK, HAND, GeneralReferee

import mhing

DULL = None
"""In place of a hand: one of those cards that are left, in which nothing fits together."""


def cards(text: str) -> list[str]:
    """ "789h 2s" -> 7h 8h 9h 2s."""
    return [rank + word[-1] for word in text.split() for rank in word[:-1]]


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


class Match:
    """Plays a state and has every decision of it judged."""

    def __init__(self, state: mhing.State) -> None:
        self.state = state
        self.referee = GeneralReferee(state.to_dict())

    @property
    def table(self) -> dict[str, Any]:
        """The engine's table, which agrees with the referee's."""
        return self.referee.table

    def legal(self) -> list[str]:
        """The texts of the legal actions, after comparing them with the referee's."""
        text = self.state.game.action_text
        legal = [text(action) for action in self.state.legal_actions().tolist()]
        by_the_rules = self.referee.legal_actions()
        assert set(legal) == by_the_rules, (set(legal) ^ by_the_rules, str(self.state))
        assert len(legal) != 1, "asked without a choice"
        return legal

    def play(self, *actions: str) -> None:
        """Plays these actions one after the other."""
        for action in actions:
            assert action in self.legal(), (action, self.legal(), str(self.state))
            before = str(self.state)
            self.state.apply(self.state.game.action_id(action))
            after = self.state.to_dict()
            self.referee.apply(action, after)
            differences = self.referee.differences(after)
            assert not differences, (differences, action, before, str(self.state))

    def play_by(self, policy: Policy, rng: Random, decisions: int = 1_000_000) -> None:
        """Plays on by a policy, to the end of the episode or for so many decisions."""
        for _ in range(decisions):
            if self.state.is_terminal:
                assert self.legal() == []
                return
            self.play(policy(self.state, self.legal(), rng))


Policy = Callable[[mhing.State, list[str], Random], str]
"""Chooses one of the texts of the legal actions."""


def at_random(state: mhing.State, legal: list[str], rng: Random) -> str:
    return rng.choice(legal)


def greedy(state: mhing.State, legal: list[str], rng: Random) -> str:
    action, _ = state.bot_action("greedy", rng.getrandbits(64))
    return state.game.action_text(action)


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
