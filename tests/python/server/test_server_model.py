"""The server keeps what the protocol promises, whatever clients, connections and kills do to it.

Hypothesis invents the story: connections come and go, several speak for one session, requests are
sent again, ahead and with other bytes, and the server is killed in the middle. session_model.py
tells what must be answered. Nothing is executed twice or lost, what is sent again is answered with
the same bytes, and nobody hears what is meant for another connection.

MHING_MODEL_EXAMPLES=10000 makes it long, with new stories each time: for an hour before a release.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections import deque
from pathlib import Path
from typing import Any

import msgpack
import pytest
import zmq
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from server_process import Server
from session_model import QUIET, Reply, Seat, Session

EXAMPLES, STEPS = 40, 30
PATIENCE = 20_000  # milliseconds for a message that must come
AHEAD = 1 << 40  # a number that no request has
CONNECTIONS = 4
OF_TURNS = ("turn", "late", "illegal")

picks = st.integers(0, 11)
salts = st.integers(0, 10_000)
windows = st.none() | st.integers(1, 6)
requests = st.tuples(st.sampled_from(QUIET), picks, salts)
bursts = st.lists(requests, min_size=1, max_size=8)


class Connection:
    """A DEALER socket. What the server says unasked is kept apart from replies."""

    made = 0

    def __init__(self, endpoint: str) -> None:
        Connection.made += 1
        self.number = Connection.made
        self.session: Session | None = None
        self.is_taken_over = False
        self.heard: deque[list[Any]] = deque()
        self.socket = zmq.Context.instance().socket(zmq.DEALER)
        self.socket.linger = 0
        self.socket.reconnect_ivl = 10
        self.socket.connect(endpoint)

    def send(self, *data: bytes) -> None:
        for each in data:
            self.socket.send(each)

    def ask(self, *message: Any) -> list[Any]:
        self.send(msgpack.packb(message))
        reply: list[Any] = msgpack.unpackb(self.reply())
        return reply

    def reply(self) -> bytes:
        """The next reply."""
        while True:
            data = self._next()
            message = msgpack.unpackb(data)
            is_reply = message[0] == "ok" or (message[0] == "error" and message[2] not in OF_TURNS)
            if is_reply:
                return data
            self.heard.append(message)

    def hear(self) -> list[Any]:
        """The next message that is no reply."""
        message: list[Any] = self.heard.popleft() if self.heard else msgpack.unpackb(self._next())
        return message

    def _next(self) -> bytes:
        assert self.socket.poll(PATIENCE), "the server says nothing"
        data: bytes = self.socket.recv()
        return data

    def check_quiet(self) -> None:
        """Nothing has come that was not expected: the answer to a malformed message is the next."""
        self.send(b"\xc1")
        message = msgpack.unpackb(self._next())
        assert message[:3] == ["error", 0, "message"], message
        assert not self.heard

    def stranger_code(self) -> str:
        """The error for one who has no session."""
        return "session" if self.is_taken_over else "hello"


class Machine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="mhing-model-"))
        self.server = Server(self.folder, "--state", str(self.folder / "state"))
        self.connections: list[Connection] = []
        self.sessions: list[Session] = []
        self.tables = 0

    def teardown(self) -> None:
        try:
            for connection in self.connections:
                connection.socket.close()
            self.server.stop()
        finally:
            if self.server.process.returncode is None:
                self.server.kill()
            shutil.rmtree(self.folder)

    # ---- Connections and sessions ------------------------------------------------------------

    @initialize(window=windows)
    def begin(self, window: int | None) -> None:
        self.greet(self._connect(), None, window)

    def _connect(self) -> Connection:
        connection = Connection(self.server.endpoint)
        self.connections.append(connection)
        # Once this is answered, the server knows it as newer than all others.
        assert connection.ask("ping", 1)[:3] == ["error", 1, "hello"]
        return connection

    def _close(self, connection: Connection) -> None:
        self.connections.remove(connection)
        connection.socket.close()

    @precondition(lambda self: len(self.connections) < CONNECTIONS)
    @rule()
    def connect(self) -> None:
        self._connect()

    @precondition(lambda self: len(self.connections) > 1)
    @rule(pick=picks)
    def close(self, pick: int) -> None:
        self._close(self._connection(pick))

    def _connection(self, pick: int) -> Connection:
        return self.connections[pick % len(self.connections)]

    def hand_over(self, session: Session, connection: Connection) -> None:
        """Hello: of several connections with one token the last one has the session."""
        for other in self.connections:
            if other is not connection and other.session is session:
                other.session, other.is_taken_over = None, True
        if connection.session is not None and connection.session is not session:
            connection.session.holder = 0
        connection.session, connection.is_taken_over = session, False
        session.holder = connection.number

    def greet(self, connection: Connection, session: Session | None, window: int | None) -> None:
        """Says hello, with the token of a session or without."""
        terms: dict[str, Any] = {} if window is None else {"window": window}
        if session is not None:
            terms["token"] = session.token
        reply = connection.ask("hello", 0, terms)
        session = session or connection.session
        is_older = session is not None and session.holder > connection.number
        if session is not None and (session.is_over or is_older):
            assert reply[:3] == ["error", 0, "session"], reply
            return
        assert reply[:2] == ["ok", 0], reply
        if session is None:
            session = Session(reply[2]["token"])
            self.sessions.append(session)
        self.hand_over(session, connection)
        session.set_window(window)
        assert reply[2]["token"] == session.token
        assert reply[2]["next"] == session.next
        if session.seat is not None:
            self._hear(connection, session.seat, [session.seat.last_word()])

    @rule(pick=picks, window=windows)
    def hello(self, pick: int, window: int | None) -> None:
        self.greet(self._connection(pick), None, window)

    @precondition(lambda self: self.sessions)
    @rule(pick=picks, which=picks, window=windows)
    def hello_with_token(self, pick: int, which: int, window: int | None) -> None:
        self.greet(self._connection(pick), self.sessions[which % len(self.sessions)], window)

    @rule(pick=picks, token=st.binary(min_size=16, max_size=16))
    def hello_with_a_strange_token(self, pick: int, token: bytes) -> None:
        self.greet(self._connection(pick), Session(token, is_over=True), None)

    def _holder(self, pick: int) -> tuple[Connection, Session]:
        """A connection with a session: that of the pick, if it has one, or else a new session."""
        connection = self._connection(pick)
        if connection.session is None:
            self.greet(connection, None, None)
        assert connection.session is not None
        return connection, connection.session

    # ---- Requests ----------------------------------------------------------------------------

    @rule(pick=picks, request=requests)
    def ask(self, pick: int, request: tuple[str, int, int]) -> None:
        connection, session = self._holder(pick)
        data, reply = session.request(*request)
        connection.send(data)
        reply.check(connection.reply())

    @rule(pick=picks, burst=bursts)
    def ask_many(self, pick: int, burst: list[tuple[str, int, int]]) -> None:
        connection, session = self._holder(pick)
        made = [session.request(*request) for request in burst]
        connection.send(*(data for data, _ in made))
        for _, reply in made:
            reply.check(connection.reply())

    @rule(pick=picks, back=st.integers(1, 8))
    def ask_again(self, pick: int, back: int) -> None:
        connection, session = self._holder(pick)
        seq = session.next - back
        if seq > 0:
            connection.send(session.sent[seq])
            session.again(seq).check(connection.reply())

    @rule(pick=picks, burst=bursts, windows=st.tuples(st.integers(1, 8), st.integers(1, 8)))
    def change_the_window(
        self, pick: int, burst: list[tuple[str, int, int]], windows: tuple[int, int]
    ) -> None:
        """A narrower window forgets the replies outside it; a wider one brings nothing back."""
        connection, session = self._holder(pick)
        self.greet(connection, None, windows[0])
        first, sent = self._request_all(session, burst)
        connection.send(*sent)
        for reply in self.replies.values():
            reply.check(connection.reply())
        self.greet(connection, None, windows[1])
        for seq in range(first, session.next):
            connection.send(session.sent[seq])
            session.again(seq).check(connection.reply())

    @rule(pick=picks, ahead=st.integers(-8, 8), salt=salts)
    def ask_something_else(self, pick: int, ahead: int, salt: int) -> None:
        """With a number that another request had, or that is not due yet."""
        connection, session = self._holder(pick)
        if ahead and session.next + ahead >= 0:
            data = msgpack.packb(["another", session.next + ahead, salt])
            connection.send(data)
            Reply(session.next + ahead, code="sequence").check(connection.reply())

    @rule(pick=picks, seq=st.integers(1, 20))
    def ask_without_a_session(self, pick: int, seq: int) -> None:
        connection = self._connection(pick)
        if connection.session is None:
            for name in ("ping", "sit", "act"):
                reply = connection.ask(name, seq, 0)
                assert reply[:3] == ["error", seq, connection.stranger_code()]

    @rule(pick=picks, luck=st.integers(0, 3))
    def bye(self, pick: int, luck: int) -> None:
        connection, session = self._holder(pick)
        if luck == 3:
            data, reply = session.request("bye")
            connection.send(data)
            reply.check(connection.reply())
            connection.session = None

    # ---- What is lost ------------------------------------------------------------------------

    def _send_all_again(self, session: Session, first: int, connection: Connection) -> None:
        """After a loss: hello tells how far the server came, and all is sent again."""
        last = session.next
        reply = connection.ask("hello", 0, {"token": session.token})
        assert reply[:2] == ["ok", 0], reply
        reached = reply[2]["next"]
        assert first <= reached <= last
        self.hand_over(session, connection)
        for seq in range(first, last):
            connection.send(session.sent[seq])
        for seq in range(first, last):
            is_forgotten = seq + session.window < reached
            expected = Reply(seq, code="sequence") if is_forgotten else self.replies[seq]
            expected.check(connection.reply())
        if session.seat is not None:
            self._hear(connection, session.seat, [session.seat.last_word()])

    def _request_all(
        self, session: Session, burst: list[tuple[str, int, int]]
    ) -> tuple[int, list[bytes]]:
        first = session.next
        made = [session.request(*request) for request in burst]
        self.replies = {reply.seq: reply for _, reply in made}
        return first, [data for data, _ in made]

    @rule(pick=picks, burst=bursts, wait=st.integers(0, 4))
    def close_in_the_middle(self, pick: int, burst: list[tuple[str, int, int]], wait: int) -> None:
        connection, session = self._holder(pick)
        first, sent = self._request_all(session, burst)
        connection.send(*sent)
        time.sleep(wait / 4000)
        self._close(connection)
        self._send_all_again(session, first, self._connect())

    def _restart(self, kept: int, *options: str) -> Connection | None:
        """Kills the server and starts it anew. At most one connection outlives it, unless it has
        one that nobody knows now."""
        self.server.kill()
        keeper = self.connections[kept] if kept < len(self.connections) else None
        for connection in self.connections:
            if connection is not keeper:
                connection.socket.close()
        self.connections = [] if keeper is None else [keeper]
        self.server.arguments += options
        self.server.start()
        for session in self.sessions:
            session.holder = 0
        return keeper

    def _come_back(self, keeper: Connection | None) -> Connection:
        """A connection after a restart, which the server does not know."""
        if keeper is None:
            return self._connect()
        keeper.session, keeper.is_taken_over = None, False
        Connection.made += 1
        keeper.number = Connection.made
        keeper.send(msgpack.packb(["ping", AHEAD]))
        while msgpack.unpackb(keeper.reply())[:3] != ["error", AHEAD, "hello"]:
            pass  # what the killed server said, and then that the new one has lost
        keeper.heard.clear()
        return keeper

    @rule(kept=picks)
    def kill(self, kept: int) -> None:
        self._come_back(self._restart(kept))

    @rule(pick=picks, burst=bursts, kept=picks, wait=st.integers(0, 4))
    def kill_in_the_middle(
        self, pick: int, burst: list[tuple[str, int, int]], kept: int, wait: int
    ) -> None:
        connection, session = self._holder(pick)
        first, sent = self._request_all(session, burst)
        connection.send(*sent)
        time.sleep(wait / 4000)
        self._send_all_again(session, first, self._come_back(self._restart(kept)))

    @rule(kept=picks, luck=st.integers(0, 9))
    def expire(self, kept: int, luck: int) -> None:
        """All sessions end, because nobody says anything for a second."""
        if luck != 9:
            return
        keeper = self._restart(kept, "--expire", "1")
        limit = time.monotonic() + 20
        while list((self.folder / "state").glob("*.session")) and time.monotonic() < limit:
            time.sleep(0.05)
        del self.server.arguments[-2:]
        if keeper in self.connections:
            kept = 0
        self._come_back(self._restart(kept))
        for session in self.sessions:
            session.is_over = True

    # ---- Tables ------------------------------------------------------------------------------

    def _hear(self, connection: Connection, seat: Seat, names: list[str]) -> None:
        """The table says this, and after a restart perhaps what came before it once more."""
        heard = []
        while not heard or heard[-1] != names[-1]:
            message = connection.hear()
            heard.append(message[0])
            seat.check(message)
        assert heard[-len(names) :] == names
        assert set(heard) <= {"start", "round", *names}

    @rule(pick=picks, salt=salts)
    def sit(self, pick: int, salt: int) -> None:
        connection, session = self._holder(pick)
        was = session.seat
        self.tables += 1
        data, reply = session.request("sit", self.tables, salt)
        connection.send(data)
        reply.check(connection.reply())
        if session.seat is not None and session.seat is not was:
            self._hear(connection, session.seat, ["start", session.seat.last_word()])

    @rule(pick=picks)
    def back(self, pick: int) -> None:
        connection, session = self._holder(pick)
        data, reply = session.request("back")
        connection.send(data)
        reply.check(connection.reply())
        if session.seat is not None:
            self._hear(connection, session.seat, [session.seat.last_word()])

    @rule(pick=picks, luck=st.integers(0, 2))
    def stand(self, pick: int, luck: int) -> None:
        connection, session = self._holder(pick)
        if luck == 2:
            data, reply = session.request("stand")
            connection.send(data)
            reply.check(connection.reply())

    @rule(pick=picks, salt=salts, repeat=st.booleans())
    def act(self, pick: int, salt: int, repeat: bool) -> None:
        connection, session = self._holder(pick)
        seat = session.seat
        if seat is None or seat.is_over:
            return
        turn, action = seat.turn, seat.rows.choose(salt, True)
        answer = msgpack.packb(["act", turn, int.from_bytes(action, "little")])
        names = seat.act(action)
        connection.send(answer)
        self._hear(connection, seat, names)
        if repeat:
            connection.send(answer)
            assert connection.hear()[:3] == ["error", turn, "late"]

    @rule(pick=picks, off=st.integers(-3, 3))
    def act_out_of_turn(self, pick: int, off: int) -> None:
        connection, session = self._holder(pick)
        turn = off if session.seat is None else session.seat.turn + off
        if turn < 0 or (off == 0 and session.seat is not None):
            return
        connection.send(msgpack.packb(["act", turn, 0]))
        is_late = session.seat is not None and 0 < turn < session.seat.turn
        assert connection.hear()[:3] == ["error", turn, "late" if is_late else "turn"]

    @rule(pick=picks, salt=salts, kept=picks, wait=st.integers(0, 2))
    def kill_while_it_acts(self, pick: int, salt: int, kept: int, wait: int) -> None:
        """The answer was executed or not: then the same question is asked again."""
        connection, session = self._holder(pick)
        seat = session.seat
        if seat is None or seat.is_over:
            return
        turn, action = seat.turn, seat.rows.choose(salt, True)
        answer = msgpack.packb(["act", turn, int.from_bytes(action, "little")])
        connection.send(answer)
        time.sleep(wait / 4000)
        back = self._come_back(self._restart(kept))
        reply = back.ask("hello", 0, {"token": session.token})
        assert reply[:2] == ["ok", 0]
        back.session, session.holder = session, back.number
        message = back.hear()
        if message[:2] == ["turn", turn]:
            seat.check(message)
            back.send(answer)
            self._hear(back, seat, seat.act(action))
        else:
            last = seat.act(action)[-1]
            back.heard.appendleft(message)
            self._hear(back, seat, [last])

    # ---- Always ------------------------------------------------------------------------------

    @invariant()
    def nobody_hears_more(self) -> None:
        for connection in self.connections:
            connection.check_quiet()


@pytest.mark.slow
def test_the_server_is_as_the_model(full: bool, capsys: pytest.CaptureFixture[str]) -> None:
    given = os.environ.get("MHING_MODEL_EXAMPLES")
    examples = int(given) if given else 10 * EXAMPLES if full else EXAMPLES
    began = time.monotonic()
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=STEPS,
            derandomize=not given,
            database=None,
            deadline=None,
            print_blob=False,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )  # fmt: skip
    with capsys.disabled():
        seconds = time.monotonic() - began
        print(f"\nmodel of sessions: {examples} stories of up to {STEPS} steps in {seconds:.0f} s")
