"""Mistakes in the use of the native vector environment: each is named, and changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from same import assert_same
from vectors import make

import mhing
from mhing.vector import CardGameVectorEnv

SIZE = mhing.Game("mhing").omniscient_size


@pytest.mark.parametrize(
    ("keywords", "error", "words"),
    [
        ({"num_envs": 0}, ValueError, "num_envs: 0"),
        ({"num_envs": 2.0}, TypeError, "num_envs: 2.0"),
        ({"num_threads": 0}, ValueError, "num_threads: 0"),
        ({"num_threads": "two"}, TypeError, "num_threads: 'two'"),
        ({"copy": 1}, TypeError, "copy: 1"),
        ({"autoreset_mode": "always"}, ValueError, "autoreset_mode: 'always'.*same_step"),
        (
            {"oponents": "greedy"},
            TypeError,
            r"CardGameVectorEnv\(\) got .* argument 'oponents'; did you mean opponents\?",
        ),
        ({"opponents": "gready"}, ValueError, "gready.*greedy.*'self'"),
        ({"opponents": ["self"]}, ValueError, "opponents: 1 given for 3"),
        ({"opponents": len}, TypeError, r"opponents: .*expected \(observation, mask, info\)"),
        (
            {"opponents": "onnx:none.onnx"},
            ValueError,
            "'none.onnx' cannot .* there is no such file$",
        ),
        ({"opponents": "onnx:"}, ValueError, "onnx: names nothing; write onnx:FILE: a network"),
        ({"opponents": "net:none"}, ValueError, "opponents: no net 'none' came with mhing"),
        ({"opponents": f"net:{__file__}"}, ValueError, r"mistakes.py: .* these bytes are no net$"),
        ({"opponents": "net", "reward": "win"}, ValueError, "net: trained .* reward=win$"),
        ({"opponents": "search:many"}, ValueError, "bot search: 'many' is no budget.*10ms$"),
        ({"opponents": "search:5,prior=search:5"}, ValueError, "search:5 searches itself$"),
        ({"opponents": 3}, TypeError, "opponents: 3"),
        ({"seat": 4}, ValueError, "seat: 4"),
        ({"seat": "east"}, TypeError, "seat: 'east'"),
        ({"illegal_action": "ignore"}, ValueError, "illegal_action: 'ignore'"),
        ({"obs_mode": "tuple"}, ValueError, "obs_mode: 'tuple'"),
        ({"render_mode": "human"}, ValueError, "render_mode: 'human'.*ansi"),
        ({"num_players": 7}, ValueError, "num_players: '7'"),
        ({"game": "chess"}, ValueError, "chess"),
    ],
    ids=str,
)
def test_bad_keywords(keywords: dict[str, Any], error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        CardGameVectorEnv(**keywords)


@pytest.mark.parametrize(
    ("keywords", "error", "words"),
    [
        ({"seed": -(2**63) - 1}, ValueError, "row 0: seed: -9"),
        ({"seed": 2**64 - 2}, ValueError, "row 2: seed"),
        ({"seed": 1.5}, TypeError, "seed: 1.5"),
        ({"seed": True}, TypeError, "seed: True"),
        ({"seed": "abc"}, TypeError, "seed: 'abc'"),
        ({"seed": [1, 2]}, ValueError, "seed: 2 given for 3 rows"),
        ({"seed": [1, "x", 2]}, TypeError, "row 1: seed: 'x'"),
        ({"options": {"deck": [1]}}, ValueError, "'deck' is unknown.*reset_mask"),
        ({"options": {"reset_mask": [True] * 3}}, TypeError, "reset_mask: a list"),
        ({"options": {"reset_mask": np.ones(3)}}, TypeError, "reset_mask: a float64"),
        ({"options": {"reset_mask": np.ones(4, bool)}}, ValueError, r"reset_mask.*\(4,\).*\(3,\)"),
        ({"options": {"reset_mask": np.zeros(3, bool)}}, ValueError, "reset_mask: no row"),
    ],
    ids=str,
)
def test_bad_resets(keywords: dict[str, Any], error: type[Exception], words: str) -> None:
    envs = make()
    with pytest.raises(error, match=words):
        envs.reset(**keywords)
    before = envs.reset(seed=1)
    with pytest.raises(error, match=words):
        envs.reset(**keywords)
    assert_same(envs.observe(), before)


@pytest.mark.parametrize(
    ("actions", "error", "words"),
    [
        ([0, 0], ValueError, r"actions: an array \(2,\); expected \(3,\)"),
        (0, ValueError, r"actions: an array \(\)"),
        ([[0], [0], [0]], ValueError, r"actions: an array \(3, 1\)"),
        ([[0], [0, 1], [0]], ValueError, "actions"),
        ([0, 1.5, 2], TypeError, r"actions\[0\]: .*float64"),
        ([0, None, 2], TypeError, r"actions\[1\]: None"),
        (np.ones(3, bool), TypeError, r"actions\[0\]"),
        (["a", "b", "c"], TypeError, r"actions\[0\]"),
        (None, ValueError, "actions"),
    ],
    ids=str,
)
def test_bad_actions(actions: Any, error: type[Exception], words: str) -> None:
    envs = make()
    before = envs.reset(seed=1)
    with pytest.raises(error, match=words):
        envs.step(actions)
    assert_same(envs.observe(), before)


@pytest.mark.parametrize("action", [-1, 10**6, 2**40, 2**70, 2**32])
def test_illegal_actions(action: int) -> None:
    envs = make(illegal_action="raise")
    before = envs.reset(seed=1)
    actions = [int(np.argmax(mask)) for mask in envs.action_masks()]
    with pytest.raises(ValueError, match="row 1"):
        envs.step([actions[0], action, actions[2]])
    assert_same(envs.observe(), before)
    envs.step(actions)
    envs = make(illegal_action="terminate")
    envs.reset(seed=1)
    _, rewards, terminated, _, infos = envs.step([actions[0], action, actions[2]])
    assert terminated[1]
    assert rewards[1] == -1
    assert infos["illegal_action"].tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("weights", "error", "words"),
    [
        ({"logits": np.zeros((3, 2))}, ValueError, r"logits: an array \(3, 2\)"),
        ({"probabilities": 1.0}, ValueError, r"probabilities: an array \(\)"),
        ({"logits": "uniform"}, TypeError, "logits"),
        ({"logits": [[1], [1, 2]]}, ValueError, "logits"),
        ({"logits": 0, "probabilities": 0}, ValueError, "not both"),
    ],
    ids=str,
)
def test_bad_weights(weights: dict[str, Any], error: type[Exception], words: str) -> None:
    envs = make()
    envs.reset(seed=1)
    with pytest.raises(error, match=words):
        envs.sample_actions(**weights)


@pytest.mark.parametrize(
    ("name", "value"),
    [("logits", np.nan), ("logits", -np.inf), ("logits", np.inf), ("probabilities", 0.0),
     ("probabilities", -1.0), ("probabilities", np.nan), ("logits", 1e300)],
)  # fmt: skip
def test_weights_that_cannot_be_name_the_row(name: str, value: float) -> None:
    envs = make()
    envs.reset(seed=1)
    weights = np.ones((3, envs.game.num_actions))
    weights[2] = value
    with pytest.raises(ValueError, match=rf"{name}: .* row 2"):
        envs.sample_actions(**{name: weights})


def test_bad_rows_and_snapshots() -> None:
    envs = make()
    envs.reset(seed=1)
    for row in (-1, 3):
        with pytest.raises(IndexError, match=f"row: {row}"):
            envs.state(row)
        with pytest.raises(IndexError, match=f"row: {row}"):
            envs.copy_row(0, row)
    with pytest.raises(TypeError, match="row"):
        envs.save(0.5)
    with pytest.raises(TypeError, match="snapshot"):
        envs.load(0, "text")
    snapshot, before = envs.save(0), envs.observe()
    for bad in (b"", snapshot[:-1], snapshot + b"x", bytes(len(snapshot))):
        with pytest.raises(ValueError, match="snapshot"):
            envs.load(0, bad)
    three = make(num_players=3)
    three.reset(seed=1)
    with pytest.raises(ValueError, match="snapshot"):
        three.load(0, snapshot)
    assert_same(envs.observe(), before)


@pytest.mark.parametrize(
    ("out", "error", "words"),
    [
        ([0], TypeError, "out: a list"),
        (np.zeros((3, 2), np.int8), TypeError, "out: a int8"),
        (np.zeros((2, 3), np.uint8), ValueError, r"out: an array \(2, 3\); expected \(3, "),
        (np.zeros((SIZE, 3), np.uint8).T, ValueError, "in one piece"),
        (np.broadcast_to(np.uint8(0), (3, SIZE)), ValueError, "in one piece"),
    ],
)
def test_bad_arrays_for_omniscient(out: Any, error: type[Exception], words: str) -> None:
    envs = make()
    envs.reset(seed=1)
    with pytest.raises(error, match=words):
        envs.omniscient(out)


def uses(envs: CardGameVectorEnv) -> list[Callable[[], Any]]:
    return [
        lambda: envs.step([0, 0, 0]), envs.render, envs.sample_actions, envs.action_masks,
        envs.observe, lambda: envs.state(0), lambda: envs.save(0), lambda: envs.load(0, b""),
        lambda: envs.copy_row(0, 1), envs.omniscient,
    ]  # fmt: skip


def test_everything_needs_a_reset() -> None:
    envs = make(render_mode="ansi")
    for use in uses(envs):
        with pytest.raises(ResetNeeded, match="reset"):
            use()
    with pytest.raises(ResetNeeded, match="row 1"):
        envs.reset(seed=1, options={"reset_mask": np.array([True, False, True])})
    envs.reset(seed=1)


def test_a_row_that_is_over_needs_a_reset_when_autoreset_is_disabled() -> None:
    envs = make(autoreset_mode="disabled")
    envs.reset(seed=1)
    actions = envs.sample_actions()
    actions[2] = -1
    _, _, terminated, _, _ = envs.step(actions)
    assert envs.sample_actions()[2] == 0
    assert envs.action_masks()[2].all()
    with pytest.raises(ResetNeeded, match=r"row 2.*reset_mask"):
        envs.step([0, 0, 0])
    envs.reset(options={"reset_mask": terminated})
    envs.step(envs.sample_actions())


def test_a_closed_environment_says_so() -> None:
    envs = make(render_mode="ansi")
    envs.reset(seed=1)
    envs.close()
    envs.close()
    for use in (envs.reset, *uses(envs)):
        with pytest.raises(ClosedEnvironmentError):
            use()
