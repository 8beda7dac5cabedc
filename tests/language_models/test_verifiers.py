"""verifiers: the module of the page, and a scripted model behind an endpoint."""

from __future__ import annotations

import asyncio
import importlib
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from examples import example
from model_server import NONSENSE, Model, serving

pytest.importorskip("verifiers", reason="it has a separate environment: run .ci/language_models")

import verifiers.v1 as vf

from mhing.text import TextEnv

pytestmark = pytest.mark.filterwarnings("ignore")  # the library's own


@pytest.mark.parametrize("mistakes", [0.3, 1.0])
def test_an_episode(mistakes: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second model says nonsense alone, which ends it."""
    (tmp_path / "mhing_seat.py").write_text(example("verifiers").code, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv(
        "PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    )  # uv
    seat: Any = importlib.import_module("mhing_seat")
    config = seat.SeatConfig(taskset={"id": "mhing_seat", "game": "leduc", "opponents": "random"})
    env = seat.SeatEnv(config)
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
