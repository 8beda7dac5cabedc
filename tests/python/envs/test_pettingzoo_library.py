"""PettingZoo's own tests and its registry, for every game and several sets of options."""

from __future__ import annotations

import itertools
import subprocess
import sys
from functools import partial
from typing import Any

import pettingzoo
import pytest
from options import known
from pettingzoo.test import (
    api_test,
    parallel_api_test,
    parallel_seed_test,
    performance_benchmark,
    render_test,
    seed_test,
    state_test,
)
from zoo import GAMES, every_game, module

import mhing
import mhing.pettingzoo

CASES = [
    (game, options)
    for game in GAMES
    for options in (
        {},
        {"obs_mode": "flat"},
        {"obs_mode": "flat", "max_cycles": 20},
        known(game, episode="game", num_players=3, hints=True),
        known(game, num_players=2, rules="boxed") | {"max_cycles": 50, "render_mode": "ansi"},
    )
]

every_case = pytest.mark.parametrize(("game", "options"), CASES, ids=str)
dicts_are_observations = pytest.mark.filterwarnings(
    # The warning of api_test for every observation with a mask except those of PettingZoo's games.
    "ignore:Observation is not a NumPy array:UserWarning",
    "ignore:Observation space for each agent probably should be gymnasium.spaces.box:UserWarning",
)
masks_are_in_infos = pytest.mark.filterwarnings(
    # The tests of parallel and of raw play look for masks in observations alone, or not at all.
    "ignore:.*5 episodes in a row have ended by an illegal action:UserWarning",
)


@dicts_are_observations
@every_case
def test_api(game: str, options: dict[str, Any]) -> None:
    api_test(module(game).env(**options), num_cycles=100)
    api_test(module(game).raw_env(**options), num_cycles=100)


@masks_are_in_infos
@every_case
def test_parallel_api(game: str, options: dict[str, Any]) -> None:
    parallel_api_test(module(game).parallel_env(**options), num_cycles=100)


@masks_are_in_infos
@every_case
def test_seeds(game: str, options: dict[str, Any]) -> None:
    seed_test(partial(module(game).env, **options), num_cycles=50)
    parallel_seed_test(partial(module(game).parallel_env, **options), num_cycles=50)


@every_case
def test_states_for_critics(game: str, options: dict[str, Any]) -> None:
    state_test(module(game).env(**options), module(game).parallel_env(**options))


@every_game
def test_rendering(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    render_test(module(game).env, {"svg": lambda picture: picture.startswith("<svg")})
    assert capsys.readouterr().out


class Clock:
    """A clock that advances by 0.01 s whenever it is read: the benchmark takes five seconds."""

    def __init__(self) -> None:
        self.time = partial(next, itertools.count(0, 0.01))


@every_case
def test_the_benchmark_runs(
    game: str,
    options: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if options.get("obs_mode") == "flat":
        options = options | {"obs_mode": "dict"}  # it looks for masks in observations alone
    monkeypatch.setattr(sys.modules[performance_benchmark.__module__], "time", Clock())
    performance_benchmark(module(game).env(**options))
    assert "turns per second" in capsys.readouterr().out


# ---- The registry -------------------------------------------------------------------------------


@every_game
def test_what_make_makes(game: str) -> None:
    name = mhing.pettingzoo_id(game)
    for spelling in (name, name.replace("_v", "-v"), game):
        aec = pettingzoo.make("aec", spelling, max_cycles=2, **known(game, num_players=2))
        parallel = pettingzoo.make("parallel", spelling, obs_mode="flat")
        assert type(aec) is type(module(game).env())
        assert type(parallel) is type(module(game).parallel_env())
        assert str(aec) == str(parallel) == name
        assert parallel.observation_space("player_0") == aec.observation_space("player_0")[
            "observation"
        ] or known(game, num_players=2)
        aec.reset(seed=1)
        for _ in range(2):
            aec.step(int(aec.infos[aec.agent_selection]["action_mask"].argmax()))
        assert aec._over
    with pytest.raises(TypeError, match="unexpected keyword argument 'players'"):
        pettingzoo.make("aec", name, players=3)


@pytest.mark.slow
@pytest.mark.once
def test_registered_once_whatever_is_imported_first() -> None:
    names = sorted(mhing.pettingzoo_id(game).replace("_v", "-v") for game in GAMES)
    for order in ("mhing.pettingzoo, pettingzoo", "pettingzoo, mhing.pettingzoo"):
        code = (
            f"import {order}\n"
            "for found in (pettingzoo.aec_registry, pettingzoo.parallel_registry):\n"
            "    print(*sorted(id for id in found if '/' not in id), sep=',')"
        )
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
        )
        assert done.stdout.split() == [",".join(names)] * 2


@pytest.mark.slow
@pytest.mark.once
def test_older_than_the_registry() -> None:
    code = (
        "import pettingzoo; del pettingzoo.register\n"
        "import mhing.pettingzoo; print(mhing.mhing_v0.env(), *pettingzoo.aec_registry)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split()[0] == "mhing_v0"
    assert "mhing-v0" not in done.stdout
