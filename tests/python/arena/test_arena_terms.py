"""The arena's terms of asking, in its command, in records and in the benchmark."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from simple_players import Info, last_legal
from test_arena_asking import heard, program

from mhing import arena, data
from mhing.arena import asking, benchmark, suite
from mhing.cli import main

pytestmark = pytest.mark.once


def rows(games: data.Games) -> dict[str, Any]:
    """All decisions of games, by column."""
    batches = [*games.batches()]
    return {name: np.concatenate([batch[name] for batch in batches]) for name in batches[0]}


@pytest.mark.parametrize("kind", ["program", "callable", "coroutine"])
def test_recorded_games_are_played_at_once_and_come_in_their_order(
    kind: str, tmp_path: Path
) -> None:
    """The first games take the longest."""
    barrier, met = threading.Barrier(3, timeout=60), set[int]()

    def meets(observation: Any, mask: Any, info: Info) -> int:
        if len(met) < 3:
            met.add(barrier.wait())
        return last_legal(observation, mask, info)

    asked = 0

    async def coroutine(observation: Any, mask: Any, info: Info) -> int:
        nonlocal asked
        asked += 1
        if asked <= 3:
            met.add(asked)
            while len(met) < 3:
                await asyncio.sleep(0.001)
        return last_legal(observation, mask, info)

    what = "open(os.path.join(folder, f'p{os.getpid()}'), 'w')\n"
    what += "while len([one for one in os.listdir(folder) if one[0] == 'p']) < 3:\n"
    what += "    time.sleep(0.01)"
    bot = {"program": program(tmp_path, what), "callable": meets, "coroutine": coroutine}[kind]
    found = rows(data.Games("leduc", [bot, "greedy"], games=9, jobs=3))
    wanted = rows(data.Games("leduc", [last_legal, "greedy"], games=9))
    assert [*found] == [*wanted]
    for name, column in wanted.items():
        assert np.array_equal(found[name], column), name
    assert len(met | {path.name for path in tmp_path.glob("p*")}) == 3


def test_what_was_over_before_a_game_that_is_cut_short_is_recorded() -> None:
    """Also where many are played at once: those before the first that was not over."""
    calls = 0

    class Rows:
        def choose_rows(self, observations: Any, masks: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == 4:
                signal.raise_signal(signal.SIGINT)
            return [int(np.flatnonzero(mask)[-1]) for mask in masks]

        def __call__(self, observation: Any, mask: Any, info: Info) -> int:
            raise AssertionError

    def keep() -> None:
        for block in data.Games("leduc", [Rows(), "greedy"], games=50).blocks():
            kept.extend(block.episodes.seeds.tolist())

    kept: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        keep()
    assert kept == [*range(len(kept))]
    assert 0 < len(kept) < 50


@pytest.mark.parametrize("command", ["arena", "benchmark", "record"])
def test_a_command_asks_on_the_terms_that_were_given(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first answer is illegal, and comes later than the clock allows; a variable is there."""
    monkeypatch.setattr(benchmark, "CLOCK", 3.0)
    monkeypatch.setenv("COLOUR", "blue")
    what = "if turns == 1:\n    time.sleep(3.3)\n    action = 'nonsense'\n"
    what += "assert os.environ['COLOUR'] == 'blue'"
    bot = program(tmp_path, what)
    words = {
        "arena": ["arena", bot, "--field", "greedy", "--game", "leduc", "--deals", "2"],
        "benchmark": ["benchmark", bot, "--tasks", "general_points", "--quick", "--ranked"],
        "record": ["record", "leduc", "--bots", bot, "--games", "2", "--out", "it.jsonl"],
    }[command]
    words += [] if command == "benchmark" else ["--clock", "3"]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(suite, "TASKS", [replace(task, deals=20) for task in suite.TASKS])
    monkeypatch.setattr(benchmark, "TASKS", suite.TASKS)
    terms = ["--retries", "1", "--start", "60", "--jobs", "2", "--env", "COLOUR"]
    assert main([*words, *terms, "--json"]) == 0
    asked = heard(tmp_path)
    refused = [one for one in asked if one["type"] == "refused"]
    assert {one["retries"] for one in refused} == {1}
    assert 1 <= len(refused) <= 4


@pytest.mark.parametrize("name", ["retries", "jobs", "start"])
def test_terms_have_bounds_elsewhere(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name}: -1"):
        data.Games("leduc", "random", **{name: -1})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=f"{name}: -1"):
        benchmark.run("random", **{name: -1})  # type: ignore[arg-type]


def test_a_player_has_the_time_that_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit where nobody sets a clock."""

    class Slow:
        clock = 30.0

        def __call__(self, observation: Any, mask: Any, info: Any) -> int:
            time.sleep(0.06)
            return int(mask.argmax())

    monkeypatch.setattr(asking, "CLOCK", 0.03)
    given: dict[str, Any] = {"game": "leduc", "deals": 2, "seed": 1, "start": 0.01}
    assert arena.play([Slow(), "random"], **given).players[0].forfeits == 0
    lost = arena.play([Slow(), "random"], clock=0.03, **given).players[0]
    assert lost.forfeits == 4
    assert lost.reason == "no answer within 0.03 seconds; a longer clock allows more"
