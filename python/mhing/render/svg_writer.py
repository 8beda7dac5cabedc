"""Writes a `Scene` as a self-contained SVG document: no scripts, no links, generic fonts only."""

from __future__ import annotations

from html import escape

from mhing.render import font
from mhing.render.scene import Circle, Line, Point, Polygon, Rect, Scene, Shape, Sprite, Text, Use

FONTS = "Arial, Helvetica, sans-serif"


def to_svg(scene: Scene) -> str:
    """Returns the document as text."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{scene.w}" height="{scene.h}" '
        f'viewBox="0 0 {scene.w} {scene.h}" font-family="{FONTS}">',
        f"<title>{escape(scene.title)}</title>",
        "<defs>",
        *sprites(scene).values(),
        "</defs>",
        *elements(scene),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def sprites(scene: Scene) -> dict[str, str]:
    """The sprites that a picture uses, by their names: what stands in ``<defs>``."""
    used = {use.sprite.name: use.sprite for use in scene.shapes if isinstance(use, Use)}
    return {name: _sprite(sprite) for name, sprite in used.items()}


def elements(scene: Scene) -> list[str]:
    """What is painted, from the back to the front."""
    ground = f'<rect width="{scene.w}" height="{scene.h}" fill="{scene.background}"/>'
    return [ground, *map(_element, scene.shapes)]


def _sprite(sprite: Sprite) -> str:
    return f'<g id="{sprite.name}">' + "".join(map(_element, sprite.shapes)) + "</g>"


def _element(shape: Shape | Use) -> str:
    if isinstance(shape, Use):
        return _use(shape)
    if isinstance(shape, Rect):
        place = f'x="{_n(shape.x)}" y="{_n(shape.y)}" width="{_n(shape.w)}" height="{_n(shape.h)}"'
        radius = f' rx="{_n(shape.radius)}"' if shape.radius else ""
        return f"<rect {place}{radius}{_paint(shape)}/>"
    if isinstance(shape, Circle):
        place = f'cx="{_n(shape.x)}" cy="{_n(shape.y)}" r="{_n(shape.radius)}"'
        return f"<circle {place}{_paint(shape)}/>"
    if isinstance(shape, Line):
        pen = f'stroke="{shape.stroke}" stroke-width="{_n(shape.width)}"'
        ends = 'stroke-linecap="round" stroke-linejoin="round"'
        return f'<polyline points="{_points(shape.points)}" fill="none" {pen} {ends}/>'
    if isinstance(shape, Polygon):
        return f'<polygon points="{_points(shape.points)}" fill="{shape.fill}"/>'
    return _text(shape)


def _use(use: Use) -> str:
    scale = f" scale({_n(use.scale)})" if use.scale != 1 else ""
    opacity = f' opacity="{_n(use.opacity)}"' if use.opacity != 1 else ""
    place = f"translate({_n(use.x)} {_n(use.y)}){scale}"
    return f'<use href="#{use.sprite.name}" transform="{place}"{opacity}/>'


def _text(text: Text) -> str:
    """Text as wide as the layout reckoned with, whatever font the viewer has."""
    width = font.width_of(text)
    attributes = f'x="{_n(text.x)}" y="{_n(text.y)}" font-size="{_n(text.size)}" fill="{text.fill}"'
    if text.anchor != "start":
        attributes += f' text-anchor="{text.anchor}"'
    if text.bold:
        attributes += ' font-weight="bold"'
    if len(text.text) > 1:
        attributes += f' textLength="{_n(width)}" lengthAdjust="spacingAndGlyphs"'
    return f"<text {attributes}>{escape(text.text)}</text>"


def _paint(shape: Rect | Circle) -> str:
    fill = f' fill="{shape.fill or "none"}"'
    if not shape.stroke:
        return fill
    return f'{fill} stroke="{shape.stroke}" stroke-width="{_n(shape.width)}"'


def _points(points: tuple[Point, ...]) -> str:
    return " ".join(f"{_n(x)},{_n(y)}" for x, y in points)


def _n(number: float) -> str:
    """A number as short as a tenth of a tenth of a pixel needs."""
    return f"{number:.2f}".rstrip("0").rstrip(".")
