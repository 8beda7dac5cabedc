"""Colours as light, as people see it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_BRIGHT = [0.2126, 0.7152, 0.0722]
"""The weights of red, green and blue light in brightness."""

SIGHTS = {
    "full": np.eye(3),
    "no red": np.array([[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]]),
    "no green": np.array([[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]),
    "no blue": np.array([[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]]),
}
"""Linear red, green and blue as seen by people who cannot see one of them
(Machado, Oliveira and Fernandes 2009)."""

GREY = np.array([_BRIGHT] * 3)
"""The same where there are no colours at all."""


def linear(colors: NDArray[Any]) -> NDArray[np.float64]:
    """Bytes of sRGB as light from 0 to 1."""
    part = colors / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def of(color: str) -> NDArray[np.float64]:
    """Red, green and blue light of a colour "#rrggbb"."""
    return linear(np.array([*bytes.fromhex(color[1:])]))


def contrast(one: str, other: str) -> float:
    """Of two colours, from 1 to 21, as the guidelines for accessible pages (WCAG) have it."""
    dark, bright = sorted(float(of(color) @ _BRIGHT) for color in (one, other))
    return (bright + 0.05) / (dark + 0.05)
