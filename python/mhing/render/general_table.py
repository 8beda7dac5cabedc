"""The picture of a table of General Mhing: where everything lies, for two or three players.

Every player has a panel, the viewer's below and the others' clockwise above; in the middle lie the
draw pile and the discards, and at the end how the round was scored.
"""

from __future__ import annotations

from mhing.render import font
from mhing.render.card import RATIO, WIDTH, back
from mhing.render.general_view import Discard, Seat, State, Table, look, result_lines
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
    flow,
    write,
    write_log,
)
from mhing.render.playing_cards import face
from mhing.render.scene import Box, Rect, Scene, Text, Use

_PANEL_H = 206
_HAND, _LAID = 48, 44  # widths of cards


def scene(d: State, view: int | None = None) -> Scene:
    """Returns the picture of the state `d`, seen by the seat `view`, or open to all with None."""
    table = look(d, view)
    picture = Scene(W, H, FELT, f"General Mhing: {table.heading}")
    for place, box in enumerate(_boxes(len(table.seats))):
        _add_panel(picture, table.seats[(table.nearest + place) % len(table.seats)], box)
    top = _PANEL_H + 2 * GAP
    middle = Box(GAP, top, W - 2 * GAP, H - 2 * top)
    _add_middle(picture, table, middle, result_lines(d["result"]) if table.result else [])
    return picture


def _boxes(num_seats: int) -> list[Box]:
    """The panels, clockwise from the viewer's below."""
    above = num_seats - 1
    w = (W - GAP * (above + 1)) / above
    below = Box(GAP, H - GAP - _PANEL_H, W - 2 * GAP, _PANEL_H)
    return [below, *(Box(GAP + i * (w + GAP), GAP, w, _PANEL_H) for i in range(above))]


# ---- Panels -----------------------------------------------------------------------------------


def _add_panel(picture: Scene, seat: Seat, box: Box) -> None:
    """A player's name and score at the outer edge, then the hand, then the sequences."""
    border = GOLD if seat.is_active else None
    picture.add(Rect(box.x, box.y, box.w, box.h, PANEL, 8, border, 3))
    wide = box.w > W / 2
    hand, laid = (_HAND, _LAID) if wide else (_HAND - 6, _LAID - 12)
    hand_h, laid_h = hand * RATIO, laid * RATIO
    x, w = box.x + GAP, box.w - 2 * GAP
    if box.y > H / 2:
        header_y, hand_y = box.bottom - HEADER, box.bottom - HEADER - GAP - hand_h
        laid_y = box.y + GAP + 12
    else:
        header_y, hand_y = box.y, box.y + HEADER + GAP
        laid_y = box.bottom - GAP - laid_h
    _add_header(picture, seat, Box(box.x, header_y, box.w, HEADER))
    flow(picture, _hand(seat, hand), Box(x, hand_y, w, hand_h))
    sequences = [
        Block(tuple(face(card.face, card.wild) for card in sequence.cards), laid, 10)
        for sequence in seat.sequences
    ]
    flow(picture, sequences, Box(x, laid_y, w, laid_h))


def _hand(seat: Seat, width: int) -> list[Block]:
    """The cards of a hand; of one face down the backs, and the cards that everybody knows."""
    if seat.hand is not None:
        held = [Block((face(card),), width, 4) for card in seat.hand]
        return held + [Block((face(card),), width, width // 3) for card in seat.drawn]
    hidden = seat.hand_size - len(seat.known)
    known = [Block((face(card),), width, 4) for card in seat.known]
    return [Block((back(),) * hidden, width, 0, BACK_STEP), *known] if hidden else known


def _add_header(picture: Scene, seat: Seat, box: Box) -> None:
    """Name and who is who; what the sequences score, and the points in the game at the right."""
    bar, ink, pale = (GOLD, DARK, DARK) if seat.is_active else (BAR, WHITE, PALE)
    picture.add(Rect(box.x, box.y, box.w, box.h, bar, 8))
    baseline, x = box.y + 19, box.x + 10
    tags = (
        "you" if seat.is_viewer else "",
        "began" if seat.is_starter else "",
        f"sequences score {seat.tally}" if seat.sequences else "",
    )
    picture.add(Text(x, baseline, seat.name, TEXT_SIZE, ink, bold=True))
    x += font.text_width(seat.name, TEXT_SIZE) + 10
    for tag in filter(None, tags):
        picture.add(Text(x, baseline, tag, TEXT_SIZE, pale))
        x += font.text_width(tag, TEXT_SIZE) + 10
    score = f"{seat.score}  {seat.change}" if seat.change else seat.score
    picture.add(Text(box.right - 10, baseline, score, TEXT_SIZE, ink, "end", bold=True))


# ---- The middle -------------------------------------------------------------------------------


def _add_middle(picture: Scene, table: Table, box: Box, scored: list[str]) -> None:
    """Draw pile and discards at the left, in words at the right what goes on or how it ended."""
    picture.add(Rect(box.x, box.y, box.w, box.h, BAR, 8))
    inner = box.inset(GAP + 4)
    scale = 1.3
    add_draw_pile(picture, table.draw_pile_left, inner.x + 3, inner.y + 3, scale)
    tray = Box(inner.x + WIDTH * scale + 24, inner.y, 480, inner.h)
    _add_discards(picture, table.discards, tray)
    words = Box(tray.right + 14, inner.y, inner.right - tray.right - 14, inner.h)
    if table.result:
        lines = [(table.status, SMALL_SIZE, PALE), (table.result, TEXT_SIZE, GOLD)]
        write(picture, [*lines, *((line, SMALL_SIZE, WHITE) for line in scored)], words)
        return
    lines = [(table.heading, TEXT_SIZE, PALE), (table.status, NAME_SIZE, GOLD)]
    y = write(picture, [*lines, *((note, SMALL_SIZE, WHITE) for note in table.notes)], words) + 4
    write_log(picture, table.events, Box(words.x, y, words.w, words.bottom - y))


def _add_discards(picture: Scene, discards: tuple[Discard, ...], tray: Box) -> None:
    """The discards in order, in rows, as large as they fit; the one that may be taken marked."""
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
