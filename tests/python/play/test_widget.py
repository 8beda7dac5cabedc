"""A table in a notebook, without a browser: what the widget sends, keeps, and answers."""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import nbformat
import pytest

import mhing
from mhing._support.extras import install
from mhing.web.play import PlaySession
from mhing.web.widget import TableWidget

pytestmark = pytest.mark.once


def made(game: str = "mhing", **settings: Any) -> tuple[TableWidget, list[Any]]:
    """A widget, and what it sends from then on."""
    widget = mhing.play_widget(game, **{"seed": 1, **settings})
    sent: list[Any] = []
    widget.send = sent.append  # type: ignore[method-assign]
    return widget, sent


def ask(widget: TableWidget, request: Any) -> None:
    """A page's request, as ipywidgets brings it."""
    widget._handle_custom_msg(request, [])


def play_on(widget: TableWidget, session: PlaySession) -> None:
    """Plays the first move, or what a bot does now, or the next round."""
    session.delay = 0.0
    can = widget.view["can"]
    if widget.view["asked"]:
        action = widget.view["moves"][0]["action"]
        ask(widget, {"do": "play", "number": widget.view["number"], "action": action})
    else:
        ask(widget, {"do": "next" if "next" in can else "tick"})


def session_of(widget: TableWidget) -> PlaySession:
    session = widget._session
    assert isinstance(session, PlaySession)
    return session


def test_a_page_finds_all_that_it_shows_in_the_state() -> None:
    widget, _ = made(seat=2, hint="greedy", height=500)
    state = widget.get_state()
    assert json.loads(json.dumps(state["hello"])) == session_of(widget).hello()
    assert (state["hello"]["seat"], state["hello"]["bot"]) == (2, "greedy")
    assert state["height"] == 500
    view = session_of(widget).view("wide")
    assert state["sprites"] == view["frame"].pop("sprites")
    assert state["view"] == view
    assert "default-src 'none'" in html.unescape(state["page"])
    assert not re.search(r"<(link|script|img)[^>]*(src|href)=", state["page"])


def test_a_round_is_played() -> None:
    widget, sent = made()
    session = session_of(widget)
    seen = dict(widget.sprites)
    while not widget.view["over"]:
        play_on(widget, session)
        seen |= session.view("wide")["frame"]["sprites"]
        assert sent[-1] == {"kind": "due", "seconds": session.due()}
        assert widget.sprites == seen
    assert session.table.state.is_terminal
    assert widget.view["result"]


def test_what_cannot_be_done_is_answered_and_changes_nothing() -> None:
    widget, sent = made()
    before = widget.get_state()
    for request, words in [
        (17, "this is no request"),
        ({}, "do: None does not fit"),
        ({"do": "dance"}, "dance: that cannot be done now"),
        ({"do": "play", "number": 99, "action": 1}, "the table has changed"),
        ({"do": "play", "number": widget.view["number"], "action": 340}, "not legal"),
        ({"do": "shape", "shape": "round"}, "shape: it is none of wide"),
    ]:
        sent.clear()
        ask(widget, request)
        error, due = sent
        assert error["kind"] == "error"
        assert words in error["text"]
        assert due == {"kind": "due", "seconds": None}
        assert widget.get_state() == before


def test_only_the_first_of_several_pages_is_in_time() -> None:
    widget, sent = made("general_mhing", seat=None)
    session = session_of(widget)
    ask(widget, {"do": "tick"})
    assert (widget.view["number"], sent[-1]["seconds"] > 0) == (1, True)
    session.delay = 0.0
    ask(widget, {"do": "tick"})
    session.delay = 100.0
    ask(widget, {"do": "tick"})
    assert widget.view["number"] == 2


@pytest.mark.parametrize("game", mhing.games())
def test_nothing_says_what_the_seat_cannot_know(game: str) -> None:
    """The state and the picture are the same bytes, whatever cards the others have."""
    widget, _ = made(game, seat=1, opponents="random")
    session = session_of(widget)
    for number in range(30):
        play_on(widget, session)
        if session.table.state.is_terminal:
            break
        shown, real = words_of(widget), session.table.state
        session.table.state = real.resample(1, number)
        widget._show()
        assert words_of(widget) == shown
        session.table.state = real


def words_of(widget: TableWidget) -> str:
    picture = widget._repr_mimebundle_()[0]["image/svg+xml"]
    return json.dumps([widget.get_state(["hello", "view", "sprites"]), picture])


def test_tables_are_apart() -> None:
    (one, _), (other, _) = made(), made()
    before = other.get_state()
    play_on(one, session_of(one))
    assert other.get_state() == before
    assert one.view != other.view


def test_where_there_are_no_widgets_the_picture_is_shown() -> None:
    widget, _ = made()
    play_on(widget, session_of(widget))
    data, _about = widget._repr_mimebundle_(include=None, exclude=None)
    assert data["text/plain"] == repr(widget) == "<a table of Mhing>"
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == widget.model_id
    root = ElementTree.fromstring(data["image/svg+xml"])
    svg = "{http://www.w3.org/2000/svg}"
    ids = {group.get("id") for group in root.iter(f"{svg}g")}
    assert {use.attrib["href"][1:] for use in root.iter(f"{svg}use")} <= ids
    assert root.findtext(f"{svg}title") == widget.view["frame"]["title"]


def test_a_table_that_is_closed_frees_its_session(monkeypatch: pytest.MonkeyPatch) -> None:
    widget, _ = made()
    closed: list[str] = []
    monkeypatch.setattr(widget._session, "close", lambda: closed.append("session"))
    widget.close()
    assert closed == ["session"]


def test_players_and_options() -> None:
    def first(observation: Any, mask: Any, info: Any) -> int:
        return int(mask.argmax())

    widget, _ = made(opponents=["greedy", first, "random"], seat=3)
    assert [player["name"] for player in widget.view["players"]] == [
        "greedy", "first", "random", "you",
    ]  # fmt: skip
    assert len(made(num_players=2)[0].view["players"]) == 2
    game = mhing.Game("leduc")
    assert mhing.play_widget(game).hello["game"] == "leduc"
    with pytest.raises(TypeError, match="num_players: the game is made already"):
        mhing.play_widget(game, num_players=2)
    with pytest.raises(ValueError, match="seat: 4 is not from 0 to 3"):
        mhing.play_widget(seat=4)


def test_an_extra_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "mhing.web.widget")
    with pytest.raises(ModuleNotFoundError, match=re.escape(install("play"))):
        mhing.play_widget()


CELLS = [
    "import mhing\nstate = mhing.Game('mhing').new_state(1)\nstate",
    "mhing.render.View(state.game, state.observation(0), seat=0)",
    "mhing.data.write_jsonl('one.jsonl', mhing.data.Games('leduc', 'random', games=1))\n"
    "mhing.records.Record('one.jsonl')",
    "state.game",
    "mhing.score_hand('567s567s678s789s99s')",
    "table = mhing.play_widget(seed=1)\ntable",
    "move = table.view['moves'][0]['action']\n"
    "request = {'do': 'play', 'number': table.view['number'], 'action': move}\n"
    "table._handle_custom_msg(request, [])\ntable",
]

RUN = """
import nbclient, nbformat
notebook = nbformat.read("in.ipynb", 4)
nbclient.NotebookClient(notebook, timeout=60, store_widget_state=True).execute()
nbformat.write(notebook, "out.ipynb")
"""


@pytest.mark.slow
def test_a_notebook_is_run_and_saved(tmp_path: Path) -> None:
    cells = [nbformat.v4.new_code_cell(f"import mhing.data, mhing.records\n{CELLS[0]}")]
    cells += map(nbformat.v4.new_code_cell, CELLS[1:])
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "in.ipynb")
    done = subprocess.run(
        [sys.executable, "-c", RUN], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    saved = nbformat.read(tmp_path / "out.ipynb", 4)
    data = [cell.outputs[-1].data for cell in saved.cells]
    for shown in (*data[:3], *data[4:]):
        ElementTree.fromstring(shown["image/svg+xml"])
    assert "| `num_players` | 4 |" in data[3]["text/markdown"]
    first, then = data[-2:]
    assert first["image/svg+xml"] != then["image/svg+xml"]
    view = "application/vnd.jupyter.widget-view+json"
    (states,) = saved.metadata.widgets.values()
    kept = states["state"][then[view]["model_id"]]["state"]
    assert kept["view"]["number"] > 1
    assert kept["view"]["frame"]["title"] in then["image/svg+xml"]
    assert kept["sprites"]
