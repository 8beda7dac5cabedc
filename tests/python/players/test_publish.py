"""Folders for a hub: what is in them, what other libraries make of it, and the upload."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyarrow")

from mhing import arena, data, publish
from mhing.cli import main
from mhing.data import recording

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
        (["mhing/credit", "--dry-run"], "did you mean mhing/credits?"),
        (["no.parquet", "--dry-run"], "no.parquet does not exist"),
        (["no/", "--dry-run"], "no/ does not exist"),
        (["mhing/win", "--dry-run", "--licence", "MIT"], "--licence: a model has that"),
        (["x", "--dry-run", "--licence", "a b"], "--licence a b: name an SPDX identifier"),
        (["pyproject.toml", "--dry-run"], "pyproject.toml is no Parquet file"),
    ],
    ids=lambda one: one if isinstance(one, str) else " ".join(one),
)
def test_mistakes(
    words: list[str], error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pyproject.toml").write_text("[project]\n")
    assert main(["publish", *words]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert error in line


def test_what_is_missing_is_named(recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "huggingface_hub", None)
    with pytest.raises(ModuleNotFoundError, match="huggingface_hub is missing: pip install"):
        publish.of_recording(recorded).upload("ann/leduc")
