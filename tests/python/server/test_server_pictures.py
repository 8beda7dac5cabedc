"""Pictures from the server are those that are drawn in process, from what their viewer may see."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from server_process import Client, Server

import mhing
from mhing import render


@pytest.mark.parametrize("game_id", mhing.games())
def test_a_table_is_drawn_as_it_is_seen(tmp_path: Path, game_id: str) -> None:
    game = mhing.Game(game_id)
    bots = ["random"] * (game.num_seats - 1)
    with (
        Server(tmp_path) as server,
        Client(server.endpoint) as player,
        Client(server.endpoint) as other,
    ):
        other.hello()
        player.hello()
        player("sit", {"table": "t", "game": game_id, "bots": bots, "clock": 600_000})
        while (message := player.receive()) is not None and message[0] != "turn":
            pass
        assert message
        player.seq += 1
        player.send("back", player.seq)
        seen = player.receive()
        assert seen
        seen = seen[2]
        mask = np.frombuffer(message[4], np.int8)
        observation = np.frombuffer(seen["observation"], np.uint8)
        view = render.View(
            game, observation, seen["seat"], seen["numbers"], seen["seat"], mask=mask
        )
        turn = player.receive()  # the question once more
        assert turn
        assert turn[0] == "turn"
        for form in render.FORMATS:
            drawn = render.scene(view, shape=form)
            assert json.loads(player("picture", {"form": form})[2]) == drawn.rows()
        assert player("picture", {"as": "svg"})[2] == render.svg(view)
        dark = {"as": "svg", "look": "dark", "safe_suits": True}
        assert player("picture", dark)[2] == render.svg(view, look="dark-safe")
        public = json.loads(other("picture", {"table": "t"})[2])
        assert public == json.loads(player("picture", {"table": "t"})[2])
        hands = [row for row in public if row[0] == 3 and row[5:6] == ["hand"]]
        known = game.unpack(observation).get("known", np.zeros(1))  # to everybody, in Rummy alone
        assert sum(row[6] != "" for row in hands) == known.sum()
        assert not any(len(row) > 8 and row[8] is not None for row in public if row[0] == 3)
        assert other("picture")[2:] == [
            "table", "you have no seat: name a table, or sit down first",
        ]  # fmt: skip
        for wrong in ("wide", ["wide"], 5, True):
            refused = ["error", player.seq + 1, "argument", "argument 1 is not a map"]
            assert player("picture", wrong) == refused
