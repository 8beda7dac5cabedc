"""What holds for the pictures of every registered game, with every number of players."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from pictures import Table, columns, every_form, positions, uncolored

import mhing
from mhing import render
from mhing.render.panels import GOLD

pytestmark = pytest.mark.once

TAGS = {"svg", "title", "defs", "g", "use", "rect", "circle", "polyline", "polygon", "text"}


def cases() -> Iterator[tuple[str, int]]:
    """Every game with every number of players."""
    for game_id in mhing.games():
        options = mhing.Game(game_id).describe()["options"]
        players = next(option for option in options if option["name"] == "num_players")
        yield from ((game_id, n) for n in range(players["low"], players["high"] + 1))


@pytest.fixture(params=cases(), ids=str, scope="module")
def tables(request: pytest.FixtureRequest) -> list[Table]:
    """Positions of one episode, its end among them."""
    game_id, num_players = request.param
    return list(positions(mhing.Game(game_id, num_players=num_players), 1, 29, 7))


def test_colors_change_nothing_but_the_color(tables: list[Table]) -> None:
    for d in tables:
        colored = render.text(d, color=True)
        assert "\x1b[" in colored
        assert uncolored(colored) == render.text(d)


def test_text_stays_within_100_columns(tables: list[Table]) -> None:
    for d in tables:
        assert max(columns(d, None), columns(d, 0)) <= 100


def test_events_name_who_did_what(tables: list[Table]) -> None:
    for d in tables:
        for event in d["events"]:
            line = render.event_text(d, event)
            assert line.startswith(f"Seat {event['seat']} ")
            assert line.endswith(event["text"] or line)


def test_svg_is_self_contained(tables: list[Table]) -> None:
    for d in tables:
        root = ElementTree.fromstring(render.svg(d, 0))
        assert {element.tag.rsplit("}", 1)[1] for element in root.iter()} <= TAGS
        names = [element.get("id") for element in root.iter() if element.get("id")]
        used = {element.get("href") for element in root.iter() if element.get("href")}
        assert len(names) == len(set(names))
        assert used == {f"#{name}" for name in names}


def test_rgb_array_is_a_picture(tables: list[Table]) -> None:
    picture = render.rgb_array(tables[-1], 0)
    assert picture.shape == (720, 960, 3)
    assert picture.dtype == np.uint8
    assert picture.flags.c_contiguous
    assert len(np.unique(picture @ np.array([1, 256, 65536]))) > 100


def test_the_same_table_gives_the_same_output(tables: list[Table]) -> None:
    d = tables[0]
    untouched = copy.deepcopy(d)
    assert every_form(d, 0) == every_form(d, 0)
    assert every_form(d, 0) != every_form(d, 1)
    assert d == untouched


@pytest.mark.parametrize(("game_id", "num_players"), [*cases()])
def test_the_end_of_a_game_names_whom_the_engine_rewards(game_id: str, num_players: int) -> None:
    """They have not always won the last round too, which is told of as the last one."""
    game = mhing.Game(game_id, num_players=num_players, episode="game", rounds=2, reward="win")
    last_winners = set()
    for d in positions(game, 30, 500, 7):
        if d["phase"] != "over":
            continue
        won = [str(seat) for seat, share in enumerate(d["returns"]) if share]
        last_winners.add(str(d["result"]["winner"]) in won)
        names = f"Seats {', '.join(won[:-1])} and {won[-1]} share the win"
        status = f"The game is over: {names if len(won) > 1 else f'Seat {won[0]} wins'}"
        for view in (None, 0):
            text = render.text(d, view)
            assert re.findall(r"^> Seat (\d)", text, re.MULTILINE) == won
            assert text.endswith(f"\n{status}\n")
            assert "\nLast round: " in text
            root = ElementTree.fromstring(render.svg(d, view))
            assert f" {status} Last round: " in " ".join(" ".join(root.itertext()).split())
            assert len([each for each in root.iter() if each.get("stroke") == GOLD]) == len(won)
    assert last_winners == {False, True}


@pytest.mark.parametrize("function", [render.text, render.svg, render.rgb_array])
def test_a_seat_that_does_not_exist(tables: list[Table], function: Any) -> None:
    seats = len(tables[0]["hands"])
    for view in (seats, -1, "0"):
        match = f"view must be None or a seat from 0 to {seats - 1}, got"
        with pytest.raises(ValueError, match=match):
            function(tables[0], view)
