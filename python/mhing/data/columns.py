"""The columns of decisions in batches and Parquet files."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mhing._lib.episodes import Decisions, Episodes

Batch: TypeAlias = dict[str, NDArray[Any]]
"""Arrays by the names of :data:`COLUMNS`, an entry or a line for each decision."""


class Column(NamedTuple):
    """A column: its name, the type of its numbers, and what they mean."""

    name: str
    type: str
    meaning: str


COLUMNS = (
    Column("observation", "uint8", "what the seat to act could know, see Game.unpack"),
    Column("action_mask", "int8", "1 for each action that it could choose"),
    Column("action", "int32", "the action that it chose, see Game.action_text"),
    Column("seat", "int8", "the seat that acted"),
    Column("player", "int8", "the player in that seat, by the place in the list of players"),
    Column("reward", "float32", "what the seat earned until its next decision, or until the end"),
    Column("return", "float32", "what the seat earned until the end of the game"),
    Column("seed", "uint64", "the seed of the game, see Game.new_state"),
    Column("game", "int64", "the game's number, from 0"),
    Column("decision", "int32", "the number of the seat's own decisions in this game before it"),
)
"""The columns, in their order. `observation` and `action_mask` have as many numbers as the game's
observations and actions; the others one. A seat's own rows say no more of others than it was
shown: `decision` does not count theirs, some of which are secret."""


def in_columns(made: Decisions, episodes: Episodes, first: int, players: int) -> Batch:
    """The columns of games whose first has the number `first`."""
    lengths = np.diff(episodes.starts)
    games = np.repeat(np.arange(first, first + len(lengths)), lengths)
    values: tuple[NDArray[Any], ...] = (
        made.observations,
        made.masks,
        episodes.actions,
        made.seats,
        (made.seats + games) % players,
        made.rewards,
        made.returns,
        np.repeat(episodes.seeds, lengths),
        games,
        _places_among_equals(games * (1 + made.seats.max(initial=0)) + made.seats),
    )
    return {
        column.name: value.astype(column.type, copy=False)
        for column, value in zip(COLUMNS, values, strict=True)
    }


def _places_among_equals(values: NDArray[Any]) -> NDArray[Any]:
    """Return the number of equal ones before each.

    >>> _places_among_equals(np.array([5, 7, 5, 5]))
    array([0, 0, 1, 2])
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    places = np.empty_like(order)
    places[order] = np.arange(len(values)) - np.searchsorted(ordered, ordered)
    return places
