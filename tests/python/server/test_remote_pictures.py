"""Pictures at a server's tables, where nobody has the state."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, cast

import gymnasium as gym
import pytest
from options import known
from pictures import board_text
from remote_bots import First
from server_process import Client, Server

import mhing
from mhing import render
from mhing.remote import Connection, Spectator, Turn
from mhing.remote.bot import _Seat
from mhing.remote.memory import Memory

pytestmark = pytest.mark.once


class Drawing(First):
    """Takes first legal actions, and keeps what it could draw."""

    def __init__(self, cut: Connection | None = None) -> None:
        super().__init__()
        self.cut, self.views = cut, list[render.View]()

    def act(self, turn: Turn) -> int | str:
        self.views.append(turn.view)
        if self.cut and len(self.views) == 3:
            self.cut._line.cut()
        return super().act(turn)


def settled(game: str) -> tuple[dict[str, object], str]:
    """Options for short games of several rounds."""
    options = known(game, num_players=3, episode="game", rounds=2, target=0)
    return options, " ".join(f"{name}={value}" for name, value in options.items())


@pytest.mark.parametrize("game", mhing.games())
def test_a_player_sees_the_table_that_it_would_see_in_process(tmp_path: Path, game: str) -> None:
    options, words = settled(game)
    others = ["greedy"] * (mhing.Game(game, **options).num_seats - 1)
    bot = Drawing()
    with Server(tmp_path) as server:
        bot.play(server.endpoint, game=game, options=words, bots=others, seed=5, games=2)
    env = gym.make(
        f"mhing:{mhing.environment_id(game)}", seat=0, opponents="greedy", render_mode="ansi",
        **options,
    )  # fmt: skip
    views = iter(bot.views)
    for seed in (5, 6):
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            assert next(views).words() == env.render()
            _, _, over, _, info = env.step(info["action_mask"].argmax())
    assert next(views, None) is None


def test_after_a_lost_connection_scores_are_not_known(tmp_path: Path) -> None:
    words = settled("mhing")[1]
    with Server(tmp_path) as server, Connection(server.endpoint) as connection:
        bot = Drawing(connection)
        bot.play(connection, options=words, bots=["greedy"] * 2, seed=5, games=2)
    numbers = [view.numbers for view in bot.views]
    lost = numbers.index(None)
    assert lost == 3
    again = next(place for place in range(lost, len(numbers)) if numbers[place] is not None)
    names = {event.id: event.name for event in bot.views[again].game.events}
    assert names[bot.views[again].tail[-1][1]] in ("deal", "flower", "discard")
    assert bot.views[again].numbers["rounds_over"] == 0
    assert None not in numbers[again:]


class Watched(First):
    """Lets a spectator look at the table while it is asked for the third time."""

    def __init__(self, connection: Connection) -> None:
        super().__init__()
        self.connection, self.seen = connection, list[render.View]()

    def act(self, turn: Turn) -> int | str:
        if len(self.turns) == 2:
            with Spectator(self.connection, "t") as spectator:
                assert said(spectator) == "state"
                self.seen.append(spectator.view)
        return super().act(turn)


def said(spectator: Spectator) -> str:
    """The kind of the next message."""
    message = spectator.listen(10)
    assert message is not None
    return str(message[0])


@pytest.mark.parametrize("game", mhing.games())
def test_a_spectator_sees_the_table_without_hands(tmp_path: Path, game: str) -> None:
    options, words = settled(game)
    env = gym.make(f"mhing:{mhing.environment_id(game)}", seat=0, opponents="greedy", **options)
    others = ["greedy"] * (env.unwrapped.game.num_seats - 1)
    with Server(tmp_path) as server, Connection(server.endpoint) as connection:
        bot = Watched(connection)
        bot.play(connection, table="t", game=game, options=words, bots=others, seed=5, games=2)
    env.reset(seed=5)
    for turn in bot.turns[:2]:
        *_, over, _, _ = env.step(turn.legal_actions[0])
        if over:
            env.reset(seed=6)
    state = env.unwrapped.state
    (view,) = bot.seen
    hidden = render.View(state.game, state.public_observation(), numbers=state.info())
    assert board_text(view) == board_text(hidden)
    assert view.words() == hidden.words()
    assert render.svg(view) == render.svg(hidden)
    assert board_text(view) != board_text(state)


def test_a_spectator_who_misses_changes_begins_afresh(tmp_path: Path) -> None:
    game = mhing.Game("mhing", num_players=2)
    with (
        Server(tmp_path) as server, Client(server.endpoint) as ann, Client(server.endpoint) as bob,
        Connection(server.endpoint) as connection, Spectator(connection, "t") as spectator,
    ):  # fmt: skip
        for client in (ann, bob):
            client.hello()
            client("sit", {"table": "t", "options": "num_players=2", "pause": 0, "seed": 48})
        state = game.new_state(48)
        assert said(spectator) == "state"
        for fate in ("heard", "lost", "after"):
            client, events = (ann, bob)[state.seat], len(public_events(state))
            while (message := client.receive()) and message[0] != "turn":
                pass
            assert message
            action = int(state.legal_actions()[0])
            client.send("act", message[1], action)
            state.apply(action)
            assert len(public_events(state)) > events
            if fate == "lost":  # what has happened, and the state after it
                for _ in range(2):
                    spectator.socket.recv_multipart()
            elif fate == "heard":
                assert said(spectator) == "events"
                assert said(spectator) == "state"
            else:
                assert said(spectator) == "state"
        assert spectator.view.tail == render.View(game, state.public_observation()).tail


def public_events(state: mhing.State) -> list[Any]:
    events: list[Any] = state.to_dict()["events"]
    return events


def test_numbers_are_missing_from_lost_messages_to_the_next_game() -> None:
    game = mhing.Game("mhing", num_players=2)
    observation = game.new_state(1).observation(1)
    memory = Memory(game)
    memory.start(1, {"rounds_over": 0})
    assert memory.view(observation).numbers == {"rounds_over": 0}
    memory.round({"rounds_over": 1})
    assert memory.view(observation).numbers == {"rounds_over": 1}
    memory.missed()
    memory.round({"rounds_over": 2})
    assert memory.view(observation).numbers is None
    memory.start(0, {"rounds_over": 0})
    assert memory.view(observation).numbers == {"rounds_over": 0}


class Line:
    """A connection that was made anew since its bot began to wait."""

    def __init__(self) -> None:
        self.hello, self.asked = dict[str, Any](), list[str]()

    def request(self, name: str) -> None:
        self.asked.append(name)


def test_a_bot_that_has_no_game_yet_survives_a_new_connection() -> None:
    line = Line()
    player = _Seat(First(), cast(Connection, line))
    line.hello = {}
    player.hear("error", 0, "hello", "say hello first")
    assert line.asked == ["ping"]


@pytest.mark.slow
def test_a_slow_spectator_goes_on_with_the_newest_state(tmp_path: Path) -> None:
    """Bots play for two who do not answer; few messages later the spectator has caught up."""
    with (
        Server(tmp_path) as server, Client(server.endpoint) as ann, Client(server.endpoint) as bob,
        Connection(server.endpoint) as connection, Spectator(connection, "t") as spectator,
    ):  # fmt: skip
        for client in (ann, bob):
            client.hello()
            client(
                "sit",
                {"table": "t", "options": "num_players=2", "clock": 50, "pause": 0, "games": 1000},
            )
        while (behind := connection.tables()[0]["number"]) < 20:
            time.sleep(0.05)
        for _ in range(250):  # half of the messages of 20 games
            spectator.listen(10)
        assert spectator.state["number"] >= behind
