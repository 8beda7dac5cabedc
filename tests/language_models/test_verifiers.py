"""verifiers: the module of the page, and a scripted model behind an endpoint."""

from __future__ import annotations

import asyncio
import importlib
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from examples import example
from model_server import NONSENSE, Model, serving
from streams import Ear, Heard, choice, dealing
from test_streams import of_every_game, same
from twins import Deal

pytest.importorskip("verifiers", reason="it has a separate environment: run .ci/language_models")

import verifiers.v1 as vf

from mhing.text import TextEnv

pytestmark = pytest.mark.filterwarnings("ignore")  # the library's own


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The page's module."""
    (tmp_path / "mhing_seat.py").write_text(example("verifiers").code, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    return importlib.import_module("mhing_seat")


@pytest.mark.parametrize("mistakes", [0.3, 1.0])
def test_an_episode(mistakes: float, page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second model says nonsense alone, which ends it."""
    monkeypatch.setenv(
        "PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    )  # uv
    config = page.SeatConfig(taskset={"id": "mhing_seat", "game": "leduc", "opponents": "random"})
    env = page.SeatEnv(config)
    task = next(iter(env.taskset.load()))
    model = Model(mistakes)

    async def episode(address: str) -> Any:
        client = vf.EvalClientConfig(base_url=address, api_key_var="NO_KEY")
        context = vf.ModelContext(client=client, model="scripted")
        async with env.serving():
            return await env.run_episode(task, context)

    with serving(model) as address:
        done = asyncio.run(episode(address))
    (trace,) = done.traces
    table = TextEnv("leduc", opponents="random", then="end")
    turn = table.reset(task.data.seed)
    for said in model.said:
        turn = table.step(said)
    assert turn.is_over
    assert [reward.score for reward in trace.rewards.values()] == [turn.info["returns"][table.seat]]
    assert trace.info["mistakes"] == model.said.count(NONSENSE)
    assert model.asked[0][0]["content"] == table.texts.system()


class Exchange:
    """Stands for the library's: the texts of a seat, in one deal."""

    def __init__(self, deal: Deal, seat: int) -> None:
        self.heard: list[Heard] = []
        self.state, self._seat, self._ear = deal.state(), seat, Ear(seat)
        self.trace = SimpleNamespace(record_reward=self.hears, info={})

    def hears(self, *message: object) -> None:
        self.heard.append(self._ear.hears(self.state, *message))

    async def turn(self, text: str) -> Any:
        """Tells the seat, which replies with no move now and then."""
        wrong = len(text) % 5 == 0 and "Reply with one" not in text
        action = choice(self.state.observation(self._seat), self.state.action_mask())
        self.hears(text)
        return SimpleNamespace(terminated=False, last_reply=NONSENSE if wrong else str(action))

    @asynccontextmanager
    async def interaction(self, task: Any) -> AsyncIterator[Exchange]:
        yield self


@of_every_game
def test_twins_are_asked_the_same(game_id: str, seats: int, page: Any) -> None:
    def through_verifiers(deal: Deal, seat: int) -> list[Heard]:
        env = TextEnv(deal.game, opponents="greedy")
        seed = next(seed for seed in range(1000) if env.reset(seed) and env.seat == seat)
        data = SimpleNamespace(game=deal.game, opponents="greedy", seed=seed)
        exchange = Exchange(deal, seat)
        with dealing(lambda _: exchange.state):
            run = page.SeatEnv.run(
                None, SimpleNamespace(data=data), SimpleNamespace(player=exchange)
            )
            asyncio.run(run)
        return exchange.heard

    same(game_id, seats, through_verifiers)
