"""Makes the positions of the suite, and prints how many there are of each task and level.

    python benchmarks/suite/suite_positions.py

From each of some deals, whose numbers no task reaches, it takes one decision at random among those
with several legal moves, in a round that `expert` plays in all seats. A search tries all moves.
Decisions whose moves it cannot tell apart are left out. The others are put in order by their
spread, the mean regret of all moves; as many as are wanted are taken at equal distances in this
order, and divided into levels.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import numpy as np

import mhing
from mhing.arena.positions import LEVELS, VERSION, Position
from mhing.arena.suite import TASKS, Task

FILE = Path(mhing.__file__).parent / "arena/positions.json"

NAMES = ("mhing_credits", "mhing_jmhing", "general_points", "general_three", "rummy_first")
EACH = 40
"""Positions of a task."""
POOL = 100
"""Deals of which they are chosen."""
FIRST = 1 << 31
"""The number of the first deal."""
PLAYER, JUDGE = "expert", "search:4000,actions=64,behind=none"
FEWEST = 4
"""Legal moves."""


def drawn(task: Task, deal: int) -> Position | None:
    """A decision of a deal with what its moves lose; None if the search cannot tell them apart."""
    game, seed = task.make_game(), task.seed + FIRST + deal
    state, actions, places = game.new_state(seed), list[int](), list[int]()
    while not state.is_terminal:
        if len(state.legal_actions()) >= FEWEST:
            places.append(len(actions))
        actions.append(state.bot_action(PLAYER, 0)[0])
        state.apply(actions[-1])
    if not places:
        return None
    played = actions[: Random(seed).choice(places)]
    state = game.new_state(seed)
    for action in played:
        state.apply(action)
    return judged(Position(task.name, 0, seed, tuple(played), ()))


def judged(position: Position) -> Position | None:
    """The same with what its moves lose by the search."""
    found = position.state().search(JUDGE, seed=0)
    best = found.compared[found.actions == found.action]
    regrets = np.maximum(best - found.compared, 0).round(4)
    if not np.isfinite(regrets).all() or regrets.mean() <= found.gain_halves.mean():
        return None
    return Position(
        position.task, position.level, position.seed, position.played, tuple(regrets.tolist())
    )


def chosen(task: Task) -> list[Position]:
    """The positions of a task, the widest spread first."""
    pool = [one for deal in range(POOL) if (one := drawn(task, deal))]
    pool.sort(key=lambda one: -one.spread)
    places = np.linspace(0, len(pool) - 1, EACH).round().astype(int)
    return [
        Position(one.task, 1 + number * LEVELS // EACH, one.seed, one.played, one.regrets)
        for number, one in enumerate(pool[place] for place in places)
    ]


def main() -> None:
    """Writes the file."""
    lines = []
    for task in TASKS:
        if task.name in NAMES:
            found = chosen(task)
            print(task.name, len({one.seed for one in found}), flush=True)
            lines += [[p.task, p.level, str(p.seed), p.played, p.regrets] for p in found]
    rows = ",\n".join(json.dumps(line, separators=(",", ":")) for line in lines)
    head = json.dumps({"version": VERSION, "judge": JUDGE})[:-1]
    FILE.write_text(f'{head}, "positions": [\n{rows}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
