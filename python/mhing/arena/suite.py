"""The suite of the benchmark: its tasks, declared here and nowhere else.

benchmarks/SUITE.md has the rules of participation, these tasks as a table, and results. A change of
anything below, of a game's rules or of how its bots `greedy` and `expert` play raises `VERSION`.
A task that is changed gets a new number, so that no deal belongs to two tasks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mhing.arena.result import Mean
from mhing.game import Game
from mhing.options import Value
from mhing.players import Given
from mhing.players.seating import SELF

VERSION = 2
"""The version of the suite; results are compared within a version only."""

QUICK = 10
"""A quick run plays one of so many deals, the first ones."""

CLOCK = 10.0
"""Seconds for a decision."""

SEEDS = 1 << 63
"""Seeds of public deals from here on belong to the benchmark; nobody trains on these."""

ZERO, ONE = "greedy", "expert"
"""The bots whose scores are 0 and 1 in every task."""


@dataclass(frozen=True)
class Task:
    """A tournament of an agent and `ZERO`, each alone among the field in every seat of every deal.

    The agent's score is what it earns more than `ZERO` with the same deals, in units of `step`.
    """

    number: int
    """The number in the suite; no other task ever gets it."""
    name: str
    game: str
    options: Mapping[str, Value]
    field: str
    """The bot that has all other seats; `SELF`: copies of the agent have them."""
    deals: int
    step: Mean
    """The reward of `ONE` a game less that of `ZERO` in its place, measured once; in the task's
    field, or among copies of `ONE`."""
    step_deals: int
    """The deals of that measurement, those of the task and further ones."""
    meaning: str
    since: int = 1
    """The version of the suite in which it was new; later ones have it unchanged."""

    @property
    def seed(self) -> int:
        """The seed of the first public deal; deal i has this seed plus i."""
        return SEEDS + (self.since << 48) + (self.number << 32)

    @property
    def is_self_play(self) -> bool:
        """True if copies of the agent have all other seats."""
        return self.field == SELF

    @property
    def seats(self) -> int:
        """Players at its tables."""
        return int(self.options["num_players"])

    def make_game(self, hints: bool = False) -> Game:
        """The game that is played, with hints in the observation or without."""
        return Game(self.game, **self.options, hints=hints)

    def company(self, agent: Given) -> Given:
        """Return the player of all other seats where this agent plays."""
        return agent if self.is_self_play else self.field

    def arguments(self, agent: str) -> str:
        """The same tournament of an agent as arguments of ``mhing arena``."""
        settings = "".join(f" --option {name}={value}" for name, value in self.options.items())
        field = self.company(agent)
        return f"--field {field} --game {self.game}{settings} --first-seed {self.seed}"


TASKS: Sequence[Task] = (
    Task(
        0, "mhing_credits", "mhing",
        {"num_players": 4}, "greedy",
        2000, Mean(0.1964, 0.011), 24000,
        "the game in the box: valuable hands, before the others end the round",
    ),
    Task(
        1, "mhing_duel", "mhing",
        {"num_players": 2}, "expert",
        1000, Mean(1.061, 0.048), 6000,
        "two players, the other one patient",
    ),
    Task(
        2, "mhing_six", "mhing",
        {"num_players": 6}, "greedy",
        2000, Mean(0.1201, 0.006), 30000,
        "as many players as can be: rounds end early",
    ),
    Task(
        3, "mhing_jmhing", "mhing",
        {"num_players": 3, "rules": "jmhing", "reward": "points"}, "greedy",
        2000, Mean(4.486, 0.21), 30000,
        "melds may be laid from the hand; points double as credits grow",
    ),
    Task(
        4, "mhing_chips", "mhing",
        {"num_players": 4, "scoring": "chips", "reward": "chips"}, "expert",
        1000, Mean(10.66, 0.65), 10000,
        "chips change hands, and who discards the last card pays double",
    ),
    Task(
        5, "mhing_game", "mhing",
        {"num_players": 4, "episode": "game", "target": 100, "reward": "win"}, "greedy",
        200, Mean(0.1583, 0.0078), 3000,
        "whole games to 100 points, and only winning counts",
    ),
    Task(
        6, "general_points", "general_mhing",
        {"num_players": 2, "reward": "points"}, "expert",
        2000, Mean(0.8175, 0.033), 10000,
        "sequences that match, before the other one ends the round",
    ),
    Task(
        7, "general_three", "general_mhing",
        {"num_players": 3, "reward": "margin"}, "greedy",
        2000, Mean(0.31, 0.022), 20000,
        "three players; the points of the others count against one's own",
    ),
    Task(
        8, "general_game", "general_mhing",
        {"num_players": 2, "episode": "game", "reward": "win"}, "expert",
        500, Mean(0.1578, 0.0068), 8000,
        "whole games to 14 points, and only winning counts",
    ),
    Task(
        9, "rummy_first", "mexican_rummy",
        {"num_players": 4, "objective": 1, "reward": "score"}, "greedy",
        2000, Mean(1.902, 0.18), 12000,
        "the first objective",
    ),
    Task(
        10, "rummy_any", "mexican_rummy",
        {"num_players": 3, "objective": 0, "reward": "score"}, "greedy",
        1000, Mean(3.781, 0.51), 4000,
        "an objective at random",
    ),
    Task(
        11, "rummy_game", "mexican_rummy",
        {"num_players": 4, "episode": "game", "reward": "rank"}, "greedy",
        200, Mean(0.6262, 0.053), 1200,
        "all six rounds, and only the places at the end count",
    ),
    Task(
        12, "mhing_self", "mhing",
        {"num_players": 4}, SELF,
        1000, Mean(0.2631, 0.025), 4000,
        "as `mhing_credits`, in company as strong as the agent itself", since=2,
    ),
    Task(
        13, "general_self", "general_mhing",
        {"num_players": 2, "reward": "points"}, SELF,
        2000, Mean(0.821, 0.044), 6000,
        "as `general_points`, against itself", since=2,
    ),
    Task(
        14, "rummy_self", "mexican_rummy",
        {"num_players": 4, "objective": 1, "reward": "score"}, SELF,
        1000, Mean(1.852, 0.19), 12000,
        "as `rummy_first`, in company as strong as the agent itself", since=2,
    ),
)  # fmt: skip


def chosen(names: Sequence[str]) -> list[Task]:
    """The tasks of these names, in the suite's order; a game's id stands for all of its tasks.

    Raises:
        ValueError: there is no such task or game.
    """
    known = {task.name for task in TASKS} | {task.game for task in TASKS}
    for name in names:
        if name not in known:
            games = ", ".join(dict.fromkeys(task.game for task in TASKS))
            listed = ", ".join(task.name for task in TASKS)
            raise ValueError(f"tasks: no {name!r}; there are {listed}, or by game {games}")
    return [task for task in TASKS if task.name in names or task.game in names]
