"""How artwork is drawn: outlines as numbers, curves by cutting corners.

An outline is a text of numbers, x and y in turn, in units of its sprite. Coordinates are rounded to
a tenth of a unit: at the sizes of cards nobody sees more, and pictures stay small.

>>> area("0 0 4 0 4 3", "#ffffff").points
((0.0, 0.0), (4.0, 0.0), (4.0, 3.0))
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import cos, pi, sin

from mhing.render.scene import Circle, Line, Point, Polygon, Shape


def area(outline: str, color: str) -> Polygon:
    """A filled area with corners."""
    return Polygon(_points(outline), color)


def blob(outline: str, color: str) -> Polygon:
    """A filled area without corners."""
    return Polygon(_rounded(smooth(_points(outline), closed=True, times=2)), color)


def stroke(path: str, color: str, width: float) -> Line:
    """A line with corners."""
    return Line(_points(path), color, width)


def curve(path: str, color: str, width: float) -> Line:
    """A line that bends along its points."""
    return Line(_rounded(smooth(_points(path), closed=False, times=2)), color, width)


def star(x: float, y: float, radius: float, color: str) -> Polygon:
    """Five points around a place."""
    reach = [radius if i % 2 == 0 else 0.42 * radius for i in range(10)]
    points = ((x + r * sin(i * pi / 5), y - r * cos(i * pi / 5)) for i, r in enumerate(reach))
    return Polygon(_rounded(points), color)


def placed(
    shapes: Iterable[Shape], x: float, y: float, scale: float = 1, *, mirrored: bool = False
) -> tuple[Shape, ...]:
    """Shapes other than text with their origin at a place, larger or smaller, or left for right."""
    across = -scale if mirrored else scale

    def at(px: float, py: float) -> Point:
        return round(x + across * px, 1), round(y + scale * py, 1)

    def one(shape: Shape) -> Shape:
        if isinstance(shape, Polygon):
            return replace(shape, points=tuple(at(*point) for point in shape.points))
        if isinstance(shape, Line):
            points = tuple(at(*point) for point in shape.points)
            return Line(points, shape.stroke, shape.width * scale)
        if isinstance(shape, Circle):
            cx, cy = at(shape.x, shape.y)
            return replace(
                shape, x=cx, y=cy, radius=shape.radius * scale, width=shape.width * scale
            )
        raise TypeError(f"placed: {shape!r} is drawn where it stands")

    return tuple(map(one, shapes))


def smooth(points: Sequence[Point], *, closed: bool, times: int) -> tuple[Point, ...]:
    """Cuts every corner at a quarter of its sides (Chaikin's curve), so many times."""
    for _ in range(times):
        sides = zip(points, (*points[1:], points[0]), strict=True)
        cut = [
            ((a * (4 - k) + c * k) / 4, (b * (4 - k) + d * k) / 4)
            for (a, b), (c, d) in sides
            for k in (1, 3)
        ]
        points = cut if closed else [points[0], *cut[:-2], points[-1]]
    return tuple(points)


def _points(outline: str) -> tuple[Point, ...]:
    numbers = [float(number) for number in outline.split()]
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))


def _rounded(points: Iterable[Point]) -> tuple[Point, ...]:
    return tuple((round(x, 1), round(y, 1)) for x, y in points)
