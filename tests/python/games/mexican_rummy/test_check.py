"""Each refusal of Mexican Rummy's check has a state in tests/c/games/test_mexican_rummy_check.c."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import mhing

ROOT = Path(__file__).parents[4]
CHECKS = [ROOT / "envs" / "mexican_rummy" / name for name in ("check.c", "check_rounds.c")]
STATES = ROOT / "tests" / "c" / "games" / "test_mexican_rummy_check.c"


@pytest.mark.once
def test_every_refusal_has_a_state_that_it_refuses() -> None:
    refusals = re.findall(r'mh_refuse\(message, "([^"]+)"', "".join(map(Path.read_text, CHECKS)))
    tried = re.findall(r'^ +\{"([^"]+)",', STATES.read_text(), re.MULTILINE)
    assert len(refusals) > 25
    assert set(refusals) == set(tried)
    assert len(set(refusals)) == len(refusals), "two refusals with the same message"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"returns": [123.0, 0.0, 0.0, 0.0]}, "returns that the rounds have not brought"),
        ({"rewards": [9.0, 0.0, 0.0, 0.0]}, "rewards that the last action has not brought"),
        ({"decisions": 0}, "too few or too many decisions"),
        ({"scores": [5000, 0, 0, 0]}, "points out of range"),
    ],
)
@pytest.mark.parametrize("reward", ["score", "rank", "win"])
def test_what_a_round_has_not_brought_is_refused(
    reward: str, changed: dict[str, Any], message: str
) -> None:
    game = mhing.Game("mexican_rummy", episode="game", reward=reward)
    state = game.new_state(3)
    while state.rounds_over < 2:
        state.apply(state.bot_action("greedy", 1)[0])
    made = state.to_dict()
    assert game.state_from_dict(made).to_dict() == made
    with pytest.raises(ValueError, match=message):
        game.state_from_dict(made | changed)


@pytest.mark.parametrize("reward", ["score", "rank", "win"])
def test_returns_and_decisions_that_are_left_out_are_those_of_the_scores(reward: str) -> None:
    game = mhing.Game("mexican_rummy", episode="game", reward=reward)
    state = game.new_state(3)
    while not state.is_terminal:
        made = state.to_dict()
        del made["returns"], made["rewards"]
        again = game.state_from_dict(made)
        assert again.returns().tolist() == state.returns().tolist()
        assert not again.rewards().any()
        del made["decisions"]
        assert game.state_from_dict(made).to_dict()["decisions"] <= state.to_dict()["decisions"]
        for _ in range(10):
            if not state.is_terminal:
                state.apply(state.bot_action("greedy", 1)[0])
    made = state.to_dict()
    del made["returns"], made["rewards"]
    assert game.state_from_dict(made).returns().tolist() == state.returns().tolist()


def test_a_return_of_minus_zero_is_zero() -> None:
    """Equal states have equal bytes: -0.0 is what Python makes of minus no points."""
    game = mhing.Game("mexican_rummy")
    state = game.new_state(1)
    made = state.to_dict() | {"returns": [-0.0] * 4, "rewards": [-0.0] * 4}
    assert game.state_from_dict(made) == state
