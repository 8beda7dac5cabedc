"""Kaggle's arena: its harness over a game of OpenSpiel, with the functions of the page."""

from __future__ import annotations

import json
from typing import Any

import pytest
from examples import example, run
from model_server import NONSENSE, Model, serving
from streams import Ear, Heard, choice, dealing
from test_streams import same
from twins import Deal

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


class Listener(Model):
    """A model that notes its requests; its replies are no move now and then."""

    def __init__(self, seat: int) -> None:
        super().__init__()
        self.names: dict[str, Any] = {}
        self.heard: list[Heard] = []
        self._seat, self._ear = seat, Ear(seat)

    def reply(self, messages: list[dict[str, Any]]) -> str:
        said = str(messages)
        self.heard.append(self._ear.hears(self.names["env"].os_state.table, messages))
        wrong = len(said) % 5 == 0 and "Reply with one" not in said
        state = self.names["env"].os_state.table
        action = choice(state.observation(self._seat), state.action_mask())
        return NONSENSE if wrong else str(action)

    def greedy(self) -> int:
        """The action of the other seat."""
        action: int = self.names["env"].os_state.table.bot_action("greedy", 0)[0]
        return action


def through_kaggle(deal: Deal, seat: int) -> list[Heard]:
    """The requests of the page's agent to its endpoint."""
    model, state = Listener(seat), deal.state()

    def other(observation: Any) -> dict[str, int]:
        is_asked = observation.get("legalActions")
        return {"submission": model.greedy() if is_asked else -1}

    with serving(model) as address, dealing(lambda _: state.clone()):
        code = example("kaggle").code.replace("http://localhost:8001/v1", address)
        model.names = run(code.replace("general_mhing", deal.game.id).partition("env.run(")[0])
        model.names["env"].run([model.names["agent"], other][:: 1 - 2 * seat])
    return model.heard


@pytest.mark.parametrize("game_id", ["mhing", "general_mhing"])
def test_twins_are_asked_the_same(game_id: str) -> None:
    same(game_id, 2, through_kaggle)
