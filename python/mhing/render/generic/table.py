"""The picture of the table of any game: panels of the seats, and between them all else.

In every region cards lie at the top, in a row for each field, and all other values are written
below them.
"""

from __future__ import annotations

from collections.abc import Sequence

from mhing.render import font
from mhing.render.card import RATIO, WIDTH
from mhing.render.generic.cards import face
from mhing.render.generic.view import NOTHING, Table, Value
from mhing.render.palette import BAR, FELT, PALE, TEXT
from mhing.render.panels import Words, add_panel, around, what_goes_on, write, write_log
from mhing.render.picture import Arrangement, Format, Picture
from mhing.render.scene import Box, Rect, Text, Use

_HEIGHTS: dict[Format, tuple[float, float]] = {"wide": (236, 216), "portrait": (190, 230)}
"""Of the viewer's panel, and of the middle."""

_SPACE = 5  # between words
_CARD, _SMALLEST = 50, 14  # widths


def scene(table: Table, shape: Format = "wide", names: Sequence[str] | None = None) -> Picture:
    """Returns the picture of a table."""
    picture = Picture(shape, FELT, names)
    picture.title = table.heading
    *panels, middle = around(picture, len(table.seats), *_HEIGHTS[shape])
    for seat, box in zip(table.clockwise, panels, strict=True):
        inner = add_panel(picture, seat, box, ())
        _add_values(picture, seat.values, seat.number, table.deck, inner)
    picture.add(Rect(middle.x, middle.y, middle.w, middle.h, BAR, 8))
    gap = picture.arrangement.gap
    inner = middle.inset(gap + 4)
    if picture.arrangement.is_narrow:
        upper = Box(inner.x, inner.y, inner.w, inner.h * 0.6 - gap)
        words = Box(inner.x, upper.bottom + gap, inner.w, inner.h * 0.4)
    else:
        upper = Box(inner.x, inner.y, inner.w * 0.6 - gap, inner.h)
        words = Box(upper.right + 2 * gap, inner.y, inner.w * 0.4 - gap, inner.h)
    _add_values(picture, table.values, None, table.deck, upper)
    _add_words(picture, table, words)
    return picture


def _add_values(
    picture: Picture,
    values: tuple[Value, ...],
    seat: int | None,
    deck: tuple[str, ...],
    box: Box,
) -> None:
    """Cards in rows, as large as there is room beside the words, then the words."""
    sizes = picture.arrangement
    rows = [value for value in values if value.are_drawn]
    lines = _in_lines([value for value in values if not value.are_drawn], box.w, sizes.small)
    y = box.y
    if rows:
        free = (box.h - sizes.line * len(lines)) / len(rows) - 4
        h = max(_SMALLEST, min(_CARD, int(free / RATIO))) * RATIO
        left = _for_names(sizes)
        for value in rows:
            if y + h > box.bottom:
                break
            _add_name(picture, value.name, Box(box.x, y, left - 6, h))
            _add_cards(picture, value, seat, deck, Box(box.x + left, y, box.w - left, h))
            y += h + 4
    for line in lines[: int((box.bottom - y) // sizes.line)]:
        for x, word, color in line:
            picture.add(Text(box.x + x, y + sizes.small, word, sizes.small, color))
        y += sizes.line


def _for_names(sizes: Arrangement) -> float:
    """The width of the column of rows' names."""
    return 7 * sizes.small


def _in_lines(values: list[Value], width: float, size: int) -> list[list[tuple[float, str, str]]]:
    """Values side by side in lines of that width: of each its name and its words, with places."""
    lines: list[list[tuple[float, str, str]]] = [[]]
    x = 0.0
    for value in values:
        parts = [(value.name, PALE), *((word, TEXT) for word in value.words)]
        room = font.text_width(" ".join(word for word, _ in parts), size)
        if x and x + min(room, width) > width:
            lines.append([])
            x = 0.0
        for word, color in parts:
            w = font.text_width(word, size)
            if x and x + w > width:
                lines.append([])
                x = 0.0
            lines[-1].append((x, word, color))
            x += w + _SPACE
        x += 2 * _SPACE
    return [line for line in lines if line]


def _add_name(picture: Picture, name: str, box: Box) -> None:
    """The name of a row of cards, in two lines at most."""
    size = picture.arrangement.small
    for number, line in enumerate(font.wrap(name, size, box.w)[: max(1, int(box.h // (size + 1)))]):
        picture.add(Text(box.x, box.y + size + (size + 1) * number, line, size, PALE))


def _add_cards(
    picture: Picture, value: Value, seat: int | None, deck: tuple[str, ...], box: Box
) -> None:
    """The cards of a field, as high as the box, which lie closer where they are many."""
    width = box.h / RATIO
    step = min(width + 2, (box.w - width) / max(1, len(value.words) - 1))
    for number, card in enumerate(value.words):
        if card != NOTHING:
            x, scale = box.x + number * step, width / WIDTH
            picture.add(Use(face(card, deck), x, box.y, scale, zone=value.name, seat=seat))


def _add_words(picture: Picture, table: Table, box: Box) -> None:
    """What goes on, how the round finished last ended, and the last events."""
    sizes = picture.arrangement
    result: list[Words] = [
        (line, sizes.text if number == 0 else sizes.small, TEXT)
        for number, line in enumerate(table.result)
    ]
    y = write(picture, what_goes_on(picture, table) + result, box) + 4
    write_log(picture, table.events, Box(box.x, y, box.w, box.bottom - y))
