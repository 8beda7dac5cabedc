"""Cards in rows: as large as a box has room for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from mhing.render import font
from mhing.render.card import RATIO, WIDTH
from mhing.render.palette import GOLD, PALE
from mhing.render.scene import Box, Rect, Scene, Sprite, Text, Use

BACK_STEP = 0.5
"""From one concealed card of a fan to the next, in widths of a card."""

_SMALL = 0.6  # of the largest width: from here on cards rather lie closer
_SMALLEST = 8  # width of a card
_BETWEEN = 3  # pixels between rows
_NOTE = 10  # the size of a note


@dataclass(frozen=True)
class Block:
    """Cards of one zone side by side, in widths of a card."""

    zone: str
    seat: int | None
    sprites: tuple[Sprite, ...]
    space: float  # before it in a row
    step: float = 1.04  # from one card to the next, where there is room
    closest: float = 1  # the step at least
    size: float = 1  # of its cards, compared with those of other blocks
    note: str = ""  # above it
    may_break: bool = False  # into rows


@dataclass(frozen=True)
class _Place:
    """Where a card of a block is."""

    block: Block
    number: int
    row: int
    x: float


def lay(picture: Scene, blocks: Sequence[Block], box: Box, largest: float) -> None:
    """Lays blocks in rows from the top of a box, bottoms of cards in line.

    Cards are as large as there is room, `largest` wide at most. Rather than become small they lie
    closer to each other, as far as that is possible.
    """
    head = (_NOTE + 3) * any(block.note for block in blocks)

    def places(width: float, closeness: float) -> list[_Place] | None:
        found = list(_places(blocks, box.w, width, closeness))
        rows = found[-1].row + 1 if found else 0
        ends = (place.x + width * place.block.size for place in found)
        needed = rows * (width * RATIO + head + _BETWEEN) - _BETWEEN
        return found if max(ends, default=0) <= box.w + 0.01 and needed <= box.h + 0.01 else None

    apart = _most(lambda width: places(width, 0) is not None, _SMALLEST, largest)
    close = _most(lambda width: places(width, 1) is not None, _SMALLEST, _SMALL * largest)
    width = float(int(max(apart, close)))  # of few sizes there are few pictures, and small films
    closeness = _most(lambda closeness: places(width, 1 - closeness) is not None, 0, 1, 0.05)
    for place in places(width, 1 - closeness) or ():
        block, card = place.block, width * place.block.size
        bottom = box.y + (place.row + 1) * (width * RATIO + head) + place.row * _BETWEEN
        x, top = box.x + place.x, bottom - card * RATIO
        if block.note and place.number == 0:
            stretch = font.squeezed(block.note, _NOTE, card * len(block.sprites))
            picture.add(Text(x, top - 3, block.note, _NOTE, PALE, stretch=stretch))
        sprite = block.sprites[place.number]
        picture.add(Use(sprite, x, top, card / WIDTH, zone=block.zone, seat=block.seat))


def _places(
    blocks: Sequence[Block], room: float, width: float, closeness: float
) -> Iterator[_Place]:
    """Where cards of that width are; closeness 0: as far apart as they may, 1: as close."""
    row, end = 0, 0.0
    for block in blocks:
        card = width * block.size
        step = card * (block.step + (block.closest - block.step) * closeness)
        whole = card if block.may_break else card + step * (len(block.sprites) - 1)
        x = end + width * block.space if end else 0.0
        for number in range(len(block.sprites)):
            if x + whole > room and x and (number == 0 or block.may_break):
                row, x = row + 1, 0.0
            yield _Place(block, number, row, x)
            end = x + card
            x += step


def _most(fits: Callable[[float], bool], low: float, high: float, exactness: float = 0.5) -> float:
    """The largest number that fits, `low` if none does."""
    if fits(high):
        return high
    while high - low > exactness:
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def in_rows(count: int, box: Box, largest: float) -> list[Box]:
    """Places for so many single cards in rows, as large as they fit into a box."""

    def per_row(width: float) -> int:
        return int((box.w + 2) // (width + 2))

    def fits(width: float) -> bool:
        columns = per_row(width)
        rows = -(-count // columns) if columns else 0
        return columns > 0 and rows * (width * RATIO + _BETWEEN) - _BETWEEN <= box.h

    width = _most(fits, _SMALLEST, largest)
    columns, h = per_row(width), width * RATIO
    return [
        Box(box.x + i % columns * (width + 2), box.y + i // columns * (h + _BETWEEN), width, h)
        for i in range(count)
    ]


def add_offer(picture: Scene, place: Box) -> None:
    """The mark beneath a discard that may be had."""
    margin = min(3, place.w / 12)
    ground = place.inset(-margin)
    picture.add(Rect(ground.x, ground.y, ground.w, ground.h, GOLD, 6))
