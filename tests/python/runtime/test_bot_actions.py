"""A bot that is asked for all rows of a batch says what it says of their states."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

import mhing
from mhing._lib import hold, rows
from mhing.vector import CardGameVectorEnv

RANDOM = 2**64 - 3
"""The generators of later rows begin again at 0."""


@pytest.mark.parametrize("game_id", mhing.games())
def test_all_rows(game_id: str) -> None:
    envs, alone = (
        CardGameVectorEnv(
            5, game=game_id, opponents="self", num_threads=threads, autoreset_mode="same_step",
        )
        for threads in (2, 1)
    )  # fmt: skip
    envs.reset(seed=3)
    alone.reset(seed=3)
    for _ in range(6):
        for bot in (bot.name for bot in envs.game.bots):
            found = envs.bot_actions(bot, RANDOM)
            assert found.dtype == np.int32
            assert found.tolist() == [
                envs.state(row).bot_action(bot, (RANDOM + row) % 2**64)[0] for row in range(5)
            ]
        actions = envs.sample_actions()
        for one, other in zip(envs.step(actions)[:4], alone.step(actions)[:4], strict=True):
            np.testing.assert_equal(one, other)
        assert [envs.save(row) for row in range(5)] == [alone.save(row) for row in range(5)]


def test_a_row_that_is_over() -> None:
    envs = CardGameVectorEnv(
        2, game="mhing", opponents="self", autoreset_mode="disabled", illegal_action="terminate"
    )
    envs.reset(seed=1)
    masks = envs.action_masks()
    envs.step([masks[0].argmin(), masks[1].argmax()])
    asked = envs.bot_actions("greedy")
    assert asked[0] == 0
    assert asked[1] == envs.state(1).bot_action("greedy", 1)[0]


def test_only_many_rows_need_another_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """It lets Ctrl-C in, and takes longer to start than a bot needs for few rows."""
    started = []

    class Noted(threading.Thread):
        def start(self) -> None:
            started.append(self)
            super().start()

    monkeypatch.setattr(hold.threading, "Thread", Noted)
    actions = {}
    for least in (5, 4):
        monkeypatch.setattr(rows, "_LONG", least)
        envs = CardGameVectorEnv(4, game="mhing")
        envs.reset(seed=1)
        started.clear()
        actions[least] = envs.bot_actions("greedy").tolist()
        assert len(started) == (least == 4)
    assert actions[4] == actions[5]


def test_bad_input() -> None:
    envs = CardGameVectorEnv(2, game="mhing")
    with pytest.raises(ResetNeeded):
        envs.bot_actions("greedy")
    envs.reset(seed=1)
    with pytest.raises(ValueError, match="bot 'nobody'"):
        envs.bot_actions("nobody")
    with pytest.raises(ValueError, match="is not from 0 to"):
        envs.bot_actions("greedy", 2**64)
    with pytest.raises(TypeError, match="seed"):
        envs.bot_actions("greedy", 1.5)  # type: ignore[arg-type]
