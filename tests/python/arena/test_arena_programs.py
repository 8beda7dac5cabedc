"""Programs in the arena: what they hear, and the games that they forfeit."""

from __future__ import annotations

import json
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from simple_players import LARGE, PROGRAM, Info, program, same_results

import mhing
from mhing import arena
from mhing.arena.seeds import Seeds

EXAMPLES = Path(__file__).parents[3] / "csrc/server/bots"


def test_a_program_hears_what_a_servers_table_would_say(tmp_path: Path) -> None:
    heard = tmp_path / "heard.jsonl"
    text = PROGRAM.replace(
        "    message =", f"    open({str(heard)!r}, 'a').write(line)\n    message =", 1
    )
    arena.play([program(tmp_path, text)], "mhing", field="greedy", deals=1, seed=LARGE, clock=60)
    messages = [json.loads(line) for line in heard.read_text().splitlines()]
    kinds = Counter(message["type"] for message in messages)
    assert kinds["start"] == kinds["end"] == kinds["round"] == 4
    game = mhing.Game("mhing")
    for begin in (i for i, message in enumerate(messages) if message["type"] == "start"):
        start, turn = messages[begin : begin + 2]
        own = start["seat"]
        assert start["players"][own] not in ("greedy", "opponent")
        assert start["game"] == "mhing"
        assert start["clock"] == turn["left"] == 60_000
        state, events = game.new_state(Seeds(LARGE, None).deal(0)), []
        while state.seat != own:
            state.apply(state.bot_action("greedy", 0)[0])
        assert turn["ids"] == state.legal_actions().tolist()
        fields = game.unpack(state.observation())
        assert turn["observation"] == {name: value.tolist() for name, value in fields.items()}
        columns = ("event_seat", "event_kind", "event_detail", "event_jokers")
        events = np.stack([fields[name] for name in columns], 1)
        assert turn["events"] == events[events[:, 0] > 0].tolist()
    turns = [message["turn"] for message in messages if message["type"] == "turn"]
    assert turns == list(range(1, len(turns) + 1))


def test_questions_to_others_do_not_count(tmp_path: Path) -> None:
    """R4.7 of Mhing: numbers for all programs together would tell how many have passed a claim."""
    players = []
    for name in "abcd":
        heard = f"open({str(tmp_path / name)!r}, 'a').write(line)"
        text = PROGRAM.replace("    message =", f"    {heard}\n    message =", 1)
        players.append(f"{name}={program(tmp_path, text, f'{name}.py')}")
    with pytest.warns(UserWarning, match="can be guessed"):
        arena.play(players, "mhing", deals=1, seed=48, clock=60)
    for name in "abcd":
        messages = [json.loads(line) for line in (tmp_path / name).read_text().splitlines()]
        turns = [message["turn"] for message in messages if message["type"] == "turn"]
        assert turns
        assert turns == list(range(1, len(turns) + 1))


@pytest.mark.parametrize(("command", "file"), [("sh", "bot.sh"), ("lua5.4", "bot.lua")])
def test_the_example_bots_that_need_no_server(command: str, file: str) -> None:
    """Their rule is that of csrc/server/bots/README.md."""
    if shutil.which(command) is None or (file == "bot.sh" and shutil.which("jq") is None):
        pytest.skip(f"no {command}, or no jq")

    def by_sum(observation: Any, mask: Any, info: Info) -> int:
        legal = np.flatnonzero(mask)
        return int(legal[int(observation.sum()) % len(legal)])

    for game in ("mhing", "general_mhing"):
        with_program, with_policy = (
            arena.play([one], game, field="greedy", deals=2, seed=LARGE)
            for one in (f"exec:{command} {EXAMPLES / file}", by_sum)
        )
        same_results(with_program, with_policy)
        assert with_program.players[0].forfeits == 0


PROGRAMS = {
    "crashes": (
        "if message['turn'] == 3: print('why', file=sys.stderr); sys.exit(7)",
        "exit code 7; its last error is: why",
    ),
    "is illegal": ("if message['turn'] == 3: message['legal'][-1] = 'nonsense'", "'nonsense'"),
    "is out of range": ("if message['turn'] == 3: message['legal'][-1] = -5", "action -5"),
    "sleeps": ("if message['turn'] == 3: import time; time.sleep(9)", "no answer within 3 seconds"),
    "never stops": ("while message['turn'] == 3: print('hello')", "wrote 100 lines that are no"),
    "has long lines": ("while message['turn'] == 3: print('?' * 9999, end='')", "wrote 100 lines"),
    "babbles": ("if message['turn'] == 3: print('hello', flush=True); continue", "no answer"),
}


def test_a_program_that_is_not_here_is_named(capfd: pytest.CaptureFixture[str]) -> None:
    """Before a game, by the words that were given; its own words are on the terminal as well."""
    python = Path(sys.executable).name
    with pytest.raises(ValueError, match=r"there is no file nothere\.py here: ") as refused:
        arena.play([f"it=exec:{python} nothere.py --fast", "greedy"], deals=1)
    words, error = str(refused.value), capfd.readouterr().err.strip()
    start = f"it: there is no file nothere.py here: {python} nothere.py"
    assert words.startswith(start)
    assert words.endswith(f"with exit code 2; its last error is: {error}")
    assert "can't open file" in error


def test_an_error_of_a_program_is_shown_once(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """Though it starts anew for each game, and fails in each; other lines are shown."""
    fail = "sys.exit(f'{os.getpid()} fails\\nfor this')"
    text = f"import os\n{PROGRAM.replace('        assert', f'        {fail}', 1)}"
    text = text.replace(' len(message["ids"]) == len(message["legal"])', "")
    result = arena.play(
        {"it": program(tmp_path, text), "greedy": "greedy"}, "leduc", deals=2, seed=LARGE
    )
    assert result.players[0].forfeits == 4
    lines = capfd.readouterr().err.splitlines()
    assert lines.count("for this") == 1
    assert len({line for line in lines if line.endswith(" fails")}) == 4
    assert caplog.messages[-1] == "it: 3 lines of its errors came again, and are not shown"


@pytest.mark.slow
def test_a_program_may_name_a_file_that_it_is_to_make(tmp_path: Path) -> None:
    bot = f"{program(tmp_path, PROGRAM)} notes.txt"
    assert arena.play([bot, "greedy"], "leduc", deals=1).players[0].forfeits == 0


@pytest.mark.slow
@pytest.mark.parametrize("how", PROGRAMS)
def test_a_program_forfeits_one_game_and_starts_anew(tmp_path: Path, how: str) -> None:
    what, reason = PROGRAMS[how]
    clock = 3 if reason.startswith("no answer") else 60  # Python must have started by then
    text = PROGRAM.replace("        assert", f"        {what}\n        assert", 1)
    result = arena.play([program(tmp_path, text)], field="greedy", deals=1, clock=clock)
    one = result.players[0]
    assert one.forfeits == 1
    assert one.reason is not None
    assert reason in one.reason
    assert one.games == 4
