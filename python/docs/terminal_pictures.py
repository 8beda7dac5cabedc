"""The pictures of tutorials/terminal.md: one drawn, and one in letters for each game.

python python/docs/terminal_pictures.py    writes them again
"""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import mhing
from mhing.tui.app import TableApp
from mhing.web.play import PlaySession, Wishes

PAGES = Path(__file__).parent / "pages"
PAGE, DRAWN = PAGES / "tutorials/terminal.md", PAGES / "assets/terminal.svg"
GAMES = {"mhing": {}, "general_mhing": {"num_players": 3}, "mexican_rummy": {"objective": 2}}
"""With their options."""

_SEED, _MOVES = 7, 6
_OUTSIDE = re.compile(r"@font-face \{.*?\}\s*|<!--.*?-->\s*", re.DOTALL)
"""Fonts that a page would fetch from the network, and where the program comes from."""
_BLOCK = re.compile(r"(<!-- (\w+) -->\n```text\n).*?(```\n)", re.DOTALL)


def screens(game_id: str) -> tuple[str, str]:
    """The terminal after some moves of seat 0, a hint asked for: as SVG, and as text."""
    game = mhing.Game(game_id, **GAMES[game_id])
    play = PlaySession(game, [game.default_bot], Wishes(seat=0, delay=0.0), _SEED)
    for _ in range(_MOVES):
        while not play.words()["asked"]:
            play.tick()
        best = play.judged().choice
        play.do({"do": "play", "action": best, "number": play.number})
    while not play.words()["asked"]:
        play.tick()
    return asyncio.run(_shown(play))


async def _shown(play: PlaySession) -> tuple[str, str]:
    app = TableApp(play)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("h")
        while app.query_one("#hint").has_class("hidden"):
            await pilot.pause()
        await pilot.pause()
        drawn = _OUTSIDE.sub("", app.export_screenshot(title=play.game.title))
        strips = app.screen._compositor.render_strips()
    lines = ("".join(segment.text for segment in strip).rstrip() for strip in strips)
    return drawn, "\n".join(lines) + "\n"


def page(written: str) -> str:
    """The page with its screens as they are now."""
    return _BLOCK.sub(lambda found: found[1] + screens(found[2])[1] + found[3], written)


def main() -> None:
    """Writes the pictures."""
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    DRAWN.write_text(screens("mhing")[0], encoding="utf-8")


if __name__ == "__main__":
    main()
