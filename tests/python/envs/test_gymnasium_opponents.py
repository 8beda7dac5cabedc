"""Players of the other seats of the environment: bots, functions, ONNX files."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gym_play import ID, first_legal, make, play, same
from onnx_policy import write_policy

import mhing
from mhing.text.answers import Reader, Refusal
from mhing.vector import CardGameVectorEnv


def test_callables_see_their_own_seat_only() -> None:
    seen: list[int] = []

    def watch(observation: Any, mask: Any, info: dict[str, Any]) -> int:
        state, seat = env.state, info["seat"]
        assert state.seat == seat != 1
        assert np.array_equal(observation, state.observation(seat))
        assert np.array_equal(mask, state.action_mask())
        assert np.array_equal(mask, info["action_mask"])
        seen.append(seat)
        mask[:] = 0
        return state.bot_action("greedy", 0)[0]

    env = make(num_players=3, seat=1, opponents=watch)
    for seed in range(3):
        play(env, seed)
    assert set(seen) == {0, 2}


def test_one_opponent_per_seat_clockwise_from_the_learner() -> None:
    asked: dict[str, set[int]] = {"left": set(), "right": set()}

    def record(name: str) -> Any:
        def policy(observation: Any, mask: Any, info: dict[str, Any]) -> int:
            asked[name].add(info["seat"])
            return first_legal(observation, mask, info)

        return policy

    env = make(seat=2, opponents=[record("left"), "greedy", record("right")])
    for seed in range(3):
        play(env, seed)
    assert asked == {"left": {3}, "right": {1}}


@pytest.mark.parametrize("seat", [0, 2])
def test_a_built_in_bot_called_from_python_plays_the_same_game(seat: int) -> None:
    """Greedy does not draw lots, so it plays alike in C and through a callable."""

    def greedy(observation: Any, mask: Any, info: dict[str, Any]) -> int:
        return env.state.bot_action("greedy", 0)[0]

    keywords = {"seat": seat, "episode": "game", "target": 30, "reward": "points"}
    built_in = make(opponents="greedy", **keywords)
    for opponents in (greedy, [greedy, "greedy", greedy]):
        env = make(opponents=opponents, **keywords)
        for seed in range(3):
            assert same(play(built_in, seed), play(env, seed))


@pytest.mark.parametrize(
    ("choice", "error"),
    [
        (340_000, ValueError),
        (-1, ValueError),
        (340, ValueError),
        (0.0, TypeError),
        (None, TypeError),
    ],
)
def test_opponents_that_choose_nonsense(choice: Any, error: type[Exception]) -> None:
    """Who it was; in the cause what the action is, and what is legal, as the arena says it."""
    masks: list[Any] = []

    def odd(observation: Any, mask: Any, info: Any) -> Any:
        masks.append(mask)
        return choice

    env = make(seat=0, dealer=1, opponents=odd)
    words = r"^opponent odd at seat 1 has given no legal action$"
    with pytest.raises(error, match=words) as raised:
        env.reset(seed=1)
    refused = Reader(env.game).read(choice, masks[0])
    assert isinstance(refused, Refusal)
    assert str(raised.value.__cause__) == refused.advice
    if error is ValueError:
        text = env.game.action_text(340) if choice == 340 else "there are actions 0 to 340"
        assert f"action {choice} is not legal now: {text}; the nearest" in refused.advice


def test_what_an_opponent_raises_is_the_cause() -> None:
    lost = KeyError("lost")

    def losing(*_: Any) -> int:
        raise lost

    words = r"^opponent losing at seat 1{} has raised KeyError$"
    with pytest.raises(RuntimeError, match=words.format("")) as raised:
        make(seat=0, dealer=1, opponents=losing).reset(seed=1)
    assert raised.value.__cause__ is lost
    envs = CardGameVectorEnv(1, game="mhing", seat=0, dealer=1, opponents=losing)
    with pytest.raises(RuntimeError, match=words.format(" in row 0")) as raised:
        envs.reset(seed=1)
    assert raised.value.__cause__ is lost


class Player:
    def __call__(self, observation: Any, mask: Any, info: Any) -> int:
        return int(mask.argmax())


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (Player, "is a class; give an object of it"),
        (lambda observation: 0, r"takes \(observation\); expected \(observation, mask, info\)"),
        (lambda a, b, c, d: 0, r"takes \(a, b, c, d\); expected"),
    ],
)
def test_opponents_that_cannot_be_asked(policy: Any, words: str) -> None:
    with pytest.raises(TypeError, match=f"opponents: .* {words}"):
        make(opponents=policy)
    make(opponents=Player()).reset(seed=1)


def test_onnx_opponents_of_another_game(tmp_path: Any) -> None:
    pytest.importorskip("onnxruntime")
    path = write_policy(tmp_path, mhing.Game("mexican_rummy"))
    size = make().game.num_actions
    with pytest.raises(ValueError, match=rf"takes action_mask .*; expected \(1, {size}\)"):
        make(opponents=f"onnx:{path}")


def test_onnx_opponents(tmp_path: Any) -> None:
    pytest.importorskip("onnxruntime")
    path = write_policy(tmp_path, make().game)
    env = make(seat=0, opponents=["greedy", f"onnx:{path}", first_legal])
    twin = make(seat=0, opponents=["greedy", last_legal, first_legal])
    for seed in range(3):
        assert same(play(env, seed), play(twin, seed))
    assert gym.envs.registration.EnvSpec.from_json(
        gym.make(ID, opponents=f"onnx:{path}").spec.to_json()
    )


def last_legal(observation: Any, mask: Any, info: dict[str, Any]) -> int:
    return int(np.flatnonzero(mask)[-1])
