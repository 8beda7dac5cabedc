"""csrc/server/PROTOCOL.md and the server agree: its tables are those that the server works by."""

from __future__ import annotations

import json
import random
import re
import threading
import time
from pathlib import Path
from typing import Any

import msgpack
import numpy as np
import pytest
import zmq
from server_process import Client, Server
from session_model import Rows

import mhing
from mhing._lib.rows import Buffer, buffers

PAGE = (Path(__file__).parents[3] / "csrc/server/PROTOCOL.md").read_text(encoding="utf-8")
ROWS = 3


def table(header: str) -> list[list[str]]:
    """The rows of the one table that begins with this header."""
    (found,) = re.findall(re.escape(header) + r".*\n\|[-:| ]+\|\n((?:\|.*\n)+)", PAGE)
    return [[cell.strip() for cell in line.strip("|\n").split("|")] for line in found.splitlines()]


def binary(header: str) -> list[tuple[str, str]]:
    """The rows of such a table that are bin: names, and types of one number."""
    rows = [(row[0].strip("`"), row[1].partition(" ")[0]) for row in table(header)]
    return [(name, kind) for name, kind in rows if kind]


def short(dtype: np.dtype[np.generic]) -> str:
    """The type as the page has it: u8, i64, f32."""
    return f"{dtype.kind}{8 * dtype.itemsize}"


def arrays(*when: str) -> list[Buffer]:
    every = buffers(mhing.Game("mhing")._handle.sizes, ROWS, 1)
    return [buffer for buffer in every if buffer.when in when]


def sent(*when: str) -> list[tuple[str, str]]:
    return [(a.name, "u8" if a.is_seat else short(a.dtype)) for a in arrays(*when)]


def test_first_session(tmp_path: Path) -> None:
    """The page's first session runs as it stands; names are what came in their place before."""
    session = re.search(r"```text\n(-> \[\"hello.*?)```", PAGE, re.DOTALL)
    assert session
    words: dict[str, Any] = {}
    with Server(tmp_path) as server, Client(server.endpoint) as client:
        for line in session[1].splitlines():
            if line.startswith("-> "):
                client.send(*eval(line[3:], {}, words))
                continue
            pattern, reply = line[3:].strip("[]").split(", "), client.receive()
            assert reply is not None
            assert reply[:2] == ["ok", int(pattern[1])]
            words.update(zip(pattern[2:], reply[2:], strict=True))
    assert len(words["actions"]) == 4


CHANGES = ("changed", "illegal", "round", "end", "packed")


def test_requests_are_those_of_the_server(tmp_path: Path) -> None:
    with Server(tmp_path) as server, Client(server.endpoint) as client:
        client.hello()
        _, _, code, text = client("dance")
    assert code == "request"
    names = text.removeprefix("no request is called 'dance'; there are ").split(", ")
    assert [row[0].strip("`") for row in table("| request | arguments |")] == names


def test_rows_are_those_of_the_table() -> None:
    assert binary("| result | bin |") == sent("always")
    assert binary("| column | bin |") == [("rows", "i32"), *sent(*CHANGES)]


def test_rows_are_sent_so(tmp_path: Path) -> None:
    """Names, order and sizes, as a client without the table would read them."""
    with Server(tmp_path) as server, Client(server.endpoint) as client:
        client.hello()
        client("make", {"rows": ROWS, "final": True})
        _, _, *results, changes = client("reset", 1, 5)
    shapes = {array.name: array.shape for array in arrays("always", *CHANGES)}
    kinds = dict(binary("| result | bin |") + binary("| column | bin |"))
    for (name, _), data in zip(binary("| result | bin |"), results, strict=True):
        assert len(data) == np.prod(shapes[name]) * int(kinds[name][1:]) // 8
    assert list(changes) == [name for name, _ in binary("| column | bin |")]
    for name, data in changes.items():
        count = ROWS if name == "rows" else np.prod(shapes[name])
        assert len(data) == count * int(kinds[name][1:]) // 8, name


# ---- What the page shows of a table --------------------------------------------------------------

TABLE = {"table": "t", "options": "num_players=2", "bots": ["greedy"], "seed": 48}


def show(value: Any) -> str:
    """As the page writes it: the beginning of what is long."""
    if isinstance(value, bytes):
        return f"<{len(value)} bytes>"
    if isinstance(value, dict):
        items = [f"{json.dumps(name)}: {show(each)}" for name, each in value.items()]
        return "{" + ", ".join(items[:12] + ["..."] * (len(items) > 12)) + "}"
    if isinstance(value, list):
        items = [show(each) for each in value]
        return "[" + ", ".join(items[:6] + ["..."] * (len(items) > 6)) + "]"
    return json.dumps(value)


def whole_clock(message: list[Any]) -> list[Any]:
    """With the clock as it is when no time has gone by."""
    if message[0] == "turn":
        assert 5000 < message[2] <= 10_000
        message[2] = 10_000
    return message


def transcript(client: Client) -> str:
    """A client that mostly takes the last legal action."""
    lines: list[str] = []

    def send(*message: Any) -> None:
        lines.append(f"-> {show(list(message))}")
        client.send(*message)

    def hear() -> list[Any]:
        message = client.receive()
        assert message is not None
        lines.append("<- " + show(whole_clock(message)))
        return message

    send("hello", 0, {"actions": "texts"})
    hear()
    lines[-1] = '<- ["ok", 0, welcome]'
    send("sit", 1, TABLE)
    while (message := hear())[0] != "end":
        if message[:2] == ["turn", 2]:
            send("act", 1, "discard G")
            hear()
            send("act", 2, "discard G")
        elif message[0] == "turn":
            send("act", message[1], message[4][-1])
    send("stand", 2)
    hear()
    send("bye", 3)
    hear()
    return "\n".join(lines)


def test_transcript(tmp_path: Path) -> None:
    """The server says at this table what the page shows."""
    (shown,) = re.findall(r"```text\n(-> [^`]*\"sit\"[^`]*)\n```", PAGE)
    with Server(tmp_path) as server, Client(server.endpoint) as client:
        found = transcript(client)
    assert shown == found


def test_turn_in_hex(tmp_path: Path) -> None:
    """The first question of that table, with actions as ids, byte for byte."""
    (row,) = re.findall(r"\| `\[\"turn\", 1, 10000,.*\n", PAGE)
    heads = [bytes.fromhex(part) for part in re.findall(r"`([0-9a-f ]+)`", row)]
    with Server(tmp_path) as server, Client(server.endpoint) as client:
        client.hello()
        client("sit", TABLE)
        assert (client.receive() or [""])[0] == "start"
        assert client.socket.poll(20_000)
        data = client.socket.recv()
    message = msgpack.unpackb(data)
    observation, mask = message[3:5]
    clock = message[2].to_bytes(2, "big")
    whole = data.replace(b"\xcd" + clock, b"\xcd" + (10_000).to_bytes(2, "big"), 1)
    assert whole == heads[0] + observation + heads[1] + mask + heads[2]


# ---- The loop of a client that survives ----------------------------------------------------------


class Dealer:
    """A socket for the page's loop, whose messages get lost as well."""

    rng = random.Random(4)
    sent = lost = 0

    def __init__(self, endpoint: str) -> None:
        self.client = Client(endpoint)

    def send(self, message: list[Any]) -> None:
        Dealer.sent += 1
        if self.rng.random() < 0.1:
            Dealer.lost += 1
        else:
            self.client.send(*message)

    def receive(self, seconds: float) -> list[Any] | None:
        message = self.client.receive(seconds / 20)
        return None if self.rng.random() < 0.05 else message


@pytest.mark.slow
def test_the_loop_of_the_page(tmp_path: Path) -> None:
    """It is run as it stands, against a server that is killed, and no step is lost or doubled."""
    (loop,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)

    def dealer(old: Dealer | None) -> Dealer:
        if old is not None:
            old.client.close()
        return Dealer(server.endpoint)

    def kill() -> None:
        nonlocal starts
        while not done.wait(0.4):
            server.kill()
            time.sleep(0.1)
            server.start()
            starts += 1

    starts = 0
    words: dict[str, Any] = {"dealer": dealer, "handle": None}
    exec(loop, words)
    request, done = words["request"], threading.Event()
    rows = Rows(2, -1)
    with Server(tmp_path, "--state", str(tmp_path / "state")) as server:
        words["hello"]()
        killer = threading.Thread(target=kill)
        killer.start()
        try:
            terms = {"rows": 2, "opponents": "random", "autoreset": "next_step"}
            assert request("make", terms)[2] == 1
            rows.reset(3)
            assert request("reset", 1, 3)[2] == rows.results()[0]
            for _ in range(40):
                actions = rows.sample()
                assert request("sample", 1)[2] == actions
                rows.step(actions)
                assert request("step", 1, actions)[2:7] == rows.results()[:5]
        finally:
            done.set()
            killer.join()
        words["socket"].client.ask("bye", words["seq"] + 1)  # as if its reply had been lost
        words["bye"]()
        words["socket"].client.close()
    assert Dealer.lost > 2
    assert starts > 1


class Lingering:
    """An impatient socket, closed as ZeroMQ does by default: what it sent may arrive later."""

    context = zmq.Context()

    def __init__(self, endpoint: str) -> None:
        self.socket = self.context.socket(zmq.DEALER)
        self.socket.connect(endpoint)

    def send(self, message: list[Any]) -> None:
        self.socket.send(msgpack.packb(message))

    def receive(self, seconds: float) -> list[Any] | None:
        if not self.socket.poll(300):
            return None
        message: list[Any] = msgpack.unpackb(self.socket.recv())
        return message


@pytest.mark.slow
def test_the_loop_outlives_what_it_said_before(tmp_path: Path) -> None:
    """While a server is away sockets wait that were given up; all connect again, in any order."""
    (loop,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)

    def dealer(old: Lingering | None) -> Lingering:
        if old is not None:
            old.socket.close()
        return Lingering(server.endpoint)

    words: dict[str, Any] = {"dealer": dealer, "handle": None}
    exec(loop, words)
    with Server(tmp_path, "--state", str(tmp_path / "state")) as server:
        words["hello"]()
        for _ in range(6):
            server.kill()
            back = threading.Timer(1, server.start)
            back.start()
            assert words["request"]("ping")[0] == "ok"
            back.join()
            for _ in range(3):
                assert words["request"]("ping")[0] == "ok"
        words["bye"]()
        words["socket"].socket.close()


def test_the_loop_looks_at_codes_first(tmp_path: Path) -> None:
    """An error about the connection may have the number of a turn."""
    (loop,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    heard: list[Any] = []
    words: dict[str, Any] = {"handle": heard.append}
    exec(loop, words)
    with Server(tmp_path) as server:
        words["socket"] = Dealer(server.endpoint)
        client = words["socket"].client
        words["socket"].rng = random.Random(1)  # which loses nothing here
        client.send("act", 9, 0)
        assert words["reply_to"](3)[:3] == ["error", 9, "hello"]
        client.hello()
        client.send("act", 9, 0)
        client.send("ping", 1)
        assert words["reply_to"](1) == ["ok", 1]
        assert [message[:3] for message in heard] == [["error", 9, "turn"]]
        client.close()
