"""The picture of a table of General Mhing: where everything lies, for two or three players.

Every player has a panel, the viewer's below and the others' clockwise above; in the middle lie the
draw pile and the discards, and at the end how the round was scored.
"""

from __future__ import annotations

from mhing.by_game.general_mhing.view import Seat, Table, look, result_lines
from mhing.render.card import RATIO, back
from mhing.render.panels import (
    BACK_STEP,
    FELT,
    GAP,
    GOLD,
    HEADER,
    PANEL,
    SMALL_SIZE,
    TEXT_SIZE,
    WHITE,
    Block,
    H,
    W,
    flow,
    how_it_ended,
    in_row,
    write,
)
from mhing.render.playing.cards import face
from mhing.render.playing.table import add_header, add_piles, add_play
from mhing.render.scene import Box, Rect, Scene
from mhing.render.seen import State

_PANEL_H = 206
_HAND, _LAID = 48, 44  # widths of cards


def scene(d: State, view: int | None = None) -> Scene:
    """Returns the picture of the state `d`, seen by the seat `view`, or open to all with None."""
    table = look(d, view)
    picture = Scene(W, H, FELT, f"General Mhing: {table.heading}")
    for seat, box in zip(table.clockwise, _boxes(len(table.seats)), strict=True):
        _add_panel(picture, seat, box)
    top = _PANEL_H + 2 * GAP
    middle = Box(GAP, top, W - 2 * GAP, H - 2 * top)
    _add_middle(picture, table, middle, result_lines(d["result"]) if table.result else [])
    return picture


def _boxes(num_seats: int) -> list[Box]:
    """The panels, clockwise from the viewer's below."""
    below = Box(GAP, H - GAP - _PANEL_H, W - 2 * GAP, _PANEL_H)
    return [below, *in_row(num_seats - 1, GAP, _PANEL_H)]


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
    scores = f"sequences score {seat.tally}" if seat.melds else ""
    add_header(picture, seat, scores, Box(box.x, header_y, box.w, HEADER), TEXT_SIZE)
    flow(picture, _hand(seat, hand), Box(x, hand_y, w, hand_h))
    sequences = [
        Block(tuple(face(card.face, card.wild) for card in meld.cards), laid, 10)
        for meld in seat.melds
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


# ---- The middle -------------------------------------------------------------------------------


def _add_middle(picture: Scene, table: Table, box: Box, scored: list[str]) -> None:
    """Draw pile and discards at the left, in words at the right what goes on or how it ended."""
    words = add_piles(picture, table, box)
    if not table.result:
        add_play(picture, table, words)
        return
    lines = [(line, SMALL_SIZE, WHITE) for line in scored]
    write(picture, how_it_ended(table, table.result) + lines, words)
