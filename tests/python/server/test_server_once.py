"""Every request is executed once, whatever becomes of messages, connections and the server."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgpack
import numpy as np
import pytest
from bad_line import BadLine
from numpy.typing import NDArray
from server_process import Client, Server

import mhing
from mhing._lib.rows import AUTORESET, CALLER, LocalBatch
from mhing.remote import Connection

ROWS = 3


class Stubborn:
    """A client that asks until it is answered: a new connection, hello, the request again."""

    def __init__(self, endpoint: str, patience: float) -> None:
        self.endpoint, self.patience = endpoint, patience
        self.client = Client(endpoint)
        self.retries = 0
        self.seq = 0
        self.token: bytes | None = None
        self._greet()

    def close(self) -> None:
        self.client.close()

    def _again(self) -> None:
        self.retries += 1
        self.client.close()
        self.client.connect()

    def come_back(self) -> None:
        """As after a lost connection."""
        self._again()
        self._greet()

    def _await(self, seq: int) -> list[Any] | None:
        while (reply := self.client.receive(self.patience)) is not None:
            if reply[1] == seq:
                return reply
        return None

    def _greet(self) -> None:
        while True:
            self.client.send("hello", 0, {} if self.token is None else {"token": self.token})
            reply = self._await(0)
            if reply is not None:
                assert reply[0] == "ok", reply
                self.token = reply[2]["token"]
                return
            self._again()

    def __call__(self, name: str, *arguments: Any) -> list[Any]:
        self.seq += 1
        while True:
            self.client.send(name, self.seq, *arguments)
            reply = self._await(self.seq)
            if reply is not None and reply[:3:2] != ["error", "hello"]:
                return reply
            self.come_back()


class Reference:
    """The same rows in this process."""

    def __init__(self, seed: int) -> None:
        game = mhing.Game("mhing")
        players = [CALLER] + [game._handle.bot_index("random")] * 3
        mode = AUTORESET["next_step"]
        self.batch = LocalBatch(game._handle, ROWS, -1, players, 0, autoreset=mode)
        self.batch.reset(np.arange(seed, seed + ROWS, dtype=np.uint64))

    def check(self, reply: list[Any]) -> None:
        batch = self.batch
        assert reply[0] == "ok", reply
        assert reply[2] == batch.observations.tobytes()
        assert reply[3] == batch.masks.tobytes()
        assert reply[4] == batch.rewards.tobytes()
        assert reply[5] == batch.terminated.tobytes()

    def choose(self) -> NDArray[np.int32]:
        assert self.batch.try_draw() == 0
        return self.batch.actions


def play(ask: Any, reference: Reference, steps: int) -> Iterator[int]:
    """Plays rows 1 of environment 1, which must be the reference's all the time."""
    for step in range(steps):
        actions = reference.choose()
        drawn = ask("sample", 1)
        assert drawn[2] == actions.tobytes()
        reference.batch.step()
        reference.check(ask("step", 1, actions.tobytes()))
        yield step


def begin(ask: Any) -> Reference:
    terms = {"rows": ROWS, "opponents": "random", "autoreset": "next_step"}
    assert ask("make", terms)[2] == 1
    reference = Reference(5)
    reference.check(ask("reset", 1, 5))
    return reference


@pytest.mark.slow
def test_a_bad_line(tmp_path: Path, full: bool) -> None:
    steps = 20_000 if full else 500
    with (
        Server(tmp_path) as server,
        BadLine(server.endpoint, f"ipc://{tmp_path}/line", 0.2) as line,
    ):
        client = Stubborn(line.endpoint, 0.03)
        for _ in play(client, begin(client), steps):
            pass
        assert client.retries > steps / 10
        assert line.troubles > steps / 5
        client.close()


@contextmanager
def journal_folder(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "state"
    yield folder
    assert not [path for path in folder.iterdir() if path.suffix == ".new"]


@pytest.mark.slow
def test_a_server_that_is_killed(tmp_path: Path) -> None:
    rng = random.Random(2)
    with (
        journal_folder(tmp_path) as folder,
        Server(tmp_path, "--state", str(folder)) as server,
    ):
        client = Stubborn(server.endpoint, 0.5)
        for _ in play(client, begin(client), 60):
            if rng.random() < 0.3:
                server.kill()
                server.start()
            if rng.random() < 0.2:  # in the middle of a request
                client.client.send("sample", client.seq + 1, 1)
                server.kill()
                server.start()
        assert client.retries > 10
        assert client("bye")[0] == "ok"
        assert not list(folder.iterdir())
        client.close()


def test_stopped_and_resumed(tmp_path: Path) -> None:
    with journal_folder(tmp_path) as folder:
        server = Server(tmp_path, "--state", str(folder))
        client = Stubborn(server.endpoint, 1)
        reference = begin(client)
        for _ in play(client, reference, 20):
            pass
        last = client.client.ask("step", client.seq, 1, bytes(4 * ROWS))  # as it was answered
        server.stop()
        with Server(tmp_path, "--resume", str(folder)):
            client.come_back()
            assert client.client.ask("step", client.seq, 1, bytes(4 * ROWS)) == last
            for _ in play(client, reference, 20):
                pass
        client.close()


def test_one_server_keeps_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    with Server(tmp_path, "--state", str(folder)), pytest.raises(AssertionError, match="another"):
        Server(tmp_path, "--state", str(folder), endpoint="tcp://127.0.0.1:*")


@pytest.mark.parametrize("name", ["socket", "socket.watch"])
def test_files_are_not_taken_for_sockets(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("precious")
    with pytest.raises(AssertionError, match=f"/{name} exists and is not a socket\n"):
        Server(tmp_path)
    assert (tmp_path / name).read_text() == "precious"


def test_localhost_is_an_address(tmp_path: Path) -> None:
    with Server(tmp_path, endpoint="tcp://localhost:*") as server:
        assert server.endpoint.startswith("tcp://127.0.0.1:")


def test_pipelined_requests_are_answered_from_memory(tmp_path: Path) -> None:
    with Server(tmp_path) as server, Client(server.endpoint) as client:
        client.hello(window=32)
        client.start_rows(rows=ROWS, autoreset="next_step")
        first = client.seq + 1
        for seq in range(first, first + 32):
            client.send("sample" if seq % 2 else "step", seq, 1, *([] if seq % 2 else [[0] * ROWS]))
        replies = [client.receive() for _ in range(32)]
        assert [reply[1] for reply in replies if reply] == list(range(first, first + 32))
        client.close()
        client.connect()
        assert client.hello()[2]["next"] == first + 32
        for seq in reversed(range(first, first + 32)):
            client.send("sample" if seq % 2 else "step", seq, 1, *([] if seq % 2 else [[0] * ROWS]))
            assert client.receive() == replies[seq - first]
        assert client.ask("ping", first - 1)[2] == "sequence"


@pytest.mark.parametrize("window", [1, 32])
def test_one_hello_twice_is_one_session(tmp_path: Path, window: int) -> None:
    with Server(tmp_path) as server, Client(server.endpoint) as client:
        message = msgpack.packb(["hello", 0, {"window": window}])
        client.socket.send(message)
        client.socket.send(message)
        assert client.receive() == client.receive()


def is_taken_over(reply: list[Any] | None, seq: int) -> bool:
    return reply is not None and reply[:3] == ["error", seq, "session"]


def test_two_connections_with_one_token(tmp_path: Path) -> None:
    """The last hello has the session; the other one is told, and hears nothing of it."""
    with Server(tmp_path) as server, Client(server.endpoint) as one:
        one.hello(window=4)
        with Client(server.endpoint) as other:  # connected later: an older one may not take over
            one.start_rows(rows=ROWS)
            first = one("step", 1, [0] * ROWS)
            other.hello(token=one.token)
            reply = one.ask("step", 3, 1, [0] * ROWS)  # in memory, but for the other
            assert is_taken_over(reply, 3)
            assert is_taken_over(one.ask("step", 4, 1, [0] * ROWS), 4)
            assert is_taken_over(one.ask("act", 7, 1), 7)
            assert other.ask("step", 3, 1, [0] * ROWS) == first
            assert other("step", 1, [1] * ROWS)[0] == "ok"
            assert is_taken_over(one.hello(), 0)
            # It comes back, and does not know what the other one has asked meanwhile.
            one.close()
            one.connect()
            assert one.hello()[2]["next"] == 5
            assert one.ask("step", 4, 1, [0] * ROWS)[2] == "sequence"
            assert one("ping") == ["ok", 5]
            assert is_taken_over(other.ask("ping", 5), 5)
            assert one.receive(0.1) is None
            assert other.receive(0.1) is None


def test_a_table_speaks_to_the_last_hello(tmp_path: Path) -> None:
    with Server(tmp_path) as server, Client(server.endpoint) as one:
        one.hello()
        with Client(server.endpoint) as other:  # connected later: an older one may not take over
            one("play", {"bots": ["random"] * 3, "seed": 2, "clock": 60_000})
            while (asked := one.receive()) is not None and asked[0] != "turn":
                pass
            assert asked is not None
            other.hello(token=one.token)
            again = other.receive()
            assert again is not None
            assert again[:2] == asked[:2]
            assert again[3:] == asked[3:]
            assert is_taken_over(one.ask("act", asked[1], -1), asked[1])
            other.send("act", asked[1], asked[4].index(b"\1"))
            while (heard := other.receive()) is not None and heard[0] != "turn":
                assert heard[0] != "error"
            assert heard is not None
            assert heard[1] == asked[1] + 1
            assert one.receive(0.2) is None


@pytest.mark.slow
def test_the_python_client_outlives_the_server(tmp_path: Path) -> None:
    """Twenty step when their server is killed, and is away for longer than they wait."""
    done = threading.Event()

    def follow() -> tuple[int, int]:
        def ask(name: str, *arguments: Any) -> list[Any]:
            connection.post(name, *arguments)
            while True:
                with suppress(TimeoutError):  # after three times its patience
                    return ["ok", 0, *connection.take()]

        with Connection(server.endpoint, timeout=0.3) as connection:
            steps = 0
            for steps in play(ask, begin(ask), 10**9):  # noqa: B007
                if done.is_set():
                    break
                time.sleep(0.01)
            return steps, connection._attempts

    with (
        Server(tmp_path, "--state", str(tmp_path / "state")) as server,
        ThreadPoolExecutor(20) as pool,
    ):
        crowd = [pool.submit(follow) for _ in range(20)]
        for _ in range(3):
            time.sleep(0.5)
            server.kill()
            time.sleep(1)
            server.start()
        time.sleep(0.5)
        done.set()
        for each in crowd:
            steps, attempts = each.result()
            assert steps > 10
            assert attempts > 5
