"""The renderer: what is shown, what stays hidden, and that nothing overlaps or is cut off."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from pictures import (
    Table,
    board_text,
    check_faces,
    check_scene,
    edges,
    every_form,
    texts,
)
from reference.mhing_paid import letters
from shapes import Line, Rect, Text, shapes_of, sprite
from strokes import strokes

from mhing import Game, render
from mhing.render.scene import FORMATS, Box, Drawing, Scene

pytestmark = pytest.mark.once

CARDS = Game("mhing").labels["cards"]
ALL_SEATS = (2, 3, 4, 5, 6)


def play(num_players: int = 4, seed: int = 1, decisions: int = 40, **options: Any) -> Table:
    """A table after so many decisions of random players."""
    state = Game("mhing", num_players=num_players, **options).new_state(seed)
    bot_random = seed
    while not state.is_terminal and decisions:
        action, bot_random = state.bot_action("random", bot_random)
        state.apply(action)
        decisions -= 1
    return state.to_dict()


def find(wanted: Callable[[Table], Any], decisions: int = 60) -> Table:
    """The first table of its kind in the games of random players."""
    for seed in range(1000):
        state = Game("mhing").new_state(seed)
        bot_random = seed
        for _ in range(decisions):
            d = state.to_dict()
            if wanted(d):
                return d
            if state.is_terminal:
                break
            action, bot_random = state.bot_action("random", bot_random)
            state.apply(action)
    raise AssertionError("no such table in a thousand games")


def outlined(scene: Scene) -> list[Rect]:
    """The panel of the seat to act, and whatever else has an edge."""
    found = [shape for shape in shapes_of(scene) if isinstance(shape, Rect) and shape.stroke]
    assert found
    return found


# ---- What is shown ----------------------------------------------------------------------------


def test_letters_name_the_groups_that_a_credit_is_for() -> None:
    """As a separate search in the declared hand finds them."""
    kinds = set()
    for seed in range(120):
        state = Game("mhing", num_players=2, seven_pairs=True).new_state(seed)
        state = state.play_out("expert", seed=seed)
        result = state.to_dict()["result"]
        if result["winner"] < 0:
            continue
        named, paid = letters(result["parts"], result["arrangement"])
        written = [text.text for text in texts(render.scene(state, 0))]
        for name, number in result["parts"]:
            place = written.index(name)
            assert written[place - 1] == str(number)
            assert not paid[name] or written[place + 1] == " ".join(paid[name])
            kinds.add((name, bool(paid[name])))
        assert named == [text for text in written if text in named][: len(named)]
    assert {("double sequence", True), ("honour triplet", True), ("flower", False)} <= kinds


def test_the_last_round_is_reported_in_the_next() -> None:
    state = Game("mhing", episode="game", rounds=2).new_state(1)
    while not state.info()["rounds_over"]:
        state.apply(state.bot_action("greedy", 1)[0])
    said = " ".join(text.text for text in texts(render.scene(state, 2)))
    assert state.info()["winner"] >= 0
    assert f"Seat {state.info()['winner']} won the last round" in said.replace("You", "Seat 2")
    assert not re.search(r"\+\d", said)


def test_every_card_looks_different() -> None:
    faces = [f"mhing-{card}" for card in CARDS]
    faces += [f"mhing-{card}-joker" for card in CARDS if card not in "JF"]
    seen = set()
    for face in faces:
        picture = Drawing(30, 42, "felt", "")
        picture.card(face, 0, 0, 0.7)
        seen.add(picture.scene().to_rgb().tobytes())
    assert len(seen) == len(faces) == 70


def test_what_is_drawn_beside_the_corner_leaves_it_room() -> None:
    """Also in fonts whose letters are a tenth wider than those that the layout reckons with."""
    beside = 0
    for card in CARDS:
        face = sprite(f"mhing-{card}")
        corner = [edges(shape) for shape in face.shapes if isinstance(shape, Text)]
        right = max(1.1 * (end - x) + x for x, _, end, _ in corner)
        bottom = max(bottom for *_, bottom in corner)
        for line in (shape for shape in face.shapes if isinstance(shape, Line)):
            if min(y for _, y in line.points) < bottom - 3:
                beside += 1
                assert min(x for x, _ in line.points) - line.width / 2 > right + 1, card
    assert beside >= 9 + 2 * 4


def test_who_is_asked_stands_out_also_where_nobody_says_so() -> None:
    """A claim is asked for in the turn of another seat."""
    for d in (find(lambda d: d["phase"] == "claim"), find(lambda d: d["phase"] == "turn")):
        state = Game("mhing", **d["options"]).state_from_dict(d)
        view = render.View(state.game, state.observation(state.seat), seat=state.seat)
        assert outlined(render.scene(view)) == outlined(render.scene(state, state.seat))


# ---- What stays hidden ------------------------------------------------------------------------


@pytest.mark.parametrize("view", range(4))
def test_nothing_hidden_shows(view: int) -> None:
    """Whatever a seat cannot know is changed, and nothing that it sees changes."""
    wanted: list[Callable[[Table], Any]] = [
        lambda d: d["to_ask"] and any(claim["action"] != "pass" for claim in d["claims"]),
        lambda d: d["turn"] > 20 and d["drawn"] and d["on_turn"] != view,
        lambda d: d["phase"] == "over",
    ]
    for is_wanted in wanted:
        d = find(is_wanted, 500)
        state = Game("mhing", **d["options"]).state_from_dict(d)
        others = [state.resample(view, seed=seed) for seed in range(5)]
        assert any(other.to_dict()["hands"] != d["hands"] for other in others)
        for other in others:
            assert every_form(state, view) == every_form(other, view)


def test_own_cards_show_and_only_to_oneself() -> None:
    d = find(lambda d: sum("J" in hand for hand in d["hands"]) == 1 and not any(d["melds"]))
    state = Game("mhing", **d["options"]).state_from_dict(d)
    (holder,) = (seat for seat, hand in enumerate(d["hands"]) if "J" in hand)
    for view in (None, 0, 1, 2, 3):
        shown = view in (None, holder)
        assert ("mhing-J" in render.svg(state, view)) == shown
        assert bool(re.search(r"cards: .*J", board_text(d, view))) == shown


# ---- That it can be read ----------------------------------------------------------------------


def full(num_players: int, melds: int, offered: bool) -> render.View:
    """A table as full as can be, from its observation: the longest discards, so many melds."""
    game = Game("mhing", num_players=num_players)
    observation = game.new_state(1).observation(0)
    fields = game.unpack(observation)
    for seat in range(num_players):
        fields["meld_kind"][seat][:melds] = [22 + 9 + seat, 22 + 18, 1, 15][:melds]
        fields["meld_jokers"][seat][:melds] = 3 if melds < 3 else [3, 3, 7, 7][:melds]
        fields["meld_from"][seat][:melds] = 1
        room = range(fields["discards"].shape[1])
        fields["discards"][seat] = [1 + n % 34 + 36 * (n % 4 == 0) for n in room]
        fields["num_discards"][seat] = fields["discards"].shape[1]
    fields["hand_size"][:] = 13 - 3 * melds
    fields["flowers"][:] = 8
    fields["score"][:] = [0, 0, 18, 0]
    fields["hand"][:] = 0
    fields["hand"][18 : 18 + 4] = [4, 4, 4, 1] if melds == 0 else [13 - 3 * melds, 0, 0, 0]
    for type_ in range(18, 22):  # four cards of a type at most
        more = max(0, int(fields["hand"][type_]) - 4)
        fields["hand"][type_] -= more
        fields["hand"][type_ + 1] += more
    fields["drawn"][...] = fields["phase"][...] = 0
    fields["on_turn"][...] = 2
    fields["offer"][...] = fields["discards"][1][-1] % 36 if offered else 0
    fields["offered_by"][...] = 2 if offered else 0
    if offered:
        fields["discards"][1][-1] %= 36
    return render.View(game, observation, 0)


@pytest.mark.parametrize("num_players", ALL_SEATS)
@pytest.mark.parametrize("melds", range(5))
def test_nothing_overlaps_or_is_cut_off(num_players: int, melds: int) -> None:
    names = ["a name that is much too long for its place", *"bcdef"][:num_players]
    for offered, shape, named in product((False, True), FORMATS, (None, names)):
        scene = render.scene(full(num_players, melds, offered), shape=shape, names=named)
        check_scene(scene)
        check_faces(scene)


def test_the_font_has_every_printable_character() -> None:
    glyphs = {char: strokes(char) for char in map(chr, range(33, 127))}
    assert len(set(glyphs.values())) >= len(glyphs) - 2  # I, l and | may look much alike
    for char, drawn in glyphs.items():
        for stroke in drawn:
            for x, y in stroke:
                assert 0 <= x <= 10, char
                assert 0 <= y <= 16, char
    assert strokes("\u00e9") == strokes("?")


# ---- The formats ------------------------------------------------------------------------------


def test_shapes_beyond_the_edge_are_clipped() -> None:
    """They look like the same shapes in the middle of a larger picture."""
    game = Game("mhing")
    small, large = Drawing(20, 20, "felt", "", game), Drawing(100, 100, "felt", "", game)
    for picture, by in ((small, 0), (large, 40)):
        for x, y in ((-30, 5), (-5, -5), (15, 15), (40, 40)):
            picture.card("mhing-5s", x + by, y + by, 0.5)
            picture.text(x + by, y + by, "edge", 12, "gold")
            picture.rect(Box(x + by, y + by, 12, 12), "tray", radius=4)
        picture.card("mhing-G", by, by)
    whole = large.scene().to_rgb()
    assert np.array_equal(small.scene().to_rgb(), whole[40:60, 40:60])


@pytest.mark.parametrize("function", [board_text, render.svg, render.rgb_array])
def test_unknown_games_are_refused(function: Any) -> None:
    with pytest.raises(ValueError, match=r"no picture of the game 'chess': choose from .*mhing"):
        function(play() | {"game": "chess"})
    with pytest.raises(ValueError, match="no picture of the game None"):
        function({})
