"""Three servers behind HAProxy, with the configuration that the repository has for it."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import zmq
from server_process import Client, Server
from test_server_once import begin, play

CONFIGURATION = Path(__file__).parents[3] / "csrc/server/haproxy.cfg"
MACHINES = 12

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(
        not shutil.which("haproxy"), reason="haproxy is missing: .ci/setup operators"
    ),
]


def listens(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def free_ports() -> list[int]:
    """Four ports, each with the next one; of none that the system gives to connections, so that a
    server gets its port again."""
    first = 21_000 + os.getpid() % 1000 * 10
    pairs = [port for port in range(first, 32_000, 2) if not listens(port) | listens(port + 1)]
    return pairs[:4]


@contextmanager
def balancer(folder: Path, port: int, ports: list[int]) -> Iterator[str]:
    """The endpoint for players before servers at these ports; spectators have the next ones."""
    text = CONFIGURATION.read_text()
    for offset in 0, 1:
        text = text.replace(f"bind :{7644 + offset}", f"bind 127.0.0.1:{port + offset}")
        for number, own in enumerate(ports, 1):
            text = text.replace(f"10.0.0.{number}:{7644 + offset}", f"127.0.0.1:{own + offset}")
    assert not re.search(r"10\.|:764", text)
    (folder / "haproxy.cfg").write_text(text)
    command = ["haproxy", "-q", "-db", "-f", folder / "haproxy.cfg"]
    with subprocess.Popen(command) as process:
        try:
            while not listens(port):
                assert process.poll() is None
                time.sleep(0.05)
            yield f"127.0.0.1:{port}"
        finally:
            process.terminate()


def through(machine: int) -> str:
    """The part of an endpoint by which libzmq chooses the address to connect from."""
    return f"tcp://127.1.0.{machine + 1}:0;"


@pytest.mark.slow
def test_one_of_three_is_killed(tmp_path: Path) -> None:
    port, *ports = free_ports()
    with ExitStack() as stack:
        servers = {}
        for own in ports:
            state = ("--state", str(tmp_path / f"state{own}"))
            server = Server(tmp_path, *state, endpoint=f"tcp://127.0.0.1:{own}")
            servers[own] = stack.enter_context(server)
        address = stack.enter_context(balancer(tmp_path, port, ports))
        clients = [
            stack.enter_context(Client(through(machine) + address)) for machine in range(MACHINES)
        ]
        for client in clients:
            assert client.hello()[0] == "ok"
        home = [int(client.welcome["watch"].rpartition(":")[2]) - 1 for client in clients]
        references = [begin(client) for client in clients]
        assert set(home) == set(ports)  # all have some

        dead = Counter(home).most_common(1)[0][0]
        servers[dead].kill()
        lost = [client for client, own in zip(clients, home, strict=True) if own == dead]
        for client in lost:  # in the middle of a request, which nobody takes
            client.send("sample", client.seq + 1, 1)
        for client, own, reference in zip(clients, home, references, strict=True):
            if own != dead:  # the others notice nothing
                assert len(list(play(client, reference, 5))) == 5
                with Client(f"tcp://127.0.0.1:{own}") as stranger:
                    wrong = stranger.ask("hello", 0, {"token": lost[0].token})
                    assert wrong[:3] == ["error", 0, "session"]
        for client in lost:  # come back too early, and are given to nobody else
            client.close()
            client.connect()
            client.send("hello", 0, {"token": client.token})
        assert lost[0].receive(2) is None
        servers[dead].start()
        for client in lost:
            reply = client.receive()
            assert reply
            assert reply[0] == "ok"
            assert reply[2]["next"] == client.seq + 1
        for client, reference in zip(clients, references, strict=True):
            assert len(list(play(client, reference, 5))) == 5


def test_spectators_get_the_server_of_their_machine(tmp_path: Path) -> None:
    port, *ports = free_ports()
    with ExitStack() as stack:
        for own in ports:
            stack.enter_context(Server(tmp_path, endpoint=f"tcp://127.0.0.1:{own}"))
        address = stack.enter_context(balancer(tmp_path, port, ports))
        for machine in range(MACHINES):
            player = stack.enter_context(Client(through(machine) + address))
            player.hello()
            name = f"table{machine}"
            # The bots alone play one game in four hundred to its end.
            keys = {"table": name, "bots": ["greedy"] * 3, "games": 20}
            assert player("sit", keys)[0] == "ok"
            watcher = stack.enter_context(player.context.socket(zmq.SUB))
            watcher.linger = 0
            watcher.connect(f"{through(machine)}127.0.0.1:{port + 1}")
            watcher.subscribe(f"{name}:")
            assert watcher.poll(60_000), name
