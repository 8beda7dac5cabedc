"""The state API from Python: a position looked at and played on, in every game.

    taskset -c 0 .venv/bin/python benchmarks/bench_states.py [seconds]

Decisions a second, each of them the observation of the seat to act, its mask, the legal actions and
`apply`. The floor is the same calls into the core by CFFI, with arrays made once, and NumPy's
search for the legal actions. Rates are per second of CPU time, medians of interleaved rounds; each
takes a second by default. Both play the same actions.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from functools import partial

import numpy as np
import report
from report import Cell, Table, figure, met

import mhing
from mhing._lib.binding import ffi, lib
from mhing.cli.bench import rate

ROUNDS = 5
DECISIONS = 5000
GOAL = 500_000


def actions_of(game: mhing.Game) -> list[int]:
    """Random legal actions, over as many episodes as it takes."""
    rng, actions = np.random.default_rng(1), []
    state = game.new_state(1)
    for seed in range(DECISIONS):
        actions.append(int(rng.choice(state.legal_actions())))
        state.apply(actions[-1])
        if state.is_terminal:
            state = game.new_state(seed + 2)
    return actions


def by_states(game: mhing.Game, actions: list[int]) -> int:
    """All calls by the state API."""
    state = game.new_state(1)
    for number, action in enumerate(actions):
        state.observation()
        state.action_mask()
        state.legal_actions()
        state.apply(action)
        if state.is_terminal:
            state = game.new_state(number + 2)
    return len(actions)


def by_cffi(game: mhing.Game, actions: list[int]) -> int:
    """The same calls into the core by themselves."""
    handle, nothing = game._handle.pointer, ffi.NULL
    mask, seen = np.empty(game.num_actions, np.bool_), np.empty(game.observation_size, np.uint8)
    c_mask, c_seen = ffi.from_buffer("int8_t[]", mask), ffi.from_buffer("uint8_t[]", seen)
    held = game.new_state(1)
    state = held._pointer
    for number, action in enumerate(actions):
        lib.mh_state_observe(handle, state, lib.mh_state_seat(state), c_seen)
        lib.mh_state_mask(handle, state, c_mask)
        mask.nonzero()
        lib.mh_state_apply(handle, state, action, nothing)
        if lib.mh_state_seat(state) < 0:
            held = game.new_state(number + 2)
            state = held._pointer
    return len(actions)


Player = Callable[[mhing.Game, list[int]], int]


def tables(seconds: float) -> list[Table]:
    """A row for each game."""
    rows: list[list[Cell]] = []
    for name in mhing.games():
        game = mhing.Game(name)
        actions = actions_of(game)
        rates: dict[Player, list[float]] = {by_states: [], by_cffi: []}
        for _ in range(ROUNDS):
            for play, found in rates.items():
                found.append(rate(partial(play, game, actions), seconds / ROUNDS))
        ours, floor = (statistics.median(found) for found in rates.values())
        rows.append([name, figure(ours), figure(floor), figure(ours / floor, 2), met(ours >= GOAL)])
    heads = ["game", "decisions a second", "the floor", "of the floor", f"{GOAL:,} or more"]
    return [Table(heads, rows)]


if __name__ == "__main__":
    report.run(__doc__, tables, 1.0)
