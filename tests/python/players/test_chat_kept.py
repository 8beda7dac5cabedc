"""The exchange with ``chat:MODEL@URL`` in transcripts and records, which never have the key."""

from __future__ import annotations

import json
import logging
import stat
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from chat_endpoint import Endpoint, Messages, asked_once, last_move

import mhing
from mhing import arena, players, records
from mhing.cli import main
from mhing.players import chat
from mhing.players.asking import CannotPlay
from mhing.recorder import Recorder
from mhing.table import Table
from mhing.text import TextTable

pytestmark = pytest.mark.once

KEY = "sk-a-key-that-nobody-may-read-0123456789"

# ---- The key ------------------------------------------------------------------------------------


def test_the_key_leaks_nowhere(
    url: str,
    endpoint: Endpoint,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The endpoint says it wherever it can: in replies, in errors, in what is no completion."""
    monkeypatch.setenv(chat.KEY, f"{KEY}\n")
    caplog.set_level(logging.DEBUG)
    leak = f"Your key is {KEY}."
    endpoint.model = lambda messages: f"{leak} {last_move(messages)}"
    transcript = tmp_path / "chat.jsonl"
    name = f"chat:tiny@{url},transcript={transcript},retries=0"
    log, record = tmp_path / "log", tmp_path / "record.jsonl"
    arena_line = f"arena it={name} random --game leduc --deals 2 --seed 1 --log {log} --json"
    assert main(arena_line.split()) == 0
    assert main(f"record leduc --bots {name},random --games 1 --out {record}".split()) == 0
    assert {*endpoint.keys} == {f"Bearer {KEY}"}
    errors = []
    for answer in ((401, {}, leak.encode()), (500, {}, leak.encode()), (200, {}, leak.encode())):
        endpoint.first = [answer]
        with pytest.raises((chat.ChatError, CannotPlay)) as caught:
            asked_once(name)
        errors.append(repr(caught.value) + repr(caught.value.__context__))
    endpoint.first = [(302, {"Location": f"{url}/stolen"}, b"")]
    with pytest.raises(CannotPlay, match="302"):
        asked_once(name)
    escaped = "".join(f"\\u{ord(sign):04x}" for sign in f"{leak} Answer: call")
    message = f'{{"choices": [{{"message": {{"content": "{escaped}"}}}}]}}'
    endpoint.first = [(200, {}, message.encode())]
    assert asked_once(name) == 1
    player = players.load(name, "leduc")
    out, err = capsys.readouterr()
    for text in (
        out, err, caplog.text, *errors, repr(player), repr(player.policy), str(vars(player.policy)),
        transcript.read_text(), log.read_text(), record.read_text(),
    ):  # fmt: skip
        assert KEY not in text
    for kept in (transcript, record):
        assert "Your key is ***." in kept.read_text()


def test_a_key_that_no_header_can_hold(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for wrong in (f"{KEY}\n{KEY}", f"{KEY}\u00fc"):
        monkeypatch.setenv(chat.KEY, wrong)
        with pytest.raises(CannotPlay) as caught:
            asked_once(f"chat:tiny@{url}")
        assert str(caught.value) == "MHING_CHAT_KEY: it has characters that no header can hold"


# ---- Transcripts --------------------------------------------------------------------------------


def test_a_transcript_has_every_message_once(url: str, endpoint: Endpoint, tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    name = f"chat:tiny@{url},transcript={path}"
    arena.play([name, "greedy"], "general_mhing", deals=1, seed=1 << 60)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(lines) == len(endpoint.asked)
    chats: dict[Any, Messages] = {}
    for line, body in zip(lines, endpoint.asked, strict=True):
        assert [*line] == ["game", "seat", "answer", "messages", "seconds"]
        said = chats.setdefault((line["game"], line["seat"]), [])
        said += line["messages"]
        assert said[:-1] == body["messages"]
        assert said[-1]["role"] == "assistant"
        assert isinstance(line["answer"], int)


def test_a_transcript_has_failed_questions(url: str, endpoint: Endpoint, tmp_path: Path) -> None:
    """With the messages so far, and why there is no answer."""
    path = tmp_path / "chat.jsonl"
    endpoint.model = lambda messages: "Hm."
    player = players.load(f"chat:tiny@{url},transcript={path}", "leduc")
    endpoint.first = [None, (400, {}, b"too long"), (400, {}, b"too long")]
    policy: Any = player.policy
    with pytest.raises(chat.ChatError, match="too long"):
        player.choose(player.game.new_state(seed=1))
    with pytest.raises(chat.ChatError, match="too long"):
        policy("What now?", None, {"seat": 1, "system": "Rules."})
    one, other = [json.loads(line) for line in path.read_text().splitlines()]
    assert [message["role"] for message in one["messages"]] == [
        "system", "user", "assistant", "user",
    ]  # fmt: skip
    assert (one["answer"], one["error"]) == (None, f"{url}: 400: too long")
    assert [message["content"] for message in other["messages"]] == ["Rules.", "What now?"]
    assert (other["seat"], other["answer"], other["error"]) == (1, None, f"{url}: 400: too long")


@pytest.mark.parametrize("jobs", [1, 3])
def test_records_have_what_a_model_has_said(
    jobs: int, url: str, endpoint: Endpoint, tmp_path: Path
) -> None:
    """All replies to each question, those that were no moves before the one that was."""
    said: list[str] = []

    def clumsy(messages: Messages) -> str:
        reply = "I dance." if len(said) % 3 == 0 else last_move(messages)
        said.append(reply)
        return reply

    endpoint.model = clumsy
    path, name = tmp_path / "games.jsonl", f"chat:tiny@{url}"
    line = f"record general_mhing --bots {name},greedy --games 3 --jobs {jobs} --out {path}"
    assert main(line.split()) == 0
    found: list[str] = []
    for record in records.records(path):
        for move, _ in record.replay():
            found += move.replies
            if record.players[move.seat] == "greedy":
                assert move.replies == ()
            elif move.replies:
                *refused, last = move.replies
                assert last.rpartition("Answer: ")[2] == move.text
                assert all(reply == "I dance." for reply in refused)
    assert Counter(found) == Counter(said)
    if jobs == 1:
        assert found == said


def test_tables_keep_what_a_model_has_said(url: str, endpoint: Endpoint, tmp_path: Path) -> None:
    """As the terminal, the page and TextTable write it into records."""
    replies = ["I dance."]
    endpoint.model = lambda messages: replies.pop() if replies else "I call."
    table = Table(mhing.Game("leduc"), [f"chat:tiny@{url}", None], seed=1)
    while not table.state.is_terminal:
        choice = table.choice
        table.play(1 if choice is None else choice)
    by_seat = [[one.replies for one in table.played if one.seat == seat] for seat in (0, 1)]
    assert by_seat == [[("I dance.", "I call."), ("I call.",)], [(), ()]]
    texts = TextTable("leduc", ["random", None])
    turn = texts.reset(seed=1)
    while not turn.is_over:
        turn = texts.step("Hm." if turn.refusal is None else "I call.")
    assert {one.replies for one in texts.table.played if one.seat == 1} == {("Hm.", "I call.")}
    path = tmp_path / "record.jsonl"
    with Recorder(path) as recorder:
        recorder.begin(table.game, 1, ["it", "me"])
        for one in table.played:
            recorder.move(one.seat, one.action, one.by, one.seed, one.replies)
        recorder.move(0, 1, replies=["x" * 10**6, "I call."])
    moves = records.Record(path).moves
    assert [move.replies for move in moves[:-1]] == [one.replies for one in table.played]
    assert [len(reply) for reply in moves[-1].replies] == [50_000, 7]
