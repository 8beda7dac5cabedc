"""The primitives of a picture: what a layout draws with, and what every backend can paint.

A `Scene` is a list of shapes, painted in order, in pixels from the top left corner. Colours are
``"#rrggbb"``, those of tables and cards from `mhing.render.palette`. Whatever is drawn more than
once, such as a card, is a `Sprite`: shapes in coordinates of their own, placed by `Use`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Point: TypeAlias = tuple[float, float]
Anchor: TypeAlias = Literal["start", "middle", "end"]
Format: TypeAlias = Literal["wide", "portrait"]
"""Of a picture of a table: for a screen, or for a narrow window such as a telephone's."""
FORMATS: tuple[Format, ...] = ("wide", "portrait")


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

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.y + self.h


@dataclass(frozen=True)
class Rect:
    """A rectangle with round corners. The outline is centred on its edge, as in SVG."""

    x: float
    y: float
    w: float
    h: float
    fill: str | None = None
    radius: float = 0
    stroke: str | None = None
    width: float = 1


@dataclass(frozen=True)
class Circle:
    """A disc, a ring, or both."""

    x: float
    y: float
    radius: float
    fill: str | None = None
    stroke: str | None = None
    width: float = 1


@dataclass(frozen=True)
class Line:
    """A line through points, with round ends and joints."""

    points: tuple[Point, ...]
    stroke: str
    width: float = 1


@dataclass(frozen=True)
class Polygon:
    """A filled area between points."""

    points: tuple[Point, ...]
    fill: str


@dataclass(frozen=True)
class Text:
    """One line of printable ASCII; `size` is the height of an em and `y` the baseline.

    `stretch` makes letters wider or narrower, and leaves their height.
    """

    x: float
    y: float
    text: str
    size: float
    fill: str
    anchor: Anchor = "start"
    bold: bool = False
    stretch: float = 1


@dataclass(frozen=True, eq=False)
class Sprite:
    """A picture to be placed many times.

    Its name is a valid XML id. Pictures of different games may stand on one page, so no other
    sprite of any game has it, unless it looks the same.
    """

    name: str
    w: float
    h: float
    shapes: tuple[Shape, ...]
    card: str = ""
    """The card that it shows, as the game writes it; "" where it shows none, such as a back."""
    svg: str = ""
    """The sprite as the core writes it; "" of one that is made of its shapes."""


@dataclass(frozen=True)
class Use:
    """A sprite with its top left corner at (x, y).

    Of a card it says where it lies: in which zone, such as "hand" or "discards", and whose.
    """

    sprite: Sprite
    x: float
    y: float
    scale: float = 1
    opacity: float = 1
    zone: str = ""
    seat: int | None = None


Shape: TypeAlias = Rect | Circle | Line | Polygon | Text


@dataclass
class Scene:
    """A picture of `w` x `h` pixels, built by adding shapes from the back to the front."""

    w: int
    h: int
    background: str
    title: str
    shapes: list[Shape | Use] = field(default_factory=list)

    def add(self, *shapes: Shape | Use) -> None:
        """Puts shapes on top of what is there."""
        self.shapes.extend(shapes)
