"""A server that is drained: newcomers are kept out, and it ends when those inside have finished."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import Any

import pytest
from operator_calls import free_port, get, metrics
from server_process import Client, Server

import mhing

TABLE = {"table": "t", "bots": ["greedy"] * 3, "seed": 5}


def drain(server: Server) -> None:
    """Returns when it is draining."""
    server.process.send_signal(signal.SIGUSR1)
    assert server.process.stdout
    assert server.process.stdout.readline() == "draining\n"


def ends(server: Server, within: float) -> bool:
    """Return whether it ends well in that time; it has been closed then."""
    try:
        server.process.wait(within)
    except Exception:
        return False
    _, words = server.process.communicate()
    assert (server.process.returncode, words) == (0, "")
    return True


def play_on(client: Client) -> int:
    """Answers all questions of a table up to the end of its series; how many there were."""
    count = 0
    while (message := client.receive()) is not None:
        if message[0] == "turn":
            client.send("act", message[1], message[4].index(1))
            count += 1
        if message[0] == "end" and message[2]["over"]:
            return count
    raise AssertionError("the table fell silent")


def test_an_empty_server_ends_at_once(tmp_path: Path) -> None:
    with Server(tmp_path) as server:
        server.process.send_signal(signal.SIGUSR1)
        assert ends(server, 5)


def test_sessions_that_did_nothing_hold_nobody_up(tmp_path: Path) -> None:
    with Server(tmp_path) as server, Client(server.endpoint) as client:
        client.hello()
        assert client("ping")[0] == "ok"
        drain(server)
        assert ends(server, 5)


@pytest.mark.slow
def test_a_series_is_played_to_its_end(tmp_path: Path) -> None:
    """Of three games; then the player may still stand up, and the server ends when it has."""
    with Server(tmp_path) as server, Client(server.endpoint) as client:
        client.hello()
        assert client("sit", TABLE | {"games": 3})[0] == "ok"
        assert (client.receive() or [""])[0] == "start"
        drain(server)
        assert client("sit", TABLE | {"games": 3})[0] in {"turn", "ok"}  # the seat that it has
        assert play_on(client) > 3
        assert not ends(server, 1)
        assert client("stand")[0] == "ok"
        assert client("bye")[0] == "ok"
        assert ends(server, 5)


@pytest.mark.slow
def test_a_player_may_think(tmp_path: Path) -> None:
    """For longer than sessions are waited for that do something else."""
    with Server(tmp_path, "--drain-idle", "1") as server, Client(server.endpoint) as client:
        client.hello()
        assert client("sit", TABLE | {"clock": 20_000})[0] == "ok"
        assert (client.receive() or [""])[0] == "start"
        drain(server)
        assert not ends(server, 3)
        assert play_on(client) > 1
        assert ends(server, 10)


def test_newcomers_are_kept_out(tmp_path: Path) -> None:
    port = free_port()
    with Server(tmp_path, "--metrics", str(port)) as server:
        with Client(server.endpoint) as client, Client(server.endpoint) as other:
            client.hello()
            client.start_rows(rows=2)
            assert get(port, "/healthz") == (200, "ok\n")
            drain(server)
            refused = other.hello()
            assert refused[:3] == ["error", 0, "limit"]
            assert "try another server" in refused[3]
            for request in ("sit", "play"):
                reply = client(request, TABLE if request == "sit" else {})
                assert reply[2] == "limit", reply
                assert "try another server" in reply[3]
            assert client.hello()[0] == "ok"  # a session that comes back is no newcomer
            assert client("step", 1, client("sample", 1)[2])[0] == "ok"
            assert client.start_rows(rows=2) == 2
            assert get(port, "/healthz") == (503, "draining\n")
            assert metrics(port)["mhing_draining"] == 1
            with pytest.raises(RuntimeError, match="try another server"):
                mhing.connect(server.endpoint, timeout=5)
            assert client("bye")[0] == "ok"
        assert ends(server, 5)


def test_a_table_that_waits_does_not_begin(tmp_path: Path) -> None:
    """Nobody sits down at it, and it holds nobody up, however often its player is heard of."""
    with Server(tmp_path) as server:
        with Client(server.endpoint) as client, Client(server.endpoint) as other:
            client.hello()
            other.hello()
            assert client("sit", {"table": "t"})[0] == "ok"
            assert other("make", {})[0] == "ok"
            drain(server)
            assert other("sit", {"table": "t"})[2] == "limit"
            assert other("play")[2] == "limit"
            assert not ends(server, 0.5)
            assert other("bye")[0] == "ok"
        assert ends(server, 5)


@pytest.mark.slow
def test_environments_are_waited_for_while_they_are_used(tmp_path: Path) -> None:
    """For the time of --drain-idle after the last message, and then no longer."""
    with Server(tmp_path, "--drain-idle", "2") as server, Client(server.endpoint) as client:
        client.hello()
        client.start_rows()
        drain(server)
        for _ in range(8):
            assert client("step", 1, client("sample", 1)[2])[0] == "ok"
            time.sleep(0.5)
        began = time.monotonic()
        assert ends(server, 10)
        assert 0.8 < time.monotonic() - began < 5


@pytest.mark.slow
def test_nothing_is_lost_with_a_state(tmp_path: Path) -> None:
    """The server ends, and one on the same folder continues, and takes newcomers."""
    state = ("--state", str(tmp_path / "state"), "--drain-idle", "1")
    with Server(tmp_path, *state) as server, Client(server.endpoint) as client:
        client.hello()
        client.start_rows(rows=2)
        drain(server)
        assert ends(server, 10)
        server.start()
        assert client.hello()[0] == "ok"
        assert client("step", 1, client("sample", 1)[2])[0] == "ok"
        with Client(server.endpoint) as other:
            assert other.hello()[0] == "ok"


def test_signals_beside_it(tmp_path: Path) -> None:
    """A second one changes nothing, and SIGTERM ends at once whatever is under way."""
    with Server(tmp_path) as server, Client(server.endpoint) as client:
        client.hello()
        assert client("sit", TABLE)[0] == "ok"
        drain(server)
        server.process.send_signal(signal.SIGUSR1)
        assert not ends(server, 0.5)
        server.process.send_signal(signal.SIGTERM)
        assert ends(server, 5)


def test_a_bot_of_the_package_plays_to_the_end(tmp_path: Path) -> None:
    """It never learns that the server was drained meanwhile."""
    from remote_bots import First

    class Drains(First):
        def act(self, *arguments: Any) -> Any:
            if not drained:
                drained.append(True)
                drain(server)
            return super().act(*arguments)

    drained: list[bool] = []
    with Server(tmp_path) as server:
        end = Drains().play(server.endpoint, game="mhing", bots=["greedy"] * 3, seed=5)
        assert end["over"]
        assert ends(server, 10)
