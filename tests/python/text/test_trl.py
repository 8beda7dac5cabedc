"""TRL's environment, driven as its trainer does; tests/language_models has the trainer itself."""

from __future__ import annotations

import inspect
import re
import sys
import typing
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import pytest
from every_game import LARGE

import mhing
import mhing.trl
from mhing.text import Texts
from mhing.trl import Environment

pytestmark = pytest.mark.once


def tools_of(env: Environment) -> dict[str, Callable[..., Any]]:
    """The methods that the trainer offers to a model."""
    names = [name for name, _ in inspect.getmembers(type(env), inspect.isfunction)]
    return {
        name: getattr(env, name)
        for name in names
        if name not in ("reset", "get_reward") and not name.startswith("_")
    }


def schema_of(tool: Callable[..., Any]) -> dict[str, str]:
    """The arguments that a model is told, as they stand in a docstring in Google's style."""
    text = inspect.getdoc(tool) or ""
    said = dict(re.findall(r"^    (\w+): (.+)$", text.partition("\nArgs:\n")[2], re.MULTILINE))
    hints = typing.get_type_hints(tool)
    names = [*inspect.signature(tool).parameters]
    assert {*said} == {*names}, f"{tool.__name__}: each argument is described"
    assert text.partition("\n")[0].endswith(".")
    assert "\nReturns:\n" in text
    return {name: hints[name].__name__ for name in names}


def rollout(env: Environment, row: dict[str, Any], seed: int) -> list[str]:
    """The messages of a rollout whose model moves by chance."""
    rng, said = Random(seed), [env.reset(**row)]
    while "Moves: " in said[-1]:
        said.append(tools_of(env)["play"](move=rng.choice(moves_of(env))))
    return said


def moves_of(env: Environment) -> list[str]:
    return [*env._asked().moves]


def test_its_only_tool_plays_a_move() -> None:
    (tool,) = tools_of(partial(Environment, "leduc")()).values()
    assert tool.__name__ == "play"
    assert schema_of(tool) == {"move": "str"}
    assert 'the tool "play"' in mhing.trl.rows("leduc", [1])[0]["prompt"][0]["content"]


def test_the_prompt_asks_for_calls_and_not_for_answers() -> None:
    texts = Texts("mhing")
    (row,) = mhing.trl.rows(texts, [7])
    system, user = row["prompt"]
    assert system == {"role": "system", "content": texts.system(tool="play")}
    assert "Answer:" not in system["content"]
    assert "Answer:" in texts.system()
    assert user == {"role": "user", "content": ""}
    assert row["seed"] == 7


@pytest.mark.parametrize("game_id", LARGE)
def test_rollouts_of_a_row_are_a_group(game_id: str) -> None:
    """One instance for each rollout, which the trainer takes again for the next rows."""
    factory = partial(Environment, game_id, opponents="random")
    envs, heard = [factory() for _ in range(3)], set()
    for row in mhing.trl.rows(game_id, range(4)):
        rollouts = [rollout(env, row, seed=1) for env in envs]
        assert rollouts[0] == rollouts[1] == rollouts[2]
        others = [rollout(env, row, seed) for seed, env in enumerate(envs)]
        assert {one[0] for one in others} == {rollouts[0][0]}
        heard.add(rollouts[0][0])
    assert len(heard) == 4, "each row is another deal"


@pytest.mark.parametrize("game_id", LARGE)
def test_the_reward_is_what_the_seat_has_earned(game_id: str) -> None:
    env = Environment(game_id, opponents="greedy")
    for row in mhing.trl.rows(game_id, range(5)):
        rollout(env, row, seed=2)
        state = env._env.table.table.state
        assert state.is_terminal
        assert env.get_reward() == state.returns()[env._env.seat] == env.get_reward()
        with pytest.raises(ValueError, match="The episode is over: no move can be played"):
            env.play("pass")


def test_a_model_that_stops_replies_with_nothing() -> None:
    idle = partial(Environment, "general_mhing", seat=1, opponents="greedy")
    strict = partial(idle, then="end", penalty=-9)
    for factory, reward in ((idle, None), (strict, -9.0)):
        env = factory()
        env.reset(seed=3)
        env.play(moves_of(env)[0])
        earned = env.get_reward()
        info = env._asked().info
        assert earned == info["returns"][1] == (earned if reward is None else reward)
        assert info["mistakes"] >= 3
        assert (info["forfeited"] == 1) == (reward is not None)


def test_a_mistake_is_answered_with_what_would_do() -> None:
    env = Environment("mhing", seat=0)
    env.reset(seed=1)
    for wrong in ("I don't know", {"move": 3}, None, -1):
        before = env._env.table.table.state.clone()
        wrong_move: Any = wrong
        said = env.play(wrong_move)
        if env._asked().refusal is not None:
            assert "Reply with one of these moves.\nMoves: " in said
            assert env._env.table.table.state == before
    assert env._asked().info["mistakes"] == 4


def test_rows_need_seeds() -> None:
    env = Environment("leduc")
    with pytest.raises(RuntimeError, match="call reset"):
        env.get_reward()
    with pytest.raises(ValueError, match="seed: the dataset has no such column"):
        env.reset(prompt=[])
    with pytest.raises(ValueError, match="is not from 0"):
        mhing.trl.rows("leduc", [2**64])
    wrong: Any = None
    with pytest.raises(TypeError, match="seed: None is a NoneType"):
        mhing.trl.rows("leduc", [wrong])
    (row,) = mhing.trl.rows("leduc", [2**64 - 1])
    assert row["seed"] == -1, "datasets keep 64 bits with a sign"
    assert env.reset(**row) == env.reset(seed=2**64 - 1)


def test_nothing_of_the_library_is_loaded() -> None:
    assert "trl" not in sys.modules
    assert "torch" not in vars(mhing.trl)
