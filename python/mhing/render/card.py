"""What the cards of all games share: their size in units."""

from __future__ import annotations

WIDTH, HEIGHT = 40, 56
RATIO = HEIGHT / WIDTH
