"""A picture to be shared: how an episode ended, on a card of the size that sites show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mhing.render import font
from mhing.render.ending import Ending, Standing, add_groups, add_parts
from mhing.render.palette import ACCENT, BAR, DARK, FELT, GOLD, PALE, PANEL, TEXT
from mhing.render.people import with_names
from mhing.render.scene import Box, Rect, Scene, Text

W, H = 1200, 630
_MARGIN = 40
_TOP, _BOTTOM = 84, 92  # heights of the bars
_CARD = 112  # width at most
_LINES = 4  # of parts in a column


def picture(title: str, facts: str, ending: Ending, names: Sequence[str]) -> Scene:
    """Returns the picture.

    Args:
        title: the game.
        facts: what else there is to say of it, in a line.
        ending: how it ended.
        names: of the players, by seat.
    """
    headline = with_names(ending.headline, names)
    made = Scene(W, H, FELT, f"{title}: {headline}")
    _add_title(made, title, facts)
    y = _add_text(made, headline, 32, TEXT, _TOP + 18, bold=True)
    for line in ending.lines:
        y = _add_text(made, with_names(line, names), 20, PALE, y)
    bottom = H - _BOTTOM - 16
    parts_h = 32 * min(_LINES, len(ending.parts))
    width = W - 2 * _MARGIN
    space = Box(_MARGIN, y + 20, width, bottom - parts_h - y - 32)
    groups = [replace(group, origin=with_names(group.origin, names)) for group in ending.groups]
    y = add_groups(made, groups, space, _CARD, 18)
    add_parts(made, ending.parts, Box(_MARGIN, y + 8, width, bottom - y - 8), 24)
    _add_standings(made, ending.standings, names)
    return made


def _add_title(made: Scene, title: str, facts: str) -> None:
    made.add(Rect(0, 0, W, _TOP, BAR))
    made.add(Text(_MARGIN, 55, title, 36, ACCENT, bold=True))
    if facts:
        room = W - 2 * _MARGIN - font.text_width(title, 36) - 40
        stretch = font.squeezed(facts, 20, room)
        made.add(Text(W - _MARGIN, 53, facts, 20, PALE, "end", stretch=stretch))


def _add_text(made: Scene, text: str, size: int, color: str, y: float, bold: bool = False) -> float:
    """A sentence in as many lines as it needs; returns where it ends."""
    for line in font.wrap(text, size, W - 2 * _MARGIN):
        y += 1.3 * size
        made.add(Text(_MARGIN, y - 0.2 * size, line, size, color, bold=bold))
    return y


def _add_standings(made: Scene, standings: Sequence[Standing], names: Sequence[str]) -> None:
    """The players side by side, winners in gold."""
    gap = 12
    w = (W - 2 * _MARGIN + gap) / len(standings) - gap
    for seat, (name, standing) in enumerate(zip(names, standings, strict=True)):
        box = Box(_MARGIN + seat * (w + gap), H - _BOTTOM - 8, w, _BOTTOM - 8)
        ground, ink = (GOLD, DARK) if standing.has_won else (PANEL, TEXT)
        made.add(Rect(box.x, box.y, box.w, box.h, ground, 8))
        score = f"{standing.score}  {standing.change}".strip()
        for y, text, size in ((box.y + 36, name, 24), (box.y + 66, score, 20)):
            if text:
                stretch = font.squeezed(text, size, w - 32)
                made.add(Text(box.x + 16, y, text, size, ink, bold=size == 24, stretch=stretch))
