"""``chat:MODEL@URL``: a language model behind an endpoint, which stands in for a real one here."""

from __future__ import annotations

import json
import re
import threading
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from chat_endpoint import Answer, Endpoint, Messages, asked_once, last_move

import mhing
from mhing import arena, players
from mhing.arena import benchmark, words
from mhing.arena.positions import positions
from mhing.cli import main
from mhing.env import CardGameEnv
from mhing.players import chat
from mhing.players.asking import CannotPlay
from mhing.table import Table
from mhing.text import TextTable
from mhing.vector import CardGameVectorEnv

pytestmark = pytest.mark.once

KEY = "sk-a-key-that-nobody-may-read-0123456789"

# ---- Play ---------------------------------------------------------------------------------------


def test_whole_games_in_the_arena_are_chats(url: str, endpoint: Endpoint) -> None:
    def play() -> arena.Result:
        return arena.play([f"it=chat:tiny@{url}", "greedy"], "general_mhing", deals=2, seed=1 << 60)

    result = play()
    it = result.players[0]
    assert (it.forfeits, it.illegal) == (0, 0)
    assert it.latency is not None
    count = len(endpoint.asked)
    counts = (count, count, 100 * count, 7 * count, 0, 0)
    assert it.usage == dict(zip(chat.COUNTS, counts, strict=True))
    assert it.latency.decisions + 1 == count
    assert f"costs of it: questions {count:,}, requests {count:,}, prompt tokens" in "\n".join(
        result.notes()
    )
    assert result.to_dict()["players"][0]["usage"]["requests"] == count
    assert result.to_dict()["players"][1]["usage"] is None
    firsts = [body for body in endpoint.asked if len(body["messages"]) == 2]
    assert len(firsts) == result.games
    for body in endpoint.asked:
        roles = [message["role"] for message in body["messages"]]
        assert roles == ["system", *["user", "assistant"] * (len(roles) // 2 - 1), "user"]
        assert body["model"] == "tiny"
    longest = max((body["messages"] for body in endpoint.asked), key=len)
    first, *later = [one["content"] for one in longest if one["role"] == "user"]
    assert first.startswith("General Mhing, ")
    assert later
    assert not any(text.startswith("General Mhing, ") for text in later)


def test_a_chat_hears_what_a_table_in_words_says(url: str, endpoint: Endpoint) -> None:
    """The same messages as TextTable's, in a game whose moves are the same."""
    game = mhing.Game("mexican_rummy")
    arena.play([f"chat:tiny@{url}", "random"], game, deals=1, seed=1 << 60, field="greedy")
    (longest,) = sorted((body["messages"] for body in endpoint.asked), key=len)[-1:]
    said = [one["content"] for one in longest if one["role"] == "user"]
    for seed in (mhing.arena.seeds.Seeds(1 << 60, None).deal(0),):
        for seat in range(game.num_seats):
            others: list[Any] = ["greedy"] * game.num_seats
            others[seat] = None
            table = TextTable(game, others)
            turn = table.reset(seed)
            if turn.text != said[0]:
                continue
            for text in said:
                assert turn.text == text
                turn = table.step(last_move([{"content": turn.text}]))
            return
    raise AssertionError("no seat was asked what the model was asked")


@pytest.mark.parametrize("game_id", mhing.games())
def test_everywhere_else_each_question_is_whole(game_id: str, url: str, endpoint: Endpoint) -> None:
    name = f"chat:{url}"
    game = mhing.Game(game_id)
    others = game.num_seats - 1
    env: Any = CardGameEnv(game_id, opponents=[name] + ["greedy"] * (others - 1), seat=0)
    _, info = env.reset(seed=1)
    env.step(int(info["action_mask"].argmax()))
    envs = CardGameVectorEnv(2, game=game_id, opponents=name)
    envs.reset(seed=1)
    envs.step(envs.sample_actions())
    table = Table(game, [name] * game.num_seats, seed=1)
    for _ in range(3):
        assert table.choice is not None
        table.play(table.choice)
    assert endpoint.asked
    assert all(len(body["messages"]) == 2 for body in endpoint.asked)
    assert {body["model"] for body in endpoint.asked} == {"tiny"}, "the only one that is listed"


def test_the_positions_of_the_suite_are_asked_in_its_words(url: str, endpoint: Endpoint) -> None:
    replies = ["I dance."]
    endpoint.model = lambda messages: replies.pop() if replies else last_move(messages)
    name = f"chat:tiny@{url}"
    report = words.run(name, tasks=["general_points"], quick=True, legal="all", retries=1)
    assert (report.refused, report.lost, len(report.answers)) == (1, 0, 4)
    assert report.tokens == dict(zip(chat.COUNTS, (5, 5, 500, 35, 0, 0), strict=True))
    first, second = (body["messages"] for body in endpoint.asked[:2])
    (position, *_) = [one for one in positions() if one.task == "general_points"]
    state = position.state()
    assert first[1]["content"] == state.words(state.seat)
    assert second[0] == first[0]
    assert second[1]["content"].startswith("No move was found in 'I dance.'")
    assert second[1]["content"].endswith(first[1]["content"])


def test_jobs_ask_about_several_games_at_once(url: str, endpoint: Endpoint) -> None:
    barrier = threading.Barrier(3, timeout=5)

    def together(messages: Messages) -> str:
        if len(messages) == 2 and not barrier.broken and barrier.n_waiting < 3 and meets:
            meets.pop()
            barrier.wait()
        return last_move(messages)

    meets = [1, 1, 1]
    endpoint.model = together
    name = f"chat:tiny@{url}"
    result = arena.play([name, "random"], "leduc", deals=4, seed=1 << 60, jobs=3)
    assert endpoint.most >= 3
    assert result.players[0].forfeits == 0
    alone = arena.play([name, "random"], "leduc", deals=4, seed=1 << 60)
    assert [one.reward for one in result.players] == [one.reward for one in alone.players]


def test_settings_reach_the_endpoint(url: str, endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.model = lambda _: "I call."
    asked_once(f"chat:a/b:c@{url},temperature=0.5,answer=9,legal=none,rules=none")
    (body,) = endpoint.asked
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("a/b:c", 0.5, 9)
    system, question = body["messages"]
    assert system["content"].startswith("You play Leduc")
    assert "Moves:" not in question["content"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("chat:gpt", "that is no endpoint; write chat:MODEL@https"),
        ("chat:gpt@ftp://x/v1", "no endpoint"),
        (f"chat:gpt@https://user:{KEY}@x/v1", "no endpoint"),
        (f"chat:gpt@https://x/v1?key={KEY}", "no endpoint"),
        ("chat:http://x/v1,tokens=0", "chat: tokens=0 is not a whole number from 1 up"),
        ("chat:http://x/v1,tokens=many", "chat: tokens=many is not a whole"),
        ("chat:http://x/v1,timeout=nan", "chat: timeout=nan is not a number from 0.001 up"),
        ("chat:http://x/v1,token=5", "no setting token; did you mean tokens"),
        ("chat:http://x/v1,url=5", "no setting url"),
        ("chat:http://x/v1,legal=some", "legal: 'some' is none of all, kinds, none"),
        ("chat:http://x/v1,transcript=/none/such", "transcript: /none/such: No such file"),
    ],
)
def test_names_that_are_none(name: str, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)) as caught:
        players.load(name, "leduc")
    assert KEY not in str(caught.value)


def test_the_page_lists_all_settings() -> None:
    page = (
        Path(__file__).parents[3] / "python/docs/pages/tutorials/language_models.md"
    ).read_text()
    table = page.partition("| setting | |\n|---|---|\n")[2].partition("\n\n")[0]
    named = [name for line in table.splitlines() for name in line.split("|")[1].split(",")]
    settings = [one.name for one in fields(chat.ChatSettings)]
    assert [name.strip(" `") for name in named] == settings[2:]


# ---- Failures -----------------------------------------------------------------------------------


def test_what_may_pass_is_tried_again(url: str, endpoint: Endpoint) -> None:
    endpoint.first = [
        (429, {"Retry-After": "0"}, b"slow down"),
        (503, {}, b""),
        (200, {}, b"<html>no JSON"),
        (200, {}, b'{"choices": []}'),
        (200, {}, b'{"choices": [{"message": {"content": 3}}]}'),
        (200, {}, b'{"choices": [{"message": {"tool_calls": [3]}}]}'),
        (0, {}, b""),  # the line is cut
    ]
    player = players.load(f"chat:tiny@{url},retries=7", "leduc")
    assert player.choose(player.game.new_state(seed=1)) in (1, 2)
    policy: Any = player.policy
    assert policy.usage["retries"] == 7
    assert (policy.usage["requests"], policy.usage["questions"]) == (8, 1)
    endpoint.first = [(500, {}, b"broken\nhere")] * 3
    with pytest.raises(chat.ChatError, match=r"/v1: 500: broken here, asked 3 times$"):
        asked_once(f"chat:tiny@{url},retries=2")
    assert endpoint.first == []


def test_what_will_not_pass_is_not_tried_again(url: str, endpoint: Endpoint) -> None:
    endpoint.first = [None, (400, {}, b'{"error": "the context is too long"}')]
    player = players.load(f"chat:tiny@{url}", "leduc")
    state = player.game.new_state(seed=1)
    player.choose(state)
    with pytest.raises(chat.ChatError, match=r"/v1: 400: .*the context is too long"):
        player.choose(state)
    assert len(endpoint.asked) == 2


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ((401, {}, b"no key"), "/v1: 401: no key; is MHING_CHAT_KEY right?"),
        ((404, {}, b"no such model"), "404: no such model; are the address, which often ends in"),
        ((302, {"Location": "/v2"}, b""), "/v1: 302: Found"),
        ((501, {}, b"what?"), "/v1: 501: what?"),
        (None, "refused; does it serve there?"),
        ("tiny", "name a model, chat:MODEL@URL; it has tiny, big"),
        ("tokens", "counts no tokens, so tokens= cannot be kept"),
        ("key", "MHING_CHAT_KEY: it has characters that no header can hold"),
    ],
)
def test_wrong_settings_end_all_at_the_first_question(
    wrong: Answer | str | None,
    words: str,
    url: str,
    endpoint: Endpoint,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In games and for the positions: nothing is played to its end, and nothing forfeited."""
    name = f"chat:tiny@{url}"
    if wrong is None:
        name = "chat:tiny@http://127.0.0.1:9/v1"
    elif wrong == "tiny":
        name, endpoint.names = f"chat:{url}", ["tiny", "big"]
    elif wrong == "tokens":
        name, endpoint.counts = f"{name},tokens=99", False
    elif wrong == "key":
        monkeypatch.setenv(chat.KEY, "\u00fc")
    for line in (
        f"arena it={name} random --game leduc --deals 40 --seed 1 --quiet",
        f"arena it={name} random --game leduc --deals 40 --seed 1 --quiet --jobs 3",
        f"benchmark it={name} --view words --quick",
    ):
        asked = len(endpoint.asked)
        if isinstance(wrong, tuple):
            endpoint.first = [wrong] * 9
        assert main(line.split()) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert words in err
        assert err.count("\n") == 1
        assert len(endpoint.asked) < asked + 10, "some threads may have begun a question"


@pytest.mark.parametrize("setting", ["legal=none", "rules=none", "mistakes=0"])
def test_settings_that_positions_do_not_heed(
    setting: str, url: str, endpoint: Endpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(f"benchmark chat:tiny@{url},{setting} --view words --quick".split()) == 2
    name = setting.partition("=")[0]
    assert f"mhing: chat: {name}= is not for --view words, wh" in capsys.readouterr().err
    assert endpoint.asked == []


def test_an_endpoint_that_says_when_to_ask_again(
    url: str, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(chat, "_MOST", 30.0)
    monkeypatch.setattr(chat.time, "sleep", pauses.append)
    endpoint.first = [
        (429, {"Retry-After": wait}, b"") for wait in ("7", "100", "Sat, 28 Nov 2026 07:00:00 GMT")
    ]
    asked_once(f"chat:tiny@{url}")
    assert pauses[:2] == [7, 30]
    assert pauses[2] < 0.01, "as if nothing were said"


def test_an_endpoint_that_is_to_be_asked_much_later(
    url: str, endpoint: Endpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    """Such as one whose quota is spent: the tournament ends, and its games count."""
    endpoint.first = [None] * 30 + [(429, {"Retry-After": "3600"}, b"no quota")]
    line = f"arena it=chat:tiny@{url} random --game leduc --deals 40 --seed 1 --quiet"
    assert main(line.split()) == 2
    out, err = capsys.readouterr()
    assert f"{url}: 429: no quota; it wants to be asked again in 3,600 seconds" in err
    assert "requests 31," in out
    assert "forfeit" not in out + err


def call(**arguments: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": "play", "arguments": json.dumps(arguments)}}


@pytest.mark.parametrize(
    ("message", "chosen"),
    [
        ({"content": None, "tool_calls": [call(move="raise")]}, "raise"),
        ({"content": "I thought of a call.", "tool_calls": [call(move="raise")]}, "raise"),
        (
            {"content": [{"type": "text", "text": "I "}, {"type": "text", "text": "raise."}]},
            "raise",
        ),
        ({"content": [{"type": "thinking"}, {"type": "text", "text": "I raise."}]}, "raise"),
        ({"content": None, "tool_calls": [call(move="raise"), call(move="call")]}, None),
        ({"content": "I raise.", "tool_calls": [call(move="fold")]}, None),
        ({"content": None}, None),
    ],
)
def test_replies_in_other_forms(
    message: dict[str, Any], chosen: str | None, url: str, endpoint: Endpoint
) -> None:
    """A call of a tool is final, as other structured answers are; nothing is asked twice."""
    endpoint.first = [(200, {}, json.dumps({"choices": [{"message": message}]}).encode())]
    player = players.load(f"chat:tiny@{url},mistakes=0", "leduc")
    state = player.game.new_state(seed=1)
    if chosen is None:
        with pytest.raises(ValueError, match=r"no move|several answers|not legal"):
            player.choose(state)
    else:
        assert player.game.action_text(player.choose(state)) == chosen
    assert len(endpoint.asked) == 1


def test_an_endpoint_that_is_late_or_absent(url: str, endpoint: Endpoint) -> None:
    done = threading.Event()

    def slow(messages: Messages) -> str:
        done.wait(5)
        return last_move(messages)

    endpoint.model = slow
    with pytest.raises(chat.ChatError, match=r"no answer: timed out, asked 2 times"):
        asked_once(f"chat:tiny@{url},timeout=0.05,retries=1")
    done.set()


def test_illegal_replies_are_asked_again_with_the_reason(url: str, endpoint: Endpoint) -> None:
    replies = ["I dance.", "Answer: raise and fold", ""]

    def clumsy(messages: Messages) -> str:
        return replies.pop(0) if replies else last_move(messages)

    endpoint.model = clumsy
    player = players.load(f"chat:tiny@{url},mistakes=3", "leduc")
    policy: Any = player.policy
    assert player.choose(player.game.new_state(seed=1)) in (1, 2)
    assert policy.usage["mistakes"] == 3
    last = endpoint.asked[-1]["messages"]
    assert [one["content"] for one in last[2::2]] == ["I dance.", "Answer: raise and fold", ""]
    assert all(one["content"].endswith("\nMoves: call; raise.\n") for one in last[3::2])
    endpoint.model = lambda _: "I dance."
    with pytest.raises(ValueError, match=r"no move was found in 'I dance\.'"):
        asked_once(f"chat:tiny@{url},mistakes=1")
    result = arena.play({"it": f"chat:tiny@{url}", "other": "random"}, "leduc", deals=1, seed=1)
    it = result.players[0]
    assert it.forfeits == 2
    assert it.illegal == 2
    assert it.usage is not None
    assert it.usage["mistakes"] == 6


def test_the_arena_asks_again_in_the_same_chat(url: str, endpoint: Endpoint) -> None:
    replies = ["I dance."]
    endpoint.model = lambda messages: replies.pop() if replies else last_move(messages)
    name = f"chat:tiny@{url},mistakes=0"
    result = arena.play({"it": name, "other": "random"}, "leduc", deals=1, seed=1, retries=1)
    assert (result.players[0].forfeits, result.players[0].illegal) == (0, 1)
    first, second = endpoint.asked[:2]
    assert second["messages"][: len(first["messages"])] == first["messages"]
    refusal = second["messages"][-1]["content"]
    assert refusal.startswith("No move was found in 'I dance.'. Reply with one of these moves.\n")
    assert refusal.endswith(first["messages"][-1]["content"].rpartition("\n")[2])
    assert "nearest" not in refusal


def test_each_task_of_a_benchmark_has_its_budgets(
    url: str, endpoint: Endpoint, caplog: pytest.LogCaptureFixture
) -> None:
    """One that is spent ends its task alone, about positions as in games."""
    names = ["mhing_credits", "general_points"]
    report = words.run(f"chat:tiny@{url},tokens=321", tasks=names)
    answered = [one.position.task for one in report.answers]
    assert answered == ["mhing_credits"] * 3 + ["general_points"] * 3
    assert report.stopped == "; ".join(
        f"{name}: the budget of 321 tokens is spent" for name in names
    )
    endpoint.first = [(500, {}, b"")]
    with pytest.raises(CannotPlay, match=r"^mhing_credits: the budget of 0\.001 seconds is spent$"):
        words.run(f"chat:tiny@{url},seconds=0.001", tasks=names[:1])
    asked = len(endpoint.asked)
    left = [f"{name}: the budget of 9,999 tokens is spent" for name in names]
    with pytest.raises(ValueError, match=f"^agent: {left[1]}$"):
        benchmark.run(f"chat:tiny@{url},tokens=9999", tasks=names, quick=True)
    assert caplog.messages == [f"{reason}; no deal is over" for reason in left]
    assert len(endpoint.asked) - asked == 2 * 94


def test_budgets(url: str, endpoint: Endpoint, capsys: pytest.CaptureFixture[str]) -> None:
    player = players.load(f"chat:tiny@{url},tokens=200", "leduc")
    state = player.game.new_state(seed=1)
    player.choose(state)
    player.choose(state)
    with pytest.raises(CannotPlay, match=r"^the budget of 200 tokens is spent$"):
        player.choose(state)
    assert len(endpoint.asked) == 2
    timed = players.load(f"chat:tiny@{url},seconds=0.05", "leduc")
    timed.choose(state)
    threading.Event().wait(0.06)
    with pytest.raises(CannotPlay, match=r"^the budget of 0\.05 seconds is spent$"):
        timed.choose(state)
    line = f"arena it=chat:tiny@{url},tokens=5000 random --game leduc --deals 40 --seed 1 --quiet"
    assert main(line.split()) == 2
    out, err = capsys.readouterr()
    assert "the budget of 5,000 tokens is spent" in err
    assert "requests 47," in out
    assert "forfeit" not in out + err


def test_the_time_of_an_answer_has_all_retries() -> None:
    """Three questions of two requests, and a pause between those."""
    name = "chat:model@http://localhost:1/v1,timeout=4,retries=1,mistakes=2"
    player: Any = mhing.players.load(name, "leduc").plays
    assert player.clock == 3 * (2 * 4 + 30)
