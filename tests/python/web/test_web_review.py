"""A recorded game in the application: what can be reviewed, how it is judged, and played on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from onnx_policy import write_policy
from rounds import recorded

import mhing
from mhing.analysis import Analysis
from mhing.cli import main
from mhing.data import Games, write_jsonl
from mhing.records import Record
from mhing.web import replay
from mhing.web.film import Frame, films
from mhing.web.judged import judgement
from mhing.web.play import PlaySession, Wishes
from mhing.web.review import Review, Shelf
from mhing.web.saves import Saves
from mhing.web.session import SHAPES
from mhing.words import YOU

pytestmark = pytest.mark.once


@pytest.fixture(params=mhing.games())
def record(request: pytest.FixtureRequest, tmp_path: Path) -> Record:
    return recorded(tmp_path, request.param)


def finish(review: Review) -> None:
    """As the holder of a session does."""
    while review.due() is not None:
        review.tick()


def test_the_judgement_comes_in_parts(record: Record, tmp_path: Path) -> None:
    review = Review(record, Saves(tmp_path))
    seats = [None, *range(record.game.num_seats)]
    assert review.view("wide")["judgement"]["decisions"] == []
    review.tick()
    part = review.view("wide")["judgement"]["decisions"]
    assert part
    finish(review)
    view = review.view("wide")
    assert view["judgement"] == judgement(Analysis(record), films(record, seats))
    assert len(view["judgement"]["decisions"]) == view["decisions"]
    assert view["judgement"]["decisions"][: len(part)] == part
    assert review.due() is None


def content_of(frame: Frame) -> list[Any]:
    """All of a frame but its picture."""
    return [frame.at, frame.asked, frame.made, frame.kinds, frame.words]


@pytest.mark.slow
def test_the_films_have_the_shape_of_the_window(record: Record, tmp_path: Path) -> None:
    review = Review(record, Saves(tmp_path))
    seats = [None, *range(record.game.num_seats)]
    sizes = []
    for shape in SHAPES:
        (answer,) = review.do({"do": "films", "shape": shape})
        made = films(record, seats, shape, log=shape != "wide")
        assert answer == {"kind": "films", "content": replay.content(record, made)}
        sizes.append((answer["content"]["width"], answer["content"]["height"]))
        for film, shown in zip(review.films, made, strict=True):  # the page counts by these
            assert [*map(content_of, film.frames)] == [*map(content_of, shown.frames)]
    assert sizes == [(960, 720), (360, 640)]


def test_another_bot_judges_from_the_beginning(tmp_path: Path) -> None:
    review = Review(recorded(tmp_path, "mhing", ["random"]), Saves(tmp_path))
    finish(review)
    assert {"expert", "net"} <= {*review.hello()["bots"]}
    assert review.do({"do": "judge", "bot": "expert"}) == []
    assert review.view("wide")["judgement"]["decisions"] == []
    finish(review)
    said = review.view("wide")["judgement"]
    assert said == judgement(Analysis(review.record, "expert"), review.films)


def test_a_game_is_played_on_from_any_frame(record: Record, tmp_path: Path) -> None:
    saves = Saves(tmp_path / "saves")
    review = Review(record, saves)
    states = [record.game.new_state(record.seed), *(s.clone() for _, s in record.replay())]
    for number, film in enumerate(review.films):
        for place in (0, len(film.frames) // 2, len(film.frames) - 2):
            at = film.frames[place].at
            seat = record.moves[at].seat if film.seat is None else film.seat
            request = {"do": "play on", "film": number, "place": place, "seat": film.seat}
            (answer,) = review.do(request)
            assert answer["kind"] == "opened"
            saved = saves.find(answer["id"])
            assert saved
            (kept,) = saved.games
            assert [move.action for move in kept.moves] == [m.action for m in record.moves[:at]]
            names = [*record.players]
            names[seat] = YOU
            assert kept.players == names
            play = PlaySession.resume(saved, saves)
            assert play.seat == seat
            assert play.table.state.seat == seat or play.due() is not None
            assert len(play.table.played) >= at
            assert states[at].to_dict()["game"] == play.game.id
            play.close()


def test_names_of_strangers_load_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hostile.py").write_text("raise SystemExit('was imported')")
    monkeypatch.syspath_prepend(tmp_path)
    path = Path(recorded(tmp_path, "mhing", ["greedy"]).path)
    first, *rest = path.read_text().splitlines(keepends=True)
    header = json.loads(first)
    header["players"] = ["hostile:play", f"net:{tmp_path}/x", "random", f"run:{tmp_path}"]
    path.write_text(json.dumps(header) + "\n" + "".join(rest))
    saves = Saves(tmp_path / "saves")
    (answer,) = Review(Record(path), saves).do({"do": "play on", "film": 0, "place": 3, "seat": 2})
    saved = saves.find(answer["id"])
    assert saved
    default = mhing.Game("mhing").default_bot
    assert saved.games[0].players == [default, default, YOU, default]


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({"do": "judge", "bot": "nobody"}, "no bot 'nobody'"),
        ({"do": "judge"}, "bot: None does not fit"),
        ({"do": "judge", "bot": "random"}, "bot: random has neither values nor probabilities"),
        ({"do": "films"}, "shape: it is none of wide, portrait"),
        ({"do": "play on", "film": 9, "place": 0}, "film: 9 is not from 0 to 4"),
        ({"do": "play on", "film": 0, "place": -1}, "place: -1 is not from 0"),
        ({"do": "play on", "film": 0, "place": 1, "seat": 4}, "seat: 4 is not from 0 to 3"),
        ({"do": "play on", "film": 0, "place": "end"}, "place: 'end' does not fit"),
        ({"do": "undo"}, "undo: that cannot be done here"),
    ],
)
def test_what_cannot_be_done(tmp_path: Path, request_: dict[str, Any], words: str) -> None:
    review = Review(recorded(tmp_path, "mhing", ["random"]), Saves(tmp_path / "saves"))
    with pytest.raises(ValueError, match=words):
        review.do(request_)
    last = len(review.films[0].frames) - 1
    with pytest.raises(ValueError, match="the record ends here"):
        review.do({"do": "play on", "film": 0, "place": last})
    assert not (tmp_path / "saves").exists()


def test_a_policy_judges(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    path = tmp_path / "game.jsonl"
    write_jsonl(path, Games("mhing", ["random"], games=1, seed=4))
    bot = f"onnx:{write_policy(tmp_path, mhing.Game('mhing'))}"
    review = Review(Record(path), Saves(tmp_path / "saves"))
    review.do({"do": "judge", "bot": bot})
    finish(review)
    said = review.view("wide")["judgement"]
    assert said == judgement(Analysis(review.record, bot), review.films)
    assert said["unit"] == "probability"
    for decision in said["decisions"]:
        assert sum(move["value"] for move in decision["moves"]) == pytest.approx(1, abs=0.01)
    guarded = Shelf([path], may_load=False).open("file-0/0", Saves(tmp_path / "saves"))
    assert guarded
    for name in (bot, "os:getcwd", f"search:50,prior=net:{tmp_path}/x", f"run:{tmp_path}"):
        with pytest.raises(ValueError, match=r"bot: .* is on this machine; name a built-in bot"):
            guarded.do({"do": "judge", "bot": name})
    guarded.do({"do": "judge", "bot": "search:20"})


def test_a_policy_that_fails_ends_the_judgement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "failing.py").write_text(
        "class Failing:\n    def __call__(self, o, m, i): raise KeyError('card')\n"
        "    def probabilities(self, o, m): return m\nfailing = Failing()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    write_jsonl(tmp_path / "game.jsonl", Games("mhing", ["random"], games=1, seed=4))
    review = Review(Record(tmp_path / "game.jsonl"), Saves(tmp_path))
    review.do({"do": "judge", "bot": "failing:failing"})
    with pytest.raises(ValueError, match="failing:failing fails: KeyError: 'card'"):
        review.tick()
    assert review.due() is None


# ---- What can be reviewed -----------------------------------------------------------------------


def test_the_games_of_a_file(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "some.jsonl", Games("leduc", ["random"], games=3, seed=4))
    shelf, saves = Shelf([tmp_path / "some.jsonl"]), Saves(tmp_path / "saves")
    for number in range(3):
        review = shelf.open(f"file-0/{number}", saves)
        assert review
        assert review.record.seed == 4 + number
        assert review.saved_as == f"file-0/{number}"
    for id in ("file-0/3", "file-0", "file-0/-1", "file-0/x", "file-1/0", "../some/0"):
        assert shelf.open(id, saves) is None


def test_a_game_under_way_keeps_its_secrets(tmp_path: Path) -> None:
    saves = Saves(tmp_path)
    play = PlaySession(mhing.Game("leduc"), ["random"], Wishes(seat=0, delay=0), 3, saves)
    shelf = Shelf()
    with pytest.raises(ValueError, match="under way"):
        shelf.open(f"{play.saved_as}/0", saves)
    assert play.view("wide")["review"] is None
    while not play.table.state.is_terminal:
        view = play.view("wide")
        if view["asked"]:
            move = view["moves"][0]["action"]
            play.do({"do": "play", "number": view["number"], "action": move})
        else:
            play.tick()
    assert play.view("wide")["review"] == f"{play.saved_as}/0"
    review = shelf.open(f"{play.saved_as}/0", saves)
    assert review
    assert [move.action for move in review.record.moves] == [
        one.action for one in play.table.played
    ]
    play.do({"do": "next"})
    with pytest.raises(ValueError, match="under way"):
        shelf.open(f"{play.saved_as}/1", saves)
    play.close()


def test_a_file_of_a_game_under_way_is_shown_to_nobody(tmp_path: Path) -> None:
    """Somebody who has the address may be playing it, at a server's table."""
    path = tmp_path / "some.jsonl"
    write_jsonl(path, Games("leduc", ["random"], games=2, seed=4))
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    shelf, saves = Shelf([path]), Saves(tmp_path / "saves")
    assert shelf.open("file-0/0", saves)
    with pytest.raises(ValueError, match="under way"):
        shelf.open("file-0/1", saves)


def test_a_file_that_is_no_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "broken.jsonl").write_text('{"format": 1}\n')
    assert main(["web", "--no-open", str(tmp_path / "broken.jsonl")]) == 2
    assert "broken.jsonl, line 1: it is no deal" in capsys.readouterr().err
