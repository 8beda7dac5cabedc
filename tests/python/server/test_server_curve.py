"""CURVE: a client that is not listed hears nothing, and a session belongs to its key."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgpack
import pytest
import zmq
from server_process import Client, Server, executable


class Keys:
    """A pair of keys."""

    def __init__(self) -> None:
        self.public, self.secret = zmq.curve_keypair()


def settings(server_key: bytes, keys: Keys) -> dict[str, bytes]:
    return {
        "curve_serverkey": server_key,
        "curve_publickey": keys.public,
        "curve_secretkey": keys.secret,
    }


def silent(client: Client) -> bool:
    """Return whether hello gets no answer, or cannot even be sent."""
    try:
        client.socket.send(msgpack.packb(["hello", 0]), zmq.DONTWAIT)
    except zmq.Again:
        return True
    return client.receive(0.7) is None


def watch(endpoint: str, keys: dict[str, bytes]) -> zmq.Socket[bytes]:
    """A spectator of table t."""
    socket = zmq.Context.instance().socket(zmq.SUB)
    for name, value in keys.items():
        setattr(socket, name, value)
    socket.connect(endpoint)
    socket.subscribe("t:")
    return socket


@pytest.mark.slow
def test_only_listed_keys(tmp_path: Path) -> None:
    pair = subprocess.run([executable(), "--keygen"], capture_output=True, text=True, check=True)
    lines = dict(line.split(" ", 1) for line in pair.stdout.splitlines())
    server_key = lines["public"].encode()
    secret, allow = tmp_path / "secret", tmp_path / "allow"
    secret.touch(0o600)
    secret.write_text(pair.stdout)
    ann, bob, eve = Keys(), Keys(), Keys()
    allow.write_text(f"# who may connect\n{ann.public.decode()} Ann\n\n{bob.public.decode()}\n")
    options = ("--curve-secret", str(secret), "--allow", str(allow))
    limits = ("--rows", "10", "--sessions-per-key", "1")
    with (
        Server(tmp_path, *options, *limits, endpoint="tcp://0.0.0.0:*") as server,
        ExitStack() as opened,
    ):
        endpoint = server.endpoint.replace("0.0.0.0", "127.0.0.1")

        def connect(**keys: bytes) -> Client:
            return opened.enter_context(Client(endpoint, **keys))

        a, b = connect(**settings(server_key, ann)), connect(**settings(server_key, bob))
        assert a.hello()[0] == "ok"
        assert a("make", {"rows": 10})[0] == "ok"
        assert b.hello()[0] == "ok"
        assert b("make", {"rows": 10})[0] == "ok"  # caps are each key's own
        assert a("make", {"rows": 1})[2] == "limit"

        again = connect(**settings(server_key, bob))
        assert again.ask("hello", 0, {"token": a.token})[2] == "session"
        assert again.hello()[2] == "limit"
        again.token = b.token
        assert again.hello()[0] == "ok"

        again("sit", {"table": "t", "bots": ["greedy"] * 3, "games": 20})
        spectators = [
            watch(b.welcome["watch"].replace("0.0.0.0", "127.0.0.1"), settings(server_key, keys))
            for keys in (ann, eve)
        ]
        assert spectators[0].poll(20_000)
        assert not spectators[1].poll(700)
        assert msgpack.unpackb(spectators[0].recv_multipart()[1])[0] == "state"
        for spectator in spectators:
            spectator.close(0)

        strangers = [
            connect(**settings(server_key, eve)),
            connect(**settings(eve.public, ann)),
            connect(),
        ]
        assert all(silent(client) for client in strangers)

        allow.write_text(eve.public.decode() + "\n")
        server.process.send_signal(signal.SIGHUP)
        assert server.process.stdout
        assert server.process.stdout.readline() == "1 key may connect\n"
        late = connect(**settings(server_key, eve))
        assert late.hello()[0] == "ok"
        a.send("ping", a.seq + 1)
        assert a.receive(0.7) is None  # not even over a connection that is still there


def pair_of(folder: Path) -> tuple[str, Path]:
    """The server's public key, and the file with both."""
    pair = subprocess.check_output([executable(), "--keygen"], text=True)
    secret = folder / "secret"
    secret.touch(0o600)
    secret.write_text(pair)
    return pair.split()[1], secret


def events_of(socket: zmq.Socket[bytes]) -> zmq.Socket[bytes]:
    """Reports when the socket's connection ends."""
    return socket.get_monitor_socket(zmq.EVENT_DISCONNECTED)


def test_a_key_that_is_removed(tmp_path: Path) -> None:
    """Its sessions end as with bye, and its connections; those of others stay as they are."""
    server_key, secret = pair_of(tmp_path)
    allow, state = tmp_path / "allow", tmp_path / "state"
    ann, bob = Keys(), Keys()
    allow.write_bytes(ann.public + b"\n" + bob.public + b"\n")
    options = ("--curve-secret", str(secret), "--allow", str(allow), "--state", str(state))
    with (
        Server(tmp_path, *options, endpoint="tcp://127.0.0.1:*") as server,
        Client(server.endpoint, **settings(server_key.encode(), ann)) as a,
        Client(server.endpoint, **settings(server_key.encode(), bob)) as b,
    ):
        watches = []
        for client, keys in ((a, ann), (b, bob)):
            client.hello()
            place = {
                "table": "t",
                "bots": ["greedy"] * 2,
                "clock": 3_600_000,
                "pause": 0,
                "games": 100,
            }
            assert client("sit", place)[0] == "ok"
            watches.append(watch(client.welcome["watch"], settings(server_key.encode(), keys)))
        a("sit", {"table": "other", "bots": ["greedy"] * 3})
        for spectator in watches:
            assert spectator.poll(20_000)
        gone = [events_of(each) for each in (a.socket, watches[0])]
        here = [events_of(each) for each in (b.socket, watches[1])]
        assert len(list(state.glob("*.session"))) == 2

        allow.write_bytes(bob.public)
        server.process.send_signal(signal.SIGHUP)
        assert server.process.stdout
        assert server.process.stdout.readline() == "1 key may connect\n"
        words = server.process.stdout.readline()
        assert words == "1 session of keys that are not listed ended\n"
        for monitor in gone:
            assert monitor.poll(10_000)
        assert len(list(state.glob("*.session"))) == 1
        while (message := b.receive(0.5)) is not None:  # b's turns, with the substitute in a's seat
            if message[0] == "turn":
                b.send("act", message[1], message[4].index(1))
            if message[0] == "end":
                break
        assert message is not None
        while watches[0].poll(0):
            watches[0].recv_multipart()
        b.seq += 1
        b.send("back", b.seq)
        assert not watches[0].poll(700)
        assert [monitor.poll(0) for monitor in here] == [0, 0]
        for each in (a.socket, b.socket, *watches):
            each.disable_monitor()  # ZeroMQ would wait for a reader of the next event
        for each in (*gone, *here, *watches):
            each.close(0)
        allow.write_bytes(ann.public)
        server.stop()
        server.start()
        assert server.process.stdout
        assert "1 session of keys that are not listed ended" in server.process.stdout.readline()
        assert not list(state.glob("*.session"))


def test_one_key_leaves_room_for_others(tmp_path: Path) -> None:
    """By default it has a quarter of the sessions, and of the seats."""
    server_key, secret = pair_of(tmp_path)
    allow, ann, bob = tmp_path / "allow", Keys(), Keys()
    allow.write_bytes(ann.public + b"\n" + bob.public + b"\n")
    options = ("--curve-secret", str(secret), "--allow", str(allow), "--sessions", "8")
    with (
        Server(tmp_path, *options, "--tables", "9", endpoint="tcp://127.0.0.1:*") as server,
        ExitStack() as opened,
    ):
        for keys in (ann, bob):
            for _ in range(2):
                login = settings(server_key.encode(), keys)
                client = opened.enter_context(Client(server.endpoint, **login))
                assert client.hello()[2]["limits"]["seats"] == 3
                assert client("make", {})[0] == "ok"  # it does not make room for another
            third = opened.enter_context(Client(server.endpoint, **login))
            assert "all 2 sessions of one key are taken" in third.hello()[3]


def begin_and_end(client: Client, most: int) -> list[Any]:
    """One session after the other until one is refused: the refusal, or [] after so many."""
    for _ in range(most):
        reply = client.ask("hello", 0)
        if reply[0] != "ok":
            return reply
        assert client.ask("bye", 1) == ["ok", 1]
    return []


def test_one_key_begins_so_many_in_a_minute(tmp_path: Path) -> None:
    """It waits then, and others do not; without keys nobody does."""
    server_key, secret = pair_of(tmp_path)
    allow, ann, bob = tmp_path / "allow", Keys(), Keys()
    allow.write_bytes(ann.public + b"\n" + bob.public + b"\n")
    options = ("--curve-secret", str(secret), "--allow", str(allow), "--tables-per-minute", "2")
    with (
        Server(tmp_path, *options, endpoint="tcp://127.0.0.1:*") as server,
        Client(server.endpoint, **settings(server_key.encode(), ann)) as greedy,
        Client(server.endpoint, **settings(server_key.encode(), bob)) as other,
    ):
        greedy.hello()
        for table in ("a", "b"):
            assert greedy("sit", {"table": table})[0] == "ok"
            assert greedy("stand")[0] == "ok"
        refusal = greedy("sit", {"table": "c"})[3]
        assert re.search(r"may have 2 a minute, and yours the next in (2[0-9]|30) sec", refusal)
        assert greedy("bye")[0] == "ok"
        refusal = begin_and_end(greedy, 5000)[3]
        assert "too many new sessions: one key may have 1200 a minute" in refusal
        assert other.hello()[0] == "ok"
        assert other("sit", {"table": "c"})[0] == "ok"
    with Server(tmp_path) as server, Client(server.endpoint) as client:
        assert begin_and_end(client, 1300) == []


@pytest.mark.slow
def test_a_key_that_is_removed_gets_no_reply_any_more(tmp_path: Path) -> None:
    """The server has the new list before it reads what comes after the signal."""
    server_key, secret = pair_of(tmp_path)
    allow, ann = tmp_path / "allow", Keys()
    options = ("--curve-secret", str(secret), "--allow", str(allow))
    for _ in range(5):
        allow.write_bytes(ann.public)
        with (
            Server(tmp_path, *options, endpoint="tcp://127.0.0.1:*") as server,
            Client(server.endpoint, **settings(server_key.encode(), ann)) as client,
        ):
            client.hello()
            allow.write_bytes(Keys().public)
            server.process.send_signal(signal.SIGHUP)
            client.send("ping", 1)
            assert client.receive(0.4) is None


def test_an_abstract_socket_needs_keys(tmp_path: Path) -> None:
    """It has no file, and so no mode: everybody on the machine may connect."""
    name = f"ipc://@mhing-{os.getpid()}"
    done = subprocess.run(
        [executable(), "--bind", name], capture_output=True, text=True, timeout=20, check=False
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "so --curve-secret and --allow must be given" in done.stderr
    server_key, secret = pair_of(tmp_path)
    ann, allow = Keys(), tmp_path / "allow"
    allow.write_bytes(ann.public)
    options = ("--curve-secret", str(secret), "--allow", str(allow))
    with (
        Server(tmp_path, *options, endpoint=name) as server,
        Client(server.endpoint, **settings(server_key.encode(), ann)) as client,
    ):
        assert client.hello()[0] == "ok"
        second = subprocess.run(
            server.arguments, capture_output=True, text=True, timeout=20, check=False
        )
        assert second.returncode == 2
        assert "another program listens" in second.stderr


def test_files_that_are_refused(tmp_path: Path) -> None:
    secret, allow = tmp_path / "secret", tmp_path / "allow"
    pair = subprocess.run([executable(), "--keygen"], capture_output=True, text=True, check=True)
    secret.write_text(pair.stdout)
    allow.write_text("no key\n")
    command = [executable(), "--curve-secret", str(secret), "--allow", str(allow)]
    for mode, words in ((0o644, "chmod 600"), (0o600, "line 1 does not begin with a public key")):
        secret.chmod(mode)
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
        assert done.returncode == 2
        assert words in done.stderr
    secret.write_text("secret of mine\n")
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    assert 'no line "secret KEY"' in done.stderr
    other = subprocess.check_output([executable(), "--keygen"], text=True)
    secret.write_text(pair.stdout.splitlines()[0] + "\n" + other.splitlines()[1] + "\n")
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == 2
    assert "its public key does not belong to its secret key" in done.stderr


@pytest.mark.slow
def test_keys_are_no_options() -> None:
    """A key may be an argument of a command, so it does not begin with a '-': one in 85 would."""
    for _ in range(150):
        pair = subprocess.check_output([executable(), "--keygen"], text=True)
        assert not any(line.split()[1].startswith("-") for line in pair.splitlines())
