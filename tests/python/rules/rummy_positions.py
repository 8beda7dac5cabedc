"""Positions of Mexican Rummy, set up by hand for the tests of its rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from games.mexican_rummy.matches import dull
from playing import DULL
from policies import play
from reference.rummy_plan import RANKS, SUITS, TYPES

import mhing

Table = dict[str, Any]


def cards(text: str) -> list[str]:
    """ "789h 2sc" -> 7h 8h 9h 2s 2c."""
    found = []
    for word in text.split():
        same_rank = set(word[1:]) <= set(SUITS)
        found += [word[0] + suit if same_rank else suit + word[-1] for suit in _varied(word)]
    return found


def _varied(word: str) -> str:
    """The difference between the cards of a word: their suits or their ranks."""
    return word[1:] if set(word[1:]) <= set(SUITS) else word[:-1]


def a_set(text: str) -> Table:
    """ "7shd": three sevens."""
    return {"kind": "set", "rank": RANKS.index(text[0]), "cards": [text[0] + s for s in text[1:]]}


def a_run(text: str, *twos: str) -> Table:
    """ "456*7d" and "2c": a run with a 2 of clubs in the place of the 6."""
    suit, wilds, held = text[-1], list(twos), []
    for at, rank in enumerate(text[:-1]):
        if rank != "*":
            held.append(wilds.pop(0) if text[at + 1] == "*" else rank + suit)
    return {"kind": "run", "suit": SUITS.index(suit), "low": RANKS.index(text[0]), "cards": held}


def position(
    hands: Sequence[str | None],
    melds: Sequence[Sequence[Table]] = (),
    *,
    draws: str = "",
    pile: str | None = None,
    discards: str = "",
    keys: Table | None = None,
    **options: object,
) -> mhing.State:
    """A state in the second turn of seat 0, which has drawn the last card of its hand.

    A seat for each hand. The draw pile begins with `draws`; with `pile` it is no more than that,
    and what is nowhere else lies below the `discards`, all discarded by the last seat. `keys` are
    more keys of the position, as `to_dict()` has them.
    """
    seats = len(hands)
    given: Table = {"phase": "play", "turn": seats + 1, **(keys or {})}
    laid = [list(of_seat) for of_seat in melds] + [[] for _ in range(seats - len(melds))]
    in_melds = [card for of_seat in laid for meld in of_seat for card in meld["cards"]]
    left = Counter(dict.fromkeys(TYPES, 2))
    left.subtract([*in_melds, *cards(f"{draws} {pile or ''} {discards}")])
    for hand in hands:
        left.subtract(cards(hand or ""))
    assert min(left.values()) >= 0, f"more than two of a card: {left}"
    held = [dull(left) if hand is DULL else cards(hand) for hand in hands]
    rest = sorted(left.elements(), key=TYPES.index)
    below, under = (rest, []) if pile is not None else ([], rest)
    named = Counter[str]()

    def marked(names: Sequence[str]) -> list[str]:
        """Of two equal cards the second one has the mark of its deck."""
        found = []
        for name in names:
            found.append(name + "'" * named[name])
            named[name] += 1
        return found

    given["hands"] = [marked(hand) for hand in held]
    top = marked(cards(discards))
    drawn = marked(cards(draws + (pile or "")))
    given["discards"] = [{"card": card, "by": seats - 1} for card in [*marked(below), *top]]
    if given["turn"] == 1:
        given["discards"] = [{"card": card, "by": None} for card in top]
    named.update(in_melds)
    given["draw_pile"] = [*drawn, *marked(under)]
    given["melds"] = laid
    if given["phase"] == "play" and not laid[0] and not given.get("taken"):
        given.setdefault("drawn", given["hands"][0][-1])
    return mhing.Game("mexican_rummy", num_players=seats, **options).state_from_dict(given)


def legal(state: mhing.State) -> set[str]:
    """The texts of the legal actions."""
    return set(map(state.game.action_text, state.legal_actions().tolist()))


def begins(state: mhing.State) -> set[str]:
    """Those of them that lay the objective down."""
    return {action for action in legal(state) if action.split()[0] in ("set", "run", "swap")}


def played(state: mhing.State, *actions: str) -> Table:
    """The table after these actions."""
    for action in actions:
        assert action in legal(state), (action, legal(state))
        play(state, action)
    return state.to_dict()


def names(held: Iterable[str]) -> list[str]:
    """Cards without the marks of their decks."""
    return [card[:2] for card in held]


def texts(table: Table, seat: int = 0) -> list[str]:
    """The melds of a seat."""
    return [meld["text"] for meld in table["melds"][seat]]


def last_events(table: Table, last: int) -> list[str]:
    """The last so many events."""
    return [event["event"] for event in table["events"][-last:]]
