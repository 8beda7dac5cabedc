"""Episodes that built-in bots play to the end, from a state or from their deals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mhing

CHIPS: dict[str, Any] = {"episode": "game", "scoring": "chips", "reward": "chips", "rounds": 2}


@pytest.mark.parametrize("bot", ["random", "greedy"])
@pytest.mark.parametrize("seed", [3, 2**64 - 2])
def test_play_outs(bot: str, seed: int) -> None:
    state = mhing.Game("mhing", num_players=3, **CHIPS).new_state(seed=1)
    for _ in range(20):
        state.apply(state.legal_actions()[0])
    before = state.clone()
    seeds = [(seed + k) % 2**64 for k in range(7)]
    for observer in (None, 1):
        starts = [state if observer is None else state.resample(observer, s) for s in seeds]
        ends = [start.play_out(bot, s).returns() for start, s in zip(starts, seeds, strict=True)]
        for threads in (1, 2, 3, 20):
            returns = state.play_outs(bot, 7, observer, seed, num_threads=threads)
            assert returns.dtype == np.float64
            assert np.array_equal(returns, ends)
    assert state == before
    fresh = [state.play_outs(bot, 50, observer=1) for _ in range(2)]
    assert not np.array_equal(*fresh), "without a seed they differ"


def test_play_outs_with_a_bot_for_each_seat() -> None:
    """As a loop plays them that asks the bot of the seat to act; one name stands for all seats."""
    state = mhing.Game("mhing", num_players=3).new_state(seed=8)
    bots = ["random", "greedy", "greedy"]
    ends = [state.play_out(bots, seed) for seed in range(5)]
    assert np.array_equal(state.play_outs(bots, 5, seed=0), [end.returns() for end in ends])
    for seed, end in enumerate(ends):
        # The generator that the bots of a play-out share, see mh_rng.h.
        random, played = stream(seed, ord("P")), state.clone()
        while not played.is_terminal:
            action, random = played.bot_action(bots[played.seat], random)
            played.apply(action)
        assert played == end
    assert state.play_out(["greedy"] * 3, 4) == state.play_out("greedy", 4)
    assert state.play_out(bots, 0) != state.play_out(bots[::-1], 0)


def stream(seed: int, purpose: int) -> int:
    """SplitMix64's first number after a seed that is mixed with a purpose."""
    bits = 2**64 - 1
    z = ((seed ^ (purpose * 0xD1342543DE82EF95 & bits)) + 0x9E3779B97F4A7C15) & bits
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & bits
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & bits
    return z ^ (z >> 31)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("gready", 1), ValueError, "gready"),
        ((["greedy"] * 3, 1), ValueError, "bots: 3 given for 4 seats"),
        ((["greedy"] * 3 + ["gready"], 1), ValueError, "gready"),
        ((1, 1), TypeError, "bot: 1 is no text"),
        (("greedy", 0), ValueError, "count: 0"),
        (("greedy", 1.0), TypeError, "count: 1.0"),
        (("greedy", 1, 4), IndexError, "seat: 4"),
        (("greedy", 1, None, 2**64), ValueError, "seed: 18"),
        (("greedy", 1, None, 1, 0), ValueError, "num_threads: 0"),
    ],
)
def test_bad_play_outs(arguments: Any, error: type[Exception], words: str) -> None:
    state = mhing.Game("mhing").new_state(seed=1)
    with pytest.raises(error, match=words):
        state.play_outs(*arguments)
