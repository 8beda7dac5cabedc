"""The payoff matrix of a run: what the learner and each player that it meets earn among each other.

A run's log has what the learner earns. This has the rest, of the last checkpoint: past versions in
a league among bots and among other past versions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mhing import arena
from mhing.arena.result import Mean
from mhing.players import Given
from mhing.train.learner import FRESH
from mhing.train.run import reopened


@dataclass(frozen=True)
class Payoffs:
    """The rewards of players in one seat while others have all other seats."""

    players: Sequence[str]
    """The learner, the past versions in its league, and the bots that it meets."""
    unit: str
    """The unit of rewards."""
    deals: int
    """The number of deals; in each, a player had each seat once among each field."""
    rewards: Sequence[Sequence[Mean]]
    """A line for each player, with its mean reward a game among each of the players."""

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            "unit": self.unit,
            "deals": self.deals,
            "payoffs": [
                {"player": own, "field": field, "reward": one.value, "interval": one.known}
                for own, line in zip(self.players, self.rewards, strict=True)
                for field, one in zip(self.players, line, strict=True)
            ],
        }

    def __str__(self) -> str:
        cells = [["", *self.players]]
        cells += [
            [own, *map(str, line)] for own, line in zip(self.players, self.rewards, strict=True)
        ]
        width = max(len(cell) for line in cells for cell in line)
        return "\n".join("  ".join(f"{cell:<{width}}" for cell in line).rstrip() for line in cells)


def payoffs(path: str | Path, *, deals: int = 100, num_threads: int = 1) -> Payoffs:
    """Play all players of a run among each other, on deals that no run learns from.

    Args:
        path: the folder of the run, which may still be learning.
        deals: for each field; all players have the same.
        num_threads: for the games of players that the core plays.

    Raises:
        ValueError: there is no run, its checkpoint cannot be used, or there are too few deals.
        ModuleNotFoundError: an extra is missing.
    """
    run = reopened(path)
    game = run.settings.make_game()
    players: dict[str, Given] = {"learner": run.learner.player(), **run.learner.rivals()}
    players |= {name: name for name in run.settings.fields(game)}
    results = [
        arena.play(
            players, game, field=field, deals=deals, first_seed=FRESH, num_threads=num_threads
        )
        for field in players.values()
    ]
    rewards = [[result.players[row].reward for result in results] for row in range(len(players))]
    return Payoffs([*players], results[0].unit, deals, rewards)
