"""The server among clients that mean no good: it refuses them in words, and serves the others."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgpack
import pytest
import zmq
from server_process import Client, Server, executable

MIB = 1 << 20


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with Server(tmp_path) as running:
        yield running


@pytest.fixture
def honest(server: Server) -> Iterator[Client]:
    """Somebody who plays while the others misbehave."""
    with Client(server.endpoint) as client:
        client.hello()
        client.start_rows(rows=4, autoreset="next_step")
        yield client


def play(client: Client, steps: int = 20) -> None:
    """Environment 1 of the client is stepped, and answers."""
    for _ in range(steps):
        actions = client("sample", 1)
        assert actions[0] == "ok", actions
        reply = client("step", 1, actions[2])
        assert reply[0] == "ok", reply


def refusal(client: Client, data: bytes) -> str:
    client.socket.send(data)
    reply = client.receive()
    assert reply is not None
    assert reply[0] == "error", reply
    code: str = reply[2]
    return code


def test_bytes_that_are_no_message(server: Server, honest: Client) -> None:
    wrong = [
        b"",
        b"\x00",
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x93\xa4ping",
        b"\xdd\xff\xff\xff\xff",
        b"\xdf\xff\xff\xff\xff",
        b"\xc6\xff\xff\xff\xff",
        b"\x91" * 1000 + b"\x90",
        msgpack.packb(["ping"]),
        msgpack.packb(["ping", -1]),
        msgpack.packb(["ping", 1.5]),
        msgpack.packb([1, 1]),
        msgpack.packb(["x" * 100, 1]),
        msgpack.packb({"ping": 1}),
        msgpack.packb(["ping", 1, msgpack.ExtType(1, b"x")]),
        msgpack.packb(["ping", 1, [[[[[]]]]]]),
        msgpack.packb(["ping", 1, [None] * 100_000]),
        msgpack.packb(["ping", 1]) + b"\x00",
        b"\xdd\x00\x0f\xff\xff" + b"\xc0" * 0xFFFFF,
    ]
    with Client(server.endpoint) as client:
        for data in wrong:
            assert refusal(client, data) == "message", data[:20]
        client.socket.send_multipart([b"", msgpack.packb(["hello", 0])])
        reply = client.receive()
        assert reply is not None
        assert reply[:3] == ["error", 0, "message"]
        assert client.hello()[0] == "ok"
    with Client(server.endpoint, identity=b"somebody") as client:
        assert client.ask("hello", 0)[2] == "message"
    play(honest)


def requests() -> list[bytes]:
    """Requests that are right, for a session that has made one environment."""
    step = ["step", 4, 1, b"\x00" * 16]
    return [
        msgpack.packb(request)
        for request in (
            ["hello", 0, {"window": 4, "client": "x", "actions": "texts"}],
            ["describe", 1, "mhing", "num_players=3"],
            ["make", 2, {"rows": 4, "opponents": ["random", "self", "greedy"], "final": True}],
            ["reset", 3, 1, [1, 2, 3, 4], [True, False, True, True]],
            step,
            ["sample", 5, 1, b"\x00" * (4 * 4 * 341), "logits"],
            ["deal", 6, 1, 0, 7, list(range(35)) * 4],
            ["save", 7, 1, 2],
            ["load", 8, 1, 2, b"x" * 2200],
            ["copy", 9, 1, 0, 3],
            ["sit", 10, {"table": "t", "bots": ["greedy"], "clock": 100, "games": 2}],
            ["play", 11, {"game": "mhing", "duplicate": True}],
            ["act", 12, "pass"],
        )
    ]


def test_mutated_and_random_bytes(server: Server, honest: Client, full: bool) -> None:
    rng = random.Random(5)
    right = requests()
    with Client(server.endpoint) as client:
        client.hello(window=4)
        client.start_rows(rows=4, opponents=["random", "self", "greedy"], final=True)
        for _ in range(200_000 if full else 4000):
            data = (
                bytearray(rng.choice(right)) if rng.random() < 0.8 else bytearray(rng.randbytes(40))
            )
            for _ in range(rng.choice((0, 1, 1, 2, 5))):
                data[rng.randrange(len(data))] = rng.randrange(256)
            client.socket.send(bytes(data))
            while client.socket.poll(0):
                reply = msgpack.unpackb(client.socket.recv(), strict_map_key=False)
                if reply[0] == "error":
                    assert isinstance(reply[2], str)
                    assert reply[3]
        play(honest)
    assert server.memory() < 200 * MIB


def test_nobody_gets_at_the_session_of_another(server: Server, honest: Client) -> None:
    assert honest.token
    with Client(server.endpoint) as client:
        assert client("step", 1, [0] * 4)[2] == "hello"
        client.hello()
        assert client("step", 1, [0] * 4)[2] == "env"
        for token in (bytes(16), "x" * 16, honest.token[:15] + bytes([honest.token[15] ^ 1])):
            assert client.ask("hello", 0, {"token": token})[2] == "session"
        for token in (honest.token[:8], honest.token * 2, "x" * 15, 7):
            assert client.ask("hello", 0, {"token": token})[2] == "argument"
    play(honest)


def test_the_wrong_order(server: Server) -> None:
    with Client(server.endpoint) as client:
        client.hello()
        assert client("step", 1, 0)[2] == "env"
        env = client("make", {"rows": 2})[2]
        for request in (
            ("step", env, [0, 0]),
            ("sample", env),
            ("save", env, 0),
            ("state", env, 0),
            ("copy", env, 0, 1),
            ("omniscient", env),
            ("reset", env),
            ("reset", env, 1, [True, False]),
        ):
            assert client(*request)[2] == "order", request
        assert client("reset", env, 1)[0] == "ok"
        assert client("close", env)[0] == "ok"
        assert client("step", env, [0, 0])[2] == "env"
        assert client.ask("act", 5, 0)[1:3] in ([5, "turn"], [5, "table"])
        assert client("back")[2] == "table"


@pytest.mark.parametrize(
    ("request_", "code", "words"),
    [
        (("step", 1, [0, 0, 0]), "argument", "actions: 3 given for 2 rows"),
        (("step", 1, b"\0" * 7), "argument", "actions: 7 bytes given, 2 rows need 8"),
        (("step", 1, [0, None]), "argument", "actions: nil"),
        (("step", 1, [0, 1 << 31]), "argument", "no action has such an id; ids are from 0 to 340"),
        (("step", 1, "pass"), "argument", "actions: neither an array nor bin"),
        (("step", 1), "argument", "actions: neither an array nor bin"),
        (("step", "1", [0, 0]), "argument", "env: not a whole number"),
        (("reset", 1, -1), "argument", "seeds: not a whole number"),
        (("reset", 1, [1]), "argument", "seeds: 1 given for 2 rows"),
        (("reset", 1, 1, [1, 0]), "argument", "chosen: neither true nor false"),
        (("step", 1, ["pass", 0]), "argument", "a text, which only act takes; ids are from 0 to"),
        (("step",), "argument", "env: missing"),
        (("step", None, [0, 0]), "argument", "env: missing"),
        (("sample", 1, b"\0" * 8), "argument", "8 bytes given, 2 rows of 341 numbers need 2728"),
        (("sample", 1, None, "weights"), "argument", "kind: 'weights' is none of"),
        (("save", 1, 2), "argument", "row: 2 is not from 0 to 1"),
        (("save", 1), "argument", "row: missing"),
        (("load", 1, 0, b"x"), "snapshot", "1 bytes given"),
        (("load", 1, 0, 7), "argument", "snapshot: not bin"),
        (("deal", 1, 0, 1, [0] * 150), "argument", "deck: "),
        (("deal", 1, 0, 1, "cards"), "argument", "deck: "),
        (("make", {"rows": 0}), "argument", "rows: 0 is not from 1 to 4096"),
        (("make", {"rows": 4097}), "argument", "rows: 4097"),
        (("make", {"seat": 4}), "argument", "seat: 4 is not from 0 to 3"),
        (("make", {"game": "chess"}), "game", "chess"),
        (("make", {"options": "x=1"}), "option", "x"),
        (("make", {"options": "n" * 2000}), "argument", "options: 2000 bytes long"),
        (("make", {"opponents": ["greedy"]}), "argument", "opponents: 1 given for 3 other seats"),
        (("make", {"opponents": 3}), "argument", "opponents: neither"),
        (("make", {"illegal": "ignore"}), "argument", "illegal: 'ignore' is none of"),
        (("make", {"autoreset": "always"}), "argument", "autoreset: 'always' is none of"),
        (("make", {"final": 1}), "argument", "final: neither true nor false"),
        (("make", {"unknown": "x" * 5000}), "argument", "make: its map is"),
        (("make", "mhing"), "argument", "make: "),
        (("text", "mhing", "", 341), "argument", "action: "),
        (("text", "mhing", "", "nonsense"), "argument", "action: "),
        (("describe", "mhing\n"), "argument", "game: byte 5"),
        (("describe", b"mhing"), "argument", "game: not a text"),
    ],
)  # fmt: skip
def test_arguments_that_cannot_be(
    two_rows: Client, request_: tuple[Any, ...], code: str, words: str
) -> None:
    reply = two_rows(*request_)
    assert reply[0] == "error", reply
    assert reply[2] == code
    assert words in reply[3]
    assert two_rows("sample", 1)[0] == "ok"


def test_looks_at_rows_that_were_never_reset(two_rows: Client) -> None:
    """A request gets the error before it reaches a function of the core."""
    env = two_rows("make", {"rows": 2})[2]
    for refused in (None, ("copy", env, 0, 9), ("copy", env, 0, 1)):
        if refused:
            assert two_rows(*refused)[0] == "error"
        for request in (
            ("sample", env),
            ("sample", env, b"\0" * 2728),
            ("save", env, 0),
            ("state", env, 0),
            ("omniscient", env),
        ):
            assert two_rows(*request)[2:] == ["order", "reset must come first"]
    assert two_rows("close", env)[0] == "ok"


def test_seats_that_cannot_be(two_rows: Client) -> None:
    """The options say how many there are, or the table."""
    for name in ("sit", "play"):
        for seat in (-1, 4, 9):
            reply = two_rows(name, {"table": "t", "seat": seat})
            assert reply[2:] == ["argument", f"seat: {seat} is not from 0 to 3"]
        reply = two_rows(name, {"table": "t", "options": "num_players=2", "seat": 2})
        assert reply[2:] == ["argument", "seat: 2 is not from 0 to 1"]
    assert two_rows("tables")[2] == []
    with Client(two_rows.endpoint) as other:
        other.hello()
        other("sit", {"table": "pair", "options": "num_players=2", "seat": 1})
        reply = two_rows("sit", {"table": "pair", "seat": 3})
        assert reply[2:] == ["argument", "seat: 3 is not from 0 to 1"]
        reply = two_rows("sit", {"table": "pair", "seat": 1})
        assert reply[2:] == ["table", "that seat is taken at table pair"]
        other("bye")


@pytest.fixture(scope="module")
def two_rows(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with Server(tmp_path_factory.mktemp("server")) as server, Client(server.endpoint) as client:
        client.hello()
        client.start_rows(rows=2)
        yield client


def test_oversized_messages_cost_their_sender_the_connection(tmp_path: Path) -> None:
    with Server(tmp_path, "--message", "65536") as server, Client(server.endpoint) as honest:
        assert honest.hello()[2]["limits"]["message"] == 65536
        honest.start_rows(rows=4, autoreset="next_step")
        with Client(server.endpoint) as client:
            client.hello()
            client.send("ping", 1, b"x" * 100_000)
            assert client.receive(0.5) is None
            assert client.hello()[0] == "ok"
        play(honest)


@pytest.mark.slow
def test_a_client_that_never_reads(server: Server, honest: Client) -> None:
    before = server.memory()
    with Client(server.endpoint, rcvhwm=1, rcvbuf=4096) as client:
        client.hello(window=8)
        env = client.start_rows(rows=512)
        client.seq += 1
        client.send("reset", client.seq, env, client.seq)
        assert client.socket.poll(20_000)  # the reply has come, and is not read
        deadline = time.monotonic() + 5
        client.socket.sndtimeo = 100
        while time.monotonic() < deadline:
            client.seq += 1
            try:
                client.send("reset", client.seq, env, client.seq)
            except zmq.Again:
                break
        play(honest)
        assert server.memory() - before < 64 * MIB
        replies = []
        while (reply := client.receive(1)) is not None:
            replies.append((reply[0], reply[2] if reply[0] == "error" else None))
        assert {("ok", None), ("error", "slow")} <= set(replies)
        client.hello()
        assert client("reset", env, 5)[0] == "ok"


FROZEN = """
import sys, time, zmq, msgpack
s = zmq.Context().socket(zmq.DEALER)
s.connect(sys.argv[1])
s.send(msgpack.packb(["hello", 0, {"window": 8}])); s.recv()
s.send(msgpack.packb(["make", 1, {"rows": 256}])); s.recv()
for seq in range(2, 2000):
    s.send(msgpack.packb(["reset", seq, 1, seq]))
print("ready", flush=True)
time.sleep(60)
"""


def test_a_client_that_freezes(server: Server, honest: Client) -> None:
    before = server.memory()
    frozen = subprocess.Popen(
        [sys.executable, "-c", FROZEN, server.endpoint], stdout=subprocess.PIPE
    )
    try:
        assert frozen.stdout
        assert frozen.stdout.readline()
        frozen.send_signal(signal.SIGSTOP)
        play(honest, 200)
        assert server.memory() - before < 64 * MIB
    finally:
        frozen.kill()
        frozen.communicate()


@pytest.mark.slow
@pytest.mark.parametrize("endpoint", [None, "tcp://127.0.0.1:*"])
def test_a_spectator_of_everything(tmp_path: Path, endpoint: str | None) -> None:
    with (
        Server(tmp_path, endpoint=endpoint) as server,
        Client(server.endpoint) as honest,
        zmq.Context() as context,
        context.socket(zmq.SUB) as greedy,
        context.socket(zmq.SUB) as watcher,
    ):
        greedy.linger = watcher.linger = greedy.sndhwm = 0
        watch = honest.hello()[2]["watch"]
        before = server.memory()
        greedy.connect(watch)
        for topic in range(300_000):
            greedy.subscribe(f"a name that is quite long {topic}:")
        honest.start_rows(rows=4, autoreset="next_step")
        for _ in range(10):
            play(honest)
            time.sleep(0.1)
            assert server.memory() - before < 16 * MIB
        greedy.close()
        watcher.connect(watch)
        watcher.subscribe("table:")
        keys = {"table": "table", "bots": ["greedy"] * 3, "games": 20}
        assert honest("sit", keys)[0] == "ok"
        assert watcher.poll(10_000)
        assert watcher.recv_multipart()[0] == b"table:"


def test_a_storm_of_connections(server: Server, honest: Client) -> None:
    for _ in range(10):
        with ExitStack() as opened:
            clients = [opened.enter_context(Client(server.endpoint)) for _ in range(100)]
            for client in clients:
                client.send("hello", 0, {})
            for client in clients:
                reply = client.receive()
                assert reply is not None
                assert reply[0] == "ok"
    play(honest)


def test_a_thousand_idle_sessions(server: Server) -> None:
    with ExitStack() as opened:
        clients = [opened.enter_context(Client(server.endpoint)) for _ in range(1000)]
        for client in clients:
            client.send("hello", 0, {"client": "idle"})
        for client in clients:
            assert client.receive()
        for client in clients:
            client.send("ping", 1)
        for client in clients:
            assert client.receive() == ["ok", 1]
        assert server.memory() < 64 * MIB


@pytest.mark.slow
def test_half_open_and_noisy_peers(tmp_path: Path) -> None:
    with (
        Server(tmp_path, endpoint="tcp://127.0.0.1:*") as server,
        Client(server.endpoint) as honest,
    ):
        honest.hello()
        honest.start_rows(rows=4, autoreset="next_step")
        port = int(server.endpoint.rsplit(":", 1)[1])
        noise = random.Random(3)
        peers = []
        for index in range(50):
            peer = socket.create_connection(("127.0.0.1", port))
            peers.append(peer)
            if index % 3 == 1:
                peer.sendall(b"\xff\0\0\0\0\0\0\0\x01\x7f")  # the greeting, and never more
            elif index % 3 == 2:
                peer.sendall(noise.randbytes(5000))
        play(honest)
        peers[0].settimeout(20)
        assert peers[0].recv(1000)  # the server's greeting
        while peers[0].recv(1000):
            pass  # until it is closed for having said nothing
        play(honest)
        for peer in peers:
            peer.close()


def test_limits_of_one_key(tmp_path: Path) -> None:
    limits = ("--rows", "100", "--rows-in-flight", "64", "--sessions-per-key", "2")
    with (
        Server(tmp_path, *limits) as server,
        Client(server.endpoint) as first,
        Client(server.endpoint) as second,
        Client(server.endpoint) as third,
    ):
        assert first.hello(window=2)[2]["limits"]["rows_in_flight"] == 64
        assert first("make", {"rows": 40})[2] == "limit"
        assert first("make", {"rows": 32})[0] == "ok"
        second.hello()
        assert second("make", {"rows": 64})[0] == "ok"
        assert second("make", {"rows": 5})[2] == "limit"
        assert second("close", 1)[0] == "ok"
        assert second("make", {"rows": 5})[0] == "ok"
        assert third.hello()[2] == "limit"
        assert first("bye")[0] == "ok"
        assert third.hello()[0] == "ok"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--bind", "tcp://0.0.0.0:7644"], "--curve-secret and --allow must be given"),
        (["--bind", "tcp://*:7644"], "--curve-secret and --allow must be given"),
        (["--bind", "udp://127.0.0.1:1"], "neither ipc://PATH nor tcp://"),
        (["--bind", "tcp://127.0.0.1:99999"], "with a port from 1 to 65534"),
        (["--bind", "tcp://127.0.0.1"], "neither ipc://PATH nor tcp://"),
        (["--bind", "ipc:///no/such/folder/socket"], "cannot listen at"),
        (["--bind", "ipc:///" + "x" * 200], "the path is too long"),
        (["--bind", "ipc://@name"], "so --curve-secret and --allow must be given"),
        (["--bind", "ipc://*"], "ipc:// takes no *, name a path"),
        (["--bind"], "its value is missing"),
        (["--rows", "0"], "--rows: '0' is not a whole number from 1"),
        (["--tables-per-minute", "-1"], "'-1' is not a whole number from 0 to 1048576"),
        (["--table-wait", "0"], "--table-wait: '0' is not a whole number from 1"),
        (["--rows", "many"], "--rows: 'many' is not a whole number"),
        (["--nonsense", "1"], "no option '--nonsense'"),
        (["--curve-secret", "x"], "both or not at all"),
        (["--curve-secret", "no_such_file", "--allow", "x"], "no_such_file: "),
        (["--resume", "EMPTY"], "no sessions and no tables are kept"),
        (["--resume", "EMPTY", "--state", "EMPTY"], "give only one of them"),
        (["--resume", "no_such_folder"], "--resume: no_such_folder: No such file"),
        (["--state", "no/such/folder"], "--state: no/such/folder: No such file"),
        (["--records", "no/such/folder"], "--records: no/such/folder: No such file"),
        (["--records", "FILE"], "FILE: Not a directory"),
        (["--state", "OPEN"], "OPEN: everybody may write there; chmod o-w"),
        (["--resume", "OPEN"], "OPEN: everybody may write there; chmod o-w"),
        (["--records", "OPEN"], "OPEN: everybody may write there; chmod o-w"),
    ],
)
def test_options_that_cannot_be(tmp_path: Path, options: list[str], words: str) -> None:
    (tmp_path / "EMPTY").mkdir()
    (tmp_path / "FILE").touch()
    (tmp_path / "OPEN").mkdir()
    (tmp_path / "OPEN").chmod(0o777)
    arguments = [str(tmp_path / option) if option.isupper() else option for option in options]
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}
    done = subprocess.run(
        [executable(), *arguments],
        capture_output=True,
        text=True,
        env=environment,
        timeout=20,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("mhing-server: ")
    assert done.stderr.count("\n") == 1
    assert words in done.stderr


def test_folders_that_are_missing_are_made(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("records", "state")]
    with Server(tmp_path, "--records", str(folders[0]), "--state", str(folders[1])):
        assert [folder.stat().st_mode & 0o777 for folder in folders] == [0o700, 0o700]


def test_where_it_listens_by_itself(tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}
    running = subprocess.Popen(
        [executable()], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    assert running.stdout
    assert running.stderr
    endpoint = running.stdout.readline().split()[1]
    assert endpoint == f"ipc://{tmp_path}/mhing/server"
    assert (tmp_path / "mhing").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "mhing" / "server").stat().st_mode & 0o077 == 0
    second = subprocess.run(
        [executable()], capture_output=True, text=True, env=environment, timeout=20, check=False
    )
    assert second.returncode == 2
    assert "another program listens" in second.stderr
    with Client(endpoint) as client:
        assert client.hello()[0] == "ok"
    running.send_signal(signal.SIGINT)
    assert running.communicate(timeout=20)[1] == ""
    assert running.returncode == 0
    assert not list((tmp_path / "mhing").iterdir())
    (tmp_path / "mhing").chmod(0o755)
    open_to_all = subprocess.run(
        [executable()], capture_output=True, text=True, env=environment, timeout=20, check=False
    )
    assert open_to_all.returncode == 2
    assert "mode 0700" in open_to_all.stderr
