"""Decisions of games as data, found slowly: a loop over states, in which nothing is shared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import mhing
from mhing import data


def first_legal(observation: Any, mask: Any, info: Any) -> int:
    """A policy that follows from what it sees."""
    legal = mask.nonzero()[0]
    return int(legal[int(observation.sum()) % len(legal)])


def last_legal(observation: Any, mask: Any, info: Any) -> int:
    return int(mask.nonzero()[0][-1])


def rows(games: data.Games, policies: Sequence[Any], first: int = 0) -> Iterator[dict[str, Any]]:
    """A row for each decision of these games if the policies are their players."""
    for number in range(first, games.count):
        seed = (games.seed + number) % 2**64
        state = games.game.new_state(seed)
        of_game: list[dict[str, Any]] = []
        while not state.is_terminal:
            seat = state.seat
            player = (seat + number) % len(policies)
            row = {
                "observation": state.observation(seat).tolist(),
                "action_mask": state.action_mask().tolist(),
                "action": policies[player](state.observation(seat), state.action_mask(), {}),
                "seat": seat,
                "player": player,
                "reward": 0.0,
                "return": 0.0,
                "seed": seed,
                "game": number,
                "decision": sum(row["seat"] == seat for row in of_game),
            }
            of_game.append(row)
            state.apply(row["action"])
            add_rewards(of_game, state)
        yield from of_game


def add_rewards(of_game: list[dict[str, Any]], state: mhing.State) -> None:
    """Adds what the last action earned to what seats have decided before."""
    for seat, reward in enumerate(state.rewards().tolist()):
        own = [row for row in of_game if row["seat"] == seat]
        for row in own:
            row["return"] += reward
        if own:
            own[-1]["reward"] += reward


def of_batches(games: data.Games, first: int = 0) -> list[dict[str, Any]]:
    """The rows of the batches of games."""
    return [*in_rows(games.batches(first))]


def in_rows(batches: Iterable[data.Batch]) -> Iterator[dict[str, Any]]:
    """The rows of batches, one after another."""
    for batch in batches:
        for values in zip(*(column.tolist() for column in batch.values()), strict=True):
            yield dict(zip(batch, values, strict=True))
