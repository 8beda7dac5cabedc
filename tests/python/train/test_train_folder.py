"""The folder of a training run: what a kill leaves, and what cannot be used."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import torch
from matplotlib.figure import Figure

from mhing.train import curve
from mhing.train.config import plain, settings_of
from mhing.train.folder import RunFolder, write_whole
from mhing.train.learner import Settings

SETTINGS = Settings("leduc", {"max_raises": 1}, opponents=("greedy",), tuning={"rows": 8})


def begun(path: Path) -> RunFolder:
    folder = RunFolder(path, SETTINGS)
    folder.create()
    return folder


def test_a_run_is_found_again(tmp_path: Path) -> None:
    folder = begun(tmp_path / "deep" / "run")
    assert folder.load() is None
    folder.write({"iteration": 1})
    folder.save({"weights": torch.arange(3)})
    folder.write({"iteration": 2})
    assert folder.evaluation() is None
    folder.write_evaluation({"more": 0.5})
    again = RunFolder.open(folder.path)
    assert again.settings == settings_of(plain(SETTINGS))
    assert again.settings.options.items() >= SETTINGS.options.items()
    state = again.load()
    assert state is not None
    assert state["weights"].tolist() == [0, 1, 2]
    assert [line["iteration"] for line in again.lines()] == [1, 2]
    assert again.evaluation() == {"more": 0.5}
    again.rewind(state["log"])
    assert again.evaluation() is None
    assert [line["iteration"] for line in again.lines()] == [1]


def test_a_run_is_not_overwritten(tmp_path: Path) -> None:
    begun(tmp_path)
    with pytest.raises(ValueError, match="holds a run; continue it with --resume"):
        begun(tmp_path)


def test_a_checkpoint_is_not_overwritten(tmp_path: Path) -> None:
    """That of an earlier version of the package, whose settings had another name, for one."""
    (tmp_path / "checkpoint.pt").touch()
    with pytest.raises(ValueError, match="holds a run"):
        begun(tmp_path)


def test_what_fails_to_be_written_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    write_whole(path, b"old")

    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"


@pytest.mark.parametrize(
    "content", [b"[1]", b"nonsense", b"\xff", b"seat = 1", b'game = "chess"', b"seed = true"]
)
def test_folders_without_a_run(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(ValueError, match="holds no run of mhing train"):
        RunFolder.open(tmp_path)
    (tmp_path / "settings.toml").write_bytes(content)
    with pytest.raises(ValueError, match="holds no run of mhing train"):
        RunFolder.open(tmp_path)


@pytest.mark.parametrize("content", [b"", b"nonsense"])
def test_damaged_checkpoints(tmp_path: Path, content: bytes) -> None:
    folder = begun(tmp_path)
    (tmp_path / "checkpoint.pt").write_bytes(content)
    with pytest.raises(ValueError, match="is damaged"):
        folder.load()


def test_checkpoints_of_another_version(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    for content in ({"version": 1}, [1]):
        torch.save(content, tmp_path / "checkpoint.pt")
        with pytest.raises(ValueError, match="no checkpoint of version 3"):
            folder.load()


# ---- Its picture -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("took", "label", "last"), [(3.0, "seconds", 3), (300.0, "minutes", 5), (27000.0, "hours", 7.5)]
)
def test_a_curve_can_be_read(
    took: float, label: str, last: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its time is in numbers of a fit size, and nothing lies over the lines."""
    drawn: list[Figure] = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, _: drawn.append(figure))
    folder = begun(tmp_path)
    for part in (1, 2, 3):
        folder.write({"seconds": took * part / 3, "rounds": 50 * part, "return": 0.1 * part})
    found = {"reward": 0.9, "reward_interval": 0.1}
    curve.draw("curve.svg", folder, found | {"baseline": 0.1, "against": "greedy", "unit": "chips"})
    figure = drawn[0]
    figure.draw_without_rendering()
    (axes,), (legend,) = figure.axes, figure.legends
    assert axes.get_xlabel() == f"{label} of learning"
    assert axes.get_lines()[0].get_xdata()[-1] == pytest.approx(last)
    assert legend.get_window_extent().y1 < axes.xaxis.label.get_window_extent().y0
    assert {text.get_text().split()[0] for text in legend.get_texts()} == {
        "while",
        "greedy",
        "evaluated",
    }
