"""Episodes that bots play in the core: what came of them, and every decision in columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mhing._lib.binding import check, ffi, lib, max_threads, new_message
from mhing._lib.games import GameHandle
from mhing._lib.hold import slices

_FIRST_ROOM = 256
"""Actions of an episode for which there is room at first."""


class Episodes(NamedTuple):
    """Episodes by their actions, one after another."""

    seeds: NDArray[np.uint64]
    """(count,)"""
    starts: NDArray[np.int64]
    """(count + 1,) where the actions of each begin; the last is their number."""
    actions: NDArray[np.int32]
    """(starts[-1],)"""

    @classmethod
    def of_lengths(
        cls, seeds: NDArray[np.uint64], lengths: NDArray[np.int32], actions: NDArray[np.int32]
    ) -> Episodes:
        """The same from the number of actions of each."""
        return cls(seeds, np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]), actions)

    def part(self, begin: int, end: int) -> Episodes:
        """Those from `begin` up to `end`."""
        starts = self.starts[begin : end + 1]
        return Episodes(
            self.seeds[begin:end], starts - starts[0], self.actions[starts[0] : starts[-1]]
        )


class Decisions(NamedTuple):
    """The decisions of episodes, an entry or a line for each action, and their ends."""

    observations: NDArray[np.uint8]
    """(actions, observation_size) what the seat to act could know."""
    masks: NDArray[np.int8]
    """(actions, num_actions) what it could choose."""
    seats: NDArray[np.int8]
    rewards: NDArray[np.float64]
    """(actions,) what the seat earned from here to its next decision, or to the end."""
    returns: NDArray[np.float64]
    """(actions,) what it earned from here to the end."""


class Ends(NamedTuple):
    """The ends of episodes."""

    observations: NDArray[np.uint8]
    """(count, seats, observation_size) what each seat knew at the end."""
    totals: NDArray[np.float64]
    """(count, seats) what each earned."""
    numbers: NDArray[np.int64]
    """(count, sizes.info) the public numbers."""


class Outcomes(NamedTuple):
    """Outcomes of episodes, one entry or line for each."""

    returns: NDArray[np.float64]
    """(count, seats)"""
    rounds: NDArray[np.int64]
    """(count,)"""
    tally: NDArray[np.int64]
    """(count, seats, sizes.tally): wins and the game's totals, added up over the rounds."""


def outcomes(
    handle: GameHandle, seeds: NDArray[np.uint64], bots: NDArray[np.int32], threads: int
) -> Outcomes:
    """Play an episode from each seed, its seats by the `bots` (count, seats) of its line.

    It does not hold Python's lock.
    """
    count, message, sizes = len(seeds), new_message(), handle.sizes
    played = Outcomes(
        np.empty((count, sizes.seats)),
        np.empty(count, np.int64),
        np.empty((count, sizes.seats, sizes.tally), np.int64),
    )
    c_outcomes = ffi.new("struct mh_outcomes *")
    for begin, end in slices(count, 4 * min(threads, max_threads())):
        c_seeds = ffi.from_buffer("uint64_t[]", seeds[begin:end])
        c_bots = ffi.from_buffer("int32_t[]", bots[begin:end])
        part = [
            ffi.from_buffer(kind, array[begin:end])
            for kind, array in zip(("double[]", "int64_t[]", "int64_t[]"), played, strict=True)
        ]
        c_outcomes.returns, c_outcomes.rounds, c_outcomes.tally = part
        status = lib.mh_game_play(
            handle.pointer, end - begin, c_seeds, c_bots, threads, c_outcomes, message
        )
        check(status, message)
    return played


def play(
    handle: GameHandle, seeds: NDArray[np.uint64], bots: NDArray[np.int32], threads: int
) -> Iterator[Episodes]:
    """Play an episode from each seed, its seats by the `bots` (count, seats) of its line.

    What it yields are the next ones, as many as are played in a twentieth of a second. The core
    works without Python's lock.
    """
    room = _FIRST_ROOM
    for begin, end in slices(len(seeds), 4 * min(threads, max_threads())):
        lengths, actions = _play(handle, seeds[begin:end], bots[begin:end], threads, room)
        if lengths.max() > room:
            room = int(lengths.max())
            lengths, actions = _play(handle, seeds[begin:end], bots[begin:end], threads, room)
        played = actions[np.arange(room) < lengths[:, None]]
        yield Episodes.of_lengths(seeds[begin:end], lengths, played)


def _play(
    handle: GameHandle,
    seeds: NDArray[np.uint64],
    bots: NDArray[np.int32],
    threads: int,
    room: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The number of actions of each episode, and as many of them as there is room for."""
    lengths, actions = np.empty(len(seeds), np.int32), np.empty((len(seeds), room), np.int32)
    outcomes, message = ffi.new("struct mh_outcomes *"), new_message()
    c_actions = outcomes.actions = ffi.from_buffer("int32_t[]", actions)
    c_lengths = outcomes.lengths = ffi.from_buffer("int32_t[]", lengths)
    outcomes.room = room
    status = lib.mh_game_play(
        handle.pointer, len(seeds), ffi.from_buffer("uint64_t[]", seeds),
        ffi.from_buffer("int32_t[]", bots), threads, outcomes, message,
    )  # fmt: skip
    del c_actions, c_lengths
    check(status, message)
    return lengths, actions


def decisions(
    handle: GameHandle,
    episodes: Episodes,
    threads: int,
    *,
    seen: bool = True,
    ends_seen: bool = False,
) -> tuple[Decisions, Ends]:
    """Play the episodes again and write down all there is to know about them.

    Observations and masks are there if `seen` is set, those of the ends if `ends_seen` is.

    Raises:
        ValueError: an action is not legal.
    """
    sizes, count, actions = handle.sizes, len(episodes.seeds), len(episodes.actions)
    made = Decisions(
        np.empty((actions if seen else 0, sizes.observation), np.uint8),
        np.empty((actions if seen else 0, sizes.actions), np.int8),
        np.empty(actions, np.int8),
        np.empty(actions),
        np.empty(actions),
    )
    ends = Ends(
        np.empty((count if ends_seen else 0, sizes.seats, sizes.observation), np.uint8),
        np.empty((count, sizes.seats)),
        np.empty((count, sizes.info), np.int64),
    )
    played, message = np.empty(count, np.int32), new_message()
    given, out = ffi.new("struct mh_episodes *"), ffi.new("struct mh_decisions *")
    kept = {
        (given, "seeds"): ffi.from_buffer("uint64_t[]", episodes.seeds),
        (given, "starts"): ffi.from_buffer("int64_t[]", episodes.starts),
        (given, "actions"): ffi.from_buffer("int32_t[]", episodes.actions),
        (out, "seats"): ffi.from_buffer("int8_t[]", made.seats),
        (out, "rewards"): ffi.from_buffer("double[]", made.rewards),
        (out, "returns"): ffi.from_buffer("double[]", made.returns),
        (out, "totals"): ffi.from_buffer("double[]", ends.totals),
        (out, "numbers"): ffi.from_buffer("int64_t[]", ends.numbers),
        (out, "played"): ffi.from_buffer("int32_t[]", played),
    }
    if seen:
        kept[out, "observations"] = ffi.from_buffer("uint8_t[]", made.observations)
        kept[out, "masks"] = ffi.from_buffer("int8_t[]", made.masks)
    if ends_seen:
        kept[out, "final_observations"] = ffi.from_buffer("uint8_t[]", ends.observations)
    for (struct, name), array in kept.items():
        setattr(struct, name, array)
    given.count = count
    check(lib.mh_game_decisions(handle.pointer, given, threads, out, message), message)
    return made, ends
