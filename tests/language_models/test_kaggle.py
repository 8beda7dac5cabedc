"""Kaggle's arena: its harness over a game of OpenSpiel, with the functions of the page."""

from __future__ import annotations

import json

import pytest
from examples import example, run
from model_server import NONSENSE, Model, serving

pytest.importorskip(
    "kaggle_environments", reason="it has a separate environment: run .ci/language_models"
)

pytestmark = pytest.mark.filterwarnings("ignore")  # the library's own


def test_a_whole_game_and_its_mistakes(capsys: pytest.CaptureFixture[str]) -> None:
    """Also: agents get no state, from which all cards could be read."""
    block, model = example("kaggle"), Model(mistakes=0.2)
    with serving(model) as address:
        names = run(block.code.replace("http://localhost:8001/v1", address))
    assert f"\n{block.output}" in "\n" + capsys.readouterr().out
    env, game = names["env"], names["GAME"]
    assert [state.status for state in env.state] == ["DONE", "DONE"]
    assert [state.reward for state in env.state] == list(env.os_state.returns())
    assert NONSENSE in model.said
    prompts = [messages[-1]["content"] for messages in model.asked]
    helped = [text for text in prompts if "Reply with one of these moves." in text]
    assert len(helped) == model.said.count(NONSENSE)
    assert all("You are seat 0." in json.dumps(text) for text in prompts)
    for step in env.steps:
        assert all("serializedGameAndState" not in state.observation for state in step)
    moves = [said.removeprefix("I'll ").rstrip(".") for said in model.said if said != NONSENSE]
    submitted = [(step[0].action or {}).get("submission") for step in env.steps[1:]]
    played = [game.action_text(one) for one in submitted if one not in (None, -1)]
    assert played == moves
