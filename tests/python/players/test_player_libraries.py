"""Agents learned in a library, as players: the object, and its file by name."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from learned import GAME, by_command, plays_like

import mhing
from mhing import arena, players, spaces
from mhing.players.rows import LogitPolicy
from mhing.vector import CardGameVectorEnv

pytestmark = pytest.mark.once


@pytest.mark.parametrize("obs_mode", ["flat", "dict"])
def test_stable_baselines3(
    obs_mode: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    library = pytest.importorskip("sb3_contrib")
    from mhing.sb3 import MhingVecEnv, ModelPolicy

    env = MhingVecEnv(GAME, 8, hints=True, obs_mode=obs_mode)
    kind = {"flat": "MlpPolicy", "dict": "MultiInputPolicy"}[obs_mode]
    model = library.MaskablePPO(kind, env, n_steps=16, batch_size=64, n_epochs=1, seed=1)
    model.learn(128)
    model.save(tmp_path / "model.zip")
    name = f"sb3:{tmp_path / 'model.zip'}"
    plays_like([model, name, ModelPolicy(model), model.policy], hints=True)
    by_command(name, capsys)
    MhingVecEnv(GAME, 2, opponents=model).reset()
    with pytest.raises(ValueError, match=r"there is no such file; did you mean .*model\.zip\?$"):
        players.load(name.removesuffix(".zip"), GAME)
    with pytest.raises(TypeError, match="is a method of a MaskablePPO; give the object itself"):
        players.load(model.predict, GAME)
    with pytest.raises(ValueError, match=r"^opponents: MaskablePPO takes observations of 1223"):
        MhingVecEnv("mexican_rummy", 2, opponents=model)


def test_files_that_cannot_be_loaded(tmp_path: Path) -> None:
    pytest.importorskip("sb3_contrib")
    pytest.importorskip("torchrl")
    (tmp_path / "broken").write_text("no model")
    for kind in ("sb3", "torchrl"):
        with pytest.raises(ValueError, match=r"^player: '.*none' cannot be loaded: there is no"):
            players.load(f"{kind}:{tmp_path / 'none'}", GAME)
        made = r"^player: '.*broken' cannot be loaded as an? .*save.* writes such files$"
        with pytest.raises(ValueError, match=made):
            players.load(f"{kind}:{tmp_path / 'broken'}", GAME)


@pytest.mark.parametrize("hints", [False, True])
def test_torchrl(hints: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("torchrl")
    from tensordict.nn import TensorDictModule, TensorDictSequential
    from torchrl.modules import MaskedCategorical, ProbabilisticActor

    from mhing.torchrl import MhingEnv

    env = MhingEnv(GAME, 8, hints=hints)
    layers = torch.nn.Linear(env.game.observation_size, env.game.num_actions)
    numbers = TensorDictModule(floats, in_keys=["observation"], out_keys=["numbers"])
    logits = TensorDictModule(layers, in_keys=["numbers"], out_keys=["logits"])
    actor = ProbabilisticActor(
        TensorDictSequential(numbers, logits),
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
    )
    env.rollout(8, actor)
    torch.save(actor, tmp_path / "actor.pt")
    plays_like([actor, f"torchrl:{tmp_path / 'actor.pt'}"], hints)
    by_command(f"torchrl:{tmp_path / 'actor.pt'}", capsys)


def floats(observation: Any) -> Any:
    return observation.float()


def test_tianshou() -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("tianshou")
    from tianshou.algorithm import Reinforce
    from tianshou.algorithm.modelfree.reinforce import ProbabilisticActorPolicy
    from tianshou.algorithm.optim import AdamOptimizerFactory

    game = mhing.Game(GAME, hints=True)
    layers = torch.nn.Linear(game.observation_size, game.num_actions)

    class Actor(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.layers = layers

        def forward(self, obs: Any, state: Any = None, info: Any = None) -> Any:
            numbers = self.layers(torch.as_tensor(obs.obs, dtype=torch.float32))
            return numbers.masked_fill(torch.as_tensor(obs.mask) == 0, -1e9), state

    policy = ProbabilisticActorPolicy(
        actor=Actor(),
        dist_fn=lambda numbers: torch.distributions.Categorical(logits=numbers),
        action_space=spaces.action_space(game),
        action_scaling=False,
        deterministic_eval=True,
    )
    algorithm = Reinforce(policy=policy, optim=AdamOptimizerFactory(lr=1e-3))
    plays_like([algorithm, policy, layers], hints=True)


@pytest.mark.parametrize("hints", [False, True])
def test_networks_of_pytorch(hints: bool) -> None:
    torch = pytest.importorskip("torch")
    game = mhing.Game(GAME, hints=hints)
    network = torch.nn.Linear(game.observation_size, game.num_actions)
    weight, bias = (one.detach().numpy() for one in network.parameters())

    class Same:
        sees = game.observation_size

        def choose_rows(self, observations: Any, masks: Any) -> Any:
            logits = observations.astype(np.float32) @ weight.T + bias
            return np.where(masks, logits, -np.inf).argmax(1)

    plays_like([network, Same()], hints)


def test_networks_of_other_sizes_are_refused_where_they_are_given() -> None:
    torch = pytest.importorskip("torch")
    size, actions = mhing.Game("mhing").observation_size, mhing.Game("mhing").num_actions
    for network, words in (
        (torch.nn.Linear(7, actions), r"observation of \(1, 659\): RuntimeError: mat1"),
        (torch.nn.Linear(size, 7), r"puts out float32 \(1, 7\); expected numbers \(1, 341\)"),
    ):
        with pytest.raises(ValueError, match=f"^opponents: Linear fails .*{words}"):
            CardGameVectorEnv(2, opponents=network)
        with pytest.raises(ValueError, match=f"^players: Linear fails .*{words}"):
            arena.play([network, "random"])


def test_nan_is_no_choice() -> None:
    """It is named where a network is given and, where it comes later, in play."""
    torch = pytest.importorskip("torch")
    game = mhing.Game("mhing")

    class Later(torch.nn.Linear):  # type: ignore[misc]
        calls = 0

        def forward(self, seen: Any) -> Any:
            self.calls += 1
            logits = super().forward(seen)
            return logits.fill_(float("nan")) if self.calls > 5 else logits

    spoilt = torch.nn.Linear(game.observation_size, game.num_actions)
    spoilt.weight.data[3] = float("nan")
    spoilt.bias.data[:] = float("nan")
    words = (
        r"it puts out NaN for (\d+) of \1 legal actions, such as \d+, so that none is its choice"
    )
    with pytest.raises(ValueError, match=f"^opponents: Linear fails .*{words}"):
        CardGameVectorEnv(2, opponents=spoilt)
    with pytest.raises(ValueError, match=f"^players: Linear fails .*{words}"):
        arena.play([spoilt, "random"])
    late = Later(game.observation_size, game.num_actions)
    result = arena.play([late, "random"], deals=1, seed=1)
    assert re.search(words, result.players[0].reason or "")


def test_nan_of_what_is_not_legal_is_free() -> None:
    class Scores(LogitPolicy):
        def logits(self, observations: Any, masks: Any) -> Any:
            return np.array([[np.nan, 1.0, 2.0]])

    assert Scores().choose_rows(np.zeros((1, 1), np.uint8), np.array([[0, 1, 1]], np.int8)) == [2]


@pytest.mark.parametrize("hints", [False, True])
def test_networks_of_jax(hints: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A module of Equinox, a function with its parameters, their files, and the same in NumPy."""
    jax = pytest.importorskip("jax")
    equinox = pytest.importorskip("equinox")
    from mhing.players.jax import JaxPolicy, save

    game = mhing.Game(GAME, hints=hints)
    module = equinox.nn.Linear(game.observation_size, game.num_actions, key=jax.random.key(1))
    weight, bias = np.asarray(module.weight), np.asarray(module.bias)

    def network(params: Any, observations: Any, masks: Any) -> Any:
        weight, bias = params
        return jax.numpy.where(masks, observations @ weight.T + bias, -1e9), "value"

    function = partial(network, (module.weight, module.bias))
    names = {"module": module, "function": JaxPolicy(function)}
    for name, one in (("module", module), ("function", function)):
        save(one, str(tmp_path / name), game)
        names[f"file of {name}"] = f"jax:{tmp_path / name}"

    class Same:
        sees = game.observation_size

        def choose_rows(self, observations: Any, masks: Any) -> Any:
            logits = observations.astype(np.float32) @ weight.T + bias
            return np.where(masks, logits, -np.inf).argmax(1)

    plays_like([*names.values(), Same()], hints)
    by_command(str(names["file of module"]), capsys)


def test_mistakes_with_networks_of_jax(tmp_path: Path) -> None:
    jax = pytest.importorskip("jax")
    from mhing.players.jax import JaxPolicy, save

    game = mhing.Game(GAME)
    path = str(tmp_path / "network")
    for network, words in (
        (lambda seen: seen, r"puts out float32 \(rows, 421\); expected numbers \(rows, 267\)"),
        (lambda seen: seen @ jax.numpy.ones((7, 3)), "same shape"),
        (lambda seen, mask, info: mask, "missing 1 required positional argument"),
    ):
        with pytest.raises((TypeError, ValueError), match=words):
            save(network, path, game)
        with pytest.raises(ValueError, match=r"^player: JaxPolicy fails when it is asked"):
            players.load(JaxPolicy(network), game)
    with pytest.raises(ValueError, match=r"^player: '.*network' cannot be loaded: there is no"):
        players.load(f"jax:{path}", game)
    Path(path).write_text("weights")
    with pytest.raises(ValueError, match=r"jax\.save writes such files$"):
        players.load(f"jax:{path}", game)
    with pytest.raises(
        TypeError, match=r"takes \(seen, masks\); .*jax\.JaxPolicy makes a player of"
    ):
        players.load(jax.jit(lambda seen, masks: masks), game)
    save(lambda seen, masks: masks.astype("float32"), path, game)
    with pytest.raises(ValueError, match=r"network takes observations of 421 numbers"):
        players.load(f"jax:{path}", "mexican_rummy")


def test_bots_of_openspiel(capsys: pytest.CaptureFixture[str]) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    from mhing.players.openspiel import BotPolicy

    class Last(pyspiel.Bot):  # type: ignore[misc]
        """Plays the last legal action, and keeps what it was shown."""

        def __init__(self, seat: int | None = None) -> None:
            super().__init__()
            self.seat = seat
            self.shown: list[Any] = []

        def step(self, state: Any) -> int:
            self.shown.append(state)
            seat = state.current_player() if self.seat is None else self.seat
            return int(state.legal_actions(seat)[-1])

        def restart_at(self, state: Any) -> None:
            pass

    def last(observation: Any, mask: Any, info: Any) -> int:
        return int(mask.nonzero()[0][-1])

    bot = Last()
    plays_like([bot, BotPolicy(Last), last], hints=True)
    by_command("openspiel:uniform_random", capsys)
    game = mhing.Game(GAME)
    state = game.new_state(seed=1)
    bot.shown.clear()
    assert players.load(bot, game).choose(state) == state.legal_actions()[-1]
    for one in bot.shown[1:]:
        assert one.table.observation().tobytes() == state.observation().tobytes()
        assert one.table.omniscient().tobytes() != state.omniscient().tobytes()
        assert one.information_state_string() == one.clone().information_state_string()


def test_mistakes_with_openspiel() -> None:
    pytest.importorskip("pyspiel")
    from open_spiel.python.rl_agent import AbstractAgent

    class Agent(AbstractAgent):  # type: ignore[misc]
        def __init__(self) -> None:
            pass

        def step(self, time_step: Any, is_evaluation: bool = False) -> Any:
            return None

    for given, words in (
        ("openspiel:clever", "OpenSpiel has no bot 'clever' registered; it has .*uniform_random"),
        (Agent(), r"cannot play: mhing\.openspiel\.AgentPolicy\(agent, game\) makes"),
    ):
        with pytest.raises((TypeError, ValueError), match=f"^player: .*{words}"):
            players.load(given, GAME)
