"""verifiers over OpenEnv: its own taskset, with a scripted model behind an endpoint."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("verifiers", reason="it has a separate environment: run .ci/language_models")
pytest.importorskip("openenv", reason="it has a separate environment: run .ci/language_models")

from examples import example, run
from model_server import NONSENSE, Model, serving, text_of
from openenv_server import serving as serving_games

from mhing.text import TextEnv

pytestmark = pytest.mark.filterwarnings("ignore")  # the library's own

EPISODES = 2


class Reader(Model):
    """A model that is shown observations as JSON; its replies by the first text of a chat."""

    def __init__(self) -> None:
        super().__init__(mistakes=0.2)
        self.chats: dict[str, list[str]] = {}

    def reply(self, messages: list[dict[str, Any]]) -> str:
        first, last = (
            json.loads(text_of(messages[place]))["observation"]["text"] for place in (0, -1)
        )
        said = super().reply([{"content": last}])
        self.chats.setdefault(first, []).append(said)
        return said


def test_the_example(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Episodes at once, each as at a table of this process."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # uv
    monkeypatch.setenv("PATH", path)
    model = Reader()
    with serving_games("leduc", EPISODES) as address, serving(model) as endpoint:
        code = example("openenv_verifiers").code.replace("http://localhost:8000", address)
        code = code.replace("http://localhost:8001/v1", endpoint)
        run(code.replace("range(8)", f"range({EPISODES})"))
    env, scores = TextEnv("leduc", opponents="random"), []
    for seed in range(EPISODES):
        turn = env.reset(seed)
        for said in model.chats[turn.text]:
            turn = env.step(said)
        assert turn.is_over
        scores.append(turn.info["returns"][env.seat])
    assert [float(line) for line in capsys.readouterr().out.splitlines()] == scores
    assert NONSENSE in model.said
