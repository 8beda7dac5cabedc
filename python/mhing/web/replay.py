"""A recorded game as one page: it opens from the disk, and needs nothing else.

The page holds the application's modules as they are, and the films as packed JSON: the sprites, all
different elements of all pictures once, and for each frame the numbers of its elements. That is a
hundredth of the pictures' own size.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

from mhing.records import Record
from mhing.render.svg_writer import FONTS, elements, sprites
from mhing.web.film import Film

MODULES = ("film.js", "replay.js")
"""Of the page; the last one starts it."""


def page(record: Record, films: list[Film]) -> str:
    """Returns the page in HTML.

    Args:
        record: the game.
        films: what there is to be seen, the first one at first.
    """
    names = ", ".join(record.players)
    title = f"{record.game.title}: {names}"
    packed = b64encode(zlib.compress(json.dumps(_content(record, films)).encode(), 9))
    imports = {f"mhing/{name}": _address(name) for name in MODULES}
    scripts = {
        "imports": json.dumps({"imports": imports}),
        "start": f'import "mhing/{MODULES[-1]}";',
    }
    style = _page_file("replay.css")
    policy = (
        "default-src 'none'; script-src data: "
        + " ".join(map(_hash, scripts.values()))
        + f"; style-src {_hash(style)}; base-uri 'none'; form-action 'none'"
    )
    pieces = {
        "policy": escape(policy), "title": escape(title), "style": style,
        "content": packed.decode(), **scripts,
    }  # fmt: skip
    text = _page_file("replay.html")
    for name, piece in pieces.items():
        text = text.replace(f"<!--{name}-->", piece)
    return text


def _content(record: Record, films: list[Film]) -> dict[str, Any]:
    """What the page shows, as ``film.js`` reads it."""
    defs: dict[str, str] = {}
    numbers: dict[str, int] = {}  # of the elements, in the order in which they come

    def frame_of(film: Film, place: int) -> dict[str, Any]:
        frame = film.frames[place]
        defs.update(sprites(frame.scene))
        painted = [numbers.setdefault(one, len(numbers)) for one in elements(frame.scene)]
        return {
            "title": frame.scene.title, "elements": painted, "words": frame.words,
            "kinds": frame.kinds, "judgement": frame.judgement, "costly": frame.is_costly,
        }  # fmt: skip

    scene = films[0].frames[0].scene
    shown = [
        {"seat": film.seat, "frames": [frame_of(film, place) for place in range(len(film.frames))]}
        for film in films
    ]
    return {
        "title": record.game.title, "players": record.players, "fonts": FONTS,
        "width": scene.w, "height": scene.h, "films": shown,
        "sprites": [*defs.values()], "elements": [*numbers],
    }  # fmt: skip


def _page_file(name: str) -> str:
    return (files("mhing.web") / "page" / name).read_text(encoding="utf-8")


def _address(name: str) -> str:
    return f"data:text/javascript;base64,{b64encode(_page_file(name).encode()).decode()}"


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
