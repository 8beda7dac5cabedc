"""Pictures as the core has them, and the sprites and colours in them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mhing._lib.binding import (
    NULL,
    check,
    checked_length,
    ffi,
    lib,
    new_message,
    read_text,
    text_of,
)
from mhing._lib.games import GameHandle

FONTS = text_of(lib.mh_svg_fonts())
"""The families of letters that SVG documents name."""

LOOKS: Mapping[str, int] = {
    "felt": lib.MH_LOOK_FELT,
    "light": lib.MH_LOOK_LIGHT,
    "dark": lib.MH_LOOK_DARK,
    "felt-safe": lib.MH_LOOK_FELT | lib.MH_LOOK_SAFE_SUITS,
    "light-safe": lib.MH_LOOK_LIGHT | lib.MH_LOOK_SAFE_SUITS,
    "dark-safe": lib.MH_LOOK_DARK | lib.MH_LOOK_SAFE_SUITS,
}
"""Colours of pictures, by name."""

_COLORS = [lib.mh_palette_color_at(number + 1) for number in range(lib.mh_palette_size())]
_NUMBERS = {
    text_of(color.name): number + 1 for number, color in enumerate(_COLORS) if color.name[0]
}
_ANCHORS = {"start": lib.MH_START, "middle": lib.MH_MIDDLE, "end": lib.MH_END}
_ZONES = {"": lib.MH_NOWHERE, "result": lib.MH_RESULT}
_HEAD: int = ffi.offsetof("struct mh_scene", "shapes")
_SHAPE: int = ffi.sizeof("struct mh_shape")


def colors(palette: str, *, of_cards: bool) -> dict[str, int]:
    """The colours of tables or of cards by their names, 0xRRGGBB, in a palette or as "safe"."""
    return {
        name: getattr(_COLORS[number - 1], palette)
        for name, number in _NUMBERS.items()
        if _COLORS[number - 1].is_card == of_cards
    }


def text_width(text: str, size: float) -> float:
    """The width of a line of text in pixels, of an em so high."""
    width: float = lib.mh_font_width(text.encode(), size)
    return width


@cache
def _art() -> dict[str, int]:
    """The numbers of all sprites by their names, where no game has others."""
    sprites = map(lib.mh_sprite_at, range(lib.mh_sprite_count()))
    return {text_of(sprite.name): number for number, sprite in enumerate(sprites)}


@cache
def sprite_svg(name: str) -> str:
    """A sprite as an SVG element with its name as id; KeyError where there is none."""
    sprite = lib.mh_sprite_named(name.encode())
    if sprite == NULL:
        raise KeyError(name)
    text: str = ffi.buffer(sprite.svg, sprite.svg_length)[:].decode()
    return text


def _number(color: str) -> int:
    if color not in _NUMBERS:
        raise ValueError(f"color: {color!r} is none of {', '.join(_NUMBERS)}")
    return _NUMBERS[color]


class SceneMemory:
    """The bytes of a picture, as many as it has: the base of :class:`mhing.render.scene.Scene`."""

    __slots__ = ("_handle", "_shapes", "_texts", "h", "title", "w")

    def __init__(self, drawn: Any, handle: GameHandle | None) -> None:
        """Copy a struct mh_scene; `handle` is the game whose sprites and cards are in it."""
        self._handle = handle
        self._shapes = bytes(ffi.buffer(drawn, _HEAD + drawn.count * _SHAPE))
        self._texts = bytes(ffi.buffer(drawn.texts, drawn.used))
        self.w: int = drawn.w
        self.h: int = drawn.h
        title = self._texts[drawn.title : drawn.title + drawn.title_length]
        self.title: str = title.decode()

    def _drawn(self) -> Any:
        drawn = ffi.new("struct mh_scene *")
        ffi.memmove(drawn, self._shapes, len(self._shapes))
        ffi.memmove(drawn.texts, self._texts, len(self._texts))
        return drawn

    @property
    def _game(self) -> Any:
        return self._handle.pointer if self._handle else NULL

    def _rows(self) -> str:
        drawn, message = self._drawn(), new_message()
        return read_text(
            lambda text, size: checked_length(
                lib.mh_scene_rows(self._game, drawn, text, size, message), message
            ),
            1 << 14,
        )

    def _svg(self, look: int) -> str:
        drawn, message = self._drawn(), new_message()
        return read_text(
            lambda text, size: checked_length(
                lib.mh_scene_svg(self._game, drawn, look, text, size, message), message
            ),
            1 << 17,
        )

    def _rgb(self, look: int, scale: float) -> NDArray[np.uint8]:
        drawn, message = self._drawn(), new_message()
        game = self._game
        size = lib.mh_scene_pixels(game, drawn, look, scale, NULL, 0, message)
        check(size, message)
        pixels = np.empty((round(self.h * scale), round(self.w * scale), 3), np.uint8)
        room = ffi.from_buffer("uint8_t[]", pixels, require_writable=True)
        check(lib.mh_scene_pixels(game, drawn, look, scale, room, size, message), message)
        return pixels


def mime_bundle(drawn: Any, handle: GameHandle, text: str) -> dict[str, str]:
    """Return a struct mh_scene and a text for a notebook, by their media types."""
    svg = SceneMemory(drawn, handle)._svg(LOOKS["felt"])
    return {"image/svg+xml": svg, "text/plain": text}


class SceneMaker:
    """A picture to which shapes are added: the base of :class:`mhing.render.scene.Drawing`."""

    __slots__ = ("_cards", "_handle", "_made", "_sprites")

    def __init__(self, w: int, h: int, background: str, title: str) -> None:
        self._made = ffi.new("struct mh_scene *")
        self._handle: GameHandle | None = None
        self._sprites = _art()
        self._cards: dict[str, int] = {}
        lib.mh_scene_begin(self._made, lib.MH_WIDE)
        self._made.w, self._made.h = w, h
        self._made.background = _number(background)
        lib.mh_scene_title(self._made, title.encode())

    def _take(self, handle: GameHandle, sprites: list[str], cards: list[str]) -> None:
        """The game whose sprites and cards can be added from now on."""
        self._handle = handle
        self._sprites = {name: number for number, name in enumerate(sprites)}
        self._cards = {card: number for number, card in enumerate(cards)}

    def _rect(self, box: tuple[float, float, float, float], fill: str, **look: float) -> None:
        lib.mh_scene_outline(self._made, box, _number(fill), look["radius"], lib.MH_NO_COLOR, 0)
        self._made.shapes[self._made.count - 1].opacity = look["opacity"]

    def _text(
        self, x: float, y: float, text: str, size: float, color: str, anchor: str, bold: bool,
        stretch: float,
    ) -> None:  # fmt: skip
        look = (size, _number(color), _ANCHORS[anchor], bold, stretch)
        lib.mh_scene_text(self._made, x, y, look, text.encode())

    def _card(self, sprite: str, card: str, x: float, y: float, scale: float, zone: str) -> None:
        number = self._cards[card] if card else -1
        shown = (self._sprites[sprite], number, -1)
        lib.mh_scene_card(self._made, shown, x, y, scale, _ZONES[zone], -1)

    def _check_room(self) -> None:
        if self._made.is_full:
            most = f"{lib.MH_MAX_SHAPES:,} shapes and {lib.MH_MAX_TEXTS:,} bytes of text"
            raise ValueError(f"picture: it has more than {most}")
