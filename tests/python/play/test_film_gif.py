"""Moving pictures: they show the film, frame by frame, in few bytes and to the right eyes."""

from __future__ import annotations

import sys
from dataclasses import replace
from io import BytesIO
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from rounds import recorded, replay

from mhing._support.extras import install
from mhing.records import Record
from mhing.web.film import Film, films
from mhing.web.gif import gif

pytestmark = pytest.mark.once

WIDTH = 480


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Record:
    return recorded(tmp_path_factory.mktemp("film"), "general_mhing", ["greedy"])


@pytest.fixture(scope="module")
def film(record: Record) -> Film:
    return films(record, [None])[0]


def decoded(content: bytes) -> tuple[list[np.ndarray], list[int]]:
    """The pictures, and for how many milliseconds each is shown."""
    with Image.open(BytesIO(content)) as file:
        assert file.format == "GIF"
        assert file.info["loop"] == 0
        pictures, times = [], []
        for place in range(file.n_frames):
            file.seek(place)
            pictures.append(np.asarray(file.convert("RGB")).astype(int))
            times.append(file.info["duration"])
    return pictures, times


def test_every_frame_is_shown_in_colours_that_are_near(film: Film) -> None:
    pictures, times = decoded(gif(film, width=WIDTH, speed=4))
    painted = [frame.scene.to_rgb(WIDTH / frame.scene.w).astype(int) for frame in film.frames]
    painted = [next(same) for _, same in groupby(painted, key=lambda one: one.tobytes())]
    assert len(pictures) == len(painted)
    for shown, wanted in zip(pictures, painted, strict=True):
        assert shown.shape == (360, WIDTH, 3)
        away = np.abs(shown - wanted).max(axis=2)
        assert away.mean() < 4
        assert (away > 64).mean() < 0.01
    assert times[-1] == 3000
    assert sum(times[:-1]) == 250 * (len(film.frames) - 1)


def test_areas_stay_plain_in_one_palette(film: Film) -> None:
    pictures, _ = decoded(gif(film, width=WIDTH))
    numbers = np.stack(pictures) @ [1, 256, 65536]
    assert 16 <= len(np.unique(numbers)) <= 64
    assert len(np.unique(numbers[:, 1:3])) == 1  # the edge of the table


def test_a_round_takes_some_hundred_kilobytes(tmp_path: Path) -> None:
    film = films(recorded(tmp_path, "mhing", ["greedy"]), [None])[0]
    assert len(gif(film)) < 15_000 * len(film.frames)


def test_a_seats_gif_does_not_depend_on_what_it_cannot_know(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = gif(films(record, [1])[0], width=WIDTH)
    replay = Record.replay

    def other(self: Record):
        for move, state in replay(self):
            yield move, state.resample(1, seed=9)

    monkeypatch.setattr(Record, "replay", other)
    assert gif(films(record, [1])[0], width=WIDTH) == wanted


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"width": 0}, "width: 0 is not a number of pixels"),
        ({"speed": 51}, "speed: 51 is not a number of frames a second, 0.1 to 50"),
        ({"speed": float("nan")}, "speed: nan is not"),
    ],
)
def test_settings_out_of_range(film: Film, settings: dict[str, float], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        gif(film, **settings)


def test_a_film_of_a_whole_game_is_too_long(film: Film) -> None:
    long = replace(film, frames=film.frames * 40)
    with pytest.raises(ValueError, match=r"film: 1,\d\d\d frames are too many .* 1,000 at most"):
        gif(long)


# ---- The command --------------------------------------------------------------------------------


def test_the_command_writes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    record = recorded(tmp_path, "general_mhing", ["greedy"])
    monkeypatch.chdir(tmp_path)
    assert not replay("--gif", "open.gif", "--width", "320", "--speed", "10")
    assert Path("open.gif").read_bytes() == gif(films(record, [None])[0], width=320, speed=10)
    out, err = capsys.readouterr()
    assert (out, err.startswith("open.gif: ")) == ("", True)
    assert not replay("--gif", "mine.gif", "--width", "320", "--view", "1")
    assert Path("mine.gif").read_bytes() == gif(films(record, [1])[0], width=320)
    assert not replay("--gif", "a.gif", "--width", "320", "--html", "a.html", "--view", "all")
    assert Path("a.html").stat().st_size > 10_000
    assert decoded(Path("a.gif").read_bytes())[0][0].shape == (240, 320, 3)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--speed", "2"], "--speed: only with --gif"),
        (["--width", "100"], "--width: only with --gif"),
        (["--gif", "a.gif", "--speed", "60"], "'60' is not a number from 0.1 to 50"),
        (["--gif", "a.gif", "--width", "63"], "'63' is not a whole number from 64 to 4096"),
        (["--gif", "a.gif", "--view", "all"], "--view: all is for --html"),
        (["--gif", "a.gif", "--view", "2"], "--view: '2' is not open, all, or a seat from 0 to 1"),
        (["--gif", "a.gif", "--step"], "--step: not with --gif"),
        (["--gif", "a.gif", "--bot", "expert"], "--bot: only with --html"),
        (["--gif", "game.jsonl"], "--gif: 'game.jsonl' already exists"),
        (["--html", "a.html", "--gif", "./a.html"], "--gif: a.html is the file of --html"),
        (["--gif", "game.png"], "--gif: game.png: end its name in .gif"),
        (["--gif", "no/where.gif"], "no/where.gif': there is no folder no; make it first"),
    ],
)
def test_mistakes(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    words: str,
) -> None:
    recorded(tmp_path, "general_mhing", ["greedy"])
    before = (tmp_path / "game.jsonl").read_bytes()
    monkeypatch.chdir(tmp_path)
    assert replay(*arguments) == 2
    assert words in capsys.readouterr().err
    assert (tmp_path / "game.jsonl").read_bytes() == before


def test_the_extra_that_is_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded(tmp_path, "general_mhing", ["greedy"])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "PIL", None)
    assert replay("--gif", "a.gif") == 2
    assert f"--gif: Pillow is missing: {install('play')}" in capsys.readouterr().err
