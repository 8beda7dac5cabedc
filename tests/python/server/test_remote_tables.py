"""Bots at a server's tables: the base class, and what goes wrong."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from every_game import GAMES_OF_TWO
from options import known
from remote_bots import GREEDY, First
from server_process import Client, Server

import mhing
from mhing.remote import Bot, Connection, Spectator, Turn


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture
def endpoint(server: Server) -> str:
    return server.endpoint


class Cutting(First):
    """Loses its connection at every turn, before or after its answer."""

    def __init__(self, connection: Connection) -> None:
        super().__init__()
        self.connection = connection

    def act(self, turn: Turn) -> int | str:
        if len(self.turns) % 2:
            self.connection._line.cut()
        else:
            self.connection.say("act", turn.number, turn.legal_actions[0])
            self.connection._line.cut()
        return super().act(turn)


# ---- Games ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", mhing.games())
@pytest.mark.parametrize("episode", ["round", "game"])
def test_a_seeded_game_is_the_one_in_process(endpoint: str, game: str, episode: str) -> None:
    others = [mhing.Game(game).default_bot] * (mhing.Game(game).num_seats - 1)
    options = known(game, episode=episode)
    words = " ".join(f"{name}={value}" for name, value in options.items())
    bot = First()
    end = bot.play(endpoint, game=game, options=words, bots=others, seed=5)
    env = gym.make(f"mhing:{mhing.environment_id(game)}", seat=0, **options)
    observation, info = env.reset(seed=5)
    earned = 0.0
    for turn in bot.turns:
        assert np.array_equal(turn.observation, observation)
        assert np.array_equal(turn.mask, info["action_mask"])
        observation, reward, over, _, info = env.step(turn.legal_actions[0])
        earned += float(reward)
    assert over
    assert end["returns"][0] == pytest.approx(earned)
    assert end["seeds"] == [5]
    assert [total["name"] for total in end["totals"]] == ["first", *others]
    assert bot.heard[0][1]["players"] == ["first", *others]
    assert bot.heard[-1] == ("end", end)
    assert bot.kinds()[:1] + bot.kinds()[-2:] == ["start", "round", "end"]


@pytest.mark.parametrize("game", mhing.games())
def test_totals_add_up_what_rounds_brought(endpoint: str, game: str) -> None:
    """By the roles that the game gives its public numbers: wins, and each number with "total"."""
    rules = mhing.Game(game)
    bot = First()
    end = bot.play(endpoint, game=game, bots=["greedy"] * (rules.num_seats - 1), seed=5, games=3)
    rounds = [numbers for kind, numbers in bot.heard if kind == "round"]
    winner = [row.name for row in rules.info_role("winner")]
    for seat, total in enumerate(end["totals"]):
        won = [[numbers[name] for name in winner] == [seat] for numbers in rounds]
        expected = {"name": total["name"], "games": 3, "wins": sum(won)}
        for row in rules.info_role("total"):
            brought = [numbers[row.name] for numbers in rounds]
            if row.per_seat:
                expected[row.name] = sum(each[seat] for each in brought)
            else:
                expected[row.name] = sum(
                    one for one, mine in zip(brought, won, strict=True) if mine
                )
        own = ("missed", "substituted", "substituted_rounds", "substituted_games")
        given = {"returns": total["returns"]} | (dict.fromkeys(own, 0) if seat == 0 else {})
        assert total == expected | given
        assert list(total) == [*expected, *given]


def test_turns_tell_what_the_seat_may_know(endpoint: str) -> None:
    bot = First()
    bot.play(endpoint, options="num_players=2", bots=["random"], seed=1, games=3)
    assert bot.game == mhing.Game("mhing", num_players=2)
    assert bot.kinds().count("start") == bot.kinds().count("end") == 3
    for turn in bot.turns:
        assert turn.fields["hand"].sum() in (1, 2, 4, 5, 7, 8, 10, 11, 13, 14)
        assert list(turn.texts.values()) == turn.legal_actions
        assert turn.texts == {bot.game.action_text(a): a for a in turn.legal_actions}
        assert 0 < turn.left <= 10_000
        tail = turn.fields["event_seat"][-len(turn.events) :] if turn.events else []
        assert [event[0] for event in turn.events][-32:] == list(tail)


def test_bots_play_each_other(endpoint: str) -> None:
    """Two that find each other by their terms, with deals played in both rotations."""
    terms = {"options": "num_players=2", "games": 4, "duplicate": True, "pause": 0}
    ends: dict[str, Any] = {}

    def play(name: str) -> None:
        ends[name] = First(name).play(endpoint, **terms)

    threads = [threading.Thread(target=play, args=(name,)) for name in ("ann", "bob")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    ann, bob = (ends[name]["totals"] for name in ("ann", "bob"))
    for one, other in zip(ann, bob, strict=True):  # each also counts its own misses
        assert {**one, **other, "missed": 0} == {**other, **one, "missed": 0}
        assert one.keys() != other.keys()
    assert {total["name"] for total in ends["ann"]["totals"]} == {"ann", "bob"}
    seeds = ends["ann"]["seeds"]
    assert seeds[0] == seeds[1] != seeds[2] == seeds[3]


def test_a_table_by_name(endpoint: str) -> None:
    waiting = threading.Event()
    ends = []

    class Waiting(First):
        def started(self, start: dict[str, Any]) -> None:
            assert start["table"] == "ours"
            super().started(start)

    def sit() -> None:
        with mhing.connect(endpoint, timeout=1) as connection:
            waiting.set()
            ends.append(
                Waiting().play(connection, table="ours", options="num_players=3", seat=2, pause=0)
            )

    thread = threading.Thread(target=sit)
    thread.start()
    waiting.wait(10)
    with mhing.connect(endpoint) as connection:
        while not (tables := connection.tables()):
            time.sleep(0.01)
        assert tables[0]["table"] == "ours"
        assert tables[0]["free"] == 2
        with pytest.raises(RuntimeError, match="seat"):
            First().play(connection, table="ours", seat=2)
        with pytest.raises(RuntimeError, match="games"):
            First().play(connection, table="ours", games=7)
    others = [
        threading.Thread(target=First().play, args=(endpoint,), kwargs={"table": "ours"})
        for _ in range(2)
    ]
    for other in others:
        other.start()
    for each in (thread, *others):
        each.join(30)
    assert ends[0]["over"]


def test_texts_are_answers_too(endpoint: str) -> None:
    class Texts(First):
        def act(self, turn: Turn) -> str:
            self.turns.append(turn)
            return next(iter(turn.texts))

    by_text, by_id = Texts(), First()
    ends = [bot.play(endpoint, bots=GREEDY, seed=8) for bot in (by_text, by_id)]
    assert ends[0]["returns"] == ends[1]["returns"]
    assert len(by_text.turns) == len(by_id.turns)


# ---- What goes wrong -----------------------------------------------------------------------------


def test_a_lost_connection_loses_nothing(endpoint: str) -> None:
    calm = First()
    expected = calm.play(endpoint, bots=GREEDY, seed=11, games=2)
    with mhing.connect(endpoint, timeout=2) as connection:
        cut = Cutting(connection)
        found = cut.play(connection, bots=GREEDY, seed=11, games=2)
    assert [t.observation.tolist() for t in cut.turns] == [
        t.observation.tolist() for t in calm.turns
    ]
    assert found["returns"] == expected["returns"]


class Person(Client):
    """A client that keeps its last question."""

    turn = 0

    def reply(self, name: str) -> Any:
        """The first result of a request, whatever the table says meanwhile."""
        self.seq += 1
        self.send(name, self.seq)
        while (message := self.hear())[0] != "ok":
            assert message[0] != "error", message
        return message[2] if message[2:] else None

    def hear(self) -> list[Any]:
        message = self.receive()
        assert message is not None
        if message[0] == "turn":
            self.turn = message[1]
        return message


@pytest.mark.parametrize("game", GAMES_OF_TWO)
def test_who_waits_sees_what_the_others_do_and_nothing_else(endpoint: str, game: str) -> None:
    state = settled = mhing.Game(game, num_players=2).new_state(8)
    terms = {"table": game, "game": game, "options": "num_players=2", "pause": 0, "seed": 8}
    with Person(endpoint) as ann, Person(endpoint) as bob:
        for person in (ann, bob):
            person.hello()
        assert ann("sit", terms)[0] == "ok"
        assert "observation" not in ann.reply("back")
        assert bob("sit", terms)[0] == "ok"
        while bob.hear()[0] != "start":
            pass
        secret, asked = 0, [0, 0]
        while True:
            settled = state.clone() if state.is_settled else settled
            secret += not state.is_settled
            person = (ann, bob)[state.seat]
            if not state.is_terminal:
                asked[state.seat] += 1
                while person.turn < asked[state.seat]:
                    person.hear()
            for seat, one in enumerate((ann, bob)):
                seen = one.reply("back")
                assert seen["seat"] == seat
                known = state if seat == state.seat else settled
                assert seen["observation"] == known.observation(seat).tobytes()
                assert seen["numbers"] == plain(state.info())
            if state.is_terminal:
                break
            action = int(state.legal_actions()[-1])
            person.send("act", person.turn, action)
            person.reply("ping")  # the answer has come as well
            state.apply(action)
        assert seen["state"] == "over"
        assert (secret > 0) == (game in ("mhing", "general_mhing"))


def plain(numbers: dict[str, Any]) -> dict[str, Any]:
    return {name: np.asarray(number).tolist() for name, number in numbers.items()}


def test_a_hello_leaves_what_it_does_not_name(endpoint: str) -> None:
    with Client(endpoint) as client:
        client.hello(observations="fields", actions="texts", client="Ann")
        client("sit", {"table": "kept", "bots": ["greedy"] * 3, "seed": 7})
        questions = []
        for _ in range(2):
            while (message := client.receive()) is not None and message[0] != "turn":
                assert message[0] != "start" or message[2]["players"][0] == "Ann"
            assert message is not None
            questions.append(message)
            client.close()
            client.connect()
            assert client.hello()[0] == "ok"
        assert isinstance(questions[0][3], dict)
        assert isinstance(questions[0][4][0], str)
        assert questions[0][3:] == questions[1][3:]


def test_a_chosen_seed_is_announced(endpoint: str) -> None:
    """The seed reveals the cards, so all players are told that somebody gave it."""
    with mhing.connect(endpoint) as one, mhing.connect(endpoint) as two:
        one.request("sit", {"table": "open", "options": "num_players=3", "seed": 5})
        two.request("sit", {"table": "free", "options": "num_players=3"})
        heard = {table["table"]: table["seeded"] for table in two.tables()}
        assert heard["open"] is True
        assert heard["free"] is False


def test_those_who_stay_hear_who_has_left(endpoint: str) -> None:
    """In all messages with the players; before, the key is not there."""
    seat = {"table": "parted", "bots": ["greedy"], "options": "num_players=4", "clock": 60_000}
    with (
        mhing.connect(endpoint) as one,
        mhing.connect(endpoint) as two,
        mhing.connect(endpoint) as watcher,
    ):
        one.request("sit", {**seat, "seat": 0})
        two.request("sit", {**seat, "seat": 1})
        three = mhing.connect(endpoint)
        with three:
            three.request("sit", {**seat, "seat": 2})
            spectator = Spectator(watcher, "parted")
            while not spectator.state:
                assert spectator.listen(5) is not None
            assert "left" not in one.request("back")[0]
            assert "left" not in spectator.state
        (listed,) = (row for row in two.tables() if row["table"] == "parted")
        assert listed["left"] == [2]
        assert one.request("back")[0]["left"] == [2]
        while "left" not in spectator.state:
            assert spectator.listen(5) is not None
        assert spectator.state["left"] == [2]
        one.request("stand")
        assert two.request("back")[0]["left"] == [0, 2]
        spectator.close()


def test_a_table_that_is_over_keeps_its_end_where_a_new_one_is_refused(endpoint: str) -> None:
    with mhing.connect(endpoint) as one, mhing.connect(endpoint) as two:
        First().play(one, table="again", bots=["greedy"] * 3)
        with pytest.raises(ValueError, match="games"):
            two.request("sit", {"table": "again", "games": 0})
        assert one.request("back")[0]["state"] == "over"
        two.request("sit", {"table": "again"})
        with pytest.raises(RuntimeError, match="seat"):
            one.request("back")


@pytest.mark.slow
def test_a_killed_server_goes_on_with_the_game(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    expected: list[Any] = []
    with Server(tmp_path) as server:
        expected.append(First().play(server.endpoint, bots=GREEDY, seed=4, games=3)["totals"])

    class Slow(First):
        def act(self, turn: Turn) -> int | str:
            time.sleep(0.02)
            return super().act(turn)

    found: list[Any] = []
    bot = Slow()

    def play(endpoint: str) -> None:
        with mhing.connect(endpoint, timeout=1) as connection:
            found.append(bot.play(connection, bots=GREEDY, seed=4, games=3, name="first"))

    with Server(tmp_path, "--state", str(state)) as server:
        thread = threading.Thread(target=play, args=(server.endpoint,))
        thread.start()
        while len(bot.turns) < 5:
            time.sleep(0.01)
        server.kill()
    with Server(tmp_path, "--state", str(state)):
        thread.join(30)
    assert [end["totals"] for end in found] == expected


@pytest.mark.slow
@pytest.mark.parametrize("when", [0.0, 0.02])
def test_a_restart_costs_no_answer_however_short_the_clock(tmp_path: Path, when: float) -> None:
    """Killed while the bot thinks, or some time later; it is back after several times its clock."""

    class Short(First):
        def act(self, turn: Turn) -> int | str:
            if len(self.turns) in (3, 9):
                for thread in threads:
                    thread.join()
                threads.append(threading.Thread(target=restart))
                threads[-1].start()
                if when == 0:
                    killed.wait()
            return super().act(turn)

    def restart() -> None:
        time.sleep(when)
        server.kill()
        killed.set()
        time.sleep(0.5)
        server.start()

    killed = threading.Event()
    threads: list[threading.Thread] = []
    bot = Short()
    with Server(tmp_path, "--state", str(tmp_path / "state")) as server:
        with mhing.connect(server.endpoint, timeout=1) as connection:
            end = bot.play(connection, bots=GREEDY, seed=4, games=3, clock=200)
        for thread in threads:
            thread.join()
    assert len(threads) == 2
    assert end["totals"][0]["missed"] == 0
    assert "refused" not in bot.kinds()


def test_a_bot_whose_session_is_somebody_elses(endpoint: str) -> None:
    class TakenOver(First):
        def act(self, turn: Turn) -> int | str:
            if len(self.turns) == 3:
                thieves.append(mhing.connect(endpoint, token=connection.token))
            return super().act(turn)

    thieves: list[mhing.Connection] = []
    with (
        mhing.connect(endpoint) as connection,
        pytest.raises(ConnectionError, match="another connection"),
    ):
        TakenOver().play(connection, bots=GREEDY, seed=4, games=3)
    thieves[0].close()


def test_a_server_that_was_started_anew_is_greeted_at_once(tmp_path: Path) -> None:
    """It does not know the connection, and tells so; nothing is missed meanwhile."""

    class Watching(First):
        def act(self, turn: Turn) -> int | str:
            if len(self.turns) == 3:
                server.kill()
                server.start()
            return super().act(turn)

    bot = Watching()
    with Server(tmp_path, "--state", str(tmp_path / "state")) as server:
        end = bot.play(server.endpoint, bots=GREEDY, seed=4, games=3, clock=3000)
    assert end["totals"][0]["missed"] == 0
    assert "refused" not in bot.kinds()


def test_illegal_answers_are_refused_and_replaced(
    endpoint: str, caplog: pytest.LogCaptureFixture
) -> None:
    class Wrong(First):
        def act(self, turn: Turn) -> int | str:
            return "win" if len(self.turns) % 2 else super().act(turn)

        def refused(self, code: str, text: str) -> None:
            self.turns.append(self.turns[0])
            super().refused(code, text)

    bot = Wrong()
    with caplog.at_level(logging.WARNING):
        end = bot.play(endpoint, bots=GREEDY, seed=2)
    assert set(bot.kinds()) == {"start", "refused", "round", "end"}
    assert end["totals"][0]["missed"] == bot.kinds().count("refused") > 0
    assert "win" in caplog.text


@pytest.mark.slow
def test_late_answers_count_and_who_is_away_comes_back(endpoint: str) -> None:
    class Sleepy(First):
        def act(self, turn: Turn) -> int | str:
            if 1 <= len(self.turns) <= 3:
                time.sleep(0.12)
            return super().act(turn)

    class Steady(First):
        """Gives the other one time to come back before the games are over."""

        def act(self, turn: Turn) -> int | str:
            time.sleep(0.01)
            return super().act(turn)

    sleepy, steady = Sleepy(), Steady("steady")
    terms = {"bots": GREEDY[:2], "seed": 6, "clock": 100, "games": 5, "table": "slow"}
    thread = threading.Thread(target=steady.play, args=(endpoint,), kwargs=terms)
    thread.start()
    end = sleepy.play(endpoint, **terms)
    thread.join(10)
    (own,) = [total for total in end["totals"] if total["name"] == "first"]
    missed = own["missed"]
    assert ("refused", "late") in sleepy.heard
    assert missed >= 3
    assert len(sleepy.turns) > 5, "it has played again"


def test_errors_of_bots_are_theirs(endpoint: str) -> None:
    with pytest.raises(NotImplementedError):
        Bot().play(endpoint, bots=GREEDY, seed=1)
    with pytest.raises(ValueError, match="bots"):
        First().play(endpoint, bots=["clever"])
    with pytest.raises(ValueError, match="clock"):
        First().play(endpoint, bots=GREEDY, clock=1)
    with pytest.raises(ValueError, match="num_players"):
        First().play(endpoint, options="num_players=9")
