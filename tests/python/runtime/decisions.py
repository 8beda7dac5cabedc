"""Decisions of games, for tests of what bots make of them."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import mhing


def decisions(game: mhing.Game, episodes: int, bot: str) -> Iterator[mhing.State]:
    """States in which somebody chooses. The bot plays all seats; now and then somebody errs."""
    for seed in range(episodes):
        rng, state = Random(seed), game.new_state(seed)
        while not state.is_terminal:
            legal = state.legal_actions().tolist()
            if len(legal) > 1:
                yield state
            action = state.bot_action(bot, 0)[0]
            state.apply(rng.choice(legal) if rng.random() < 0.2 else action)
