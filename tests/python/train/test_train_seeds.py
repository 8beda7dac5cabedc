"""Adapters hand no seed to policies, even if infos were asked to hold it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from seed_search import SEED, holds_seed

from mhing import data

ROWS = 2
ASKED: dict[str, Any] = {"opponents": "random", "seed_info": True}
LIBRARIES = Path(__file__).parents[3] / "python/docs/pages/libraries"


def test_the_seed_is_found_where_it_is() -> None:
    for one in ({"a": [SEED + 1]}, {"seed": 1}, [np.array([1.0, SEED], np.float32)]):
        assert holds_seed(one)
    env = gym.make("mhing:Mhing-v0", **ASKED)
    assert holds_seed(env.reset(seed=SEED)[1])


def opponents() -> Iterator[Any]:
    """The arguments of callables in other seats, in the environment and in a batch."""
    heard: list[Any] = []

    def policy(observation: Any, mask: Any, info: Any) -> int:
        heard.append((observation, mask, dict(info)))
        return int(mask.argmax())

    given = {**ASKED, "opponents": policy}
    for env in (
        gym.make("mhing:Mhing-v0", **given),
        gym.make_vec("mhing:Mhing-v0", num_envs=ROWS, **given),
    ):
        _, info = env.reset(seed=SEED)
        for _ in range(5):
            masks = np.atleast_2d(info["action_mask"])
            chosen = masks.argmax(1)
            *_, info = env.step(chosen if masks.shape[0] > 1 else int(chosen[0]))
    assert len(heard) > 10
    yield from heard


def stable_baselines3() -> Iterator[Any]:
    pytest.importorskip("stable_baselines3")
    from mhing.sb3 import MhingVecEnv

    env = MhingVecEnv("mhing", ROWS, obs_mode="dict", **ASKED)
    env.seed(SEED)
    observations: Any = env.reset()
    for _ in range(5):
        yield observations
        observations = env.step(observations["action_mask"].argmax(1))[0]


def torchrl() -> Iterator[Any]:
    pytest.importorskip("torchrl")
    pytest.importorskip("pettingzoo")
    from mhing import mhing_v0
    from mhing.torchrl import MhingEnv, MhingSeatsEnv

    env = MhingEnv("mhing", ROWS, **ASKED)
    env.set_seed(SEED)
    yield env.rollout(5).to_dict()
    seats = MhingSeatsEnv(mhing_v0.env(seed_info=True))
    seats.set_seed(SEED)
    yield seats.rollout(5).to_dict()


def jax() -> Iterator[Any]:
    tree = pytest.importorskip("jax").tree
    from mhing.jax import VecEnv

    env = VecEnv("mhing", ROWS, **ASKED)
    yield tree.leaves(env.reset(seed=SEED))


def tianshou() -> Iterator[Any]:
    """Its batches hand infos to policies: those that were not asked for the seed."""
    module = pytest.importorskip("tianshou.env")
    from mhing import mhing_v0

    env = module.PettingZooEnv(mhing_v0.raw_env())
    yield env.reset(seed=SEED)
    yield gym.make("mhing:Mhing-v0", opponents="random", obs_mode="dict").reset(seed=SEED)


def openspiel() -> Iterator[Any]:
    spiel = pytest.importorskip("pyspiel")
    import mhing.openspiel  # noqa: F401

    game = spiel.load_game("python_mhing", {"first_seed": 2**30})
    state = game.new_initial_state()
    state.apply_action(0)
    for seat in range(4):
        for text in (state.observation_string(seat), state.information_state_string(seat)):
            assert str(2**30) not in text
            assert "seed" not in text
        yield state.observation_tensor(seat)
        yield state.information_state_tensor(seat)


def datasets() -> Iterator[Any]:
    (batch,) = data.Games("mhing", games=2, seed=SEED).batches()
    assert holds_seed(batch)
    yield {name: batch[name] for name in ("observation", "action_mask")}


@pytest.mark.slow
@pytest.mark.parametrize(
    "adapter",
    [opponents, stable_baselines3, torchrl, jax, tianshou, openspiel, datasets],
)
def test_policies_get_no_seed(adapter: Callable[[], Iterator[Any]]) -> None:
    data = [*adapter()]
    assert data
    assert not any(map(holds_seed, data))


def test_the_page_of_every_library_leads_to_the_warning() -> None:
    pages = [path for path in LIBRARIES.glob("*.md") if path.stem not in ("index", "rewards")]
    assert len(pages) > 8
    for path in pages:
        assert "(../threats.md#seeds-in-process)" in path.read_text(encoding="utf-8"), path.name
