"""Messages that leave a server: a seat and a spectator get what they may know, and no more."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgpack
import numpy as np
import pytest
import zmq
from every_game import GAMES_OF_TWO, without_generators
from remote_bots import playing, read_records
from server_process import Server

import mhing
from mhing.records import Record
from mhing.remote import Bot, Connection, Turn

GAMES = 4
NAMES = ("ann", "bob")


class Careless(Bot):
    """Takes actions as they come, and keeps what it was asked, by the number of the game."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.rng = np.random.default_rng(len(name))
        self.starts: list[dict[str, Any]] = []
        self.turns: list[list[Turn]] = []

    def started(self, start: dict[str, Any]) -> None:
        self.starts.append(start)
        self.turns.append([])

    def act(self, turn: Turn) -> int:
        self.turns[-1].append(turn)
        return int(self.rng.choice(turn.legal_actions))


class Spectator:
    """Subscribes to a table before anybody sits there."""

    def __init__(self, connection: Connection) -> None:
        self.context = zmq.Context()
        self.socket = self.context.socket(zmq.SUB)
        self.socket.rcvtimeo = 20_000
        self.socket.connect(connection.hello["watch"])
        self.socket.subscribe("t:")
        self.socket.subscribe("other:")
        connection.request("sit", {"table": "other", "bots": ["random"] * 3, "clock": 3_600_000})
        self.hear()  # of the other table: now the server knows both subscriptions

    def hear(self) -> list[Any]:
        _, message = self.socket.recv_multipart()
        found: list[Any] = msgpack.unpackb(message)
        return found

    def series(self) -> Iterator[list[Any]]:
        """All that is told of the table until its series is over."""
        number = 0
        while True:
            topic, message = self.socket.recv_multipart()
            if topic == b"t:":
                heard = msgpack.unpackb(message)
                number += 1
                assert heard[1] == number
                yield heard
                if heard[0] == "end" and heard[2]["over"]:
                    return

    def close(self) -> None:
        self.socket.close(0)
        self.context.term()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with Server(tmp_path, "--records", str(tmp_path / "records")) as server:
        yield server


def play_series(server: Server, game: str) -> tuple[list[Careless], list[list[Any]]]:
    """Two bots play every deal in both rotations, and somebody watches."""
    bots = [Careless(name) for name in NAMES]
    terms = {"game": game, "options": "num_players=2", "games": GAMES, "duplicate": True}
    with mhing.connect(server.endpoint) as connection:
        spectator = Spectator(connection)
        with playing(bots, server.endpoint, **terms):
            heard = list(spectator.series())
        spectator.close()
    return bots, heard


def moments(record: Record) -> Iterator[tuple[int, mhing.State]]:
    """The seat to act and the state, before every move."""
    state = record.game.new_state(record.seed)
    for move in record.moves:
        yield state.seat, state
        state.apply(move.action)


@pytest.mark.parametrize("game", GAMES_OF_TWO)
def test_nothing_hidden_leaves_the_server(server: Server, tmp_path: Path, game: str) -> None:
    bots, heard = play_series(server, game)
    records = read_records(tmp_path / "records", "t")
    assert len(records) == GAMES
    states = [message[2] for message in heard if message[0] == "state"]
    for number, record in enumerate(records):
        shown = [state["observation"] for state in states if state["number"] == number]
        assert shown == observations_in(record, shown)
        asked = {bot.starts[number]["seat"]: iter(bot.turns[number]) for bot in bots}
        assert set(asked) == {0, 1}
        public = record.game.new_state(record.seed).resample(0, 1).resample(1, 2)
        assert shown[0] == public.public_observation().tobytes()
        for seat, state in moments(record):
            seen = next(asked[seat]).observation
            assert np.array_equal(state.resample(seat, number).observation(seat), seen)
        assert all(next(turns, None) is None for turns in asked.values())
    assert len({record.seed for record in records}) == GAMES // 2


def observations_in(record: Record, shown: list[bytes]) -> list[bytes]:
    """The states shown that the game went through, in its order; the last one is its end."""
    left, found = iter(shown), []
    wanted = next(left, None)
    states = [state.public_observation().tobytes() for _, state in record.replay()]
    for seen in [record.game.new_state(record.seed).public_observation().tobytes(), *states]:
        if seen == wanted:
            found.append(seen)
            wanted = next(left, None)
    assert shown[-1] == states[-1]
    return found


def test_cards_are_shown_when_the_deal_is_done(server: Server, tmp_path: Path) -> None:
    _, heard = play_series(server, "mhing")
    kinds = [message[0] for message in heard if message[0] not in ("events", "state")]
    assert kinds == ["end", "round", "round", "end"] * (GAMES // 2)
    shown = [message[2] for message in heard if message[0] == "round"]
    for record, found in zip(read_records(tmp_path / "records", "t"), shown, strict=True):
        *_, (_, end) = record.positions()
        assert found["state"] == without_generators(end)
        assert found["numbers"] == record.end["numbers"]
    for message in heard:
        if message[0] == "end":
            assert ("seeds" in message[2]) == message[2]["over"]
    assert [message[2]["number"] for message in heard if message[0] == "end"] == [*range(GAMES)]
