"""Files that commands write: nothing is written over, and ``-`` is no name."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from mhing.cli import main
from mhing.data import Games, write_jsonl
from mhing.records import records

pytestmark = pytest.mark.once

Capture = pytest.CaptureFixture[str]

WRITERS = (
    "play leduc --record x.jsonl",
    "record --games 1 --out x.jsonl",
    "record --games 1 --out x.parquet",
    "replay game.jsonl --html x.html",
    "replay game.jsonl --gif x.gif",
    "replay game.jsonl --share x.svg",
    "arena greedy random --deals 2 --csv x.csv",
    "arena greedy random --deals 2 --svg x.svg",
    "arena greedy random --deals 2 --html x.html",
    "benchmark random --quick --tasks general_mhing --csv x.csv",
    "train leduc --steps 1 --deals 2 --curve x.svg",
    "exploit greedy --game leduc --steps 1 --deals 2 --curve x.svg",
    "models export mhing/credits --out x.safetensors",
)
FOLDERS = (
    "replay game.jsonl --html -",
    "train --out -",
    "exploit greedy --out -",
    "web --saves -",
    "benchmark random --log -",
    "arena greedy random --log -",
)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a record, in which the commands run."""
    monkeypatch.chdir(tmp_path)
    write_jsonl("game.jsonl", Games("leduc", ["greedy", "random"], games=1))
    return tmp_path


def refused(line: str, capsys: Capture) -> str:
    """The message about a line that is refused at once."""
    with pytest.raises(SystemExit) as end:
        main(line.split())
    out, err = capsys.readouterr()
    assert (end.value.code, out, err.count("\n")) == (2, "", 1)
    return err


@pytest.mark.parametrize("line", WRITERS)
def test_nothing_is_written_over(line: str, place: Path, capsys: Capture) -> None:
    *words, name = line.split()
    Path(name).write_text("mine")
    assert f"{words[-1]}: '{name}' already exists; name another file" in refused(line, capsys)
    assert Path(name).read_text() == "mine"
    assert {path.name for path in place.iterdir()} == {"game.jsonl", name}


@pytest.mark.parametrize(
    "line", [*FOLDERS, *(f"{line.rpartition(' ')[0]} -" for line in WRITERS if "--out" not in line)]
)
def test_a_dash_is_no_name(line: str, place: Path, capsys: Capture) -> None:
    assert "'-' is no f" in refused(line, capsys)
    assert [path.name for path in place.iterdir()] == ["game.jsonl"]


def test_every_option_that_writes_is_tried() -> None:
    """Each file that the help says is written has a line above."""
    from mhing.cli import make_parser
    from mhing.cli.common import folder_path, new_file
    from mhing.cli.manual import commands_of

    tried = {(line.split()[0], line.split()[-2]) for line in (*WRITERS, *FOLDERS)}
    for command in commands_of(make_parser()):
        for action in command.parser._actions:
            if action.type in (new_file, folder_path):
                assert (command.name, action.option_strings[-1]) in tried


def test_a_device_is_written_to(capsys: Capture) -> None:
    line = "arena greedy random --game leduc --deals 2 --first-seed 0 --csv /dev/null --quiet"
    assert main(line.split()) == 0
    capsys.readouterr()


def test_records_on_standard_output(place: Path, capsys: Capture) -> None:
    """The bytes are those of the file; what the command reports goes to standard error."""
    line = "record leduc --bots greedy,random --games 3 --seed 5 --out"
    assert main([*line.split(), "file.jsonl"]) == 0
    capsys.readouterr()
    assert main([*line.split(), "-"]) == 0
    out, err = capsys.readouterr()
    assert out == Path("file.jsonl").read_text()
    assert err.splitlines()[-1].startswith("3 games of leduc in ")
    Path("piped.jsonl").write_text(out)
    assert len([*records("piped.jsonl")]) == 3
    assert {path.name for path in place.iterdir()} == {"game.jsonl", "file.jsonl", "piped.jsonl"}


def test_a_reader_that_has_seen_enough(place: Path) -> None:
    """As `head -1`: the command ends quietly, and soon."""
    words = ["record", "leduc", "--games", "1000000", "--out", "-"]
    with subprocess.Popen(
        [sys.executable, "-m", "mhing", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stderr
        assert json.loads(process.stdout.readline())["game"] == "leduc"
        process.stdout.close()
        err = process.stderr.read().decode()
        assert process.wait(timeout=60) == 128 + 13
    assert all(line.startswith("playing:") for line in err.splitlines())


def test_json_and_records_do_not_share_an_output(capsys: Capture) -> None:
    assert main(["record", "leduc", "--out", "-", "--json"]) == 2
    assert "--json: standard output has the games" in capsys.readouterr().err
