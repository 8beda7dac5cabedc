"""The arena's log: a killed tournament continues, with the bytes of one that was not killed."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mhing import arena
from mhing.arena.deals import FEW
from mhing.cli import main

Capture = pytest.CaptureFixture[str]

pytestmark = pytest.mark.once

SLOW = """
import time
def policy(observation, mask, info):
    time.sleep(0.002)
    return mask.nonzero()[0][-1]
"""


def arguments(log: Path, *more: str) -> list[str]:
    words = ["arena", "greedy", "random", "--deals", "300", "--seed", "1", "--log", str(log)]
    return [*words, *more]


def run(words: list[str], capsys: Capture) -> str:
    assert main(words) == 0
    return capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("kills", [1, 3])
def test_killed_and_gone_on(tmp_path: Path, kills: int, capsys: Capture) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    log, whole = tmp_path / "killed.jsonl", tmp_path / "whole.jsonl"
    words = ["arena", "slow:policy", "greedy", "--deals", "40", "--seed", "1", "--json", "--log"]
    command = [sys.executable, "-m", "mhing", *words]
    for kill in range(1, kills + 1):
        process = subprocess.Popen(
            [*command, str(log)], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        limit = time.monotonic() + 60
        while not log.exists() or log.read_bytes().count(b"\n") < 1 + 6 * kill:
            assert time.monotonic() < limit
            assert process.poll() is None, process.communicate()
            time.sleep(0.005)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    before = log.read_bytes().count(b"\n")
    assert 1 + 6 * kills <= before < 41
    outs = [
        json.loads(
            subprocess.run(
                [*command, str(path)], cwd=tmp_path, capture_output=True, check=True
            ).stdout
        )
        for path in (log, whole)
    ]
    decisions = [out["players"][0].pop("latency")["decisions"] for out in outs]
    assert decisions[0] > 0
    kept = before > FEW  # a block that is not whole is played again, so the first one may be
    assert (decisions[0] < decisions[1]) == kept, "times are of what was played since"
    assert outs[0] == outs[1]
    assert log.read_bytes() == whole.read_bytes()


def test_cut_off_anywhere(tmp_path: Path, capsys: Capture) -> None:
    log = tmp_path / "log.jsonl"
    expected = run(arguments(log), capsys)
    data = log.read_bytes()
    ends = [i + 1 for i, byte in enumerate(data) if byte == 10]
    for cut in (0, 1, ends[0] - 1, ends[0], ends[0] + 5, ends[1], ends[150], ends[200] + 3, -1):
        log.write_bytes(data[:cut])
        assert run(arguments(log), capsys) == expected
        assert log.read_bytes() == data


def test_more_deals_and_fewer(tmp_path: Path, capsys: Capture) -> None:
    """A log that was ended within a block continues as if it had not been."""
    log, whole = tmp_path / "log.jsonl", tmp_path / "whole.jsonl"
    few = run([*arguments(log), "--deals", "130"], capsys)
    many = run(arguments(log), capsys)
    assert run(arguments(whole), capsys) == many
    data = log.read_bytes()
    assert data == whole.read_bytes()
    assert run([*arguments(log), "--deals", "130"], capsys) == few
    assert log.read_bytes() == data, "deals that nobody asks for stay"
    assert run(arguments(tmp_path / "other.jsonl", "--threads", "3"), capsys) == many


def test_what_is_read_was_not_played(tmp_path: Path) -> None:
    """The deals of a log count as they stand there."""
    log = tmp_path / "log.jsonl"
    arena.play(["greedy", "random"], deals=200, log=log)
    first, *lines = log.read_text().splitlines()
    deal = json.loads(lines[0])
    deal["rewards"] = (np.array(deal["rewards"]) + 1000).tolist()
    deal["forfeits"] = [[1, 2, "it was late"]]
    log.write_text("\n".join([first, json.dumps(deal), *lines[1:], ""]))
    result = arena.play(["greedy", "random"], deals=200, log=log)
    assert result.players[0].reward.value > 5
    assert (result.players[1].forfeits, result.players[1].reason) == (1, "it was late")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--seed", "5"], "seed 1, not 5"),
        (["--field", "greedy"], "the field None, not greedy; take"),
        (
            ["--estimator", "paired"],
            "estimator 'raw', not 'paired, baseline greedy, 32 play-outs, 0 worlds'; take",
        ),
        (["--option", "seven_pairs=on"], "options seven_pairs=False, not True; take"),
        (["--game", "general_mhing"], "game 'mhing', not 'general_mhing'"),
        (["--clock", "3"], "clock 10.0, not 3.0"),
        (["greedy"], "the players greedy, random, not greedy, greedy (2), random; take"),
        (["a=greedy"], "the players greedy, random, not a, greedy, random; take another file"),
    ],
)
def test_another_tournament(tmp_path: Path, more: list[str], words: str, capsys: Capture) -> None:
    log = tmp_path / "log.jsonl"
    arena.play(["greedy", "random"], deals=3, seed=1, log=log)
    data = log.read_bytes()
    line = arguments(log)
    place = len(line) if more[0].startswith("-") else 1
    assert main([*line[:place], *more, *line[place:]]) == 2
    err = capsys.readouterr().err.splitlines()
    assert err[-1].startswith(f"mhing: log: {log} was begun with {words}"), err
    assert log.read_bytes() == data


def test_another_network_under_the_same_name(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    from onnx_policy import write_policy

    import mhing

    game = mhing.Game("general_mhing")
    path = write_policy(tmp_path, game)
    given: dict[str, Any] = {"log": tmp_path / "log.jsonl", "deals": 2}
    arena.play([f"onnx:{path}", "greedy"], game, **given)
    path.write_bytes(path.read_bytes() + b"\x72\x00")  # an empty field of the model's domain
    with pytest.raises(
        ValueError, match=r"another player onnx:.*: its name, files or identity have changed"
    ):
        arena.play([f"onnx:{path}", "greedy"], game, **given)


def test_another_net_under_the_same_name(tmp_path: Path) -> None:
    from test_nets import net_bytes

    import mhing

    path = tmp_path / "mine.net"
    given: dict[str, Any] = {"log": tmp_path / "log.jsonl", "deals": 2}
    path.write_bytes(net_bytes(mhing.Game("general_mhing")))
    first = arena.play([f"net:{path}", "greedy"], "general_mhing", **given)
    assert arena.play([f"net:{path}", "greedy"], "general_mhing", **given) == first
    path.write_bytes(net_bytes(mhing.Game("general_mhing"), seed=2))
    with pytest.raises(ValueError, match=r"another player .*; take another file"):
        arena.play([f"net:{path}", "greedy"], "general_mhing", **given)


@pytest.mark.parametrize("form", ["policy_of_test:first", "exec:{python} {file}"])
def test_other_code_under_the_same_name(
    tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "policy_of_test.py"
    file.write_text(
        "def first(observation, mask, info):\n    return int(mask.argmax())\n"
        "if __name__ == '__main__':\n    input()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    player = form.format(python=sys.executable, file=file)
    given: dict[str, Any] = {"log": tmp_path / "log.jsonl", "deals": 2, "clock": 5}
    first = arena.play([player, "greedy"], "general_mhing", **given)
    assert arena.play([player, "greedy"], "general_mhing", **given) == first
    file.write_text(file.read_text() + "# another one\n")
    with pytest.raises(ValueError, match=r"another player .*; take another file"):
        arena.play([player, "greedy"], "general_mhing", **given)


def test_one_file_is_not_for_two_things(tmp_path: Path, capsys: Capture) -> None:
    log = tmp_path / "log.jsonl"
    assert main([*arguments(log), "--csv", f"{tmp_path}/./log.jsonl"]) == 2
    assert "two of them name the same file" in capsys.readouterr().err
    assert not log.exists() or not log.read_bytes()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"hello", "is no log of a tournament"),
        (b"hello\n", "is no log of a tournament"),
        (b"[1]\n", "is no log of a tournament"),
        (b'{"deal": 1}\n', "is no log of a tournament"),
        (b"\xff\xfe\n", "is no log of a tournament"),
    ],
)
def test_something_else(tmp_path: Path, data: bytes, words: str) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(data)
    with pytest.raises(ValueError, match=words):
        arena.play(["greedy", "random"], deals=3, log=log)
    assert log.read_bytes() == data


DEAL = {
    "deal": 1,
    "rewards": [[1.0, 0.0, 0.0, 0.5], [0, 0, 0, 0]],
    "rounds": [4, 4],
    "tally": [[1, 2, 3], [0, 0, 0]],
    "forfeits": [[0, 3, "why"]],
    "illegal": [[0, 2]],
}


@pytest.mark.parametrize(
    "change",
    [
        {"deal": 7},
        {"rewards": "x"},
        {"rewards": [[1.0, 0.0, 0.0, 0.5]]},
        {"rewards": [[1.0, 0.0, 0.0, 0.5], [1]]},
        {"rewards": [[1.0, 0.0, 0.0, float("nan")], [0, 0, 0, 0]]},
        {"rewards": [[1.0, 0.0, 0.0, 10**400], [0, 0, 0, 0]]},
        {"rounds": [4]},
        {"rounds": [4, 4.5]},
        {"rounds": [4, 2**70]},
        {"tally": [[1, 2, 3], [0, 0]]},
        {"tally": None},
        {"forfeits": 3},
        {"forfeits": [[2, 3, "why"]]},
        {"forfeits": [[0, 4, "why"]]},
        {"forfeits": [[0, 3]]},
        {"forfeits": [[0.0, 3, "why"]]},
        {"forfeits": [[0, 3, None]]},
        {"illegal": 3},
        {"illegal": [[2, 1]]},
        {"illegal": [[0, 0]]},
        {"illegal": [[0, 1.5]]},
    ],
    ids=str,
)
def test_a_deal_that_is_none(tmp_path: Path, change: dict[str, Any]) -> None:
    log = tmp_path / "log.jsonl"
    arena.play(["greedy", "random"], deals=3, log=log)
    lines = log.read_text().splitlines()
    for content, words in ((DEAL, None), (DEAL | change, "line 3 is no deal 1")):
        lines[2] = json.dumps(content)
        log.write_text("\n".join([*lines, ""]))
        if words is None:
            arena.play(["greedy", "random"], deals=3, log=log)
        else:
            with pytest.raises(ValueError, match=words):
                arena.play(["greedy", "random"], deals=3, log=log)


@pytest.mark.parametrize("line", ["{}", "hello", "[]", "1", "", "[" * 100_000])
def test_a_damaged_line(tmp_path: Path, line: str) -> None:
    log = tmp_path / "log.jsonl"
    arena.play(["greedy", "random"], deals=3, log=log)
    lines = log.read_text().splitlines()
    lines[2] = line
    log.write_text("\n".join([*lines, ""]))
    with pytest.raises(ValueError, match="line 3 is no deal 1"):
        arena.play(["greedy", "random"], deals=3, log=log)


@pytest.mark.parametrize("path", [".", "/dev/null"])
def test_no_file(path: str) -> None:
    with pytest.raises(ValueError, match=f"log: {path} is no file"):
        arena.play(["greedy", "random"], deals=3, log=path)


@pytest.mark.skipif(
    "site-packages" not in arena.__file__,
    reason="an editable package writes larger files when it is imported",
)
def test_a_file_that_cannot_be_written_on(tmp_path: Path, capsys: Capture) -> None:
    """One line is printed, and the logged deals can be resumed."""
    log = tmp_path / "log.jsonl"
    words = shlex.join([sys.executable, "-m", "mhing", *arguments(log)])
    done = subprocess.run(
        ["bash", "-c", f"ulimit -f 4; {words}"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"mhing: {log}: File too large\n"
    assert log.stat().st_size > 2000
    again = run(arguments(log), capsys)
    assert again == run(arguments(tmp_path / "other.jsonl"), capsys)


class Learner:
    """An object of a class that has many."""

    def __init__(self, last: bool) -> None:
        self.last = last

    def __call__(self, observation: Any, mask: Any, info: dict[str, Any]) -> int:
        return int(mask.nonzero()[0][-1 if self.last else 0])


def by_module(observation: Any, mask: Any, info: dict[str, Any]) -> int:
    return int(mask.argmax())


def test_a_log_continues_with_the_same_object_only(tmp_path: Path) -> None:
    """Objects of a class are not told apart by it, nor are closures."""
    log = tmp_path / "log.jsonl"
    given: dict[str, Any] = {"game": "leduc", "deals": 4, "seed": 1, "log": log}
    one, other = Learner(last=False), Learner(last=True)
    arena.play([one, "greedy"], **given)
    before = log.read_bytes()
    for player in (one, other):
        with pytest.raises(ValueError, match="Learner is an object that may be another one"):
            arena.play([player, "greedy"], **given | {"deals": 8})
    assert log.read_bytes() == before
    log.unlink()
    one.identity, other.identity = "step 1", "step 2"  # type: ignore[attr-defined]
    first = arena.play([one, "greedy"], **given)
    assert arena.play([one, "greedy"], **given) == first
    with pytest.raises(ValueError, match="was begun with another player Learner: its name, files"):
        arena.play([other, "greedy"], **given)
    log.unlink()
    first = arena.play({"it": by_module, "greedy": "greedy"}, **given)
    assert arena.play({"it": by_module, "greedy": "greedy"}, **given) == first
    log.unlink()
    lost = {"it": lambda observation, mask, info: int(mask.argmax()), "greedy": "greedy"}
    arena.play(lost, **given)
    with pytest.raises(ValueError, match="it is an object that may be another one"):
        arena.play(lost, **given)
