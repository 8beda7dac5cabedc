"""Messages against csrc/server/protocol.schema.json, as they go through a process's sockets."""

from __future__ import annotations

import json
import sys
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import jsonschema
import msgpack
import zmq
from jsonschema.protocols import Validator

PATH = Path(__file__).parents[3] / "csrc/server/protocol.schema.json"
MOST = 50  # checks of messages of each kind, in a test: loops that send thousands stay fast
WINDOW = 256  # requests of a socket whose names are remembered
LONG = 1 << 14  # bytes of a request that is not kept until its reply comes
HEAD = 64  # bytes of a message that are enough to read its first two items

TABLE = ("start", "turn", "round", "end")  # what hosts send as well, through the server


# ---- The schema ----------------------------------------------------------------------------------


@cache
def schema() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(PATH.read_text(encoding="utf-8"))
    return found


def definitions(group: str) -> list[str]:
    """The names in a group such as ``"request"``, in the order of the schema."""
    names = (name.partition(".") for name in schema()["$defs"])
    return [name for first, dot, name in names if dot and first == group]


def closed(part: Any) -> Any:
    """A schema whose maps and arrays have nothing that is not listed, as its comment says."""
    if isinstance(part, list):
        return [closed(each) for each in part]
    if not isinstance(part, dict):
        return part
    made = {
        name: each if name.endswith("Keys") or name in ("cases", "required") else closed(each)
        for name, each in part.items()
    }
    if isinstance(made.get("properties"), dict) and "additionalProperties" not in made:
        made["unevaluatedProperties"] = False
    if isinstance(made.get("prefixItems"), list):
        made.setdefault("items", False)
    return made


def _types(
    validator: Validator, types: str | list[str], instance: Any, schema: dict[str, Any]
) -> Iterator[jsonschema.ValidationError]:
    """The types of msgpack: bytes are a string of `contentEncoding`, and 1.0 is no integer."""
    text = bytes if schema.get("contentEncoding") == "binary" else str
    known: dict[str, Any] = {
        "string": text, "integer": int, "number": (int, float), "boolean": bool, "array": list,
        "object": dict, "null": type(None),
    }  # fmt: skip
    names = [types] if isinstance(types, str) else types
    found = [name for name in names if isinstance(instance, known[name])]
    if isinstance(instance, bool):
        found = [name for name in found if name == "boolean"]
    if not found:
        yield jsonschema.ValidationError(f"{_short(instance)} is no {' or '.join(names)}")


_Messages = jsonschema.validators.extend(
    jsonschema.Draft202012Validator,
    {"type": _types},
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine_many(
        {
            "string": lambda _, value: isinstance(value, str | bytes),
            "integer": lambda _, value: type(value) is int,
        }
    ),
)


@cache
def _validator(name: str, is_open: bool) -> Validator:
    whole = _whole(is_open)
    return whole.evolve(schema=whole.schema["$defs"][name])


@cache
def _whole(is_open: bool) -> Validator:
    return _Messages(schema() if is_open else closed(schema()))


def fault(name: str, message: Any, is_open: bool = False) -> str | None:
    """The place where a message is not as the definition of that name says, and why; None: none.

    `is_open`: it may have more than is listed.
    """
    best = jsonschema.exceptions.best_match(_validator(name, is_open).iter_errors(message))
    if best is None:
        return None
    at = "".join(f"[{place!r}]" for place in best.absolute_path)
    return f"{name}{at}: {best.message[:300]}; the message: {_short(message)}"


def _short(value: Any) -> str:
    return repr(value)[:300]


# ---- What goes through sockets -------------------------------------------------------------------


@dataclass
class Watch:
    """The messages of all sockets, checked as long as :func:`watched` runs."""

    faults: list[str] = field(default_factory=list)
    seen: dict[str, Any] = field(default_factory=dict)
    """The last message that was checked, by its definition."""
    counts: Counter[str] = field(default_factory=Counter)
    guests: set[bytes] = field(default_factory=set)
    """The tokens of sessions that are guests, whose messages have what their hosts write."""

    def end(self) -> list[str]:
        """The faults up to the end of a test; another test may begin."""
        faults, self.faults = self.faults, []
        self.counts.clear()
        return faults

    def _wants(self, name: str) -> bool:
        self.counts[name] += 1
        return self.counts[name] <= MOST

    def check(self, data: bytes, *names: str, is_open: bool = False) -> None:
        """A message must be as one of the definitions says, unless it is one of many."""
        if not self._wants(" or ".join(names)):
            return
        try:  # some languages send bytes as texts
            message = msgpack.unpackb(data, unicode_errors="surrogateescape", strict_map_key=False)
        except Exception as error:
            self.faults.append(f"{names}: {error!r}: {_short(data)}")
            return
        faults = []
        for name in names:
            known = name in schema()["$defs"]
            found = fault(name, message, is_open) if known else f"{name}: not listed"
            if found is None:
                self.seen[name] = message
                return
            faults.append(found)
        self.faults += faults


@dataclass
class Conversation:
    """The messages of a client and a server over one socket."""

    watch: Watch
    sent: OrderedDict[int, list[tuple[str, bytes]]] = field(default_factory=OrderedDict)
    """Requests by number: names, and what was sent; of long ones nothing is kept."""
    is_open: bool = True
    """Requests may have more than is listed: it is a test that sends them, not the package."""
    acts: dict[int, bytes] = field(default_factory=dict)
    """Answers to questions, which get no reply where they are right."""
    token: bytes = b""

    def send(self, data: bytes) -> None:
        """Remembers a request: whether it should be right is known once it has a reply."""
        name, seq = _head(data)
        if name == "hello":  # whatever its number is
            seq = 0
        if f"request.{name}" not in schema()["$defs"] or not isinstance(seq, int):
            return  # what gets no reply but an error
        if name == "act":
            self.acts[seq] = data
            return
        if (name == "hello") != (seq == 0):
            return
        same = self.sent.setdefault(seq, [])
        request = (name, data if len(data) < LONG else b"")
        if request not in same or name == "hello":
            same.append(request)
        self.sent.move_to_end(seq)
        if len(self.sent) > WINDOW:
            self.sent.popitem(last=False)

    def hear(self, data: bytes) -> None:
        kind, number = _head(data)
        if kind == "ok":
            self._reply(data, self.sent.get(number, []))
            if number == 0 and (hellos := self.sent.get(0)):
                hellos.pop(0)  # each hello has a reply; others may be asked for twice
            return
        group = "guest" if self.token in self.watch.guests else "table"
        if kind == "error":
            self.acts.pop(number, None)
            self.watch.check(data, "error")
        elif kind in TABLE:
            self._answered()
            self.watch.check(data, f"{group}.{kind}")
        elif kind == "invited":
            self.watch.guests.add(self.token)
            self.watch.check(data, "guest.invited")
        else:
            self.watch.check(data, "table.away" if kind == "away" else f"host.{kind}")

    def _reply(self, data: bytes, requests: list[tuple[str, bytes]]) -> None:
        names = list(dict.fromkeys(name for name, _ in requests))
        if "hello" in names:
            self.token = msgpack.unpackb(data)[2]["token"]
        elif names == ["wait"]:
            self.watch.guests.add(self.token)
        elif names in (["stand"], ["bye"]):
            self.watch.guests.discard(self.token)
        self.watch.check(data, *([f"reply.{name}" for name in names] or ["reply"]))
        if len(requests) == 1 and requests[0][1]:  # of several any may be the one that was taken
            self.watch.check(requests[0][1], f"request.{names[0]}", is_open=self.is_open)

    def _answered(self) -> None:
        """Checks the answers that were not refused before the next message came."""
        for data in self.acts.values():
            self.watch.check(data, "request.act", is_open=self.is_open)
        self.acts.clear()


def _head(data: bytes) -> tuple[Any, Any]:
    """The first two items of a message, or Nones where it is none."""
    unpacker = msgpack.Unpacker(unicode_errors="surrogateescape")
    unpacker.feed(data[:HEAD])
    try:
        if unpacker.read_array_header() < 2:
            return None, None
        return unpacker.unpack(), unpacker.unpack()
    except Exception:  # whatever a hostile client sends
        return None, None


@contextmanager
def watched() -> Iterator[Watch]:
    """Checks what goes through this process's sockets of clients and spectators.

    Every message of a server is checked, and of the clients' those that got a reply other than an
    error, as tests send wrong ones as well. At most `MOST` of each kind are, in a test. Only tests
    may send more than the schema lists. What is found is in `faults`: nothing is raised where a
    test, or the package, would take it for its own.
    """
    watch = Watch()
    talks: WeakKeyDictionary[zmq.Socket[bytes], Conversation] = WeakKeyDictionary()
    parts: WeakKeyDictionary[zmq.Socket[bytes], bool] = WeakKeyDictionary()
    send: Callable[..., Any] = zmq.Socket.send
    receive: Callable[..., Any] = zmq.Socket.recv

    def is_whole(socket: zmq.Socket[bytes], more: bool) -> bool:
        """Return whether a part is a whole message."""
        was_more, parts[socket] = parts.get(socket, False), more
        return not more and not was_more

    def watched_send(
        self: zmq.Socket[bytes], data: Any, flags: int = 0, *rest: Any, **more: Any
    ) -> Any:
        if self.type == zmq.DEALER and is_whole(self, bool(flags & zmq.SNDMORE)):
            talk = talks.setdefault(self, Conversation(watch))
            talk.is_open = not sys._getframe(1).f_globals["__name__"].startswith("mhing.")
            talk.send(bytes(data))
        return send(self, data, flags, *rest, **more)

    def watched_receive(self: zmq.Socket[bytes], *rest: Any, **more: Any) -> Any:
        got = receive(self, *rest, **more)
        if self.type == zmq.DEALER:
            talks.setdefault(self, Conversation(watch)).hear(_bytes(got))
        elif self.type == zmq.SUB and not self.rcvmore:
            data = _bytes(got)
            watch.check(data, f"published.{_head(data)[0]}")
        return got

    socket: Any = zmq.Socket
    socket.send, socket.recv = watched_send, watched_receive
    try:
        yield watch
    finally:
        socket.send, socket.recv = send, receive


def _bytes(got: Any) -> bytes:
    return got if isinstance(got, bytes) else bytes(got)
