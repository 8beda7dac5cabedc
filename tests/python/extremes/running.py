"""Extreme positions held against a game's slow reference: what is the same for all games.

A game's module in this folder, which is named as the game, brings

    positions(rng)    an extreme position: its options, and its keys for `Game.state_from_dict`
    Match             plays a state with the referee beside it: see matches.py
    check(state)      what else holds for every state of the game

Each position must be taken as it is. From there the game continues at random to the end of the
round. At every decision the legal actions and the whole table, scores and rewards in it, are those
of the referee. The first state, the last one and some between come back from their bytes and from
their dicts, and can be dealt anew for each seat, which then sees the same.
"""

from __future__ import annotations

import json
import sys
import time
import traceback
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Protocol, cast

import matches
from every_game import Options, Table, check_cards, check_views, seats

import mhing

SOME = 0.1
"""The share of states between the first and the last that is checked in all ways."""


class Extremes(Protocol):
    """The parts of a game's module."""

    Match: type[matches.Match]

    def positions(self, rng: Random) -> tuple[Options, Table]: ...

    def check(self, state: mhing.State) -> None: ...


@dataclass(frozen=True)
class Failure:
    """A table, as `Game.state_from_dict` takes it, and what is wrong there or after an action."""

    number: int
    options: Options
    table: Table
    action: str
    what: str

    def __str__(self) -> str:
        after = f" after '{self.action}'" if self.action else ""
        where = f"position {self.number}{after}: {self.what}"
        return f"{where}\n{json.dumps({'options': self.options, 'table': self.table})}"


def games() -> list[str]:
    """The games that have a module here."""
    here = Path(__file__).parent
    return [game_id for game_id in mhing.games() if (here / f"{game_id}.py").exists()]


def failures(game_id: str, numbers: range) -> Iterator[Failure | None]:
    """The fault of each position of these numbers, and None where it has none."""
    module = cast(Extremes, import_module(f"extremes.{game_id}"))
    for number in numbers:
        rng = Random(number)
        options, table = module.positions(rng)
        line = Line(module, options, table)
        try:
            line.play(mhing.Game(game_id, **options), rng)
        except Exception as error:
            yield Failure(number, options, line.table, line.action, _message(error))
        else:
            yield None


def _message(error: Exception) -> str:
    """The message of an error, and its place."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({Path(frame.filename).name}:{frame.lineno})"


class Line:
    """The way from a position to the end of its round: the table reached, and what is played."""

    def __init__(self, module: Extremes, options: Options, table: Table) -> None:
        self.module, self.options = module, options
        self.table, self.action = table, ""

    def play(self, game: mhing.Game, rng: Random) -> None:
        """Plays to the end of the round and checks every state on the way."""
        state = game.state_from_dict(self.table)
        begun = state.rounds_over
        match = self.module.Match(state)
        self._check(match, rng)
        while state.rounds_over == begun:
            self.table, self.action = state.to_dict(), varied(match.legal(), rng)
            match.play(self.action)
            if state.rounds_over > begun or rng.random() < SOME:
                self._check(match, rng)

    def _check(self, match: matches.Match, rng: Random) -> None:
        """Checks all that holds for every state."""
        state = match.state
        assert bool(match.legal()) != state.is_terminal
        check_cards(state)
        check_views(state)
        self.module.check(state)
        check_ways_back(state)
        for seat in seats(state.game):
            check_resample(state, seat, rng.getrandbits(64))


def varied(legal: list[str], rng: Random) -> str:
    """An action of a kind, by its first word, that is chosen first."""
    word = rng.choice(sorted({action.split()[0] for action in legal}))
    return rng.choice([action for action in legal if action.split()[0] == word])


def check_ways_back(state: mhing.State) -> None:
    """The state comes back from its bytes and from its dict."""
    game, table = state.game, state.to_dict()
    assert game.from_bytes(state.to_bytes()) == state
    again = game.state_from_dict(table)
    assert again.to_dict() == table
    assert _seen(again) == _seen(state)


def check_resample(state: mhing.State, seat: int, seed: int) -> None:
    """Dealt anew as far as the seat knows, it is a state in which the seat sees the same."""
    world = state.resample(seat, seed)
    assert world.game.from_bytes(world.to_bytes()) == world
    assert (world.seat == seat) == (state.seat == seat)  # who else is asked can be hidden
    assert world.observation(seat).tobytes() == state.observation(seat).tobytes()
    if seat == state.seat:
        assert world.action_mask().tobytes() == state.action_mask().tobytes()


def _seen(state: mhing.State) -> list[bytes]:
    views = [state.observation(seat).tobytes() for seat in seats(state.game)]
    return [*views, state.omniscient().tobytes(), state.action_mask().tobytes()]


# ---- The command --------------------------------------------------------------------------------

SHOWN = 5
"""Of more failures the rest is counted only."""
SLOW = 2.0
"""Seconds between two lines that say how far it is."""


def main(words: Sequence[str] | None = None) -> int:
    """Tries so many positions and prints what fails; the status is 1 if something does."""
    parser = ArgumentParser(prog="run.py", description="Tries extreme positions of a game.")
    parser.add_argument("game", metavar="GAME", help=", ".join(games()))
    parser.add_argument("--count", metavar="N", type=int, default=1000, help="positions (1000)")
    parser.add_argument("--seed", metavar="S", type=int, default=0, help="number of the first (0)")
    parser.error = _refuse  # type: ignore[method-assign]
    given = parser.parse_args(words)
    if given.game not in games():
        _refuse(f"no positions of '{given.game}'; there are those of {', '.join(games())}")
    if given.count < 1:
        _refuse(f"--count {given.count}: give 1 or more")
    return _run(given.game, range(given.seed, given.seed + given.count))


def _refuse(message: str) -> None:
    print(f"run.py: {message}", file=sys.stderr)
    sys.exit(2)


def _run(game_id: str, numbers: range) -> int:
    done = failed = 0
    reported = time.monotonic()
    status = 0
    try:
        for failure in failures(game_id, numbers):
            done += 1
            if failure:
                failed += 1
                status = 1
                if failed <= SHOWN:
                    print(failure, flush=True)
            if time.monotonic() > reported + SLOW:
                reported = time.monotonic()
                print(f"{done:,} of {len(numbers):,}, {failed:,} failed", file=sys.stderr)
    except KeyboardInterrupt:
        status = 130
    print(f"{game_id}: {done:,} of {len(numbers):,} positions played, {failed:,} failed")
    return status
