"""Where the shapes of a picture lie."""

from __future__ import annotations

from mhing.render import font
from mhing.render.scene import Text, Use


def shape_box(shape: Use | Text) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a sprite, or of the capitals of a text."""
    if isinstance(shape, Use):
        w, h = shape.sprite.w * shape.scale, shape.sprite.h * shape.scale
        return shape.x, shape.y, shape.x + w, shape.y + h
    w = font.text_width(shape.text, shape.size)
    x = shape.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[shape.anchor] * w
    return x, shape.y - 0.75 * shape.size, x + w, shape.y
