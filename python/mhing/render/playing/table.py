"""What the pictures of games with playing cards share: panels' headers, the piles, the play."""

from __future__ import annotations

from mhing.render import font
from mhing.render.card import WIDTH
from mhing.render.panels import (
    BAR,
    DARK,
    GAP,
    GOLD,
    PALE,
    TEXT_SIZE,
    TRAY,
    WHITE,
    add_draw_pile,
    add_offer,
    in_rows,
    what_goes_on,
    write,
    write_log,
)
from mhing.render.playing.cards import face
from mhing.render.playing.view import AnySeat, Discard, Seat, Table
from mhing.render.scene import Box, Rect, Scene, Text, Use


def add_header(picture: Scene, seat: Seat, tag: str, box: Box, size: int) -> None:
    """Name, who is who and the tag; at the right the points. All but the name in one size."""
    bar, ink, pale = (GOLD, DARK, DARK) if seat.is_active else (BAR, WHITE, PALE)
    picture.add(Rect(box.x, box.y, box.w, box.h, bar, 8))
    baseline, x = box.y + 19, box.x + 10
    picture.add(Text(x, baseline, seat.name, TEXT_SIZE, ink, bold=True))
    x += font.text_width(seat.name, TEXT_SIZE) + 10
    tags = ("you" if seat.is_viewer else "", "began" if seat.is_starter else "", tag)
    for each in filter(None, tags):
        picture.add(Text(x, baseline, each, size, pale))
        x += font.text_width(each, size) + size - 4
    score = f"{seat.score}  {seat.change}" if seat.change else seat.score
    picture.add(Text(box.right - 10, baseline, score, size, ink, "end", bold=True))


def add_piles(picture: Scene, table: Table[AnySeat], box: Box) -> Box:
    """Draw pile and discards at the left of the box; returns what is left of it for words."""
    picture.add(Rect(box.x, box.y, box.w, box.h, BAR, 8))
    inner = box.inset(GAP + 4)
    scale = 1.3
    add_draw_pile(picture, table.draw_pile_left, inner.x + 3, inner.y + 3, scale)
    tray = Box(inner.x + WIDTH * scale + 24, inner.y, 480, inner.h)
    _add_discards(picture, table.discards, tray)
    return Box(tray.right + 14, inner.y, inner.right - tray.right - 14, inner.h)


def _add_discards(picture: Scene, discards: tuple[Discard, ...], tray: Box) -> None:
    """The discards in order, in rows, as large as they fit; the one that may be had marked."""
    picture.add(Rect(tray.x, tray.y, tray.w, tray.h, TRAY, 6))
    places = in_rows(len(discards), tray.inset(8), WIDTH)
    for discard, place in zip(discards, places, strict=True):
        if discard.offered:
            add_offer(picture, place)
        picture.add(Use(face(discard.card), place.x, place.y, place.w / WIDTH))


def add_play(picture: Scene, table: Table[AnySeat], box: Box) -> None:
    """In words what goes on, how it ended if it has, and the last events."""
    result = [(table.result, TEXT_SIZE, WHITE)] if table.result else []
    y = write(picture, what_goes_on(table) + result, box) + 4
    write_log(picture, table.events, Box(box.x, y, box.w, box.bottom - y))
