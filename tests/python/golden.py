"""Writes golden playthroughs: every observable of every decision of a game, as text.

    python tests/python/playthrough.py --write     writes all of them anew, and the specs
    python tests/python/playthrough.py NAME        prints one, for example mhing/boxed

They are compared line by line by test_playthroughs.py. A line that changes is a change of the game:
if it is meant, write the files anew and raise the game's rules version.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import mhing

GOLDEN = Path(__file__).parent.parent / "golden"


@dataclass(frozen=True)
class Playthrough:
    """A game in which every seat is played by a bot that chooses at random every `odd`-th time."""

    seed: int
    bot: str
    odd: int
    options: dict[str, Any] = field(default_factory=dict)


PLAYTHROUGHS = {
    "mhing/boxed": Playthrough(1, "greedy", 7),
    "mhing/jmhing": Playthrough(
        7, "greedy", 3, {"rules": "jmhing", "num_players": 3, "hints": True}
    ),
    "mhing/chips": Playthrough(
        3,
        "greedy",
        9,
        {"scoring": "chips", "reward": "chips", "episode": "game", "rounds": 3, "num_players": 2},
    ),
    "general_mhing/fourteen": Playthrough(2, "greedy", 7, {"episode": "game"}),
    "general_mhing/three": Playthrough(
        5,
        "greedy",
        3,
        {
            "num_players": 3,
            "reward": "margin",
            "episode": "game",
            "rounds": 2,
            "turn_limit": 20,
            "hints": True,
        },
    ),
    "mexican_rummy/six_rounds": Playthrough(
        308, "greedy", 40, {"episode": "game", "num_players": 3}
    ),
    "mexican_rummy/two": Playthrough(
        4,
        "greedy",
        9,
        {"num_players": 2, "objective": 5, "episode": "game", "reward": "rank", "hints": True},
    ),
}
"""By path under golden/playthroughs, without the ending. Every registered game needs one."""


def game_of(name: str) -> str:
    """The game of a playthrough."""
    return name.partition("/")[0]


def path_of(name: str) -> Path:
    return GOLDEN / "playthroughs" / f"{name}.txt"


def spec_path(game_id: str) -> Path:
    return GOLDEN / "spec" / f"{game_id}.json"


def spec_text(game_id: str) -> str:
    """The default game as it describes itself."""
    return json.dumps(mhing.Game(game_id).describe(), indent=1, ensure_ascii=False) + "\n"


def lines(name: str) -> Iterator[str]:
    """The lines of a playthrough. A field is shown where it differs from the decision before."""
    plan = PLAYTHROUGHS[name]
    game = mhing.Game(game_of(name), **plan.options)
    rng = Random(plan.seed)
    state = game.new_state(plan.seed)
    last: dict[str, str] = {}
    yield f"game {game.id}, seed {plan.seed}, options {json.dumps(game.options)}"
    for decision in range(1_000_000):
        yield f"-- decision {decision}, seat {state.seat}"
        yield from _changes(last, _seen(game, state))
        yield f"state {_digest(state)}"
        if state.is_terminal:
            break
        legal = state.legal_actions().tolist()
        yield "legal " + ", ".join(game.action_text(action) for action in legal)
        action = _choose(plan, state, rng, decision)
        yield f"action {action} {game.action_text(action)}"
        state.apply(action)
    yield f"returns {_short(state.returns())}"
    yield from str(state).splitlines()


def _choose(plan: Playthrough, state: mhing.State, rng: Random, decision: int) -> int:
    if decision % plan.odd == plan.odd - 1:
        return int(rng.choice(state.legal_actions()))
    action, _ = state.bot_action(plan.bot, rng.getrandbits(64))
    return action


def _seen(game: mhing.Game, state: mhing.State) -> Iterator[tuple[str, Any]]:
    """All that can be seen of a state, by name."""
    yield "rewards", state.rewards()
    for name, value in state.info().items():
        yield f"info {name}", value
    for seat in range(game.num_seats):
        for name, shown in game.unpack(state.observation(seat)).items():
            yield f"seat {seat} {name}", shown
    for name, shown in game.unpack_omniscient(state.omniscient()).items():
        yield f"hidden {name}", shown


def _changes(last: dict[str, str], seen: Iterator[tuple[str, Any]]) -> Iterator[str]:
    for name, value in seen:
        text = _short(value)
        if last.get(name) != text:
            last[name] = text
            yield f"{name}: {text}"


def _short(value: Any) -> str:
    """Numbers in a row, equal neighbours as number*times."""
    runs = [(number, len(list(run))) for number, run in groupby(np.ravel(value).tolist())]
    return " ".join(
        f"{number:g}" if times == 1 else f"{number:g}*{times}" for number, times in runs
    )


def _digest(state: mhing.State) -> str:
    table = json.dumps(state.to_dict(), sort_keys=True)
    return hashlib.sha256(table.encode()).hexdigest()[:16]


def write_all() -> None:
    """Writes every playthrough and every spec, and removes the files of those that are gone."""
    wanted = {path_of(name): "\n".join(lines(name)) + "\n" for name in PLAYTHROUGHS}
    wanted |= {spec_path(game_id): spec_text(game_id) for game_id in mhing.games()}
    for folder in ("playthroughs", "spec"):
        for path in (GOLDEN / folder).rglob("*.*"):
            if path not in wanted:
                path.unlink()
    for path, text in wanted.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(f"{path.relative_to(GOLDEN)}: {len(text):,} characters")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    chosen = parser.add_mutually_exclusive_group(required=True)
    chosen.add_argument("--write", action="store_true", help="write all the golden files anew")
    chosen.add_argument("name", nargs="?", choices=sorted(PLAYTHROUGHS), help="print this one")
    arguments = parser.parse_args()
    if arguments.write:
        write_all()
    else:
        print("\n".join(lines(arguments.name)))


if __name__ == "__main__":
    main()
