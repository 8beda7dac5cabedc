"""The picture of a Mhing table: where everything lies, for two to six players.

Every player has a panel, the viewer's below and the others' clockwise around the table, with the
discards towards the middle; in the middle lie the source and the discard on offer, and at the end
the cards of the winner.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mhing.by_game.mhing.cards import face, flower_mark
from mhing.by_game.mhing.view import Card, Discard, Result, Seat, Table, look
from mhing.render import font
from mhing.render.card import HEIGHT, RATIO, WIDTH, back
from mhing.render.panels import (
    BACK_STEP,
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
    TRAY,
    WHITE,
    Block,
    H,
    W,
    add_draw_pile,
    add_offer,
    flow,
    how_it_ended,
    in_row,
    in_rows,
    what_goes_on,
    write,
    write_log,
)
from mhing.render.scene import Box, Circle, Rect, Scene, Sprite, Text, Use
from mhing.render.seen import State

MELD_SCALE = 0.8  # melds beside the cards of a hand


@dataclass(frozen=True)
class _Panel:
    """One player's side of the table, and how wide the cards are drawn there."""

    box: Box
    hand: int
    discard: int


def scene(d: State, view: int | None = None) -> Scene:
    """Returns the picture of the state `d`, seen by the seat `view`, or open to all with None."""
    table = look(d, view)
    picture = Scene(W, H, FELT, f"Mhing: {table.heading}")
    panels, centre = _arrange(len(table.seats))
    for seat, panel in zip(table.clockwise, panels, strict=True):
        _add_panel(picture, seat, panel)
    _add_centre(picture, table, centre)
    return picture


def _arrange(num_seats: int) -> tuple[list[_Panel], Box]:
    """The panels, clockwise from the viewer's below, and the box between them."""
    if num_seats == 4:
        return _cross()
    below, above = {2: (1, 1), 3: (1, 2), 5: (3, 2), 6: (3, 3)}[num_seats]
    height = 288
    bottom = _in_row(H - GAP - height, height, below)
    middle = below // 2
    panels = bottom[middle::-1] + _in_row(GAP, height, above) + bottom[:middle:-1]
    top = height + 2 * GAP
    return panels, Box(GAP, top, W - 2 * GAP, H - 2 * top)


def _cross() -> tuple[list[_Panel], Box]:
    """Four players: one at each side."""
    edge, side = 180, 300
    y, height = edge + 2 * GAP, H - 2 * edge - 4 * GAP
    top, bottom = (Box(GAP, at, W - 2 * GAP, edge) for at in (GAP, H - GAP - edge))
    left, right = (Box(at, y, side, height) for at in (GAP, W - GAP - side))
    centre = Box(left.right + GAP, y, right.x - left.right - 2 * GAP, height)
    wide, narrow = (44, 30), (36, 28)
    panels = [
        _Panel(bottom, *wide),
        _Panel(left, *narrow),
        _Panel(top, *wide),
        _Panel(right, *narrow),
    ]
    return panels, centre


def _in_row(y: float, height: float, count: int) -> list[_Panel]:
    """Panels side by side, from left to right."""
    hand, discard = {1: (48, 34), 2: (40, 30), 3: (36, 28)}[count]
    return [_Panel(box, hand, discard) for box in in_row(count, y, height)]


# ---- Panels -----------------------------------------------------------------------------------


def _add_panel(picture: Scene, seat: Seat, panel: _Panel) -> None:
    """A player's name and score at the outer edge, then the hand and melds, then the discards."""
    box = panel.box
    border = GOLD if seat.is_active else None
    picture.add(Rect(box.x, box.y, box.w, box.h, PANEL, 8, border, 3))
    row = panel.hand * RATIO + GAP
    hand_h = row if box.w > W / 2 else 2 * row
    tray_h = box.h - HEADER - hand_h - 2 * GAP
    if box.y > H / 2:
        tray_y = box.y + GAP
        hand_y, header_y = tray_y + tray_h, box.bottom - HEADER
    else:
        header_y, hand_y = box.y, box.y + HEADER
        tray_y = hand_y + hand_h + GAP
    x, w = box.x + GAP, box.w - 2 * GAP
    _add_header(picture, seat, Box(box.x, header_y, box.w, HEADER))
    flow(picture, _blocks(seat, panel.hand), Box(x, hand_y, w, row))
    _add_discards(picture, seat.discards, Box(x, tray_y, w, tray_h), panel.discard)


def _add_header(picture: Scene, seat: Seat, box: Box) -> None:
    """Name, dealer's mark, flowers; the score at the right."""
    bar, ink, pale = (GOLD, DARK, DARK) if seat.is_active else (BAR, WHITE, PALE)
    picture.add(Rect(box.x, box.y, box.w, box.h, bar, 8))
    baseline = box.y + 19
    x = box.x + 10

    def write(string: str, color: str, bold: bool = False) -> None:
        nonlocal x
        picture.add(Text(x, baseline, string, TEXT_SIZE, color, bold=bold))
        x += font.text_width(string, TEXT_SIZE) + 8

    write(seat.name, ink, bold=True)
    if seat.is_viewer:
        write("you", pale)
    if seat.is_dealer:
        picture.add(Circle(x + 8, box.y + HEADER / 2, 9, WHITE, DARK, 1.5))
        picture.add(Text(x + 8, baseline - 1, "D", SMALL_SIZE, DARK, "middle", bold=True))
        x += 24
    if seat.flowers:
        picture.add(Use(flower_mark(), x, box.y + 3))
        x += 22
        write(str(seat.flowers), ink)
    score = f"{seat.score}  {seat.change}" if seat.change else seat.score
    picture.add(Text(box.right - 10, baseline, score, TEXT_SIZE, ink, "end", bold=True))


def _blocks(seat: Seat, width: int) -> list[Block]:
    """The hand and the melds as blocks of cards."""
    if seat.hand is None:
        hand = [Block((back(),) * seat.hand_size, width, 0, BACK_STEP)] if seat.hand_size else []
    else:
        hand = [Block((face(card),), width, 2) for card in seat.hand]
    if seat.drawn:
        hand.append(Block((face(seat.drawn),), width, width // 3))
    melds = [
        Block(
            _faces(meld.cards),
            round(width * MELD_SCALE),
            10,
            note="" if meld.claimed_from is None else f"from {meld.claimed_from}",
        )
        for meld in seat.melds
    ]
    return hand + melds


def _faces(cards: Iterable[Card]) -> tuple[Sprite, ...]:
    return tuple(face(card.face, card.joker) for card in cards)


def _add_discards(picture: Scene, discards: Sequence[Discard], tray: Box, width: int) -> None:
    """The discards in order, in rows, as large as they fit; claimed ones faded, with the taker."""
    picture.add(Rect(tray.x, tray.y, tray.w, tray.h, TRAY, 6))
    for discard, place in zip(discards, in_rows(len(discards), tray.inset(4), width), strict=True):
        if discard.offered:
            add_offer(picture, place)
        opacity = 1 if discard.taken_by is None else 0.4
        picture.add(Use(face(discard.card), place.x, place.y, place.w / WIDTH, opacity))
        if discard.taken_by is not None:
            centre, middle, size = place.x + place.w / 2, place.y + 0.66 * place.h, place.w / 2
            picture.add(Circle(centre, middle, 0.3 * place.w, DARK))
            foot, taker = middle + 0.37 * size, discard.taker
            picture.add(Text(centre, foot, taker, size, WHITE, "middle", bold=True))


# ---- The middle -------------------------------------------------------------------------------


def _add_centre(picture: Scene, table: Table, box: Box) -> None:
    """Between the panels: the play, or how it ended; side by side where it is a band."""
    picture.add(Rect(box.x, box.y, box.w, box.h, BAR, 8))
    inner = box.inset(GAP + 2)
    is_band = box.w > 2 * box.h
    if table.result:
        _add_result(picture, table, table.result, inner, is_band)
    else:
        _add_play(picture, table, inner, is_band)


def _add_play(picture: Scene, table: Table, box: Box, is_band: bool) -> None:
    """Source, discard on offer, whose turn it is, and the last events."""
    _add_piles(picture, table, box)
    if is_band:
        text = Box(box.x + 200, box.y, 460, box.h)
        log = Box(text.right + GAP, box.y, box.right - text.right - GAP, box.h)
        write(picture, what_goes_on(table), text)
    else:
        text = Box(box.x, box.y + 116, box.w, box.h - 116)
        y = write(picture, what_goes_on(table), text) + 2
        log = Box(box.x, y, box.w, box.bottom - y)
    write_log(picture, table.events, log)


def _add_piles(picture: Scene, table: Table, box: Box) -> None:
    """The source as a pile of backs, and the discard on offer."""
    scale = 1.3
    w, h = WIDTH * scale, HEIGHT * scale
    caption = box.y + h + 18
    x, y = box.x + 3, box.y + 3
    add_draw_pile(picture, table.source_left, x, y, scale)
    x += 100
    if table.offer:
        picture.add(Rect(x - 4, y - 4, w + 8, h + 8, GOLD, 9))
        picture.add(Use(face(table.offer), x, y, scale))
        origin = f"by seat {table.offered_by}"
        picture.add(Text(x + w / 2, caption, origin, SMALL_SIZE, WHITE, "middle"))


def _add_result(picture: Scene, table: Table, result: Result, box: Box, is_band: bool) -> None:
    """The winner's cards as arranged, and the credits by name."""
    width = 540 if is_band else box.w
    lines = how_it_ended(table, result.headline)
    y = write(picture, lines, Box(box.x, box.y, width, box.h))
    singles = all(len(group) == 1 for group in result.groups)
    card = 34 if is_band else 29
    blocks = [Block(_faces(group), card, 1 if singles else 10) for group in result.groups]
    y = flow(picture, blocks, Box(box.x, y + 2, width, card * RATIO + 3)) + 4
    if is_band:
        _add_parts(picture, result, box.x + width + 16, box.y, box.h)
    else:
        _add_parts(picture, result, box.x, y, box.bottom - y)


def _add_parts(picture: Scene, result: Result, x: float, y: float, h: float) -> None:
    """The credits by name, in columns of height `h`."""
    rows = int(h // LINE)
    for start in range(0, len(result.parts), rows):
        column = result.parts[start : start + rows]
        for i, (name, credits) in enumerate(column):
            baseline = y + SMALL_SIZE + i * LINE
            picture.add(Text(x + 14, baseline, str(credits), SMALL_SIZE, GOLD, "end", bold=True))
            picture.add(Text(x + 20, baseline, name, SMALL_SIZE, WHITE))
        x += 36 + max(font.text_width(name, SMALL_SIZE) for name, _ in column)
