"""The picture of `mhing web` for its page and for the README, taken in Chromium.

python python/docs/web_pictures.py    takes it again; needs .ci/setup browser
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import Page, sync_playwright

PICTURE = Path(__file__).parent / "pages/assets/web.png"
SIZE = {"width": 1200, "height": 740}

_SETTINGS = {
    "kind": "play", "game": "mhing", "options": {"num_players": 4}, "seat": 0, "seed": "5",
    "players": ["net", "expert", "greedy"], "hint": "expert", "delay": 0,
}  # fmt: skip
_MOVES = 5
_ASKED = "html[data-asked=true]"
_COLORS = 128  # what letters and cards need to look smooth


def taken() -> bytes:
    """The table after some moves of seat 0, as a hint advised, with the next hint, as PNG."""
    program = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if program is None:
        raise SystemExit("there is no Chromium: .ci/setup browser")
    with TemporaryDirectory() as saves, sync_playwright() as playwright:
        web = subprocess.Popen(
            [sys.executable, "-m", "mhing", "web", "--no-open", "--saves", saves],
            stdout=subprocess.PIPE,
            text=True,
        )
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            assert web.stdout is not None
            page = browser.new_page(viewport=SIZE, color_scheme="light")
            page.goto(web.stdout.readline().strip())
            _play(page)
            return _small(page.screenshot())
        finally:
            browser.close()
            web.terminate()
            web.communicate()


def _play(page: Page) -> None:
    """Sits down and plays as advised."""
    id = page.evaluate(
        """async (settings) => {
          const body = JSON.stringify(settings);
          const answer = await fetch("/sessions", { method: "POST", body });
          return (await answer.json()).id;
        }""",
        _SETTINGS,
    )
    page.goto(re.sub(r"/$", f"/at/{id}", page.url))
    page.evaluate("() => { document.documentElement.dataset.palette = 'felt'; }")
    for _ in range(_MOVES):
        _advised(page)
        before = page.get_attribute("html", "data-number")
        best = page.locator(".advice caption").inner_text().partition(": ")[2]
        card = best.partition("discard ")[2]
        cards = page.locator(f'.board [role=button][data-card="{card}"]')
        move = cards.first if cards.count() else page.locator(".moves button", has_text=best).first
        move.click()
        page.wait_for_selector(f"html:not([data-number='{before}'])", state="attached")
    _advised(page)
    page.mouse.move(0, 0)
    page.wait_for_timeout(500)  # cards glide


def _advised(page: Page) -> None:
    """Waits for the next decision and asks for a hint."""
    page.wait_for_selector(_ASKED, state="attached")
    page.keyboard.press("h")
    page.wait_for_selector(".advice table")


def _small(png: bytes) -> bytes:
    """The picture in few colours."""
    small = BytesIO()
    Image.open(BytesIO(png)).convert("RGB").quantize(_COLORS, dither=Image.Dither.NONE).save(
        small, "PNG", optimize=True
    )
    return small.getvalue()


if __name__ == "__main__":
    PICTURE.write_bytes(taken())
