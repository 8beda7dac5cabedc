"""All that spectators and waiting players get of a server's table: the same in twin worlds.

Two servers play at a table of the same name. Their deals come from different seeds, so everybody
has other cards. The players discard cards that can be discarded in both worlds, and a seat that is
asked for a claim, in one world or in both, passes. Then everybody sees the same, and the messages
on the sockets must be the same, except what a seat may know about its own cards. (With a simulated
clock, `test_server_tables_twins.c` also compares the times, for seats with the same cards.)
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import combinations, pairwise
from random import Random
from typing import Any

import msgpack
import pytest
import zmq
from server_process import Client, Server
from zmq.utils.monitor import recv_monitor_message

import mhing

SEEDS = 120
STEPS = 6
PAUSE = 250
"""Milliseconds within which all claims are answered, unless the machine is busy."""

pytestmark = pytest.mark.once


@dataclass
class Step:
    """An action that everybody sees, and the secret answers after it in each of the worlds."""

    seat: int
    action: int
    answers: tuple[list[tuple[int, int]], list[tuple[int, int]]]

    @property
    def is_asked_in_one(self) -> bool:
        return bool(self.answers[0]) != bool(self.answers[1])


def settled(state: mhing.State) -> list[tuple[int, int]]:
    """Lets all who are asked in secret do nothing; these seats and their answers."""
    answers = []
    while not state.is_settled:
        answers.append((state.seat, state.idle_action()))
        state.apply(answers[-1][1])
    return answers


def look(state: mhing.State) -> tuple[Any, ...]:
    """The view of every seat and spectator."""
    return state.seat, state.public_observation().tobytes(), state.info()["rounds_over"]


def in_step(game: mhing.Game, seeds: tuple[int, int]) -> list[Step]:
    """The steps of two worlds as long as everybody sees the same."""
    rng, states = Random(0), [game.new_state(seed) for seed in seeds]
    steps: list[Step] = []
    while len(steps) < STEPS and look(states[0]) == look(states[1]):
        legal = set.intersection(*(set(state.legal_actions().tolist()) for state in states))
        if not legal:
            break
        seat, action = states[0].seat, rng.choice(sorted(legal))
        for state in states:
            state.apply(action)
        steps.append(Step(seat, action, (settled(states[0]), settled(states[1]))))
    return steps if look(states[0]) == look(states[1]) else steps[:-1]


def never_asked(game: mhing.Game, steps: list[Step]) -> set[int]:
    """The seats that are not asked in secret, in neither of the worlds."""
    asked = {seat for step in steps for one in step.answers for seat, _ in one}
    return {*range(game.num_seats)} - asked


def worlds(game: mhing.Game) -> tuple[tuple[int, int], list[Step]]:
    """Seeds of two worlds with a question in one of them alone."""
    found = {seeds: in_step(game, seeds) for seeds in combinations(range(SEEDS), 2)}

    def worth(seeds: tuple[int, int]) -> tuple[bool, int, int]:
        steps = found[seeds]
        return (
            bool(never_asked(game, steps)),
            sum(step.is_asked_in_one for step in steps[:-1]),
            len(steps),
        )

    best = max(found, key=worth)
    return best, found[best]


# ---- Over sockets -------------------------------------------------------------------------------


class World:
    """A table of a server with a player in every seat, and a spectator."""

    def __init__(self, server: Server, game: mhing.Game, terms: dict[str, Any]) -> None:
        self._open = ExitStack()
        self.public = {field.name for field in game.observation_fields if field.public}
        self.players = [Client(server.endpoint) for _ in range(game.num_seats)]
        self.came: list[list[Any]] = [[] for _ in self.players]
        """The messages to each player, without the time and what it may know about its cards."""
        self.looked: list[list[Any]] = [[] for _ in self.players]
        """The replies to each when it asked for its state."""
        self._asked: list[list[Any] | None] = [None for _ in self.players]
        for player in self.players:
            self._open.enter_context(player).hello(observations="fields")
        self._watch = zmq.Context.instance().socket(zmq.SUB)
        self._open.callback(self._watch.close, 0)
        monitor = self._watch.get_monitor_socket(zmq.EVENT_HANDSHAKE_SUCCEEDED)
        self._watch.subscribe(f"{terms['table']}:")
        self._watch.connect(self.players[0].welcome["watch"])
        recv_monitor_message(monitor)  # a later one would miss the start
        self._watch.disable_monitor()
        monitor.close()
        for player in self.players:
            assert player("sit", terms)[0] == "ok"

    def close(self) -> None:
        self._open.close()

    def _hears(self, seat: int) -> list[Any]:
        message = self.players[seat].receive()
        assert message is not None, f"seat {seat} gets nothing"
        if message[0] == "turn":
            self._asked[seat] = message
            kind, turn, _, observation, _, events = message
            self.came[seat].append([kind, turn, self._shown(observation), events])
        elif message[0] != "ok":  # a reply comes before or after a question, as it happens
            self.came[seat].append(message)
        return message

    def _shown(self, observation: dict[str, Any]) -> dict[str, Any]:
        return {name: observation[name] for name in observation if name in self.public}

    def _is_asked(self, seat: int) -> list[Any]:
        while (question := self._asked[seat]) is None:
            self._hears(seat)
        return question

    def _requests(self, seat: int, name: str) -> list[Any]:
        """The reply to a request."""
        player = self.players[seat]
        player.seq += 1
        player.send(name, player.seq)
        while (message := self._hears(seat))[:2] != ["ok", player.seq]:
            pass
        return message

    def answers(self, seat: int, action: int) -> None:
        """The seat is asked, and answers; the server has heard it then."""
        turn = self._is_asked(seat)[1]
        self._asked[seat] = None
        self.players[seat].send("act", turn, action)
        self._requests(seat, "ping")

    def looks(self, seat: int) -> None:
        """The seat asks where things stand."""
        view = self._requests(seat, "back")[2]
        self.looked[seat].append(view | {"observation": self._shown(view["observation"])})

    def ends(self, seat: int) -> None:
        """The seat hears that it is asked, the others all that came before; then all leave."""
        self._is_asked(seat)
        others = [other for other in range(len(self.players)) if other != seat]
        for other in others:
            self.looks(other)
        for leaver in (*others, seat):  # a bot would play for the seat that is asked
            self._requests(leaver, "stand")

    def shown(self) -> list[Any]:
        """All that the spectator gets, but for the seeds at the end."""
        heard: list[Any] = []
        while not heard or heard[-1][0] != "end":
            assert self._watch.poll(20_000), "a spectator gets no end"
            heard.append(msgpack.unpackb(self._watch.recv_multipart()[1]))
        del heard[-1][2]["seeds"]
        return heard


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Server]]:
    with (
        Server(tmp_path_factory.mktemp("one")) as one,
        Server(tmp_path_factory.mktemp("other")) as other,
    ):
        yield [one, other]


def played(pair: list[World], steps: list[Step], waiting: set[int], pause: int) -> bool:
    """Plays at both tables, at which those who wait look again and again; whether that was on time.

    The last step is not played: it is heard that it is to come.
    """
    on_time = True
    for step, following in pairwise(steps):
        for world in pair:
            world.answers(step.seat, step.action)
        until = time.monotonic() + 0.8 * pause / 1000
        for world, answers in zip(pair, step.answers, strict=True):
            for seat in waiting - {step.seat, following.seat} if pause else ():
                world.looks(seat)
            for seat, answer in answers:
                world.answers(seat, answer)
        on_time = on_time and (time.monotonic() < until or not pause)
    for world in pair:
        world.ends(steps[-1].seat)
    return on_time


def was_late(heard: list[Any]) -> bool:
    """True if the spectator came when the game had begun, and so was sent a separate state."""
    return heard[0][1] != 1 or heard[1][0] == "state"


@pytest.mark.slow
@pytest.mark.parametrize("pause", [0, PAUSE])
@pytest.mark.parametrize(
    ("game_id", "seats"),
    [("mhing", 2), ("mhing", 3), ("mhing", 4), ("general_mhing", 3), ("mexican_rummy", 4)],
)
def test_what_others_get_of_a_table(
    game_id: str, seats: int, pause: int, servers: list[Server]
) -> None:
    game = mhing.Game(game_id, num_players=seats)
    seeds, steps = worlds(game)
    waiting = never_asked(game, steps)
    assert waiting
    assert any(step.is_asked_in_one for step in steps) or game_id == "mexican_rummy"
    terms = {"game": game_id, "options": f"num_players={seats}", "pause": pause, "clock": 60_000}
    for attempt in range(5):
        terms["table"] = f"{game_id}{seats}-{pause}-{attempt}"
        with ExitStack() as opened:
            pair = []
            for server, seed in zip(servers, seeds, strict=True):
                pair.append(World(server, game, terms | {"seed": seed}))
                opened.callback(pair[-1].close)
            on_time = played(pair, steps, waiting, pause)
            one, other = (world.shown() for world in pair)
            if not on_time or was_late(one) or was_late(other):
                continue
            assert one == other
            for seat in waiting:
                assert pair[0].came[seat] == pair[1].came[seat]
                assert pair[0].looked[seat] == pair[1].looked[seat]
            return
    pytest.fail(f"five times an answer came after {pause} ms, or a spectator after the start")
