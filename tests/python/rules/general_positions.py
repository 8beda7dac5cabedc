"""Positions of General Mhing, set up by hand for the tests of its rules."""

from __future__ import annotations

from typing import Any

from playing import cards
from policies import play

import mhing

State = mhing.State
FEW = "Th Jd Kd 3s 6s 9s Qs"
"""A hand without anything near each other."""


def at(options: dict[str, Any] | None = None, **keys: Any) -> State:
    """A position of which hands and sequences are written as texts."""
    keys["hands"] = [cards(hand) for hand in keys["hands"]]
    laid = keys.get("sequences", [])
    keys["sequences"] = [[{"text": text} for text in texts.split()] for texts in laid]
    game = mhing.Game("general_mhing", **{"num_players": len(keys["hands"]), **(options or {})})
    return game.state_from_dict({name: value for name, value in keys.items() if value})


def legal(state: State) -> set[str]:
    return set(map(state.game.action_text, state.legal_actions().tolist()))


def words(state: State) -> set[str]:
    """The kinds of what is legal."""
    return {text.split()[0] for text in legal(state)}


def laid(state: State, seat: int) -> list[str]:
    return [sequence["text"] for sequence in state.to_dict()["sequences"][seat]]


def idle(state: State) -> None:
    """Plays a turn without a sequence: the card drawn goes."""
    if "draw" in legal(state):
        play(state, "draw")
    play(state, f"discard {state.to_dict()['drawn'][0]}")


def with_an_ace(text: str, held: str, **keys: Any) -> State:
    """Seat 0 has drawn and has a sequence in front of it."""
    return at(hands=[f"{held} 2c 5c 8c", "3s 6s 9s 2d 5d 8d Jd"], sequences=[text, ""], **keys)


def before_the_fourth(**keys: Any) -> State:
    """Seat 0 has three sequences and holds another one; `other` are those of seat 1."""
    options = keys.pop("options", {})
    return at(
        options,
        hands=["JQKh 4s 7s Ts Qs Ks", "2s 3s 5s 6s 8s 9s Js"],
        sequences=["234h 567h 89Th", keys.pop("other", "")],
        **keys,
    )
