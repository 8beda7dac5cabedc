"""What the pictures of all tables share: where panels are, and what is written in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from mhing.render import font
from mhing.render.card import HEIGHT, WIDTH, back
from mhing.render.palette import ACCENT, BAR, DARK, GOLD, PALE, PANEL, TEXT
from mhing.render.people import YOU
from mhing.render.picture import Picture
from mhing.render.scene import Box, Rect, Sprite, Text, Use
from mhing.render.seen import AnySeat, Seat, Table

Words: TypeAlias = tuple[str, int, str]
"""A line of text, its size and its colour."""


def around(picture: Picture, num_seats: int, below_h: float, middle_h: float) -> list[Box]:
    """The panels, clockwise from the viewer's below, and last the box in the middle."""
    sizes, gap = picture.arrangement, picture.arrangement.gap
    w = sizes.w - 2 * gap
    below = Box(gap, sizes.h - gap - below_h, w, below_h)
    middle = Box(gap, below.y - gap - middle_h, w, middle_h)
    if num_seats == 1:
        return [below, middle]
    counts = sizes.above[num_seats - 2]
    h = (middle.y - gap * (1 + len(counts))) / len(counts)
    highest, *pairs = (
        _in_row(count, Box(gap, gap + n * (h + gap), w, h), gap) for n, count in enumerate(counts)
    )
    lefts, rights = [left for left, _ in pairs], [right for _, right in pairs]
    return [below, *reversed(lefts), *highest, *rights, middle]


def _in_row(count: int, box: Box, gap: float) -> list[Box]:
    """Panels side by side."""
    w = (box.w - gap * (count - 1)) / count
    return [Box(box.x + i * (w + gap), box.y, w, box.h) for i in range(count)]


def add_panel(picture: Picture, seat: Seat, box: Box, tags: Sequence[str | Sprite]) -> Box:
    """A player's panel: name, tags and score in its header; returns the box for all else.

    The header is at the outer edge, below in the viewer's panel.
    """
    sizes, gap = picture.arrangement, picture.arrangement.gap
    picture.add(Rect(box.x, box.y, box.w, box.h, PANEL, 8, GOLD if seat.is_active else None, 3))
    is_below = box.bottom == sizes.h - gap
    top = box.bottom - sizes.header if is_below else box.y
    _add_header(picture, seat, Box(box.x, top, box.w, sizes.header), tags)
    y = box.y + gap + (0 if is_below else sizes.header)
    return Box(box.x + gap, y, box.w - 2 * gap, box.h - sizes.header - 2 * gap)


def _add_header(picture: Picture, seat: Seat, box: Box, tags: Sequence[str | Sprite]) -> None:
    """Name and tags as far as there is room; the score at the right, in narrow ones a number."""
    sizes = picture.arrangement
    bar, ink, pale = (GOLD, DARK, DARK) if seat.is_active else (BAR, TEXT, PALE)
    picture.add(Rect(box.x, box.y, box.w, box.h, bar, 8))
    space, baseline = sizes.small / 2, box.y + box.h * 0.73
    x, end = box.x + sizes.gap + 2, box.right - sizes.gap - 2
    number, _, _ = seat.score.partition(" ")
    score = f"{number if sizes.is_narrow else seat.score}  {seat.change}".strip()
    if score:
        picture.add(Text(end, baseline, score, sizes.text, ink, "end", bold=True))
        end -= font.text_width(score, sizes.text) + 2 * space
    name = font.shortened(picture.said(seat.name), sizes.text, end - x)
    picture.add(Text(x, baseline, name, sizes.text, ink, bold=True))
    x += font.text_width(name, sizes.text) + space
    is_said = seat.is_viewer and name.lower() != YOU
    said: list[str | Sprite] = [YOU, *tags] if is_said else [*tags]
    for tag in (tag for tag in said if tag):
        if isinstance(tag, Sprite):
            scale = (box.h - 4) / tag.h
            w = tag.w * scale
            shape: Text | Use = Use(tag, x, box.y + 2, scale)
        else:
            w = font.text_width(tag, sizes.small)
            shape = Text(x, baseline, tag, sizes.small, pale)
        if x + w <= end:
            picture.add(shape)
            x += w + space


# ---- Words ------------------------------------------------------------------------------------


def write(picture: Picture, lines: Iterable[Words], box: Box) -> float:
    """Writes lines as long as there is room; returns where they end."""
    y = box.y
    for string, size, color in lines:
        for line in font.wrap(picture.said(string), size, box.w):
            if y + size > box.bottom:
                return y
            y += size + 4
            picture.add(Text(box.x, y - 4, line, size, color, bold=color is ACCENT))
    return y


def what_goes_on(picture: Picture, table: Table[AnySeat]) -> list[Words]:
    """The lines of heading, status and notes."""
    sizes = picture.arrangement
    notes = [(note, sizes.small, TEXT) for note in table.notes]
    return [(table.heading, sizes.text, PALE), (table.status, sizes.name, ACCENT), *notes]


def how_it_ended(picture: Picture, table: Table[AnySeat], result: str) -> list[Words]:
    """The lines of status and result; the one that names the winner stands out."""
    sizes = picture.arrangement
    if table.is_game_over:
        return [(table.status, sizes.text, ACCENT), (result, sizes.small, TEXT)]
    return [(table.status, sizes.small, PALE), (result, sizes.text, ACCENT)]


def write_log(picture: Picture, events: Sequence[str], box: Box) -> None:
    """Writes the last of the events that there is room for, each in a line."""
    size, line = picture.arrangement.small, picture.arrangement.line
    room = int(box.h // line)
    shown = events[-room:] if room > 0 else ()
    for i, event in enumerate(shown, 1):
        words = font.shortened(picture.said(event), size, box.w)
        color = TEXT if i == len(shown) else PALE
        picture.add(Text(box.x, box.y + line * i - 4, words, size, color))


# ---- Piles ------------------------------------------------------------------------------------


def add_draw_pile(picture: Picture, left: int, x: float, y: float) -> Box:
    """Cards face down in a pile, and beneath how many they are; returns the place of both."""
    scale = picture.arrangement.pile / WIDTH
    w, h = WIDTH * scale, HEIGHT * scale
    picture.add(Rect(x + 3, y + 3, w, h, None, 6, PALE, 1))
    for i in range(min(3, left)):
        picture.add(Use(back(), x + 3 * i, y + 3 * i, scale, zone="pile"))
    size = picture.arrangement.small
    picture.add(Text(x + w / 2 + 3, y + h + 8 + size, f"{left} left", size, TEXT, "middle"))
    return Box(x, y, w + 6, h + 11 + size)
