"""Games written down while they are played: what `mhing play --record` leaves."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import mhing
from mhing.cli import main
from mhing.data import Games, write_jsonl
from mhing.recorder import Recorder
from mhing.records import Record, records

pytestmark = pytest.mark.once

NAMES = ["player", "greedy", "random"]

Capture = pytest.CaptureFixture[str]


def play(line: str, typed: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    return main(["play", *line.split()])


@pytest.mark.parametrize("game", mhing.games())
def test_the_recorder_writes_what_mhing_record_writes(game: str, tmp_path: Path) -> None:
    games = Games(game, ["greedy", "random"], games=3, seed=4)
    write_jsonl(tmp_path / "whole.jsonl", games)
    with Recorder(tmp_path / "lines.jsonl") as recorder:
        for record in records(tmp_path / "whole.jsonl"):
            recorder.begin(record.game, record.seed, record.players)
            *_, (_, end) = record.replay()
            for move in record.moves:
                recorder.move(move.seat, move.action, move.by)
            recorder.end(end)
    for one, other in zip(
        records(tmp_path / "whole.jsonl"), records(tmp_path / "lines.jsonl"), strict=True
    ):
        of_a_series = {"number", "games"}
        assert other.header == {k: v for k, v in one.header.items() if k not in of_a_series}
        assert (other.moves, other.end) == (one.moves, one.end)


def test_what_a_player_did_can_be_replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    path = tmp_path / "mine.jsonl"
    line = f"--seat 1 --seed 5 --opponents greedy,random,greedy --record {path}"
    assert play(line, "1\n" * 300, monkeypatch) == 0
    record = Record(path)
    assert (record.seed, record.players) == (5, ["greedy", "you", "random", "greedy"])
    assert {(move.seat == 1, move.by) for move in record.moves} == {
        (True, "player"), (False, "bot"),
    }  # fmt: skip
    capsys.readouterr()
    assert main(["replay", str(path)]) == 0
    assert "Verified: it ends as recorded" in capsys.readouterr().out


def test_lines_are_there_before_the_game_is_over(tmp_path: Path) -> None:
    game = mhing.Game("mhing")
    with Recorder(tmp_path / "running.jsonl") as recorder:
        state = game.new_state(3)
        recorder.begin(game, 3, ["a", "b", "c", "d"])
        assert Path(tmp_path / "running.jsonl").stat().st_mode & 0o777 == 0o600
        action = int(state.legal_actions()[0])
        recorder.move(state.seat, action)
        assert [move.action for move in Record(tmp_path / "running.jsonl").moves] == [action]


def test_no_file_is_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    path = tmp_path / "there.jsonl"
    path.write_text("mine")
    for place, words in (
        (path, "already exists; name another file; mhing play --resume"),
        (tmp_path / "no/where", "there is no folder"),
    ):
        with pytest.raises(SystemExit, match="2"):
            play(f"--seed 1 --record {place}", "", monkeypatch)
        err = capsys.readouterr().err
        assert str(place) in err
        assert words in err
    assert path.read_text() == "mine"


# ---- Taking back, and resuming ---------------------------------------------------------------


def begun(path: Path, moves: int = 0) -> tuple[mhing.State, Recorder]:
    """A game with so many moves."""
    state, recorder = mhing.Game("mhing", num_players=3).new_state(7), Recorder(path)
    recorder.begin(state.game, 7, NAMES)
    advance(state, recorder, moves)
    return state, recorder


def advance(state: mhing.State, recorder: Recorder, moves: int) -> None:
    """Plays so many moves, or to the end."""
    while moves and not state.is_terminal:
        action, _ = state.bot_action("greedy", 1)
        recorder.move(state.seat, action, "bot" if state.seat else "player")
        state.apply(action)
        moves -= 1
    if state.is_terminal:
        recorder.end(state)


def test_moves_are_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    state, recorder = begun(path, 9)
    before = path.read_bytes()
    advance(state, recorder, -1)
    assert Record(path).end is not None
    recorder.take_back(9)
    assert path.read_bytes() == before
    recorder.take_back(0)
    assert Record(path).moves == []
    recorder.begin(state.game, 8, NAMES)
    recorder.move(2, 0)
    recorder.move(1, 0)
    recorder.take_back(1)
    assert [len(record.moves) for record in records(path)] == [0, 1]
    recorder.close()


@pytest.mark.parametrize(
    "torn", ["", '{"seat":1,"act', '{"seat":1,"action":3,"text":"x","by":"y"}']
)
def test_what_was_cut_off_is_written_again(tmp_path: Path, torn: str) -> None:
    """A kill may come in the middle of a line."""
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    begun(whole, -1)[1].close()
    begun(cut, 9)[1].close()
    other = whole.read_bytes()
    with cut.open("a") as file:
        file.write(torn)
    for before in (b"", other):  # alone in the file, and after another game
        cut.write_bytes(before + cut.read_bytes())
        record = [*records(cut)][-1]
        *_, (_, state) = record.replay()
        with Recorder.resume(record) as recorder:
            advance(state, recorder, 1)
            state.apply(state.legal_actions()[0])
            recorder.take_back(10)
        assert cut.read_bytes() == before + b"".join(whole.read_bytes().splitlines(True)[:11])
        with Recorder.resume([*records(cut)][-1]) as recorder:
            recorder.take_back(9)


def test_what_cannot_be_resumed(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    state, recorder = begun(path, 3)
    with pytest.raises(BlockingIOError, match="another process is writing there"):
        Recorder.resume(Record(path))
    running = path.read_bytes()
    advance(state, recorder, -1)
    recorder.close()
    with pytest.raises(ValueError, match="its game is over"):
        Recorder.resume(Record(path))
    path.write_bytes(running + path.read_bytes())
    before = path.read_bytes()
    with pytest.raises(ValueError, match="other games follow; the last one can be resumed"):
        Recorder.resume(next(records(path)))
    assert path.read_bytes() == before


KILLED = """
import sys
from pathlib import Path
from test_recorder import begun
state, recorder = begun(Path(sys.argv[1]), 8)
print("played", flush=True)
sys.stdin.read()
"""


def test_a_kill_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path)],
        cwd=Path(__file__).parent,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"played\n"
        process.kill()
    assert process.returncode == -signal.SIGKILL
    record = Record(path)
    assert len(record.moves) == 8
    Recorder.resume(record).close()  # nobody holds it any more
