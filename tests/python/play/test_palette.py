"""Colours: all from the palette, and every text can be read on what is beneath it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from itertools import combinations
from typing import Any

import light
import numpy as np
import pytest
from numpy.typing import NDArray
from pictures import edges, states
from shapes import (
    Circle,
    Color,
    Polygon,
    Rect,
    Text,
    Use,
    background_of,
    shapes_of,
)

import mhing
from mhing import render
from mhing.render import palette
from mhing.render.palette import CARDS, PALETTES, SAFE_SUITS
from mhing.render.scene import Scene

pytestmark = pytest.mark.once

SUITS = ("ink", "red", "blue", "green")


@pytest.fixture(scope="module")
def scenes() -> list[Scene]:
    """Pictures of all games, and a hand of Mhing."""
    tables = [state for game in mhing.games() for state in states(mhing.Game(game), 2, 9, 7)]
    return [render.scene(state, view) for state in tables for view in (None, 0)]


def seen(color: str, eyes: str) -> NDArray[np.float64]:
    """A colour in CIELAB, as such eyes see it."""
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    reach = np.clip(light.SIGHTS[eyes] @ light.of(color), 0, 1)
    x, y, z = np.cbrt(np.array(to_xyz) @ reach / [0.9505, 1, 1.089])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def colors(shapes: list[Any]) -> set[str]:
    """All colours of shapes."""
    both = ("fill", "stroke")
    return {color for shape in shapes for kind in both if (color := getattr(shape, kind, None))}


def pairs(shapes: list[Any], ground: str | None) -> Iterator[tuple[str, str | None]]:
    """The colour of each text, and that of the topmost area beneath its middle."""
    for place, text in enumerate(shapes):
        if isinstance(text, Text):
            left, top, right, bottom = edges(text)
            x, y = (left + right) / 2, (top + bottom) / 2
            beneath = [area for area in shapes[:place] if covers(area, x, y)]
            yield text.fill, beneath[-1].fill if beneath else ground


def covers(area: Any, x: float, y: float) -> bool:
    """Return whether a filled area is at a place; a polygon by its box."""
    if isinstance(area, Rect):
        is_in = area.x <= x <= area.x + area.w and area.y <= y <= area.y + area.h
        return area.fill is not None and is_in
    if isinstance(area, Circle):
        is_in = (area.x - x) ** 2 + (area.y - y) ** 2 <= area.radius**2
        return area.fill is not None and is_in
    if isinstance(area, Polygon):
        xs, ys = zip(*area.points, strict=True)
        return bool(min(xs) <= x <= max(xs) and min(ys) <= y <= max(ys))
    return False


def test_tables_have_the_colours_of_the_palette(scenes: list[Scene]) -> None:
    """So have papers, backs and all that is written on cards."""
    used = {
        color for scene in scenes for color in {background_of(scene), *colors(shapes_of(scene))}
    }
    for sprite in {
        use.sprite for scene in scenes for use in shapes_of(scene) if isinstance(use, Use)
    }:
        drawn = [shape for shape in sprite.shapes if isinstance(shape, Rect | Text)]
        used |= colors([*sprite.shapes] if sprite.name == "card-back" else drawn)
    assert {color for color in used if not isinstance(color, Color)} == set()


def test_every_palette_has_all_colours() -> None:
    table = set(PALETTES["felt"])
    for own in PALETTES.values():
        assert set(own) == table
        assert all(re.fullmatch("#[0-9a-f]{6}", color) for color in own.values())
    assert set(SAFE_SUITS) <= set(CARDS)


def test_no_palette_changes_a_card(scenes: list[Scene]) -> None:
    """Drawings in sprites have colours that are of cards alone."""
    assert set(CARDS).isdisjoint(PALETTES["felt"])
    sprites = {use.sprite for scene in scenes for use in shapes_of(scene) if isinstance(use, Use)}
    assert len(sprites) > 50
    for sprite in sprites:
        used = {color.name for color in colors([*sprite.shapes]) if isinstance(color, Color)}
        assert used <= set(CARDS), sprite.name


def test_pages_leave_the_colours_of_pictures_alone() -> None:
    """A style sheet with a variable of the same name would paint cards in the page's colours."""
    given = set(re.findall(r"(--[\w-]+):", palette.css()))
    sheets = [one for one in (files("mhing.web") / "page").iterdir() if one.name.endswith(".css")]
    assert len(sheets) > 2
    for sheet in sheets:
        own = set(re.findall(r"(--[\w-]+):", sheet.read_text(encoding="utf-8")))
        assert own.isdisjoint(given), sheet.name


def test_texts_can_be_read(scenes: list[Scene]) -> None:
    """On the table and on cards, in every palette and with both kinds of suits."""
    found = set()
    for scene in scenes:
        sprites = {use.sprite for use in shapes_of(scene) if isinstance(use, Use)}
        shapes = [shape for shape in shapes_of(scene) if not isinstance(shape, Use)]
        found |= set(pairs(shapes, background_of(scene)))
        for sprite in sprites:
            found |= set(pairs([*sprite.shapes], None))
    assert len(found) > 15
    for own in PALETTES.values():
        for suits in ({}, SAFE_SUITS):
            shown = own | CARDS | suits
            for text, ground in found:
                assert isinstance(text, Color)
                assert isinstance(ground, Color)
                least = light.contrast(shown[text.name], shown[ground.name])
                assert least >= 4.5, (text.name, ground.name, least)


@pytest.mark.parametrize("eyes", light.SIGHTS)
def test_all_eyes_distinguish_safe_suits(eyes: str) -> None:
    shown = CARDS | SAFE_SUITS
    for one, other in combinations(SUITS, 2):
        distance = np.linalg.norm(seen(shown[one], eyes) - seen(shown[other], eyes))
        assert distance > 20, (one, other)


def test_a_page_can_give_every_colour_another(scenes: list[Scene]) -> None:
    sheet, drawn = palette.css(), PALETTES["felt"] | CARDS
    for scene in scenes[:3]:
        svg = scene.to_svg()
        painted = re.findall('<[a-z]+ [^>]*class="([^"]*)"([^>]*)>', svg)
        assert painted
        for classes, rest in painted:
            given = dict(re.findall(r' (fill|stroke)="(#[0-9a-f]{6})"', rest))
            named = dict(name.split("-", 1) for name in classes.split())
            for kind, name in named.items():
                assert given[kind] == drawn[name]
            for kind, name in named.items():
                assert f".{kind}-{name} {{ {kind}: var(--picture-{name}) }}" in sheet
    assert f"-felt: {PALETTES['dark']['felt']}" in sheet.split("prefers-color-scheme: dark")[1]
