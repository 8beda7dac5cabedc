"""A hand of cards, and what it is paid for: pictures of it that show no table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from mhing._scenes import text_width
from mhing.render.card import RATIO, WIDTH
from mhing.render.scene import Box, Drawing

_ONE_ROW = 0.6
"""How much smaller cards may be where they are in one row then."""


@dataclass(frozen=True)
class Group:
    """Cards that lie together."""

    cards: tuple[tuple[str, str], ...]
    """Of each card the name of its sprite, and how the game writes it."""
    letter: str = ""
    """By which parts name it."""


@dataclass(frozen=True)
class Part:
    """What the winner is paid for."""

    number: int
    name: str
    groups: tuple[str, ...] = ()
    """The letters of the groups that it is paid for, together for each time; () for all."""


# ---- Drawing ----------------------------------------------------------------------------------


def add_groups(
    picture: Drawing, groups: Sequence[Group], box: Box, widest: int, size: int
) -> float:
    """Lays groups in rows, cards as large as fit and at most so wide; returns where they end.

    The letter of a group stands above it, `size` high.
    """
    caption = size + 4 if any(group.letter for group in groups) else 0
    width = _width_of_cards(groups, box, widest, caption)
    y = box.y
    for row in _rows(groups, box.w, width):
        x = box.x
        for group in row:
            w = width * len(group.cards)
            if group.letter:
                picture.text(x + 1, y + 0.8 * size, group.letter, size, "accent", bold=True)
            for i, (sprite, card) in enumerate(group.cards):
                place = x + i * width, y + caption
                picture.card(sprite, *place, width / WIDTH, card=card, zone="result")
            x += w + _space(group, width)
        y += caption + width * RATIO + 4
    return y


def _rows(groups: Sequence[Group], room: float, width: int) -> list[list[Group]]:
    """The groups in rows that are not wider than there is room; none where one group is."""
    rows: list[list[Group]] = [[]]
    x = 0.0
    for group in groups:
        w = width * len(group.cards)
        if rows[-1] and x + w > room:
            rows.append([])
            x = 0.0
        rows[-1].append(group)
        x += w + _space(group, width)
    widest = max((len(group.cards) for group in groups), default=0) * width
    return rows if 0 < widest <= room else []


def _width_of_cards(groups: Sequence[Group], box: Box, widest: int, caption: int) -> int:
    """The largest that fits; less, but not much less, where all are in one row then."""
    fitting = [
        (width, len(rows))
        for width in range(1, widest + 1)
        if (rows := _rows(groups, box.w, width))
        and len(rows) * (caption + width * RATIO + 4) <= box.h
    ]
    largest = max((width for width, _ in fitting), default=1)
    in_one_row = max((width for width, rows in fitting if rows == 1), default=0)
    return in_one_row if in_one_row >= _ONE_ROW * largest else largest


def _space(group: Group, width: int) -> float:
    """The space after a group; single cards lie side by side."""
    return 2 if len(group.cards) == 1 else width / 4


def add_parts(picture: Drawing, parts: Sequence[Part], box: Box, size: int) -> float:
    """Writes the parts in columns as high as the box; returns where the longest ends.

    They are `size` high, or as high as fits.
    """
    if not parts:
        return box.y
    while size > 1 and _width(parts, box, size) > box.w:
        size -= 1
    line = _line(size)
    rows = _per_column(box, size)
    x = box.x
    for start in range(0, len(parts), rows):
        column = parts[start : start + rows]
        for i, part in enumerate(column):
            baseline = box.y + size + i * line
            name = x + 1.7 * size
            number = str(part.number)
            picture.text(name - 0.4 * size, baseline, number, size, "accent", "end", bold=True)
            picture.text(name, baseline, part.name, size, "text")
            letters = name + text_width(part.name, size) + 0.6 * size
            if part.groups:
                picture.text(letters, baseline, " ".join(part.groups), size, "accent")
        x += _column_width(column, size)
    return box.y + min(rows, len(parts)) * line


def _line(size: int) -> int:
    return ceil(1.3 * size)


def _per_column(box: Box, size: int) -> int:
    return max(1, int(box.h // _line(size)))


def _width(parts: Sequence[Part], box: Box, size: int) -> float:
    rows = _per_column(box, size)
    return sum(
        _column_width(parts[start : start + rows], size) for start in range(0, len(parts), rows)
    )


def _column_width(column: Sequence[Part], size: int) -> float:
    texts = (" ".join((part.name, *part.groups)) for part in column)
    return 3.4 * size + max(text_width(text, size) for text in texts)
