"""Writes a `Scene` as a self-contained SVG document: no scripts, no links, generic fonts only.

For pages that do more with it, a colour of the palette is named by a class beside it, such as
``class="fill-felt"``; and a card says what it is and where it lies:

- ``data-card``: the card as the game writes it, "" where it lies face down;
- ``data-zone`` and ``data-seat``: where it lies, and whose it is if it is somebody's;
- ``data-key``: all of that, and its number among equal ones there; no two cards of a picture have
  the same key.

From one picture to the next a card with the same key has stayed where it was, though it may have
been moved up. A key that is gone and a new one of the same card are a card that was played, drawn
or taken. Cards face down are numbered from the left, whichever of them is gone: so the keys say no
more than the picture.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from html import escape

from mhing.render import font
from mhing.render.palette import Color
from mhing.render.scene import Circle, Line, Point, Polygon, Rect, Scene, Shape, Sprite, Text, Use

FONTS = "Arial, Helvetica, sans-serif"


def to_svg(scene: Scene) -> str:
    """Returns the document as text."""
    painted = elements(scene)
    return document(scene.title, scene.w, scene.h, sprites(scene).values(), painted)


def document(
    title: str, width: int, height: int, defs: Iterable[str], painted: Iterable[str]
) -> str:
    """The document of a picture, from its parts."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="{FONTS}">',
        f"<title>{escape(title)}</title>",
        "<defs>",
        *defs,
        "</defs>",
        *painted,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def sprites(scene: Scene) -> dict[str, str]:
    """The sprites that a picture uses, by their names: what stands in ``<defs>``."""
    used = {use.sprite.name: use.sprite for use in scene.shapes if isinstance(use, Use)}
    return {name: _sprite(sprite) for name, sprite in used.items()}


def elements(scene: Scene) -> list[str]:
    """What is painted, from the back to the front."""
    ground = f'<rect width="{scene.w}" height="{scene.h}"{_paint(scene.background)}/>'
    return [ground, *_painted(scene.shapes)]


def _painted(shapes: list[Shape | Use]) -> Iterator[str]:
    """The elements; equal cards in one place are numbered as they come."""
    equals: Counter[str] = Counter()
    for shape in shapes:
        if not isinstance(shape, Use):
            yield _element(shape)
        elif not shape.zone:
            yield _use(shape)
        else:
            seat = "" if shape.seat is None else str(shape.seat)
            alike = f"{shape.zone}.{seat}.{shape.sprite.card}"
            yield _use(shape, _identity(shape, f"{alike}.{equals[alike]}"))
            equals[alike] += 1


def _sprite(sprite: Sprite) -> str:
    return sprite.svg or f'<g id="{sprite.name}">' + "".join(map(_element, sprite.shapes)) + "</g>"


def _element(shape: Shape) -> str:
    if isinstance(shape, Rect):
        place = f'x="{_n(shape.x)}" y="{_n(shape.y)}" width="{_n(shape.w)}" height="{_n(shape.h)}"'
        radius = f' rx="{_n(shape.radius)}"' if shape.radius else ""
        return f"<rect {place}{radius}{_paint(shape.fill, shape.stroke, shape.width)}/>"
    if isinstance(shape, Circle):
        place = f'cx="{_n(shape.x)}" cy="{_n(shape.y)}" r="{_n(shape.radius)}"'
        return f"<circle {place}{_paint(shape.fill, shape.stroke, shape.width)}/>"
    if isinstance(shape, Line):
        pen = _paint(None, shape.stroke, shape.width)
        ends = 'stroke-linecap="round" stroke-linejoin="round"'
        return f'<polyline points="{_points(shape.points)}"{pen} {ends}/>'
    if isinstance(shape, Polygon):
        return f'<polygon points="{_points(shape.points)}"{_paint(shape.fill)}/>'
    return _text(shape)


def _use(use: Use, identity: str = "") -> str:
    scale = f" scale({_n(use.scale, 3)})" if use.scale != 1 else ""
    opacity = f' opacity="{_n(use.opacity, 2)}"' if use.opacity != 1 else ""
    place = f"translate({_n(use.x)} {_n(use.y)}){scale}"
    return f'<use href="#{use.sprite.name}" transform="{place}"{opacity}{identity}/>'


def _identity(use: Use, key: str) -> str:
    """Which card it is and where it lies."""
    seat = "" if use.seat is None else f' data-seat="{use.seat}"'
    card, zone = escape(use.sprite.card), escape(use.zone)
    return f' data-card="{card}" data-zone="{zone}"{seat} data-key="{escape(key)}"'


def _text(text: Text) -> str:
    """Text as wide as the layout reckoned with, whatever font the viewer has."""
    width = font.width_of(text)
    place = f'x="{_n(text.x)}" y="{_n(text.y)}"'
    attributes = f'{place} font-size="{_n(text.size)}"{_paint(text.fill)}'
    if text.anchor != "start":
        attributes += f' text-anchor="{text.anchor}"'
    if text.bold:
        attributes += ' font-weight="bold"'
    if len(text.text) > 1:
        attributes += f' textLength="{_n(width)}" lengthAdjust="spacingAndGlyphs"'
    return f"<text {attributes}>{escape(text.text)}</text>"


def _paint(fill: str | None, stroke: str | None = None, width: float = 1) -> str:
    """Fill and outline, after the names that the palette has for them."""
    kinds = {"fill": fill, "stroke": stroke}
    names = [f"{kind}-{each.name}" for kind, each in kinds.items() if isinstance(each, Color)]
    classes = f' class="{" ".join(names)}"' if names else ""
    outline = f' stroke="{stroke}" stroke-width="{_n(width)}"' if stroke else ""
    return f'{classes} fill="{fill or "none"}"{outline}'


def _points(points: tuple[Point, ...]) -> str:
    return " ".join(f"{_n(x)},{_n(y)}" for x, y in points)


def _n(number: float, decimals: int = 1) -> str:
    """A number as short as it can be; nobody sees less than a tenth of a pixel."""
    return f"{number:.{decimals}f}".rstrip("0").rstrip(".")
