"""The rules that the golden playthroughs touch: a rule is touched where an action shows it.

For a game `touch_GAME.py` has `TOUCHED`: for each rule that shows in play, whether it does in what
an action makes of a table. `UNTOUCHED` says why each of the others does not show.

    python tests/python/rules/touched.py GAME               the playthroughs that touch each rule
    python tests/python/rules/touched.py GAME --search N    the best of N plans for those that none
                                                            touches, as commands of golden.py
"""

from __future__ import annotations

import re
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

TESTS = Path(__file__).parents[1]
sys.path[:0] = [] if str(TESTS) in sys.path else [str(TESTS)]
import rooms  # noqa: E402, F401  # before what it finds
from every_game import is_allowed  # noqa: E402
from golden import Plan, choose, plan_of, playthroughs  # noqa: E402

import mhing  # noqa: E402

Table = dict[str, Any]


class Move(NamedTuple):
    """A table, the text of an action, and the table after it, as `to_dict()` has them."""

    before: Table
    action: str
    after: Table

    @property
    def events(self) -> list[Table]:
        """The public events. Of more than 64 events the oldest are forgotten."""
        old, new = self.before["events"], self.after["events"]
        shown = next(
            n for n in range(len(new) + 1) if new[: len(new) - n] == old[len(old) - len(new) + n :]
        )
        return list(new[len(new) - shown :]) if shown else []

    def has(self, kind: str) -> bool:
        """Return whether there is an event of this kind among them."""
        return any(event["event"] == kind for event in self.events)

    def ends(self, ending: str = "") -> bool:
        """Return whether a round ends, and in this way."""
        result = self.after["result"]
        return result != self.before["result"] and (not ending or result["ending"] == ending)

    def begins_round(self) -> bool:
        """Return whether the next round is dealt."""
        return bool(self.after["round"] > self.before["round"])


Touches = dict[str, Callable[[Move], bool]]


def games() -> list[str]:
    """The games whose playthroughs are looked at so."""
    return sorted(
        path.stem.removeprefix("touch_") for path in Path(__file__).parent.glob("touch_*")
    )


def touches(game_id: str) -> Touches:
    """The signs of each rule of a game."""
    found: Touches = import_module(f"rules.touch_{game_id}").TOUCHED
    return found


def untouched(game_id: str) -> dict[str, str]:
    """The reason why each other rule does not show."""
    found: dict[str, str] = import_module(f"rules.touch_{game_id}").UNTOUCHED
    return found


def written(path: Path) -> Iterator[Move]:
    """The moves of a playthrough, from the seeds and actions in its file."""
    plan = plan_of(path)
    game = mhing.Game(plan.game, **plan.options)
    state = game.new_state(0)
    for line in path.read_text(encoding="utf-8").splitlines():
        if begun := re.match(r"game \w+, seed (\d+),", line):
            state = game.new_state(int(begun[1]))
        elif done := re.match(r"action (\d+) ", line):
            yield _move(state, int(done[1]))


def planned(plan: Plan) -> Iterator[Move]:
    """The moves of the first episode of a plan."""
    state, rng = mhing.Game(plan.game, **plan.options).new_state(plan.seed), Random(plan.seed)
    decision = 0
    while not state.is_terminal:
        yield _move(state, choose(plan, state, rng, decision))
        decision += 1


def _move(state: mhing.State, action: int) -> Move:
    before = state.to_dict()
    state.apply(action)
    return Move(before, state.game.action_text(action), state.to_dict())


def touched(game_id: str, moves: Iterable[Move]) -> set[str]:
    """The rules that these moves show."""
    left = touches(game_id)
    found: set[str] = set()
    for move in moves:
        found |= {number for number, shows in left.items() if shows(move)}
        left = {number: shows for number, shows in left.items() if number not in found}
    return found


# ---- The command ---------------------------------------------------------------------------------


def some_plan(game_id: str, rng: Random) -> Plan:
    """A plan with some options, a seed and a bot."""
    game = mhing.Game(game_id)
    options: dict[str, Any] = {}
    for option in game.describe()["options"]:
        values = option.get("choices") or range(option["low"], min(option["high"], 40) + 1)
        wanted = {option["name"]: rng.choice([*values])}
        if rng.random() < 0.4 and is_allowed(game_id, options | wanted):
            options |= wanted
    bot = rng.choice(["random", "greedy", "greedy"])
    return Plan(game_id, rng.randrange(1000), bot, rng.choice((3, 9, 40)), 1, options)


def search(game_id: str, missing: set[str], tries: int, most: int = 450) -> Iterator[Plan]:
    """Plans that touch what is missing, the one with most rules for its length first."""
    rng = Random(1)
    tried: list[tuple[Plan, set[str], int]] = []
    for _ in range(tries):
        plan = some_plan(game_id, rng)
        moves = list(islice(planned(plan), most + 1))
        if len(moves) <= most:
            tried.append((plan, touched(game_id, moves), len(moves)))
    while missing:
        plan, rules, _ = max(tried, key=lambda each: len(each[1] & missing) / (each[2] + 20))
        if not rules & missing:
            return
        missing = missing - rules
        yield plan


def command(plan: Plan, name: str) -> str:
    """A plan's playthrough as golden.py writes it."""
    options = " ".join(f"--option {key}={value}" for key, value in plan.options.items())
    given = f"--seed {plan.seed} --bot {plan.bot} --odd {plan.odd} {options}"
    return f"python tests/python/golden.py --add {plan.game}/{name} {given}"


def main() -> None:
    """Prints which playthroughs touch each rule, and plans for those that none does."""
    parser = ArgumentParser(description="The rules that golden playthroughs touch.")
    parser.add_argument("game", choices=games())
    parser.add_argument("--search", metavar="N", type=int, default=0, help="plans to try")
    given = parser.parse_args()
    by_file = {path.stem: touched(given.game, written(path)) for path in playthroughs(given.game)}
    missing = set(touches(given.game))
    for number in touches(given.game):
        files = [name for name, rules in by_file.items() if number in rules]
        missing -= {number} if files else set()
        print(f"{number:6} {'  '.join(files) or 'no playthrough'}")
    for n, plan in enumerate(search(given.game, missing, given.search) if given.search else ()):
        print(command(plan, f"more_{n + 1}"))


if __name__ == "__main__":
    main()
