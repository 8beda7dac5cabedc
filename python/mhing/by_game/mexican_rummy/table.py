"""The picture of a table of Mexican Rummy: where everything lies, for two to six players.

Every player has a panel with the hand and the melds, the viewer's below and the others' clockwise
above; between them lie the draw pile, the discards, and a status in words.
"""

from __future__ import annotations

from mhing.by_game.mexican_rummy.view import Seat, look
from mhing.render.card import RATIO, WIDTH, back
from mhing.render.panels import (
    BACK_STEP,
    FELT,
    GAP,
    GOLD,
    HEADER,
    PANEL,
    SMALL_SIZE,
    Block,
    H,
    W,
    around,
)
from mhing.render.playing.cards import SHOWN, face
from mhing.render.playing.table import add_header, add_piles, add_play
from mhing.render.scene import Box, Rect, Scene, Sprite, Use
from mhing.render.seen import State

_BELOW_H = 206
_MIDDLE_H = 170
_HAND, _LAID = 46, 40  # widths of cards at most
_SPACE = 1 / 3  # of a card's width, between groups of them


def scene(d: State, view: int | None = None) -> Scene:
    """Returns the picture of the state `d`, seen by the seat `view`, or open to all with None."""
    table = look(d, view)
    picture = Scene(W, H, FELT, f"Mexican Rummy: {table.heading}")
    panels, middle = around(len(table.seats), _BELOW_H, _MIDDLE_H)
    for seat, box in zip(table.clockwise, panels, strict=True):
        _add_panel(picture, seat, box)
    words = add_piles(picture, table, middle)
    add_play(picture, table, words)
    return picture


# ---- Panels -----------------------------------------------------------------------------------


def _add_panel(picture: Scene, seat: Seat, box: Box) -> None:
    """A player's name and score, then the hand, then the melds."""
    picture.add(Rect(box.x, box.y, box.w, box.h, PANEL, 8, GOLD if seat.is_active else None, 3))
    planning = "laying down" if seat.is_planning else ""
    add_header(picture, seat, planning, Box(box.x, box.y, box.w, HEADER), SMALL_SIZE)
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
    """Lays groups of cards in one row, as large as the box is high.

    Where they are many they lie closer, and become smaller before a rank is covered.
    """
    if not blocks:
        return
    ends = len(blocks) + (len(blocks) - 1) * _SPACE
    steps = sum((len(block.sprites) - 1) * block.step for block in blocks)
    size = min(width, box.h / RATIO, box.w / (ends + steps * SHOWN))
    free = box.w - size * ends
    wanted = size + 2
    step = wanted if steps * wanted <= free else free / steps
    x = box.x
    for block in blocks:
        x = _add_row(picture, block.sprites, x, box.y, size, step * block.step) + size * _SPACE


def _add_row(
    picture: Scene, sprites: tuple[Sprite, ...], x: float, y: float, size: float, step: float
) -> float:
    """Cards from left to right, each over the one before; returns where the last one ends."""
    for i, sprite in enumerate(sprites):
        picture.add(Use(sprite, x + i * step, y, size / WIDTH))
    return x + (len(sprites) - 1) * step + size
