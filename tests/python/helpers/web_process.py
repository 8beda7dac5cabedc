"""`mhing web` in a separate process, for the tests of the application."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

COOKIE = "mhing=the-tests-own-cookie--"
"""The cookie that the tests' browser already has when it is welcomed."""

ADDRESS = re.compile(r"(http://127\.0\.0\.1:(\d+))/\?token=(\S+)\n")


class WebProcess:
    """The running command, ended at the end of a ``with``; nothing may be on its stderr."""

    def __init__(self, saves: Path, *options: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "mhing", "web", "--no-open", "--saves", saves, *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._process.stdout
        self.link = self._process.stdout.readline()
        found = ADDRESS.fullmatch(self.link)
        if not found:
            raise AssertionError(f"no address: {self.link!r} {self._process.communicate()[1]}")
        self.address, self.port, self.token = found[1], int(found[2]), found[3]
        self.advice = self._process.stdout.readline()
        self._cookie = ""

    @property
    def cookie(self) -> str:
        """The cookie of a browser after it was welcomed."""
        if not self._cookie:
            self._cookie = self.welcome(COOKIE)
        return self._cookie

    def welcome(self, cookie: str = "") -> str:
        """The cookie of a browser that shows the token, and maybe a cookie that it has."""
        status, headers, _ = self.ask("/?token=" + self.token, {}, cookie=cookie)
        assert status == 303
        return headers["set-cookie"].partition(";")[0]

    def ask(
        self,
        path: str,
        headers: Mapping[str, str],
        content: object = None,
        cookie: str | None = None,
    ) -> tuple[int, dict[str, str], str]:
        """The status, headers and text of an answer; `content` is sent as JSON by POST."""
        data = None if content is None else json.dumps(content).encode()
        given = {"Cookie": self.cookie if cookie is None else cookie, **headers}
        request = urllib.request.Request(f"{self.address}{path}", data, given)
        try:
            with _Opener.open(request) as answer:
                return answer.status, _lower(answer.headers), answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, _lower(error.headers), error.read().decode()

    def begin(self, cookie: str | None = None, **settings: Any) -> str:
        """Begins a session, of the browser with this cookie, and returns its id."""
        content = {"kind": "play", "seed": "1", **settings}
        status, _, text = self.ask("/sessions", {"Origin": self.address}, content, cookie)
        assert status == 201, text
        id: str = json.loads(text)["id"]
        return id

    def line(self, id: str, first: str = "", **headers: str | None) -> ClientConnection:
        """A line to a session, as a page has it; a header that is None is left out.

        `first`: what the session is to know before its first view, such as "?shape=portrait".
        """
        return self.line_at(f"/at/{id}/line{first}", **headers)

    def line_at(self, path: str, **headers: str | None) -> ClientConnection:
        """A line of that address."""
        given = {"Cookie": self.cookie, "Origin": self.address, **headers}
        return connect(
            f"ws://127.0.0.1:{self.port}{path}",
            additional_headers={name: one for name, one in given.items() if one is not None},
        )

    def kill(self) -> None:
        """As when the power goes."""
        self._process.kill()
        self._process.communicate()

    def stop(self, number: int = signal.SIGINT) -> None:
        """As Ctrl-C does, or another signal."""
        self._process.send_signal(number)
        _, errors = self._process.communicate(timeout=20)
        assert errors == ""
        assert self._process.returncode == 0

    def __enter__(self) -> WebProcess:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if self._process.poll() is not None:
            return
        if kind is None:
            self.stop()
        else:
            self.kill()


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


_Opener = urllib.request.build_opener(_Stay)


def _lower(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}
