"""A session on a server: requests, replies, and a new connection where one is lost.

csrc/server/PROTOCOL.md describes the messages.
"""

from __future__ import annotations

import contextlib
import logging
import os
import time
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

import gymnasium as gym

from mhing._lib.arguments import positive
from mhing._lib.hold import Hold, held
from mhing._support.extras import install
from mhing.game import DEFAULT_GAME
from mhing.remote.messages import pack, packer, unpack

try:
    import zmq
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"endpoint: a server is reached with pyzmq and msgpack: {install('server')}"
    ) from error

_log = logging.getLogger(__name__)

_VERSION = 1
_KEY_LENGTH = 40  # of a key in Z85
_ATTEMPTS = 3  # connections on which a request is tried
_SMALL = 1 << 16  # bytes of a message that is copied faster than it is looked into
_PATIENCE = 1.0  # seconds after which it is said that nobody answers


class SessionLostError(ConnectionError):
    """The server does not know the session: it was started anew, or has waited too long."""


_ERRORS: dict[str, type[Exception]] = {
    **dict.fromkeys(("argument", "game", "option", "action", "snapshot"), ValueError),
    **dict.fromkeys(("message", "version", "hello", "sequence"), ConnectionError),
    "session": SessionLostError,
    "memory": MemoryError,
    "storage": OSError,
}
_OF_TURNS = ("turn", "late", "illegal")  # errors that are not replies to requests

_Result = TypeVar("_Result")
_Reader: TypeAlias = Callable[[Any, int], list[Any] | None]
"""Reads a message, given as its bytes, if it is the reply to the request of a number. Returns
`["ok"]` for one that was read, an error as messages have them, or None for all others."""


class _Silence(Exception):
    """No reply has come in time, or the server does not know this connection."""


class Connection:
    """A session on a server. It reconnects by itself when its connection is lost.

    Every request is executed exactly once, however often it is sent. Use a connection in one thread
    of one process: a call that another thread makes while one waits here raises RuntimeError.

    >>> import mhing
    >>> with mhing.connect("tcp://127.0.0.1:7644") as connection:
    ...     env = connection.make("Mhing-v0", opponents="random")
    ...     envs = connection.make_vec("Mhing-v0", num_envs=1024)

    Args:
        endpoint: the server's address, as it prints it: ``ipc://PATH`` or ``tcp://HOST:PORT``.
        token: 16 bytes, the `token` of a lost connection, to continue its session. A connection
            that is not lost loses its session by this: its next request is a ConnectionError.
        window: how many requests may be in flight at once, see :meth:`post`.
        timeout: seconds to wait for a reply before asking again over a new connection; the third
            timeout is an error.
        client: a name, for the server's log and at tables.
        server_key: the public key of a server that asks for keys.
        secret_key: your own secret key for it. ``mhing-server --keygen`` prints a pair.

    Raises:
        TimeoutError: nobody answers at that endpoint.
        ConnectionError: the server speaks another version.
        SessionLostError: it has no session of that token; a ConnectionError as well.
        ValueError: an argument has a value that it cannot have.
    """

    def __init__(
        self,
        endpoint: str,
        *,
        token: bytes | None = None,
        window: int = 1,
        timeout: float = 5.0,
        client: str = "mhing",
        server_key: str | None = None,
        secret_key: str | None = None,
    ) -> None:
        if not isinstance(endpoint, str):
            raise TypeError(f"endpoint: {endpoint!r} is not a str such as 'tcp://127.0.0.1:7644'")
        if not 0 < timeout < float("inf"):
            raise ValueError(f"timeout: {timeout} is not a number of seconds above 0")
        if (server_key is None) != (secret_key is None):
            raise ValueError("server_key, secret_key: give both, or neither")
        for name, key in (("server_key", server_key), ("secret_key", secret_key)):
            if key is not None and len(key) != _KEY_LENGTH:
                raise ValueError(f"{name}: {len(key)} characters, keys have {_KEY_LENGTH}")
        self.endpoint = endpoint
        self.timeout = timeout
        self.window = positive(window, "window")
        self.token = token
        self._client = client
        self._keys = (server_key, secret_key)
        self._line = _SessionSocket()
        self._hold = self._line._hold
        self._finalizer = weakref.finalize(self, self._line.end_unless_held)
        self._pack = packer()
        self._pending: deque[tuple[int, bytes]] = deque()  # requests whose reply is not taken
        self._spoken: deque[list[Any]] = deque()  # what the server has said by itself
        self._dropped: deque[int] = deque()  # environments that the server may forget
        self._attempts = 0  # hellos sent so far for this session
        self._warned = False  # that nobody has answered so far
        self._copies = True  # whether messages are copied as they come
        self._longest = 1 << 16  # bytes of a request
        self.hello: dict[str, Any] = {}
        """The server about itself: ``server`` (its version), ``limits``, ``watch``."""
        self._persist(lambda *_: None, 0)
        self._line.next = self.hello["next"]

    # ---- What there is ----------------------------------------------------------------------

    @property
    def games(self) -> list[str]:
        """The ids of the games that the server has."""
        games: list[str] = self.hello["games"]
        return games

    def describe(self, game: str = DEFAULT_GAME, options: str = "") -> dict[str, Any]:
        """The description of a game with options such as ``"num_players=3"``.

        Raises:
            ValueError: there is no such game or option.
        """
        description: dict[str, Any] = self.request("describe", game, options)[0]
        return description

    def tables(self) -> list[dict[str, Any]]:
        """The tables: a dict each, with the keys that PROTOCOL.md lists under Tables."""
        tables: list[dict[str, Any]] = self.request("tables")[0]
        return tables

    def make(self, id: str, **keywords: Any) -> gym.Env[Any, Any]:
        """``gym.make(id, ...)``, played on the server."""
        return gym.make(id, endpoint=self, **keywords)

    def make_vec(self, id: str, **keywords: Any) -> Any:
        """``gym.make_vec(id, ...)``, played on the server."""
        return gym.make_vec(id, endpoint=self, **keywords)

    @property
    def closed(self) -> bool:
        """True after a call of :meth:`close`."""
        return self._line.ended

    # ---- Requests ---------------------------------------------------------------------------

    def request(self, name: str, *arguments: Any) -> list[Any]:
        """Send a request and wait for its results.

        Replies to interrupted requests are awaited first and dropped.

        Raises:
            ValueError: the server refuses an argument.
            RuntimeError: the request is not possible now.
            MemoryError: the server has no memory for it.
            TimeoutError: no reply came.
            ConnectionError: the server has lost the session.
        """
        return self.exchange(None, name, *arguments)

    def exchange(self, read: _Reader | None, name: str, *arguments: Any) -> list[Any]:
        """The same for a request whose results `read` takes from the bytes of the reply."""
        hold = self._hold
        try:
            del hold.free
        except AttributeError:
            hold.wait_or_refuse()
            del hold.free
        try:
            self._line.check(self.endpoint)
            if self._pending or self._dropped:
                self._settle()
            self._post(name, *arguments)
            return self._take(read)
        finally:
            hold.free = True

    @held
    def post(self, name: str, *arguments: Any) -> None:
        """Send a request whose results :meth:`take` will return.

        Raises:
            RuntimeError: `window` requests are in flight, or the connection is closed.
            ValueError: it is longer than the server allows.
        """
        self._line.check(self.endpoint)
        self._post(name, *arguments)

    @held
    def take(self) -> list[Any]:
        """The results of the oldest request in flight; raises what :meth:`request` does."""
        self._line.check(self.endpoint)
        return self._take()

    @held
    def say(self, name: str, number: int, *arguments: Any) -> None:
        """Send a message without a reply: an answer at a table. A lost one is not sent again."""
        if self._line.socket is not None:
            with contextlib.suppress(_Silence):
                _send(self._line.socket, pack(name, number, *arguments))

    @held
    def listen(self, seconds: float, *others: Any) -> list[Any] | None:
        """The next message that the server sends unasked; None after `seconds` without one.

        `others` are sockets, or file descriptors, that also end the waiting, once they can be read.
        """
        self._line.check(self.endpoint)
        socket = self._line.socket
        if not self._spoken and wait_for(seconds, socket, *others) and socket is not None:
            with contextlib.suppress(_Silence):
                self._hear(socket, None, zmq.DONTWAIT)
        return self._spoken.popleft() if self._spoken else None

    def spectate(self, table: str) -> zmq.Socket[bytes]:
        """A new socket that gets what all may see of a table; see :class:`mhing.remote.Spectator`.

        A host of 0.0.0.0 stands for the one at which the server was reached.
        """
        host = self.endpoint.removeprefix("tcp://").rpartition(":")[0]
        socket: zmq.Socket[bytes] = zmq.Context.instance().socket(zmq.SUB)
        socket.linger = 0
        self._use_keys(socket)
        socket.connect(self.hello["watch"].replace("0.0.0.0", host))
        socket.subscribe(f"{table}:")
        return socket

    def drop(self, env: int) -> None:
        """Let the server forget an environment, with the next request.

        Can be called at any time, also by the garbage collector.
        """
        self._dropped.append(env)

    def check_layout(self, game: str, theirs: str, ours: str) -> None:
        """Raise ConnectionError if the server's game has another layout than the one here."""
        if theirs != ours:
            raise ConnectionError(
                f"{self.endpoint}: {game} is laid out otherwise there ({theirs}) than here "
                f"({ours}): install the same version on both sides"
            )

    @held
    def close(self) -> None:
        """End the session, with all its environments."""
        if self._finalizer.detach():
            self._line.end()

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __deepcopy__(self, memo: object) -> Connection:
        """The same: Gymnasium copies the keywords of environments, which share a connection."""
        return self

    def __repr__(self) -> str:
        return f"<Connection to {self.endpoint}>"

    # ---- Inside -----------------------------------------------------------------------------

    def _post(self, name: str, *arguments: Any) -> None:
        line = self._line
        if len(self._pending) >= self.window:
            raise RuntimeError(f"window: {self.window} on their way already; take() one first")
        message = self._pack(name, line.next, *arguments)
        if len(message) > self._longest:
            raise ValueError(
                f"{name}: {len(message)} bytes, the server takes {self._longest}; "
                "use fewer rows, or start it with a higher --message"
            )
        self._pending.append((line.next, message))
        line.next += 1
        if line.socket is not None:
            try:
                _send(line.socket, message)
            except _Silence:
                line.cut()  # awaiting its reply opens another one, and sends it again

    def _take(self, read: _Reader | None = None) -> list[Any]:
        if not self._pending:
            raise RuntimeError("no request is on its way")
        reply = self._reply(read)
        if reply[0] == "error":
            raise self._exception(reply)
        return reply[2:]

    def _settle(self) -> None:
        """Take all replies in flight, and close dropped environments."""
        while self._pending:
            self._reply()
        while self._dropped:
            self._post("close", self._dropped.popleft())
            self._reply()

    def _reply(self, read: _Reader | None = None) -> list[Any]:
        """The reply to the oldest request in flight."""
        reply = self._persist(self._await, self._pending[0][0], read)
        self._pending.popleft()
        return reply

    def _persist(self, wait: Callable[..., _Result], number: int, *more: Any) -> _Result:
        """Return the result of `wait` for a request, on this connection or else on new ones."""
        for _ in range(_ATTEMPTS):
            try:
                return wait(self._line.socket or self._open(), number, *more)
            except _Silence:
                self._line.cut()
        raise TimeoutError(
            f"{self.endpoint}: no answer in {_ATTEMPTS} times {self.timeout:g} seconds; is a "
            "server running there (mhing serve starts one), and does it take these keys, or none?"
        )

    def _open(self) -> zmq.Socket[bytes]:
        """Connect, say hello, and send what was not answered."""
        socket: zmq.Socket[bytes] = zmq.Context.instance().socket(zmq.DEALER)
        self._line.socket = socket
        try:
            socket.rcvtimeo = socket.sndtimeo = int(1000 * self.timeout) + 1
            self._use_keys(socket)
            socket.connect(self.endpoint)
            self._hello(socket)
        except zmq.ZMQError:
            self._line.cut()
            raise ValueError(
                f"endpoint: {self.endpoint!r} cannot be used; write tcp://HOST:PORT or "
                "ipc://PATH, as mhing serve prints it"
            ) from None
        except BaseException:
            self._line.cut()
            raise
        for _, message in self._pending:
            _send(socket, message)
        return socket

    def _use_keys(self, socket: zmq.Socket[bytes]) -> None:
        server_key, secret_key = self._keys
        if server_key is not None and secret_key is not None:
            socket.curve_serverkey = server_key.encode()
            socket.curve_secretkey = secret_key.encode()
            socket.curve_publickey = zmq.curve_public(secret_key.encode())

    def _hello(self, socket: zmq.Socket[bytes]) -> None:
        terms: dict[str, Any] = {
            "protocol": [_VERSION, _VERSION],
            "client": self._client,
            "window": self.window,
            "token": self.token,
        }
        if self.hello:  # who used the token before may have counted further than this connection
            self._attempts += 1
            terms["attempt"] = self._attempts
        _send(socket, pack("hello", 0, terms))
        if not self._warned and not socket.poll(int(1000 * min(_PATIENCE, self.timeout))):
            self._warned = True
            seconds = _ATTEMPTS * self.timeout
            _log.warning("%s: no answer yet; waiting up to %g seconds", self.endpoint, seconds)
        reply = self._await(socket, 0)
        if reply[0] == "error":
            raise self._exception(reply)
        self._warned = False
        self.hello = reply[2]
        self.token = self.hello["token"]
        self._longest = self.hello["limits"]["message"]

    def _await(
        self, socket: zmq.Socket[bytes], number: int, read: _Reader | None = None
    ) -> list[Any]:
        reply = self._hear(socket, number, read=read)
        if reply is None:
            limit = time.monotonic() + self.timeout
            while (reply := self._hear(socket, number, read=read)) is None:
                if time.monotonic() > limit:
                    raise _Silence
        return reply

    def _hear(
        self,
        socket: zmq.Socket[bytes],
        number: int | None,
        flags: int = 0,
        read: _Reader | None = None,
    ) -> list[Any] | None:
        """The next message, if it is the reply to the request of that number.

        Messages sent unasked are kept for :meth:`listen`. Replies that nobody awaits any more,
        which happen when a request is sent twice, are dropped.
        """
        try:
            received = socket.recv(flags, copy=self._copies)
        except zmq.Again:
            raise _Silence from None
        data = received if isinstance(received, bytes) else received.buffer
        # The next message is likely to be as long, and a long one is better not copied.
        self._copies = len(data) < _SMALL
        if read is not None and number is not None and (reply := read(data, number)):
            return reply
        message = unpack(data)
        kind = message[0]
        if kind == "ok":
            return message if message[1] == number else None
        if kind == "error":
            # A server that was started anew, or that cannot write: hello is answered so as well.
            if message[2] in ("hello", "storage") and number:
                raise _Silence
            if message[1] == number and message[2] not in _OF_TURNS:
                return message
        self._spoken.append(message)
        return None

    def _exception(self, reply: list[Any]) -> Exception:
        code, text = reply[2:4]
        kind = _ERRORS.get(code, RuntimeError)
        return kind(f"{self.endpoint}: {text}" if issubclass(kind, ConnectionError) else text)


def _send(socket: zmq.Socket[bytes], message: bytes) -> None:
    """Send a message. Raises _Silence on a line that a server has refused, for want of keys."""
    try:
        socket.send(message)
    except zmq.Again:
        raise _Silence from None


def wait_for(seconds: float, *sockets: Any) -> bool:
    """Wait until one of the sockets, or file descriptors, can be read; whether one can be."""
    poller = zmq.Poller()
    for socket in sockets:
        if socket is not None:
            poller.register(socket, zmq.POLLIN)
    return bool(poller.poll(int(1000 * seconds)))


class _Process:
    """This process, by its number. To ask the system takes as long as to read a small reply."""

    def __init__(self) -> None:
        self.note()
        if hasattr(os, "register_at_fork"):  # Windows does not copy processes
            os.register_at_fork(after_in_child=self.note)

    def note(self) -> None:
        self.number = os.getpid()


_process = _Process()


class _SessionSocket:
    """The socket of a session, which outlives its connection for as long as it takes to say bye."""

    def __init__(self) -> None:
        self.socket: zmq.Socket[bytes] | None = None
        self.next = 1  # the number of the next request
        self.ended = False
        self._hold = Hold("connection")
        self.process = _process.number  # sockets cannot be used by a copy of the process

    def check(self, endpoint: str) -> None:
        """Raise RuntimeError if the socket must not be used."""
        if self.ended:
            raise RuntimeError(f"{endpoint}: this connection is closed; make another one")
        if self.process != _process.number:
            raise RuntimeError(f"{endpoint}: made in another process; connect anew in this one")

    def cut(self) -> None:
        if self.socket is not None:
            self.socket.close(linger=0)
            self.socket = None

    def end(self) -> None:
        self.ended = True
        if self.socket is not None and self.process == _process.number:
            with contextlib.suppress(zmq.Again):
                self.socket.send(pack("bye", self.next), zmq.DONTWAIT)
            self.socket.close(linger=200)  # milliseconds for the message to get away
            self.socket = None

    def end_unless_held(self) -> None:
        """End, unless a thread still waits here at the exit of Python and uses the socket."""
        with contextlib.suppress(RuntimeError):
            self.end_alone()

    end_alone = held(end)
