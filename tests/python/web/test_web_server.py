"""Tables of a server for pages: watched, played at, lost and taken up again."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
import zmq
from remote_bots import First
from server_process import Server, executable

import mhing
from mhing import render
from mhing._support.extras import install
from mhing.remote import Connection, Turn
from mhing.render.scene import Row
from mhing.web.at_server import AtServer, ServerTables
from mhing.words import called

LIMIT = 20.0  # seconds for whatever should happen soon
Shown = dict[str, Any]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with Server(tmp_path) as running:
        yield running


@pytest.fixture
def remote(server: Server) -> ServerTables:
    return ServerTables(server.endpoint)


class Page:
    """Keeps the views that a page would be sent, each once."""

    def __init__(self, session: AtServer) -> None:
        self.session = session
        self.views: list[Shown] = []
        self.look()

    def look(self) -> Shown:
        self.session.tick()
        view = self.session.view("wide")
        if not self.views or view != self.views[-1]:
            self.views.append(view)
        return view

    def see(self, is_so: Callable[[Shown], Any]) -> Shown:
        """Waits for a view."""
        limit = time.monotonic() + LIMIT
        while not is_so(view := self.look()):
            assert time.monotonic() < limit, view["status"]
            time.sleep(0.005)
        return view

    def ask(self, **request: Any) -> None:
        self.session.do(request)

    def play(self, view: Shown, place: int = 0) -> None:
        self.ask(do="play", number=view["number"], action=view["moves"][place]["action"])

    def finish(self) -> None:
        """Plays to the end of the series, and waits until all was heard.

        It begins when the first update of what all see has come: programs play faster.
        """
        self.see(lambda _: self.session._courier._spectator.state)
        while not (view := self.see(asked_or_over))["over"]:
            self.play(view)
        self.see(lambda _: self.session.due() is None)

    def statuses(self) -> list[str]:
        return [view["status"] for view in self.views]


Open = Callable[[AtServer], Page]


@pytest.fixture
def pages() -> Iterator[Open]:
    """Makes pages, whose sessions are closed in the end."""
    opened: list[Page] = []

    def open_page(session: AtServer) -> Page:
        opened.append(Page(session))
        return opened[-1]

    yield open_page
    for page in opened:
        page.session.close()
        page.see(lambda _, page=page: page.session.due() is None)


def asked_or_over(view: Shown) -> bool:
    return bool(view["asked"] or view["over"])


def is_asked(view: Shown) -> bool:
    return bool(view["asked"])


def rows_of(view: Shown) -> list[Row]:
    rows: list[Row] = view["frame"]["rows"]
    return rows


def run(work: Callable[..., Any], *arguments: Any, **keywords: Any) -> threading.Thread:
    thread = threading.Thread(target=work, args=arguments, kwargs=keywords)
    thread.start()
    return thread


# ---- Seats -------------------------------------------------------------------------------------


def frames_in_process(game: str, seed: int, player: str = "you") -> list[list[Row]]:
    """The pictures for seat 0 at its decisions, and at the end, where all cards lie open."""
    names = called([player, *["greedy"] * (mhing.Game(game).num_seats - 1)])
    env = gym.make(f"mhing:{mhing.environment_id(game)}", seat=0, opponents="greedy")
    _, info = env.reset(seed=seed)
    over, frames = False, []
    while not over:
        frames.append(render.scene(env.unwrapped.state, 0, names=names, log=False).rows())
        *_, over, _, info = env.step(int(info["action_mask"].argmax()))
    return [*frames, render.scene(env.unwrapped.state, names=names, log=False).rows()]


def decisions(page: Page) -> list[list[Row]]:
    """The pictures of all decisions, and the last picture."""
    frames = [rows_of(view) for view in page.views if view["asked"]]
    return [frame for frame, _ in groupby(frames)] + [rows_of(page.views[-1])]


@pytest.mark.parametrize("game", mhing.games())
def test_a_seat_sees_what_it_would_see_in_process(
    remote: ServerTables, pages: Open, game: str
) -> None:
    others = ["greedy"] * (mhing.Game(game).num_seats - 1)
    page = pages(remote.sit({"game": game, "bots": others, "seed": 5, "name": "ann"}))
    page.finish()
    assert decisions(page) == frames_in_process(game, 5)
    last = page.views[-1]
    assert last["players"][0]["name"] == "you"
    assert last["log"][-1].startswith("The game is over: you ")
    assert last["result"]
    assert "seed" in last["log"][0]
    for one, other in pairwise(page.views):  # nothing is sent that shows nothing new
        assert {**one, "number": 0} != {**other, "number": 0}


def test_an_end_is_followed_by_itself_and_heard_once(
    remote: ServerTables, pages: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may come while a look at the table is under way, after which the server repeats it."""
    listen = Connection.listen
    is_deaf = threading.Event()

    def only_before_a_look(self: Connection, seconds: float, *others: Any) -> list[Any] | None:
        if not is_deaf.is_set():
            return listen(self, seconds, *others)
        return time.sleep(0.01) if others else listen(self, 0.05)

    monkeypatch.setattr(Connection, "listen", only_before_a_look)
    page = pages(remote.sit({"game": "mhing", "bots": ["greedy"] * 3, "seed": 5, "name": "ann"}))
    page.see(is_asked)
    is_deaf.set()
    page.finish()
    assert [line.startswith("The game is over") for line in page.views[-1]["log"]].count(True) == 1


def test_who_waits_sees_what_others_do(server: Server, pages: Open) -> None:
    remote = ServerTables(server.endpoint)  # nobody can claim the first discard of seed 1
    terms = {"table": "two", "options": "num_players=2", "clock": 60_000, "pause": 0, "seed": 1}
    ann = pages(remote.sit({**terms, "name": "ann"}))
    assert ann.see(lambda view: view["players"])["status"] == "Waiting for 1 more player"
    bob = pages(remote.sit({**terms, "name": "you"}))
    first, second = (ann, bob) if asked_of(ann, bob) is ann else (bob, ann)
    before = first.see(is_asked)
    first.play(before)
    after = first.see(lambda view: rows_of(view) != rows_of(before))
    assert not after["asked"]
    second.see(is_asked)
    assert {player["name"] for player in ann.views[-1]["players"]} == {"you", "'you'"}


def asked_of(*pages: Page) -> Page:
    """The one that is asked."""
    limit = time.monotonic() + LIMIT
    while True:
        for page in pages:
            if page.look()["asked"]:
                return page
        assert time.monotonic() < limit
        time.sleep(0.005)


@pytest.mark.slow
def test_late_answers_and_a_bot_that_plays_on(remote: ServerTables, pages: Open) -> None:
    terms = {"bots": ["random"] * 3, "clock": 500, "games": 50, "seed": 2}
    page = pages(remote.sit(terms))
    view = page.see(is_asked)
    away = page.see(lambda view: "back" in view["can"])
    assert "plays for you" in away["status"]
    with pytest.raises(ValueError, match="cannot be done now"):
        page.play(view)
    page.ask(do="back")
    view = page.see(is_asked)
    assert view["can"] == ["stand"]
    with pytest.raises(ValueError, match="the table has changed"):
        page.ask(do="play", number=0, action=view["moves"][0]["action"])
    with pytest.raises(ValueError, match="not legal"):
        page.ask(do="play", number=view["number"], action=10_000)


def test_who_leaves_is_replaced(remote: ServerTables, pages: Open) -> None:
    terms = {"table": "two", "options": "num_players=2", "clock": 60_000, "pause": 0}
    ann, bob = (pages(remote.sit({**terms, "name": name})) for name in ("ann", "bob"))
    leaver = asked_of(ann, bob)
    leaver.ask(do="stand")
    assert leaver.see(lambda view: view["over"])["status"] == "You have left the table"
    stayer = bob if leaver is ann else ann
    stayer.finish()
    assert stayer.views[-1]["status"] == "The game is over"


class Slow(First):
    """Takes longer than the silence after which a server is asked for a sign of life."""

    def act(self, turn: Turn) -> int | str:
        threading.Event().wait(0.1)
        return super().act(turn)


@pytest.mark.slow
def test_who_is_away_stays_away_until_they_say_so(
    remote: ServerTables, server: Server, pages: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any request would end it, so nothing may be asked meanwhile."""
    monkeypatch.setattr("mhing.web.courier._IDLE", 0.03)
    terms = {"table": "two", "options": "num_players=2", "clock": 1000, "pause": 0, "seed": 3}
    page = pages(remote.sit(terms))
    thread = run(Slow().play, server.endpoint, table="two")
    page.see(lambda view: "back" in view["can"])
    after = len(page.views)
    page.see(lambda view: view["over"])
    thread.join()
    assert not any(view["asked"] for view in page.views[after:])
    assert len(page.views) > after + 3  # the table is shown all the while


# ---- Spectators --------------------------------------------------------------------------------


class Held(First):
    """Waits until somebody looks on."""

    def __init__(self) -> None:
        super().__init__()
        self.watched = threading.Event()

    def act(self, turn: Turn) -> int | str:
        assert self.watched.wait(LIMIT)
        return super().act(turn)


@pytest.mark.slow
@pytest.mark.parametrize("game", mhing.games())
def test_bots_are_watched(remote: ServerTables, server: Server, pages: Open, game: str) -> None:
    bot = Held()  # the first question of seed 6 is asked in every world
    others = ["greedy"] * (mhing.Game(game).num_seats - 1)
    thread = run(bot.play, server.endpoint, table="t", game=game, bots=others, seed=6)
    while not remote.tables({})["tables"]:
        assert thread.is_alive()
        time.sleep(0.005)
    page = pages(remote.watch({"table": "t"}))
    view = page.see(lambda _: page.session._table_view)
    env = gym.make(f"mhing:{mhing.environment_id(game)}", seat=0, opponents="greedy")
    env.reset(seed=6)
    state = env.unwrapped.state
    seen = page.session._table_view
    assert seen is not None
    assert seen.observation.tobytes() == state.public_observation().tobytes()
    names = [player["name"] for player in view["players"]]
    public = replace(seen, numbers=state.info())
    assert rows_of(view) == render.scene(public, names=names, log=False).rows()
    assert not view["moves"]
    assert not view["can"]
    bot.watched.set()
    page.see(lambda _: page.session.due() is None)
    thread.join()
    assert rows_of(page.views[-1]) == frames_in_process(game, 6, "first")[-1]
    assert page.views[-1]["players"][0]["name"] == "first"
    env.close()


# ---- Lines that are cut ------------------------------------------------------------------------


def test_a_cut_line_is_taken_up_again(remote: ServerTables, pages: Open) -> None:
    page = pages(remote.sit({"bots": ["greedy"] * 3, "seed": 5, "clock": 60_000}))
    page.see(is_asked)
    courier = page.session._courier
    courier._ask(courier._connection._line.cut)
    page.finish()
    assert decisions(page) == frames_in_process("mhing", 5)


def test_a_server_that_was_killed_goes_on_with_the_game(tmp_path: Path, pages: Open) -> None:
    with Server(tmp_path, "--state", str(tmp_path / "state")) as server:
        remote = ServerTables(server.endpoint)
        page = pages(remote.sit({"bots": ["greedy"] * 3, "seed": 5, "clock": 60_000}))
        page.play(page.see(is_asked))
        page.see(is_asked)
        server.kill()
        page.session._courier._spectator.state = {}  # until it has heard the new server
        server.start()
        page.finish()
    assert decisions(page) == frames_in_process("mhing", 5)


@pytest.mark.slow
def test_a_server_that_is_gone_is_asked_again_until_it_is_another(
    tmp_path: Path, pages: Open
) -> None:
    with Server(tmp_path) as server:
        page = pages(ServerTables(server.endpoint).sit({"bots": ["greedy"] * 3, "clock": 60_000}))
        page.see(is_asked)
        page.session._courier._connection.timeout = 0.2
        server.kill()
        page.see(lambda view: view["status"].startswith("The server does not answer."))
        server.start()
        page.see(
            lambda view: view["status"].startswith("The table is lost: its server was started")
        )
    assert page.session.due() is None


def test_a_server_that_asks_for_keys(tmp_path: Path, pages: Open) -> None:
    public, secret = (key.decode() for key in zmq.curve_keypair())
    pair = subprocess.run([executable(), "--keygen"], capture_output=True, text=True, check=True)
    lines = dict(line.split(" ", 1) for line in pair.stdout.splitlines())
    keys, allow = tmp_path / "keys", tmp_path / "allow"
    keys.touch(0o600)
    keys.write_text(pair.stdout)
    allow.write_text(f"{public}\n")
    options = ("--curve-secret", str(keys), "--allow", str(allow))
    with Server(tmp_path, *options, endpoint="tcp://0.0.0.0:*") as server:
        remote = ServerTables(
            server.endpoint.replace("0.0.0.0", "127.0.0.1"), lines["public"], secret
        )
        page = pages(remote.sit({"table": "t", "bots": ["greedy"] * 3, "seed": 5}))
        assert remote.tables({})["tables"][0]["table"] == "t"
        page.finish()
        assert decisions(page) == frames_in_process("mhing", 5)


# ---- What cannot be ----------------------------------------------------------------------------


def test_mistakes_are_one_line(remote: ServerTables, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patience:
        patience.setattr("mhing.web.at_server._PATIENCE", 0.1)
        with pytest.raises(ValueError, match=r"no answer in 3 times 0\.1 seconds; is a server"):
            ServerTables("tcp://127.0.0.1:1").tables({})
    with pytest.raises(ValueError, match="write tcp://HOST:PORT"):
        ServerTables().tables({"server": "nonsense"})
    with pytest.raises(ValueError, match="server: give its address"):
        ServerTables().watch({"table": "t"})
    with pytest.raises(ValueError, match="give both, or neither"):
        ServerTables("tcp://127.0.0.1:1", "k" * 40)
    with pytest.raises(ValueError, match="by --server"):
        ServerTables(None, "k" * 40, "k" * 40)
    with pytest.raises(ValueError, match="table: none has been closed"):
        remote.watch({"table": "none"})
    with pytest.raises(ValueError, match="seat"):
        remote.sit({"bots": ["greedy"] * 3, "seat": 7})
    with pytest.raises(ValueError, match="seat: True does not fit"):
        remote.sit({"seat": True})


def test_a_full_table(remote: ServerTables, pages: Open) -> None:
    pages(remote.sit({"table": "full", "bots": ["greedy"] * 3, "clock": 60_000}))
    with pytest.raises(ValueError, match="no seat is free"):
        remote.sit({"table": "full"})
    (table,) = remote.tables({})["tables"]
    assert (table["table"], table["free"], table["state"]) == ("full", 0, "playing")
    assert table["clock"] == 60_000


@pytest.mark.slow
def test_a_missing_extra_is_named() -> None:
    code = """
import sys
sys.modules["zmq"] = None
from mhing.web.at_server import ServerTables
try:
    ServerTables("tcp://127.0.0.1:1").tables({})
except ValueError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert install("server") in done.stdout


@pytest.mark.parametrize("sits", [True, False], ids=["a player", "a spectator"])
def test_a_player_who_has_left_is_named(server: Server, pages: Open, sits: bool) -> None:
    """Its bot may have died: the others read once that the server plays for it."""
    remote = ServerTables(server.endpoint)
    terms = {"table": "left", "bots": ["greedy"], "clock": 60_000}
    with mhing.connect(server.endpoint, client="bob") as bob:
        bob.request("sit", terms)
        page = pages(remote.sit({"table": "left", "name": "ann"}))
        other = pages(remote.sit({"table": "left", "name": "eve"}))
        shown = page if sits else pages(remote.watch({"table": "left"}))
        other.see(lambda view: bool(view["log"]))
        bob.request("stand")
        view = shown.see(lambda view: any("bob" in line and "left" in line for line in view["log"]))
    assert [line for line in view["log"] if "left" in line] == ["bob has left: a bot plays there"]
