"""The picture of a Mhing table: where everything lies, for two to six players.

Every player has a panel, the viewer's below and the others' clockwise above, with the discards
towards the middle; in the middle lie the source and the discard on offer, and at the end the cards
of the winner.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import ceil

from mhing.by_game.mhing import declared
from mhing.by_game.mhing.cards import dealer_mark, face, flower_mark
from mhing.by_game.mhing.view import Card, Discard, Result, Seat, Table, look
from mhing.render import font
from mhing.render.card import RATIO, WIDTH, back
from mhing.render.ending import add_groups, add_parts
from mhing.render.palette import BAR, FELT, GOLD, INK, PAPER, TEXT, TRAY
from mhing.render.panels import (
    add_draw_pile,
    add_panel,
    around,
    how_it_ended,
    what_goes_on,
    write,
    write_log,
)
from mhing.render.picture import Format, Picture
from mhing.render.rows import BACK_STEP, Block, add_offer, in_rows, lay
from mhing.render.scene import Box, Circle, Rect, Sprite, Text, Use
from mhing.render.seen import State

_HEIGHTS: dict[Format, tuple[float, float]] = {"wide": (246, 140), "portrait": (232, 96)}
"""Of the viewer's panel, and of the middle."""
_ENDED: dict[Format, float] = {"wide": 150, "portrait": 190}
"""Of the middle, with the cards of the winner."""
_MANY = 4  # others for whom both are a tenth less high

_CARD, _DISCARD = 64, 44  # widths at most
_MELD, _BACK = 0.8, 0.7  # the size of cards in melds and face down, compared with those of a hand
_HAND = 0.58  # the part of a panel's height for hand and melds, if the hand is open
_FAN, _BACKS = 0.5, 0.36  # if it is not; without melds
_FLAT = 2  # so many times as wide as high: discards lie beside hand and melds, not beneath
_CLAIMED = 0.55  # opacity


def scene(
    d: State,
    view: int | None = None,
    shape: Format = "wide",
    names: Sequence[str] | None = None,
) -> Picture:
    """Returns the picture of the state `d`, seen by the seat `view`, or open to all with None."""
    table = look(d, view)
    picture = Picture(shape, FELT, names)
    picture.title = f"Mhing: {table.heading}"
    below, between = _HEIGHTS[shape]
    if table.result:
        between = _ENDED[shape]
    part = 0.9 if len(table.seats) > _MANY else 1
    *panels, middle = around(picture, len(table.seats), part * below, part * between)
    for seat, box in zip(table.clockwise, panels, strict=True):
        _add_player(picture, seat, box)
    picture.add(Rect(middle.x, middle.y, middle.w, middle.h, BAR, 8))
    inner = middle.inset(picture.arrangement.gap + 2)
    if table.result:
        _add_result(picture, table, table.result, inner)
    else:
        _add_play(picture, table, inner)
    return picture


# ---- Panels -----------------------------------------------------------------------------------


def _add_player(picture: Picture, seat: Seat, box: Box) -> None:
    """A player's panel: hand and melds at the outer edge, the discards towards the middle."""
    tags: list[str | Sprite] = [dealer_mark()] if seat.is_dealer else []
    if seat.flowers:
        tags += [flower_mark(), str(seat.flowers)]
    inner = add_panel(picture, seat, box, tags)
    gap = picture.arrangement.gap
    share = _HAND if seat.hand is not None else _FAN if seat.melds else _BACKS
    h = share * (inner.h - gap)
    if inner.y == box.y + gap:  # its header is below
        hand = Box(inner.x, inner.bottom - h, inner.w, h)
        tray = Box(inner.x, inner.y, inner.w, inner.h - h - gap)
    elif inner.w > _FLAT * inner.h:
        hand = Box(inner.x, inner.y, (inner.w - gap) * 0.55, inner.h)
        tray = Box(hand.right + gap, inner.y, inner.right - hand.right - gap, inner.h)
    else:
        hand = Box(inner.x, inner.y, inner.w, h)
        tray = Box(inner.x, hand.bottom + gap, inner.w, inner.h - h - gap)
    lay(picture, _blocks(picture, seat), hand, _CARD)
    _add_discards(picture, seat, tray)


def _blocks(picture: Picture, seat: Seat) -> list[Block]:
    """The hand and the melds as blocks of cards; where there is room, with whose discards these
    claimed."""
    number = seat.number
    if seat.hand is None:
        backs = Block("hand", number, (back(),) * seat.hand_size, 0, BACK_STEP, 0.2, _BACK)
        hand = [backs] if seat.hand_size else []
    else:
        hand = [Block("hand", number, tuple(map(face, seat.hand)), 0, may_break=True)]
    if seat.drawn:
        hand.append(Block("drawn", number, (face(seat.drawn),), 0.4))
    for meld in seat.melds:
        is_noted = meld.claimed_from is not None and not picture.arrangement.is_narrow
        note = picture.said(f"from seat {meld.claimed_from}") if is_noted else ""
        faces = _faces(meld.cards)
        hand.append(Block("meld", number, faces, 0.25, 1, size=_MELD, note=note))
    return hand


def _faces(cards: Iterable[Card]) -> tuple[Sprite, ...]:
    return tuple(face(card.face, card.joker) for card in cards)


def _add_discards(picture: Picture, seat: Seat, tray: Box) -> None:
    """The discards in order, in rows, as large as they fit; claimed ones faded, with the taker."""
    picture.add(Rect(tray.x, tray.y, tray.w, tray.h, TRAY, 6))
    places = in_rows(len(seat.discards), tray.inset(3), _DISCARD)
    for discard, place in zip(seat.discards, places, strict=True):
        if discard.offered:
            add_offer(picture, place)
        opacity = 1 if discard.taken_by is None else _CLAIMED
        card, scale = face(discard.card), place.w / WIDTH
        picture.add(Use(card, place.x, place.y, scale, opacity, "discards", seat.number))
        if discard.taken_by is not None:
            _add_taker(picture, discard, place)


def _add_taker(picture: Picture, discard: Discard, place: Box) -> None:
    """In the lower right corner of a discard who has claimed it."""
    radius = 0.3 * place.w
    x, y = place.right - radius, place.bottom - radius
    size = 1.5 * radius
    picture.add(Circle(x, y, radius, INK))
    picture.add(Text(x, y + 0.37 * size, str(discard.taken_by), size, PAPER, "middle", bold=True))


# ---- The middle -------------------------------------------------------------------------------


def _add_play(picture: Picture, table: Table, box: Box) -> None:
    """Source, discard on offer, whose turn it is, and the last events."""
    gap = picture.arrangement.gap
    pile = add_draw_pile(picture, table.source_left, box.x, box.y)
    offer = Box(pile.right + 2 * gap, pile.y + 3, pile.w, pile.h)
    if table.offer:
        _add_offered(picture, table.offer, table.offered_by, offer)
    x = offer.right + 2 * gap
    words = Box(x, box.y, box.right - x, box.h)
    log = words
    if not picture.arrangement.is_narrow:
        words = Box(x, box.y, 0.56 * words.w, box.h)
        x = words.right + gap
        log = Box(x, box.y, box.right - x, box.h)
    y = write(picture, what_goes_on(picture, table), words) + 2
    if picture.arrangement.is_narrow:
        log = Box(words.x, y, words.w, words.bottom - y)
    write_log(picture, table.events, log)


def _add_offered(picture: Picture, card: str, seat: int | None, box: Box) -> None:
    """The discard on offer, and beneath whose it is."""
    sizes = picture.arrangement
    place = Box(box.x, box.y, sizes.pile, sizes.pile * RATIO)
    picture.add(Rect(place.x - 3, place.y - 3, place.w + 6, place.h + 6, GOLD, 9))
    scale = place.w / WIDTH
    picture.add(Use(face(card), place.x, place.y, scale, zone="offer", seat=seat))
    origin = font.shortened(picture.said(f"Seat {seat}"), sizes.small, box.w + sizes.gap)
    x, y = place.x + place.w / 2, place.bottom + 5 + sizes.small
    picture.add(Text(x, y, origin, sizes.small, TEXT, "middle"))


def _add_result(picture: Picture, table: Table, result: Result, box: Box) -> None:
    """The winner's cards as arranged, and the credits by name; side by side where it is wide."""
    sizes = picture.arrangement
    groups, parts = declared.hand(result)
    groups = [replace(group, origin=picture.said(group.origin)) for group in groups]
    width = box.w if sizes.is_narrow else 0.56 * box.w
    lines = how_it_ended(picture, table, result.headline)
    y = write(picture, lines, Box(box.x, box.y, width, box.h)) + 2
    if sizes.is_narrow:
        needed = sizes.line * ceil(len(parts) / 2)
        above = Box(box.x, y, box.w, box.bottom - y - needed)
        y = add_groups(picture, groups, above, sizes.pile, sizes.small)
        add_parts(picture, parts, Box(box.x, y, box.w, box.bottom - y), sizes.small)
    else:
        above = Box(box.x, y, width, box.bottom - y)
        add_groups(picture, groups, above, sizes.pile, sizes.small)
        x = box.x + width + sizes.gap
        add_parts(picture, parts, Box(x, box.y, box.right - x, box.h), sizes.small)
