"""Rows of the native vector environment by the names of the single one, as SyncVectorEnv has them;
and weights of actions in every form in which libraries have them.
"""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from same import assert_same
from vectors import ID, make

from mhing.players import Pool


def both(**options: Any) -> tuple[Any, Any]:
    """The native environment and Gymnasium's, after a reset."""
    given: dict[str, Any] = {"opponents": "random", "render_mode": "ansi", **options}
    ours = gym.make_vec(ID, 3, **given)
    theirs = gym.make_vec(ID, 3, vectorization_mode="sync", **given)
    for envs in (ours, theirs):
        envs.reset(seed=5)
    return ours, theirs


@pytest.mark.parametrize(
    "name",
    [
        "action_masks", "legal_actions", "render", "state", "game", "look", "render_mode",
        "action_space", "observation_space", "opponents", "member",
    ],
)  # fmt: skip
def test_rows_are_called_as_single_environments_are(name: str) -> None:
    ours, theirs = both()
    assert_same(ours.call(name), theirs.call(name))
    assert_same(ours.get_attr(name), theirs.get_attr(name))


def test_arguments_reach_the_method() -> None:
    ours, theirs = both()
    observation = ours.observe()[0][0]
    assert_same(ours.call("unpack", observation), theirs.call("unpack", observation))


def test_opponents_are_set_by_a_call_as_well() -> None:
    ours, theirs = both()
    met = (lambda observation, mask, info: int(mask.argmax())), "greedy"
    for opponents in met:
        assert ours.call("set_opponents", opponents) == theirs.call("set_opponents", opponents)
        assert ours.get_attr("opponents") == (opponents,) * 3
        assert_same(ours.reset(seed=7)[0], theirs.reset(seed=7)[0])


def test_the_member_that_each_row_meets() -> None:
    ours, theirs = both(opponents=Pool(["greedy", "random", "expert"]))
    met = set()
    for seed in range(4):
        for envs in (ours, theirs):
            envs.reset(seed=seed)
        assert ours.get_attr("member") == theirs.get_attr("member") == tuple(ours.members)
        met |= {*ours.members}
    assert len(met) > 1


def test_what_rows_do_not_have() -> None:
    ours, _ = both()
    for name in ("agents", "_envs", "__class__"):
        with pytest.raises(AttributeError, match=f"{name}: no attribute .*action_masks.*state"):
            ours.get_attr(name)


def test_the_look_can_be_set() -> None:
    ours, theirs = both(render_mode="svg")
    for value in ("dark", ["felt"] * 3):
        ours.set_attr("look", value)
        theirs.set_attr("look", value)
        assert ours.render() == theirs.render()
    for wrong in (["dark", "felt", "felt"], ["dark"], "pink"):
        with pytest.raises(ValueError, match="look: "):
            ours.set_attr("look", wrong)
    with pytest.raises(AttributeError, match=r"call set_opponents\(\.\.\.\)"):
        ours.set_attr("opponents", "greedy")
    with pytest.raises(AttributeError, match="seat: no attribute of rows that can be set"):
        ours.set_attr("seat", 1)


def best(envs: Any) -> tuple[Any, Any]:
    """Logits for one legal action of each row, and these actions."""
    masks = envs.action_masks()
    actions = masks.argmax(1)
    logits = np.full(masks.shape, -np.inf, np.float32)
    logits[np.arange(len(masks)), actions] = 1.5
    return logits, actions


@pytest.mark.parametrize("kind", ["float16", "float32", "float64", "bfloat16"])
@pytest.mark.once
def test_weights_of_torch(kind: str) -> None:
    torch = pytest.importorskip("torch")
    envs = make(num_envs=3)
    envs.reset(seed=1)
    logits, actions = best(envs)
    tensor = torch.tensor(logits).to(getattr(torch, kind)).requires_grad_()
    assert np.array_equal(envs.sample_actions(logits=tensor), actions)
    assert np.array_equal(envs.sample_actions(probabilities=tensor.exp()), actions)
    assert tensor.requires_grad
    with pytest.raises(TypeError, match="logits: numbers of type bool"):
        envs.sample_actions(logits=torch.tensor(logits) > 0)


@pytest.mark.parametrize("kind", ["float32", "bfloat16"])
@pytest.mark.once
def test_weights_of_jax(kind: str) -> None:
    jax = pytest.importorskip("jax")
    envs = make(num_envs=3)
    envs.reset(seed=1)
    logits, actions = best(envs)
    assert np.array_equal(envs.sample_actions(logits=jax.numpy.asarray(logits, kind)), actions)
