"""Positions of Mhing, set up by hand for the tests of its rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from games.mhing.decks import DULL, dull
from policies import play
from reference.cards import DECK, FLOWER, NAMES, TYPES, parse_cards, parse_meld

import mhing

SEQUENCE_CLAIMER = "46s258p147mSSWWN"
TRIPLET_CLAIMER = "55s258p147mRRWWN"
MHING_CLAIMER = "123p456p789p222m5s"
"""Of a 5 of bamboo they can claim just what their name says."""

OVER = {"round": 30, "result": {"winner": -1}}
"""Keys of a position late in a game: thirty rounds are over, the last one was a wash."""


def position(
    hands: Sequence[str | None], keys: dict[str, Any] | None = None, **options: object
) -> mhing.State:
    """A state of these hands, in the order of the seats; the last card of seat 0 has been drawn.

    Further `keys` as `to_dict()` has them, but: `source` is a text, and all cards that are nowhere
    else have then been discarded in turn; `melds` has texts.
    """
    given = dict(keys or {})
    melds = given.get("melds", [[] for _ in hands])
    left = Counter(DECK)
    for texts in melds:
        for text in texts:
            left.subtract(parse_meld(text).needs())
    left.subtract(parse_cards("".join(hand or "" for hand in hands)))
    left.subtract(TYPES[made["card"]] for made in given.get("discards", []))
    dealt = [dull(left) if hand is DULL else parse_cards(hand) for hand in hands]
    given["hands"] = [[NAMES[card] for card in hand] for hand in dealt]
    given["melds"] = [[{"text": text} for text in texts] for texts in melds]
    if "source" in given:
        given |= _played(left, given["source"], given.get("flowers", []), len(hands))
    return mhing.Game("mhing", num_players=len(hands), **options).state_from_dict(given)


def _played(left: Counter[int], source: str, flowers: Sequence[int], seats: int) -> dict[str, Any]:
    """The keys of a source of these cards, all others discarded, seat 0 to act."""
    left.subtract(parse_cards(source))
    laid = list(flowers) or [left[FLOWER], *[0] * (seats - 1)]
    dead = [card for card in left.elements() if card != FLOWER]
    dealer = -len(dead) % seats
    return {
        "source": [NAMES[card] for card in parse_cards(source)],
        "flowers": laid,
        "dealer": dealer,
        "discards": [
            {"card": NAMES[card], "by": (dealer + n) % seats} for n, card in enumerate(dead)
        ],
    }


def legal(state: mhing.State) -> set[str]:
    """The texts of the legal actions."""
    return set(map(state.game.action_text, state.legal_actions().tolist()))


def played(state: mhing.State, *actions: str) -> dict[str, Any]:
    """The table after these actions."""
    play(state, *actions)
    return state.to_dict()


def all_pass(state: mhing.State) -> dict[str, Any]:
    """The table when everybody who is asked has passed."""
    while "pass" in legal(state):
        play(state, "pass")
    return state.to_dict()


def declared(
    hand: str, melds: Sequence[str] = (), flowers: int = 0, **options: object
) -> dict[str, Any]:
    """The result of a round in which seat 0 declares this hand after a draw."""
    keys = {"melds": [melds, [], []], "flowers": [flowers, 0, 0]}
    state = position([hand, DULL, DULL], keys, **({"lay_down": True} | options))
    result: dict[str, Any] = played(state, "mhing")["result"]
    assert (result["winner"], result["payer"]) == (0, -1)
    assert sum(credits for _, credits in result["parts"]) == result["credits"]
    return result


def credits_of(
    hand: str, melds: Sequence[str] = (), flowers: int = 0, **options: object
) -> dict[str, int]:
    """The credits of the hand, by name."""
    return dict(declared(hand, melds, flowers, **options)["parts"])
