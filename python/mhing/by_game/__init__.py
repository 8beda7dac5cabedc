"""What single games bring to this package beside their rules, which are the core's.

Everything here is optional. The parts of a game lie in ``mhing/by_game/<its id>/``, one module for
each part, and are loaded when they are asked for:

- ``pictures.py`` with ``PICTURES``, a :class:`Pictures`: how its tables are shown;
- ``commands.py`` with ``add(commands)``: its own commands of ``mhing``.

Everything outside of this package is for all games and names none of them. What a game adds to the
names of :mod:`mhing` itself is imported below.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

from mhing.by_game.mhing.scoring import (
    Score,
    distance,
    distances,
    hands_array,
    points,
    score_hand,
    score_hands,
)

if TYPE_CHECKING:
    from mhing.render.scene import Scene

__all__ = [
    "Pictures",
    "Score",
    "commands",
    "distance",
    "distances",
    "hands_array",
    "pictures",
    "points",
    "score_hand",
    "score_hands",
]


@dataclass(frozen=True)
class Pictures:
    """How the tables of one game are shown, from what ``State.to_dict()`` returns."""

    text: Callable[[Mapping[str, Any], int | None, bool], str]
    """The table as text: the state, the seat with whose eyes it is seen, whether with colours."""
    scene: Callable[[Mapping[str, Any], int | None], Scene]
    """The table as a picture: the state, the seat."""
    event_text: Callable[[Mapping[str, Any]], str]
    """One of the state's events as a line."""
    result_text: Callable[[Mapping[str, Any]], str]
    """The state's ``"result"`` as lines."""
    notation: str
    """How cards are written."""


def pictures(game_id: str) -> Pictures | None:
    """How the tables of a game are shown, if it brings that."""
    module = _part(game_id, "pictures")
    return None if module is None else module.PICTURES


def commands(game_id: str) -> ModuleType | None:
    """The module with the commands of a game, if it has any."""
    return _part(game_id, "commands")


@cache
def _part(game_id: str, part: str) -> ModuleType | None:
    package = f"{__name__}.{game_id}"
    if find_spec(package) is None or find_spec(f"{package}.{part}") is None:
        return None
    return import_module(f"{package}.{part}")
