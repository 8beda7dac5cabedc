"""What the pictures of games with playing cards share: hands and melds, the piles, the play."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from mhing.render.card import WIDTH, back
from mhing.render.palette import BAR, FELT, TEXT, TRAY
from mhing.render.panels import (
    Words,
    add_draw_pile,
    add_panel,
    around,
    how_it_ended,
    what_goes_on,
    write,
    write_log,
)
from mhing.render.picture import Format, Picture
from mhing.render.playing.cards import SHOWN, face
from mhing.render.playing.view import AnySeat, Discard, Seat, Table
from mhing.render.rows import BACK_STEP, Block, add_offer, in_rows, lay
from mhing.render.scene import Box, Rect, Use

_LARGEST = 64  # width of a card
_BACK = 0.7  # the size of a card face down, compared with open ones
_HELD = 0.75  # of a card's width, from one card of a hand to the next: each can be touched
_HAND, _ALONE = 0.54, 0.8  # the part of a panel's height for an open hand; if nothing is laid
_FAN = 0.4  # for one face down


def scene(
    title: str,
    table: Table[AnySeat],
    heights: Mapping[Format, tuple[float, float]],
    tag: Callable[[AnySeat], str],
    shape: Format,
    names: Sequence[str] | None,
    scored: Sequence[str] = (),
) -> Picture:
    """Returns the picture of a table.

    `heights` are those of the viewer's panel and of the middle; `tag` says what the header of a
    panel has beside name and score; `scored`: how the round was scored, once it is over, in lines.
    """
    picture = Picture(shape, FELT, names)
    picture.title = f"{title}: {table.heading}"
    *panels, middle = around(picture, len(table.seats), *heights[shape])
    for seat, box in zip(table.clockwise, panels, strict=True):
        _add_player(picture, seat, box, tag(seat))
    _add_middle(picture, table, middle, scored)
    return picture


def _add_player(picture: Picture, seat: Seat, box: Box, tag: str) -> None:
    """A player's panel: the hand at the outer edge, and what is laid towards the middle."""
    inner = add_panel(picture, seat, box, ("began" if seat.is_starter else "", tag))
    gap = picture.arrangement.gap
    share = _FAN if seat.hand is None else _HAND if seat.melds else _ALONE
    h = share * (inner.h - gap)
    upper = Box(inner.x, inner.y, inner.w, h)
    lower = Box(inner.x, upper.bottom + gap, inner.w, inner.h - gap - h)
    if inner.y == box.y + gap:  # its header is below
        lower = Box(inner.x, inner.bottom - h, inner.w, h)
        upper = Box(inner.x, inner.y, inner.w, lower.y - gap - inner.y)
        lay(picture, _melds(seat), upper, _LARGEST)
        lay(picture, _hand(seat), lower, _LARGEST)
    else:
        lay(picture, _hand(seat), upper, _LARGEST)
        lay(picture, _melds(seat), lower, _LARGEST)


def _hand(seat: Seat) -> list[Block]:
    """The cards of a hand; of one face down the backs, and the cards that everybody knows."""
    number = seat.number
    if seat.hand is not None:
        parts = [("hand", seat.hand, 0.2), ("drawn", seat.drawn, 0.4)]
        return [
            Block(zone, number, tuple(map(face, cards)), space, closest=_HELD, may_break=True)
            for zone, cards, space in parts
            if cards
        ]
    known = tuple(map(face, seat.known))
    backs = (back(),) * (seat.hand_size - len(known))
    fan = Block("hand", number, backs, 0, BACK_STEP, BACK_STEP / 2, _BACK)
    shown = Block("hand", number, known, 0.2, closest=SHOWN, size=_BACK)
    return [block for block in (fan, shown) if block.sprites]


def _melds(seat: Seat) -> list[Block]:
    faces = (tuple(face(card.face, card.wild) for card in meld.cards) for meld in seat.melds)
    return [Block("meld", seat.number, cards, 0.3, 1, SHOWN) for cards in faces if cards]


# ---- The middle -------------------------------------------------------------------------------


def _add_middle(picture: Picture, table: Table[AnySeat], box: Box, scored: Sequence[str]) -> None:
    """Draw pile and discards, and in words what goes on or how it ended."""
    sizes = picture.arrangement
    picture.add(Rect(box.x, box.y, box.w, box.h, BAR, 8))
    inner = box.inset(sizes.gap + 4)
    pile = add_draw_pile(picture, table.draw_pile_left, inner.x, inner.y)
    x, space = pile.right + 2 * sizes.gap, 2 * sizes.gap
    if sizes.is_narrow:
        tray = Box(x, inner.y, inner.right - x, pile.h)
        words = Box(inner.x, pile.bottom + space, inner.w, inner.bottom - pile.bottom - space)
    else:
        tray = Box(x, inner.y, inner.w / 2, inner.h)
        words = Box(tray.right + space, inner.y, inner.right - tray.right - space, inner.h)
    _add_discards(picture, table.discards, tray)
    lines = what_goes_on(picture, table)
    if table.result and scored:
        details: list[Words] = [(line, sizes.small, TEXT) for line in scored]
        write(picture, how_it_ended(picture, table, table.result) + details, words)
        return
    if table.result:
        lines.append((table.result, sizes.text, TEXT))
    y = write(picture, lines, words) + 4
    write_log(picture, table.events, Box(words.x, y, words.w, words.bottom - y))


def _add_discards(picture: Picture, discards: tuple[Discard, ...], tray: Box) -> None:
    """The discards in order, in rows, as large as they fit; the one that may be had marked."""
    picture.add(Rect(tray.x, tray.y, tray.w, tray.h, TRAY, 6))
    margin = picture.arrangement.gap
    places = in_rows(len(discards), tray.inset(margin), 1.2 * WIDTH)
    for discard, place in zip(discards, places, strict=True):
        if discard.offered:
            add_offer(picture, place)
        card, scale = face(discard.card), place.w / WIDTH
        picture.add(Use(card, place.x, place.y, scale, zone="discards", seat=discard.by))
