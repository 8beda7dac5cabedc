"""The picture of a complete hand of Mhing: its cards as arranged, and its credits by name."""

from __future__ import annotations

from collections.abc import Sequence

from mhing.by_game.mhing.cards import face
from mhing.by_game.mhing.view import cards
from mhing.render.card import RATIO
from mhing.render.lines import plural
from mhing.render.panels import (
    FELT,
    GAP,
    GOLD,
    LINE,
    NAME_SIZE,
    SMALL_SIZE,
    WHITE,
    Block,
    flow,
)
from mhing.render.scene import Box, Scene, Text

_CARD = 44  # width
_W = 14 * _CARD + 6 * GAP + 3 * GAP
_COLUMNS = 3  # of credits


def scene(
    credits: int, points: int, parts: Sequence[tuple[str, int]], arrangement: Sequence[str]
) -> Scene:
    """Returns the picture of a hand as :class:`mhing.Score` has it."""
    row = _CARD * RATIO
    lines = -(-len(parts) // _COLUMNS)
    top = 2 * GAP + NAME_SIZE
    height = round(top + row + 2 * GAP + LINE * lines + GAP)
    worth = f"{plural(credits, 'credit')}, {plural(points, 'point')}"
    picture = Scene(_W, height, FELT, f"Mhing: {worth}")
    picture.add(Text(2 * GAP, GAP + NAME_SIZE, worth, NAME_SIZE, GOLD, bold=True))
    groups = [cards(group) for group in arrangement]
    space = GAP if any(len(group) > 1 for group in groups) else 1
    blocks = [
        Block(tuple(face(card.face, card.joker) for card in group), _CARD, space)
        for group in groups
    ]
    below = flow(picture, blocks, Box(2 * GAP, top + 2, _W - 3 * GAP, row)) + GAP
    for place, (name, count) in enumerate(parts):
        x = 2 * GAP + place % _COLUMNS * (_W // _COLUMNS)
        y = below + place // _COLUMNS * LINE + SMALL_SIZE
        picture.add(Text(x + 16, y, str(count), SMALL_SIZE, GOLD, "end", bold=True))
        picture.add(Text(x + 24, y, name, SMALL_SIZE, WHITE))
    return picture
