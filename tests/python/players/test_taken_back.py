"""Moves that were taken back leave a trace: in the record, and wherever its result is shown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_tui import drive, shown
from test_web_play import advance, views
from textual.pilot import Pilot

import mhing
from mhing.cli import main
from mhing.recorder import Recorder
from mhing.records import Record, records
from mhing.web import index
from mhing.web.app import _listed
from mhing.web.play import PlaySession, Wishes
from mhing.web.review import Review
from mhing.web.saves import Saves

Capture = pytest.CaptureFixture[str]

SAID = "You took moves back 2 times."


class Room:
    """Tables that are kept in a folder, and closed at the end."""

    def __init__(self, folder: Path) -> None:
        self.saves = Saves(folder)
        self.sessions: list[PlaySession] = []

    def begin(self, game: str = "leduc", seed: int = 3, **wishes: bool) -> PlaySession:
        wanted = Wishes(seat=0, **wishes)
        return self._take(PlaySession(mhing.Game(game), ["greedy"], wanted, seed, self.saves))

    def resume(self, name: str | None) -> PlaySession:
        assert name
        saved = self.saves.find(name)
        assert saved
        return self._take(PlaySession.resume(saved, self.saves))

    def record(self, session: PlaySession) -> Record:
        """The only one of a sitting."""
        return Record(self.path(session))

    def path(self, session: PlaySession) -> Path:
        return self.saves.folder / f"{session.saved_as}.jsonl"

    def undone(self) -> PlaySession:
        """A game that is over, in which two moves were taken back, both of them the first."""
        session = self.begin()
        for _ in range(2):
            advance(session, 1)
            session.do({"do": "undo"})
        play_to_the_end(session)
        return session

    def _take(self, session: PlaySession) -> PlaySession:
        self.sessions.append(session)
        return session


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    made = Room(tmp_path)
    yield made
    for session in made.sessions:
        session.close()


def play_to_the_end(session: PlaySession) -> str:
    """Play to the end, and return what its view says."""
    *_, view = views(session, 1)
    return " ".join(view["taken_back"])


def test_the_record_and_the_page_count_them(room: Room) -> None:
    session = room.undone()
    assert session.view("wide")["taken_back"] == [SAID]
    assert room.record(session).taken_back == [2, 0]
    session.do({"do": "undo"})  # back from the end
    assert room.record(session).end is None
    assert room.record(session).taken_back == [3, 0]
    play_to_the_end(session)
    record = room.record(session)
    for _ in record.replay():
        pass
    assert record.taken_back == [3, 0]
    session.do({"do": "next"})
    assert play_to_the_end(session) == "You took moves back 3 times.", "as rewards, of all games"
    assert [one.taken_back for one in records(room.path(session))] == [[3, 0], [0, 0]]


def test_a_kill_forgets_none(room: Room) -> None:
    session = room.begin()
    advance(session, 1)
    session.do({"do": "undo"})
    session.close()  # as a kill leaves it: every line is in the file
    again = room.resume(session.saved_as)
    advance(again, 1)
    again.do({"do": "undo"})
    assert play_to_the_end(again) == SAID
    assert room.record(again).taken_back == [2, 0]


def test_a_plan_that_showed_nothing_does_not_count(room: Room) -> None:
    planned = 0
    for seed in (0, 3, 5):  # in these the viewer lays down
        session = room.begin("mexican_rummy", seed, practice=False)
        while not (view := session.view("wide"))["over"]:
            if "undo" in view["can"]:
                planned += 1
                action = session.table.played[-1].action
                session.do({"do": "undo"})
                number = session.view("wide")["number"]
                session.do({"do": "play", "number": number, "action": action})
            advance(session, seed)
        assert view["taken_back"] == []
        assert "taken_back" not in Path(room.record(session).path).read_text()
    assert planned > 3


def test_to_play_on_from_a_review_counts(room: Room) -> None:
    """Its player has seen all cards."""
    session = room.begin()
    play_to_the_end(session)
    review = Review(room.record(session), room.saves)
    for place in (0, 1):
        (answer,) = review.do({"do": "play on", "film": 0, "place": place, "seat": 1})
        again = room.resume(answer["id"])
        assert play_to_the_end(again) == "You took moves back 1 time."
        assert room.record(again).taken_back == [0, 1]


def test_commands_and_pages_of_records_say_it(room: Room, capsys: Capture) -> None:
    session = room.undone()
    record = room.record(session)
    for command in ("replay", "analyse"):
        assert main([command, record.path]) == 0
        assert SAID in capsys.readouterr().out
    assert main(["replay", record.path, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["taken_back"] == [2, 0]
    assert SAID in index.of_games([record], ["game-0.html"])
    (answer,) = Review(record, room.saves).do({"do": "films", "shape": "wide"})
    for film in answer["content"]["films"]:
        assert film["words"][-1][-1] == SAID
    assert _listed("a", [record])["result"].endswith(f". {SAID}")


def test_a_game_in_lines_says_it(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    given = iter(["1", "u", "1", "u", *["1"] * 9])
    monkeypatch.setattr("builtins.input", lambda _: next(given))
    assert main(["play", "leduc", "--seat", "0", "--seed", "3", "--delay", "0", "--plain"]) == 0
    assert f"\n{SAID}\n" in capsys.readouterr().out


def test_the_application_says_it(room: Room) -> None:
    session = room.undone()

    async def script(pilot: Pilot[None]) -> None:
        assert SAID in shown(pilot, "ended")

    drive(session, script)


def test_records_without_counts_and_with_wrong_ones(tmp_path: Path) -> None:
    path, game = tmp_path / "mine.jsonl", mhing.Game("leduc")
    with Recorder(path) as recorder:
        recorder.begin(game, 1, ["ann", "bob"])
    assert Record(path).taken_back == [0, 0], "as older ones are"
    header = json.loads(path.read_text())
    for wrong in ([1], [1, -1], [True, 0], 1, None, {"0": 1, "1": 1}):
        path.write_text(json.dumps(header | {"taken_back": wrong}) + "\n")
        with pytest.raises(ValueError, match=r"line 1: taken_back: .* are not 2 counts"):
            Record(path)
