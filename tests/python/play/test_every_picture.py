"""Properties of the pictures of every registered game, with every number of players."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from pictures import (
    board_text,
    check_scene,
    edges,
    every_form,
    identities,
    sprites,
    states,
    texts,
)
from words.generic_reader import is_generic

import mhing
from mhing import render
from mhing.render.palette import PALETTES
from mhing.render.scene import FORMATS

pytestmark = pytest.mark.once

TAGS = {"svg", "title", "defs", "g", "use", "rect", "circle", "polyline", "polygon", "text"}


def games() -> Iterator[mhing.Game]:
    """Every game with every number of players."""
    for game_id in mhing.games():
        options = {option["name"]: option for option in mhing.Game(game_id).describe()["options"]}
        if players := options.get("num_players"):
            for number in range(players["low"], players["high"] + 1):
                yield mhing.Game(game_id, num_players=number)
        else:
            yield mhing.Game(game_id)


@pytest.fixture(params=games(), ids=repr, scope="module")
def tables(request: pytest.FixtureRequest) -> list[mhing.State]:
    """Positions of one episode, its end among them."""
    return list(states(request.param, 1, 29, 7))


def test_svg_is_self_contained(tables: list[mhing.State]) -> None:
    for state in tables:
        root = ElementTree.fromstring(render.svg(state, 0))
        assert {element.tag.rsplit("}", 1)[1] for element in root.iter()} <= TAGS
        names = [element.get("id") for element in root.iter() if element.get("id")]
        used = {element.get("href") for element in root.iter() if element.get("href")}
        assert len(names) == len(set(names))
        assert used == {f"#{name}" for name in names}


def test_every_card_says_what_it_is_and_where_it_lies(tables: list[mhing.State]) -> None:
    for state in tables:
        cards = state.game.labels["cards"]
        for view in (None, 0):
            placed = identities(state, view)
            assert placed
            assert len({card["key"] for card in placed}) == len(placed)
            for card in placed:
                assert card["card"] in ("", *cards)
                assert card["card"] == "" or card["href"] != "#card-back"
                assert card["zone"]
                assert int(card.get("seat", 0)) in range(state.game.num_seats)


def test_keys_of_hands_say_which_cards_are_held_and_no_more(tables: list[mhing.State]) -> None:
    """Cards that stay keep their keys, and those face down are as many as they are."""
    for state in tables:
        d = state.to_dict()
        if is_generic(state.game) or d.get("plan"):
            continue
        placed = identities(state, 0)
        for seat, hand in enumerate(d["hands"]):
            keys = {
                card["key"] for card in placed
                if card["zone"] in ("hand", "drawn") and card.get("seat") == str(seat)
            }  # fmt: skip
            drawn = [key for key in keys if key.startswith("drawn")]
            open_cards = hand if seat == 0 else [c for c in hand if c in d.get("shown", ())]
            held = Counter(card.rstrip("'") for card in open_cards)
            held[""] = len(hand) - held.total()
            held.subtract(key.split(".")[2] for key in drawn)
            expected = {f"hand.{seat}.{card}.{n}" for card in held for n in range(held[card])}
            assert keys - set(drawn) == expected


def test_rgb_array_is_a_picture(tables: list[mhing.State]) -> None:
    picture = render.rgb_array(tables[-1], 0)
    assert picture.shape == (720, 960, 3)
    assert render.rgb_array(tables[-1], 0, shape="portrait").shape == (640, 360, 3)
    assert picture.dtype == np.uint8
    assert picture.flags.c_contiguous
    assert len(np.unique(picture @ np.array([1, 256, 65536]))) > 100


def test_the_same_table_gives_the_same_output(tables: list[mhing.State]) -> None:
    state = tables[0]
    untouched = state.clone()
    assert every_form(state, 0) == every_form(state, 0)
    if state.game.num_seats > 1:
        assert every_form(state, 0) != every_form(state, 1)
    assert state == untouched


def test_nothing_hidden_is_shown(tables: list[mhing.State]) -> None:
    """Whatever a seat cannot know may be otherwise: the picture for its eyes is the same."""
    for state in tables:
        for view in range(state.game.num_seats):
            other = state.resample(view, seed=5)
            assert board_text(other, view) == board_text(state, view)
            for shape in FORMATS:
                assert render.svg(other, view, shape=shape) == render.svg(state, view, shape=shape)


def test_everything_is_shown_to_nobody(tables: list[mhing.State]) -> None:
    """With no view all hidden cards lie open, so that other ones make another picture."""
    state = tables[0]
    others = [state.resample(0, seed=seed) for seed in range(5)]
    assert len({board_text(other) for other in others}) > 1


def test_pictures_take_a_dict_as_well(tables: list[mhing.State]) -> None:
    for state in tables:
        d = state.to_dict()
        assert every_form(d, 0) == every_form(state, 0)


def test_a_narrow_window_has_cards_to_be_touched(tables: list[mhing.State]) -> None:
    """At 360 pixels those of the viewer's hand are 32 wide, and 24 of each lie free."""
    for state in tables:
        if is_generic(state.game):
            continue
        for view in range(state.game.num_seats):
            scene = render.scene(state, view, shape="portrait")
            assert (scene.w, scene.h) == (360, 640)
            mine = [use for use in sprites(scene) if use.zone in ("hand", "drawn")]
            mine = [use for use in mine if use.seat == view]
            for use, after in pairwise([*mine, None]):
                left, _, right, _ = edges(use)
                assert right - left >= 32
                if after and after.y == use.y:
                    assert after.x - left >= 24


def test_players_have_their_names_wherever_they_are_named(tables: list[mhing.State]) -> None:
    state = tables[-1]
    seats = state.game.num_seats
    names = ["you", "Zo\u00eb <b>", "a" * 40, "o\x1b[31m", "five", "six"][:seats]
    for shape in FORMATS:
        scene = render.scene(state, 0, shape=shape, names=names)
        check_scene(scene)
        said = " ".join(text.text for text in texts(scene))
        assert not re.search(r"[Ss]eat \d", said)
        assert "You" in said
        assert "a" * 17 not in said
        assert "\x1b" not in said
        root = ElementTree.fromstring(render.svg(state, 0, shape=shape, names=names))
        assert "Zo\u00eb <b>" in " ".join(root.itertext())
    assert render.svg(state, 0) == render.svg(state, 0, names=None)


def test_names_and_shapes_that_are_none_are_refused() -> None:
    state = mhing.Game("mhing").new_state(1)
    with pytest.raises(ValueError, match="names: 2 for 4 seats"):
        render.svg(state, names=["ann", "bob"])
    with pytest.raises(ValueError, match="shape: choose from wide, portrait, not 'round'"):
        render.rgb_array(state, shape="round")  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("settled", [game for game in games() if not is_generic(game)], ids=repr)
def test_the_end_of_a_game_names_whom_the_engine_rewards(settled: mhing.Game) -> None:
    """They have not always won the last round too, which is told of as the last one."""
    options = settled.options | {"episode": "game", "rounds": 2, "reward": "win"}
    game = mhing.Game(settled.id, **options)
    last_winners = set()
    for state in states(game, 30, 500, 7):
        d = state.to_dict()
        if d["phase"] != "over":
            continue
        won = [str(seat) for seat, share in enumerate(d["returns"]) if share]
        last_winners.add(str(d["result"]["winner"]) in won)
        named = re.search(
            r"winners?: ([^.]*)\.|over\. ([^.]*) (?:wins|share)", state.words(None, "status")
        )
        assert named
        assert re.findall(r"eat (\d)", named[1] or named[2]) == won
        for view in (None, 0):
            root = ElementTree.fromstring(render.svg(d, view))
            said = " ".join(" ".join(root.itertext()).split())
            ends = [state.words(view, part).split("\n")[0] for part in ("status", "result")]
            assert f" {' '.join(ends)}".partition(" (")[0] in f" {said}"
            assert len(
                [each for each in root.iter() if each.get("stroke") == PALETTES["felt"]["gold"]]
            ) == len(won)
    assert last_winners == {False, True}


@pytest.mark.parametrize("function", [board_text, render.svg, render.rgb_array])
def test_a_seat_that_does_not_exist(tables: list[mhing.State], function: Any) -> None:
    seats = tables[0].game.num_seats
    for view in (seats, -1, "0"):
        match = f"view must be None or a seat from 0 to {seats - 1}, got"
        with pytest.raises(ValueError, match=match):
            function(tables[0], view)
