"""What the tests that run over every registered game share."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from reference import general_mhing, leduc, mexican_rummy, referee

import mhing

Options = dict[str, Any]
Table = dict[str, Any]

FEW = 8
"""A whole-number option with at most so many values is tried with each of them."""


def variants(game_id: str) -> Iterator[Options]:
    """The default game, each preset, each option changed alone, and as many as possible at once."""
    described = mhing.Game(game_id).describe()
    yield {}
    for preset in described["presets"]:
        yield {"rules": preset["name"]}
    together: Options = {}
    for option in described["options"]:
        for value in _other_values(option):
            alone = {option["name"]: value}
            if is_allowed(game_id, alone):
                yield alone
            if is_allowed(game_id, together | alone):
                together |= alone
    yield together


def _other_values(option: dict[str, Any]) -> list[Any]:
    """The values that an option of `describe()` can take, except its default."""
    values: list[Any]
    match option["kind"]:
        case "bool":
            values = [False, True]
        case "choice":
            values = option["choices"]
        case _ if option["high"] - option["low"] < FEW:
            values = list(range(option["low"], option["high"] + 1))
        case _:
            values = []
    return [value for value in values if value != option["default"]]


def is_allowed(game_id: str, options: Options) -> bool:
    """Whether the core takes these options together."""
    try:
        mhing.Game(game_id, **options)
    except ValueError:
        return False
    return True


CASES = [(game_id, options) for game_id in mhing.games() for options in variants(game_id)]
"""Every registered game in every variant."""


def case_name(value: object) -> str:
    """How pytest shows one half of a case."""
    if isinstance(value, dict):
        return " ".join(f"{name}={choice}" for name, choice in value.items()) or "default"
    return str(value)


def some_play(game: mhing.Game, seed: int, decisions: int) -> Iterator[mhing.State]:
    """One state played on at random, given at every decision and at the end of the episode."""
    rng = Random(seed)
    state = game.new_state(seed)
    for _ in range(decisions):
        yield state
        if state.is_terminal:
            return
        state.apply(rng.choice(state.legal_actions().tolist()))


def observables(state: mhing.State) -> Iterator[bytes]:
    """All that can be read off a state, as bytes."""
    yield state.to_bytes()
    yield state.action_mask().tobytes()
    yield state.omniscient().tobytes()
    yield str((state.seat, state.rewards().tolist(), state.returns().tolist())).encode()
    yield str(state.to_dict()).encode()
    for seat in range(state.game.num_seats):
        yield state.observation(seat).tobytes()


def transcript(state: mhing.State, seed: int, decisions: int) -> str:
    """A digest of everything observable while the state is played on at random."""
    rng = Random(seed)
    digest = hashlib.sha256()
    state = state.clone()
    for _ in range(decisions):
        for piece in observables(state):
            digest.update(piece)
        if state.is_terminal:
            break
        state.apply(rng.choice(state.legal_actions().tolist()))
    return digest.hexdigest()


CARDS: dict[str, Callable[[Table], list[str]]] = {
    "mhing": referee.card_names,
    "general_mhing": general_mhing.card_names,
    "mexican_rummy": mexican_rummy.card_types,
    "leduc": leduc.card_names,
}
"""By game: all the cards of a `to_dict()`, wherever they lie. Each registered game needs a line."""


def count_cards(state: mhing.State) -> Counter[str]:
    """How many there are of each card."""
    assert state.game.id in CARDS, f"every_game.py: CARDS needs a line for {state.game.id}"
    return Counter(CARDS[state.game.id](state.to_dict()))
