"""States of Mhing from play under random options."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import mhing


def random_game(rng: Random) -> mhing.Game:
    """Mhing with any options that go together; games are short."""
    while True:
        options: dict[str, Any] = {
            "num_players": rng.randint(2, 6),
            "lay_down": rng.random() < 0.4,
            "seven_pairs": rng.random() < 0.4,
            "scoring": rng.choice(["points", "chips"]),
            "target": rng.choice([0, 2, 16, 100, 500]),
            "stake": rng.choice([1, 7, 20, 60, 500, 1_000_000]),
            "rounds": rng.choice([-1, 0, 1, 2, 5, 9]),
            "episode": rng.choice(["round", "game", "game", "game"]),
            "reward": rng.choice(["credits", "points", "chips", "win"]),
            "dealer": rng.choice([-1, -1, 0, 1, 3]),
        }
        try:
            return mhing.Game("mhing", **options)
        except ValueError:
            continue


def random_play(game: mhing.Game, seed: int, most: int) -> Iterator[mhing.State]:
    """An episode of players that are sound at times: the state at each decision, and at the end."""
    rng, state = Random(seed), game.new_state(seed)
    sound = rng.choice([0.0, 0.8, 1.0, 1.0])
    for _ in range(most):
        yield state
        if state.is_terminal:
            return
        if rng.random() < sound:
            state.apply(state.bot_action("greedy", 0)[0])
        else:
            state.apply(rng.choice(state.legal_actions().tolist()))
    yield state
