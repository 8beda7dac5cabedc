"""The picture of the table of any game: panels of the seats, and between them all else.

In every region cards lie at the top, in a row for each field, and all other values are written
below them.
"""

from __future__ import annotations

from mhing.render import font
from mhing.render.card import RATIO, WIDTH
from mhing.render.generic.cards import face
from mhing.render.generic.view import NOTHING, Seat, Table, Value
from mhing.render.panels import (
    BAR,
    DARK,
    FELT,
    GAP,
    GOLD,
    HEADER,
    LINE,
    PALE,
    PANEL,
    SMALL_SIZE,
    TEXT_SIZE,
    WHITE,
    H,
    W,
    around,
    what_goes_on,
    write,
    write_log,
)
from mhing.render.scene import Box, Rect, Scene, Text, Use

_MIDDLE_H = 216
_SPACE = 5  # between words
_CARD, _SMALLEST = 50, 14  # widths
_NAMES = 84  # pixels for the name of a row of cards


def scene(table: Table) -> Scene:
    """Returns the picture of a table."""
    picture = Scene(W, H, FELT, table.heading)
    panels, middle = around(len(table.seats), (H - _MIDDLE_H) // 2 - 2 * GAP, _MIDDLE_H)
    for seat, box in zip(table.clockwise, panels, strict=True):
        _add_panel(picture, seat, table.deck, box)
    picture.add(Rect(middle.x, middle.y, middle.w, middle.h, BAR, 8))
    inner = middle.inset(GAP + 4)
    left = Box(inner.x, inner.y, inner.w * 0.6 - GAP, inner.h)
    _add_values(picture, table.values, table.deck, left)
    _add_words(picture, table, Box(left.right + 2 * GAP, inner.y, inner.w * 0.4 - GAP, inner.h))
    return picture


def _add_panel(picture: Scene, seat: Seat, deck: tuple[str, ...], box: Box) -> None:
    """A player's name, then its values."""
    picture.add(Rect(box.x, box.y, box.w, box.h, PANEL, 8, GOLD if seat.is_active else None, 3))
    bar, ink, pale = (GOLD, DARK, DARK) if seat.is_active else (BAR, WHITE, PALE)
    picture.add(Rect(box.x, box.y, box.w, HEADER, bar, 8))
    picture.add(Text(box.x + 10, box.y + 19, seat.name, TEXT_SIZE, ink, bold=True))
    if seat.is_viewer:
        x = box.x + 20 + font.text_width(seat.name, TEXT_SIZE)
        picture.add(Text(x, box.y + 19, "you", TEXT_SIZE, pale))
    if seat.score:
        x = box.right - 10
        picture.add(Text(x, box.y + 19, seat.score, TEXT_SIZE, ink, "end", bold=True))
    inner = Box(box.x + 10, box.y + HEADER + 6, box.w - 20, box.h - HEADER - 10)
    _add_values(picture, seat.values, deck, inner)


def _add_values(picture: Scene, values: tuple[Value, ...], deck: tuple[str, ...], box: Box) -> None:
    """Cards in rows, as large as there is room beside the words, then the words."""
    rows = [value for value in values if value.are_drawn]
    lines = _in_lines([value for value in values if not value.are_drawn], box.w)
    y = box.y
    if rows:
        free = (box.h - LINE * len(lines)) / len(rows) - 4
        width = max(_SMALLEST, min(_CARD, int(free / RATIO)))
        for value in rows:
            if y + width * RATIO > box.bottom:
                break
            _add_cards(picture, value, deck, Box(box.x, y, box.w, width * RATIO), width)
            y += width * RATIO + 4
    for line in lines[: int((box.bottom - y) // LINE)]:
        for x, word, color in line:
            picture.add(Text(box.x + x, y + SMALL_SIZE, word, SMALL_SIZE, color))
        y += LINE


def _in_lines(values: list[Value], width: float) -> list[list[tuple[float, str, str]]]:
    """Values side by side in lines of that width: of each its name and its words, with places."""
    lines: list[list[tuple[float, str, str]]] = [[]]
    x = 0.0
    for value in values:
        parts = [(value.name, PALE), *((word, WHITE) for word in value.words)]
        room = font.text_width(" ".join(word for word, _ in parts), SMALL_SIZE)
        if x and x + min(room, width) > width:
            lines.append([])
            x = 0.0
        for word, color in parts:
            w = font.text_width(word, SMALL_SIZE)
            if x and x + w > width:
                lines.append([])
                x = 0.0
            lines[-1].append((x, word, color))
            x += w + _SPACE
        x += 2 * _SPACE
    return [line for line in lines if line]


def _add_cards(picture: Scene, value: Value, deck: tuple[str, ...], box: Box, width: int) -> None:
    """The name of a field and its cards, which lie closer where they are many."""
    for number, line in enumerate(font.wrap(value.name, SMALL_SIZE, _NAMES - 6)[:2]):
        picture.add(Text(box.x, box.y + 12 + 13 * number, line, SMALL_SIZE, PALE))
    x, free = box.x + _NAMES, box.w - _NAMES - width
    step = min(width + 2, free / max(1, len(value.words) - 1))
    for number, card in enumerate(value.words):
        if card != NOTHING:
            picture.add(Use(face(card, deck), x + number * step, box.y, width / WIDTH))


def _add_words(picture: Scene, table: Table, box: Box) -> None:
    """What goes on, how the round finished last ended, and the last events."""
    result = [
        (line, TEXT_SIZE if number == 0 else SMALL_SIZE, WHITE)
        for number, line in enumerate(table.result)
    ]
    y = write(picture, what_goes_on(table) + result, box) + 4
    if box.bottom - y >= LINE:
        write_log(picture, table.events, Box(box.x, y, box.w, box.bottom - y))
