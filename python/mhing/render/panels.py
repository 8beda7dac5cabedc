"""What the pictures of all tables share: their size and colours, and cards laid in rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

from mhing.render import font
from mhing.render.card import HEIGHT, RATIO, WIDTH, back
from mhing.render.scene import Box, Rect, Scene, Sprite, Text, Use
from mhing.render.seen import AnySeat, Table

W, H = 960, 720
GAP = 8  # between panels, and around what is in them
HEADER = 26

FELT = "#143f33"
PANEL = "#1e5a48"
TRAY = "#1a4e3e"
BAR = "#0f3128"
WHITE = "#f2f5ee"
PALE = "#b5cdc2"
GOLD = "#ffc83d"
DARK = "#1b1a12"

NAME_SIZE, TEXT_SIZE, SMALL_SIZE = 16, 14, 12  # of text
LINE = 16  # from one line of small text to the next
BACK_STEP = 0.5  # of a card's width, from one concealed card to the next


@dataclass(frozen=True)
class Block:
    """Cards that stay together, the space before them in a row, and a note above."""

    sprites: tuple[Sprite, ...]
    width: int  # of a card
    space: int
    step: float = 1  # of a card's width, from one card to the next
    note: str = ""

    @property
    def w(self) -> float:
        """The width of all."""
        return self.width * (1 + self.step * (len(self.sprites) - 1))


def flow(picture: Scene, blocks: Sequence[Block], box: Box) -> float:
    """Lays blocks in rows of the box's height, bottoms in line; returns where the last ends."""
    x, y = box.x, box.y
    for block in blocks:
        if x > box.x:
            x += block.space
            if x + block.w > box.right:
                x, y = box.x, y + box.h
        h = block.width * RATIO
        top = y + box.h - h
        if block.note:
            picture.add(Text(x + block.w / 2, top - 3, block.note, 10, PALE, "middle"))
        for i, sprite in enumerate(block.sprites):
            picture.add(Use(sprite, x + i * block.step * block.width, top, block.width / WIDTH))
        x += block.w
    return y + box.h


def in_row(count: int, y: float, h: float) -> list[Box]:
    """Panels side by side, as wide as the picture."""
    w = (W - GAP * (count + 1)) / count
    return [Box(GAP + i * (w + GAP), y, w, h) for i in range(count)]


def around(num_seats: int, below_h: float, middle_h: float) -> tuple[list[Box], Box]:
    """The panels, clockwise from the viewer's below, and the box between them.

    Up to three others are in a row above; of more, two are in a second row, at the sides.
    """
    below = Box(GAP, H - GAP - below_h, W - 2 * GAP, below_h)
    middle = Box(GAP, below.y - GAP - middle_h, W - 2 * GAP, middle_h)
    others = num_seats - 1
    if not others:
        return [below], middle
    rows = [others] if others <= 3 else [others - 2, 2]
    h = (middle.y - GAP * (1 + len(rows))) / len(rows)
    above, *lower = (in_row(count, GAP + n * (h + GAP), h) for n, count in enumerate(rows))
    if not lower:
        return [below, *above], middle
    left, right = lower[0]
    return [below, left, *above, right], middle


def in_rows(count: int, box: Box, width: int) -> list[Box]:
    """Places for so many cards in rows, as large as they fit into a box, `width` wide at most."""
    while not _fits(count, box, width):
        width -= 1
    per_row = int((box.w + 2) // (width + 2))
    h = width * RATIO
    return [
        Box(box.x + i % per_row * (width + 2), box.y + i // per_row * (h + 3), width, h)
        for i in range(count)
    ]


def _fits(count: int, box: Box, width: int) -> bool:
    per_row = (box.w + 2) // (width + 2)
    return ceil(count / per_row) * (width * RATIO + 3) - 3 <= box.h


def add_offer(picture: Scene, place: Box) -> None:
    """The mark beneath a discard that may be had."""
    picture.add(Rect(place.x - 3, place.y - 3, place.w + 6, place.h + 6, GOLD, 6))


def write(picture: Scene, lines: Iterable[tuple[str, int, str]], box: Box) -> float:
    """Writes lines (text, size, colour) as long as there is room; returns where they end."""
    y = box.y
    for string, size, color in lines:
        for line in font.wrap(string, size, box.w):
            if y + size > box.bottom:
                return y
            y += size + 4
            picture.add(Text(box.x, y - 4, line, size, color, bold=color == GOLD))
    return y


def what_goes_on(table: Table[AnySeat]) -> list[tuple[str, int, str]]:
    """The lines of heading, status and notes."""
    notes = [(note, SMALL_SIZE, WHITE) for note in table.notes]
    return [(table.heading, TEXT_SIZE, PALE), (table.status, NAME_SIZE, GOLD), *notes]


def how_it_ended(table: Table[AnySeat], result: str) -> list[tuple[str, int, str]]:
    """The lines of status and result; the one that names the winner stands out."""
    if table.is_game_over:
        return [(table.status, TEXT_SIZE, GOLD), (result, SMALL_SIZE, WHITE)]
    return [(table.status, SMALL_SIZE, PALE), (result, TEXT_SIZE, GOLD)]


def write_log(picture: Scene, events: Sequence[str], box: Box) -> None:
    """Writes the last of the events that there is room for."""
    shown = events[-max(int(box.h // LINE), 1) :]
    for i, event in enumerate(shown, 1):
        color = WHITE if i == len(shown) else PALE
        picture.add(Text(box.x, box.y + LINE * i - 4, event, SMALL_SIZE, color))


def add_draw_pile(picture: Scene, left: int, x: float, y: float, scale: float) -> None:
    """Cards face down in a pile, and how many they are."""
    w, h = WIDTH * scale, HEIGHT * scale
    picture.add(Rect(x, y, w, h, None, 6, PALE, 1))
    for i in range(min(3, left)):
        picture.add(Use(back(), x + 3 * i - 3, y + 3 * i - 3, scale))
    picture.add(Text(x + w / 2, y + h + 15, f"{left} left", SMALL_SIZE, WHITE, "middle"))
