"""An endpoint of chat completions that stands in for a real one, and the fixtures that serve it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from mhing import players
from mhing.players import chat

Messages = list[dict[str, str]]
Model = Callable[[Messages], str]
Answer = tuple[int, dict[str, str], bytes]


def last_move(messages: Messages) -> str:
    """A model that chooses the last of the listed moves."""
    asked = next(one for one in reversed(messages) if "Moves: " in one["content"])
    kind = asked["content"].rpartition("Moves: ")[2].strip(". \n").split("; ")[-1]
    action, _, cards = kind.partition(" ")
    return f"I choose this.\nAnswer: {action} {cards.split(', ')[-1]}".rstrip()


class Endpoint:
    """An endpoint of chat completions; each model call is counted and kept."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.first: list[Answer | None] = []
        """Answers to the first requests instead of the model's; None: its own."""
        self.counts = True
        self.names = ["tiny"]
        self.at_once = self.most = 0
        self._lock = threading.Lock()

    def answer(self, path: str, body: dict[str, Any] | None, key: str | None) -> Answer:
        with self._lock:
            self.keys.append(key)
            if path == "/v1/models":
                return self._json({"data": [{"id": name} for name in self.names]})
            assert path == "/v1/chat/completions"
            assert body is not None
            self.asked.append(body)
            if self.first and (given := self.first.pop(0)) is not None:
                return given
            self.at_once += 1
            self.most = max(self.most, self.at_once)
        message = {"role": "assistant", "content": self.model(body["messages"])}
        with self._lock:
            self.at_once -= 1
        answer: dict[str, Any] = {"choices": [{"index": 0, "message": message}]}
        if self.counts:
            answer["usage"] = {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107}
        return self._json(answer)

    @staticmethod
    def _json(content: Any) -> Answer:
        return 200, {}, json.dumps(content).encode()


@contextmanager
def serving(endpoint: Endpoint) -> Iterator[str]:
    """The address of an endpoint that is served."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._respond(None)

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            self._respond(json.loads(self.rfile.read(length)))

        def _respond(self, body: dict[str, Any] | None) -> None:
            status, headers, content = endpoint.answer(
                self.path, body, self.headers.get("Authorization")
            )
            if status:
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def endpoint() -> Endpoint:
    return Endpoint(last_move)


@pytest.fixture
def url(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.delenv(chat.KEY, raising=False)
    monkeypatch.setattr(chat, "_FIRST", 0.001)
    monkeypatch.setattr(chat, "_MOST", 0.01)
    with serving(endpoint) as address:
        yield address


def asked_once(name: str, game: str = "leduc") -> int:
    player = players.load(name, game)
    return player.choose(player.game.new_state(seed=1))
