"""Records that the server writes of games at its tables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from remote_bots import GREEDY, First
from server_process import Server

import mhing
from mhing.cli import main
from mhing.records import Record
from mhing.remote import Turn


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    (folder / "records").mkdir()
    with Server(folder, "--records", str(folder / "records")) as server:
        yield server


@pytest.fixture(scope="module")
def record(server: Server) -> Path:
    """The record of a game in which not all went well."""

    class Sometimes(First):
        def act(self, turn: Turn) -> int | str:
            legal = super().act(turn)
            return "win" if len(self.turns) == 3 else legal

    folder = Path(server.process.args[-1])  # type: ignore[index]
    before = set(folder.iterdir())
    Sometimes("ann").play(server.endpoint, bots=GREEDY, seed=31, options="episode=game rounds=2")
    (made,) = set(folder.iterdir()) - before
    return made


def test_a_record_is_the_game(record: Path) -> None:
    read = Record(record)
    assert read.game == mhing.Game("mhing", episode="game", rounds=2)
    assert read.players == ["ann", *GREEDY]
    assert read.seed == 31
    state = read.game.new_state(31)
    decided = set()
    for move, after in read.replay():
        state.apply(move.action)
        assert state == after
        decided.add(move.by)
    assert state.is_terminal
    assert decided == {"player", "illegal", "bot"}
    assert read.end is not None
    assert read.end["returns"] == state.returns().tolist()


def test_replay(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(record)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Mhing, 20"), "no seed, but the time"
    assert main(["replay", str(record), "--show-seed"]) == 0
    assert capsys.readouterr().out == out.replace("Mhing, ", "Mhing, seed 31, ", 1)
    assert "ann (seat 0): " in out
    assert "(illegal)" in out
    assert "Verified" in out
    assert main(["replay", str(record), "--step"]) == 0
    assert capsys.readouterr().out.count("\n") > 10 * out.count("\n") / 2
    assert main(["replay", str(record), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert "seed" not in report
    assert main(["replay", str(record), "--json", "--show-seed"]) == 0
    assert json.loads(capsys.readouterr().out) == report | {"seed": 31}
    assert report["actions"] == sum(report["by"].values()) == len(Record(record).moves)
    assert report["players"][0] == "ann"


def test_a_record_in_the_middle_of_a_game(record: Path, tmp_path: Path) -> None:
    lines = record.read_text().splitlines(keepends=True)
    part = tmp_path / "part.jsonl"
    part.write_text("".join(lines[:10]) + lines[10][:7])
    read = Record(part)
    assert read.end is None
    assert len(list(read.replay())) == 9
    part.write_text("".join(lines[:10]) + '{"abandoned":true}\n')
    assert Record(part).end == {"abandoned": True}
    assert main(["replay", str(part)]) == 0


def test_records_that_cannot_be(
    record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = record.read_text().splitlines()
    header, move, end = (json.loads(lines[n]) for n in (0, 1, -1))
    bad = tmp_path / "bad.jsonl"

    def refused(number: int, line: Any, words: str) -> None:
        text = line if isinstance(line, str) else json.dumps(line)
        changed = [*lines[:number], text, *lines[number:][1:]]
        bad.write_text("\n".join(changed) + "\n")
        assert main(["replay", str(bad)]) == 2
        err = capsys.readouterr().err
        assert err.count("\n") == 1
        assert f"line {number + 1}: " in err
        assert words in err

    last = len(lines) - 1
    refused(0, header | {"format": 2}, "format 2")
    refused(0, header | {"game": "chess"}, "chess")
    refused(0, header | {"rules_version": 9}, "rules version 9")
    refused(0, {"format": 1}, "'game'")
    refused(0, header | {"seed": "seven"}, "seed")
    refused(0, header | {"seed": -1}, "seed")
    refused(0, header | {"players": ["ann"]}, "4 names")
    refused(0, header | {"players": 4}, "4 names")
    refused(0, "[]", "JSON")
    bad.write_text(lines[0][:40])
    assert main(["replay", str(bad)]) == 2
    assert "line 1: it was cut off" in capsys.readouterr().err
    bad.write_text("")
    assert main(["replay", str(bad)]) == 2
    assert "line 1: the file is empty" in capsys.readouterr().err
    refused(0, "[" * 100_000, "JSON")
    refused(1, "{", "JSON")
    refused(1, {"seat": 0}, "'action'")
    refused(1, move | {"seat": 1 - move["seat"]}, "seat")
    refused(1, move | {"text": "pass"}, "'pass'")
    refused(1, move | {"by": ["nobody"]}, "by: ['nobody']")
    refused(1, move | {"action": 340, "text": "mhing"}, "not legal")
    refused(last, end | {"returns": [99, 0, 0, 0]}, "returns")
    refused(last, end | {"numbers": {}}, "numbers")
    refused(last - 1, lines[last], "'seat'")
    bad.write_text("")
    assert main(["replay", str(bad)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
