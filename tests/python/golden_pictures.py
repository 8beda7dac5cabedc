"""Golden pictures: tables as a browser paints them, so that no change of the look goes unseen.

    python tests/python/golden_pictures.py           paints all of tests/golden/pictures anew
    python tests/python/golden_pictures.py NAME ...  paints these anew, such as mhing-wide

The tables are moments of golden playthroughs; the texts have a font of the tests, `stroke_font`.
Look at a picture before it is committed. A picture that a test finds changed is left beside the
golden one, in a row of three: as it was, as it is, and where they differ.
"""

from __future__ import annotations

import io
import sys
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TypeAlias

import numpy as np
import rooms  # noqa: F401  # before what it finds
import stroke_font
from chromium import launched
from golden import GOLDEN, plan_of
from golden_scenes import state_of
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Browser

from mhing import render
from mhing.render import palette
from mhing.render.scene import Format

Pixels: TypeAlias = NDArray[np.uint8]
"""Of a picture: height x width x 3."""

FOLDER = GOLDEN / "pictures"
_PLAIN = ("--font-render-hinting=none", "--disable-lcd-text")

STEP, SHARE = 4, 2
"""The difference in brightness of a pixel from all that lie around it, and by which part of
their own contrast more: painters round, and smooth edges."""
_SCALE = 2 / 3  # of what is painted, to keep files small
TILE = 16
"""Pixels of the sides of the squares in which differing pixels are counted."""
MOST = 16
"""Pixels of a square that may differ: an edge is painted a little differently now and then."""


# ---- Which pictures there are -------------------------------------------------------------------


@dataclass(frozen=True)
class Picture:
    """One golden picture."""

    name: str
    playthrough: str
    """GAME/NAME of the golden playthrough that it is a moment of."""
    moment: int
    """Decisions before it; -1: the first episode is over."""
    form: str
    """A shape of :mod:`mhing.render`, or "end": how the episode ended."""
    view: int | None = None
    look: str = ""
    """Attributes of the page, such as a palette; "": the picture stands alone."""

    @property
    def game(self) -> str:
        """The id of its game."""
        return self.playthrough.partition("/")[0]

    @property
    def path(self) -> Path:
        """Its file, without loss in a third of the bytes of a PNG."""
        return FOLDER / f"{self.name}.webp"


_MOMENTS = {
    "mhing/boxed": 42,
    "general_mhing/fourteen": 43,
    "mexican_rummy/six_rounds": 143,
    "leduc/default": 3,
}
_LOOKS = {
    "wide": "",
    "portrait": 'data-palette="dark"',
    "end": 'data-palette="light" data-suits="safe"',
}

PICTURES = [
    Picture(
        f"{playthrough.partition('/')[0]}-{form}",
        playthrough,
        -1 if form == "end" else moment,
        form,
        None if form == "end" else 0,
        look,
    )
    for (playthrough, moment), (form, look) in product(_MOMENTS.items(), _LOOKS.items())
]


def svg(picture: Picture) -> str:
    """The picture as the package writes it."""
    state = state_of(picture.playthrough, picture.moment)
    names = ["you", "greedy", "expert", "greedy"][: state.game.num_seats]
    if picture.form == "end":
        path = GOLDEN / "playthroughs" / f"{picture.playthrough}.txt"
        return render.share(state, names, seed=plan_of(path).seed).to_svg()
    shape: Format = "wide" if picture.form == "wide" else "portrait"
    return render.svg(state, picture.view, shape=shape, names=names)


# ---- How they are painted -----------------------------------------------------------------------


def painter() -> AbstractContextManager[Browser]:
    """A browser that smooths letters alike on all machines."""
    return launched(*_PLAIN)


def painted(browser: Browser, picture: Picture, drawn: str) -> Pixels:
    """An SVG as the browser paints it, on a page that looks as the picture wants it."""
    colors = palette.css() if picture.look else ""
    style = f"body {{ margin: 0 }} svg {{ display: block }}\n{stroke_font.css()}\n{colors}"
    page = browser.new_page(device_scale_factor=_SCALE)
    page.set_content(
        f"<!doctype html><html {picture.look}><style>{style}</style><body>{drawn}</body></html>"
    )
    page.evaluate("() => document.fonts.ready")
    png = page.locator("svg").screenshot()
    page.close()
    return pixels(png)


def pixels(png: bytes) -> Pixels:
    """The pixels of a picture."""
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


# ---- How they are compared ----------------------------------------------------------------------


def differing(one: Pixels, other: Pixels) -> NDArray[np.bool_]:
    """Pixels of one picture that are unlike all that is near them in the other, either way."""
    return _unlike(one, other) | _unlike(other, one)


def most_differing(differ: NDArray[np.bool_]) -> int:
    """The differing pixels of the square that has most of them."""
    height, width = differ.shape
    padded = np.pad(differ, ((0, -height % TILE), (0, -width % TILE)))
    rows, columns = padded.shape[0] // TILE, padded.shape[1] // TILE
    return int(padded.reshape(rows, TILE, columns, TILE).sum((1, 3)).max())


def side_by_side(one: Pixels, other: Pixels, differ: NDArray[np.bool_]) -> Image.Image:
    """Both pictures, and the second one faint with red where they differ."""
    marked = np.where(differ[..., None], np.array([255, 0, 0]), 192 + other // 4)
    return Image.fromarray(np.hstack([one, other, marked.astype(np.uint8)]))


def _unlike(one: Pixels, other: Pixels) -> NDArray[np.bool_]:
    """Pixels of `one` that are well outside of what the 3 x 3 pixels there in `other` span."""
    height, width, _ = other.shape
    padded = np.pad(other, ((1, 1), (1, 1), (0, 0)), mode="edge")
    near = np.stack([padded[y : y + height, x : x + width] for y in range(3) for x in range(3)])
    least, most = near.min(0).astype(int), near.max(0).astype(int)
    slack = STEP + (most - least) // SHARE
    outside = (one < least - slack) | (one > most + slack)
    unlike: NDArray[np.bool_] = outside.any(2)
    return unlike


# ---- The command ---------------------------------------------------------------------------------


def main() -> None:
    wanted = sys.argv[1:]
    names = [picture.name for picture in PICTURES]
    if unknown := {*wanted} - {*names}:
        sys.exit(f"{', '.join(sorted(unknown))}: choose from {', '.join(names)}")
    FOLDER.mkdir(exist_ok=True)
    with painter() as browser:
        for picture in PICTURES:
            if picture.name in wanted or not wanted:
                seen = Image.fromarray(painted(browser, picture, svg(picture)))
                seen.save(picture.path, lossless=True, method=6)
                print(f"{picture.path.name}: {picture.path.stat().st_size / 1000:.0f} KB")


if __name__ == "__main__":
    main()
