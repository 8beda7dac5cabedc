"""Objects in a notebook: pictures that may stand on one page, and words beside them."""

import re
import subprocess
import sys
from itertools import combinations
from xml.etree import ElementTree

import pages
import pytest

import mhing
from mhing import render
from mhing.data import Games, write_jsonl
from mhing.records import Record

SVG = "{http://www.w3.org/2000/svg}"


def sprites(svg):
    """The sprites of a picture by their ids."""
    groups = ElementTree.fromstring(svg).iter(f"{SVG}g")
    return {group.get("id"): ElementTree.tostring(group) for group in groups if group.get("id")}


def written(svg):
    """The texts of a picture."""
    return " ".join(element.text for element in ElementTree.fromstring(svg).iter(f"{SVG}text"))


@pytest.fixture(scope="module")
def ends():
    """The last position of a round of each game."""
    games = map(mhing.Game, mhing.games())
    return [game.new_state(1).play_out(game.default_bot) for game in games]


def test_a_state_shows_its_table(ends):
    for state in ends:
        shown = state._repr_mimebundle_(include=None, exclude=None)
        assert shown == {"image/svg+xml": render.svg(state), "text/plain": repr(state)}


def test_a_view_shows_no_more_than_its_viewer_knows(ends):
    for end in ends:
        state = end.game.new_state(2)
        view = render.View(state.game, state.observation(0), seat=0, numbers=state.info())
        shown = view._repr_mimebundle_(include=None, exclude=None)["image/svg+xml"]
        assert shown == render.svg(view) != state._repr_mimebundle_()["image/svg+xml"]


def test_tables_of_all_games_can_stand_on_one_page(ends):
    """An id stands for the same picture wherever it is."""
    pages = [sprites(state._repr_mimebundle_()["image/svg+xml"]) for state in ends]
    for one, other in combinations(pages, 2):
        for name in one.keys() & other.keys():
            assert one[name] == other[name]


def test_a_game_shows_its_options():
    game = mhing.Game("mhing", num_players=3)
    shown = game._repr_mimebundle_(include=None, exclude=None)
    assert shown["text/plain"] == "Game('mhing', num_players=3)"
    rows = re.findall(r"^\| `(\w+)` \| (\S+) \| (\S+) \| \S", shown["text/markdown"], re.MULTILINE)
    assert [name for name, *_ in rows] == list(game.options)
    assert ("num_players", "3", "4") in rows
    assert f"{game.num_actions} actions" in shown["text/markdown"]


def test_a_record_shows_its_end(tmp_path):
    write_jsonl(tmp_path / "one.jsonl", Games("general_mhing", ["greedy", "random"], games=1))
    record = Record(tmp_path / "one.jsonl")
    *_, (_, last) = record.replay()
    shown = record._repr_mimebundle_(include=None, exclude=None)
    assert shown["image/svg+xml"] == render.svg(last)
    moves = len(record.moves)
    words = f"<Record of Game('general_mhing'), {moves} moves by greedy, random>"
    assert shown["text/plain"] == repr(record) == words


@pytest.mark.parametrize(
    ("hand", "melds", "flowers"),
    [
        ("567s567s678s789s99s", [], 0),
        ("99sJ67m", ["EEE", "345m", "4*56m"], 2),
        ("1199s2288p3377mEE", [], 0),
        ("19s19p19mESWNRGPJ", [], 8),
    ],
)
def test_a_score_shows_its_hand_and_its_credits(hand, melds, flowers):
    score = mhing.score_hand(hand, melds, flowers, seven_pairs=True)
    shown = score._repr_mimebundle_(include=None, exclude=None)
    svg = shown["image/svg+xml"]
    cards = svg.count("<use ")
    assert cards == 14
    words = written(svg)
    assert f"{score.credits} credits" in words
    assert all(f"{count} {name}" in words for name, count in score.parts)
    root = ElementTree.fromstring(svg)
    width, height = float(root.get("width")), float(root.get("height"))
    for use in root.iter(f"{SVG}use"):
        x, y, scale = map(float, re.findall(r"[\d.]+", use.get("transform")))
        assert 0 <= x <= width - 40 * scale
        assert 0 <= y <= height - 56 * scale
    assert shown["text/plain"] == repr(score)


SHORT = {"minutes = 1.0": "minutes = 0.01", "deals = 2000": "deals = 5"}


@pytest.mark.slow
def test_the_notebook_of_the_tutorial(tmp_path):
    """It runs from its first cell to its last one, with less to learn."""
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.read(pages.WRITTEN / "tutorials/minute.ipynb", 4)
    nbformat.validate(notebook)
    assert not any(cell.get("outputs") for cell in notebook.cells)
    (parameters,) = [one for one in notebook.cells if "parameters" in one.metadata.get("tags", ())]
    for written, short in SHORT.items():
        assert written in parameters.source
        parameters.source = parameters.source.replace(written, short)
    nbformat.write(notebook, tmp_path / "in.ipynb")
    run = (
        "import nbclient, nbformat\n"
        "notebook = nbformat.read('in.ipynb', 4)\n"
        "nbclient.NotebookClient(notebook, timeout=300, store_widget_state=True).execute()\n"
        "nbformat.write(notebook, 'out.ipynb')"
    )
    done = subprocess.run(
        [sys.executable, "-c", run], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    cells = {
        cell.id: cell.get("outputs") for cell in nbformat.read(tmp_path / "out.ipynb", 4).cells
    }
    said = "".join(out.text for outputs in cells.values() for out in outputs or () if "text" in out)
    assert "mhing: " not in said, said
    shown = {name: {*outputs[-1].data} for name, outputs in cells.items() if name in RESULTS}
    assert shown == RESULTS
    assert (tmp_path / "watched.html").stat().st_size > 10_000


RESULTS = {
    "curve": {"image/svg+xml", "text/plain"},
    "play": {"application/vnd.jupyter.widget-view+json", "image/svg+xml", "text/plain"},
    "replay": {"text/html", "text/plain"},
    "end": {"image/svg+xml", "text/plain"},
}
"""The types of data that cells of the notebook show, by their ids."""
