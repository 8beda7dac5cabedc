"""Nobody waits for others: a ping beside any load, and the clock of a table."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from server_process import Client, Server

pytestmark = pytest.mark.once

SLOW_STEP = {"rows": 4096, "options": "num_players=6", "opponents": "net"}
"""One step of it takes half a second or more."""

LOADS: dict[str, tuple[int, dict[str, Any] | None]] = {
    "one slow step": (1, SLOW_STEP),
    "four slow steps": (4, SLOW_STEP | {"rows": 1024}),
    "many steps": (12, {"rows": 512, "opponents": "greedy"}),
    "tables of slow bots": (12, None),
}
OTHERS = 0.1
"""Seconds that other programs on the machine may take: benchmarks/bench_waits.py measures without
them."""


def step(endpoint: str, terms: dict[str, Any], stop: threading.Event) -> float:
    """Steps an environment until the end; returns the seconds of the longest step."""
    longest = 0.0
    with Client(endpoint) as client:
        client.hello()
        client.start_rows(autoreset="next_step", **terms)
        while not stop.is_set():
            actions = client("sample", 1)[2]
            began = time.perf_counter()
            assert client("step", 1, actions)[0] == "ok"
            longest = max(longest, time.perf_counter() - began)
    return longest


def play(endpoint: str, stop: threading.Event) -> int:
    """Plays against slow bots until the end; returns the number of answers."""
    answers = 0
    with Client(endpoint) as client:
        client.hello()
        terms = {"options": "num_players=6", "bots": ["net"] * 5, "games": 10_000}
        assert client("play", terms)[0] == "ok"
        while not stop.is_set():
            message = client.receive()
            assert message is not None
            if message[0] == "turn":
                answers += 1
                client.send("act", message[1], message[4].index(b"\1"))
    return answers


@contextmanager
def load(endpoint: str, kind: str) -> Iterator[list[Any]]:
    """Clients that keep the server busy; what they return is there at the end."""
    count, terms = LOADS[kind]
    stop, results = threading.Event(), list[Any]()
    with ThreadPoolExecutor(count) as pool:
        clients: list[Future[float] | Future[int]] = [
            pool.submit(step, endpoint, terms, stop) if terms else pool.submit(play, endpoint, stop)
            for _ in range(count)
        ]
        time.sleep(1)  # until all have begun
        try:
            yield results
        finally:
            stop.set()
        results += [client.result() for client in clients]


@pytest.mark.parametrize("kind", LOADS)
@pytest.mark.parametrize("keeps", [False, True], ids=["", "state"])
def test_a_ping_is_answered_beside(kind: str, keeps: bool, tmp_path: Path) -> None:
    times = []
    options = ["--state", str(tmp_path / "state")] if keeps else []
    with Server(tmp_path, *options) as server, Client(server.endpoint) as client:
        client.hello()
        with load(server.endpoint, kind) as longest:
            until = time.monotonic() + 2
            while time.monotonic() < until:
                began = time.perf_counter()
                assert client("ping")[0] == "ok"
                times.append(time.perf_counter() - began)
                time.sleep(0.002)
    if "slow step" in kind:
        assert max(longest) > 0.2
    assert sorted(times)[len(times) * 99 // 100] < OTHERS


def await_turn(client: Client) -> tuple[list[Any], float]:
    """The next question, and when it came. Errors are answers that were late."""
    while (message := client.receive()) is not None:
        assert message[0] != "error", message
        if message[0] == "turn":
            return message, time.monotonic()
    raise AssertionError("nobody was asked")


def test_clocks_go_on_beside_a_slow_step(tmp_path: Path) -> None:
    """An answer is in time by when it came, and not by when a step is over; so is the end of the
    time for it."""
    clock = 0.5
    with (
        Server(tmp_path) as server,
        load(server.endpoint, "one slow step"),
        Client(server.endpoint) as client,
    ):
        client.hello()
        client("play", {"bots": ["random"] * 3, "clock": int(clock * 1000), "games": 1000})
        for _ in range(8):
            (_, turn, _, _, legal, *_), _ = await_turn(client)
            time.sleep(0.7 * clock)
            client.send("act", turn, legal.index(b"\1"))
            _, asked = await_turn(client)
            _, again = await_turn(client)  # nobody has answered: another action was played
            assert 0.9 * clock < again - asked < clock + OTHERS
