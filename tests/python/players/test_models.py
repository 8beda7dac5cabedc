"""The models of the package: their list and cards, their checks, and their weights elsewhere."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pages
import pytest
from numpy.typing import NDArray

import mhing
from mhing import models
from mhing._lib.nets import shipped
from mhing.cli import main
from mhing.models import Model
from mhing.players.seating import line_up

pytestmark = pytest.mark.once

MODELS = models.shipped_models()
each_model = pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)
Capture = pytest.CaptureFixture[str]


def by_game() -> list[Model]:
    """One model of each game."""
    return [*{model.game: model for model in MODELS}.values()]


# ---- What is recorded ----------------------------------------------------------------------------


def test_cards_are_what_the_nets_and_the_results_give() -> None:
    """`python benchmarks/model_cards.py` writes them."""
    cards = pages.script("benchmarks", "model_cards")
    assert cards.PAGE.read_text(encoding="utf-8") == cards.text()


def test_every_net_of_the_build_is_a_model() -> None:
    count = {game: len(shipped(mhing.Game(game)._handle)) for game in mhing.games()}
    assert sum(count.values()) == len(MODELS) == len({model.sha256 for model in MODELS})
    assert {model.game for model in MODELS} == {game for game in count if count[game]}


@each_model
def test_a_model_is_the_bot_of_its_game(model: Model) -> None:
    state, rng, played = model.make_game().new_state(model.seed), 0, []
    while len(played) < len(model.actions) and not state.is_terminal:
        action, rng = state.bot_action(f"net:{model.name}", rng)
        state.apply(action)
        played.append(action)
    assert played == model.actions
    assert len(played) > 10


@each_model
def test_a_card_names_what_matters(model: Model) -> None:
    card = models.card(model)
    for word in (model.command, model.sha256, "MIT", model.make_game().title):
        assert word in card
    assert model.scores
    for score in model.scores:
        assert score.difference.signed in card
        assert (pages.ROOT / score.source).is_file()


# ---- Checks --------------------------------------------------------------------------------------


def test_checks_find_what_differs(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    one = MODELS[0]
    one.verify()
    with pytest.raises(ValueError, match="no net of this build has the hash 00"):
        replace(one, sha256="00").verify()
    other = replace(one, actions=[*one.actions[:3], one.actions[0], *one.actions[4:]])
    with pytest.raises(ValueError, match=rf"^{one.id}: decision 3 of the game with seed 1 is '"):
        other.verify()
    monkeypatch.setattr("mhing.cli.models.shipped_models", lambda: (other,))
    assert main(["models", "verify"]) == 2
    assert capsys.readouterr().err.startswith(f"mhing: {one.id}: decision 3")


def test_the_command_verifies_all(capsys: Capture) -> None:
    assert main(["models", "verify"]) == 0
    assert capsys.readouterr().out == (
        f"{len(MODELS)} models: hashes and decisions are as recorded\n"
    )


# ---- The command ---------------------------------------------------------------------------------


def test_the_list(capsys: Capture) -> None:
    assert main(["models"]) == 0
    lines = capsys.readouterr().out.splitlines()[1:]
    assert [line.split()[0] for line in lines] == [model.id for model in MODELS]
    assert all(re.search(r"\d +MIT +\+[\d.]+ ± [\d.]+ \w+ more than \w+ +[0-9a-f]{12}$", line)
               for line in lines)  # fmt: skip
    assert main(["models", "list", "mhing/points", "--json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)
    assert (one["id"], one["licence"], one["size"]) == ("mhing/points", "MIT", 48564)


def test_the_card(capsys: Capture) -> None:
    assert main(["models", "show", "mhing/credits"]) == 0
    assert capsys.readouterr().out == models.card(models.named("mhing/credits"))


def test_a_card_names_the_bot_of_its_net() -> None:
    card = models.card(models.named("mhing/quick"))
    (line,) = (line for line in card.splitlines() if "mhing arena" in line)
    assert line.split()[2] == "net:quick"


def test_a_card_names_the_features_without_weight() -> None:
    said = "leaves out `useful_for` and `expert`: their weights are 0."
    assert [one.id for one in MODELS if said in models.card(one)] == ["mhing/quick"]
    assert not any("leaves out" in models.card(one) for one in MODELS if one.name != "quick")


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["show"], "show: name one model, such as mhing/credits"),
        (["export", "mhing/credits", "mhing/chips"], "export: name one model"),
        (["show", "mhing/credit"], "'mhing/credit'; did you mean mhing/credits?"),
        (["show", "quick"], "'quick'; did you mean mhing/quick?"),
        (["show", "net:quick"], "'net:quick'; did you mean mhing/quick?"),
        (["list", "chess"], "no model is called 'chess'; mhing models lists them"),
        (["export", "mhing/credits"], "export: name a file .safetensors or .onnx by --out"),
        (["list", "--out", "x.onnx"], "--out: list writes no file; export does"),
        (["verify", "--json"], "--json: verify prints none; list and show do"),
        (["export", "mhing/credits", "--out", "x.txt"], "'x.txt': a model is written as"),
    ],
    ids=lambda one: one if isinstance(one, str) else " ".join(one),
)
def test_mistakes(words: list[str], error: str, capsys: Capture) -> None:
    assert main(["models", *words]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert error in line


# ---- Weights elsewhere ---------------------------------------------------------------------------


def positions(model: Model, count: int = 150) -> Iterator[mhing.State]:
    """States of games in which the bots differ, and in which somebody has a choice."""
    game, found = model.make_game(), 0
    for seed in range(count):
        state, rng = game.new_state(seed), seed
        while not state.is_terminal and found < count:
            yield state
            found += 1
            action, rng = state.bot_action("greedy" if seed % 2 else "net", rng)
            state.apply(action)


def assert_same_choices(
    model: Model, values: Callable[[NDArray[np.float32]], NDArray[np.float32]]
) -> None:
    """The move of the highest value is the model's, with values from outside the core.

    These are sums in another order; moves whose values are nearer than that are alike.
    """
    chosen = set()
    for state in positions(model):
        action, _ = state.bot_action(f"net:{model.name}", 0)
        actions, features, certain = (np.asarray(part) for part in state.afterstates())
        judged = np.where(np.isnan(certain), values(features), certain)
        close = actions[judged >= judged.max() - 1e-5 * max(1, abs(judged.max()))]
        assert action in close
        chosen.add(action)
    assert len(chosen) > 10


@pytest.mark.parametrize("model", by_game(), ids=lambda model: model.id)
def test_safetensors_choose_the_same(model: Model, tmp_path: Path) -> None:
    library = pytest.importorskip("safetensors.numpy")
    path = tmp_path / "net.safetensors"
    models.export(model, path)
    tensors: dict[str, Any] = library.load_file(path)
    assert [*tensors] == ["0.bias", "0.weight", "2.bias", "2.weight", "4.bias", "4.weight"]

    def values(features: NDArray[np.float32]) -> NDArray[np.float32]:
        for number in (0, 2, 4):
            features = features @ tensors[f"{number}.weight"].T + tensors[f"{number}.bias"]
            features = np.maximum(features, 0) if number < 4 else features
        return features[:, 0]

    assert_same_choices(model, values)


@pytest.mark.slow
@pytest.mark.parametrize("model", by_game(), ids=lambda model: model.id)
def test_onnx_chooses_the_same(model: Model, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    path = tmp_path / "net.onnx"
    assert main(["models", "export", model.id, "--out", str(path)]) == 0
    session = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])

    def values(features: NDArray[np.float32]) -> NDArray[np.float32]:
        (found,) = session.run(["value"], {"features": features})
        return np.asarray(found)[:, 0]

    assert_same_choices(model, values)
    with pytest.raises(ValueError, match="has the inputs \\['features'\\]; expected 'observation'"):
        line_up([f"onnx:{path}"], model.make_game(), "players")


def test_nothing_is_written_over(tmp_path: Path, capsys: Capture) -> None:
    pytest.importorskip("safetensors")
    path = tmp_path / "net.safetensors"
    path.write_bytes(b"mine")
    with pytest.raises(FileExistsError):
        models.export(MODELS[0], path)
    with pytest.raises(SystemExit, match="2"):
        main(["models", "export", MODELS[0].id, "--out", str(path)])
    assert "already exists; name another file" in capsys.readouterr().err
    assert path.read_bytes() == b"mine"


def test_what_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "safetensors.numpy", None)
    with pytest.raises(ModuleNotFoundError, match="safetensors is missing: pip install"):
        models.export(MODELS[0], tmp_path / "net.safetensors")
    assert not [*tmp_path.iterdir()]
