"""The time of a run by parts, from its log."""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from mhing.game import Game
from mhing.train.learner import LEAGUE, OBSERVATION, SECONDS, WANTED, Settings
from mhing.train.rows import LearnerRows

REST = "rest"
"""The part of all that is not measured by itself."""

MEASURED = 0.5
"""Seconds for which games are played to find out what hints cost, in each of `ROUNDS`, with and
without."""

ROUNDS = 3


def shares(lines: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Return the share of the time that each part took, and the rest, from a run's log.

    Returns:
        By part, the largest share first; they sum to 1. Empty where nothing was measured.
    """
    whole = lines[-1]["seconds"] if lines else 0.0
    sums: dict[str, float] = {}
    for line in lines:
        for name, spent in line.items():
            if name.startswith(SECONDS):
                part = name.removeprefix(SECONDS)
                sums[part] = sums.get(part, 0.0) + spent
    if not sums or not whole:
        return {}
    sums[REST] = max(0.0, whole - sum(sums.values()))
    total = sum(sums.values())
    ranked = sorted(sums.items(), key=lambda item: -item[1])
    return {part: spent / total for part, spent in ranked}


def share_of_hints(settings: Settings) -> float | None:
    """Return the share of the environment's time spent on hints, from games with and without.

    Returns:
        0 to 1; None where the learner has none.
    """
    game = settings.make_game()
    on = {name: game.options[name] for name in WANTED if name in game.options}
    if settings.inputs(game) != OBSERVATION or not any(on.values()):
        return None
    bare = Game(game.id, **game.options | dict.fromkeys(on, False))
    with_hints, without = _rows(settings, game), _rows(settings, bare)
    ratios = [_rate(with_hints) / _rate(without) for _ in range(ROUNDS)]
    return max(0.0, 1 - statistics.median(ratios))


def _rows(settings: Settings, game: Game) -> LearnerRows:
    opponents = settings.opponents
    if not opponents or LEAGUE in opponents:
        opponents = (game.default_bot,)
    return LearnerRows(game, opponents, settings.seed, 256, settings.threads)


def _rate(rows: LearnerRows) -> float:
    """Steps a second, by random moves."""
    logits = torch.zeros(rows.envs.num_envs, rows.envs.game.num_actions)
    begun, steps = time.perf_counter(), 0
    while time.perf_counter() - begun < MEASURED:
        rows.step(rows.choose(logits))
        steps += 1
    return steps / (time.perf_counter() - begun)
