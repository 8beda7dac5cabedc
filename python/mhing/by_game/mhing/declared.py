"""A declared hand of Mhing as a picture: the groups of its cards, and which of them earn what."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_uppercase

from mhing.by_game.mhing.cards import Card, read
from mhing.by_game.mhing.paid import paid_for
from mhing.game import Game
from mhing.render.card import RATIO
from mhing.render.ending import Group, Part, add_groups, add_parts
from mhing.render.scene import Box, Drawing, Scene
from mhing.words import plural

_CARD = 44  # width
_GAP, _LINE = 8, 16  # pixels between things, and from one line to the next
_NAME, _SMALL = 16, 12  # sizes of text
_W = 14 * _CARD + 9 * _GAP
_COLUMNS = 2  # of credits


def _hand(
    arrangement: Sequence[Sequence[Card]], credits: Sequence[tuple[str, int]]
) -> tuple[list[Group], list[Part]]:
    """The cards in groups and the credits; letters say which groups a credit is for."""
    paid = {name: paid_for(name, arrangement) for name, _ in credits}
    named = {place for found in paid.values() for places in found for place in places}
    letters = dict(zip(sorted(named), ascii_uppercase, strict=False))
    groups = [
        Group(tuple(map(_laid, group)), letters.get(place, ""))
        for place, group in enumerate(arrangement)
    ]
    parts = [
        Part(
            number,
            name,
            tuple("".join(letters[place] for place in places) for places in paid[name]),
        )
        for name, number in credits
    ]
    return groups, parts


def _laid(card: Card) -> tuple[str, str]:
    """The sprite of a card, and which one it is: a Mhing card looks like what it stands for."""
    sprite = f"mhing-{card.face}{'-joker' if card.joker else ''}"
    return sprite, "J" if card.joker else card.face


def scene(
    credits: int, points: int, parts: Sequence[tuple[str, int]], arrangement: Sequence[str]
) -> Scene:
    """Returns the picture of a hand as :class:`mhing.Score` has it."""
    groups, named = _hand([read(group) for group in arrangement], parts)
    gap, line = _GAP, _LINE
    lines = -(-len(parts) // _COLUMNS)
    top = 2 * gap + _NAME
    row = _CARD * RATIO + line + 4
    height = round(top + row + 2 * gap + line * lines + gap)
    worth = f"{plural(credits, 'credit')}, {plural(points, 'point')}"
    picture = Drawing(_W, height, "felt", f"Mhing: {worth}", Game("mhing"))
    picture.text(2 * gap, gap + _NAME, worth, _NAME, "accent", bold=True)
    w = _W - 3 * gap
    y = add_groups(picture, groups, Box(2 * gap, top + 2, w, row + 4), _CARD, _SMALL)
    add_parts(picture, named, Box(2 * gap, y + 2, w, line * lines), _SMALL)
    return picture.scene()
