"""An endpoint such as OpenAI's whose model is a script: a move by chance, now and then nonsense."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from typing import Any

NONSENSE = "Hm, let me see."


def moves_in(question: str) -> list[str]:
    """The legal moves that a question or a refusal lists."""
    listed = question.rpartition("oves: ")[2].partition("\n")[0].partition(". ")[0].rstrip(".")
    found = []
    for kind in listed.split("; "):
        first, *others = kind.split(", ")
        verb = first.rpartition(" ")[0]
        found += [first, *(f"{verb} {other}".strip() for other in others)]
    return found


def text_of(message: dict[str, Any]) -> str:
    """The text of a message, which may be in parts."""
    content = message["content"]
    text: str = content if isinstance(content, str) else content[0]["text"]
    return text


class Model:
    """The requests that it was sent, and its replies."""

    def __init__(self, mistakes: float = 0.1) -> None:
        self.rng, self.mistakes = Random(1), mistakes
        self.asked: list[list[dict[str, Any]]] = []
        self.said: list[str] = []

    def reply(self, messages: list[dict[str, Any]]) -> str:
        moves = moves_in(text_of(messages[-1]))
        is_wrong = self.rng.random() < self.mistakes
        self.asked.append(messages)
        self.said.append(NONSENSE if is_wrong else f"I'll {self.rng.choice(moves)}.")
        return self.said[-1]


@contextmanager
def serving(model: Model) -> Iterator[str]:
    """Its address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            said = model.reply(asked["messages"])
            facts = {"id": "1", "created": 1, "model": asked["model"]}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            choice: dict[str, Any] = {"index": 0, "finish_reason": "stop"}
            message = {"role": "assistant", "content": said}
            if asked.get("stream"):
                kind, choice["delta"] = "chat.completion.chunk", message
            else:
                kind, choice["message"] = "chat.completion", message
            answer = json.dumps({"object": kind, "choices": [choice], "usage": usage, **facts})
            content_type = "application/json"
            if asked.get("stream"):
                answer, content_type = f"data: {answer}\n\ndata: [DONE]\n\n", "text/event-stream"
            self.send_response(200)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(answer.encode())))
            self.end_headers()
            self.wfile.write(answer.encode())

        def log_message(self, *_: Any) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        server.shutdown()
