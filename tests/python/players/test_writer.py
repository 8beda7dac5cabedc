"""Two commands that write to one place: the second is refused, and nothing of the first is lost."""

import os
import signal
import subprocess
import sys

import pytest

from mhing import arena
from mhing._support.files import sole_writer
from mhing.data import Games, Parquet, write_parquet

REFUSED = "another process is writing there"
HOLDER = """
import sys, time
from pathlib import Path
from mhing._support.files import sole_writer
with sole_writer(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(100)
"""


def games(seed=1):
    return Games("general_mhing", ["greedy"], games=4, seed=seed)


@pytest.mark.parametrize("name", ["a.file", "folder"])
def test_a_place_is_free_again_when_its_process_is_killed(tmp_path, name):
    place = tmp_path / name
    if name == "folder":
        place.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(place)], stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "held\n"
        with pytest.raises(BlockingIOError, match=REFUSED) as error, sole_writer(place):
            pass
        assert error.value.filename == str(place)
        os.kill(other.pid, signal.SIGKILL)
        other.wait()
    with sole_writer(place):
        pass
    with sole_writer(place):  # and so it is after a normal end
        pass


@pytest.mark.once
def test_a_folder_of_parquet_files_has_one_writer(tmp_path):
    def second(_):
        with pytest.raises(BlockingIOError, match=REFUSED):
            write_parquet(tmp_path, games(seed=2), piece=2)

    write_parquet(tmp_path, games(), piece=2, progress=second)
    assert Parquet(tmp_path).settings["seed"] == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "games-000000.parquet",
        "games-000002.parquet",
    ]


@pytest.mark.once
def test_a_parquet_file_has_one_writer(tmp_path):
    path = tmp_path / "games.parquet"

    def second(_):
        with pytest.raises(BlockingIOError, match=REFUSED):
            write_parquet(path, games(seed=2))

    write_parquet(path, games(), progress=second)
    assert Parquet(path).settings["seed"] == 1
    with pytest.raises(FileExistsError, match="already exists"):
        write_parquet(path, games())
    assert [*tmp_path.iterdir()] == [path]


def test_a_log_of_the_arena_has_one_writer(tmp_path):
    log = tmp_path / "log"

    def second(*_):
        with pytest.raises(BlockingIOError, match=REFUSED):
            play(None)

    def play(progress):
        players = ["greedy", "random"]
        return arena.play(players, "general_mhing", deals=20, seed=1, log=log, progress=progress)

    result = play(second)
    kept = log.read_bytes()
    assert play(None).csv() == result.csv()
    assert log.read_bytes() == kept


@pytest.mark.once
def test_a_folder_says_which_players_or_options_are_others(tmp_path):
    names, kept = ["greedy", "random"], {"games": 4, "seed": 7}
    write_parquet(tmp_path, Games("leduc", names, **kept))
    others = (
        (Games("leduc", names[::-1], **kept), "the players greedy, random, not random, greedy"),
        (Games("leduc", names, max_raises=1, **kept), "options max_raises=2, not 1"),
        (Games("general_mhing", names, **kept), "game 'leduc', not 'general_mhing'"),
    )
    for other, words in others:
        with pytest.raises(ValueError, match=f"was begun with {words}; take another folder$"):
            write_parquet(tmp_path, other)
