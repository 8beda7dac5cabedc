"""The memory of each seat in an episode: all that it has seen and done so far.

Public events, in order, are the same for all seats. Beside them each seat has its own looks: what
only it may see (the observation's fields that are not public) when it was dealt cards and whenever
it acted, what it did, and how many events there had been by then. Other actions leave no trace but
their events, so nobody can count the secret ones.
"""

from __future__ import annotations

import math
import struct
from copy import copy
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mhing.state import State

_LOOK = struct.Struct("<IH")
"""Before the own fields of a look: events so far, and the action plus one, 0 for none."""


class Recall:
    """The memories of all seats of one state, which reports every action to it."""

    def __init__(self, state: State) -> None:
        own = [field for field in state.game.observation_fields if not field.public]
        places = [np.arange(f.offset, f.offset + math.prod(f.shape)) for f in own]
        self._own = np.concatenate(places)
        """Return the places of the observer's own fields in an observation."""
        self._begin = state.public_observation().tobytes()
        """The public observation at the beginning."""
        self._events = b""
        """Four bytes each: seat + 1, kind and two details."""
        self._looks = [b""] * state.game.num_seats

    def copy(self) -> Recall:
        """Return a copy that changes independently."""
        other = copy(self)
        other._looks = list(self._looks)
        return other

    def acted(self, before: State, action: int, after: State) -> None:
        """Note what the seats have seen of an action, and of the deal that it led to."""
        self._look(before, before.seat, action + 1)
        self._events += b"".join(map(bytes, after._events(before)))
        if after.rounds_over != before.rounds_over and after.seat >= 0:
            self._look_at_deal(after)

    def dealt(self, before: State, after: State) -> None:
        """Note what the seats have seen of the deal of a further round alone."""
        self._events += b"".join(map(bytes, after._events(before)))
        self._look_at_deal(after)

    def _look_at_deal(self, state: State) -> None:
        for seat in range(len(self._looks)):
            self._look(state, seat, 0)

    def _look(self, state: State, seat: int, action: int) -> None:
        head = _LOOK.pack(len(self._events) // 4, action)
        self._looks[seat] += head + state.observation(seat)[self._own].tobytes()

    def keep(self, seat: int) -> None:
        """Forget what the other seats have seen and done by themselves."""
        self._looks = [look if i == seat else b"" for i, look in enumerate(self._looks)]

    def of(self, state: State, seat: int) -> tuple[bytes, bytes, bytes, bytes]:
        """Return what `seat` knows in this state.

        The beginning, the events, its looks, and what it sees now by itself.
        """
        now = state.observation(seat)[self._own].tobytes()
        return self._begin, self._events, self._looks[seat], now
