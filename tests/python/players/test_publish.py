"""Folders for a hub: what is in them, what other libraries make of it, and the upload."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("torch")

from mhing import arena, data, models, publish
from mhing.cli import main
from mhing.data import recording
from mhing.records import verified
from mhing.train.folder import RunFolder
from mhing.train.learner import Settings

pytestmark = pytest.mark.once

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A recording in two files."""
    games = data.Games("leduc", ["greedy", "random"], games=30, seed=5)
    data.write_parquet(tmp_path / "games", games, piece=20)
    return tmp_path / "games"


# ---- Layouts -------------------------------------------------------------------------------------


def test_a_recording(recorded: Path, tmp_path: Path) -> None:
    layout = publish.of_recording(recorded, "CC0-1.0")
    layout.write(tmp_path / "made/hub")
    again = data.Parquet(tmp_path / "made/hub/data")
    assert len(again) == len(data.Parquet(recorded))
    sizes = {
        str(path.relative_to(tmp_path / "made/hub")): path.stat().st_size
        for path in (tmp_path / "made/hub").rglob("*.*")
    }
    assert sizes == layout.sizes()
    assert {*sizes} == {
        "README.md",
        "croissant.json",
        "data/games-000000.parquet",
        "data/games-000020.parquet",
    }
    assert [path.name for path in (tmp_path / "made").iterdir()] == ["hub"]


def test_the_command_of_a_card_makes_the_same_rows(
    recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*recording.command(data.Parquet(recorded)).split()[1:], "--piece", "20"]) == 0
    for path in recorded.iterdir():
        assert (tmp_path / "data" / path.name).read_bytes() == path.read_bytes()


def test_a_model_plays_from_its_folder(tmp_path: Path) -> None:
    publish.of_model("general_mhing/points").write(tmp_path / "hub")
    result = arena.play(
        ["net", f"net:{tmp_path / 'hub/model.net'}"], "general_mhing", deals=5, first_seed=1
    )
    one, other = (player.reward.value for player in result.players)
    assert one == other
    config = json.loads((tmp_path / "hub/config.json").read_text(encoding="utf-8"))
    assert config["layers"] == [[124, 64], [64, 32], [32, 1]]
    assert sum(one["count"] for one in config["features"]) == 124


def test_nothing_is_written_over(recorded: Path, tmp_path: Path, capsys: Capture) -> None:
    with pytest.raises(FileExistsError):
        publish.of_recording(recorded).write(recorded)
    with pytest.raises(SystemExit, match="2"):
        main(["publish", str(recorded), "--dry-run", "--out", str(recorded)])
    assert "already exists; name another folder" in capsys.readouterr().err
    assert len([*recorded.iterdir()]) == 2


# ---- What users have made ------------------------------------------------------------------------


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    """A run that is over and evaluated, as it was twice before."""
    settings = Settings("leduc", {"max_raises": 1}, tuning={"rows": 8}, steps=500)
    folder = RunFolder(tmp_path / "runs/mine", settings)
    folder.create()
    evaluation = {
        "deals": 40, "against": "greedy", "unit": "chips", "more": 0.25, "more_interval": 0.125,
    }  # fmt: skip
    for steps, found in ((200, {"more": 0.1}), (300, {"more": 0.5}), (500, {})):
        line = {"steps": steps, "rounds": steps // 5, "seconds": 90.0}
        folder.write(line | ({"evaluation": evaluation | found} if found else {}))
    folder.write_evaluation(evaluation | {"deals": 400, "more": 0.75})
    net = publish.of_model("mhing/credits").files["model.net"]
    assert isinstance(net, bytes)
    (folder.path / "policy.net").write_bytes(net)
    (folder.path / "checkpoint.pt").write_bytes(b"secret")
    return folder


def text_of(layout: publish.Layout) -> str:
    page = layout.files["README.md"]
    assert isinstance(page, bytes)
    return page.decode()


def test_a_run_has_a_card_of_its_settings_and_its_log(run: RunFolder) -> None:
    layout = publish.of_path(run.path, "CC-BY-4.0")
    assert layout.kind == "model"
    names = ["README.md", "policy.net", "settings.toml", "log.jsonl", "evaluation.json"]
    assert [*layout.files] == names
    card = text_of(layout)
    assert 'license: "cc-by-4.0"' in card
    assert "    mhing arena net:policy.net greedy --game leduc --option max_raises=1\n" in card
    assert "500 decisions in 100 rounds and 1.5 minutes" in card
    assert (run.path / "settings.toml").read_text() in card
    assert "On 400 held-out deals among greedy: +0.750 ± 0.125 chips a game" in card
    digest = hashlib.sha256((run.path / "policy.net").read_bytes()).hexdigest()
    assert digest in card


def test_what_a_run_does_not_say_is_not_in_its_card(run: RunFolder) -> None:
    (run.path / "log.jsonl").write_text("")
    run.rewind(0)
    layout = publish.of_path(run.path)
    assert "evaluation.json" not in layout.files
    card = text_of(layout)
    assert "The run was not evaluated at its end." in card
    assert "Licence: none is named" in card
    assert "license" not in card
    (run.path / "policy.net").unlink()
    with pytest.raises(ValueError, match=r"the run is not over; mhing train --resume .*mine"):
        publish.of_path(run.path)


def test_a_net_in_a_file(run: RunFolder) -> None:
    layout = publish.of_path(run.path / "policy.net")
    assert [*layout.files] == ["README.md", "policy.net"]
    (model,) = (one for one in models.shipped_models() if one.id == "mhing/credits")
    sizes = [len(model.layers()[0][0]), *(len(biases) for _, biases in model.layers())]
    assert f"A net for Mhing, in layers of {', '.join(map(str, sizes))} numbers." in text_of(layout)


def test_a_network_in_onnx(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    helper = pytest.importorskip("onnx.helper")
    nodes = [helper.make_node("Identity", ["observation"], ["logits"])]
    ends = [
        helper.make_tensor_value_info(name, 1, ["rows", 9]) for name in ("observation", "logits")
    ]
    graph = helper.make_graph(nodes, "net", ends[:1], ends[1:])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    (tmp_path / "mine.onnx").write_bytes(made.SerializeToString())
    card = text_of(publish.of_path(tmp_path / "mine.onnx"))
    assert "| input | `observation` | tensor(float) | ['rows', 9] |" in card
    assert "| output | `logits` | tensor(float) | ['rows', 9] |" in card
    assert "plays as `onnx:mine.onnx`" in card


def test_a_record_of_several_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data.write_jsonl("mine.jsonl", data.Games("leduc", ["greedy", "random"], games=6, seed=5))
    layout = publish.of_path("mine.jsonl")
    assert (layout.kind, [*layout.files]) == ("dataset", ["README.md", "data/mine.jsonl"])
    games = verified("mine.jsonl")
    moves = sum(len(one.moves) for one in games)
    card = text_of(layout)
    for line in (
        "6 recorded games, 6 of them played to the end.\n\nLicence: none is named\n",
        "| greedy | 6 |",
        "| random | 6 |",
        f"| bot | {moves} |",
    ):
        assert line in card
    layout.write("hub")
    assert len(verified("hub/data/mine.jsonl")) == 6
    Path("mine.jsonl").write_text(Path("mine.jsonl").read_text().replace('"seed":5', '"seed":6'))
    with pytest.raises(ValueError, match="line"):
        publish.of_path("mine.jsonl")


# ---- Other libraries -----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # mlcroissant's, of rdflib
def test_croissant_reads_every_row(recorded: Path, tmp_path: Path) -> None:
    library = pytest.importorskip("mlcroissant")
    publish.of_recording(recorded).write(tmp_path / "hub")
    dataset = library.Dataset(tmp_path / "hub/croissant.json")
    issues = dataset.metadata.ctx.issues
    assert not issues.errors
    assert all("citeAs" in one or "datePublished" in one for one in issues.warnings)
    rows = [*dataset.records("decisions")]
    expected = {
        column.name: np.concatenate(
            [batch[column.name] for batch in data.Parquet(recorded).batches()]
        )
        for column in data.COLUMNS
    }
    assert len(rows) == len(expected["action"])
    for name, values in expected.items():
        assert np.array_equal(np.array([row[f"decisions/{name}"] for row in rows]), values)


@pytest.mark.slow
def test_a_hub_reads_the_front_matter(recorded: Path) -> None:
    hub = pytest.importorskip("huggingface_hub")
    files = publish.of_recording(recorded, "CC0-1.0").files
    page = hub.DatasetCard(bytes(files["README.md"]).decode())
    assert (page.data.license, page.data.configs[0]["config_name"]) == ("cc0-1.0", "default")
    page = hub.ModelCard(bytes(publish.of_model("mhing/credits").files["README.md"]).decode())
    assert (page.data.license, page.data.library_name) == ("mit", "mhing")
    assert page.text.lstrip().startswith("# mhing/credits")
    assert page.data.tags == publish.TAGS, "each once"


# ---- The upload ----------------------------------------------------------------------------------


class Hub:
    """A client that notes its calls."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []

    def create_repo(self, repository: str, **more: Any) -> None:
        self.calls.append(("create", (repository, more)))

    def upload_folder(self, folder_path: Path, **more: Any) -> str:
        names = sorted(path.name for path in folder_path.rglob("*.*"))
        self.calls.append(("upload", (names, more)))
        return f"https://hub/{more['repo_id']}/commit/1"


def test_an_upload_is_one_commit(
    recorded: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    hub = Hub()
    monkeypatch.setattr(publish, "_client", lambda: hub)
    assert main(["publish", str(recorded), "--repository", "ann/leduc"]) == 0
    assert capsys.readouterr().out == "https://hub/ann/leduc/commit/1\n"
    (first, made), (second, (names, more)) = hub.calls
    assert (first, made) == ("create", ("ann/leduc", {"repo_type": "dataset", "exist_ok": True}))
    assert (second, more["repo_id"], more["repo_type"]) == ("upload", "ann/leduc", "dataset")
    assert names == [
        "README.md", "croissant.json", "games-000000.parquet", "games-000020.parquet",
    ]  # fmt: skip


def test_a_dry_run_uploads_nothing(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr(publish, "_client", lambda: pytest.fail("a client was made"))
    words = ["publish", "mhing/credits", "--dry-run", "--repository", "ann/net"]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "README.md" in out
    assert out.endswith("; nothing was uploaded to ann/net\n")


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["mhing/credits"], "publish: name a --repository, or give --dry-run"),
        (["mhing/credits", "--repository", "ann"], "--repository ann: write OWNER/NAME"),
        (
            ["mhing/credit", "--dry-run"],
            "mhing/credit: there is no such file or folder; did you mean mhing/credits?",
        ),
        (
            ["no.parquet", "--dry-run"],
            "no.parquet: there is no such file or folder, nor a model of that name; ",
        ),
        (["no/", "--dry-run"], "no/: there is no such file or folder, nor a model of that name; "),
        (["mhing/chips", "--dry-run", "--licence", "MIT"], "--licence: a model of the package has"),
        (["x", "--dry-run", "--licence", "a b"], "--licence a b: name an SPDX identifier"),
        (["pyproject.toml", "--dry-run"], "pyproject.toml is no Parquet file"),
        (
            ["no.onnx", "--dry-run"],
            "no.onnx: there is no such file or folder, nor a model of that name; ",
        ),
        (["text.net", "--dry-run"], "text.net is no net for a game of this package: these bytes"),
        (["text.jsonl", "--dry-run"], "text.jsonl, line 1: "),
        (["empty.jsonl", "--dry-run"], "empty.jsonl, line 1: the file is empty"),
    ],
    ids=lambda one: one if isinstance(one, str) else " ".join(one),
)
def test_mistakes(
    words: list[str], error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("pyproject.toml", "text.net", "text.jsonl"):
        Path(name).write_text("[project]\n" * 100)
    Path("empty.jsonl").touch()
    assert main(["publish", *words]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert error in line


def test_what_is_missing_is_named(recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "huggingface_hub", None)
    with pytest.raises(ModuleNotFoundError, match="huggingface_hub is missing: pip install"):
        publish.of_recording(recorded).upload("ann/leduc")
