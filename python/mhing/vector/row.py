"""A row of a vector environment, with what the single environment has."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from mhing.game import State
    from mhing.vector.env import CardGameVectorEnv


class EnvRow:
    """The attributes of a row that the single environment has, by the same names."""

    def __init__(self, envs: CardGameVectorEnv, number: int) -> None:
        self._envs, self._number = envs, number
        self.game = envs.game
        self.observation_space = envs.single_observation_space
        self.action_space = envs.single_action_space
        self.render_mode = envs.render_mode
        self.unpack = envs.unpack

    @property
    def look(self) -> str:
        """The name of what pictures are painted in."""
        return self._envs.look

    @property
    def member(self) -> str:
        """The name of the pool's member that the episode meets; empty without a pool."""
        return self._envs.members[self._number]

    @property
    def state(self) -> State:
        """A copy of the state, hidden cards included."""
        return self._envs.state(self._number)

    def action_masks(self) -> NDArray[np.bool_]:
        """(num_actions,) True for each legal action."""
        mask: NDArray[np.bool_] = self._envs.action_masks()[self._number]
        return mask

    def legal_actions(self) -> NDArray[np.int64]:
        """The ids of the legal actions, ascending."""
        return np.flatnonzero(self.action_masks())

    def render(self) -> Any:
        """The table as the row's seat sees it."""
        pictures = self._envs.render()
        return None if pictures is None else pictures[self._number]


def attributes(rows: Iterable[EnvRow], name: str) -> list[Any]:
    """An attribute of rows, a method too.

    Raises:
        AttributeError: rows have no such attribute.
    """
    found = []
    for row in rows:
        try:
            found.append(getattr(row, "" if name.startswith("_") else name))
        except AttributeError:
            known = ", ".join(one for one in dir(row) if one[0] != "_")
            raise AttributeError(f"{name}: no attribute of rows, which have {known}") from None
    return found
