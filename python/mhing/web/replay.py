"""A recorded game as one page: it opens from the disk, and needs nothing else.

The page holds the application's modules as they are, and the films as JSON, all packed: the
sprites, all different rows of all pictures once, and for each frame how its rows differ from those
of the one before; of each kind of thing all frames' together, since alike things pack
well. That is a hundredth of the pictures' own size or less.
"""

from __future__ import annotations

import re
from html import escape
from itertools import pairwise, starmap
from typing import Any

from mhing._lib.scenes import FONTS
from mhing.analysis import Analysis
from mhing.records import Record
from mhing.render.scene import sprites_of
from mhing.web import inline
from mhing.web.film import Film
from mhing.web.judged import judgement, places
from mhing.web.session import grown
from mhing.words import called


def page(record: Record, films: list[Film], analysis: Analysis | None = None) -> str:
    """Return the page in HTML.

    Args:
        record: the game.
        films: what there is to be seen, the first one at first.
        analysis: what a bot says of the decisions in them.
    """
    title = f"{record.game.title}: {', '.join(record.players)}"
    held = content(record, films) | {"judgement": analysis and judgement(analysis, films)}
    style = "".join(map(inline.text, ("judged.css", "sheet.css", "replay.css")))
    html = inline.packed("replay.html", "replay.js", style, held)
    return re.sub("<title>[^<]*", lambda _: f"<title>{escape(title)}", html)


def content(record: Record, films: list[Film]) -> dict[str, Any]:
    """Return the page's content, as ``film.js`` reads it."""
    decisions = places(films)
    painted = [[[*map(tuple, frame.scene.rows())] for frame in film.frames] for film in films]
    # Sorted, alike ones are neighbours, which packs a quarter better.
    every = sorted({row for film in painted for frame in film for row in frame}, key=repr)
    numbers = {row: number for number, row in enumerate(every)}

    def film_of(film: Film, shown: list[list[tuple[Any, ...]]]) -> dict[str, Any]:
        frames = [[numbers[row] for row in frame] for frame in shown]
        return {
            "seat": film.seat,
            "title": [frame.scene.title for frame in film.frames],
            "rows": [*starmap(_runs, pairwise([[], *frames]))],
            "words": [frame.words for frame in film.frames],
            "kinds": [frame.kinds for frame in film.frames],
            "made": [[decisions[number] for number in frame.made] for frame in film.frames],
            "asked": [[decisions[number] for number in frame.asked] for frame in film.frames],
        }

    scene, sheet = films[0].frames[0].scene, record.sheet()
    return {
        "title": record.game.title, "players": called(record.players), "fonts": FONTS,
        "width": scene.w, "height": scene.h, "films": [*map(film_of, films, painted)],
        "sprites": [grown(sprite) for sprite in sprites_of(every)],
        "rows": every, "sheet": sheet and sheet.to_dict(),
    }  # fmt: skip


def _runs(before: list[int], painted: list[int]) -> list[int]:
    """Numbers, where what stood in the frame before is left as runs: -1 - its place, its length.

    >>> _runs([5, 6, 7, 8], [5, 6, 9, 7, 8])
    [-1, 2, 9, -3, 2]
    """
    found = {number: place for place, number in enumerate(before)}
    runs: list[int] = []
    at = 0
    while at < len(painted):
        start = found.get(painted[at])
        if start is None:
            runs.append(painted[at])
            at += 1
            continue
        length = 1
        while painted[at : at + length + 1] == before[start : start + length + 1]:
            if at + length >= len(painted):
                break
            length += 1
        runs += [-1 - start, length]
        at += length
    return runs
