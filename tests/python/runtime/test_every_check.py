"""The check of every game: it takes nothing that no play earns, and only what its JSON can say."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterator
from random import Random

import pytest
from every_game import CASES, Options, case_name

import mhing

every_case = pytest.mark.parametrize(("game_id", "options"), CASES, ids=case_name)

HEADER = 48
"""Bytes of a snapshot before its state, which begins with struct mh_head."""
SEATS = 6
RETURNS, REWARDS = HEADER + 8, HEADER + 8 + 8 * SEATS
DECISIONS, ROUNDS, UNUSED = HEADER + 80, HEADER + 84, HEADER + 90


def snapshots(game: mhing.Game, seed: int, most: int = 500) -> list[bytes]:
    """Some of an episode: of the deal, of play that errs now and then, of the end if it gets there.

    After each round that has ended, all of its first decisions are there.
    """
    rng, state, found, rounds, since = Random(seed), game.new_state(seed), [], 0, 0
    for decision in range(most):
        since = 0 if state.rounds_over != rounds else since + 1
        rounds = state.rounds_over
        if decision % 3 == 0 or since < 3 or state.is_terminal:
            found.append(state.to_bytes())
        if state.is_terminal:
            break
        bot = game.default_bot if rng.random() < 0.8 else "random"
        state.apply(state.bot_action(bot, rng.getrandbits(60))[0])
    return found


# ---- What the head says of rewards, rounds and decisions -----------------------------------------


def beyond(lowest: float, highest: float) -> Iterator[float]:
    """Sums that no play comes to, whatever is played."""
    yield from (math.nan, math.inf, -math.inf, -0.0, 1e13)
    yield from (bound for bound in (lowest - 1, highest + 1) if math.isfinite(bound))


def spoiled(game: mhing.Game, snapshot: bytes) -> Iterator[tuple[str, bytes]]:
    """The snapshot with one member of its head changed into what cannot be, and what that is."""
    bounds = game.bounds
    (decisions, rounds) = struct.unpack_from("<Ii", snapshot, DECISIONS)
    (seat,) = struct.unpack_from("<b", snapshot, ROUNDS + 4)

    def put(name: str, kind: str, at: int, value: float) -> tuple[str, bytes]:
        data = bytearray(snapshot)
        struct.pack_into(kind, data, at, value)
        return f"{name} {value}", bytes(data)

    for seat_at in (0, game.num_seats - 1):
        for value in beyond(min(bounds.lowest, 0), max(bounds.highest, 0)):
            yield put("returns", "<d", RETURNS + 8 * seat_at, value)
        (earned,) = struct.unpack_from("<d", snapshot, RETURNS + 8 * seat_at)
        yield put("returns", "<d", RETURNS + 8 * seat_at, earned + 0.25)
        for value in (*beyond(-math.inf, math.inf), 123.0, -9.0):
            yield put("rewards", "<f", REWARDS + 4 * seat_at, value)
    if game.num_seats < SEATS:
        yield put("returns of nobody", "<d", RETURNS + 8 * (SEATS - 1), 1)
        yield put("rewards of nobody", "<f", REWARDS + 4 * (SEATS - 1), 1)
    if decisions:
        yield put("decisions", "<I", DECISIONS, 0)
    yield put("decisions", "<I", DECISIONS, (bounds.decisions or 2**31 - 1) + 1)
    yield put("rounds", "<i", ROUNDS, -1)
    yield put("rounds", "<i", ROUNDS, decisions + 1)
    if seat < 0:
        yield put("rounds", "<i", ROUNDS, rounds - 1)
    yield put("unused", "<b", UNUSED, 1)


def is_refused(game: mhing.Game, data: bytes) -> bool:
    try:
        game.from_bytes(data)
    except ValueError as error:
        return str(error).startswith("snapshot: damaged: ")
    return False


@every_case
def test_what_no_play_earns_is_refused(game_id: str, options: Options) -> None:
    game, tried = mhing.Game(game_id, **options), set()
    for seed in range(2):
        found = snapshots(game, seed)
        for snapshot in (found[0], *Random(seed).sample(found, min(6, len(found))), found[-1]):
            assert game.from_bytes(snapshot).to_bytes() == snapshot
            for what, data in spoiled(game, snapshot):
                tried.add(what.split()[0])
                assert is_refused(game, data), what
    assert tried == {"returns", "rewards", "decisions", "rounds", "unused"}


@every_case
def test_what_no_play_earns_is_refused_as_json(game_id: str, options: Options) -> None:
    game = mhing.Game(game_id, **options)
    state = game.new_state(1)
    while state.rounds_over == 0:
        state.apply(state.bot_action(game.default_bot, 1)[0])
    table = state.to_dict()
    nothing = [0.0] * (game.num_seats - 1)
    for changed in (
        {"returns": [123.25, *nothing]}, {"rewards": [9.25, *nothing]}, {"decisions": 0},
        {"returns": [1e300, *nothing]}, {"rewards": [1e300, *nothing]}, {"decisions": 2**31 - 1},
    ):  # fmt: skip
        if "decisions" in changed and changed["decisions"] and game.bounds.decisions is None:
            continue
        with pytest.raises(ValueError, match=r"no play leads|is not a|follows"):
            game.state_from_dict(table | changed)


# ---- What the JSON says --------------------------------------------------------------------------


def damage(snapshot: bytes, other: bytes, rng: Random) -> bytes:
    """The snapshot with some bytes of its state changed."""
    data = bytearray(snapshot)
    way = rng.randrange(6)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        at = rng.randrange(HEADER, len(data))
        match way:
            case 0:
                to = rng.randrange(HEADER, len(data))
                data[at], data[to] = data[to], data[at]
            case 1:
                data[at] ^= 1 << rng.randrange(8)
            case 2:
                data[at] = (data[at] + rng.choice([1, 255])) % 256
            case 3:
                data[at] = other[at]
            case _:
                data[at] = rng.choice([0, 1, 2, rng.randrange(256)])
    return bytes(data)


@every_case
def test_what_is_taken_can_be_said(game_id: str, options: Options, full: bool) -> None:
    """Spoiled states that the check takes for played ones come out of their JSON as they were."""
    game, rng, taken = mhing.Game(game_id, **options), Random(7), 0
    found = [snapshot for seed in range(5) for snapshot in snapshots(game, seed)]
    for _ in range(60_000 if full else 300):
        data = damage(rng.choice(found), rng.choice(found), rng)
        try:
            state = game.from_bytes(data)
        except ValueError:
            continue
        taken += 1
        read = game.state_from_dict(json.loads(json.dumps(state.to_dict())))
        assert read.to_bytes() == data, [
            at - HEADER for at, byte in enumerate(read.to_bytes()) if byte != data[at]
        ]
    assert taken > 4
