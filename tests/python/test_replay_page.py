"""The page of a recorded game: it shows what there was, and to a seat nothing else."""

import json
import re
import zlib
from base64 import b64decode
from copy import copy
from hashlib import sha256
from itertools import groupby, islice
from xml.etree import ElementTree

import pytest

import mhing
from mhing import render
from mhing.analysis import Analysis
from mhing.cli import main
from mhing.data import Games, write_jsonl
from mhing.records import Record, records
from mhing.web.film import films
from mhing.web.replay import page

BARS = {"mhing": 60, "general_mhing": 40, "mexican_rummy": 100}
"""Kilobytes of a round with the films of all seats."""


def recorded(folder, game, seed=4, **options):
    players = [mhing.Game(game).default_bot, "random"]
    path = folder / f"{game}.jsonl"
    write_jsonl(path, Games(mhing.Game(game, **options), players, games=1, seed=seed))
    return Record(path)


@pytest.fixture(scope="module", params=mhing.games())
def record(request, tmp_path_factory):
    return recorded(tmp_path_factory.mktemp(request.param), request.param)


def content(html):
    """What a page holds."""
    packed = re.search(r'id="content">([^<]*)<', html)[1]
    return json.loads(zlib.decompress(b64decode(packed)))


def picture(held, frame):
    """A frame as the elements that it paints."""
    return [held["elements"][number] for number in frame["elements"]]


def drawn(svg):
    """An SVG document as the lines of its elements."""
    lines = svg.splitlines()
    return lines[lines.index("</defs>") + 1 : -1]


# ---- What is in it ------------------------------------------------------------------------------


def test_every_position_is_in_the_film_of_every_viewer(record):
    seats = [None, *range(record.game.num_seats)]
    held = content(page(record, films(record, seats)))
    assert [film["seat"] for film in held["films"]] == seats
    states = [record.game.new_state(record.seed)]
    states += [state.clone() for _, state in record.replay()]
    for film in held["films"]:
        shown = [picture(held, frame) for frame in film["frames"]]
        wanted = [drawn(render.svg(state, film["seat"])) for state in states]
        changes = [b for a, b in zip([None, *wanted], wanted, strict=False) if a != b]
        distinct = [b for a, b in zip([None, *shown], shown, strict=False) if a != b]
        assert distinct == changes


def test_all_moves_stand_in_the_open_film_and_public_events_in_every_one(record):
    open_film, *others = films(record, [None, *range(record.game.num_seats)])
    words = [word for frame in open_film.frames for word in frame.words]
    assert [word for word in words if re.match(r"Seat \d: ", word)][-len(record.moves) :] == [
        f"Seat {move.seat}: {move.text}" for move in record.moves
    ]
    told = []
    before = []
    for state in [record.game.new_state(record.seed), *(s.clone() for _, s in record.replay())]:
        events = state.to_dict()["events"]
        told += [event["event"] for event in events if event not in before]
        before += events
    for film in others:
        assert {kind for frame in film.frames for kind in frame.kinds} == set(told)


def test_the_sprites_are_those_that_are_used(record):
    held = content(page(record, films(record, [None, 0])))
    names = [ElementTree.fromstring(sprite).get("id") for sprite in held["sprites"]]
    used = {name for one in held["elements"] for name in re.findall(r'href="#([^"]+)"', one)}
    assert len(names) == len(set(names))
    assert used == set(names)


def test_it_is_small(record):
    html = page(record, films(record, [None, *range(record.game.num_seats)]))
    assert len(html.encode()) < 1000 * BARS.get(record.game.id, 40)


def test_costly_moves_are_told_to_their_player_only(tmp_path):
    record = recorded(tmp_path, "mhing")
    analysis = Analysis(record, "expert")
    worst = {one.number for player in analysis.players for one in player.worst()}
    assert worst
    open_film, *others = films(record, [None, 0, 1, 2, 3], analysis)
    assert sum(len(frame.judgement) for frame in open_film.frames) == len(analysis.played)
    assert any(frame.is_costly for frame in open_film.frames)
    for film in others:
        said = [text for frame in film.frames for text in frame.judgement]
        assert said
        assert all(text.startswith(f"Seat {film.seat}: ") for text in said)


# ---- What a seat may not know -----------------------------------------------------------------


def test_the_film_of_a_seat_does_not_depend_on_what_it_cannot_know(record, monkeypatch):
    """Every position is replaced by another one that the seat cannot tell from it."""
    for seat in range(record.game.num_seats):
        wanted = page(record, films(record, [seat]))
        replay = Record.replay

        def other(self, seat=seat, replay=replay):
            for move, state in replay(self):
                yield move, state.resample(seat, seed=9)

        with monkeypatch.context() as patch:
            patch.setattr(Record, "replay", other)
            assert page(record, films(record, [seat])) == wanted


def test_a_claim_that_is_lost_does_not_show(tmp_path):
    """Two games that differ in one answer, which another answer makes void."""
    path = tmp_path / "games.jsonl"
    write_jsonl(path, Games("mhing", ["greedy", "random"], games=20))
    pairs = ((game, *found) for game in records(path) for found in void_answers(game))
    for record, lost, place in islice(pairs, 4):
        for seat in {0, 1, 2, 3} - {lost.moves[place].seat}:
            assert films(lost, [seat]) == films(record, [seat])
        assert films(lost, [None]) != films(record, [None])


def void_answers(record):
    """The record with one answer changed that leaves the same game, and the place of that answer.

    Where an answer counts, the game goes on from another position.
    """
    *_, (_, end) = record.replay()
    state = record.game.new_state(record.seed)
    for place, move in enumerate(record.moves):
        for action in state.legal_actions().tolist():
            if action == move.action or state.to_dict()["phase"] != "claim":
                continue
            other = state.clone()
            other.apply(action)
            try:
                for later in record.moves[place + 1 :]:
                    assert other.seat == later.seat
                    other.apply(later.action)
            except (AssertionError, ValueError):
                continue
            if other == end:
                lost = copy(record)
                lost._lines = [*record._lines]
                text = state.game.action_text(action)
                lost._lines[place + 1] = lost._lines[place + 1] | {"action": action, "text": text}
                yield lost, place
        state.apply(move.action)


def test_a_film_for_a_seat_is_what_it_was_told_when_it_was_asked(record):
    """Neither the number of frames nor their pictures come from anything else."""
    for seat in range(record.game.num_seats):
        (film,) = films(record, [seat])
        states = [record.game.new_state(record.seed)]
        states += [state.clone() for _, state in record.replay()]
        told = [
            render.scene(state, seat).shapes
            for number, state in enumerate(states)
            if state.seat == seat or state.is_terminal or number == 0
        ]
        shown = [frame.scene.shapes for frame in film.frames]
        assert [shapes for shapes, _ in groupby(shown)] == [shapes for shapes, _ in groupby(told)]
        assert len(film.frames) <= len(told)
        (told_of_all, *_) = films(record, [seat, None])
        events = [kind for frame in told_of_all.frames for kind in frame.kinds]
        assert [kind for frame in film.frames for kind in frame.kinds] == events


def test_a_page_for_a_seat_holds_no_seed(record):
    held = content(page(record, films(record, [0])))
    assert set(held) == {
        "title", "players", "fonts", "width", "height", "films", "sprites", "elements",
    }  # fmt: skip
    assert [film["seat"] for film in held["films"]] == [0]


# ---- The page ---------------------------------------------------------------------------------


def test_names_of_strangers_are_text(tmp_path):
    record = recorded(tmp_path, "general_mhing")
    record.players = ["</script><script>alert(1)</script>", '"><img src=x onerror=alert(1)>']
    html = page(record, films(record, [None]))
    assert "alert(1)" not in re.sub(r"<title>[^<]*</title>", "", html)
    assert html.count("<script") == 3
    assert content(html)["players"] == record.players


def test_only_its_own_scripts_and_style_are_allowed(record):
    html = page(record, films(record, [None]))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)[1]
    inline = re.findall(r'<script type="(?:importmap|module)">(.*?)</script>', html, re.DOTALL)
    inline += re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    assert len(inline) == 3
    for text in inline:
        digest = sha256(text.encode()).digest()
        assert any(b64decode(found) == digest for found in re.findall("sha256-([^&]*)&", policy))
    assert "//" not in re.sub(r'id="content">[^<]*<', "", html)


# ---- The command --------------------------------------------------------------------------------


def test_the_command_writes_the_page(tmp_path, capsys, monkeypatch):
    record = recorded(tmp_path, "general_mhing")
    monkeypatch.chdir(tmp_path)
    main(["replay", "general_mhing.jsonl", "--html", "out.html"])
    assert (tmp_path / "out.html").read_text() == page(record, films(record, [None, 0, 1]))
    out, err = capsys.readouterr()
    assert (out, err.startswith("out.html: ")) == ("", True)
    main(["replay", "general_mhing.jsonl", "--html", "out.html", "--view", "1", "--bot", "expert"])
    seen = films(record, [1], Analysis(record, "expert"))
    assert (tmp_path / "out.html").read_text() == page(record, seen)
    main(["replay", "general_mhing.jsonl", "--html", "out.html", "--view", "open", "--json"])
    assert json.loads(capsys.readouterr().out)["actions"] == len(record.moves)
    assert (tmp_path / "out.html").read_text() == page(record, films(record, [None]))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--view", "0"], "--view: only with --html"),
        (["--bot", "expert"], "--bot: only with --html"),
        (
            ["--html", "a.html", "--view", "2"],
            "--view: '2' is not open, all, or a seat from 0 to 1",
        ),
        (["--html", "general_mhing.jsonl"], "--html: general_mhing.jsonl is the record itself"),
        (["--html", "a.html", "--step"], "--step: not with --html"),
        (["--html", "a.html", "--bot", "nobody"], "no bot 'nobody' for general_mhing"),
        (["--html", "no/where.html"], "no/where.html': no file can be written there"),
    ],
)
def test_mistakes(tmp_path, capsys, monkeypatch, arguments, words):
    recorded(tmp_path, "general_mhing")
    monkeypatch.chdir(tmp_path)
    try:
        status = main(["replay", "general_mhing.jsonl", *arguments])
    except SystemExit as error:
        status = error.code
    assert status == 2
    assert words in capsys.readouterr().err
