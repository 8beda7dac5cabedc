"""Pictures of the games, for their pages and for the README.

python python/docs/table_pictures.py         writes the picture of the README again
python python/docs/table_pictures.py FOLDER  writes those of all games into a folder
"""

from __future__ import annotations

import sys
from pathlib import Path

import mhing
from mhing import render

README = Path(__file__).parent / "pages/assets/table.svg"
SEED = 1


def pictures(game_id: str) -> dict[str, str]:
    """Pictures of a round between the game's usual bots as SVG, by the names of their files.

    A table as seat 0 sees it when two thirds of the round are played, and how the round ended.
    """
    game = mhing.Game(game_id)
    states = [game.new_state(SEED)]
    random = SEED
    bot = game.default_bot
    while not states[-1].is_terminal:
        state = states[-1].clone()
        action, random = state.bot_action(bot, random)
        state.apply(action)
        states.append(state)
    late = len(states) * 2 // 3
    chosen = next((state for state in states[late:] if state.seat == 0), states[late])
    return {
        f"{game_id}.svg": render.svg(chosen, view=0),
        f"{game_id}-end.svg": render.share(states[-1], seed=SEED).to_svg(),
    }


def main() -> None:
    """Writes the picture of the README, or those of all games."""
    if not sys.argv[1:]:
        game_id = mhing.Game().id
        README.write_text(pictures(game_id)[f"{game_id}.svg"], encoding="utf-8")
        return
    folder = Path(sys.argv[1])
    for game_id in mhing.games():
        for name, svg in pictures(game_id).items():
            (folder / name).write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
