"""Episodes that bots play in the core: what came of them, and every decision in columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mhing._lib.binding import check, ffi, lib, max_threads, new_message
from mhing._lib.games import GameHandle
from mhing._lib.hold import in_pieces, slices

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
        """The episodes from `begin` up to `end`."""
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
    numbers: NDArray[np.int64]
    """(actions, sizes.info) the public numbers by then."""
    values: NDArray[np.float64]
    """(actions, num_actions) the judge's values of the legal actions, in the order of their ids;
    the rest is not set."""


class EpisodeEnds(NamedTuple):
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
    handle: GameHandle,
    seeds: NDArray[np.uint64],
    bots: NDArray[np.int32],
    threads: int,
    *,
    noted: bool = False,
) -> Iterator[tuple[Outcomes, list[NDArray[np.int32]]]]:
    """Play an episode from each seed, its seats by the `bots` (count, seats) of its line.

    The core works without Python's lock.

    Yields:
        What came of the next ones, as many as are played in a twentieth of a second, and the
        actions of each, which are none unless `noted` is set.
    """
    sizes, room = handle.sizes, _FIRST_ROOM if noted else 0
    c_outcomes = ffi.new("struct mh_outcomes *")
    for begin, end in slices(len(seeds), min(threads, max_threads())):
        count = end - begin
        played = Outcomes(
            np.empty((count, sizes.seats)),
            np.empty(count, np.int64),
            np.empty((count, sizes.seats, sizes.tally), np.int64),
        )
        kept = _point(
            c_outcomes,
            {
                "returns": ("double[]", played.returns),
                "rounds": ("int64_t[]", played.rounds),
                "tally": ("int64_t[]", played.tally),
            },
        )
        while True:
            lengths, part = np.empty(count, np.int32), np.empty((count, room), np.int32)
            kept += _point(c_outcomes, {"lengths": ("int32_t[]", lengths)})
            if noted:
                kept += _point(c_outcomes, {"actions": ("int32_t[]", part)})
            c_outcomes.room = room
            _play(handle, seeds[begin:end], bots[begin:end], threads, c_outcomes)
            if not noted or lengths.max() <= room:
                break
            room = int(lengths.max())
        lines = zip(part, lengths * noted, strict=True)
        yield played, [line[:length] for line, length in lines]


def play(
    handle: GameHandle, seeds: NDArray[np.uint64], bots: NDArray[np.int32], threads: int
) -> Iterator[Episodes]:
    """Play an episode from each seed, its seats by the `bots` (count, seats) of its line.

    What it yields are the next ones, as many as are played in a twentieth of a second. The core
    works without Python's lock.
    """
    begin = 0
    for _, lines in outcomes(handle, seeds, bots, threads, noted=True):
        end = begin + len(lines)
        lengths = np.fromiter(map(len, lines), np.int32, len(lines))
        yield Episodes.of_lengths(seeds[begin:end], lengths, np.concatenate(lines))
        begin = end


def _play(
    handle: GameHandle,
    seeds: NDArray[np.uint64],
    bots: NDArray[np.int32],
    threads: int,
    outcomes: Any,
) -> None:
    """Play each episode to its end; in pieces where bots search, so that Ctrl-C ends it."""
    count, message = len(seeds), new_message()
    c_seeds, c_bots = ffi.from_buffer("uint64_t[]", seeds), ffi.from_buffer("int32_t[]", bots)
    memory = ffi.NULL
    if handle.searches and np.isin(bots, [*handle.searches]).any():
        memory = ffi.new("uint64_t[]", count * (handle.sizes.piece // 8))
    outcomes.pieces.memory = memory

    def play_on() -> int:
        left: int = lib.mh_game_play(
            handle.pointer, count, c_seeds, c_bots, threads, outcomes, message
        )
        check(left, message)
        return left

    in_pieces(outcomes.pieces, play_on)


def _point(struct: Any, arrays: Mapping[str, tuple[str, NDArray[Any]]]) -> list[Any]:
    """Point members of a struct to arrays of these C types; what it returns must be kept."""
    kept = []
    for name, (kind, array) in arrays.items():
        kept.append(ffi.from_buffer(kind, array))
        setattr(struct, name, kept[-1])
    return kept


def _given(episodes: Episodes, kept: list[Any]) -> Any:
    """Episodes for the core; they last as long as `kept`."""
    given = ffi.new("struct mh_episodes *")
    given.count = len(episodes.seeds)
    kept += _point(
        given,
        {
            "seeds": ("uint64_t[]", episodes.seeds),
            "starts": ("int64_t[]", episodes.starts),
            "actions": ("int32_t[]", episodes.actions),
        },
    )
    return given


def decisions(
    handle: GameHandle,
    episodes: Episodes,
    threads: int,
    *,
    observed: bool = True,
    ends_observed: bool = False,
    numbers: bool = False,
    judge: int | None = None,
) -> tuple[Decisions, EpisodeEnds]:
    """Play the episodes again and write down all there is to know about them.

    Observations and masks are there if `observed` is set, those of the ends if `ends_observed`
    is, and public numbers if `numbers` is; values if `judge` is the number of a bot.

    Raises:
        ValueError: an action is not legal, or the judge has no values.
    """
    sizes, count, actions = handle.sizes, len(episodes.seeds), len(episodes.actions)
    made = Decisions(
        np.empty((actions if observed else 0, sizes.observation), np.uint8),
        np.empty((actions if observed else 0, sizes.actions), np.int8),
        np.empty(actions, np.int8),
        np.empty(actions),
        np.empty(actions),
        np.empty((actions if numbers else 0, sizes.info), np.int64),
        np.empty((0 if judge is None else actions, sizes.actions)),
    )
    ends = EpisodeEnds(
        np.empty((count if ends_observed else 0, sizes.seats, sizes.observation), np.uint8),
        np.empty((count, sizes.seats)),
        np.empty((count, sizes.info), np.int64),
    )
    out, message = ffi.new("struct mh_decisions *"), new_message()
    arrays: dict[str, tuple[str, NDArray[Any]]] = {
        "seats": ("int8_t[]", made.seats),
        "rewards": ("double[]", made.rewards),
        "returns": ("double[]", made.returns),
        "totals": ("double[]", ends.totals),
        "numbers": ("int64_t[]", ends.numbers),
        "played": ("int32_t[]", np.empty(count, np.int32)),
    }
    if observed:
        arrays["observations"] = ("uint8_t[]", made.observations)
        arrays["masks"] = ("int8_t[]", made.masks)
    if numbers:
        arrays["info"] = ("int64_t[]", made.numbers)
    if judge is not None:
        arrays["values"] = ("double[]", made.values)
        out.judge = judge
    if ends_observed:
        arrays["final_observations"] = ("uint8_t[]", ends.observations)
    kept = _point(out, arrays)
    given = _given(episodes, kept)
    check(lib.mh_game_decisions(handle.pointer, given, threads, out, message), message)
    return made, ends


class Paired(NamedTuple):
    """Episodes compared with what baselines would have played in them, and with other draws."""

    gains: NDArray[np.float64]
    """(count, seats) what the decisions of compared seats brought each seat beyond those of the
    baselines: unbiased estimates, see csrc/play/mh_paired.c."""
    luck: NDArray[np.float64]
    """(count, seats) what draws brought each seat where that is wanted: its mean is 0."""
    totals: NDArray[np.float64]
    """(count, seats) what each earned."""
    decisions: NDArray[np.int32]
    """(count,) of seats whose gains are estimated, forced ones left out."""
    differing: NDArray[np.int32]
    """(count,) those that the baseline takes otherwise."""


def paired(
    handle: GameHandle,
    episodes: Episodes,
    bots: NDArray[np.int32],
    gains: NDArray[np.bool_],
    luck: NDArray[np.bool_],
    play_outs: int,
    worlds: int,
    threads: int,
) -> Paired:
    """Compare episodes with what baselines would have played in them, and with other draws.

    It does not hold Python's lock.

    Args:
        bots: (count, seats) the baselines; of seats without gains, who really plays.
        gains: (count, seats) whether they are estimated.
        luck: likewise.
        play_outs: pairs of them for each decision that differs.
        worlds: with other draws, for each decision of a seat whose luck is estimated.

    Raises:
        ValueError: an action is not legal.
    """
    seats, count = handle.sizes.seats, len(episodes.seeds)
    found = Paired(
        np.empty((count, seats)), np.empty((count, seats)), np.empty((count, seats)),
        np.empty(count, np.int32), np.empty(count, np.int32),
    )  # fmt: skip
    compared = (gains * lib.MH_COMPARED_GAINS + luck * lib.MH_COMPARED_LUCK).astype(np.uint8)
    plan, out = ffi.new("struct mh_paired_plan *"), ffi.new("struct mh_paired *")
    kept = _point(plan, {"bots": ("int32_t[]", bots), "compared": ("uint8_t[]", compared)})
    kept += _point(
        out,
        {
            "gains": ("double[]", found.gains),
            "luck": ("double[]", found.luck),
            "totals": ("double[]", found.totals),
            "decisions": ("int32_t[]", found.decisions),
            "differing": ("int32_t[]", found.differing),
            "played": ("int32_t[]", np.empty(count, np.int32)),
        },
    )
    plan.play_outs, plan.worlds = play_outs, worlds
    given, message = _given(episodes, kept), new_message()
    check(lib.mh_game_paired(handle.pointer, given, plan, threads, out, message), message)
    return found
