"""Programs at a server's tables, by lines of JSON: ``mhing connect`` and the bridge behind it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from remote_bots import GREEDY, First
from server_process import Server

import mhing
from mhing.cli import main
from mhing.cli.serve import find_server
from mhing.remote import Turn
from mhing.remote.bridge import Program


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with Server(tmp_path_factory.mktemp("server")) as server:
        yield server.endpoint


PYTHON_BOT = """
import json, sys
said = open(sys.argv[1], "w")
for line in sys.stdin:
    message = json.loads(line)
    said.write(message["type"] + "\\n")
    if message["type"] == "start":
        assert message["description"]["id"] == message["game"]
    if message["type"] == "turn":
        assert sum(message["observation"]["hand"]) > 0
        assert len(message["legal"]) == len(message["ids"])
        action = message["ids" if message["turn"] % 2 else "legal"][0]
        print(json.dumps({"turn": message["turn"], "action": action}), flush=True)
"""

SHELL_BOT = """
while read -r line; do
    case $line in
    '{"type": "turn"'*)
        turn=${line#*'"turn": '}
        legal=${line#*'"legal": ["'}
        echo "{\\"turn\\": ${turn%%,*}, \\"action\\": \\"${legal%%'"'*}\\"}" ;;
    esac
done
"""


def connect(endpoint: str, command: str, *options: str) -> int:
    return main(["connect", endpoint, f"exec:{command}", "--bots", ",".join(GREEDY), *options])


def test_other_programs_play(
    endpoint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bot.py").write_text(PYTHON_BOT)
    (tmp_path / "bot.sh").write_text(SHELL_BOT)
    expected = First().play(endpoint, bots=GREEDY, seed=21, games=2)
    python = f"'{sys.executable}' '{tmp_path}/bot.py' '{tmp_path}/said'"
    for command in (python, f"sh '{tmp_path}/bot.sh'"):
        assert connect(endpoint, command, "--seed", "21", "--games", "2", "--json") == 0
        end = json.loads(capsys.readouterr().out)
        assert end["returns"] == expected["returns"]
        assert end["totals"][0]["missed"] == 0
    said = (tmp_path / "said").read_text().split()
    assert said[0] == "start"
    assert set(said) == {"start", "turn", "round", "end"}
    assert connect(endpoint, python, "--name", "ann", "--seed", "21") == 0
    header, ann, other, *_ = capsys.readouterr().out.splitlines()
    assert header.split()[-4:-2] == ["missed", "substituted"]
    assert ann.startswith("ann ")
    assert ann.split()[-4:] == ["0"] * 4
    assert other.split()[-4:] == ["-"] * 4


HALTING_BOT = """
import os, sys, time
print("I am a bot", flush=True)
os.write(1, b"\\xff\\n")
turns = 0
for line in sys.stdin:
    if not line.startswith('{"type": "turn"'):
        continue
    turns += 1
    if turns == 2 and sys.argv[1] == "closes":
        os.close(1)
    elif turns == 2 and sys.argv[1] == "sleeps":
        time.sleep(2)
    number = line.split('"turn": ')[1].split(",")[0]
    first = line.split('"ids": [')[1].split(",")[0].split("]")[0]
    if turns != 2 or sys.argv[1] != "silent":
        print(f'{{"turn": {number}, "action": {first}}}', flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("how", "clock"), [("silent", "100"), ("sleeps", "1500")])
def test_a_program_that_does_not_answer_in_time(
    endpoint: str, tmp_path: Path, how: str, clock: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bot.py").write_text(HALTING_BOT)
    command = f"'{sys.executable}' '{tmp_path}/bot.py' {how}"
    assert connect(endpoint, command, "--seed", "21", "--clock", clock, "--json") == 0
    end = json.loads(capsys.readouterr().out)
    missed = end["totals"][0]["missed"]
    assert 1 <= missed <= 5 if how == "sleeps" else missed >= 1


def test_an_answer_is_to_the_turn_that_it_names(caplog: pytest.LogCaptureFixture) -> None:
    """A late one is never the answer to the next question, nor is any other line."""
    game = mhing.Game("mhing")
    state = game.new_state(1)
    question = (state.observation().tobytes(), state.action_mask().tobytes(), [])
    lines = [
        "a bot", "4", "[2, 4]", "{}", '{"action": 4}', '{"turn": 2}', '{"turn": 2, "action": true}',
        '{"turn": true, "action": 4}', '{"turn": "2", "action": 4}', '{"turn": 3, "action": 5}',
        '{"turn": 1, "action": 6}', '{"turn": 2, "action": 7}',
    ]  # fmt: skip
    answers = f"""import sys
sys.stdin.readline()
sys.stdin.readline()
print(*{lines!r}, sep="\\n", flush=True)
sys.stdin.read()"""
    with Program("slow", [sys.executable, "-c", answers]) as program:
        program.game = game
        assert program.act(Turn(game, 1, 0, *question)) == ""
        assert program.act(Turn(game, 2, 60_000, *question)) == 7
    assert caplog.messages == [
        f"slow: it wrote {line!r}, which is no answer; one to this question is "
        '{"turn": 2, "action": "..."}'
        for line in lines[:-1]
    ]


def test_lines_that_are_no_answers_are_reported_until_there_are_many(
    caplog: pytest.LogCaptureFixture,
) -> None:
    game = mhing.Game("mhing")
    state = game.new_state(1)
    question = (state.observation().tobytes(), state.action_mask().tobytes(), [])
    code = """import sys
for _ in range(2):
    sys.stdin.readline()
    for number in range(15):
        print("card", number)
    print('{"turn": %d, "action": 4}' % (_ + 1), flush=True)
sys.stdin.read()"""
    with Program("chatty", [sys.executable, "-c", code]) as program:
        program.game = game
        for turn in (1, 2):
            assert program.act(Turn(game, turn, 60_000, *question)) == 4
    assert len(caplog.messages) == 20
    reported = [line.endswith("; no more such lines are reported") for line in caplog.messages]
    assert reported == [False] * 19 + [True]


LATE_BOT = """
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "refused":
        print(message["code"], file=open(sys.argv[1], "a"), flush=True)
    if message["type"] == "turn":
        if message["turn"] == 2:
            time.sleep(message["left"] / 1000 + 0.3)
        # The late answer is another one: if it were taken for the next, another game were played.
        action = message["ids"][-1 if message["turn"] == 2 else 0]
        print(json.dumps({"turn": message["turn"], "action": action}), flush=True)
"""


@pytest.mark.slow
def test_an_answer_that_comes_late(
    endpoint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Late(First):
        def act(self, turn: Turn) -> int | str:
            if turn.number == 2:
                time.sleep(turn.left / 1000 + 0.1)
            return super().act(turn)

    expected = Late().play(endpoint, bots=GREEDY, seed=21, games=2, clock=1200)
    (tmp_path / "bot.py").write_text(LATE_BOT)
    command = f"'{sys.executable}' '{tmp_path}/bot.py' '{tmp_path}/refused'"
    terms = ("--seed", "21", "--games", "2", "--clock", "1200", "--json")
    assert connect(endpoint, command, *terms) == 0
    end = json.loads(capsys.readouterr().out)
    assert end["returns"] == expected["returns"]
    assert [total.get("missed") for total in end["totals"]] == [1, None, None, None]
    assert (tmp_path / "refused").read_text() == "late\n"


@pytest.mark.slow
def test_a_program_that_closes_its_output(
    endpoint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bot.py").write_text(HALTING_BOT.replace("print(f", "turns > 1 or print(f"))
    command = f"'{sys.executable}' '{tmp_path}/bot.py' closes"
    assert connect(endpoint, command, "--seed", "21") == 2
    assert "closed its output" in capsys.readouterr().err


@pytest.mark.parametrize("guest", [True, False])
def test_a_program_that_ends_while_it_waits(
    endpoint: str, guest: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        mhing.connect(endpoint, timeout=0.2) as connection,
        Program("dead", [sys.executable, "-c", "raise SystemExit(3)"]) as program,
    ):
        asks, request = iter(range(30)), connection.request

        def bounded(*words: Any) -> Any:
            next(asks)  # it does not wait for ever
            return request(*words)

        monkeypatch.setattr(connection, "request", bounded)
        wait: Callable[..., Any] = partial(program.play, table="nobody-else")
        if guest:
            wait = program.wait
        with pytest.raises(RuntimeError, match=r"it has ended before .* with exit code 3"):
            wait(connection)


def test_answers_of_other_types(endpoint: str) -> None:
    class Numpy(First):
        def act(self, turn: Turn) -> int | str:
            super().act(turn)
            return np.int64(turn.legal_actions[0])  # type: ignore[return-value]

    end = Numpy().play(endpoint, bots=GREEDY)
    assert end["totals"][0]["missed"] == 0

    for wrong, error in ((1.5, TypeError), (None, TypeError), (1 << 70, ValueError)):

        class Wrong(First):
            answer: Any = wrong

            def act(self, turn: Turn) -> int | str:
                return self.answer

        with pytest.raises(error, match="act"):
            Wrong().play(endpoint, bots=GREEDY, seed=1)


def test_terms_that_there_are_not(endpoint: str) -> None:
    with pytest.raises(TypeError, match="gmaes"):
        First().play(endpoint, bots=GREEDY, gmaes=3)


def test_a_player_that_waits_hears_so(endpoint: str) -> None:
    command = [sys.executable, "-m", "mhing", "connect", endpoint, "exec:cat"]
    command += ["--table", "lonely", "--bots", "greedy"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as waiting:
        assert waiting.stderr is not None
        assert waiting.stderr.readline() == "cat: table lonely waits for 2 more\n"
        waiting.terminate()
    limit = time.monotonic() + 20
    with mhing.connect(endpoint) as connection:
        while "lonely" in [table["table"] for table in connection.tables()]:
            assert time.monotonic() < limit
            time.sleep(0.01)


def test_connect_with_keys(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs = []
    for name in ("server", "own"):
        (tmp_path / name).write_text(
            subprocess.check_output([find_server(), "--keygen"], text=True)
        )
        (tmp_path / name).chmod(0o600)
        pairs.append(dict(line.split() for line in (tmp_path / name).read_text().splitlines()))
    (tmp_path / "allowed").write_text(pairs[1]["public"])
    (tmp_path / "bot.sh").write_text(SHELL_BOT)
    options = ["--curve-secret", str(tmp_path / "server"), "--allow", str(tmp_path / "allowed")]
    with Server(tmp_path, *options) as server:
        keys = ["--server-key", pairs[0]["public"], "--key", str(tmp_path / "own")]
        assert connect(server.endpoint, f"sh '{tmp_path}/bot.sh'", *keys) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("sh ")


@pytest.mark.parametrize(("option", "heard"), [("--no-reveal", False), ("--reveal", True)])
def test_connect_to_a_table_that_tells_no_seeds(
    endpoint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str, heard: bool
) -> None:
    (tmp_path / "bot.sh").write_text(SHELL_BOT)
    assert connect(endpoint, f"sh '{tmp_path}/bot.sh'", "--json", option) == 0
    end = json.loads(capsys.readouterr().out)
    assert end["over"]
    assert ("seeds" in end) == ("secret" in end) == heard


@pytest.mark.parametrize(
    ("command", "options", "words"),
    [
        ("", [], "exec: names no program"),
        ("/nowhere/bot", [], "/nowhere/bot cannot be started"),
        ("true", [], "true: it has ended before the series was over, with exit code 0"),
        ("cat", ["--games", "0"], "--games: '0'"),
        ("cat", ["--games", "10001"], "games: 10001 is not from 1 to 10000"),
        ("cat", ["--players", "9"], "num_players"),
        ("cat", ["--game", "chess"], "chess"),
        ("cat", ["--option", "seven_pairs"], "NAME=VALUE"),
        ("cat", ["--table", "no spaces"], "table"),
        ("cat", ["--guest", "a"], "--bots: the host of a guest decides that; leave it out"),
        ("cat", ["--server-key", "x" * 40], "secret_key"),
        ("cat", ["--key", "/nowhere/key"], "--key: '/nowhere/key' does not exist"),
        ("cat", ["--key", __file__], "secret KEY"),
        ("cat 'quoted", [], "quotation"),
    ],
)
def test_connect_with_bad_input(
    endpoint: str,
    command: str,
    options: list[str],
    words: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    try:
        code = connect(endpoint, command, *options)
    except SystemExit as end:
        code = end.code
    out, err = capsys.readouterr()
    assert code == 2
    assert out == ""
    assert err.count("\n") == 1
    assert words in err
