"""Work of the tests of all games that is done elsewhere: `other_process.py TOOL < task.json`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any

from every_game import check_state, observables, some_play, transcript

import mhing


def advance(tasks: list[dict[str, Any]]) -> list[str]:
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


def damage(task: dict[str, Any]) -> int:
    """Restores snapshots with wrong bytes in them; the number that were taken as states."""
    taken = 0
    for options in task["variants"]:
        game = mhing.Game(task["game"], **options)
        rng = Random(task["seed"])
        states = [state.clone() for state in some_play(game, task["seed"], 120)][::17]
        for state in states:
            spoilt = (_spoilt(state.to_bytes(), rng) for _ in range(task["tries"]))
            taken += _restore_all(state, spoilt, rng)
        for state in rng.sample(states, min(task["flipped"], len(states))):
            taken += _restore_all(state, _flipped(state.to_bytes(), rng), rng)
    return taken


def _restore_all(state: mhing.State, snapshots: Iterable[bytes], rng: Random) -> int:
    """Restores changed snapshots of a state. What is taken must be a state like any other."""
    _, mask, *shown = observables(state)
    taken = 0
    for changed in snapshots:
        try:
            back = state.game.from_bytes(changed)
        except ValueError:
            continue
        taken += 1
        assert back.to_bytes() == changed
        _, mask_now, *shown_now = observables(back)
        if shown_now == shown:
            assert mask_now == mask, "the legal actions differ, and nothing else does"
        else:
            _use(back, rng)
    return taken


def _flipped(snapshot: bytes, rng: Random) -> Iterator[bytes]:
    """The snapshot with one bit flipped, once for each byte."""
    for place in range(len(snapshot)):
        changed = bytearray(snapshot)
        changed[place] ^= 1 << rng.randrange(8)
        yield bytes(changed)


def _spoilt(snapshot: bytes, rng: Random) -> bytes:
    changed = bytearray(snapshot)
    for _ in range(rng.choice((1, 1, 1, 2, 4, 32))):
        place = rng.randrange(len(changed))
        flipped = changed[place] ^ 1 << rng.randrange(8)
        changed[place] = rng.choice((flipped, rng.randrange(256), 0, 255))
    return bytes(changed)


def _use(state: mhing.State, rng: Random) -> None:
    game = state.game
    check_state(state)
    assert str(state)
    seat = rng.randrange(game.num_seats)
    assert state.resample(seat, 3).play_out(game.default_bot, 3).is_terminal
    for _ in range(10):
        if state.is_terminal:
            break
        state.apply(rng.choice(state.legal_actions().tolist()))
    check_state(state)


if __name__ == "__main__":
    tools: dict[str, Callable[[Any], Any]] = {"advance": advance, "damage": damage}
    print(json.dumps(tools[sys.argv[1]](json.load(sys.stdin))))
