"""The server when the system refuses: a full disk, no descriptors, no processor for a while."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgpack
import pytest
import zmq
from server_process import Client, Server
from zmq.utils.monitor import parse_monitor_message

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="limits and times of another process are Linux's"
)

ROWS = 3
PATIENCE = 20  # seconds in which something must happen
EVERY_SYNC = ("always", "second", "never")


# ---- The disk is full ----------------------------------------------------------------------------


def limit_files(server: Server, size: int) -> None:
    """From now on no file can become larger than `size` bytes: writes fail as on a full disk."""
    limit = (size, resource.RLIM_INFINITY)
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, limit)


def fill_disk(server: Server, folder: Path, room: int = 512) -> None:
    """Leaves the largest file so many bytes; the first one may come a moment after a reply."""
    until = time.monotonic() + PATIENCE
    while not (sizes := [path.stat().st_size for path in folder.iterdir()]):
        assert time.monotonic() < until, "there is no file"
        time.sleep(0.01)
    limit_files(server, max(sizes) + room)


def end(server: Server, number: signal.Signals) -> tuple[str, str]:
    """Ends a server that had something to say; returns what it printed on both streams."""
    server.process.send_signal(number)
    words, complaints = server.process.communicate(timeout=30)
    assert server.process.returncode == (0 if number == signal.SIGTERM else -number), complaints
    return words, complaints


class Twins:
    """A client of two servers, of which the second keeps nothing and so is never short of disk."""

    def __init__(self, server: Server, reference: Server, stack: ExitStack) -> None:
        self.one = stack.enter_context(Client(server.endpoint))
        self.other = stack.enter_context(Client(reference.endpoint))
        for each in (self.one, self.other):
            assert each.hello()[0] == "ok"
            each.start_rows(rows=ROWS, autoreset="next_step", opponents="random")
        self.request: list[Any] = []
        self.expected: list[Any] = []

    def step(self) -> list[Any]:
        """A new step; the reply must be what the second server says, or the error `storage`."""
        self.expected = self.other("step", 1, [0] * ROWS)
        self.request = ["step", self.other.seq, 1, [0] * ROWS]
        return self.again()

    def again(self) -> list[Any]:
        """The last step once more."""
        reply = self.one.ask(*self.request)
        refused = reply[:3] == ["error", self.request[1], "storage"]
        assert refused or reply == self.expected, reply[:4]
        return reply

    def step_on(self, steps: int = 20) -> None:
        for _ in range(steps):
            assert self.step()[0] == "ok"


@contextmanager
def twins(folder: Path, sync: str) -> Iterator[tuple[Server, Twins]]:
    for name in ("one", "other"):
        (folder / name).mkdir()
    files = ("--state", f"{folder}/state", "--records", f"{folder}/records")
    with ExitStack() as stack:
        server = Server(folder / "one", *files, "--sync", sync, "--figures", "1")
        stack.enter_context(server)
        reference = stack.enter_context(Server(folder / "other"))
        yield server, Twins(server, reference, stack)


def step_until_refused(pair: Twins) -> list[Any]:
    for _ in range(10_000):
        reply = pair.step()
        if reply[0] == "error":
            return reply
    raise AssertionError("the server wrote more than there was room for")


def repeat_until_done(pair: Twins) -> None:
    until = time.monotonic() + PATIENCE
    while pair.again()[0] == "error":
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.mark.slow
@pytest.mark.parametrize("sync", EVERY_SYNC)
def test_a_full_disk_refuses_and_goes_on(tmp_path: Path, sync: str) -> None:
    """Requests that cannot be kept are refused until there is room again."""
    with twins(tmp_path, sync) as (server, pair):
        fill_disk(server, tmp_path / "state")
        refused = step_until_refused(pair)
        assert "File too large" in refused[3]
        time.sleep(1.5)  # it tries to write again meanwhile, and prints a line of figures
        assert pair.again() == refused
        with Client(server.endpoint) as somebody:
            assert somebody.hello()[2] == "storage"
        limit_files(server, resource.RLIM_INFINITY)
        repeat_until_done(pair)
        pair.step_on()
        words, complaints = end(server, signal.SIGTERM)
        assert max(int(count) for count in re.findall(r"not written (\d+)", words)) > 0
        assert "cannot write: File too large" in complaints.splitlines()[0]
        assert "all is written again" in complaints.splitlines()[-1]


@pytest.mark.parametrize("sync", EVERY_SYNC)
def test_a_full_disk_loses_nothing_confirmed(tmp_path: Path, sync: str) -> None:
    with twins(tmp_path, sync) as (server, pair):
        fill_disk(server, tmp_path / "state")
        step_until_refused(pair)
        end(server, signal.SIGKILL)
        server.start()
        pair.one.close()
        pair.one.connect()
        assert pair.one.hello()[2]["next"] == pair.request[1]  # all but the refused one
        assert pair.again() == pair.expected
        pair.step_on()
        assert "left out" in end(server, signal.SIGTERM)[1]  # the refused one was cut short


@pytest.mark.parametrize("sync", EVERY_SYNC)
def test_a_full_disk_loses_no_question(tmp_path: Path, sync: str) -> None:
    """The last question to a player before a kill is the first one after it.

    Or the question after that, if its answer was kept and the deal that follows was not.
    """
    files = ("--state", str(tmp_path / "state"), "--sync", sync)
    with Server(tmp_path, *files) as server, Client(server.endpoint) as player:
        player.hello()
        player("play", {"table": "t", "bots": ["greedy"] * 3, "seed": 3, "games": 1000})
        fill_disk(server, tmp_path / "state")
        asked = play_until_refused(player)
        end(server, signal.SIGKILL)
        server.start()
        player.close()
        player.connect()
        player.hello()
        first = next(said for said in iter(player.receive, None) if said[0] == "turn")[1]
        assert first in (asked, asked + 1)
        assert "left out" in end(server, signal.SIGTERM)[1]  # what was cut short


@pytest.mark.slow
def test_a_full_disk_loses_no_record(tmp_path: Path) -> None:
    """A table waits for room and continues; its records are whole after a kill."""
    files = ("--state", f"{tmp_path}/state", "--records", f"{tmp_path}/records")
    with Server(tmp_path, *files) as server, Client(server.endpoint) as player:
        player.hello()
        player("play", {"table": "t", "bots": ["greedy"] * 3, "seed": 3, "games": 20})
        fill_disk(server, tmp_path / "records", room=2048)
        assert play_until_refused(player) > 0
        limit_files(server, resource.RLIM_INFINITY)
        finish_series(player)
        assert "all is written again" in end(server, signal.SIGKILL)[1].splitlines()[-1]
        server.start()
        records = list((tmp_path / "records").iterdir())
        assert len(records) == 20
        for record in records:
            until = time.monotonic() + PATIENCE / 2  # a table that continues writes its record anew
            while "returns" not in record.read_text().splitlines()[-1]:
                assert time.monotonic() < until, record.read_text()
                time.sleep(0.05)
            assert json.loads(record.read_text().splitlines()[0])["game"] == "mhing"


def play_until_refused(player: Client) -> int:
    """Answers until the disk is full; returns the number of the last question.

    The last answer has no reply, and the next question waits for room.
    """
    turn = 0
    while True:
        heard = player.receive(0.5)
        if heard is None:
            player.send("act", turn, 0)  # once more
        elif heard[0] == "turn":
            turn = int(heard[1])
            player.send("act", turn, heard[4].index(b"\1"))
        elif heard[0] == "error" and heard[2] == "storage":
            return turn
        else:
            assert heard[0] != "error" or heard[2] in ("turn", "late")
            assert heard[0] != "end" or not heard[2]["over"]


def finish_series(player: Client) -> None:
    while (heard := player.receive()) is not None:
        if heard[0] == "turn":
            player.send("act", heard[1], heard[4].index(b"\1"))
        elif heard[0] == "end" and heard[2]["over"]:
            return
    raise AssertionError("the table has stopped")


# ---- No descriptors ------------------------------------------------------------------------------


class FewFiles(Server):
    """A server with 64 descriptors."""

    def start(self) -> None:
        limited = ["sh", "-c", 'ulimit -n 64 && exec "$0" "$@"']
        if self.arguments[:3] != limited:
            self.arguments = [*limited, *self.arguments]
        super().start()


def cpu_seconds(server: Server) -> float:
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.slow
@pytest.mark.parametrize("endpoint", [None, "tcp://127.0.0.1:*"])
def test_more_connections_than_descriptors(tmp_path: Path, endpoint: str | None) -> None:
    """Those who came first play on, files are written, and who leaves makes room."""
    state = tmp_path / "state"
    with (
        FewFiles(tmp_path, "--state", str(state), "--sync", "always", endpoint=endpoint) as server,
        Client(server.endpoint) as first,
        ExitStack() as crowd,
    ):
        first.hello()
        first.start_rows(rows=ROWS, autoreset="next_step")
        clients = [crowd.enter_context(Client(server.endpoint)) for _ in range(100)]
        for client in clients:
            client.send("hello", 0, {})
        for _ in range(20):
            assert first("step", 1, [0] * ROWS)[0] == "ok"
        served = [client for client in clients if client.receive(0.02) is not None]
        assert 0 < len(served) < 64
        before = cpu_seconds(server)
        time.sleep(1)
        assert cpu_seconds(server) - before < 0.7
        for _ in range(20):
            assert first("step", 1, [0] * ROWS)[0] == "ok"
        before_kill = first("step", 1, [0] * ROWS)
        crowd.close()
        with Client(server.endpoint) as late:
            assert late.hello()[0] == "ok"
        server.kill()
        server.start()
        first.close()
        first.endpoint = server.endpoint
        first.connect()
        assert first.hello()[2]["next"] == first.seq + 1
        assert first.ask("step", first.seq, 1, [0] * ROWS) == before_kill


class Crowd:
    """Connections that say nothing. ZeroMQ greets the server, and connects again by itself."""

    def __init__(self, endpoint: str, count: int, kind: int, topic: bytes | None = None) -> None:
        self.sockets = [zmq.Context.instance().socket(kind) for _ in range(count)]
        self.monitors = [socket.get_monitor_socket() for socket in self.sockets]
        for socket in self.sockets:
            socket.linger = 0
            if topic is not None:
                socket.subscribe(topic)
            socket.connect(endpoint)

    def count(self, event: int) -> int:
        """The number of sockets that have seen that event since the last time."""
        seen = 0
        for monitor in self.monitors:
            found = False
            while monitor.poll(0):
                found |= parse_monitor_message(monitor.recv_multipart())["event"] == event
            seen += found
        return seen

    def __enter__(self) -> Crowd:
        return self

    def __exit__(self, *_: object) -> None:
        for socket, monitor in zip(self.sockets, self.monitors, strict=True):
            socket.disable_monitor()
            monitor.close()
            socket.close()


@pytest.mark.slow
@pytest.mark.parametrize("endpoint", [None, "tcp://127.0.0.1:*"])
def test_a_silent_crowd_locks_nobody_out(tmp_path: Path, endpoint: str | None) -> None:
    """Silent connections make room for newcomers; clients that have said hello stay."""
    with FewFiles(tmp_path, endpoint=endpoint) as server, Client(server.endpoint) as first:
        first.hello()
        with Crowd(server.endpoint, 80, zmq.DEALER):
            time.sleep(1)
            for _ in range(5):
                with Client(server.endpoint) as late:
                    late.send("hello", 0, {})
                    reply = late.receive(PATIENCE)
                    assert reply is not None
                    assert reply[0] == "ok"
            assert first("ping") == ["ok", first.seq]


@pytest.mark.slow
def test_who_says_no_hello_is_disconnected(tmp_path: Path) -> None:
    """So is who says other things, and a spectator of nothing; not who has lost its session."""
    with Server(tmp_path, endpoint="tcp://127.0.0.1:*") as server, Client(server.endpoint) as first:
        watch = first.hello(client="first")[2]["watch"]
        with (
            Crowd(server.endpoint, 3, zmq.DEALER) as silent,
            Crowd(watch, 3, zmq.SUB) as blind,
            Crowd(watch, 3, zmq.SUB, b"t:") as spectators,
        ):
            taken = Client(server.endpoint)
            taken.hello()
            last = Client(server.endpoint)  # connected later: an older one may not take over
            assert last.hello(token=taken.token)[0] == "ok"
            began = time.monotonic()
            gone = [0, 0]
            while gone != [3, 3] and time.monotonic() < began + PATIENCE:
                gone[0] += silent.count(zmq.EVENT_DISCONNECTED)
                gone[1] += blind.count(zmq.EVENT_DISCONNECTED)
                silent.sockets[0].send(msgpack.packb(["ping", 1]))
                time.sleep(0.3)
            assert gone == [3, 3]
            assert time.monotonic() - began > 8
            assert spectators.count(zmq.EVENT_DISCONNECTED) == 0
            assert taken.ask("ping", 1)[2] == "session"
            assert first("ping") == ["ok", first.seq]
            taken.close()
            last.close()


# ---- No processor for a while --------------------------------------------------------------------


@contextmanager
def stopped(server: Server, seconds: float) -> Iterator[None]:
    """The process stands still while the body runs, and for that long afterwards."""
    server.process.send_signal(signal.SIGSTOP)
    try:
        yield
        time.sleep(seconds)
    finally:
        server.process.send_signal(signal.SIGCONT)


def await_turn(player: Client) -> list[Any]:
    while (heard := player.receive()) is not None:
        assert heard[0] != "error", heard
        if heard[0] == "turn":
            return heard
    raise AssertionError("nobody was asked")


@pytest.mark.slow
def test_an_answer_to_a_server_that_stands_still_is_in_time(tmp_path: Path) -> None:
    """Nobody is late, and no session ends, because the server was stopped."""
    clock = 1000
    with (
        Server(tmp_path, "--expire", "2") as server,
        Client(server.endpoint) as player,
        Client(server.endpoint) as silent,
    ):
        player.hello()
        player("play", {"bots": ["greedy"] * 3, "seed": 2, "clock": clock})
        for _ in range(3):
            asked = await_turn(player)
            silent.hello()
            with stopped(server, 2.2):
                player.send("act", asked[1], asked[4].index(b"\1"))
            silent.send("ping", silent.seq + 1)
            answer = await_turn(player)  # an answer that is late is an error
            assert answer[1] == asked[1] + 1
            assert silent.receive() == ["ok", silent.seq + 1]
            silent.seq += 1
            player.send("act", answer[1], answer[4].index(b"\1"))
        asked = await_turn(player)
        asked_at = time.monotonic()
        assert await_turn(player)[1] == asked[1] + 1  # the clock still runs out
        assert time.monotonic() - asked_at > clock / 1000 * 0.9
