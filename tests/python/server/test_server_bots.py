"""Bots with settings at a server: those that it was told to play, under their full names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from remote_bots import First
from same import assert_same
from server_process import Client, Server

import mhing

BOT = "search:6"


def first_action(mask: Any) -> int:
    return int(np.flatnonzero(mask)[0])


def test_a_server_plays_the_bots_of_its_options(tmp_path: Path) -> None:
    """Full names in its messages, also after it was killed; it continues under other options."""
    state = ("--state", str(tmp_path / "state"))
    with Server(tmp_path, *state, "--bots", f"search:3,errors=2 {BOT}") as server:
        bots = ["search:3,errors=2", BOT, "greedy"]
        with Client(server.endpoint) as client:
            client.hello()
            reply = client("sit", {"table": "t", "seed": 4, "bots": bots})
            assert reply[0] == "ok", reply
            start = client.receive()
            assert start is not None
            assert start[2]["players"][1:] == bots
            server.kill()
            server.arguments = server.arguments[: -len(["--bots", "x"])]
            server.start()
            client.close()
            client.connect()
            client.hello()
            with Client(server.endpoint) as other:
                other.hello()
                tables = other("tables")[2]
                assert tables[0]["players"][1:] == bots
                refused = other("sit", {"table": "u", "bots": bots})
                assert refused[2] == "limit", refused
            turn = client.receive()
            assert turn is not None
            assert turn[0] == "turn"


@pytest.mark.parametrize("options", [[], ["--bots", "search:5 search:60"]])
def test_a_server_refuses_others(tmp_path: Path, options: list[str]) -> None:
    with Server(tmp_path, *options) as server, Client(server.endpoint) as client:
        client.hello()
        for request in (
            ("sit", {"table": "t", "bots": [BOT]}),
            ("play", {"substitute": BOT}),
            ("make", {"opponents": BOT}),
        ):
            reply = client(*request)
            assert reply[0] == "error", reply
            assert reply[2] == "limit", reply
            assert BOT in reply[3]
        if options:
            assert client("make", {"opponents": "search:60"})[0] == "ok"


def test_an_environment_at_a_server_is_the_one_in_process(tmp_path: Path) -> None:
    with Server(tmp_path, "--bots", BOT) as server:
        bot = First()
        end = bot.play(server.endpoint, game="mhing", bots=[BOT] * 3, seed=5)
        env = gym.make("mhing:Mhing-v0", seat=0, opponents=BOT)
        _, info = env.reset(seed=5)
        earned, over = 0.0, False
        while not over:
            _, reward, over, _, info = env.step(first_action(info["action_mask"]))
            earned += float(reward)
        assert end["returns"][0] == pytest.approx(earned)
        assert [total["name"] for total in end["totals"]] == ["first", *[BOT] * 3]


def test_environments_over_a_connection_seat_those_that_the_server_plays(tmp_path: Path) -> None:
    with Server(tmp_path, "--bots", BOT) as server, mhing.connect(server.endpoint) as connection:
        opponents = [BOT, "greedy", BOT]
        local = gym.make_vec("mhing:Mhing-v0", num_envs=3, opponents=opponents)
        far = connection.make_vec("Mhing-v0", num_envs=3, opponents=opponents)
        assert_same(far.reset(seed=5), local.reset(seed=5))
        for _ in range(5):
            masks = local.unwrapped.observe()[1]["action_mask"]
            actions = [first_action(mask) for mask in masks]
            assert_same(far.step(actions), local.step(actions))
        with pytest.raises(RuntimeError, match="search:9 is none of the bots with settings"):
            connection.make("Mhing-v0", opponents="search:9")
