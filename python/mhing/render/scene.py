"""Pictures of tables: what they are, and the forms that they are written in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mhing._lib.scenes import LOOKS as _LOOKS
from mhing._lib.scenes import SceneMaker, SceneMemory, sprite_svg
from mhing.game import Game

Format: TypeAlias = Literal["wide", "portrait"]
"""The format of a table's picture: for a screen, or for a narrow window like a telephone's."""
FORMATS: tuple[Format, ...] = ("wide", "portrait")

Row: TypeAlias = list[Any]
"""One shape of a picture, see :meth:`Scene.rows`."""

_SPRITE, _NAME = 3, 4  # the kind of rows with sprites, and where their names stand

LOOKS = tuple(_LOOKS)
"""Colours of pictures: a palette of tables, and each of them with "-safe": suits in
colours that nobody confuses."""


@dataclass(frozen=True)
class Box:
    """A rectangular region of a picture; layouts divide it, nothing paints it."""

    x: float
    y: float
    w: float
    h: float

    @property
    def right(self) -> float:
        """The right edge."""
        return self.x + self.w


@dataclass(frozen=True)
class Sprite:
    """A small picture that stands in larger ones, such as the face of a card."""

    name: str
    """A valid XML id, which no other sprite of any game has."""
    svg: str
    """An SVG element with this id, to be placed by ``<use>``."""


def sprite(name: str) -> Sprite:
    """The sprite of that name, from the files of art (csrc/draw/README.md), or KeyError."""
    return Sprite(name, sprite_svg(name))


def sprites_of(rows: Iterable[Sequence[Any]]) -> list[Sprite]:
    """The sprites that rows of :meth:`Scene.rows` place, each once, in the order of the rows."""
    return [*map(sprite, dict.fromkeys(row[_NAME] for row in rows if row[0] == _SPRITE))]


class Scene(SceneMemory):
    """A picture of `w` x `h` pixels with a `title`, as the core has drawn it.

    Two pictures are equal if their documents are.
    """

    __slots__ = ()

    def to_svg(self, look: str = "felt") -> str:
        """Return the picture as an SVG document that stands alone.

        There are no scripts and no links in it, and generic fonts only. Colours have classes beside
        them, such as ``class="fill-felt"``; cards say what they are and where they lie. See
        mh_scene_svg in :doc:`the C interface </reference/c>`.

        Args:
            look: one of `LOOKS`. Others than felt stand in a style sheet in the document.

        Raises:
            ValueError: there is no such look.
        """
        return self._svg(_look(look))

    def to_rgb(self, scale: float = 1, look: str = "felt") -> NDArray[np.uint8]:
        """Return the picture as pixels: uint8 (height, width, 3), red, green and blue.

        Args:
            scale: how much larger than `w` x `h`; sides are rounded.
            look: one of `LOOKS`.

        Raises:
            ValueError: there is no such look, or a side has no pixels, or too many.

        >>> from mhing import Game, render
        >>> picture = render.scene(Game("mhing").new_state(seed=1), view=0)
        >>> picture.to_rgb(0.5, look="dark").shape
        (360, 480, 3)
        """
        return self._rgb(_look(look), scale)

    def rows(self) -> list[Row]:
        """Return what is painted, from the back to the front, for a page that draws it.

        A row begins with its kind: 0 rectangle, 1 circle, 2 text, 3 sprite. See mh_scene_rows in
        :doc:`the C interface </reference/c>` for what follows.

        >>> from mhing import Game, render
        >>> render.scene(Game("mhing").new_state(seed=1), view=0).rows()[0]
        [0, 0, 0, 960, 720, 'felt']
        """
        rows: list[Row] = json.loads(self._rows())
        return rows

    def sprites(self) -> list[Sprite]:
        """Return the sprites that it uses, each once, from the back to the front."""
        return sprites_of(self.rows())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scene) and self.to_svg() == other.to_svg()

    def __hash__(self) -> int:
        return hash(self.to_svg())


def _look(name: str) -> int:
    if name not in _LOOKS:
        raise ValueError(f"look: choose from {', '.join(LOOKS)}, not {name!r}")
    return _LOOKS[name]


class Drawing(SceneMaker):
    """A picture that is being drawn, by adding shapes from the back to the front.

    Colours are the names of `mhing.render.palette`.

    Args:
        w: its width in pixels.
        h: its height.
        background: its colour.
        title: what it shows, in a line.
        game: whose cards it shows, if it shows any.
    """

    __slots__ = ()

    def __init__(
        self, w: int, h: int, background: str, title: str, game: Game | None = None
    ) -> None:
        super().__init__(w, h, background, title)
        if game is not None:
            self._take(game._handle, game._sprite_names, game.labels["cards"])

    def rect(self, box: Box, fill: str, *, radius: float = 0, opacity: float = 1) -> None:
        """Add a rectangle with round corners."""
        self._rect((box.x, box.y, box.w, box.h), fill, radius=radius, opacity=opacity)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        color: str,
        anchor: Literal["start", "middle", "end"] = "start",
        *,
        bold: bool = False,
        stretch: float = 1,
    ) -> None:
        """Add a line of text.

        `y` is its baseline, `size` the height of an em, and `stretch` makes letters wider or
        narrower.
        """
        self._text(x, y, text, size, color, anchor, bold, stretch)

    def card(
        self, sprite: str, x: float, y: float, scale: float = 1, *, card: str = "", zone: str = ""
    ) -> None:
        """Add a sprite, of the game if there is one, with its top left corner at (x, y).

        `card` is the one that it shows, as the game writes it, and `zone` where it lies: "result",
        or nowhere.
        """
        self._card(sprite, card, x, y, scale, zone)

    def scene(self) -> Scene:
        """The picture as it is now.

        Raises:
            ValueError: it has more shapes or longer texts than there is room for.
        """
        self._check_room()
        return Scene(self._made, self._handle)
