"""Pictures that the core draws: golden scenes, and what C and Python must say alike of them."""

from __future__ import annotations

from collections import Counter

import golden_scenes
import numpy as np
import pytest
from pictures import sprites, states
from shapes import ZONES, color_of
from strokes import text_width
from words.generic_reader import is_generic

import mhing
from mhing import Game, render
from mhing._lib.binding import ffi, lib
from mhing._lib.games import NOT_KNOWN, Viewer
from mhing._support.seats import view_of
from mhing.render.scene import FORMATS

pytestmark = pytest.mark.once

DRAWN = mhing.games()
OWN = [game_id for game_id in DRAWN if not is_generic(Game(game_id))]
"""Games that bring a picture: their cards can be touched."""


def test_scenes_are_as_they_were() -> None:
    """If a change is meant: python tests/python/golden_scenes.py."""
    kept = {
        path.stem: path.read_text(encoding="utf-8")
        for path in golden_scenes.FOLDER.iterdir()
        if path.stem.split("-")[0] in mhing.games()
    }
    made = dict(golden_scenes.scenes())
    assert made.keys() == kept.keys()
    for name, text in made.items():
        assert text.split("\n") == kept[name].split("\n"), name


def test_colors_and_zones_have_the_numbers_of_the_core() -> None:
    table = ("FELT", "PANEL", "TRAY", "BAR", "LETTERS", "PALE", "ACCENT", "GOLD", "DARK")
    names = [str(getattr(color_of(getattr(lib, f"MH_{name}")), "name", "")) for name in table]
    assert names == [name.lower().replace("letters", "text") for name in table]
    for number, zone in enumerate(ZONES):
        assert getattr(lib, f"MH_{(zone or 'nowhere').upper()}") == number


@pytest.mark.parametrize("game_id", DRAWN)
def test_a_picture_without_its_log_has_all_else(game_id: str) -> None:
    """For callers that list the events. What is gone are the last ones, a line each."""
    lines = 0
    for state in states(Game(game_id), 2, 5, 7):
        for shape in FORMATS:
            whole = render.scene(state, 0, shape=shape).rows()
            bare = render.scene(state, 0, shape=shape, log=False).rows()
            gone = [row for row in whole if row not in bare]
            assert [row for row in whole if row not in gone] == bare
            said = state.words(0, "events").splitlines()[-len(gone) :] if gone else []
            for (kind, *values), line in zip(gone, said, strict=True):
                assert kind == 2
                assert line.startswith(str(values[4]).removesuffix("..."))
            lines += len(gone)
    assert lines > 10


@pytest.mark.parametrize("game_id", DRAWN)
def test_texts_are_as_wide_as_the_layout_reckoned(game_id: str) -> None:
    game = Game(game_id)
    state = game.new_state(1)
    printable = "".join(map(chr, range(33, 127)))
    names = [printable[start : start + 16] for start in range(0, len(printable), 16)]
    names += ["\u4e2d\u6587 \uac00", "Zo\u00eb", "\U0001f600", "\u3042 a"]
    measured: set[str] = set()
    for name in names:
        named = [name, *"bcdef"][: game.num_seats]
        viewer = Viewer(0, NOT_KNOWN, names=named)
        scene = game._handle.picture(state.observation(0), viewer, "wide")
        written = ffi.buffer(scene.texts, scene.used)[:]
        shapes = [shape for shape in scene.shapes[0 : scene.count] if shape.kind == lib.MH_TEXT]
        assert len(shapes) > 5
        for shape in shapes:
            text = written[shape.text : shape.text + shape.length].decode()
            assert shape.w == pytest.approx(text_width(text, shape.h) * shape.scale, abs=1e-9)
            measured.update(text)
    assert measured >= {*printable}


@pytest.mark.parametrize("game_id", OWN)
def test_touching_a_card_plays_a_legal_move_that_is_about_it(game_id: str) -> None:
    game = Game(game_id)
    cards, kinds = game.labels["cards"], set()
    for state in states(game, 20, 1, 9):
        if state.seat < 0:
            continue
        scene = game._handle.picture(*view_of(state, state.seat, None), "wide")
        about = [game.action_text(action).split() for action in state.legal_actions()]
        for shape in scene.shapes[0 : scene.count]:
            if ZONES[shape.zone] in ("hand", "drawn") and shape.seat == state.seat:
                moves = [words for words in about if words[1:] == [cards[shape.card]]]
                assert (shape.action >= 0) == (len(moves) == 1)
            if shape.action >= 0:
                assert shape.action in state.legal_actions()
                kind, *words = game.action_text(shape.action).split()
                zone = ZONES[shape.zone]
                assert zone in ("hand", "drawn", "pile", "discards", "meld", "offer")
                if zone in ("hand", "drawn"):
                    assert words == [cards[shape.card]]
                    assert shape.seat == state.seat
                if zone == "offer":
                    claims = [words[0] for words in about if words[0] not in ("pass", "mhing")]
                    assert claims == [kind]
                kinds.add((zone, kind))
    assert {("hand", "discard"), ("drawn", "discard")} <= kinds
    assert kinds & {("discards", "take"), ("offer", "triplet"), ("offer", "sequence")}


@pytest.mark.slow
@pytest.mark.parametrize("game_id", DRAWN)
def test_the_cards_of_a_hand_are_those_that_are_held(game_id: str) -> None:
    """Also after a card was drawn and laid in the same turn."""
    game = Game(game_id)
    cards = game.labels["cards"]
    for state in states(game, 12, 1, 3):
        for seat in range(game.num_seats):
            counts = game.unpack(state.observation(seat))["hand"].tolist()
            held = Counter(
                {card: count for card, count in zip(cards, counts, strict=False) if count}
            )
            shown = [use for use in sprites(render.scene(state, seat)) if use.seat == seat]
            shown = [use for use in shown if use.zone in ("hand", "drawn")]
            assert Counter(use.card for use in shown) == held


@pytest.mark.parametrize("game_id", DRAWN)
def test_a_picture_follows_from_what_is_given(game_id: str) -> None:
    """The same from a copy, whatever was drawn before; nothing is missing for want of room."""
    game = Game(game_id)
    drawings = []
    for state in states(game, 2, 9, 9):
        for view in (None, *range(game.num_seats)):
            scene = game._handle.picture(*view_of(state, view, None), "portrait")
            assert not scene.is_full
            drawings.append((state.clone(), view, render.svg(state, view)))
    for state, view, svg in reversed(drawings):
        assert render.svg(state, view) == svg


@pytest.mark.parametrize("game_id", DRAWN)
def test_what_is_no_observation_is_refused(game_id: str) -> None:
    game = Game(game_id)
    observation = np.full(game.observation_size, 255, np.uint8)
    with pytest.raises(ValueError, match="observation: hand is 255, and at most"):
        render.svg(render.View(game, observation, 0))
