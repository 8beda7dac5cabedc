"""Parts of the tests that run over every registered game."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

import mhing

Options = dict[str, Any]
Table = dict[str, Any]

LARGE = [game for game in mhing.games() if mhing.Game(game).num_actions > 10]
"""Games of which no two deals look alike to a seat; the template is smaller."""

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
    """Return whether the core takes these options together."""
    try:
        mhing.Game(game_id, **options)
    except ValueError:
        return False
    return True


GAMES_OF_TWO = [game_id for game_id in mhing.games() if is_allowed(game_id, {"num_players": 2})]
"""For tests whose tables have two seats."""

CASES = [(game_id, options) for game_id in mhing.games() for options in variants(game_id)]
"""Every registered game in every variant."""


def case_name(value: object) -> str:
    """The name of one half of a case for pytest."""
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
    """All that can be read off a state, as bytes; the number of decisions is in the first alone."""
    yield state.to_bytes()
    yield state.action_mask().tobytes()
    yield state.omniscient().tobytes()
    yield str((state.seat, state.rewards().tolist(), state.returns().tolist())).encode()
    yield str({**state.to_dict(), "decisions": None}).encode()
    for seat in range(state.game.num_seats):
        yield state.observation(seat).tobytes()


def in_another_process(tool: str, task: object) -> Any:
    """The result of a function of `other_process.py` for the task."""
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name("other_process.py"), tool],
        input=json.dumps(task),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


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


# ---- What a game's reference adds ---------------------------------------------------------------


def reference(game_id: str, function: str) -> Callable[[Table], Any] | None:
    """A function of the game's own module `reference/GAME.py`, if it has one of that name.

    None has to be there. `card_names(table)` lists all cards of a `to_dict()`, wherever they lie,
    by their labels: with it no card can get lost. `legal_actions(table)` is the set of the texts of
    all that the seat to act may do: with it no action can be missing.
    """
    try:
        module = import_module(f"reference.{game_id}")
    except ModuleNotFoundError:
        return None
    return getattr(module, function, None)


def hidden_cards(state: mhing.State) -> Counter[str]:
    """Labels of the cards in hands and hidden piles."""
    table = state.to_dict()
    cards = [card for hand in table["hands"] for card in hand]
    for pile in piles(state.game):
        cards += table.get(pile, [])
    return Counter(map(label, cards))


def piles(game: mhing.Game) -> list[str]:
    """Names of the omniscient observation's fields, under which `to_dict()` has piles of cards."""
    return [field.name for field in game.omniscient_fields if field.name != "hands"]


def hidden_numbers(state: mhing.State) -> NDArray[np.uint8]:
    """All that is hidden: the omniscient observation, or the hands where a game brings none."""
    if state.game.omniscient_size:
        return state.omniscient()
    names = state.game.labels["cards"]
    hands = [Counter(map(label, hand)) for hand in state.to_dict()["hands"]]
    return np.array([hand[name] for hand in hands for name in names], np.uint8)


GENERATORS = ("random", "shuffler")
"""The keys of a `to_dict()` that chance will bring."""


def hidden_keys(game: mhing.Game) -> set[str]:
    """The keys of a `to_dict()` that seats may not know, and its events.

    The number of decisions shows who was asked.
    """
    return {"events", "hands", "decisions", *GENERATORS, *piles(game)}


def seats(game: mhing.Game) -> range:
    """The seats at the table."""
    return range(game.num_seats)


def without_generators(state: mhing.State) -> dict[str, Any]:
    """The table as it lies."""
    return {name: value for name, value in state.to_dict().items() if name not in GENERATORS}


MARK = "'"
"""Follows the text of a card where equal cards can be told apart."""


def label(text: str) -> str:
    """The text of a card without the mark that tells equal cards apart."""
    return text.rstrip(MARK)


def check_cards(state: mhing.State) -> None:
    """No card is lost or made: all are there, as far as it can be seen where they lie."""
    names = state.game.labels["cards"]
    deck = Counter(names[card] for card in state.game.describe()["deck"])
    card_names = reference(state.game.id, "card_names")
    if card_names is not None:
        assert Counter(map(label, card_names(state.to_dict()))) == deck, "cards are lost or made"
    assert hidden_cards(state) <= deck, "there are more of a card than in the deck"


def check_mask(state: mhing.State) -> None:
    """The legal actions are those of the game's reference, or at least name cards in reach."""
    game, table = state.game, state.to_dict()
    legal = {game.action_text(action) for action in state.legal_actions().tolist()}
    assert bool(legal) != state.is_terminal
    legal_actions = reference(game.id, "legal_actions")
    if legal_actions is not None and legal:
        expected = legal_actions(table)
        assert legal == expected, f"too many {legal - expected}, missing {expected - legal}"
    open_words = str({key: value for key, value in table.items() if key not in hidden_keys(game)})
    for text in legal:
        for card in set(text.split()) & set(game.labels["cards"]):
            held = card in map(label, table["hands"][state.seat])
            assert held or card in open_words, f"{text}: that card is neither held nor open"


def check_state(state: mhing.State) -> None:
    """Assert all that holds for every state, wherever it comes from."""
    assert -1 <= state.seat < state.game.num_seats
    assert np.isfinite(state.returns()).all()
    check_mask(state)
    check_cards(state)
    check_views(state)


def check_views(state: mhing.State) -> None:
    """No number that a seat or nobody sees is higher than its field may be."""
    game = state.game
    observations = np.stack([state.observation(seat) for seat in seats(game)])
    views = [
        (game.unpack(observations), game.observation_fields),
        (game.unpack_omniscient(state.omniscient()), game.omniscient_fields),
    ]
    for named, fields in views:
        for field in fields:
            assert named[field.name].max(initial=0) <= field.high, field.name
