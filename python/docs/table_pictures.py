"""Pictures of the games' tables.

python python/docs/table_pictures.py            writes the picture of the README again
python python/docs/table_pictures.py GAME FILE  writes the picture of another game
"""

from __future__ import annotations

import sys
from pathlib import Path

import mhing
from mhing import render

README = Path(__file__).parent / "pages/assets/table.svg"
SEED = 1


def picture(game_id: str) -> str:
    """A table as SVG: greedy bots have played two thirds of a round; the eyes are seat 0's."""
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
    return render.svg(chosen, view=0)


def main() -> None:
    """Writes one picture."""
    game, file = sys.argv[1:] or (mhing.Game().id, str(README))
    Path(file).write_text(picture(game), encoding="utf-8")


if __name__ == "__main__":
    main()
