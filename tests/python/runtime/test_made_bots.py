"""Bots with settings, such as "search:20", wherever bots are named."""

from __future__ import annotations

import threading
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import mhing
from mhing import arena

BOT = "search:6"
MOST = 32
"""Bots with settings that a game object holds."""


def first_action(mask: Any) -> int:
    return int(np.flatnonzero(mask)[0])


def test_numbers_follow_those_of_the_table() -> None:
    game = mhing.Game("mhing")
    table = len(game.bots)
    assert game.bot_index("search:7") == table
    assert game.bot_index("search:7,errors=2") == table + 1
    assert game.bot_index("search:7") == table
    assert [bot.name for bot in game.bots] == [bot.name for bot in mhing.Game("mhing").bots]


def test_a_game_object_holds_so_many() -> None:
    game = mhing.Game("mhing")
    numbers = [game.bot_index(f"search:{1 + i}") for i in range(MOST)]
    assert numbers == list(range(len(game.bots), len(game.bots) + MOST))
    with pytest.raises(ValueError, match=r"bot search:99: this game object has 32 bots"):
        game.bot_index("search:99")
    assert game.bot_index("search:5") == numbers[4]
    assert mhing.Game("mhing").bot_index("search:99") == numbers[0]


def test_threads_name_and_play_at_once() -> None:
    """One number for each name in all threads, while others play with the same object."""
    game = mhing.Game("mhing")
    game.bot_index(BOT)
    expected = game.new_state(1).play_out(BOT, 1).to_bytes()
    found: list[dict[str, int]] = []
    played: list[bytes] = []

    def name() -> None:
        found.append({f"search:{1 + i}": game.bot_index(f"search:{1 + i}") for i in range(20)})

    def play() -> None:
        returns = game.new_state(1).play_outs(BOT, 4, seed=1, num_threads=2)
        assert returns.shape == (4, game.num_seats)
        played.append(game.new_state(1).play_out(BOT, 1).to_bytes())

    threads = [threading.Thread(target=task) for task in (name, play, name, play, name)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert played == [expected] * 2
    assert found[0] == found[1] == found[2]
    assert len(set(found[0].values())) == 20


def test_environments_seat_them() -> None:
    """The same opponents, so the same episodes, in each kind of environment."""
    ends = []
    env = gym.make("mhing:Mhing-v0", opponents=BOT, seat=0)
    _, info = env.reset(seed=3)
    over = False
    while not over:
        _, reward, over, _, info = env.step(first_action(info["action_mask"]))
    ends.append(float(reward))
    vector = gym.make_vec("mhing:Mhing-v0", num_envs=2, opponents=BOT, seat=0)
    _, info = vector.reset(seed=3)
    over = False
    while not over:
        _, rewards, ended, _, info = vector.step([first_action(m) for m in info["action_mask"]])
        over = bool(ended[0])
    ends.append(float(rewards[0]))
    assert ends[0] == ends[1]


def test_states_and_play_outs_know_them() -> None:
    game = mhing.Game("mhing")
    state = game.new_state(2)
    action, generator = state.bot_action(BOT, 5)
    assert (action, generator) == state.bot_action(BOT, 5)
    assert action in state.legal_actions()
    assert generator != 5
    mixed = state.play_out([BOT, "greedy", "greedy", "greedy"], seed=1)
    assert mixed.is_terminal
    assert state.play_outs(BOT, 3, observer=0, seed=1).shape == (3, 4)


def test_the_arena_seats_them() -> None:
    played = arena.play([BOT, "greedy"], field="greedy", deals=4, seed=1)
    assert BOT in str(played)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("search:", "'' is no budget"),
        ("search:0", "'0' is no budget, which comes first; it is a number of play-outs from 1 to"),
        ("search:10s", "'10s' is no budget"),
        ("search:10000000000", "is no budget"),
        ("search:ms", "'ms' is no budget"),
        ("search:20,", "'' is no setting"),
        ("search:20,errors", "'errors' is no setting"),
        ("search:20,errors=1.", "'errors=1.' has a wrong value"),
        ("search:20,errors=-1", "'errors=-1' has a wrong value"),
        ("search:20,behind=None", "'behind=None' has a wrong value; there are prior"),
        ("search:20,actions=1", "'actions=1' has a wrong value"),
        ("search:20,decisions=100", "'decisions=100' has a wrong value"),
        ("search:20,prior=", "'prior=' is no setting"),
        ("search:20,prior=greedy,prior=expert", "'prior' is given twice; give it once"),
        ("search:20,errors=1,cut=none,errors=1", "'errors' is given twice"),
        ("search:20,prior=nobody", "prior: no bot 'nobody' for mhing; there is random, greedy"),
        ("search:20,others=nobody", "others: no bot 'nobody'"),
        ("search:20,prior=search:5", "search:5 searches itself"),
        ("search:20,cut=greedy", "cut: greedy does not judge actions"),
        ("search:20,cut=nobody", "no bot 'nobody'"),
        ("search:20,prior=" + "x" * 200, "its name has more than 127 bytes"),
        ("search", "there is random, greedy, expert"),
        ("nobody", "net, search:BUDGET, net:NAME, net:FILE"),
    ],
)
def test_names_that_stand_for_nobody(name: str, words: str) -> None:
    with pytest.raises(ValueError, match=r"bot") as caught:
        mhing.Game("mhing").bot_index(name)
    assert words in str(caught.value)
