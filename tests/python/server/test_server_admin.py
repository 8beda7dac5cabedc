"""The operator's commands: list sessions and tables, and send them away."""

from __future__ import annotations

import json
import socket
import stat
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from remote_bots import First
from server_process import Client, Server, executable

import mhing

SEED = 0x5EEDFACE12345678
TABLE = {"table": "t", "bots": ["greedy"] * 3, "seed": SEED}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "admin"


@pytest.fixture
def server(tmp_path: Path, path: Path) -> Iterator[Server]:
    state = ("--state", str(tmp_path / "state"))
    with Server(tmp_path, "--admin", str(path), *state) as running:
        yield running


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    with Client(server.endpoint) as made:
        made.hello(client='a "b" \\ é')
        yield made


def ask(path: Path, *words: str, status: int = 0) -> list[dict[str, Any]]:
    """A command as the operator gives it, and the lines of its answer."""
    done = subprocess.run(
        [executable(), "--ask", str(path), *words], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (status, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def heard(path: Path, data: bytes) -> list[dict[str, Any]]:
    """The same, of bytes as any program may send them."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(20)
        line.connect(str(path))
        line.sendall(data)
        reply = b"".join(iter(lambda: line.recv(4096), b""))
    return [json.loads(text) for text in reply.decode().splitlines()]


# ---- list ----------------------------------------------------------------------------------------


def test_list(server: Server, client: Client, path: Path) -> None:
    client.start_rows(rows=4)
    assert client("sit", TABLE | {"games": 2})[0] == "ok"
    with Client(server.endpoint) as other:
        other.hello(client="other")
        assert other("sit", {"table": "waits"})[0] == "ok"
        first, *lines = ask(path, "list")
        assert first == {"draining": False, "writes": True, "sessions": 2, "tables": 2}
        sessions = {line["client"]: line for line in lines if "session" in line}
        tables = {line["table"]: line for line in lines if "phase" in line}
    mine = sessions['a "b" \\ é']
    assert mine.pop("session") > 0
    assert 0 <= mine.pop("silent_ms") < 20_000
    assert mine == {
        "client": 'a "b" \\ é', "connected": True, "requests": 3, "waiting": 0,
        "environments": 1, "rows": 4, "guest": False, "table": "t",
    }  # fmt: skip
    assert sessions["other"]["table"] == "waits"
    assert tables["waits"]["phase"] == "waiting"
    assert (tables["waits"]["free"], tables["waits"]["players"]) == (3, ["other"])
    assert tables["t"] == {
        "table": "t", "phase": "playing", "game": "mhing", "number": 0, "games": 2, "free": 0,
        "players": ['a "b" \\ é', "greedy", "greedy", "greedy"],
    }  # fmt: skip


def test_no_secret_is_shown(server: Server, client: Client, path: Path) -> None:
    assert client("sit", TABLE)[0] == "ok"
    words = json.dumps([ask(path, "list"), ask(path, "kick", "x", status=2)]).encode()
    token = client.token
    assert token
    for secret in (token, token.hex().encode(), b"%d" % SEED, b"%x" % SEED):
        assert secret not in words


def test_a_list_of_many(server: Server, path: Path) -> None:
    """Many more bytes than fit into a socket at once."""
    with ExitStack() as stack:
        for number in range(600):
            stack.enter_context(Client(server.endpoint)).hello(
                client=f"client {number} " + 40 * "x"
            )
        first, *lines = ask(path, "list")
        assert first["sessions"] == 600
        names = {line["client"].partition(" x")[0] for line in lines}
        assert names == {f"client {number}" for number in range(600)}


# ---- kick ----------------------------------------------------------------------------------------


def number_of(path: Path, client: str) -> str:
    (found,) = [line["session"] for line in ask(path, "list")[1:] if line.get("client") == client]
    return str(found)


def test_kick(server: Server, client: Client, path: Path) -> None:
    """The session ends with all that it has, another one does not, and its client may come anew."""
    client.start_rows(rows=4)
    token = client.token
    with Client(server.endpoint) as other:
        other.hello(client="other")
        other.start_rows(rows=2)
        number = number_of(path, 'a "b" \\ é')
        assert ask(path, "kick", number) == [{"kicked": int(number)}]
        assert ask(path, "kick", number, status=2)[0]["error"].endswith(f"none with '{number}'")
        assert client("ping")[2] == "hello"
        assert client.ask("hello", 0, {"token": token})[2] == "session"
        assert other("step", 1, other("sample", 1)[2])[0] == "ok"
        (line,) = [line for line in ask(path, "list") if "session" in line]
        assert line["client"] == "other"
        client.token = None
        assert client.hello()[0] == "ok"


def test_a_kicked_client_of_the_package_gets_an_error(server: Server, path: Path) -> None:
    with mhing.connect(server.endpoint, client="victim") as connection:
        env = connection.make("Mhing-v0")
        env.reset(seed=1)
        ask(path, "kick", number_of(path, "victim"))
        with pytest.raises(ConnectionError):
            env.step(0)


@pytest.mark.slow
def test_a_kicked_player_is_substituted(server: Server, client: Client, path: Path) -> None:
    with Client(server.endpoint) as other:
        other.hello(client="other")
        terms = {"table": "two", "bots": ["greedy"] * 2, "clock": 60_000}
        assert client("sit", terms)[0] == "ok"
        assert other("sit", terms)[0] == "ok"
        ask(path, "kick", number_of(path, 'a "b" \\ é'))
        while (message := other.receive()) is not None and message[0] != "end":
            if message[0] == "turn":
                other.send("act", message[1], message[4].index(1))
        assert message is not None
        assert message[2]["over"]


# ---- close ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("terms", [TABLE, {"table": "t"}], ids=["playing", "waiting"])
def test_close(server: Server, client: Client, path: Path, terms: dict[str, Any]) -> None:
    """A player is told that the series is over, may stand up, and the name is free again."""
    assert client("sit", terms | {"games": 3})[0] == "ok"
    assert ask(path, "close", "t") == [{"closed": "t"}]
    while (message := client.receive()) is not None and message[0] != "end":
        assert message[0] in {"start", "turn"}
    assert message is not None
    assert message[2]["over"]
    assert [line["phase"] for line in ask(path, "list") if "phase" in line] == ["over"]
    refused = ask(path, "close", "t", status=2)
    assert refused[0]["error"] == "list shows the names of tables; none that is not over has 't'"
    assert client("stand")[0] == "ok"
    assert client("sit", terms)[0] == "ok"
    ask(path, "close", "t")


def test_a_closed_table_is_closed_after_a_restart(
    server: Server, client: Client, path: Path
) -> None:
    assert client("sit", TABLE)[0] == "ok"
    assert client("sit", TABLE)[0] in {"ok", "start", "turn"}
    ask(path, "close", "t")
    server.stop()
    server.start()
    assert [line for line in ask(path, "list") if "phase" in line] == []


def test_a_bot_of_the_package_at_a_closed_table(server: Server, path: Path) -> None:
    class Closes(First):
        def act(self, turn: Any) -> int | str:
            ask(path, "close", "x")
            return super().act(turn)

    end = Closes().play(server.endpoint, table="x", game="mhing", bots=["greedy"] * 3, games=5)
    assert end["over"]


# ---- drain ---------------------------------------------------------------------------------------


def test_drain(server: Server, client: Client, path: Path) -> None:
    client.start_rows()
    assert ask(path, "drain") == [{"draining": True}]
    assert ask(path, "list")[0]["draining"]
    with Client(server.endpoint) as other:
        assert other.hello()[2] == "limit"
    assert client("bye")[0] == "ok"
    assert server.process.wait(10) == 0
    server.process.communicate()
    assert not path.exists()


# ---- Bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        ["lists"], ["lis"], ["list", "x"], ["kick"], ["kick", ""], ["kick", "0"], ["kick", "-1"],
        ["kick", "+1"], ["kick", "1x"], ["kick", "1", "1"], ["kick", "9" * 30], ["close"],
        ["close", "nowhere"], ["close", "t x"], ["drain", "now"], [""], ["%s%n"], ["\x01"],
    ],
)  # fmt: skip
def test_commands_that_are_none(
    server: Server, client: Client, path: Path, words: list[str]
) -> None:
    (line,) = ask(path, *words, status=2)
    assert list(line) == ["error"]
    assert client("ping")[0] == "ok"


def test_bytes_that_are_no_command(server: Server, client: Client, path: Path) -> None:
    for data in (b"\n", b"\0\n", b"\xff\xfe\n", b"list\0\n", b"x" * 2047 + b"\n", b"x" * 5000):
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(20)
            line.connect(str(path))
            line.sendall(data)
            assert b'"error": "' in line.recv(4096)
    assert len(heard(path, b"list\r\n")) == 2
    assert len(heard(path, b"list\nkick 1\n")) == 2  # one command each
    assert client("ping")[0] == "ok"


def test_five_hundred_connections(server: Server, client: Client, path: Path) -> None:
    with ExitStack() as stack:
        for _ in range(500):
            line = stack.enter_context(socket.socket(socket.AF_UNIX))
            line.setblocking(False)
            line.connect_ex(str(path))
        began = time.perf_counter()
        for _ in range(200):
            assert client("ping")[0] == "ok"
        assert time.perf_counter() - began < 5
    assert ask(path, "list")[0]["sessions"] == 1


# ---- Where it is ---------------------------------------------------------------------------------


def test_only_the_user_may_ask(server: Server, path: Path) -> None:
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def refused(*arguments: str) -> str:
    done = subprocess.run([executable(), *arguments], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    return done.stderr.removeprefix("mhing-server: ").rstrip("\n")


def test_places_where_it_cannot_be(server: Server, path: Path, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("precious")
    open_folder = tmp_path / "open"
    open_folder.mkdir()
    open_folder.chmod(0o777)
    bind = ("--bind", f"ipc://{tmp_path}/other", "--admin")
    assert refused(*bind, str(path)) == f"--admin: {path}: a server answers there already"
    assert refused(*bind, str(file)) == f"--admin: {file}: it exists and is no socket"
    assert "too long for a socket" in refused(*bind, str(tmp_path / ("x" * 120)))
    assert "everybody may write there" in refused(*bind, str(open_folder / "a"))
    assert "No such file or directory" in refused(*bind, str(tmp_path / "no" / "a"))
    assert file.read_text() == "precious"
    assert ask(path, "list")


def test_a_socket_of_a_killed_server_is_replaced(server: Server, path: Path) -> None:
    server.kill()
    assert path.exists()
    assert "Connection refused" in refused("--ask", str(path), "list")
    server.start()
    assert ask(path, "list")


def test_asking_without_a_server_or_a_command(tmp_path: Path) -> None:
    assert "No such file or directory" in refused("--ask", str(tmp_path / "none"), "list")
    assert "give the path" in refused("--ask", str(tmp_path / "none"))
    assert "give the path" in refused("--ask")
    assert "too long for a socket" in refused("--ask", "x" * 200, "list")


def test_a_server_that_hangs_up(tmp_path: Path) -> None:
    path = tmp_path / "other"
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(path))
        other.listen()
        asking = subprocess.Popen(
            [executable(), "--ask", str(path), "list"], stderr=subprocess.PIPE, text=True
        )
        line, _ = other.accept()
        line.recv(100)
        line.close()
        _, words = asking.communicate(timeout=30)
    assert (asking.returncode, words) == (
        2, "mhing-server: --ask: no answer: the connection has ended\n",
    )  # fmt: skip
