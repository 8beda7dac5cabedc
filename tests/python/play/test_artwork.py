"""Cards as they are drawn: everybody can distinguish them when small, and they cost few bytes."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations

import light
import numpy as np
import pytest

import mhing
from mhing import Game
from mhing._lib import ffi, lib
from mhing.render import art, card, palette, raster, svg_writer
from mhing.render.scene import Rect, Scene, Sprite, Text, Use

pytestmark = pytest.mark.once

SMALL = 24 / card.WIDTH
SIGHTS = light.SIGHTS | {"grey": light.GREY}


SHOWN = 0.5  # of a card's width, from the left: so far may others cover it


def decks() -> dict[str, list[Sprite]]:
    """All faces that lie on one table."""
    tiles = Game("mhing").labels["cards"]
    named = [f"mhing-{tile}" for tile in tiles]
    named += [f"mhing-{tile}-joker" for tile in tiles if tile not in "JF"]
    playing = [rank + suit for suit in "shdc" for rank in "A23456789TJQK"]
    wild = [f"playing-{each}{kind}" for kind in ("", "-wild") for each in playing]
    return {"mhing": [*map(art.sprite, named)], "playing": [*map(art.sprite, wild)]}


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
        for joker in (False, True) if tile not in "JF" else (False,):
            shapes = art.sprite(f"mhing-{tile}{'-joker' * joker}").shapes
            assert "".join(shape.text for shape in shapes if isinstance(shape, Text)) == tile


def test_rank_and_suit_are_in_the_part_that_stays_free() -> None:
    """Cards of a suit have its mark in common there, and those of a rank how it is written."""
    edge = int(card.WIDTH * SHOWN)
    shown = {}
    for sprite in decks()["playing"][:52]:
        inked = Sprite("inked", sprite.w, sprite.h, sprite.shapes[1:])
        pixels = raster.to_rgb(sheet([inked]))[:, :edge]
        shown[sprite.card] = pixels[1:22], pixels[22:36]
    for (one, (rank, suit)), (other, (rank_too, suit_too)) in combinations(shown.items(), 2):
        ranks_differ = (rank != rank_too).any(axis=2).sum()
        suits_differ = (suit != suit_too).any(axis=2).sum()
        assert ranks_differ > 50 or one[0] == other[0], (one, other)
        # What is at the right reaches over: a robe, or the rays of an ace.
        assert (suits_differ > 75) == (one[1] != other[1]), (one, other)


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


# ---- Sprites of the core -------------------------------------------------------------------------


def test_the_core_writes_sprites_as_pictures_have_them() -> None:
    assert len(art.names()) > 170
    for name in art.names():
        sprite = art.sprite(name)
        assert sprite.svg == svg_writer.sprites(sheet([replace(sprite, svg="")]))[name]


def test_games_with_art_have_all_their_cards() -> None:
    """Sprites called after a game are its own; there is one of each card, called after it."""
    have_art = 0
    for game in mhing.games():
        own = {name: art.sprite(name) for name in art.names() if name.startswith(f"{game}-")}
        have_art += bool(own)
        for card_text in Game(game).labels["cards"] if own else ():
            assert own[f"{game}-{card_text}"].card == card_text
    assert have_art


def test_wild_cards_say_what_lies_there() -> None:
    """A Mhing card; of playing cards it depends."""
    for name in art.names():
        if name.endswith("-joker"):
            assert art.sprite(name).card == "J"
        if name.endswith("-wild"):
            assert art.sprite(name).card == ""


def test_playing_cards_stand_in_the_order_of_games() -> None:
    cards = Game("general_mhing").labels["cards"]
    assert cards == Game("mexican_rummy").labels["cards"]
    playing = [art.sprite(name) for name in art.names() if name.startswith("playing-")]
    assert [sprite.card for sprite in playing[:52]] == cards
    assert [sprite.name for sprite in playing] == [
        f"playing-{each}{kind}" for kind in ("", "-wild") for each in cards
    ]


def test_a_card_in_the_stead_of_another_looks_like_it() -> None:
    for name in art.names():
        base, _, kind = name.rpartition("-")
        if kind in ("wild", "joker"):
            face, own = art.sprite(base).shapes, art.sprite(name).shapes
            assert own[0].fill == palette.JOKER_PAPER
            assert own[-1].fill == palette.PURPLE
            assert {*own[1:-2]} <= {*face}
            assert {shape for shape in face if isinstance(shape, Text)} <= {*own}


def test_there_are_no_other_sprites() -> None:
    with pytest.raises(KeyError):
        art.sprite("playing-1s")
    assert lib.mh_sprite_at(-1) == lib.mh_sprite_at(lib.mh_sprite_count()) == ffi.NULL
    assert lib.mh_sprite_named(b"playing-1s") == lib.mh_sprite_named(ffi.NULL) == ffi.NULL
    assert lib.mh_sprite_named(b"playing-5s").card != ffi.NULL
    assert ffi.string(lib.mh_sprite_named(b"playing-5s").name) == b"playing-5s"
    assert lib.mh_palette_color_at(0) == ffi.NULL
    assert lib.mh_palette_color_at(lib.mh_palette_size() + 1) == ffi.NULL


def test_a_sprite_is_written_into_what_room_there_is() -> None:
    whole = art.sprite("card-back").svg.encode()
    number = art.names().index("card-back")
    for size in (0, 1, 50, len(whole), len(whole) + 1):
        room = ffi.new("char[]", b"\x7f" * (len(whole) + 2))
        assert lib.mh_sprite_svg(number, room, size) == len(whole)
        wanted = whole[: size - 1] + b"\0" if size else b""
        assert ffi.buffer(room)[:] == wanted + b"\x7f" * (len(whole) + 2 - len(wanted)) + b"\0"
    assert lib.mh_sprite_svg(-1, ffi.NULL, 0) == 0
