"""Marks for the tests of envs/CONTRACT.md, and the play that they look at."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import mhing

LONG = 20_000
"""Decisions after which an episode of random play must be over."""

TESTED: set[int] = set()
"""Numbers of the contract that have a test in test_contract.py."""

Test = Callable[..., None]


def demand(*numbers: int) -> Callable[[Test], Test]:
    """Marks a test of these demands, which its message then names."""
    TESTED.update(numbers)
    cited = ", ".join(f"C{number}" for number in numbers)

    def mark(test: Test) -> Test:
        @functools.wraps(test)
        def run(*arguments: Any, **named: Any) -> None:
            try:
                test(*arguments, **named)
            except AssertionError as error:
                raise AssertionError(f"{cited} of envs/CONTRACT.md: {error}") from None

        return run

    return mark


def table_of(game: mhing.Game) -> str:
    """The file with the game's rows."""
    return f"envs/{game.id}/{game.id}.def"


def source_of(game: mhing.Game, function: str) -> str:
    """The function of the game that does something."""
    return f"{game.id}_{function} in envs/{game.id}"


def play(game: mhing.Game, episodes: int = 3) -> Iterator[mhing.State]:
    """The states of some episodes of random play, cut where they do not end."""
    for seed in range(episodes):
        rng, state = Random(seed), game.new_state(seed)
        for _ in range(LONG):
            yield state
            if state.is_terminal:
                break
            state.apply(rng.choice(state.legal_actions().tolist()))


def play_of_bots(game: mhing.Game, episodes: int = 6) -> Iterator[mhing.State]:
    """States in which somebody chooses, in episodes of bots that err now and then."""
    for seed in range(episodes):
        rng, state = Random(seed), game.new_state(seed)
        bot = game.bots[seed % len(game.bots)].name
        for _ in range(LONG):
            if state.is_terminal:
                break
            if len(state.legal_actions()) > 1:
                yield state
            errs = rng.random() < 0.1
            chosen = rng.choice(state.legal_actions().tolist())
            state.apply(chosen if errs else state.bot_action(bot, rng.getrandbits(64))[0])


def printable(text: str) -> bool:
    """Return whether a text can stand in C, in JSON and in a terminal as it is."""
    return bool(re.fullmatch(r"[ -~]+", text)) and not set(text) & set('"\\')
