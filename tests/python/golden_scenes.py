"""Golden scenes: tables that the core draws, an element a line: a diff says which card moved.

    python tests/python/golden_scenes.py    writes tests/golden/scenes anew

The tables are moments of golden playthroughs, seen by a seat, by a spectator, and all open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from golden import GOLDEN, plan_of

import mhing
from mhing import State, render
from mhing.render.scene import FORMATS, Scene

FOLDER = GOLDEN / "scenes"

_MOMENTS = {
    "general_mhing/fourteen": (0, 43, -1),
    "mexican_rummy/six_rounds": (0, 143, -1),
    "mhing/chips": (0, 61, -1),
    "mhing/wash": (-1,),
    "leduc/default": (0, 3, -1),
}
"""Decisions before a table is drawn, by playthrough; -1: the first episode is over."""


def state_of(playthrough: str, moment: int) -> State:
    """A moment of GAME/NAME, a golden playthrough: after so many decisions, -1: at its end."""
    path = GOLDEN / "playthroughs" / f"{playthrough}.txt"
    plan = plan_of(path)
    first, _, _ = path.read_text(encoding="utf-8").partition("\nreturns ")
    actions = [int(action) for action in re.findall(r"^action (\d+)", first, re.MULTILINE)]
    state = mhing.Game(plan.game, **plan.options).new_state(plan.seed)
    for action in actions[: None if moment < 0 else moment]:
        state.apply(action)
    return state


def text_of(scene: Scene) -> str:
    """A scene, an element a line."""
    lines = scene.to_svg().splitlines()
    return "\n".join([scene.title, *lines[lines.index("</defs>") + 1 : -1]]) + "\n"


def scenes() -> Iterator[tuple[str, str]]:
    """The name of each golden scene, and its text as it is now."""
    there = [(name, at) for name, at in _MOMENTS.items() if name.split("/")[0] in mhing.games()]
    for playthrough, moments in there:
        for moment in moments:
            state = state_of(playthrough, moment)
            names = ["you", "greedy", "Zo\u00eb", "greedy"][: state.game.num_seats]
            watcher = render.View(state.game, state.public_observation(), None, state.info())
            tables: dict[str, tuple[State | render.View, int | None]] = {
                "seat": (state, 0),
                "open": (state, None),
                "watcher": (watcher, None),
            }
            for (eyes, (table, view)), shape in product(tables.items(), FORMATS):
                named = names if eyes == "seat" else None
                scene = render.scene(table, view, shape=shape, names=named)
                end = playthrough.rpartition("/")[2] if moment < 0 else moment
                name = f"{state.game.id}-{end}-{eyes}-{shape}"
                yield name, text_of(scene)
            if moment < 0:
                shared = render.share(state, names, seed=7)
                yield f"{state.game.id}-{playthrough.rpartition('/')[2]}-share", text_of(shared)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.iterdir():
        path.unlink()
    for name, text in scenes():
        (FOLDER / f"{name}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
