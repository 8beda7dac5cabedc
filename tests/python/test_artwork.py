"""Cards as they are drawn: everybody can distinguish them when small, and they cost few bytes."""

from __future__ import annotations

import re
from itertools import combinations

import light
import numpy as np
import pytest

from mhing import Game
from mhing.by_game.mhing import cards as mhing_cards
from mhing.render import card, raster, svg_writer
from mhing.render.pen import area, curve, placed
from mhing.render.playing import cards as playing_cards
from mhing.render.playing.suits import mark
from mhing.render.scene import Circle, Rect, Scene, Sprite, Text, Use

pytestmark = pytest.mark.once

SMALL = 24 / card.WIDTH
SIGHTS = light.SIGHTS | {"grey": light.GREY}


def decks() -> dict[str, list[Sprite]]:
    """All faces that lie on one table."""
    tiles = Game("mhing").labels["cards"]
    jokers = [mhing_cards.face(tile, True) for tile in tiles if tile not in "JF"]
    playing = [rank + suit for suit in "shdc" for rank in "A23456789TJQK"]
    return {
        "mhing": [*map(mhing_cards.face, tiles), *jokers],
        "playing": [playing_cards.face(each, wild) for wild in (False, True) for each in playing],
    }


def sheet(sprites: list[Sprite], scale: float = 1) -> Scene:
    """A picture with each sprite once, side by side."""
    width, height = round(card.WIDTH * scale), round(card.HEIGHT * scale)
    picture = Scene(width * len(sprites), height, "#000000", "")
    picture.add(*(Use(sprite, n * width, 0, scale) for n, sprite in enumerate(sprites)))
    return picture


@pytest.mark.parametrize("deck", ["mhing", "playing"])
@pytest.mark.parametrize("sight", SIGHTS)
def test_small_cards_can_be_told_apart_by_everybody(deck: str, sight: str) -> None:
    sprites = decks()[deck]
    seen = np.clip(light.linear(raster.to_rgb(sheet(sprites, SMALL))) @ SIGHTS[sight].T, 0, 1)
    faces = np.stack(np.split(seen ** (1 / 2.2), len(sprites), axis=1))
    for (a, one), (b, other) in combinations(zip(sprites, faces, strict=True), 2):
        different = (np.abs(one - other).max(axis=2) > 0.15).sum()
        assert different >= 8, (a.name, b.name)  # pixels of 24 x 34; a 3 and an 8 differ in 10


@pytest.mark.parametrize("deck", ["mhing", "playing"])
def test_what_is_written_on_a_card_stands_out(deck: str) -> None:
    for sprite in decks()[deck]:
        ground = next(shape.fill for shape in sprite.shapes if isinstance(shape, Rect))
        written = [shape for shape in sprite.shapes if isinstance(shape, Text)]
        assert written
        for text in written:
            assert light.contrast(text.fill, str(ground)) >= 4.5, (sprite.name, text)


def test_a_card_of_a_suit_says_which_one() -> None:
    for tile in Game("mhing").labels["cards"]:
        for joker in (False, True):
            shapes = mhing_cards.face(tile, joker).shapes
            assert "".join(shape.text for shape in shapes if isinstance(shape, Text)) == tile


def test_rank_and_suit_are_in_the_part_that_stays_free() -> None:
    edge = card.WIDTH * playing_cards.SHOWN
    for sprite in decks()["playing"]:
        suit = sprite.name.split("-")[1][1]
        color = next(shape.fill for shape in sprite.shapes if isinstance(shape, Text))
        index = mark(suit, 9.3, 29, 6, color)
        assert set(index) <= set(sprite.shapes)
        wanted = raster.to_rgb(sheet([Sprite("mark", card.WIDTH, card.HEIGHT, index)]))
        assert not wanted[:, int(edge) :].any()


@pytest.mark.parametrize(("deck", "most"), [("mhing", 120), ("playing", 180)])
def test_all_cards_take_few_bytes(deck: str, most: int) -> None:
    written = svg_writer.sprites(sheet(decks()[deck])).values()
    assert sum(map(len, written)) <= 1000 * most
    for points in re.findall(r'points="([^"]+)"', "".join(written)):
        assert not re.search(r"\.\d\d", points)


def test_nothing_leaves_its_card() -> None:
    """A scene of one card without its ground has no colour at the edge."""
    for sprites in decks().values():
        for sprite in sprites:
            drawn = Sprite(sprite.name, sprite.w, sprite.h, sprite.shapes[1:])
            pixels = raster.to_rgb(sheet([drawn], 2)).max(axis=2)
            edges = (pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1])
            assert not any(edge.any() for edge in edges), sprite.name


def test_placed_shapes_are_moved_scaled_and_mirrored() -> None:
    drawn = area("0 0 4 0 4 3", "#ffffff"), curve("0 0 2 0 4 4", "#ffffff", 2), Circle(1, 2, 3)
    polygon, line, circle = placed(drawn, 10, 20, 2, mirrored=True)
    assert polygon.points == ((10, 20), (2, 20), (2, 26))
    assert line.points[0] == (10, 20)
    assert line.points[-1] == (2, 28)
    assert line.width == 4
    assert (circle.x, circle.y, circle.radius) == (8, 24, 6)
    with pytest.raises(TypeError, match="is drawn where it stands"):
        placed([Text(0, 0, "5", 9, "#ffffff")], 1, 1)
