"""A server in a separate process, and a client that speaks to it, for the server's tests."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sysconfig
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgpack
import zmq


def executable() -> str:
    """The server beside this interpreter, or the one of the variable; the tests need it."""
    found = os.environ.get("MHING_TEST_SERVER")
    found = found or shutil.which("mhing-server", path=sysconfig.get_path("scripts"))
    assert found, "mhing-server was not built: install libzmq3-dev libmsgpack-dev, then Mhing again"
    return found


def lasting_endpoint() -> str:
    """An address of tcp at which a server can be started again: no port that the system might give
    to a client meanwhile."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as first, socket.socket() as second, suppress(OSError):
            first.bind(("127.0.0.1", port))
            second.bind(("127.0.0.1", port + 1))  # for spectators
            return f"tcp://127.0.0.1:{port}"


class Server:
    """A running ``mhing-server``, stopped at the end of a ``with``.

    `endpoint` None: an ipc socket in `folder`. `open_seeds`: players may give seeds to each other,
    so that tests know the cards.
    """

    def __init__(
        self, folder: Path, *options: str, endpoint: str | None = None, open_seeds: bool = True
    ) -> None:
        self.arguments = [executable(), "--bind", endpoint or f"ipc://{folder}/socket"]
        self.arguments += ["--open-seeds"] * open_seeds
        self.arguments += options
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            self.arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stdout
        assert self.process.stderr
        ready = self.process.stdout.readline().split()
        if not ready:
            raise AssertionError(f"the server did not start: {self._reap()[1]}")
        assert ready[0] == "ready"
        self.endpoint = ready[1]

    def kill(self) -> None:
        """As when the power goes: it has no time for anything.

        Checks that a sanitizer had nothing to report until then: with a signal for a status, only
        the words tell.
        """
        self.process.kill()
        assert self._reap()[1] == ""

    def stop(self) -> None:
        """Ends it as a user does, and checks that it ended well."""
        self.process.send_signal(signal.SIGTERM)
        assert self._reap() == (0, "")

    def _reap(self) -> tuple[int, str]:
        assert self.process.stdout
        assert self.process.stderr
        code, words = self.process.wait(timeout=30), self.process.stderr.read()
        self.process.stdout.close()
        self.process.stderr.close()
        return code, words

    def memory(self) -> int:
        """Resident bytes; 0 under a sanitizer, whose own memory would be counted."""
        process = Path(f"/proc/{self.process.pid}")
        if re.search(r"lib(a|t)san", (process / "maps").read_text()):
            return 0
        return int((process / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def __enter__(self) -> Server:
        return self

    def __exit__(self, kind: object, *rest: object) -> None:
        if self.process.returncode is None:
            if kind:
                self.kill()
            else:
                self.stop()


class Client:
    """One connection, and the session that it has said hello for.

    Calls return the whole reply, ``["ok", seq, ...]`` or ``["error", seq, code, text]``.
    """

    def __init__(self, endpoint: str, **settings: Any) -> None:
        self.context = zmq.Context.instance()
        self.endpoint = endpoint
        self.settings = settings
        self.seq = 0
        self.token: bytes | None = None
        self.connect()

    def connect(self) -> None:
        self.socket = self.context.socket(zmq.DEALER)
        self.socket.linger = 0
        for name, value in self.settings.items():
            setattr(self.socket, name, value)
        self.socket.connect(self.endpoint)

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(self, *message: Any) -> None:
        self.socket.send(msgpack.packb(list(message)))

    def receive(self, timeout: float = 20) -> list[Any] | None:
        """The next message; None: there was none within `timeout` seconds."""
        if not self.socket.poll(int(timeout * 1000)):
            return None
        message: list[Any] = msgpack.unpackb(self.socket.recv())
        return message

    def ask(self, *message: Any) -> list[Any]:
        """Sends a message and waits for the next one."""
        self.send(*message)
        reply = self.receive()
        assert reply is not None, f"no reply to {message[0]}"
        return reply

    def hello(self, **keys: Any) -> list[Any]:
        """Says hello, with the token if there is one; afterwards :meth:`__call__` can be used."""
        if self.token is not None:
            keys.setdefault("token", self.token)
        reply = self.ask("hello", 0, keys)
        if reply[0] == "ok":
            self.welcome = reply[2]
            self.token, self.seq = self.welcome["token"], self.welcome["next"] - 1
        return reply

    def __call__(self, name: str, *arguments: Any) -> list[Any]:
        """The next request and its reply."""
        self.seq += 1
        return self.ask(name, self.seq, *arguments)

    def start_rows(self, **keys: Any) -> int:
        """Makes an environment and resets it with seeds from 1 on; returns its number."""
        made = self("make", keys)
        assert made[0] == "ok", made
        assert self("reset", made[2], 1)[0] == "ok"
        env: int = made[2]
        return env
