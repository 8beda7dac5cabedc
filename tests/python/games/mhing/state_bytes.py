"""The bytes of a state of Mhing by name, for states that no play leads to and no JSON can say."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import LittleEndianStructure as Structure
from ctypes import c_double, c_float, c_int8, c_int32, c_uint8, c_uint16, c_uint32, c_uint64
from typing import Any

import mhing

SEATS = 6
CAPACITY = {2: 67, 3: 46, 4: 37, 5: 34, 6: 33}


def _struct(name: str, **fields: Any) -> type[Structure]:
    return type(name, (Structure,), {"_fields_": list(fields.items())})


Head = _struct(
    "Head", rng=c_uint64, returns=c_double * SEATS, rewards=c_float * SEATS, decisions=c_uint32,
    rounds=c_int32, seat=c_int8, seats=c_uint8, unused=c_uint8 * 6,
)  # fmt: skip
Events = _struct(
    "Events", used=c_uint8, seat=c_uint8 * 64, kind=c_uint8 * 64, detail=c_uint8 * 64,
    extra=c_uint8 * 64,
)  # fmt: skip
Hand = _struct(
    "Hand", held=c_uint64, twice=c_uint64, waits=c_uint64, count=c_uint8 * 36, key=c_uint16 * 7,
    unused=c_uint8 * 6,
)  # fmt: skip
Score = _struct(
    "Score", credits=c_int32, points=c_int32, part=c_int32 * 19, shape=c_uint8, melds=c_uint8,
    num_cards=c_uint8, cards=c_uint8 * 14, joker=c_uint8 * 14, unused=c_uint8,
)  # fmt: skip
Result = _struct(
    "Result", revealed=c_uint8 * 35, winner=c_int8, payer=c_int8, melds=c_uint8,
    meld_kind=c_uint8 * 4, meld_jokers=c_uint8 * 4, unused=c_uint8 * 2, score=Score,
    payments=c_int32 * SEATS, round=c_int32,
)  # fmt: skip
Seat = _struct(
    "Seat", meld_kind=c_uint8 * 4, meld_jokers=c_uint8 * 4, meld_from=c_uint8 * 4, flowers=c_uint8,
    hand_size=c_uint8, score=c_uint8 * 4, missing=c_uint8 * 4,
    credits_missing=c_uint8, chips=c_uint8 * 4, num_discards=c_uint8, discard_count=c_uint8 * 35,
)  # fmt: skip


TAKER = 36
"""Added to a discard for each seat clockwise to who took it."""


def state_type(game: mhing.Game) -> type[Structure]:
    """struct mhing_state, with as many options as the game has."""
    return _struct(
        "State", head=Head, legal=c_uint64 * 6, options=c_int32 * len(game.options),
        scores=c_int32 * SEATS, chips=c_int32 * SEATS, rounds_limit=c_int32,
        shown_round=c_uint8 * 4, shown_rounds_left=c_uint8 * 4, shown_target=c_uint8 * 4,
        shown_rules=c_uint8 * 3, events=Events, dealer=c_uint8, on_turn=c_uint8, phase=c_uint8,
        offer=c_uint8, drawn=c_uint8, complete=c_uint8, claimed_from=c_int8, turn=c_uint8,
        next=c_uint8, num_discards=c_uint8, answers=c_uint16 * SEATS, seen=c_uint8 * 35,
        deck=c_uint8 * 150, blocks=c_uint8 * 576, unused_round=c_uint8 * 1, hands=Hand * SEATS,
        last=Result,
    )  # fmt: skip


def changed(state: mhing.State, change: Callable[[Any], None]) -> bytes:
    """A snapshot of the state with some of its bytes changed by name."""
    data, kind = bytearray(state.to_bytes()), state_type(state.game)
    header = len(data) - ctypes.sizeof(kind)
    inside = kind.from_buffer(data, header)
    assert inside.head.seats == state.game.num_seats
    change(inside)
    del inside
    return bytes(data)


def block(inside: Any, seat: int) -> Any:
    """A seat's block, with its discards in order behind it as `discards`."""
    capacity = CAPACITY[inside.head.seats]
    size = ctypes.sizeof(Seat) + capacity
    found = Seat.from_buffer(inside.blocks, seat * size)
    found.discards = (c_uint8 * capacity).from_buffer(
        inside.blocks, seat * size + ctypes.sizeof(Seat)
    )
    return found
