"""Guests and hosts: the server passes on what they say, each word once and to nobody else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from server_process import Client, Server

TURN = ("turn", 5000, b"seen", b"\1\0\1", [[1, 2, 3, 0]])


class Room(Server):
    """A server, and the clients who came."""

    def __init__(self, folder: Path, *options: str) -> None:
        super().__init__(folder, *options)
        self.clients: list[Client] = []

    def __exit__(self, kind: object, *rest: object) -> None:
        for client in self.clients:
            client.close()
        super().__exit__(kind, *rest)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Room]:
    with Room(tmp_path) as running:
        yield running


def connect(server: Room, **keys: Any) -> Client:
    client = Client(server.endpoint)
    server.clients.append(client)
    assert client.hello(**keys)[0] == "ok"
    return client


def wait(server: Room, name: str = "champion", **keys: Any) -> Client:
    client = connect(server, client=f"{name}'s", **keys)
    assert client("wait", {"name": name}) == ["ok", client.seq]
    return client


def invite(host: Client, guest: Client, name: str = "champion") -> int:
    reply = host("invite", {"name": name, "game": "mhing"})
    assert reply[0] == "ok", reply
    assert guest.receive() == ["invited", 0]
    number: int = reply[2]["guest"]
    return number


def refusal(reply: list[Any]) -> tuple[str, str]:
    assert reply[0] == "error", reply
    return reply[2], reply[3]


NOBODY = ("table", "no guest called champion waits (0 play, 0 wait for another game)")
PLAYS = ("table", "no guest called champion waits (1 play, 0 wait for another game)")


def test_what_a_host_tells_and_a_guest_answers(server: Room) -> None:
    host = connect(server)
    guest = wait(server, observations="fields", actions="texts")
    reply = host("invite", {"name": "champion", "game": "mhing"})
    assert guest.receive() == ["invited", 0]
    number = reply[2]["guest"]
    assert reply[2] == {
        "guest": number, "client": "champion's", "observations": "fields", "actions": "texts"
    }  # fmt: skip
    for kind in ("start", "round", "end"):
        assert host("tell", number, kind, {"a": [1, {"b": 2.5}]}) == ["ok", host.seq]
        assert guest.receive() == [kind, 0, {"a": [1, {"b": 2.5}]}]
    for turn, action in ((1, 7), (2, "discard 5s"), (3, 2**31 - 1)):
        assert host("tell", number, *TURN) == ["ok", host.seq, turn]
        assert guest.receive() == ["turn", turn, *TURN[1:]]
        guest.send("act", turn, action)
        assert host.receive() == ["said", number, turn, action]
    assert guest.ask("act", 3, 1) == ["error", 3, "late", "that question is no longer open"]
    assert guest.ask("act", 4, 1)[2] == "turn"
    assert host("dismiss", number) == ["ok", host.seq]
    assert guest.ask("act", 3, 1)[2] == "late"
    assert refusal(host("tell", number, *TURN))[0] == "table"
    assert invite(host, guest) == number


@pytest.mark.parametrize("action", [None, -1, 2**31, 1.5, "x" * 32, [1]])
def test_what_is_no_answer_leaves_the_question_open(server: Room, action: Any) -> None:
    host, guest = connect(server), wait(server)
    number = invite(host, guest)
    host("tell", number, *TURN)
    assert guest.receive() is not None
    assert guest.ask("act", 1, action)[1:3] == [1, "illegal"]
    guest.send("act", 1, 0)
    assert host.receive() == ["said", number, 1, 0]


def test_the_loser_of_a_race_gets_the_reason(server: Room) -> None:
    host, guest = connect(server), wait(server)
    for code in ("late", "illegal"):
        number = invite(host, guest)
        assert host("tell", number, *TURN)[0] == "ok"
        (_, turn, *_) = guest.receive() or []
        assert host("dismiss", number, code, "why")[0] == "ok"
        assert guest.receive() == ["error", turn, code, "why"]
        # It owed an answer, and is not asked again before it has said something.
        assert refusal(host("invite", {"name": "champion", "game": "mhing"})) == NOBODY
        assert guest.ask("act", turn, 0)[2] == "late"


def test_names_and_games(server: Room) -> None:
    host, guest = connect(server), wait(server)
    words = "no guest called {} waits (0 play, {} wait for another game)"
    assert refusal(host("invite", {"name": "none", "game": "leduc"}))[1] == words.format("none", 0)
    assert guest("wait", {"name": "champion", "game": "leduc"})[0] == "ok"
    asked = {"name": "champion", "game": "mhing"}
    assert refusal(host("invite", asked))[1] == words.format("champion", 1)
    invited = host("invite", {"name": "champion", "game": "leduc"})
    assert invited[0] == "ok"
    assert guest.receive() == ["invited", 0]
    assert guest("wait", {"name": "champion", "game": "leduc"})[0] == "ok"
    assert refusal(guest("wait", {"name": "other"}))[0] == "table"
    assert refusal(host("invite", {"name": "champion", "game": "leduc"})) == PLAYS
    host("dismiss", invited[2]["guest"])
    assert guest("wait", {"name": "other"})[0] == "ok"
    assert refusal(host("invite", {"name": "champion", "game": "leduc"})) == NOBODY


def test_a_guest_is_at_no_table_and_nobody_invites_itself(server: Room) -> None:
    guest = wait(server)
    assert refusal(guest("invite", {"name": "champion"})) == NOBODY
    for request in ("sit", "play"):
        assert refusal(guest(request, {"table": "t"}))[0] == "table"
    assert guest("stand") == ["ok", guest.seq]
    assert refusal(guest("stand")) == ("table", "you have no seat")
    assert guest("sit", {"table": "t"})[0] == "ok"
    assert refusal(guest("wait", {"name": "champion"}))[0] == "table"


def test_of_several_the_one_heard_last(server: Room) -> None:
    host, one, two = connect(server), wait(server), wait(server)
    assert one("ping")[0] == "ok"
    assert invite(host, one) != invite(host, two)
    assert refusal(host("invite", {"name": "champion"}))[1].count("(2 play,") == 1


def test_what_was_lost_is_said_again(server: Room) -> None:
    host, guest = connect(server), wait(server)
    number = invite(host, guest)
    host("tell", number, *TURN)
    guest.close()
    guest.connect()
    guest.hello()
    assert guest.receive() == ["turn", 1, *TURN[1:]]
    guest.send("act", 1, 7)
    assert host.receive() == ["said", number, 1, 7]
    host.close()
    host.connect()
    host.hello()
    assert host.receive() == ["said", number, 1, 7]
    guest.hello()
    host("tell", number, *TURN)
    assert guest.receive() == ["turn", 2, *TURN[1:]]
    host.hello()
    assert host.receive(0.2) is None


def test_a_guest_that_leaves(server: Room) -> None:
    host = connect(server)
    for word in ("stand", "bye"):
        guest = wait(server)
        number = invite(host, guest)
        assert guest(word)[0] == "ok"
        assert host.receive() == ["left", number]
        assert refusal(host("dismiss", number))[0] == "table"
        assert refusal(host("invite", {"name": "champion"})) == NOBODY


def test_a_host_that_leaves(server: Room) -> None:
    """By a word, or without one: then somebody else's wish for the guest finds it out."""
    guest = wait(server)
    other = connect(server)
    for leave in (lambda host: host("bye"), Client.close):
        host = connect(server)
        invite(host, guest)
        assert refusal(other("invite", {"name": "champion"})) == PLAYS
        assert (host.receive() or [])[:1] == ["wanted"]
        leave(host)
        for _ in range(100):
            if other("invite", {"name": "champion"})[0] == "ok":
                break
        assert guest.receive() == ["invited", 0]
        other("bye")
        other.close()
        other = connect(server)


@pytest.mark.slow
def test_a_guest_that_has_gone_without_a_word_is_not_invited(server: Room) -> None:
    host, dead, alive = connect(server), wait(server), wait(server)
    assert dead("ping")[0] == "ok"
    dead.close()
    while (reply := host("invite", {"name": "champion"}))[0] != "ok":
        pass
    # ZeroMQ may need a moment to notice: what is said to the dead one meanwhile is lost.
    if not alive.receive(1):
        number = reply[2]["guest"]
        host("tell", number, *TURN)
        host("dismiss", number, "late", "")
        assert host("invite", {"name": "champion"})[0] == "ok"
        assert alive.receive() == ["invited", 0]
    dead.connect()
    dead.hello()
    assert dead("wait", {"name": "champion"})[0] == "ok"
    invite(host, dead)


def test_only_the_host_speaks_to_a_guest(server: Room) -> None:
    host, guest, stranger = connect(server), wait(server), connect(server)
    number = invite(host, guest)
    assert refusal(stranger("tell", number, *TURN))[0] == "table"
    assert refusal(stranger("dismiss", number))[0] == "table"
    assert guest.receive(0.2) is None


@pytest.mark.parametrize(
    "request_",
    [
        ("wait",), ("wait", 1), ("wait", {}), ("wait", {"name": ""}), ("wait", {"name": "x" * 33}),
        ("wait", {"name": 1}), ("wait", {"name": "a", "game": 1}),
        ("invite",), ("invite", 1), ("invite", {"name": 1}),
        ("tell", "1"), ("dismiss", -1),
        ("tell", 1), ("tell", 1, "dance", {}), ("tell", 1, "start"), ("tell", 1, "start", 1),
        ("tell", 1, "turn"), ("tell", 1, *TURN[:-1]), ("tell", 1, 5),
        ("dismiss", 1, "gone"), ("dismiss", 1, "late", 5),
    ],
    ids=str,
)  # fmt: skip
def test_bad_arguments(server: Room, request_: tuple[Any, ...]) -> None:
    host, guest = connect(server), wait(server)
    assert invite(host, guest) == 1
    assert refusal(host(*request_))[0] == "argument"
    assert guest.receive(0.05) is None
    assert host("tell", 1, *TURN) == ["ok", host.seq, 1]


@pytest.mark.parametrize(
    "message", [(*TURN[:-1], [bytes(1 << 16)]), ("end", {"a": "b" * (1 << 16)})]
)
def test_messages_to_a_guest_are_limited(server: Room, message: tuple[Any, ...]) -> None:
    host, guest = connect(server), wait(server)
    assert invite(host, guest) == 1
    _, _, code, text = host("tell", 1, *message)
    assert code == "limit"
    assert "a guest is told at most 65536" in text
    assert guest.receive(0.05) is None
    assert host("tell", 1, *TURN) == ["ok", host.seq, 1]


def test_a_server_that_was_started_anew_has_no_guests(tmp_path: Path) -> None:
    with Room(tmp_path, "--state", str(tmp_path / "state"), "--sync", "always") as server:
        host, guest = connect(server), wait(server)
        number = invite(host, guest)
        host("tell", number, *TURN)
        assert guest.receive() is not None
        server.kill()
        server.start()
        for client in (host, guest):
            client.close()
            client.connect()
            assert client.hello()[0] == "ok"
        assert refusal(host("tell", number, *TURN))[0] == "table"
        assert guest.ask("act", 1, 0)[2] == "turn"
        assert guest("wait", {"name": "champion"})[0] == "ok"
        invite(host, guest)
