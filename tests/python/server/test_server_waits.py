"""Nobody waits for a long request: others are answered, and clocks run out, while it is executed.

By what comes first, and not by how long it takes: that is for benchmarks/bench_waits.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from server_process import Client, Server

pytestmark = pytest.mark.once

SLOW_STEP = {"rows": 4096, "options": "num_players=6", "opponents": "net"}
"""One step of it takes half a second or more: it is executed in some hundred slices."""


@contextmanager
def step_begun(endpoint: str) -> Iterator[Client]:
    """A client that has sent a slow step."""
    with Client(endpoint) as client:
        client.hello()
        client.start_rows(autoreset="next_step", **SLOW_STEP)
        actions = client("sample", 1)[2]
        client.send("step", client.seq + 1, 1, actions)
        yield client


def is_answered(client: Client) -> list[Any] | None:
    """The reply, if it has come."""
    return client.receive(0)


@pytest.mark.slow
@pytest.mark.parametrize("keeps", [False, True], ids=["", "state"])
def test_others_are_answered_while_a_step_is_executed(keeps: bool, tmp_path: Path) -> None:
    options = ["--state", str(tmp_path / "state")] if keeps else []
    with Server(tmp_path, *options) as server, Client(server.endpoint) as other:
        other.hello()
        with step_begun(server.endpoint) as client:
            pings = 0
            while (reply := is_answered(client)) is None:
                assert other("ping")[0] == "ok"
                pings += 1
    assert reply[0] == "ok"
    assert pings > 40  # some are answered before the step has arrived


@pytest.mark.slow
def test_clocks_run_out_while_a_step_is_executed(tmp_path: Path) -> None:
    """A player never answers, so that the next question comes, and the next one."""
    with Server(tmp_path) as server, Client(server.endpoint) as player:
        player.hello()
        player("play", {"bots": ["random"] * 3, "clock": 50, "games": 1000})
        with step_begun(server.endpoint) as client:
            turns = 0
            while player.receive(0):  # what was sent before
                pass
            while (reply := is_answered(client)) is None:
                message = player.receive(0.01)
                kind = message[0] if message else ""
                turns += kind == "turn"
                if kind == "away":  # after three of them
                    player.seq += 1
                    player.send("back", player.seq)
    assert reply[0] == "ok"
    assert turns > 3
