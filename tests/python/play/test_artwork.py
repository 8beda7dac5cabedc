"""Cards as they are drawn: everybody can distinguish them when small, and they cost few bytes."""

from __future__ import annotations

import re
from itertools import combinations
from xml.etree import ElementTree

import light
import numpy as np
import pytest
from shapes import (
    Circle,
    Color,
    Line,
    Polygon,
    Rect,
    Shape,
    Sprite,
    Text,
    sprite,
    sprite_names,
)
from strokes import text_width

import mhing
from mhing import Game
from mhing._lib.binding import ffi, lib
from mhing.render.scene import Drawing, Scene
from mhing.render.scene import sprite as named

pytestmark = pytest.mark.once

WIDTH, HEIGHT = 40, 56  # of all cards, in units
SMALL = 24 / WIDTH
SIGHTS = light.SIGHTS | {"grey": light.GREY}


SHOWN = 0.5  # of a card's width, from the left: so far may others cover it


def decks() -> dict[str, list[Sprite]]:
    """All faces that lie on one table."""
    tiles = Game("mhing").labels["cards"]
    named = [f"mhing-{tile}" for tile in tiles]
    named += [f"mhing-{tile}-joker" for tile in tiles if tile not in "JF"]
    playing = [rank + suit for suit in "shdc" for rank in "A23456789TJQK"]
    wild = [f"playing-{each}{kind}" for kind in ("", "-wild") for each in playing]
    return {"mhing": [*map(sprite, named)], "playing": [*map(sprite, wild)]}


def sheet(sprites: list[Sprite], scale: float = 1) -> Scene:
    """A picture with each sprite once, side by side."""
    width, height = round(WIDTH * scale), round(HEIGHT * scale)
    picture = Drawing(width * len(sprites), height, "felt", "")
    for n, one in enumerate(sprites):
        picture.card(one.name, n * width, 0, scale)
    return picture.scene()


@pytest.mark.parametrize("deck", ["mhing", "playing"])
@pytest.mark.parametrize("sight", SIGHTS)
def test_everybody_can_distinguish_small_cards(deck: str, sight: str) -> None:
    sprites = decks()[deck]
    seen = np.clip(light.linear(sheet(sprites, SMALL).to_rgb()) @ SIGHTS[sight].T, 0, 1)
    faces = np.stack(np.split(seen ** (1 / 2.2), len(sprites), axis=1))
    for (a, one), (b, other) in combinations(zip(sprites, faces, strict=True), 2):
        different = (np.abs(one - other).max(axis=2) > 0.15).sum()
        assert different >= 8, (a.name, b.name)  # pixels of 24 x 34; a 3 and an 8 differ in 10


@pytest.mark.parametrize("deck", ["mhing", "playing"])
def test_what_is_written_on_a_card_stands_out(deck: str) -> None:
    for each in decks()[deck]:
        ground = next(shape.fill for shape in each.shapes if isinstance(shape, Rect))
        written = [shape for shape in each.shapes if isinstance(shape, Text)]
        assert written
        for text in written:
            assert light.contrast(str(text.fill), str(ground)) >= 4.5, (each.name, text)


def test_a_card_of_a_suit_says_which_one() -> None:
    for tile in Game("mhing").labels["cards"]:
        for joker in (False, True) if tile not in "JF" else (False,):
            shapes = sprite(f"mhing-{tile}{'-joker' * joker}").shapes
            assert "".join(shape.text for shape in shapes if isinstance(shape, Text)) == tile


def test_rank_and_suit_are_in_the_part_that_stays_free() -> None:
    """Cards of a suit have its mark in common there, and those of a rank how it is written."""
    edge = int(WIDTH * SHOWN)
    shown = {}
    for each in decks()["playing"][:52]:  # all on the same ground
        pixels = sheet([each]).to_rgb()[:, :edge]
        shown[each.card] = pixels[1:22], pixels[22:36]
    for (one, (rank, suit)), (other, (rank_too, suit_too)) in combinations(shown.items(), 2):
        ranks_differ = (rank != rank_too).any(axis=2).sum()
        suits_differ = (suit != suit_too).any(axis=2).sum()
        assert ranks_differ > 50 or one[0] == other[0], (one, other)
        # The right half reaches over: a robe, or the rays of an ace.
        assert (suits_differ > 75) == (one[1] != other[1]), (one, other)


@pytest.mark.parametrize(("deck", "most"), [("mhing", 120), ("playing", 180)])
def test_all_cards_take_few_bytes(deck: str, most: int) -> None:
    written = [sprite.svg for sprite in sheet(decks()[deck]).sprites()]
    assert written == [each.svg for each in decks()[deck]]
    assert sum(map(len, written)) <= 1000 * most
    for points in re.findall(r'points="([^"]+)"', "".join(written)):
        assert not re.search(r"\.\d\d", points)


def test_nothing_leaves_its_card() -> None:
    """The drawing on the ground of a card stays half a unit from its edge."""
    for each in (each for deck in decks().values() for each in deck):
        for shape in each.shapes[1:]:
            xs, ys = zip(*extremes(shape), strict=True)
            assert min(*xs, *ys) >= 0.5, (each.name, shape)
            assert max(xs) <= each.w - 0.5, (each.name, shape)
            assert max(ys) <= each.h - 0.5, (each.name, shape)


def extremes(shape: Shape) -> list[tuple[float, float]]:
    """Places between which a shape lies."""
    if isinstance(shape, Text):
        x = shape.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[shape.anchor] * shape.w
        return [(x, shape.y - 0.75 * shape.size), (x + shape.w, shape.y)]
    if isinstance(shape, Polygon):
        return [*shape.points]
    half = shape.width / 2 if shape.stroke else 0.0
    if isinstance(shape, Line):
        return [(x + by, y + by) for x, y in shape.points for by in (-half, half)]
    if isinstance(shape, Circle):
        reach = shape.radius + half
        return [(shape.x - reach, shape.y - reach), (shape.x + reach, shape.y + reach)]
    right, bottom = shape.x + shape.w, shape.y + shape.h
    return [(shape.x - half, shape.y - half), (right + half, bottom + half)]


# ---- Sprites of the core -------------------------------------------------------------------------


def test_the_core_writes_sprites_as_pictures_have_them() -> None:
    assert len(sprite_names()) > 170
    for name in sprite_names():
        group = ElementTree.fromstring(sprite(name).svg)
        assert (group.tag, group.attrib) == ("g", {"id": name})
        assert tuple(map(of_svg, group)) == sprite(name).shapes


def of_svg(element: ElementTree.Element) -> Shape:
    """An element read back."""
    given = element.attrib
    of_classes = dict(one.split("-", 1) for one in given.get("class", "").split())
    painted = {kind: given.get(kind) for kind in ("fill", "stroke")}
    for kind, name in of_classes.items():
        assert painted[kind] == Color(name)
        painted[kind] = Color(name)
    fill = None if painted["fill"] == "none" else painted["fill"]
    stroke, width = painted["stroke"], float(given.get("stroke-width", 0))
    at = [float(given.get(name, 0)) for name in ("x", "y", "width", "height", "rx")]
    if element.tag == "rect":
        return Rect(*at[:4], fill, at[4], stroke, width)
    if element.tag == "circle":
        x, y, radius = (float(given[name]) for name in ("cx", "cy", "r"))
        return Circle(x, y, radius, fill, stroke, width)
    if element.tag == "text":
        text, size = str(element.text), float(given["font-size"])
        w = float(given.get("textLength", text_width(text, size)))
        anchor, bold = given.get("text-anchor", "start"), given.get("font-weight") == "bold"
        assert anchor in ("start", "middle", "end")
        return Text(*at[:2], text, size, fill, anchor, bold, w)
    pairs = [point.split(",") for point in given["points"].split()]
    points = tuple((float(x), float(y)) for x, y in pairs)
    if element.tag == "polygon":
        return Polygon(points, fill)
    assert (element.tag, given["stroke-linecap"], fill) == ("polyline", "round", None)
    return Line(points, stroke, width)


def test_games_with_art_have_all_their_cards() -> None:
    """Sprites called after a game are its own; there is one of each card, called after it."""
    have_art = 0
    for game in mhing.games():
        own = {name: sprite(name) for name in sprite_names() if name.startswith(f"{game}-")}
        have_art += bool(own)
        for card_text in Game(game).labels["cards"] if own else ():
            assert own[f"{game}-{card_text}"].card == card_text
    assert have_art


def test_wild_cards_say_what_lies_there() -> None:
    """A Mhing card; of playing cards it depends."""
    for name in sprite_names():
        if name.endswith("-joker"):
            assert sprite(name).card == "J"
        if name.endswith("-wild"):
            assert sprite(name).card == ""


def test_playing_cards_stand_in_the_order_of_games() -> None:
    cards = Game("general_mhing").labels["cards"]
    assert cards == Game("mexican_rummy").labels["cards"]
    playing = [sprite(name) for name in sprite_names() if name.startswith("playing-")]
    assert [each.card for each in playing[:52]] == cards
    assert [each.name for each in playing] == [
        f"playing-{each}{kind}" for kind in ("", "-wild") for each in cards
    ]


def test_a_card_in_the_stead_of_another_looks_like_it() -> None:
    for name in sprite_names():
        base, _, kind = name.rpartition("-")
        if kind in ("wild", "joker"):
            face, own = sprite(base).shapes, sprite(name).shapes
            assert isinstance(own[0], Rect)
            assert isinstance(own[-1], Polygon)
            assert own[0].fill == Color("joker-paper")
            assert own[-1].fill == Color("purple")
            assert {*own[1:-2]} <= {*face}
            assert {shape for shape in face if isinstance(shape, Text)} <= {*own}


def test_there_are_no_other_sprites() -> None:
    with pytest.raises(KeyError):
        named("playing-1s")
    assert lib.mh_sprite_at(-1) == lib.mh_sprite_at(lib.mh_sprite_count()) == ffi.NULL
    assert lib.mh_sprite_named(b"playing-1s") == lib.mh_sprite_named(ffi.NULL) == ffi.NULL
    assert lib.mh_sprite_named(b"playing-5s").card != ffi.NULL
    assert ffi.string(lib.mh_sprite_named(b"playing-5s").name) == b"playing-5s"
    assert lib.mh_palette_color_at(0) == ffi.NULL
    assert lib.mh_palette_color_at(lib.mh_palette_size() + 1) == ffi.NULL
