"""A model of the server's answers: sessions, remembered replies, rows, a seat.

Sessions are a few numbers and dictionaries here. What is played is told by batches in this process.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import msgpack
import numpy as np

import mhing
from mhing._lib.rows import AUTORESET, CALLER, LocalBatch

BOTS = ["random"] * 3
ANY = object()  # a result that is not told
ARRAYS = ("observations", "masks", "rewards", "terminated")


@cache
def game() -> mhing.Game:
    return mhing.Game("mhing")


@dataclass
class Reply:
    """A reply as it is expected; `data` are its bytes, once they were seen."""

    seq: int
    name: str = ""  # of the request
    code: str | None = None  # of an error
    results: Sequence[Any] = ()
    data: bytes | None = None

    def check(self, data: bytes) -> None:
        """Check that the data is this reply, and every byte is as the last time."""
        found = msgpack.unpackb(data)
        if self.code is None:
            assert found[:2] == ["ok", self.seq], (found, self)
            assert len(found) == 2 + len(self.results)
            for place, other in enumerate(self.results, 2):
                assert other is ANY or found[place] == other, (self.name, self.seq, place)
        else:
            assert found[:3] == ["error", self.seq, self.code], (found, self)
        assert self.data in (None, data), self.seq
        self.data = data


class Rows:
    """An environment in this process."""

    def __init__(self, rows: int, seat: int) -> None:
        players = [game()._handle.bot_index("random")] * 3
        players.insert(max(seat, 0), CALLER)
        mode = AUTORESET["disabled" if seat >= 0 else "next_step"]
        self.rows = rows
        self.is_begun = False
        self.batch = LocalBatch(game()._handle, rows, seat, players, 0, autoreset=mode)

    def reset(self, seed: int) -> None:
        self.is_begun = True
        self.batch.reset(np.arange(seed, seed + self.rows, dtype=np.uint64))

    def choose(self, salt: int, is_legal: bool) -> bytes:
        """Actions for all rows, as bin."""
        count = game().num_actions
        chosen = [
            int(mask.nonzero()[0][salt % mask.sum()]) if is_legal else (salt + 37 * row) % count
            for row, mask in enumerate(self.batch.masks)
        ]
        return np.array(chosen, np.int32).tobytes()

    def step(self, actions: bytes) -> None:
        self.batch.actions[:] = np.frombuffer(actions, np.int32)
        self.batch.step()

    def sample(self) -> bytes:
        assert self.batch.try_draw() == 0
        data: bytes = self.batch.actions.tobytes()
        return data

    def results(self) -> list[Any]:
        arrays = [getattr(self.batch, name).tobytes() for name in ARRAYS]
        return [*arrays, self.batch.seats.astype(np.uint8).tobytes(), ANY]


class Seat:
    """The only player of a seeded game at a table."""

    def __init__(self, table: str, seed: int) -> None:
        self.table, self.turn, self.is_over = table, 1, False
        self.rows = Rows(1, 0)
        self.rows.reset(seed)
        self.terms = {"table": table, "seed": seed, "bots": BOTS, "clock": 3_600_000}

    def act(self, action: bytes) -> list[str]:
        """Plays; returns the names of what the table says then."""
        self.rows.step(action)
        self.is_over = bool(self.rows.batch.terminated[0])
        self.turn += not self.is_over
        return ["round", "end"] if self.is_over else ["turn"]

    def last_word(self) -> str:
        """The message that a returning player gets again."""
        return "end" if self.is_over else "turn"

    def check(self, message: list[Any]) -> None:
        """Check that the table's message is about this game."""
        if message[0] == "turn":
            assert not self.is_over
            assert message[1] == self.turn
            observation, mask = self.rows.results()[:2]
            assert message[3] == observation
            assert message[4] == mask
        else:
            assert message[1] == 0
            assert message[0] == "round" or message[2]["table"] == self.table
            assert message[0] != "end" or (self.is_over and message[2]["over"])


@dataclass
class Session:
    """The server's memory of a client."""

    token: bytes
    window: int = 1
    next: int = 1
    holder: int = 0  # the connection of its last hello, 0: none
    made: int = 0
    is_over: bool = False
    rows: dict[int, Rows] = field(default_factory=dict)
    sent: dict[int, bytes] = field(default_factory=dict)  # all requests, for sending them again
    replies: dict[int, Reply] = field(default_factory=dict)  # those that are remembered
    seat: Seat | None = None

    def set_window(self, window: int | None) -> None:
        self.window = window or self.window
        self._forget()

    def _forget(self) -> None:
        for seq in [seq for seq in self.replies if seq + self.window < self.next]:
            del self.replies[seq]

    def request(self, name: str, pick: int = 0, salt: int = 0) -> tuple[bytes, Reply]:
        """Makes the next request, and tells its reply; it is executed by this."""
        reply = Reply(self.next, name)
        arguments = getattr(self, f"_{name}")(reply, pick, salt)
        data: bytes = msgpack.packb([name, self.next, *arguments])
        self.sent[self.next] = data
        self.replies[self.next] = reply
        self.next += 1
        self._forget()
        return data, reply

    def again(self, seq: int) -> Reply:
        """The reply to a request that is sent again."""
        return self.replies.get(seq) or Reply(seq, code="sequence")

    # ---- Each request: its arguments; what they lead to is put into the reply ------------------

    def _env(self, reply: Reply, pick: int) -> tuple[int, Rows | None]:
        """One of the environments, or one that there is not (any more)."""
        env = 1 + pick % (self.made + 1)
        rows = self.rows.get(env)
        if rows is None:
            reply.code = "env"
        return env, rows

    def _ping(self, reply: Reply, pick: int, salt: int) -> list[Any]:
        return []

    def _dance(self, reply: Reply, pick: int, salt: int) -> list[Any]:
        reply.code = "request"
        return [pick, salt]

    def _text(self, reply: Reply, pick: int, salt: int) -> list[Any]:
        action = salt % game().num_actions
        reply.results = [game().action_text(action)]
        return ["mhing", "", action]

    def _make(self, reply: Reply, pick: int, salt: int) -> list[Any]:
        rows = salt % 4
        if rows == 0:
            reply.code = "argument"
        else:
            self.made += 1
            self.rows[self.made] = Rows(rows, -1)
            reply.results = [self.made, ANY]
        return [{"rows": rows, "opponents": "random", "autoreset": "next_step"}]

    def _reset(self, reply: Reply, pick: int, salt: int) -> list[Any]:
        env, rows = self._env(reply, pick)
        if rows is not None:
            rows.reset(salt)
            reply.results = rows.results()
        return [env, salt]

    def _begun(self, reply: Reply, pick: int) -> tuple[int, Rows | None]:
        env, rows = self._env(reply, pick)
        if rows is not None and not rows.is_begun:
            reply.code = "order"
            return env, None
        return env, rows

    def _step(self, reply: Reply, pick: int, salt: int) -> list[Any]:
        env, rows = self._begun(reply, pick)
        if rows is None:
            count = self.rows[env].rows if env in self.rows else 1
            return [env, bytes(4 * count)]
        actions = rows.choose(salt, salt % 5 > 0)
        rows.step(actions)
        reply.results = rows.results()
        return [env, actions]

    def _sample(self, reply: Reply, pick: int, salt: int) -> list[Any]:
        env, rows = self._begun(reply, pick)
        if rows is not None:
            reply.results = [rows.sample()]
        return [env]

    def _save(self, reply: Reply, pick: int, salt: int) -> list[Any]:
        env, rows = self._begun(reply, pick)
        if rows is not None:
            reply.results = [rows.batch.save_row(0)]
        return [env, 0]

    def _copy(self, reply: Reply, pick: int, salt: int) -> list[Any]:
        env, rows = self._begun(reply, pick)
        source, target = (salt % rows.rows, salt // 7 % rows.rows) if rows else (0, 0)
        if rows is not None:
            rows.batch.copy_row(source, target)
            reply.results = rows.results()
        return [env, source, target]

    def _close(self, reply: Reply, pick: int, salt: int) -> list[Any]:
        env, _ = self._env(reply, pick)
        self.rows.pop(env, None)
        return [env]

    def _bye(self, reply: Reply, pick: int, salt: int) -> list[Any]:
        self.is_over = True
        return []

    def _sit(self, reply: Reply, pick: int, salt: int) -> list[Any]:
        if self.seat is not None and not self.seat.is_over:
            reply.code = "table"
            return [{"table": f"other-{pick}", "bots": BOTS}]
        self.seat = Seat(f"t-{pick}", salt)
        reply.results = [{"table": self.seat.table, "seat": 0, "waiting": 0}]
        return [self.seat.terms]

    def _back(self, reply: Reply, pick: int, salt: int) -> list[Any]:
        if self.seat is None:
            reply.code = "table"
        else:
            reply.results = [ANY]
        return []

    def _stand(self, reply: Reply, pick: int, salt: int) -> list[Any]:
        if self.seat is None:
            reply.code = "table"
        self.seat = None
        return []


# Requests by which only what they are replied to changes, and which a table does not answer too.
QUIET = ("ping", "dance", "text", "make", "reset", "step", "sample", "save", "copy", "close")
