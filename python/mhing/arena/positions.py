"""The positions of the suite: fixed decisions with what each move loses.

They are for agents of which every answer costs much, such as language models: one answer to each
position is a score. benchmarks/suite/suite_positions.py made them, in positions.json, from public
deals that no task plays.

>>> position = positions()[0]
>>> state = position.state()
>>> len(state.legal_actions()) == len(position.regrets)
True
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from statistics import fmean

from mhing.arena.suite import TASKS, Task
from mhing.game import Game
from mhing.state import State

VERSION = 1
"""The version of the positions; results are compared within a version only."""

LEVELS = 4
"""The levels of difficulty: a position is harder if its moves differ less."""


@dataclass(frozen=True)
class Position:
    """A decision."""

    task: str
    """The task whose table it is."""
    level: int
    """The difficulty: from 1, where moves differ most, to `LEVELS`."""
    seed: int
    """The seed of the deal."""
    played: tuple[int, ...]
    """The actions that led there."""
    regrets: tuple[float, ...]
    """The loss by each legal action against the best one, in the order of their ids, in the unit of
    the task's rewards."""

    @property
    def spread(self) -> float:
        """The mean loss of a player who draws one of the legal actions."""
        return fmean(self.regrets)

    @property
    def where(self) -> Task:
        """The task."""
        return next(task for task in TASKS if task.name == self.task)

    def state(self, game: Game | None = None) -> State:
        """The table; of this game, or of the task's."""
        state = (game or self.where.make_game()).new_state(self.seed)
        for action in self.played:
            state.apply(action)
        return state


@cache
def positions() -> tuple[Position, ...]:
    """All of them, by task and level."""
    text = files("mhing.arena").joinpath("positions.json").read_text(encoding="utf-8")
    return tuple(
        Position(task, level, int(seed), tuple(played), tuple(regrets))
        for task, level, seed, played, regrets in json.loads(text)["positions"]
    )


@cache
def scale(task: str, level: int) -> float:
    """The mean spread of the positions of a task and a level: what a score is measured by."""
    return fmean(one.spread for one in positions() if (one.task, one.level) == (task, level))
