"""JAX: rows stepped from inside compiled functions, and what the page's PPO learns from them."""

from __future__ import annotations

import contextlib
import io
import re
import runpy
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pages
import pytest
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray
from options import known
from vectors import make as make_batch

import mhing
from mhing.jax import EnvState, VecEnv

ROWS, STEPS = 3, 250


def last_legal(observation: NDArray[Any], mask: NDArray[Any], info: dict[str, Any]) -> int:
    """An opponent from Python."""
    return int(mask.nonzero()[0][-1])


def make(num_envs: int = ROWS, game: str = "general_mhing", **settings: Any) -> VecEnv:
    return VecEnv(game, num_envs, **{"opponents": "random"} | settings)


def actions_of(env: VecEnv) -> int:
    return env.game.num_actions


def preferences(env: VecEnv) -> NDArray[np.float32]:
    """Logits of some policy."""
    shape = (env.num_envs, actions_of(env))
    return np.random.default_rng(1).normal(size=shape).astype(np.float32)


# ---- Rows are those of the batch ----------------------------------------------------------------


@pytest.mark.parametrize("game", mhing.games())
@pytest.mark.parametrize(
    "settings",
    [{}, {"opponents": last_legal, "seat": 1}, {"num_players": 3, "episode": "game"}],
    ids=["default", "seat 1", "games of three"],
)
def test_rows_are_those_of_the_batch(game: str, settings: dict[str, Any]) -> None:
    """By `sample_step` in one compiled function, then by `step` outside any."""
    own = {name: settings[name] for name in ("opponents", "seat") if name in settings}
    settings = own | known(game, **{n: v for n, v in settings.items() if n not in own})
    env, batch = (
        make(game=game, **settings),
        make_batch(ROWS, game, autoreset_mode="same_step", **{"opponents": "random"} | settings),
    )
    logits = preferences(env)

    @jax.jit
    def rollout(state: EnvState) -> Any:
        def decide(state: EnvState, _: None) -> Any:
            after, actions = env.sample_step(state, logits)
            return after, (after, actions)

        return jax.lax.scan(decide, state, length=STEPS)

    ended = 0
    for seed in (2**63 + 5, None):
        state = env.reset(seed=seed)
        observations, infos = batch.reset(seed=seed)
        assert_is(state, observations, np.zeros(ROWS, np.float32), np.zeros(ROWS, bool), infos)
        first, kept = state, observations.copy()
        state, followed = rollout(state)
        states, actions = jax.tree.map(np.asarray, followed)
        for step in range(STEPS):
            chosen = batch.sample_actions(logits=logits)
            assert np.array_equal(actions[step], chosen)
            observations, rewards, over, _, infos = batch.step(chosen)
            assert_is(
                EnvState(*(part[step] for part in states)), observations, rewards, over, infos
            )
            ended += over.sum()
        assert all(isinstance(part, jax.Array) for part in state)
        before = state
        for _ in range(10):
            chosen = np.asarray(state.action_mask).argmax(axis=1)
            state = env.step(state, chosen)
            observations, rewards, over, _, infos = batch.step(chosen)
            assert_is(state, observations, rewards, over, infos)
        assert np.array_equal(before.observation, states.observation[-1])
        assert np.array_equal(first.observation, kept)
    assert ended or "episode" in settings


def assert_is(
    state: EnvState, observations: Any, rewards: Any, over: Any, infos: dict[str, Any]
) -> None:
    """The state has all this."""
    for part, expected in zip(
        state,
        (observations, infos["action_mask"] == 1, rewards, over, infos["seat"].astype(np.int32)),
        strict=False,
    ):
        assert part.dtype == expected.dtype
        assert np.array_equal(part, expected)


@pytest.mark.parametrize("game", mhing.games())
def test_all_seats(game: str) -> None:
    """With "self" each seat is told all that it earns: at its decisions, and at the end."""
    env = make(game=game, opponents="self")
    batch = make_batch(ROWS, game, autoreset_mode="same_step", opponents="self")
    state = env.reset(seed=1)
    _, infos = batch.reset(seed=1)
    step = jax.jit(lambda state: env.sample_step(state, jnp.zeros((ROWS, actions_of(env)))))
    assert state.reward.shape == (ROWS, env.game.num_seats)
    ends, paid = 0, 0
    for _ in range(1000):
        state, actions = step(state)
        reported = np.asarray(state.reward)
        _, rewards, over, _, infos = batch.step(actions)
        alone = np.zeros_like(reported)
        alone[np.arange(ROWS), infos["seat"]] = rewards
        if over.any():
            alone[over] = infos["seat_rewards"][over]
        assert np.array_equal(reported, alone)
        ends += over.sum()
        paid += np.count_nonzero(reported)
    assert ends
    assert paid


def test_other_devices_get_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """The way to them works on a processor as well."""
    here = make()
    with monkeypatch.context() as patch:
        patch.setattr(jax, "default_backend", lambda: "gpu")
        there = make()
    ours, theirs = (played(env) for env in (here, there))
    for env, way in ((here, "buffer_callback"), (there, "io_callback")):
        assert f" {way}[" in str(jax.make_jaxpr(env.step)(ours[0], jnp.zeros(ROWS, int)))
    assert len(ours) == len(theirs) == STEPS
    for mine, other in zip(ours, theirs, strict=True):
        assert all(map(np.array_equal, mine, other))
    for env, states in ((here, ours), (there, theirs)):
        with pytest.raises(jax.errors.JaxRuntimeError, match=f"tick 1, but .* at {STEPS}"):
            late(partial(env.step, states[0], jnp.zeros(ROWS, int)))()


def played(env: VecEnv) -> list[EnvState]:
    """The states of some steps, one compiled function for each."""
    step = jax.jit(partial(env.sample_step, logits=preferences(env)))
    states = [env.reset(seed=1)]
    while len(states) < STEPS:
        states.append(step(states[-1])[0])
    return states


@pytest.mark.slow
def test_a_step_whose_results_nobody_uses_is_made() -> None:
    """Each time, once; also while something is differentiated."""
    env = make()

    @jax.jit
    def unused(state: EnvState) -> jax.Array:
        env.step(state, jnp.argmax(state.action_mask, axis=1))
        return state.tick

    assert int(unused(env.reset(seed=1))) == 1
    assert int(unused(env.reset(seed=1))) == 3
    assert int(env.reset(seed=1).tick) == 5

    def gain(weight: jax.Array, state: EnvState) -> jax.Array:
        logits = weight * preferences(env)
        after, actions = env.sample_step(state, logits)
        log_probs = jax.nn.log_softmax(logits)[jnp.arange(ROWS), actions]
        return (log_probs * (after.reward + 1)).sum()

    for grad in (jax.grad(gain), jax.jit(jax.grad(gain))):
        assert np.isfinite(grad(1.0, env.reset(seed=1)))
    assert int(env.reset(seed=1).tick) == 10


# ---- Mistakes -----------------------------------------------------------------------------------


def late(mistake: Callable[[], Any]) -> Callable[[], Any]:
    """One that is found as JAX makes the step."""
    return lambda: jax.block_until_ready(jax.jit(mistake)())


def test_mistakes() -> None:
    """Each is refused by a line that says what would be right, and the rows stay as they are."""
    env = make(illegal_action="raise")
    old = env.reset(seed=1)
    state, actions = env.sample_step(old, preferences(env))
    width = actions_of(env)
    none, nan = jnp.full((ROWS,), -1), jnp.full((ROWS, width), jnp.nan)
    refused = jax.errors.JaxRuntimeError
    mistakes: list[tuple[Callable[[], object], type[Exception], str]] = [
        (lambda: VecEnv("GeneralMhing-v0"), ValueError, "no game 'GeneralMhing-v0'"),
        (lambda: make(n_envs=4), TypeError, "'n_envs'; did you mean num_envs?"),
        (lambda: make(autoreset_mode="disabled"), TypeError, "autoreset_mode: .* same step"),
        (lambda: make(copy=True), TypeError, "copy: .* own arrays"),
        (lambda: make(obs_mode="dict"), TypeError, "obs_mode: .* the mask"),
        (lambda: make(seed=1), TypeError, r"seed: .* env.reset\(seed=...\)"),
        (lambda: env.reset(seed=jnp.uint32(1)), TypeError, "seed: .* cuts whole numbers to 32"),
        (lambda: env.reset(seed=[1, jnp.uint32(1), 2]), TypeError, "seed: .* Python's int"),
        (lambda: jax.jit(env.reset)(1), TypeError, "seed: .* outside jax.jit"),
        (lambda: jax.jit(lambda _: env.reset(1))(0), TypeError, "reset: .* outside jax.jit"),
        (lambda: env.reset(seed=2**64), ValueError, "seed"),
        (lambda: env.step(state, actions[1:]), ValueError, r"actions: .* \(2,\); expected \(3,\)"),
        (lambda: env.step(state, nan[:, 0]), TypeError, "actions: .* float32; expected integer"),
        (lambda: env.sample_step(state, nan[0]), ValueError, rf"logits: .*expected \(3, {width}\)"),
        (
            lambda: env.sample_step(state, state.action_mask),
            TypeError,
            "logits: numbers of type bool; expected floating",
        ),
        (lambda: jax.vmap(env.step, (None, 0))(state, none[None]), ValueError, "batch already"),
        (
            lambda: jax.vmap(jax.jit(env.sample_step), (None, 0))(state, nan[None]),
            ValueError,
            "vmap: .* num_envs",
        ),
        (late(lambda: env.step(old, actions)), refused, "tick 1, but the rows are at 2"),
        (late(lambda: env.step(state, none)), refused, "-1 in row 0 is not in"),
        (late(lambda: env.sample_step(state, nan)), refused, "nan for action"),
    ]
    for mistake, error, words in mistakes:
        with pytest.raises(error, match=words):
            mistake()
    assert int(env.sample_step(state, preferences(env))[0].tick) == 3

    unstarted = make()
    with pytest.raises(refused, match=ResetNeeded.__name__):
        late(lambda: unstarted.step(old._replace(tick=jnp.uint32(0)), actions))()


# ---- Learning -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_page_learns(tmp_path: Path) -> None:
    """Its PPO with another game: points a hand against random, on separate deals."""
    (block,) = (block for block in pages.blocks() if "optimizer.update" in block.code)
    code = block.code.replace('"mhing"', '"general_mhing"').replace("49", "13")
    (tmp_path / "page.py").write_text(code)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        runpy.run_path(str(tmp_path / "page.py"))
    before, after = map(float, re.findall(r"decisions: (-?[\d.]+) ± ", printed.getvalue()))
    assert before < 1.2
    assert after > 1.8
