"""The page of a recorded game: it shows what there was, and to a seat nothing else."""

import json
import re
import zlib
from base64 import b64decode
from copy import copy
from hashlib import sha256
from importlib.resources import files
from itertools import chain, groupby, islice
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest
from rounds import recorded, replay

import mhing
from mhing import render
from mhing.analysis import MISTAKE, Analysis
from mhing.data import Games, write_jsonl
from mhing.records import Record, records
from mhing.render.scene import FORMATS
from mhing.web.film import films
from mhing.web.judged import judgement
from mhing.web.replay import page
from mhing.words import called

pytestmark = pytest.mark.once

BARS = {"mhing": (60, 70), "mexican_rummy": (100, 120)}
"""Kilobytes of a round with the films of all seats, then with what a bot says of it."""


@pytest.fixture(scope="module", params=mhing.games())
def record(request, tmp_path_factory):
    return recorded(tmp_path_factory.mktemp(request.param), request.param)


@pytest.fixture(scope="module")
def analysis(record):
    return Analysis(record)


def unpacked(html):
    """Parts of a page: the text of its import map, and its content."""
    packed = re.search(r'id="packed">([^<]*)<', html)[1]
    return json.loads(zlib.decompress(b64decode(packed)))


def content(html):
    """The content of a page."""
    return unpacked(html)["content"]


def pictures(held, film):
    """The frames of a film as the rows that they paint."""
    before = []
    for runs in film["rows"]:
        numbers, codes = [], iter(runs)
        for code in codes:
            start = -1 - code
            numbers += [code] if code >= 0 else before[start : start + next(codes)]
        yield [held["rows"][number] for number in numbers]
        before = numbers


# ---- What is in it ------------------------------------------------------------------------------


def test_every_position_is_in_the_film_of_every_viewer(record):
    seats = [None, *range(record.game.num_seats)]
    held = content(page(record, films(record, seats)))
    assert [film["seat"] for film in held["films"]] == seats
    states = [record.game.new_state(record.seed)]
    states += [state.clone() for _, state in record.replay()]
    names = called(record.players)
    for film in held["films"]:
        shown = [*pictures(held, film)]
        wanted = [render.scene(state, film["seat"], names=names).rows() for state in states]
        changes = [b for a, b in zip([None, *wanted], wanted, strict=False) if a != b]
        distinct = [b for a, b in zip([None, *shown], shown, strict=False) if a != b]
        assert distinct == changes


@pytest.mark.slow
def test_all_moves_stand_in_the_open_film_and_public_events_in_every_one(record):
    open_film, *others = films(record, [None, *range(record.game.num_seats)])
    names = called(record.players)
    words = [word for frame in open_film.frames for word in frame.words]
    assert words[-len(record.moves) :] == [f"{names[one.seat]}: {one.text}" for one in record.moves]
    expected = []
    before = []
    for state in [record.game.new_state(record.seed), *(s.clone() for _, s in record.replay())]:
        events = state.to_dict()["events"]
        expected += [event["event"] for event in events if event not in before]
        before += events
    for film in others:
        assert {kind for frame in film.frames for kind in frame.kinds} == set(expected)


def test_the_sprites_are_those_that_are_used(record):
    held = content(page(record, films(record, [None, 0])))
    names = [attributes["id"] for _, attributes, *_ in held["sprites"]]
    used = {row[4] for row in held["rows"] if row[0] == 3}
    assert len(names) == len(set(names))
    assert used == set(names)


@pytest.mark.parametrize("shape", FORMATS)
def test_it_is_small(record, analysis, shape):
    made = films(record, [None, *range(record.game.num_seats)], shape)
    for said, bar in zip((None, analysis), BARS.get(record.game.id, (60, 60)), strict=True):
        assert len(page(record, made, said).encode()) < 1000 * bar


# ---- What a bot says ----------------------------------------------------------------------------


def test_every_decision_stands_where_it_was_asked(record, analysis):
    made = films(record, [None, *range(record.game.num_seats)])
    states = [record.game.new_state(record.seed), *(s.clone() for _, s in record.replay())]
    seats = {one.number: one.move.seat for one in analysis.played}
    names = called(record.players)
    for film in made:
        own = [number for number, seat in seats.items() if film.seat in (None, seat)]
        assert [number for frame in film.frames for number in frame.asked] == own
        assert sorted(number for frame in film.frames for number in frame.made) == own
        for frame in film.frames:
            for number in frame.asked:
                scene = render.scene(states[number - 1], film.seat, names=names)
                assert frame.scene == scene
    for frame in made[0].frames:
        moves = [record.moves[number - 1] for number in frame.made]
        assert {f"{names[move.seat]}: {move.text}" for move in moves} <= {*frame.words}


def test_a_judgement_has_the_values_of_all_moves(record, analysis):
    made = films(record, [None])
    said = json.loads(json.dumps(judgement(analysis, made)))
    assert [said["bot"], said["unit"]] == [analysis.bot, analysis.unit]
    assert len(said["decisions"]) == len(analysis.played)
    for plain, one in zip(said["decisions"], analysis.played, strict=True):
        decision = one.decision
        assert [move["text"] for move in plain["moves"]] == [*map(decision.text, decision.ranked())]
        assert plain["moves"][plain["played"]]["text"] == one.move.text
        for move, action in zip(plain["moves"], decision.ranked(), strict=True):
            for name, value in (("value", decision.value(action)), ("loss", decision.loss(action))):
                if move[name] is None:
                    assert np.isnan(value)
                else:
                    assert move[name] == pytest.approx(value, rel=1e-3)
            kind, *cards = move["text"].split()
            assert move["cards"] == (cards if kind in ("discard", "lay", "swap") else [])
    for plain, player in zip(said["players"], analysis.players, strict=True):
        assert (plain["decisions"], plain["agreed"]) == (player.decisions, player.agreed)
        assert plain["lost"] == pytest.approx(sum(player.losses), rel=1e-3)
        mistakes = [said["decisions"][number] for number in plain["mistakes"]]
        losses = [one["moves"][one["played"]]["loss"] for one in mistakes]
        assert losses == sorted(losses, reverse=True)
        assert {one["seat"] for one in mistakes} <= {player.seat}


def test_mistakes_lose_much_of_what_was_at_stake(tmp_path):
    analysis = Analysis(recorded(tmp_path, "mhing"), "expert")
    for player in analysis.players:
        values = np.concatenate([one.decision.values for one in player.played])
        bar = MISTAKE * (np.nanmax(values) - np.nanmin(values))
        lost = [one.number for one in player.played if one.loss >= bar]
        assert sorted(one.number for one in player.mistakes()) == lost
    assert any(player.mistakes() for player in analysis.players)
    assert any(len(player.mistakes()) < len(player.losing()) for player in analysis.players)


def test_a_seat_reads_of_its_own_decisions_only(record, analysis):
    for seat in range(record.game.num_seats):
        made = films(record, [seat])
        held = content(page(record, made, analysis))
        said = held["judgement"]
        assert [player["seat"] for player in said["players"]] == [seat]
        assert {one["seat"] for one in said["decisions"]} == {seat}
        own = [one for one in analysis.played if one.move.seat == seat]
        assert len(said["decisions"]) == len(own)
        asked = held["films"][0]["asked"]
        assert [*chain(*asked)] == [
            *range(len(own))
        ]  # numbers of moves would say what others were asked


def test_what_is_judged_so_far_can_be_shown(record, analysis):
    made = films(record, [None, 0])
    whole = judgement(analysis, made)
    for count in (0, 1, len(analysis.played) // 2):
        part = Analysis(record, analysis.bot, analysis.played[:count])
        assert judgement(part, made)["decisions"] == whole["decisions"][:count]


# ---- What a seat may not know -----------------------------------------------------------------


def test_the_film_of_a_seat_does_not_depend_on_what_it_cannot_know(record, monkeypatch):
    """Every position is replaced by another one that the seat cannot tell from it."""
    for seat in range(record.game.num_seats):
        wanted = page(record, films(record, [seat]), Analysis(record))
        replay = Record.replay

        def other(self, seat=seat, replay=replay):
            for move, state in replay(self):
                yield move, state.resample(seat, seed=9)

        with monkeypatch.context() as patch:
            patch.setattr(Record, "replay", other)
            assert page(record, films(record, [seat]), Analysis(record)) == wanted


def test_a_page_of_a_game_under_way_is_for_one_seat(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    whole = Path(recorded(tmp_path, "mhing").path)
    whole.write_text("".join(whole.read_text().splitlines(keepends=True)[:20]))
    for line in ("--html a.html", "--html a.html --view open", "--gif a.gif", "--share a.svg"):
        assert replay(*line.split()) == 2
        err = capsys.readouterr().err
        assert "under way" in err or "not over" in err
        assert [path.name for path in tmp_path.iterdir()] == [whole.name]
    assert replay("--html", "a.html", "--view", "2") == 0


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

    Where an answer counts, the game continues from another position.
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


def test_a_film_for_a_seat_has_its_own_questions(record):
    """Neither the number of frames nor their pictures come from anything else."""
    for seat in range(record.game.num_seats):
        (film,) = films(record, [seat])
        states = [record.game.new_state(record.seed)]
        states += [state.clone() for _, state in record.replay()]
        expected = [
            render.scene(state, seat, names=called(record.players)).rows()
            for number, state in enumerate(states)
            if state.seat == seat or state.is_terminal or number == 0
        ]
        shown = [frame.scene.rows() for frame in film.frames]
        assert [each for each, _ in groupby(shown)] == [each for each, _ in groupby(expected)]
        assert len(film.frames) <= len(expected)
        (for_all, *_) = films(record, [seat, None])
        events = [kind for frame in for_all.frames for kind in frame.kinds]
        assert [kind for frame in film.frames for kind in frame.kinds] == events


def test_a_page_for_a_seat_holds_no_seed(record):
    held = content(page(record, films(record, [0])))
    assert set(held) == {
        "title", "players", "fonts", "width", "height", "films", "sprites", "rows", "judgement",
        "sheet",
    }  # fmt: skip
    assert held["judgement"] is None
    assert [film["seat"] for film in held["films"]] == [0]


# ---- The page ---------------------------------------------------------------------------------


def test_names_of_strangers_are_text(tmp_path):
    record = recorded(tmp_path, "general_mhing")
    record.players = ["</script><script>alert(1)</script>", '"><img src=x onerror=alert(1)>']
    html = page(record, films(record, [None]))
    assert "alert(1)" not in re.sub(r"<title>[^<]*</title>", "", html)
    assert html.count("<script") == 2
    assert content(html)["players"] == [*called(record.players)]


def test_only_its_own_scripts_and_style_are_allowed(record):
    html = page(record, films(record, [None]))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)[1]
    inline = [text for _, text in re.findall(r"<(script|style)>(.*?)</\1>", html, re.DOTALL)]
    assert len(inline) == 2
    inline.append(unpacked(html)["imports"])
    for text in inline:
        digest = sha256(text.encode()).digest()
        assert any(b64decode(found) == digest for found in re.findall("sha256-([^&]*)&", policy))
    readable = re.sub(r'id="packed">[^<]*<', "", html) + unquote(unpacked(html)["imports"])
    addresses = re.findall(r"\w+://[\w./]*", readable)
    assert {*addresses} == {"http://www.w3.org/2000/svg"}  # the name of what SVG is


def test_the_modules_are_in_it_as_they_are(record):
    """But for the names that they have for each other there."""
    html = page(record, films(record, [None]))
    imports = json.loads(unpacked(html)["imports"])["imports"]
    assert {"mhing/start.js", "mhing/graph.js"} <= {*imports}
    for address, data in imports.items():
        kind, _, text = data.partition(",")
        name = address.removeprefix("mhing/")
        assert kind == "data:text/javascript"
        assert {*re.findall('from "(.*)"', unquote(text))} <= {*imports}
        file = "replay.js" if name == "start.js" else name
        module = (files("mhing.web") / "page" / file).read_text(encoding="utf-8")
        assert unquote(text) == re.sub(
            r'(?<=^import )(.* from )"\./', r'\1"mhing/', module, flags=re.M
        )


# ---- The command --------------------------------------------------------------------------------


def test_the_command_writes_the_page(tmp_path, capsys, monkeypatch):
    record = recorded(tmp_path, "general_mhing")
    monkeypatch.chdir(tmp_path)
    replay("--html", "out.html")
    assert (tmp_path / "out.html").read_text() == page(
        record, films(record, [None, 0, 1], log=False)
    )
    out, err = capsys.readouterr()
    assert (out, err.startswith("out.html: ")) == ("", True)
    replay("--html", "out1.html", "--view", "1", "--bot", "expert")
    seen = page(record, films(record, [1], log=False), Analysis(record, "expert"))
    assert (tmp_path / "out1.html").read_text() == seen
    replay("--html", "out2.html", "--view", "open", "--json")
    assert json.loads(capsys.readouterr().out)["actions"] == len(record.moves)
    assert (tmp_path / "out2.html").read_text() == page(record, films(record, [None], log=False))
    replay("--html", "out3.html", "--shape", "portrait")
    upright = page(record, films(record, [None, 0, 1], "portrait"))
    assert (tmp_path / "out3.html").read_text() == upright


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--view", "0"], "--view: only with --html"),
        (["--bot", "expert"], "--bot: only with --html"),
        (["--shape", "portrait"], "--shape: only with --html or --gif"),
        (["--html", "a.html", "--shape", "round"], "invalid choice: 'round'"),
        (
            ["--html", "a.html", "--view", "2"],
            "--view: '2' is not open, all, or a seat from 0 to 1",
        ),
        (["--html", "game.jsonl"], "--html: 'game.jsonl' already exists"),
        (["--html", "a.html", "--step"], "--step: not with --html"),
        (["--html", "a.html", "--bot", "nobody"], "no bot 'nobody' for general_mhing"),
        (["--html", "no/where.html"], "no/where.html': there is no folder no; make it first"),
        (["--html", ".html"], "--html: .html: end its name in .html or .htm"),
        (["--html", "page.pdf"], "--html: page.pdf: end its name in .html or .htm"),
    ],
)
def test_mistakes(tmp_path, capsys, monkeypatch, arguments, words):
    recorded(tmp_path, "general_mhing")
    monkeypatch.chdir(tmp_path)
    assert replay(*arguments) == 2
    assert words in capsys.readouterr().err
