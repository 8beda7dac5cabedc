"""Writes python/mhing/models/cards.json: what is recorded of each net in envs/*/nets.

    python benchmarks/model_cards.py

The command that made a net is in its file. Scores are those of recorded results: of the tasks of
suite/net.json in which it played, and of the tables of results/ that `TABLES` names. Its first
decisions are played here.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import report

from mhing._lib.nets import NET_FILE, bot_of_bytes, shipped
from mhing.arena.result import Mean
from mhing.arena.suite import TASKS, ZERO, Task
from mhing.game import Game
from mhing.models.catalogue import Model, ModelScore

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "python/mhing/models/cards.json"
SUITE = ROOT / "benchmarks/suite/net.json"

SEED, DECISIONS = 1, 24
"""The game of the recorded decisions, and how many there are."""


@dataclass(frozen=True)
class Cell:
    """A result in a table of results/."""

    file: str
    table: int
    row: int
    column: str
    than: str
    deals: int
    note: str = ""
    field: str = ZERO


GENERAL, MHING, RUMMY = "agents_net_general", "agents_net_mhing", "agents_net_rummy"
TABLES = {
    "general_mhing/margin": [Cell(GENERAL, 1, 0, "net more than greedy", ZERO, 10_000)],
    "general_mhing/margin_3": [Cell(GENERAL, 2, 1, "net more than greedy", ZERO, 4_000)],
    "general_mhing/points": [Cell(GENERAL, 0, 0, "more than greedy", ZERO, 10_000)],
    "general_mhing/points_3": [Cell(GENERAL, 2, 0, "net more than greedy", ZERO, 4_000)],
    "general_mhing/win": [Cell(GENERAL, 1, 1, "net more than greedy", ZERO, 10_000)],
    "mexican_rummy/score": [
        *(
            Cell(RUMMY, 1, row, "net more than greedy", ZERO, 1_000, f"objective={row + 1}")
            for row in range(6)
        ),
        Cell(RUMMY, 2, 1, "net more than expert", "expert", 300),
        Cell(RUMMY, 2, 3, "net more than expert", "expert", 800, field="expert"),
        Cell(RUMMY, 2, 5, "net more than expert", "expert", 3_000, field="net"),
    ],
    "mexican_rummy/win": [
        Cell(RUMMY, 0, row, "net more than greedy", ZERO, 500, f"objective={row + 1}")
        for row in range(6)
    ],
    "mhing/chips": [Cell(MHING, 3, 2, "net more than expert", "expert", 1_500, "scoring=chips")],
    "mhing/credits": [Cell(MHING, 0, 0, "above greedy", ZERO, 10_000)],
    "mhing/credits_2": [Cell(MHING, 2, 0, "net more than expert", "expert", 6_000)],
    "mhing/credits_3": [Cell(MHING, 3, 0, "net more than expert", "expert", 1_500)],
    "mhing/credits_5": [Cell(MHING, 3, 1, "net more than expert", "expert", 1_500)],
    "mhing/credits_6": [Cell(MHING, 2, 1, "net more than expert", "expert", 2_000)],
    "mhing/points": [Cell(MHING, 1, 0, "above greedy", ZERO, 10_000)],
    "mhing/points_3": [Cell(MHING, 3, 3, "net more than expert", "expert", 1_500, "lay_down=on")],
    "mhing/quick": [
        Cell(MHING, 0, 2, "above greedy", ZERO, 10_000),
        Cell(MHING, 0, 2, "above", ZERO, 4_000, field="net"),
    ],
}
"""Results in tables, by model."""


def model(path: Path) -> Model:
    """The record of a net."""
    data, game, name = path.read_bytes(), path.parts[-3], path.stem
    made = re.search(rb"mhing train [ -~]+", data)
    assert made, path
    command = made[0].decode()
    plain = options(game, command)
    unit = str(Game(game, **plain).options["reward"])
    one = Model(
        game=game,
        name=name,
        sha256=sha256(data).hexdigest(),
        size=len(data),
        options=plain,
        command=command,
        scores=[*suite_scores(game, data, unit), *table_scores(f"{game}/{name}", unit)],
        seed=SEED,
        actions=[],
    )
    return Model(**vars(one) | {"actions": one.play(DECISIONS)})


def options(game: str, command: str) -> dict[str, Any]:
    """The options of a command, as the game has them."""
    words = shlex.split(command)
    given = dict(two.split("=") for one, two in pairwise(words) if one == "--option")
    settled = Game(game, **given).options
    return {name: settled[name] for name in given}


def suite_scores(game: str, data: bytes, unit: str) -> Iterator[ModelScore]:
    """The scores of the suite's tasks of a round in which the net played."""
    played = {one["task"]: one for one in json.loads(SUITE.read_text(encoding="utf-8"))["tasks"]}
    for task in TASKS:
        one = played[task.name]
        if task.game == game and one["player"] == "net" and plays(task, data):
            yield ModelScore(
                difference=_rounded(one["difference"], one["difference_interval"]),
                than=ZERO,
                unit=unit,
                field="net" if task.is_self_play else task.field,
                note=f"task {task.name}",
                deals=one["deals"],
                date=one["date"],
                source=str(SUITE.relative_to(ROOT)),
            )


def plays(task: Task, data: bytes) -> bool:
    """True if the net is the one that plays as ``net`` in a task that pays for rounds."""
    game = task.make_game()
    suited = (one for one in shipped(game._handle) if suits(game, one))
    return game.options["episode"] == "round" and next(suited, b"") == data


def suits(game: Game, data: bytes) -> bool:
    """True if a net was trained for the options of a game."""
    with suppress(ValueError):
        return bot_of_bytes(game._handle, f"{NET_FILE}{sha256(data).hexdigest()}", data) >= 0
    return False


def table_scores(name: str, unit: str) -> Iterator[ModelScore]:
    """The scores that stand in tables of results."""
    for cell in TABLES[name]:
        path = ROOT / f"benchmarks/results/{cell.file}.json"
        found = report.load(path)
        table = found.tables[cell.table]
        text = str(table.rows[cell.row][list(table.columns).index(cell.column)])
        value, interval = map(float, text.split(" ± "))
        yield ModelScore(
            difference=Mean(value, interval),
            than=cell.than,
            unit=unit,
            field=cell.field,
            note=cell.note,
            deals=cell.deals,
            date=table.date or found.date,
            source=str(path.relative_to(ROOT)),
        )


def _rounded(value: float, interval: float) -> Mean:
    return Mean(round(value, 4), round(interval, 4))


def text() -> str:
    """The whole file."""
    rows = (json.dumps(asdict(model(path))) for path in sorted(ROOT.glob("envs/*/nets/*.net")))
    return "[\n" + ",\n".join(rows) + "\n]\n"


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
