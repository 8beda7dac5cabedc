"""The server's memory stays bounded whatever peers send, and is given back when they are gone."""

from __future__ import annotations

import re
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgpack
import pytest
from server_process import Client, Server, executable

MIB = 1 << 20
PAGE = Path(__file__).parents[3] / "csrc" / "server" / "OPERATING.md"
MESSAGE = 2 * MIB  # what the server allows by default


class Peer:
    """A peer that writes the frames of ZMTP 3.0 itself, and so can write what no library would."""

    def __init__(self, port: int, kind: bytes = b"DEALER") -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.settimeout(20)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(b"\xff" + bytes(8) + b"\x7f\3\0" + b"NULL".ljust(20, b"\0") + bytes(32))
        self.read(64)
        ready = b"\5READY\x0bSocket-Type" + len(kind).to_bytes(4, "big") + kind
        self.socket.sendall(bytes([4, len(ready)]) + ready)
        self.read(self.read(2)[1])

    def __enter__(self) -> Peer:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            data += (part := self.socket.recv(size - len(data)))
            assert part, "the server has closed the connection"
        return data

    def send(self, data: bytes, times: int = 1) -> bool:
        """Sends the same bytes again and again; returns whether the server took them."""
        try:
            for _ in range(times):
                self.socket.sendall(data)
        except ConnectionError:
            return False
        return True

    def read_frame(self) -> bytes:
        """The next message of one frame."""
        is_long = self.read(1)[0] & 2
        return self.read(int.from_bytes(self.read(8 if is_long else 1), "big"))

    def receive(self) -> list[Any]:
        message: list[Any] = msgpack.unpackb(self.read_frame())
        return message

    def tell(self, *message: Any) -> None:
        self.send(frame(msgpack.packb(message), more=False))

    def ask(self, *message: Any) -> list[Any]:
        self.tell(*message)
        return self.receive()

    def is_dropped(self) -> bool:
        try:
            while self.socket.recv(4096):
                pass
        except ConnectionError:
            pass
        except TimeoutError:
            return False
        return True


def frame(body: bytes, more: bool = True) -> bytes:
    if len(body) < 256:
        return bytes([more, len(body)]) + body
    return bytes([2 + more]) + len(body).to_bytes(8, "big") + body


def wait_until(is_so: Callable[[], bool], otherwise: str) -> None:
    deadline = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < deadline, otherwise
        time.sleep(0.1)


@contextmanager
def largest(server: Server) -> Iterator[Callable[[], int]]:
    """The growth of the server's memory since the beginning, at its peak."""
    before, most, over = server.memory(), 0, threading.Event()

    def measure() -> None:
        nonlocal most
        while not over.wait(0.002):
            most = max(most, server.memory() - before)

    measuring = threading.Thread(target=measure)
    measuring.start()
    try:
        yield lambda: most
    finally:
        over.set()
        measuring.join()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "body", "peers", "mib"),
    [
        (b"DEALER", bytes(MESSAGE), 10, 100),
        (b"DEALER", bytes(1000), 10, 100),
        (b"DEALER", b"", 4, 16),  # an empty frame takes 64 bytes in the server
        (b"SUB", b"\1" + bytes(100), 10, 100),
    ],
)
def test_messages_that_never_end(
    tmp_path: Path, kind: bytes, body: bytes, peers: int, mib: int
) -> None:
    with (
        Server(tmp_path, endpoint="tcp://127.0.0.1:*") as server,
        Client(server.endpoint) as honest,
    ):
        watch = honest.hello()[2]["watch"]
        endpoint = watch if kind == b"SUB" else server.endpoint
        port = int(endpoint.rsplit(":", 1)[1])
        before = server.memory()
        frames = frame(body) * max(1, MIB // len(frame(body)))
        dropped = []

        def attack() -> None:
            with Peer(port, kind) as peer:
                peer.send(frames, mib * MIB // len(frames))
                dropped.append(peer.is_dropped())

        attackers = [threading.Thread(target=attack) for _ in range(peers)]
        with largest(server) as more:
            for attacker in attackers:
                attacker.start()
            while any(attacker.is_alive() for attacker in attackers):
                reply = honest("ping")
                assert reply[0] == "ok", reply
        assert dropped == [True] * peers
        assert more() < 512 * MIB
        wait_until(lambda: server.memory() - before <= 40 * MIB, "the memory was not given back")


@pytest.mark.slow
def test_what_comes_while_the_server_is_busy(tmp_path: Path) -> None:
    """A message that has become too long while another peer's request took all of its time."""
    with (
        Server(tmp_path, endpoint="tcp://127.0.0.1:*") as server,
        Client(server.endpoint) as honest,
    ):
        port = int(honest.hello()[2]["watch"].rsplit(":", 1)[1])
        env = honest("make", {"rows": 4096, "opponents": "expert"})[2]
        with Peer(port, b"SUB") as peer:
            time.sleep(0.1)  # the server has looked at it
            honest.send("reset", honest.seq + 1, env, 1, None)
            time.sleep(0.05)
            assert peer.send(frame(b"\1" + bytes(100)) * 10000)
            assert peer.is_dropped()


def bound(bytes_of_replies: int, **counts: int) -> int:
    """The sum of the table of OPERATING.md with so many sessions, tables and rows."""
    page = PAGE.read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| (.*) \| (\d+) ([MK])iB \|$", page.partition("### Memory")[2], re.MULTILINE
    )
    total = bytes_of_replies
    for name, number, unit in rows:
        option = re.search(r"--(\w+)", name)
        times = counts.get(option[1], 0) if option else "guest" not in name
        total += times * int(number) * (MIB if unit == "M" else 1024)
    return total


@pytest.mark.slow
def test_two_thousand_sessions_keep_the_bound(tmp_path: Path) -> None:
    """All remember a long reply, 500 sit at tables, and 100 let large requests wait."""
    counts = {"sessions": 2000, "tables": 500, "rows": 8192}
    replies = 576 * MIB
    options = [f"--{name}={number}" for name, number in {**counts, "bytes": replies}.items()]
    with (
        Server(tmp_path, *options, endpoint="tcp://127.0.0.1:*") as server,
        ExitStack() as stack,
    ):
        before = server.memory()
        port = int(server.endpoint.rsplit(":", 1)[1])
        peers = []
        for number in range(2000):
            peer = stack.enter_context(Peer(port))
            peers.append(peer)
            assert peer.ask("hello", 0)[0] == "ok", number
            if number < 500:
                assert peer.ask("sit", 1, {"table": f"t{number}"})[0] == "ok"
            peer.tell("describe", 1 + (number < 500), "mexican_rummy")
            assert peer.read_frame().startswith(b"\x93\xa2ok")
        for peer in peers[-100:]:
            peer.tell("make", 2, {"rows": 80, "opponents": "expert", "autoreset": "next_step"})
            peer.tell("reset", 3, 1, 1)
            for seq in range(4, 24):
                peer.tell("step", seq, 1, [0] * 80)
            for seq in range(24, 32):
                peer.tell("ping", seq, bytes(MESSAGE - 100))
        if before == 0:  # a sanitizer's
            return
        status = Path(f"/proc/{server.process.pid}/status").read_text()
        most = int(status.partition("VmHWM:")[2].split()[0]) * 1024
        assert most < bound(replies, **counts)
        assert most - before > 256 * MIB, "no request has waited"
        wait_until(lambda: server.memory() - before < 256 * MIB, "it was not given back")


def test_memory_is_given_back(tmp_path: Path) -> None:
    """The memory of many small frames is the system's again when their senders are gone."""
    with Server(tmp_path, endpoint="tcp://127.0.0.1:*") as server, ExitStack() as stack:
        port = int(server.endpoint.rsplit(":", 1)[1])
        before = server.memory()
        peers = [stack.enter_context(Peer(port)) for _ in range(40)]
        for peer in peers:
            assert peer.send(frame(bytes(1000)) * (MESSAGE * 3 // 4 // 1009))
        if before > 0:  # no sanitizer's
            wait_until(lambda: server.memory() - before > 80 * MIB, "the messages were not kept")
        for peer in peers:
            peer.socket.close()
        wait_until(lambda: server.memory() - before <= 40 * MIB, "the memory was not given back")


def test_a_large_message_may_come_slowly(tmp_path: Path) -> None:
    """A message within the limit is no attack, however it arrives."""
    with (
        Server(tmp_path, endpoint="tcp://127.0.0.1:*") as server,
        Peer(int(server.endpoint.rsplit(":", 1)[1])) as peer,
    ):
        peer.send(frame(msgpack.packb(["hello", 0]), more=False))
        assert peer.receive()[2]["protocol"] == 1
        for seq in range(1, 20):
            ping = frame(msgpack.packb(["ping", seq, bytes(MESSAGE - 100)]), more=False)
            for start in range(0, len(ping), MESSAGE // 8):
                assert peer.send(ping[start : start + MESSAGE // 8])
                time.sleep(0.05 if seq == 1 else 0)
            assert peer.receive() == ["ok", seq]


def curve(folder: Path) -> tuple[list[str], dict[str, bytes]]:
    """Options of a server with one allowed client, and that client's settings."""
    pairs = []
    for _ in range(2):
        pair = subprocess.check_output([executable(), "--keygen"], text=True)
        pairs.append((pair, dict(line.split(" ", 1) for line in pair.splitlines())))
    (server_pair, server_keys), (_, keys) = pairs
    secret, allow = folder / "secret", folder / "allow"
    secret.touch(0o600)
    secret.write_text(server_pair)
    allow.write_text(keys["public"] + "\n")
    return ["--curve-secret", str(secret), "--allow", str(allow)], {
        "curve_serverkey": server_keys["public"].encode(),
        "curve_publickey": keys["public"].encode(),
        "curve_secretkey": keys["secret"].encode(),
    }


@pytest.mark.slow
@pytest.mark.parametrize("encrypted", [False, True])
def test_large_messages_in_a_row(tmp_path: Path, encrypted: bool) -> None:
    options, settings = curve(tmp_path) if encrypted else ([], {})
    with (
        Server(tmp_path, *options, endpoint="tcp://127.0.0.1:*") as server,
        Client(server.endpoint, **settings) as client,
    ):
        client.hello(window=32)
        for first in (1, 33, 65):
            for seq in range(first, first + 32):
                client.send("ping", seq, bytes(MESSAGE - 100))
            for seq in range(first, first + 32):
                assert client.receive() == ["ok", seq]
