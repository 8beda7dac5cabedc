"""Golden pictures: Chromium paints tables as it did, and a small change of one is found."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import golden_pictures
import numpy as np
import pytest
from chromium import needs_chromium
from golden_pictures import MOST, PICTURES, Picture, differing, most_differing
from numpy.typing import NDArray
from playwright.sync_api import Browser

import mhing

pytestmark = [pytest.mark.once, needs_chromium]
HERE = [picture for picture in PICTURES if picture.game in mhing.games()]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with golden_pictures.painter() as started:
        yield started


@pytest.mark.slow
@pytest.mark.parametrize("picture", HERE, ids=lambda picture: picture.name)
def test_a_picture_is_as_it_was(browser: Browser, picture: Picture, tmp_path: Path) -> None:
    kept = golden_pictures.pixels(picture.path.read_bytes())
    seen = golden_pictures.painted(browser, picture, golden_pictures.svg(picture))
    assert seen.shape == kept.shape
    differ = differing(kept, seen)
    if most_differing(differ) > MOST:
        row = tmp_path / f"{picture.name}.png"
        golden_pictures.side_by_side(kept, seen, differ).save(row)
        pytest.fail(
            f"{differ.sum()} pixels of {picture.name} have changed, see {row}; if that is meant: "
            f"python tests/python/golden_pictures.py {picture.name}"
        )


def test_every_kept_picture_is_compared() -> None:
    kept = {path.name for path in golden_pictures.FOLDER.iterdir()}
    assert kept == {picture.path.name for picture in PICTURES}


def moved(drawn: str) -> str:
    """A card of the hand six pixels to the right."""
    return re.sub(
        r'(<use href="[^"]+" transform="translate\()([\d.]+)([^>]*data-zone="hand" data-seat="0")',
        lambda found: f"{found[1]}{float(found[2]) + 6:g}{found[3]}",
        drawn,
        count=1,
    )


def recolored(drawn: str) -> str:
    """The panels a little brighter."""
    return drawn.replace('fill="#1e5a48"', 'fill="#246450"')


def unlabelled(drawn: str) -> str:
    """Without one of the smallest texts."""
    texts = re.findall(r"<text [^>]*>[^<]+</text>", drawn)
    sizes = [float(re.findall('font-size="([0-9.]+)"', text)[0]) for text in texts]
    return drawn.replace(texts[sizes.index(min(sizes))], "", 1)


def badly_spaced(drawn: str) -> str:
    """A text beside its place, as wide as another."""
    return re.sub(
        r'textLength="([\d.]+)"',
        lambda found: f'textLength="{2 * float(found[1]):g}"',
        drawn,
        count=1,
    )


@pytest.mark.parametrize("fault", [moved, recolored, unlabelled, badly_spaced])
def test_a_fault_is_found(browser: Browser, fault: Callable[[str], str]) -> None:
    drawn = golden_pictures.svg(HERE[0])
    assert fault(drawn) != drawn
    assert most_differing(against_kept(browser, fault(drawn))) > 2 * MOST


def test_what_a_painter_rounds_is_not_found(browser: Browser) -> None:
    """All on the ground a quarter of a pixel further, as another version might place it."""
    ground, rest = golden_pictures.svg(HERE[0]).split("</defs>")[1].strip().split("\n", 1)
    drawn = golden_pictures.svg(HERE[0])
    shifted = f'{ground}<g transform="translate(0.25 0.25)">{rest.removesuffix("</svg>")}</g></svg>'
    differ = against_kept(browser, drawn.replace(f"{ground}\n{rest}", shifted))
    assert differ.sum() < 1000
    assert most_differing(differ) <= MOST


def against_kept(browser: Browser, drawn: str) -> NDArray[np.bool_]:
    """Places at which an SVG does not look like the first golden picture."""
    kept = golden_pictures.pixels(HERE[0].path.read_bytes())
    return differing(kept, golden_pictures.painted(browser, HERE[0], drawn))
