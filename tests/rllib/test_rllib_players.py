"""Networks of RLlib as players: the objects, and their checkpoints by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from learned import GAME, by_command, plays_like

pytest.importorskip("tree", reason="RLlib has a separate environment: run .ci/rllib")

from networks import module, small

import mhing
from mhing import players, rllib
from mhing.judge import Judge
from mhing.players import registry

pytestmark = pytest.mark.filterwarnings("ignore")  # RLlib's own


@pytest.mark.parametrize("hints", [False, True])
@pytest.mark.parametrize("make", [rllib.ppo_config, rllib.multi_agent_config])
def test_algorithms_and_their_checkpoints(
    make: Callable[..., Any],
    hints: bool,
    local: None,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    algorithm = small(make(GAME, hints=hints)).build_algo()
    algorithm.train()
    algorithm.save_to_path(tmp_path)
    networks = tmp_path / "learner_group/learner/rl_module"
    (of_one,) = [path for path in networks.iterdir() if path.is_dir()]
    network = algorithm.get_module(of_one.name)
    names = [f"rllib:{path}" for path in (tmp_path, networks, of_one)]
    plays_like([algorithm, network, algorithm.env_runner.module, *names], hints)
    by_command(names[0], capsys)
    marks = {registry.identity(name)[0].partition(" ")[2] for name in names[:2]}
    assert len(marks) == 1
    assert marks.pop().count("sha256:") == 2
    algorithm.stop()


def test_a_network_judges_and_may_draw() -> None:
    net = module(GAME)
    state = mhing.Game(GAME).new_state(seed=1)
    judge = Judge(state.game, net)
    assert judge.judges
    likely = judge.decide(state).probabilities
    assert likely.sum() == pytest.approx(1)
    drawing = players.load(rllib.ModulePolicy(net, deterministic=False), state.game)
    actions = state.legal_actions().tolist()
    drawn = np.bincount(
        [actions.index(drawing.choose(state)) for _ in range(2000)], minlength=len(actions)
    )
    assert np.abs(drawn / 2000 - likely).max() < 0.06
    steady = players.load(net, state.game)
    assert {steady.choose(state) for _ in range(5)} == {actions[likely.argmax()]}


def test_networks_that_do_not_play(tmp_path: Path) -> None:
    from ray.rllib.core.rl_module.multi_rl_module import MultiRLModule, MultiRLModuleSpec
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec

    net = module(GAME)
    specs = {name: RLModuleSpec.from_module(net) for name in ("one", "other")}
    several = MultiRLModule(
        rl_module_specs=MultiRLModuleSpec(rl_module_specs=specs).rl_module_specs
    )
    several.save_to_path(tmp_path / "several")
    for given in (several, f"rllib:{tmp_path / 'several'}"):
        with pytest.raises(
            (TypeError, ValueError), match=r"^player: .*it has 2 networks, one, other; give one"
        ):
            players.load(given, GAME)
    assert players.load(f"rllib:{tmp_path / 'several' / 'other'}", GAME)
    with pytest.raises(ValueError, match=r"^opponents: MaskedModule takes observations of \d+"):
        mhing.env.CardGameEnv("mexican_rummy", opponents=net)
    for where, words in (("none", "there is no such folder"), (".", "is no checkpoint; name the")):
        with pytest.raises(ValueError, match=f"^player: '.*' .*{words}"):
            players.load(f"rllib:{tmp_path / where}", GAME)
    broken = tmp_path / "several" / "other" / "class_and_ctor_args.pkl"
    broken.write_bytes(b"no pickle")
    with pytest.raises(ValueError, match="cannot be loaded as a network of RLlib: "):
        players.load(f"rllib:{broken.parent}", GAME)
