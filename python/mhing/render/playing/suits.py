"""The marks of the four suits: each has a shape of its own, and a colour."""

from __future__ import annotations

from mhing.render.palette import BLUE, GREEN, INK, RED
from mhing.render.pen import area, blob, placed
from mhing.render.scene import Circle, Shape

COLORS = {"s": INK, "h": RED, "d": BLUE, "c": GREEN}

_STEM = "0 -2 1.2 5 4 10 -4 10 -1.2 5"


def mark(suit: str, x: float, y: float, r: float, color: str) -> tuple[Shape, ...]:
    """The mark of a suit, about 2r high, around a place."""
    return placed(_shapes(suit, color), x, y, r / 10)


def _shapes(suit: str, color: str) -> tuple[Shape, ...]:
    """The mark in units of which it has 20 from top to bottom."""
    if suit == "d":
        return (area("0 -10.5 2.6 -5 7.8 0 2.6 5 0 10.5 -2.6 5 -7.8 0 -2.6 -5", color),)
    if suit == "h":
        return (
            Circle(-4.6, -3.8, 5, color),
            Circle(4.6, -3.8, 5, color),
            area("-9.1 -1.6 0 -6 9.1 -1.6 4.6 4.4 0 10.4 -4.6 4.4", color),
        )
    if suit == "s":
        leaf = "0 -15 12 -1 10 9 0 6 -10 9 -12 -1"
        return (blob(leaf, color), area(_STEM, color))
    return (
        Circle(0, -5.2, 4.8, color),
        Circle(-5.2, 2.2, 4.8, color),
        Circle(5.2, 2.2, 4.8, color),
        area(_STEM, color),
    )
