"""Pictures that the core draws, as scenes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Literal

from mhing._lib import ffi, lib
from mhing.game import Game
from mhing.render import art
from mhing.render.palette import color_of
from mhing.render.scene import Anchor, Circle, Format, Rect, Scene, Sprite, Text, Use
from mhing.render.sight import Sight
from mhing.state import State

ZONES = ("", "hand", "drawn", "meld", "discards", "offer", "pile", "result")
"""Where cards lie, by number, enum mh_zone."""

_FORMS = {"wide": lib.MH_WIDE, "portrait": lib.MH_PORTRAIT, "share": lib.MH_SHARE}
_ANCHORS: tuple[Anchor, ...] = ("start", "middle", "end")


def scene(
    table: State | Sight,
    view: int | None,
    shape: Format | Literal["share"],
    names: Sequence[str] | None,
    seed: int | None = None,
) -> Scene:
    """The picture of what a viewer sees, by the core.

    Args:
        table: a state, or what is known of one.
        view: the seat with whose eyes it is seen; None: all cards of a state lie open.
        shape: the form of the picture.
        names: of the players.
        seed: of the episode, where a picture to be shared shall name it.
    """
    if isinstance(table, Sight):
        observation, viewer = table.observation, table._viewer(names)
    else:
        observation, viewer = table._seen_by(view, names)
    viewer = replace(viewer, seed=seed)
    return _Reader(table.game._handle.picture(observation, viewer, _FORMS[shape]), table.game).scene


def move_cards(table: State | Sight, action: int) -> list[tuple[int, int, bool]]:
    """The cards of a move by the core: the numbers of sprite and card, and whether it is held."""
    if isinstance(table, Sight):
        observation, viewer = table.observation, table._viewer(None)
    else:
        observation, viewer = table._seen_by(max(table.seat, 0), None)
    return table.game._handle.move_cards(observation, viewer, action)


def sprite(game: Game, number: int, card: int) -> Sprite:
    """What a card of a game looks like, by its numbers."""
    return _sprite(game._sprite_names[number], game.labels["cards"][card] if card >= 0 else "")


class _Reader:
    """Makes a scene of what the core has written."""

    def __init__(self, drawn: Any, game: Game) -> None:
        self._game = game
        self._texts = ffi.buffer(drawn.texts, drawn.used)[:]
        title = self._text(drawn.title, drawn.title_length)
        self.scene = Scene(drawn.w, drawn.h, color_of(drawn.background), title)
        self.scene.add(*map(self._shape, drawn.shapes[0 : drawn.count]))

    def _text(self, start: int, length: int) -> str:
        text: str = self._texts[start : start + length].decode()
        return text

    def _shape(self, s: Any) -> Rect | Circle | Text | Use:
        if s.kind == lib.MH_SPRITE:
            face, seat = sprite(self._game, s.sprite, s.card), None if s.seat < 0 else s.seat
            return Use(face, s.x, s.y, s.scale, s.opacity, ZONES[s.zone], seat)
        if s.kind == lib.MH_TEXT:
            text, anchor = self._text(s.text, s.length), _ANCHORS[s.anchor]
            color = color_of(s.fill)
            return Text(s.x, s.y, text, s.h, color, anchor, bool(s.is_bold), s.scale)
        fill, stroke = _color(s.fill), _color(s.stroke)
        if s.kind == lib.MH_CIRCLE:
            return Circle(s.x, s.y, s.radius, fill, stroke, s.width)
        return Rect(s.x, s.y, s.w, s.h, fill, s.radius, stroke, s.width)


def _color(number: int) -> str | None:
    return color_of(number) if number else None


@cache
def _sprite(name: str, card: str) -> Sprite:
    """What a card looks like: a wild one like another than it is."""
    sprite = art.sprite(name)
    return sprite if sprite.card == card else replace(sprite, card=card)
