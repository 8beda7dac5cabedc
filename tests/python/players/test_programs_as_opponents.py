"""Programs as opponents in environments and batches: what they hear, and when they end."""

from __future__ import annotations

import gc
import json
import re
import subprocess
import sys
from collections.abc import Callable
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mhing import arena
from mhing.env import CardGameEnv
from mhing.players import Pool, programs
from mhing.vector import CardGameVectorEnv

PROGRAM = """
import json, os, sys
log = open(f"{sys.argv[1]}/{os.getpid()}", "a")
for line in sys.stdin:
    message = json.loads(line)
    log.write(line)
    log.flush()
    if message["type"] == "turn":
        TURN
        print(json.dumps({"turn": message["turn"], "action": message["legal"][-1]}), flush=True)
log.write('{"type": "over"}')
log.close()
"""


@pytest.fixture
def program(tmp_path: Path) -> Callable[..., str]:
    def write(turn: str = "pass", name: str = "bot.py") -> str:
        (tmp_path / name).write_text(PROGRAM.replace("TURN", turn))
        (tmp_path / "log").mkdir(exist_ok=True)
        return f"exec:{sys.executable} {tmp_path / name} {tmp_path / 'log'}"

    return write


def heard(tmp_path: Path) -> list[list[dict[str, Any]]]:
    """The lines that each process has heard."""
    files = (tmp_path / "log").iterdir()
    return [[json.loads(line) for line in file.read_text().splitlines()] for file in files]


def last(observation: Any, mask: Any, info: Any) -> int:
    return int(mask.nonzero()[0][-1])


def in_env(game: str, opponents: Any, steps: int, **options: Any) -> list[bytes]:
    env = CardGameEnv(game, opponents=opponents, **options)
    seen = [env.reset(seed=3)[0]]
    rng = np.random.default_rng(1)
    for _ in range(steps):
        observation, _, over, _, _ = env.step(int(rng.choice(env.legal_actions())))
        seen += [observation, env.reset()[0]] if over else [observation]
    env.close()
    return [one.tobytes() for one in seen]


def in_batch(game: str, opponents: Any, steps: int, **options: Any) -> list[bytes]:
    envs = CardGameVectorEnv(3, game=game, opponents=opponents, **options)
    seen = [envs.reset(seed=1)[0]]
    seen += [envs.step(envs.sample_actions())[0] for _ in range(steps)]
    envs.close()
    return [one.tobytes() for one in seen]


@pytest.mark.parametrize("door", [in_env, in_batch])
@pytest.mark.parametrize("game", ["mhing", "general_mhing", "leduc"])
def test_a_program_plays_like_a_callable(
    door: Callable[..., list[bytes]], game: str, program: Callable[..., str]
) -> None:
    assert door(game, program(), 25) == door(game, last, 25)


def test_a_program_in_a_pool(program: Callable[..., str]) -> None:
    def first(observation: Any, mask: Any, info: Any) -> int:
        return int(mask.argmax())

    programs = program(), program("message['legal'].reverse()", "first.py")
    pools = [Pool({"one": one, "other": other}) for one, other in (programs, (last, first))]
    assert in_batch("leduc", pools[0], 40) == in_batch("leduc", pools[1], 40)
    assert pools[0].report() == pools[1].report()
    assert pools[0].report()["one"].episodes > 5


def test_what_a_program_hears(tmp_path: Path, program: Callable[..., str]) -> None:
    """Games from their start, rounds, and all events once."""
    options = {"episode": "game", "rounds": 3, "seat": 0}
    in_env("mhing", [program(), "random", "greedy"], 150, **options)
    (messages,) = heard(tmp_path)
    assert messages.pop() == {"type": "over"}
    kinds = [message["type"] for message in messages]
    assert kinds[:2] == ["start", "turn"]
    assert kinds.count("start") > 2
    assert kinds.count("round") > 2
    assert [one["number"] for one in messages if one["type"] == "start"] == [
        *range(1, kinds.count("start") + 1)
    ]
    turns = 0
    for message in messages:
        if message["type"] == "start":
            assert (message["seat"], message["players"][0]) == (1, "opponent")
            assert message["description"]["id"] == "mhing"
            events: list[list[int]] = []
        elif message["type"] == "turn":
            turns += 1
            assert message["turn"] == turns
            events += message["events"]
            fields = message["observation"]
            names = [name for name in fields if name.startswith("event_")]
            tail = [list(one) for one in zip(*(fields[name] for name in names), strict=True)]
            shown = [one for one in tail if one[0]]
            assert shown[-len(events) :] == events[-len(shown) :]
    assert '"seed"' not in json.dumps(messages)


def test_one_process_for_each_row_and_seat(tmp_path: Path, program: Callable[..., str]) -> None:
    envs = CardGameVectorEnv(2, game="mhing", opponents=program(), seat=0)
    envs.reset(seed=1)
    for _ in range(30):
        envs.step(envs.sample_actions())
    envs.reset(seed=1)  # the same episodes anew
    assert len(heard(tmp_path)) == 6
    for messages in heard(tmp_path):
        seats = [one["seat"] for one in messages if one["type"] == "start"]
        assert len({*seats}) == 1
    twin = copy(envs)
    for _ in range(9):
        twin.step(twin.sample_actions())
    assert len(heard(tmp_path)) > 6
    envs.close()
    over = [messages for messages in heard(tmp_path) if messages[-1]["type"] == "over"]
    assert len(over) == 6
    del twin
    gc.collect()
    assert all(messages[-1]["type"] == "over" for messages in heard(tmp_path))


@pytest.mark.parametrize("rows", [0, 1])
def test_the_same_episode_again_is_another_game(
    rows: int, tmp_path: Path, program: Callable[..., str]
) -> None:
    given: dict[str, Any] = {"game": "leduc", "opponents": program(), "seat": 1}
    envs: Any = CardGameVectorEnv(rows, **given) if rows else CardGameEnv(**given)
    for _ in range(3):
        envs.reset(seed=1)
    envs.close()
    (messages,) = heard(tmp_path)
    assert [one["type"] for one in messages] == [*["start", "turn"] * 3, "over"]


def test_there_are_not_too_many(
    program: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted where opponents are given: one for each row and seat that may have one."""
    monkeypatch.setattr(programs, "MOST", 4)
    one, other = program(), program(name="other.py")

    def make(rows: int, opponents: Any, **options: Any) -> CardGameVectorEnv:
        return CardGameVectorEnv(rows, game="mhing", opponents=opponents, **options)

    for rows, opponents, seat, words in (
        (5, [one, "greedy", "greedy"], 0, "1 seat in 5 rows, each in a separate process; 4 are"),
        (2, one, 0, "3 seats in 2 rows, each"),
        (2, [one, "greedy", "greedy"], None, "4 seats in 2 rows, since `seat` is drawn, each"),
        (3, Pool([[one, "greedy", "greedy"], ["greedy", other, "net"]]), 0, "2 seats in 3 rows"),
    ):
        with pytest.raises(ValueError, match=f"^opponents: programs play at {words}"):
            make(rows, opponents, seat=seat)
    envs = make(4, [one, "greedy", "greedy"], seat=0)
    with pytest.raises(ValueError, match="3 seats in 4 rows"):
        envs.set_opponents(one)
    pool = Pool([[one, "greedy", "greedy"]])
    envs.set_opponents(pool)
    with pytest.raises(ValueError, match="2 seats in 4 rows"):
        pool.add(["greedy", "greedy", other])
    pool.add([other, "greedy", "greedy"])
    envs.reset(seed=1)
    envs.close()
    CardGameEnv("mhing", opponents=one)


@pytest.mark.parametrize(
    ("turn", "kind", "words"),
    [
        ("sys.exit(3)", RuntimeError, "it has ended before the series was over, with exit code 3"),
        ("message['legal'] = ['win']", ValueError, "illegal answer: 'win' is not legal now"),
        ("import time; time.sleep(1.2)", RuntimeError, "no answer within 0.2 seconds"),
        ("message['turn'] = 99", RuntimeError, "no answer within 0.2 seconds"),
    ],
)
def test_programs_that_fail(
    turn: str,
    kind: type[Exception],
    words: str,
    program: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At the second question; the rows are as they were before the call, and play on."""
    if "answer within" in words:
        monkeypatch.setattr(programs, "CLOCK", 0.2)
    opponents = [program(f"exec({turn!r}) if message['turn'] == 2 else 0"), "greedy", "greedy"]
    where = "^opponent exec:.* at seat 1 in row 0 has "
    envs = CardGameVectorEnv(1, game="mhing", opponents=opponents, seat=0)
    env = CardGameEnv("mhing", opponents=opponents, seat=0)
    envs.reset(seed=1)
    env.reset(seed=1)
    before = []

    def play_rows() -> None:
        before.append(envs.state(0))
        envs.step(envs.sample_actions())

    for play in (play_rows, lambda: env.step(int(env.legal_actions()[-1]))):
        with pytest.raises(kind, match=where) as raised:
            [play() for _ in range(9)]
        assert words in str(raised.value.__cause__)
    assert envs.state(0) == before[-1]
    env.reset(seed=1)
    env.close()
    envs.close()


def test_a_program_that_does_not_flush(
    tmp_path: Path, program: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "START", 0.1)
    monkeypatch.setattr(programs, "CLOCK", 0.1)
    opponents = program()
    script = tmp_path / "bot.py"
    script.write_text(script.read_text().replace(", flush=True", ""))
    env = CardGameEnv("leduc", opponents=opponents, seat=1)
    with pytest.raises(RuntimeError) as raised:
        env.reset(seed=1)
    assert "no answer within 0.1 seconds; does it flush what it" in str(raised.value.__cause__)
    env.close()


@pytest.mark.parametrize(
    "said",
    ["message['ids'][0]", "message['legal'][0]", "json.dumps({'action': message['legal'][0]})"],
)
def test_a_program_that_prints_moves_alone(said: str, tmp_path: Path) -> None:
    """It is told at once what an answer is, and not to flush after a minute."""
    script = tmp_path / "bot.py"
    script.write_text(
        "import json, sys\nfor line in sys.stdin:\n    message = json.loads(line)\n"
        f"    if message['type'] == 'turn':\n        print({said}, flush=True)\n"
    )
    name, words = f"exec:{sys.executable} {script}", r"it wrote '.+', which is no answer; one to "
    env = CardGameEnv("leduc", opponents=name, seat=1)
    with pytest.raises(RuntimeError) as raised:
        env.reset(seed=1)
    why = str(raised.value.__cause__)
    assert re.search(rf'{words}this question is {{"turn": 1, "action": ', why)
    env.close()
    result = arena.play([name, "random"], "leduc", deals=10)
    assert result.stopped
    assert re.search(words, result.stopped)


def test_a_program_that_writes_something_else_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error in the end has the line, if the program could write it until then."""
    script = tmp_path / "bot.py"
    script.write_text("import sys\nprint('hello', flush=True)\nsys.stdin.read()\n")
    env = CardGameEnv("leduc", opponents=f"exec:{sys.executable} {script}", seat=1)
    why = ""
    for seconds in (0.1, 1, 10, 60):  # Python may start slowly
        if "hello" not in why:
            monkeypatch.setattr(programs, "START", seconds)
            with pytest.raises(RuntimeError) as raised:
                env.reset(seed=1)
            why = str(raised.value.__cause__)
    assert re.search(r"no answer within .*; it wrote 'hello', which is no", why)
    env.close()


def test_programs_that_cannot_be_started(tmp_path: Path) -> None:
    for command, words in (
        ("./nobody", "./nobody cannot be started: there is no"),
        ("", "exec: names no program; write exec:COMMAND"),
    ):
        with pytest.raises(ValueError, match=f"^opponents: .*{words}"):
            CardGameEnv("leduc", opponents=f"exec:{command}")
    script = tmp_path / "bot"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    env = CardGameEnv("leduc", opponents=f"exec:{script}", seat=1)
    with pytest.raises(ValueError, match=r"^exec:.*bot cannot be started: No such file"):
        env.reset(seed=1)
    env.close()


def test_programs_end_with_python(tmp_path: Path, program: Callable[..., str]) -> None:
    """Programs end even if nobody has closed the environment."""
    code = f"""if True:
        import gymnasium as gym
        envs = gym.make_vec("mhing:Leduc-v0", num_envs=3, opponents={program()!r})
        envs.reset(seed=1)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert heard(tmp_path)
    assert all(messages[-1]["type"] == "over" for messages in heard(tmp_path))
