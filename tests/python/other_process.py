"""Work that test_every_game.py wants done elsewhere: `other_process.py TOOL < task.json`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from random import Random
from typing import Any

from every_game import count_cards, observables, some_play, transcript

import mhing


def go_on(tasks: list[dict[str, Any]]) -> list[str]:
    """The transcripts of games restored from a snapshot, or started from a seed, and played on."""
    digests = []
    for task in tasks:
        game = mhing.Game(task["game"], **task["options"])
        if task["snapshot"]:
            state = game.from_bytes(bytes.fromhex(task["snapshot"]))
        else:
            state = game.new_state(task["seed"])
        digests.append(transcript(state, task["seed"], task["decisions"]))
    return digests


def corrupt(task: dict[str, Any]) -> int:
    """Restores snapshots with wrong bytes in them; the number that were taken as states."""
    game = mhing.Game(task["game"], **task["options"])
    rng = Random(task["seed"])
    deck = count_cards(game.new_state(1))
    snapshots = [state.to_bytes() for state in some_play(game, task["seed"], 120)]
    taken = 0
    for snapshot in snapshots[::17]:
        for _ in range(task["tries"]):
            changed = _spoilt(snapshot, rng)
            try:
                state = game.from_bytes(changed)
            except ValueError:
                continue
            taken += 1
            # Whatever is taken must be a state like any other.
            assert state.to_bytes() == changed
            assert count_cards(state) == deck
            _use(state, rng)
    return taken


def _spoilt(snapshot: bytes, rng: Random) -> bytes:
    changed = bytearray(snapshot)
    for _ in range(rng.choice((1, 1, 1, 2, 4, 32))):
        place = rng.randrange(len(changed))
        flipped = changed[place] ^ 1 << rng.randrange(8)
        changed[place] = rng.choice((flipped, rng.randrange(256), 0, 255))
    return bytes(changed)


def _use(state: mhing.State, rng: Random) -> None:
    game = state.game
    assert list(observables(state))
    assert str(state)
    seat = rng.randrange(game.num_seats)
    assert state.resample(seat, 3).play_out(game.bots[-1].name, 3).is_terminal
    for _ in range(100):
        if state.is_terminal:
            break
        state.apply(rng.choice(state.legal_actions().tolist()))


if __name__ == "__main__":
    tools: dict[str, Callable[[Any], Any]] = {"go_on": go_on, "corrupt": corrupt}
    print(json.dumps(tools[sys.argv[1]](json.load(sys.stdin))))
