"""Pictures of General Mhing: what is shown, what stays hidden, and that nothing overlaps."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Iterator
from itertools import combinations
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from pictures import shape_box

from mhing import Game, render
from mhing.render import general_table, playing_cards, raster
from mhing.render.card import back
from mhing.render.scene import Scene, Text, Use

CARDS = Game("general_mhing").labels["cards"]

Table = dict[str, Any]


def tables(num_players: int, seeds: int = 4, **options: Any) -> Iterator[Table]:
    """Positions of greedy play with some random moves, the last ones of episodes among them."""
    for seed in range(seeds):
        state = Game("general_mhing", num_players=num_players, **options).new_state(seed)
        bot_random = seed
        for decision in range(400):
            if decision % 7 == 0 or state.is_terminal:
                yield state.to_dict()
            if state.is_terminal:
                break
            bot = "random" if decision % 4 == 0 else "greedy"
            action, bot_random = state.bot_action(bot, bot_random)
            state.apply(action)


def crowded(num_players: int) -> Table:
    """A table with as much on it as can be: the longest discards, three sequences each."""
    d = next(tables(num_players))
    laid = {"text": "TJ*Qs", "cards": ["Ts", "Js", "Qs"], "ace": 1}
    pile = 52 - 7 * num_players
    d.update(
        phase="start",
        drawn=[],
        hands=[["Ts", *["Td"] * 7] for _ in range(num_players)],
        shown=["Ts"],
        sequences=[[laid] * 3 for _ in range(num_players)],
        tallies=[9] * num_players,
        scores=[1000] * num_players,
        discards=[{"card": "Td", "by": 0} for _ in range(pile)],
        offer="Td",
        offered_by=0,
    )
    return d


def finished(num_players: int) -> Table:
    """A crowded table at the end of a round, with more in its result than there can be."""
    d = crowded(num_players)
    laid = d["sequences"][0][0]
    parts = [["same suit", 6], ["same values", 3], ["in order", 3], ["all high or all low", 1]]
    seat = {"tally": 9, "parts": parts, "sequences": [laid] * 4}
    d.update(phase="over", seat=-1, offer=None, offered_by=None)
    d["sequences"] = [[laid] * 4 for _ in range(num_players)]
    d["result"] = {
        "round": 0,
        "winner": 1,
        "points": 9,
        "ending": "fourth sequence",
        "seats": [seat] * num_players,
    }
    return d


def every_form(d: Table, view: int | None) -> tuple[str, str, bytes]:
    """The three outputs, in a form to be compared."""
    return render.text(d, view), render.svg(d, view), render.rgb_array(d, view).tobytes()


def test_text_shows_what_a_player_needs() -> None:
    for d in tables(2):
        text = render.text(d)
        assert f"{len(d['draw_pile'])} cards in the draw pile" in text
        for hand in d["hands"]:
            assert all(card in text for card in hand)
        for sequences in d["sequences"]:
            assert " ".join(laid["text"] for laid in sequences) in text
        for made in d["discards"]:
            assert f"{made['card']}<{made['by']}" in text or f"[{made['card']}]" in text
        assert ("[" + str(d["offer"]) + "]<" in text) == (d["offer"] is not None)


def test_the_end_tells_winner_and_points() -> None:
    d = finished(3)
    for text in (render.text(d), render.text(d, 2)):
        assert "Seat 1 wins 9 points, 9 to 9 to 9 (fourth sequence)" in text
        assert "Seat 2: TJ*Qs TJ*Qs TJ*Qs TJ*Qs = 9 (6 same suit, 3 same values" in text
        assert "1000 points (+9)" in text
    d["result"]["winner"] = -1
    assert "nobody wins, 9 to 9 to 9" in render.text(d)
    assert "Seat 2: TJ*Qs" in render.result_text(d)


def test_cards_just_drawn_stand_apart() -> None:
    d = next(tables(2))
    (drawn,) = d["drawn"]
    assert re.search(rf"hand .* \+{drawn}$", render.text(d), re.MULTILINE)


def test_colors_change_nothing_but_the_color() -> None:
    for d in tables(3, seeds=2):
        colored = render.text(d, color=True)
        assert "\x1b[" in colored
        assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == render.text(d)


def test_events_name_what_happened() -> None:
    for d in tables(3, turn_limit=60):
        for event in d["events"]:
            line = render.event_text(d, event)
            assert line.startswith(f"Seat {event['seat']} ")
            assert line.endswith(event["text"] or line)


def test_every_card_looks_different() -> None:
    seen = set()
    for card in CARDS:
        for wild in (False, True):
            picture = Scene(30, 42, "#000000", "")
            picture.add(Use(playing_cards.face(card, wild), 0, 0, 0.7))
            seen.add(raster.to_rgb(picture).tobytes())
    assert len(seen) == 2 * len(CARDS)


@pytest.mark.parametrize("view", range(3))
def test_nothing_hidden_shows(view: int) -> None:
    """Whatever a seat cannot know is changed, and nothing that it sees changes."""
    shuffle = random.Random(view)
    for d in tables(3, seeds=3):
        other = copy.deepcopy(d)
        for seat, hand in enumerate(d["hands"]):
            if seat != view:
                known = [card for card in hand if card in d["shown"]]
                rest = [card for card in CARDS if card not in d["shown"]]
                other["hands"][seat] = [*known, *shuffle.sample(rest, len(hand) - len(known))]
        shuffle.shuffle(other["draw_pile"])
        if d["on_turn"] != view:
            other["drawn"] = []
        assert every_form(d, view) == every_form(other, view)


def test_known_cards_of_other_hands_show() -> None:
    d = crowded(2)
    assert "hand       8 cards, with Ts".replace("       ", " ") in re.sub(
        " +", " ", render.text(d, 1)
    )


@pytest.mark.parametrize("num_players", [2, 3])
def test_text_stays_within_100_columns(num_players: int) -> None:
    for d in (crowded(num_players), finished(num_players), *tables(num_players, episode="game")):
        for view in (None, 0):
            text = re.sub(r"\x1b\[[0-9;]*m", "", render.text(d, view, color=True))
            assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize("num_players", [2, 3])
def test_nothing_overlaps_or_is_cut_off(num_players: int) -> None:
    crowd, ended = crowded(num_players), finished(num_players)
    noted = crowd | {"result": ended["result"]}
    for d in (crowd, ended, noted, *tables(num_players, episode="game")):
        for view in (None, 0, num_players - 1):
            scene = general_table.scene(d, view)
            shown = [shape for shape in scene.shapes if isinstance(shape, Use | Text)]
            for x, y, right, bottom in map(shape_box, shown):
                assert 0 <= x < right <= scene.w
                assert 0 <= y < bottom <= scene.h
            faces = [
                shape_box(shape)
                for shape in shown
                if isinstance(shape, Use) and shape.sprite is not back()
            ]
            for a, b in combinations(faces, 2):
                assert a[2] <= b[0] + 0.1 or b[2] <= a[0] + 0.1 or a[3] <= b[1] or b[3] <= a[1]
            texts = [shape_box(shape) for shape in shown if isinstance(shape, Text)]
            for a, b in combinations(texts, 2):
                assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def test_svg_is_self_contained_and_rgb_array_a_picture() -> None:
    for d in tables(3, seeds=1):
        root = ElementTree.fromstring(render.svg(d, 0))
        names = [element.get("id") for element in root.iter() if element.get("id")]
        used = {element.get("href") for element in root.iter() if element.get("href")}
        assert len(names) == len(set(names))
        assert used == {f"#{name}" for name in names}
        picture = render.rgb_array(d, 0)
        assert (picture.shape, picture.dtype) == ((720, 960, 3), np.uint8)


@pytest.mark.parametrize("function", [render.text, render.svg, render.rgb_array])
def test_a_seat_that_does_not_exist(function: Any) -> None:
    for view in (2, -1, "0"):
        with pytest.raises(ValueError, match="view must be None or a seat from 0 to 1, got"):
            function(next(tables(2)), view)
