"""The picture of a table of Mexican Rummy: where everything lies, for two to six players.

Every player has a panel with the hand and the melds, the viewer's below and the others' clockwise
above; between them lie the draw pile and the discards, and what goes on is told in words.
"""

from __future__ import annotations

from mhing.render import font
from mhing.render.card import RATIO, WIDTH, back
from mhing.render.panels import (
    BACK_STEP,
    BAR,
    DARK,
    FELT,
    GAP,
    GOLD,
    HEADER,
    NAME_SIZE,
    PALE,
    PANEL,
    SMALL_SIZE,
    TEXT_SIZE,
    TRAY,
    WHITE,
    Block,
    H,
    W,
    add_draw_pile,
    fitting_width,
    write,
    write_log,
)
from mhing.render.playing_cards import face
from mhing.render.rummy_view import Discard, Seat, State, Table, look
from mhing.render.scene import Box, Rect, Scene, Sprite, Text, Use

_BELOW_H = 206
_MIDDLE_H = 170
_HAND, _LAID = 46, 40  # widths of cards at most


def scene(d: State, view: int | None = None) -> Scene:
    """Returns the picture of the state `d`, seen by the seat `view`, or open to all with None."""
    table = look(d, view)
    picture = Scene(W, H, FELT, f"Mexican Rummy: {table.heading}")
    for place, box in enumerate(_boxes(len(table.seats))):
        _add_panel(picture, table.seats[(table.nearest + place) % len(table.seats)], box)
    top = H - 2 * GAP - _BELOW_H - _MIDDLE_H
    _add_middle(picture, table, Box(GAP, top, W - 2 * GAP, _MIDDLE_H))
    return picture


def _boxes(num_seats: int) -> list[Box]:
    """The panels, clockwise from the viewer's below: three others in a row, more in two."""
    others = num_seats - 1
    rows = [others] if others <= 3 else [others - 2, 2]
    h = (H - 3 * GAP - _BELOW_H - _MIDDLE_H - GAP * len(rows)) / len(rows)
    below = Box(GAP, H - GAP - _BELOW_H, W - 2 * GAP, _BELOW_H)
    above, *lower = (_row(count, GAP + n * (h + GAP), h) for n, count in enumerate(rows))
    if not lower:
        return [below, *above]
    left, right = lower[0]
    return [below, left, *above, right]


def _row(count: int, y: float, h: float) -> list[Box]:
    """Panels side by side."""
    w = (W - GAP * (count + 1)) / count
    return [Box(GAP + i * (w + GAP), y, w, h) for i in range(count)]


# ---- Panels -----------------------------------------------------------------------------------


def _add_panel(picture: Scene, seat: Seat, box: Box) -> None:
    """A player's name and score, then the hand, then the melds."""
    picture.add(Rect(box.x, box.y, box.w, box.h, PANEL, 8, GOLD if seat.is_active else None, 3))
    _add_header(picture, seat, Box(box.x, box.y, box.w, HEADER))
    inner = Box(box.x + GAP, box.y + HEADER + 6, box.w - 2 * GAP, box.h - HEADER - 12)
    split = (inner.h - 6) * 0.5
    _spread(picture, _hand(seat), Box(inner.x, inner.y, inner.w, split), _HAND)
    melds = [
        Block(tuple(face(card.face, card.wild) for card in meld.cards), 1, 1)
        for meld in seat.melds
        if meld.cards
    ]
    _spread(picture, melds, Box(inner.x, inner.y + split + 6, inner.w, split), _LAID)


def _hand(seat: Seat) -> list[Block]:
    """The cards of a hand; of one face down the backs, and the cards that everybody knows."""
    if seat.hand is not None:
        held = tuple(face(card) for card in seat.hand)
        return [Block(cards, 1, 1) for cards in (held, tuple(map(face, seat.drawn))) if cards]
    known = tuple(face(card) for card in seat.known)
    backs = (back(),) * (seat.hand_size - len(known))
    return [Block(cards, 1, 1, step) for cards, step in ((backs, BACK_STEP), (known, 1)) if cards]


def _spread(picture: Scene, blocks: list[Block], box: Box, width: int) -> None:
    """Lays groups of cards in one row, as large as the box is high, closer where they are many."""
    if not blocks:
        return
    size = min(width, box.h / RATIO)
    space = size / 3
    free = box.w - space * (len(blocks) - 1) - size * len(blocks)
    steps = sum((len(block.sprites) - 1) * block.step for block in blocks)
    wanted = size + 2
    step = wanted if steps * wanted <= free else free / steps
    x = box.x
    for block in blocks:
        x = _add_row(picture, block.sprites, x, box.y, size, step * block.step) + space


def _add_row(
    picture: Scene, sprites: tuple[Sprite, ...], x: float, y: float, size: float, step: float
) -> float:
    """Cards from left to right, each over the one before; returns where the last one ends."""
    for i, sprite in enumerate(sprites):
        picture.add(Use(sprite, x + i * step, y, size / WIDTH))
    return x + (len(sprites) - 1) * step + size


def _add_header(picture: Scene, seat: Seat, box: Box) -> None:
    """Name and who is who; at the right the points in the game."""
    bar, ink, pale = (GOLD, DARK, DARK) if seat.is_active else (BAR, WHITE, PALE)
    picture.add(Rect(box.x, box.y, box.w, box.h, bar, 8))
    baseline, x = box.y + 19, box.x + 10
    tags = (
        "you" if seat.is_viewer else "",
        "began" if seat.is_starter else "",
        "lays down" if seat.is_planning else "",
    )
    picture.add(Text(x, baseline, seat.name, TEXT_SIZE, ink, bold=True))
    x += font.text_width(seat.name, TEXT_SIZE) + 10
    for tag in filter(None, tags):
        picture.add(Text(x, baseline, tag, SMALL_SIZE, pale))
        x += font.text_width(tag, SMALL_SIZE) + 8
    score = f"{seat.score}  {seat.change}" if seat.change else seat.score
    picture.add(Text(box.right - 10, baseline, score, SMALL_SIZE, ink, "end", bold=True))


# ---- The middle -------------------------------------------------------------------------------


def _add_middle(picture: Scene, table: Table, box: Box) -> None:
    """Draw pile and discards at the left, in words at the right what goes on or how it ended."""
    picture.add(Rect(box.x, box.y, box.w, box.h, BAR, 8))
    inner = box.inset(GAP + 4)
    scale = 1.3
    add_draw_pile(picture, table.draw_pile_left, inner.x + 3, inner.y + 3, scale)
    tray = Box(inner.x + WIDTH * scale + 24, inner.y, 480, inner.h)
    _add_discards(picture, table.discards, tray)
    words = Box(tray.right + 14, inner.y, inner.right - tray.right - 14, inner.h)
    lines = [(table.heading, TEXT_SIZE, PALE), (table.status, NAME_SIZE, GOLD)]
    if table.result:
        lines.append((table.result, TEXT_SIZE, WHITE))
    y = write(picture, [*lines, *((note, SMALL_SIZE, WHITE) for note in table.notes)], words) + 4
    write_log(picture, table.events, Box(words.x, y, words.w, words.bottom - y))


def _add_discards(picture: Scene, discards: tuple[Discard, ...], tray: Box) -> None:
    """The discards in order, in rows, as large as they fit; the one that may be had marked."""
    picture.add(Rect(tray.x, tray.y, tray.w, tray.h, TRAY, 6))
    box = tray.inset(8)
    width = fitting_width(len(discards), box, WIDTH)
    per_row = int((box.w + 2) // (width + 2))
    h = width * RATIO
    for i, discard in enumerate(discards):
        x, y = box.x + i % per_row * (width + 2), box.y + i // per_row * (h + 3)
        if discard.offered:
            picture.add(Rect(x - 3, y - 3, width + 6, h + 6, GOLD, 6))
        picture.add(Use(face(discard.card), x, y, width / WIDTH))
