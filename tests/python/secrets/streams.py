"""Doors: ways by which a seat gets something of a game, as streams of messages.

A door is a function that plays a deal through what users play through, and yields each message that
comes to one seat, with what the seat knew then: all public events, and the hands that it has had.
The deal goes in as the state that :meth:`mhing.Game.new_state` returns.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import groupby, takewhile
from pathlib import Path
from typing import Any, TypeAlias

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray
from test_arena_guests import Leave, Line, Policy, by_sum
from twins import Deal

import mhing
from mhing import pettingzoo
from mhing.arena.asking import Terms
from mhing.arena.guests import Guests
from mhing.arena.listeners import Listeners
from mhing.arena.table import Match
from mhing.arena.tables import Tables
from mhing.cli.lines import LeftTable, Lines
from mhing.players.chat import ChatPlayer, ChatSettings
from mhing.players.seating import Given, line_up
from mhing.remote.bridge import Program
from mhing.remote.player import Turn
from mhing.web.play import PlaySession, Wishes
from mhing.web.widget import TableWidget


@dataclass
class Heard:
    """A message that came to a seat."""

    known: str
    """The seat's knowledge at that time."""
    decisions: int
    """The number that all seats had made."""
    message: str


Door: TypeAlias = Callable[[Deal, int], Iterable[Heard]]


class Ear:
    """Notes what a seat gets, in the state in which it comes.

    `sees_all`: when the game is over.
    """

    def __init__(self, seat: int, sees_all: bool = False) -> None:
        self.seat, self._sees_all = seat, sees_all
        self._hands = ""

    def hears(self, state: mhing.State, *message: object) -> Heard:
        table = state.to_dict()
        hand = json.dumps(sorted(table["hands"][self.seat]))
        if not self._hands.endswith(hand):
            self._hands += hand
        laid = [table.get(name) for name in ("melds", "sequences")]  # events name some by rank only
        drawn = table["drawn"] if state.seat == self.seat else None
        known = json.dumps([table["events"], laid, drawn]) + self._hands
        if state.is_terminal:  # everybody sees more then, the winner's cards for one
            hands = table["hands"] if self._sees_all else None
            known += json.dumps([state.public_observation(), state.info(), hands], default=_plain)
        return Heard(known, table["decisions"], json.dumps(message, default=_plain))


def _plain(value: Any) -> Any:
    return value.hex() if isinstance(value, bytes) else value.tolist()


@dataclass
class Common:
    """The messages that came to a seat in both of two worlds."""

    shared: int = 0
    """Moments of knowledge, of each all messages were the same."""
    asked_in_one: int = 0
    """Of these, those before which somebody was asked in one of the worlds alone."""


def compare(one: Iterable[Heard], other: Iterable[Heard], common: Common, early: int = 0) -> None:
    """Requires the same messages as long as the seat knows the same of both worlds.

    `early`: for as many moments before the worlds part they may differ.
    """
    pairs = zip(_by_knowledge(one), _by_knowledge(other), strict=False)
    alike = takewhile(lambda pair: pair[0][0] == pair[1][0], pairs)
    late = deque[Any]()
    for pair in alike:
        late.append(pair)
        if len(late) > early:
            (_, ours), (_, theirs) = late.popleft()
            assert [heard.message for heard in ours] == [heard.message for heard in theirs]
            common.shared += 1
            common.asked_in_one += ours[0].decisions != theirs[0].decisions


def _by_knowledge(stream: Iterable[Heard]) -> Iterator[tuple[str, list[Heard]]]:
    for known, some in groupby(stream, lambda heard: heard.known):
        yield known, [*some]


def choice(observation: NDArray[np.uint8], mask: NDArray[np.int8]) -> int:
    """A legal action that follows from what the seat sees."""
    return by_sum(observation, mask, {})


@contextmanager
def dealing(deals: Callable[[int], mhing.State]) -> Iterator[None]:
    """Every deal from a seed gives this state."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mhing.Game, "new_state", lambda _, seed=0, **__: deals(seed))
        yield


# ---- Environments -------------------------------------------------------------------------------


def through_gymnasium(deal: Deal, seat: int) -> Iterator[Heard]:
    """Each step of `gymnasium.make`; the others are bots."""
    ear = Ear(seat)
    name = f"mhing:{mhing.environment_id(deal.game.id)}"
    env = gymnasium.make(name, opponents="greedy", **deal.game.options)
    observation, info = env.reset(seed=deal.seed, options={"deck": deal.deck, "seat": seat})
    reward, over, cut = 0.0, False, False
    while True:
        yield ear.hears(env.unwrapped.state, observation, reward, over, cut, info)
        if over:
            return
        action = choice(observation, info["action_mask"])
        observation, reward, over, cut, info = env.step(action)


def through_a_vector(deal: Deal, seat: int) -> Iterator[Heard]:
    """Each step of a row of `gymnasium.make_vec`; the others are bots."""
    ear, actions = Ear(seat), np.zeros(1, np.int64)
    name, settings = f"mhing:{mhing.environment_id(deal.game.id)}", deal.game.options
    env: Any = gymnasium.make_vec(name, num_envs=1, opponents="greedy", seat=seat, **settings)
    with closing(env):
        env.reset(seed=0)
        env._batch.deal(0, deal.seed, deal.deck)
        observations, infos = env.observe()
        rest: tuple[Any, ...] = ()
        while True:
            yield ear.hears(env.state(0), observations, rest, infos)
            if rest and rest[1].any():
                return
            actions[0] = choice(observations[0], infos["action_mask"][0])
            observations, *rest, infos = env.step(actions)


def through_pettingzoo(deal: Deal, seat: int) -> Iterator[Heard]:
    """The observations of an agent at its turns; the others are bots."""
    ear = Ear(seat)
    env = pettingzoo.env(deal.game.id, **deal.game.options)
    env.reset(seed=deal.seed, options={"deck": deal.deck})
    for agent in env.agent_iter():
        state = env.unwrapped.game_state
        observation, reward, over, cut, info = env.last()
        if agent != f"player_{seat}":
            env.step(None if over else state.bot_action("greedy", 0)[0])
            continue
        yield ear.hears(state, observation, reward, over, cut, info)
        env.step(None if over else choice(**_named(observation)))


def _named(observation: dict[str, Any]) -> dict[str, Any]:
    return {"observation": observation["observation"], "mask": observation["action_mask"]}


# ---- People -------------------------------------------------------------------------------------


def sat_down(deal: Deal, seat: int) -> PlaySession:
    """A game of somebody among bots."""
    dealt = deal.state()
    with dealing(lambda _: dealt):
        return PlaySession(deal.game, ["greedy"], Wishes(seat=seat, delay=0))


def advance(session: PlaySession) -> bool:
    """Play the viewer's move, or the next of another seat; tell whether the game continues."""
    state, view = session.table.state, session.words()
    if view["asked"]:
        action = choice(state.observation(session.seat), state.action_mask())
        session.do({"do": "play", "number": view["number"], "action": action})
    elif not view["over"]:
        session.tick()
    return not view["over"]


def through_a_page(deal: Deal, seat: int) -> Iterator[Heard]:
    """A page's knowledge of the game: each view, and whether another one follows by itself."""
    ear, session = Ear(seat, sees_all=True), sat_down(deal, seat)
    while True:
        shown = session.hello(), session.view("wide"), session.due() is None
        yield ear.hears(session.table.state, *shown)
        if not advance(session):
            return


def through_a_notebook(deal: Deal, seat: int) -> Iterator[Heard]:
    """The state of a widget, whenever its page asks."""
    ear, session = Ear(seat, sees_all=True), sat_down(deal, seat)
    widget = TableWidget(session, 600)
    with closing(widget):
        while True:
            widget._hear(None, {"do": "wait"}, None)
            held = {name: widget.get_state(name)[name] for name in ("hello", "view", "sprites")}
            yield ear.hears(session.table.state, held, session.due() is None)
            if not advance(session):
                return


def through_a_terminal(deal: Deal, seat: int) -> list[Heard]:
    """The output of ``mhing play --plain`` each time it asks."""
    ear, session, heard = Ear(seat, sees_all=True), sat_down(deal, seat), list[Heard]()
    printed: list[str] = []

    def ask(question: str) -> str:
        heard.append(ear.hears(session.table.state, *printed, question))
        printed.clear()
        state = session.table.state
        return deal.game.action_text(choice(state.observation(seat), state.action_mask()))

    with pytest.MonkeyPatch.context() as patch, suppress(LeftTable):
        patch.setattr("builtins.input", ask)
        patch.setattr("builtins.print", lambda *words, **_: printed.extend(map(str, words)))
        Lines(session, color=False).play()
    return heard


# ---- The arena ----------------------------------------------------------------------------------

_ENOUGH = 40  # messages of a game, after which it is given up: by then most twins have parted


class _Enough(Exception):
    pass


class Heeded:
    """A game at a table of the arena: a seat with a player, one with a rival, and bots.

    The rival is asked from outside, as the player is, and answers as a bot does.
    """

    def __init__(self, deal: Deal, seat: int) -> None:
        self.game, self.seat, self.state = deal.game, seat, deal.state()
        self.rival = (seat + 1) % deal.game.num_seats
        self.heard: list[Heard] = []
        self._ear = Ear(seat)

    def hears(self, *message: object) -> None:
        """The player gets a message."""
        if len(self.heard) == _ENOUGH:
            raise _Enough
        self.heard.append(self._ear.hears(self.state, *message))

    def advised(self, observation: Any, mask: Any, _: object) -> int:
        """The action of a bot; at another table, some action."""
        is_here = np.array_equal(observation, self.state.observation(self.rival))
        return self.state.bot_action("greedy", 0)[0] if is_here else choice(observation, mask)

    def play(self, player: Given, rival: Given, others: int = 0) -> None:
        """Plays the game, or the beginning of it, beside as many other ones."""
        seating = [*range(self.game.num_seats)]
        seats = {self.seat: player, self.rival: rival}
        given = {f"player {seat}": seats.get(seat, "greedy") for seat in seating}
        players = line_up(given, self.game, "players")
        with closing(Guests(self.game, players, 20, None, None)) as guests:
            tables = Tables(self.game, players, Terms(60), guests)
            deals = [self.state, *map(self.game.new_state, range(1, others + 1))]
            with closing(tables), suppress(_Enough), dealing(deals.__getitem__):
                matches = [Match(seed, seed, tuple(seating)) for seed in range(len(deals))]
                for _ in tables.play(matches):
                    pass


def as_a_callable(deal: Deal, seat: int) -> list[Heard]:
    """The arguments of a policy's calls."""
    table = Heeded(deal, seat)

    def policy(observation: Any, mask: Any, info: Any) -> int:
        table.hears(observation, mask, info)
        return choice(observation, mask)

    table.play(policy, table.advised)
    return table.heard


class Rows:
    """A player who is asked about several tables at once."""

    def __init__(self, hears: Callable[..., None]) -> None:
        self._hears = hears

    def __call__(self, observation: Any, mask: Any, info: Any) -> int:
        raise AssertionError("it is asked about one table")

    def choose_rows(self, observations: Any, masks: Any) -> list[int]:
        self._hears(observations, masks)
        return [*map(choice, observations, masks)]


def in_rows(deal: Deal, seat: int) -> list[Heard]:
    """Questions to a player about several tables at once: at the first one the deal is played, at
    the others always the same ones."""
    table = Heeded(deal, seat)
    table.play(Rows(table.hears), table.advised, others=3)
    return table.heard


class Chats:
    """The requests of a language model's player to its endpoint, and the lines of its transcript.

    The model chooses by what the question says, and replies with no move now and then.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(self, deal: Deal, seat: int) -> list[Heard]:
        table = Heeded(deal, seat)
        transcript = self._folder / f"{len([*self._folder.iterdir()])}.jsonl"
        settings = ChatSettings("http://localhost/v1", "it", transcript=str(transcript))
        player = ChatPlayer(deal.game, settings)

        def sent(path: str, body: Any) -> Any:
            lines = [json.loads(line) for line in transcript.read_text().splitlines()]
            table.hears(path, body, [{**line, "seconds": 0} for line in lines])
            asked, before = (one["content"] for one in body["messages"][:-3:-1])
            seen, mask = table.state.observation(seat), table.state.action_mask()
            is_wrong = len(asked) % 5 == 0 and before != "Hm."
            reply = "Hm." if is_wrong else str(choice(seen, mask))
            usage = {"prompt_tokens": len(str(body)), "completion_tokens": len(reply)}
            return {"choices": [{"message": {"content": reply}}], "usage": usage}

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(player, "_sent", sent)
            table.play(player, table.advised)
        return table.heard


_PROGRAM = """
import json, os, sys

def total(value):
    return sum(map(total, value)) if isinstance(value, list) else value

with open(sys.argv[1], "w") as file:
    json.dump([sys.argv, sorted(os.environ.items()), os.listdir("."), os.stat(".").st_mode], file)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        ids = message["ids"]
        action = ids[total([*message["observation"].values()]) % len(ids)]
        print(json.dumps({"turn": message["turn"], "action": action}), flush=True)
"""


@dataclass
class Programs:
    """A program, and a rival who is one too, in a folder for what the first one writes."""

    folder: Path

    def __call__(self, deal: Deal, seat: int) -> list[Heard]:
        """The program's arguments, and each line that it reads."""
        table, send, act = Heeded(deal, seat), Program._send, Program.act

        def tapped_send(program: Program, type: str, **content: Any) -> None:
            if program.name == f"player {seat}":
                table.hears(type, content)
            send(program, type, **content)

        def tapped_act(program: Program, turn: Turn) -> int | str:
            if program.name == f"player {seat}":
                return act(program, turn)
            program.turn = turn.number
            return table.advised(turn.observation, turn.mask, None)

        script = self.folder / "program.py"
        script.write_text(_PROGRAM)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Program, "_send", tapped_send)
            patch.setattr(Program, "act", tapped_act)
            table.play(f"exec:{sys.executable} -S {script} {self.folder}/begun", "exec:cat")
        argv, environment, *rest = json.loads((self.folder / "begun").read_text())
        home = dict(environment)["HOME"]
        begun = json.dumps([argv, environment, *rest]).replace(home, "its folder")
        return [Heard(table.heard[0].known, 0, begun), *table.heard]


class _Tapped(Line):
    """A connection that keeps what comes."""

    came: list[Any]

    def listen(self, seconds: float) -> list[Any] | None:
        message = super().listen(min(seconds, 0.02))
        if message is not None and message[0] != "invited":  # again, until the other one waits too
            self.came.append(message)
        return message


@dataclass
class GuestsOfAServer:
    """Two guests of a server at a table."""

    endpoint: str

    def __call__(self, deal: Deal, seat: int) -> list[Heard]:
        """Each message that the first one gets, with what the seat knew when it was sent."""
        table, send, ask = Heeded(deal, seat), Listeners._send, Listeners.ask

        def tapped_send(self: Listeners, to: int, *what: Any, **more: Any) -> None:
            if to == seat:
                table.hears()
            send(self, to, *what, **more)

        def tapped_ask(self: Listeners, to: int, state: mhing.State) -> Turn:
            if to == seat:
                table.hears()
            return ask(self, to, state)

        with pytest.MonkeyPatch.context() as patch, self._guests(table) as (came, names):
            patch.setattr(Listeners, "_send", tapped_send)
            patch.setattr(Listeners, "ask", tapped_ask)
            table.play(*names)
            until = time.monotonic() + 20
            while len(came) < len(table.heard) and time.monotonic() < until:
                time.sleep(0.005)
        assert len(came) == len(table.heard)
        return [
            Heard(heard.known, heard.decisions, json.dumps(message, default=_plain))
            for heard, message in zip(table.heard, came, strict=True)
        ]

    @contextmanager
    def _guests(self, table: Heeded) -> Iterator[tuple[list[Any], list[str]]]:
        """All that the first one gets, and how a tournament calls the two."""
        names, policies = ["mine", "other"], [by_sum, table.advised]
        lines = [_Tapped(self.endpoint) for _ in names]
        threads = [
            threading.Thread(target=_wait, args=guest)
            for guest in zip(lines, names, policies, strict=True)
        ]
        for line, thread in zip(lines, threads, strict=True):
            line.came = []
            thread.start()
        try:
            yield lines[0].came, [f"{self.endpoint}/{name}" for name in names]
        finally:
            for line in lines:
                line.leaves = True
            for thread in threads:
                thread.join()


def _wait(line: Line, name: str, policy: Callable[..., int]) -> None:
    with line, suppress(Leave):
        Policy(policy).wait(line, name)
