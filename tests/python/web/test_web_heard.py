"""Messages of a server as a page shows them, heard from a stand-in for the server."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, cast

import pytest
from test_web_server import LIMIT, Page
from views import a_view

import mhing
from mhing import render
from mhing.remote import Connection
from mhing.render.view import View
from mhing.web.at_server import AtServer
from mhing.web.courier import Looker, Sitter, _Person
from mhing.web.updates import (
    _VIEWS,
    Asked,
    Began,
    Ended,
    Happened,
    Inbox,
    Refused,
    Seen,
    Trouble,
    Update,
)

REPLACED = "Your time is up: the server has played for you"


class Fake:
    """A courier that hears what the test puts in, and keeps what it is to say."""

    def __init__(self) -> None:
        self.game, self.table = mhing.Game("mhing", num_players=2), "fake"
        self.inbox = Inbox()
        self.said: list[tuple[int, int]] = []

    def start(self) -> None:
        """There is no thread."""

    stop = start

    def hear(self, *updates: Update) -> None:
        for one in updates:
            self.inbox.put(one)

    def answer(self, number: int, action: int) -> None:
        self.said.append((number, action))


def test_a_question_that_comes_again_is_not_asked_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn, scene = [], render.scene

    def draw(table: Any, **settings: Any) -> Any:
        drawn.append(table.asked)
        return scene(table, **settings)

    monkeypatch.setattr(render, "scene", draw)
    fake = Fake()
    page = Page(AtServer(cast(Sitter, fake), 0))
    state = fake.game.new_state(1)
    question = Asked(4, time.monotonic() + 60, (0, 1))
    start = {"number": 0, "games": 1, "players": ["ann", "bob"], "seeded": False, "seat": 0}
    fake.hear(Began(start), Seen(View(fake.game, state.observation(0), 0)), question)
    first = page.look()
    assert first["clock"] == 60
    fake.hear(replace(question, until=question.until - 0.2))
    assert page.look() is first
    question = replace(question, until=question.until - 30)
    fake.hear(question)
    first = page.look()
    assert first["clock"] == 30
    page.session.hello()
    fake.hear(Happened(((2, 0, 0, 0),)))
    assert page.look()["number"] == first["number"] + 1
    page.play(first)  # of the question that is still open
    assert fake.said == [(4, 0)]
    assert drawn[-1] == 0
    fake.hear(question, Happened(((1, 2, 4, 0),)))
    assert not page.look()["asked"]
    assert drawn[-1] is None
    fake.hear(replace(question, number=5))
    assert page.look()["asked"]
    fake.hear(Refused("too late"))
    assert page.look()["status"] == "The server has played for you: too late"
    fake.hear(Trouble("Nobody answers."))
    assert page.look()["status"] == "Nobody answers."
    fake.hear(Trouble(""))
    assert page.look()["status"] == "The server has played for you: too late"


@pytest.mark.parametrize("is_seen", [False, True])
def test_only_the_server_says_that_it_has_played(is_seen: bool) -> None:
    fake = Fake()
    page = Page(AtServer(cast(Sitter, fake), 0))
    state = fake.game.new_state(1)
    seen = Seen(View(fake.game, state.observation(0), 0))
    start = {"number": 0, "games": 1, "players": ["ann", "bob"], "seeded": False, "seat": 0}
    fake.hear(Began(start), seen, Asked(4, time.monotonic(), (0, 1)))
    assert page.look()["status"] == "Your time is up"
    fake.hear(seen)  # the same
    assert page.look()["status"] == "Your time is up"
    other = Seen(View(fake.game, fake.game.new_state(2).observation(0), 0))
    fake.hear(other if is_seen else Happened(((1, 2, 4, 0),)))
    assert page.look()["status"] == REPLACED
    assert page.views[-1]["log"].count(REPLACED) == 1


def asked(number: int, left: float) -> Asked:
    return Asked(number, time.monotonic() + left, (0, 1))


@pytest.mark.parametrize("left", [-1.0, 60.0])
def test_a_late_answer_is_said_when_the_server_has_gone_on_first(left: float) -> None:
    """Its next question, or the end, comes before the clock here has run out, or in one batch."""
    fake = Fake()
    page = Page(AtServer(cast(Sitter, fake), 0))
    start = {"number": 0, "games": 1, "players": ["ann", "bob"], "seeded": False, "seat": 0}
    fake.hear(Began(start), asked(4, left))
    if left > 0:
        page.look()
    fake.hear(Happened(((1, 2, 4, 0),)), asked(5, 60), Happened(((2, 2, 4, 0),)))
    view = page.look()
    assert view["asked"]
    assert view["log"].count(REPLACED) == 1
    page.play(view)
    fake.hear(asked(6, 60), asked(6, 60), Happened(((2, 2, 4, 0),)))
    assert page.look()["log"].count(REPLACED) == 1
    fake.hear(Ended({"returns": [1.0, 0.0], "over": True}))
    view = page.look()
    assert view["log"].count(REPLACED) == 2
    assert view["log"][-1].startswith("The game is over")


class FakeLine:
    """A connection on which the server answers `back` alone."""

    def __init__(self, state: mhing.State) -> None:
        self.hello, self.asked = dict[str, Any](), list[str]()
        self._state = state

    def request(self, name: str) -> list[Any]:
        self.asked.append(name)
        seen = self._state.observation(0).tobytes()
        return [{"seat": 0, "state": "playing", "observation": seen, "numbers": self.numbers()}]

    def numbers(self) -> dict[str, Any]:
        return dict(self._state.info())

    def check_layout(self, *_: str) -> None:
        """It is the same."""


def test_after_a_lost_line_the_numbers_are_asked_for() -> None:
    state = mhing.Game("mhing", num_players=2).new_state(1)
    line, heard = FakeLine(state), list[Any]()
    person = _Person(cast(Connection, line), lambda start: None, heard.append)
    person.set_game("mhing", "num_players=2", "")
    person.hear("start", 0, {"seat": 0})
    turn = [1000, state.observation(0).tobytes(), state.action_mask().tobytes(), []]
    person.hear("turn", 1, *turn)
    person.hear("turn", 2, *turn)
    assert line.asked == ["back"]
    line.hello = {}
    person.hear("turn", 3, *turn)
    assert line.asked == ["back", "back"]
    assert all(one.view.numbers for one in heard if isinstance(one, Seen))


def test_who_looks_on_sees_one_view_after_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mhing.web.at_server._PACE", 0.05)
    fake = Fake()
    page = Page(AtServer(cast(Looker, fake)))
    start = {"number": 0, "games": 1, "players": ["ann", "bob"], "seeded": False}
    views = [a_view(number) for number in range(2 * _VIEWS)]
    fake.hear(Began(start), *views[:_VIEWS])
    shown, limit = list[View](), time.monotonic() + LIMIT
    while len(shown) < _VIEWS and time.monotonic() < limit:
        page.look()
        if page.session._table_view not in [None, *shown]:
            shown.append(page.session._table_view)
    assert shown == [one.view for one in views[:_VIEWS]]
    fake.hear(*views[_VIEWS - 1 :])
    page.see(lambda _: page.session._table_view is not shown[-1])
    assert page.session._table_view is views[-1].view
