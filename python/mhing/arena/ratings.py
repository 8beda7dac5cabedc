"""Ratings by openskill, in which each deal is a match of all players."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mhing._support.extras import install
from mhing.arena.result import Rating


class Ratings:
    """Weng and Lin's ratings under the Plackett-Luce model, of players that do not change.

    They begin at 25 ± 8.3. A deal ranks the players by what they earned in all of its seats.

    Raises:
        ModuleNotFoundError: openskill is not installed (extra ``mhing[openskill]``).
    """

    def __init__(self, players: int) -> None:
        try:
            from openskill.models import PlackettLuce  # noqa: PLC0415  an extra
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                f"ratings: they need openskill: {install('openskill')}"
            ) from error
        self._model: Any = PlackettLuce(tau=0.0)
        self._teams: list[Any] = [[self._model.rating()] for _ in range(players)]

    def add(self, earned: NDArray[np.float64]) -> None:
        """Add a deal."""
        ranks = [float((earned > one).sum()) for one in earned]
        if len(ranks) > 1:
            self._teams = self._model.rate(self._teams, ranks=ranks)

    def rating(self, player: int) -> Rating:
        """A player's rating."""
        (rating,) = self._teams[player]
        return Rating(rating.mu, rating.sigma)
