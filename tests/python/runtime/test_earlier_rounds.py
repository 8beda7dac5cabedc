"""Public numbers at the start, and after every round, also where bots end several in a step."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

SETTINGS: dict[str, Any] = {"num_players": 6, "episode": "game", "opponents": "greedy"}
MODES = ["disabled", "next_step", "same_step"]


def rounds_of(infos: dict[str, Any], row: int) -> list[int]:
    """The numbers of the rounds that a row's infos tell of, 0 for the start."""
    reported: list[int] = []
    if "_earlier_rounds" in infos and infos["_earlier_rounds"][row]:
        reported += [numbers["rounds_over"] for numbers in infos["earlier_rounds"][row]]
    if "_rounds_over" in infos and infos["_rounds_over"][row]:
        reported.append(int(infos["rounds_over"][row]))
    return reported


def test_each_round_is_reported_to_a_seat_once() -> None:
    env: Any = gym.make("mhing:Mhing-v0", **SETTINGS).unwrapped
    _, info = env.reset(seed=3)
    several, last = 0, info["rounds_over"]
    assert np.array_equal(info["scores"], [0] * 6)
    for _ in range(30_000):
        *_, terminated, _, info = env.step(env.action_space.sample(info["action_mask"]))
        if "rounds_over" in info:
            reported = [numbers["rounds_over"] for numbers in info.get("earlier_rounds", [])]
            reported.append(info["rounds_over"])
            assert reported == list(range(last + 1, last + 1 + len(reported)))
            several, last = several + (len(reported) > 1), reported[-1]
        if terminated:
            assert last == env.state.rounds_over
            _, info = env.reset()
            last = info["rounds_over"]
    assert several > 5


@pytest.mark.parametrize("mode", MODES)
def test_each_round_is_reported_in_a_row_once(mode: str) -> None:
    envs: Any = gym.make_vec("mhing:Mhing-v0", 64, autoreset_mode=mode, **SETTINGS).unwrapped
    _, infos = envs.reset(seed=1)
    assert infos["_scores"].all()
    last, several = infos["rounds_over"].tolist(), 0
    over = np.zeros(64, np.bool_)
    for _ in range(2_000):
        _, _, ended, _, infos = envs.step(envs.sample_actions())
        for row in range(64):
            reported = rounds_of(infos, row)
            if mode == "same_step" and ended[row]:
                final = rounds_of(infos["final_info"], row)
                assert final == list(range(last[row] + 1, last[row] + 1 + len(final)))
                several += len(final) > 1
                last[row] = 0 if reported[0] else -1  # 0: the start, where no round has ended
            elif over[row] and mode == "next_step":
                last[row] = 0 if reported[0] else -1
            assert reported == list(range(last[row] + 1, last[row] + 1 + len(reported)))
            several += len(reported) > 1
            last[row] = reported[-1] if reported else last[row]
        over = ended.copy()
        if mode == "disabled" and ended.any():
            _, infos = envs.reset(options={"reset_mask": ended.copy()})
            for row in ended.nonzero()[0]:
                last[row] = rounds_of(infos, row)[-1]
    assert several > 5
