"""The arena asks slow players fairly, many at once, and again after an illegal answer."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from simple_players import LARGE, Info, last_legal

import mhing
from mhing import arena
from mhing._lib.arguments import whole
from mhing.arena import asking
from mhing.arena.latency import Times
from mhing.remote import Turn
from mhing.remote.answers import find
from mhing.remote.bridge import Program
from mhing.text.answers import Move, Reader, Refusal

pytestmark = pytest.mark.once


def program(folder: Path, text: str, name: str = "bot") -> str:
    """A program that answers with its last legal action after what `text` does at each turn."""
    lines = ["import json, os, sys, time", f"folder = {str(folder)!r}", "turns = 0"]
    lines += ["for line in sys.stdin:", "    message = json.loads(line)"]
    lines += [f"    open(os.path.join(folder, 'heard-{name}'), 'a').write(line)"]
    lines += ["    if message['type'] != 'turn':", "        continue"]
    lines += ["    turns += 1", "    action = message['legal'][-1]"]
    lines += [f"    {line}" for line in text.splitlines()]
    lines += ["    print(json.dumps({'turn': message['turn'], 'action': action}), flush=True)"]
    (folder / f"{name}.py").write_text("\n".join(lines))
    return f"{name}=exec:{sys.executable} -S {folder / name}.py"


def heard(folder: Path, name: str = "bot") -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"heard-{name}").read_text().splitlines()]


def outcome(result: arena.Result) -> list[Any]:
    return [(one.reward, one.rounds, one.totals) for one in result.players]


# ---- Answers ---------------------------------------------------------------------------------


@pytest.mark.parametrize("game_id", mhing.games())
def test_every_text_is_read_however_it_is_written(game_id: str) -> None:
    game = mhing.Game(game_id)
    reader, everything = Reader(game), np.ones(game.num_actions, np.int8)
    for action in range(game.num_actions):
        text = game.action_text(action)
        for written in (text, text.upper(), f" {text}.\n", text.replace(" ", "  "), f"{text} !"):
            assert reader.read(written, everything) == Move(action, text)
        for number in (f" {action}.", action):
            assert reader.read(number, everything) == Move(action, text)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            "rise",
            "illegal answer: no move was found in 'rise'; the nearest legal action is 'raise'",
        ),
        (0, "illegal answer: action 0 is not legal now: fold; the nearest legal action is"),
        ("0", "illegal answer: action 0 is not legal now; the nearest"),
        (7, "answer: action 7 is not legal now: there are actions 0 to 2; the nearest"),
        (None, "illegal answer: None is a NoneType, not a whole number; the nearest"),
        (True, "illegal answer: True is a bool"),
        (np.bool_(True), "is a bool"),
        (1.0, "illegal answer: 1.0 is a float"),
        ("", "illegal answer: no move was found in ''; the nearest"),
    ],
    ids=str,
)
def test_what_is_no_legal_action_is_refused_with_advice(answer: Any, words: str) -> None:
    game = mhing.Game("leduc")
    mask = np.array([0, 1, 1], np.int8)
    refused = Reader(game).read(answer, mask)
    assert isinstance(refused, Refusal)
    assert words in str(refused)
    assert refused.legal == {"call": 1, "raise": 2}
    assert refused.advice == f"{refused}; legal are: call, raise"


def test_an_exact_text_comes_first() -> None:
    assert find("A.", {"a": 1, "A.": 2}) == 2
    assert find("a .", {"a": 1, "b": 2}) == 1
    assert Reader(mhing.Game("leduc")).moves(np.array([0, 1, 0], np.int8)) == {"call": 1}


def test_truth_values_of_libraries_are_no_actions() -> None:
    torch = pytest.importorskip("torch")
    assert whole(torch.tensor(1), "action") == 1
    for value in (torch.tensor(True), np.bool_(True), np.array(True)):
        with pytest.raises(TypeError, match=r"action: .* not a whole number"):
            whole(value, "action")


def test_a_callable_may_answer_with_texts() -> None:
    game = mhing.Game("general_mhing")

    def written(observation: Any, mask: Any, info: Info) -> str:
        return f" {game.action_text(last_legal(observation, mask, info)).upper()}. "

    plain = arena.play([last_legal, "greedy"], game, deals=4, seed=1)
    spoken = arena.play([written, "greedy"], game, deals=4, seed=1)
    assert outcome(plain) == outcome(spoken)
    assert spoken.players[0].illegal == 0


# ---- Asked again -----------------------------------------------------------------------------


class Learner:
    """Answers with nonsense as often as `wrong` says before each decision, and reads why."""

    def __init__(self, wrong: int) -> None:
        self.wrong, self.left = wrong, wrong
        self.refusals: list[str] = []

    def __call__(self, observation: Any, mask: Any, info: Info) -> Any:
        assert ("refused" in info) == (self.left < self.wrong)
        if "refused" in info:
            self.refusals.append(info["refused"])
        if self.left:
            self.left -= 1
            return "nonsense"
        self.left = self.wrong
        return last_legal(observation, mask, info)


@pytest.mark.parametrize("retries", [2, 3])
def test_a_callable_hears_why_and_is_asked_again(retries: int) -> None:
    learner = Learner(2)
    given: dict[str, Any] = {"field": "greedy", "game": "mhing", "deals": 1, "seed": 1}
    result = arena.play([learner], retries=retries, **given)
    plain = arena.play([last_legal], **given)
    assert outcome(result) == outcome(plain)
    one = result.players[0]
    assert (one.forfeits, one.illegal) == (0, len(learner.refusals))
    assert one.latency is not None
    assert one.illegal == 2 * (one.latency.decisions + 1) / 3 > 0
    assert all("; legal are: " in one for one in learner.refusals)
    assert f"Learner gave {one.illegal} illegal answers" in result.notes()


def test_too_few_retries_cost_the_game(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"

    def stubborn(observation: Any, mask: Any, info: Info) -> Any:
        return "nonsense" if "refused" in info or observation.sum() % 3 == 0 else "call"

    stubborn.identity = "the same twice"  # type: ignore[attr-defined]
    results = [
        arena.play([stubborn], "leduc", field="greedy", deals=4, seed=1, retries=2, log=log)
        for _ in range(2)
    ]
    assert results[0] == results[1]
    (one,) = results[0].players
    assert one.forfeits > 0
    assert one.illegal == 3 * one.forfeits
    assert one.reason is not None
    assert one.reason.startswith("illegal answer: no move was found in 'nonsense'; the nearest")


def test_rows_that_are_illegal_are_asked_again_one_by_one() -> None:
    class Rows:
        tried = False

        def __call__(self, observation: Any, mask: Any, info: Info) -> int:
            assert "refused" in info
            return last_legal(observation, mask, info)

        def choose_rows(self, observations: Any, masks: Any) -> Any:
            actions = [last_legal(*row, {}) for row in zip(observations, masks, strict=True)]
            first = -1 if self.tried else actions[0]
            self.tried = True
            return [first, *actions[1:]]

    result = arena.play([Rows(), "greedy"], "leduc", deals=5, seed=1, retries=1)
    assert outcome(result) == outcome(arena.play([last_legal, "greedy"], "leduc", deals=5, seed=1))
    assert result.players[0].forfeits == 0
    assert result.players[0].illegal > 0


def test_a_program_hears_what_was_illegal_and_is_asked_again(tmp_path: Path) -> None:
    bot = program(tmp_path, "if turns % 2: action = 'nonsense'")
    given: dict[str, Any] = {"field": "greedy", "deals": 2, "seed": LARGE, "clock": 60}
    result = arena.play([bot], "leduc", retries=1, **given)
    assert outcome(result) == outcome(arena.play([last_legal], "leduc", **given))
    messages = heard(tmp_path)
    refusals = [place for place, one in enumerate(messages) if one["type"] == "refused"]
    assert len(refusals) == result.players[0].illegal > 0
    for place in refusals:
        before, refused, again = messages[place - 1 : place + 2]
        assert (refused["code"], refused["turn"], refused["retries"]) == (
            "illegal", before["turn"], 1,
        )  # fmt: skip
        assert refused["text"].startswith("illegal answer: no move was found in 'nonsense'")
        assert refused["nearest"] in refused["legal"] == before["legal"] == again["legal"]
        assert refused["ids"] == before["ids"]
        assert again["turn"] == before["turn"] + 1
        assert again["observation"] == before["observation"]


# ---- Processes that stay ---------------------------------------------------------------------

COUNTED = "if turns == 1: open(os.path.join(folder, 'started'), 'a').write('x')\n"


def test_a_program_that_plays_illegally_keeps_its_process_and_hears_the_end(tmp_path: Path) -> None:
    bot = program(tmp_path, COUNTED + "if turns == 2: action = 'nonsense'")
    result = arena.play([bot], "leduc", field="greedy", deals=4, seed=LARGE, clock=60)
    assert result.players[0].forfeits == 1
    assert (tmp_path / "started").read_text() == "x"
    kinds = Counter(one["type"] for one in heard(tmp_path))
    assert kinds["start"] == kinds["end"] == 8
    assert kinds["refused"] == 1


@pytest.mark.parametrize(
    ("what", "forfeits"),
    [
        ("if message['turn'] == 2: sys.exit(7)", 1),
        ("if message['turn'] == 2: print('?\\n' * 200, flush=True)", 1),
    ],
)
def test_one_that_is_dead_or_out_of_step_is_replaced(
    tmp_path: Path, what: str, forfeits: int
) -> None:
    bot = program(tmp_path, COUNTED + what)
    result = arena.play([bot], "leduc", field="greedy", deals=4, seed=LARGE, clock=60)
    assert result.players[0].forfeits == forfeits
    assert (tmp_path / "started").read_text() == "xx"


@pytest.mark.parametrize("catches_up", [True, False])
def test_one_that_was_late_stays_if_it_has_answered_by_its_next_game(
    tmp_path: Path, catches_up: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second turn is answered when a file is there: as soon as the game is over, or never."""
    what = "while message['turn'] == 2 and not os.path.exists(os.path.join(folder, 'go')):\n"
    bot = program(tmp_path, f"{COUNTED}{what}    time.sleep(0.01)")
    ask, end = Program.act, asking.ArenaTable.end

    def hasty(self: Program, turn: Turn) -> int | str:
        if turn.number == 2:
            turn.left = 0
        return ask(self, turn)

    def over(self: asking.ArenaTable) -> Any:
        if catches_up:
            (tmp_path / "go").touch()
            while not self.programs[0].is_in_step():
                pass
        return end(self)

    monkeypatch.setattr(Program, "act", hasty)
    monkeypatch.setattr(asking.ArenaTable, "end", over)
    result = arena.play([bot], "leduc", field="greedy", deals=2, seed=LARGE, clock=60)
    assert result.players[0].forfeits == 1
    assert result.players[0].reason == "no answer within 60 seconds; a longer clock allows more"
    assert (tmp_path / "started").read_text() == ("x" if catches_up else "xx")


# ---- The clocks ------------------------------------------------------------------------------


class Clock:
    """A clock that moves when somebody says so."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(asking, "now", made)
    return made


@pytest.mark.parametrize("rows", [False, True])
def test_a_callable_may_take_longer_at_first(clock: Clock, rows: bool) -> None:
    """12 seconds at first, then 3, once 11: only that is late."""
    calls = 0

    def slow(observation: Any, mask: Any, info: Info) -> int:
        nonlocal calls
        calls += 1
        clock.seconds += {1: 12.0, 5: 11.0}.get(calls, 3.0)
        return last_legal(observation, mask, info)

    class Rows:
        def __call__(self, observation: Any, mask: Any, info: Info) -> int:
            raise AssertionError

        def choose_rows(self, observations: Any, masks: Any) -> Any:
            nonlocal calls
            if len(masks) > 1 or calls:  # not where it is tried, before the tournament
                calls += 1
                clock.seconds += {1: 12.0, 5: 11.0}.get(calls, 3.0) * len(masks)
            return [last_legal(*row, {}) for row in zip(observations, masks, strict=True)]

    given: dict[str, Any] = {"field": "greedy", "game": "leduc", "deals": 12, "seed": 1}
    one = arena.play({"slow": Rows() if rows else slow}, **given).players[0]
    assert one.reason == "no answer within 10 seconds; a longer clock allows more"
    assert one.latency is not None
    assert (one.latency.start, one.latency.longest) == (12.0, 11.0)
    assert one.latency.median == pytest.approx(3.0, rel=0.01)
    if not rows:
        assert one.forfeits == 1
        assert one.latency.decisions == calls - 1
    calls = 0
    late = arena.play({"slow": slow}, **given, start=10).players[0]
    assert late.forfeits == 2
    assert mhing.arena.play(["greedy"], **given).players[0].latency is None


def test_a_program_has_its_start_up_time_for_the_first_answer_alone(tmp_path: Path) -> None:
    bot = program(tmp_path, "")
    result = arena.play([bot], "leduc", field="greedy", deals=2, seed=LARGE, clock=100, start=5000)
    turns = [one for one in heard(tmp_path) if one["type"] == "turn"]
    assert 100_000 < turns[0]["left"] < 5_000_000
    assert {turn["left"] for turn in turns[1:]} == {100_000}
    (one,) = result.players
    assert one.latency is not None
    assert one.latency.start is not None
    assert one.latency.decisions == len(turns) - 1


def test_quantiles_of_times() -> None:
    times = Times()
    assert times.latency() is None
    for thousandth in range(1, 1001):
        times.add(thousandth / 1000)
    times.add(0.0, 0)
    found = times.latency()
    assert found is not None
    assert found.median == pytest.approx(0.5, rel=0.012)
    assert found.p95 == pytest.approx(0.95, rel=0.012)
    assert (found.decisions, found.longest, found.start) == (1000, 1.0, None)
    times.add(1e9, 10_000)
    found = times.latency()
    assert found is not None
    assert found.median == found.p95 == pytest.approx(1e9, rel=0.012)


# ---- Many at once ----------------------------------------------------------------------------


def test_coroutines_wait_together() -> None:
    """The first ones continue when all that are asked at once have come; one after another, none
    would."""
    deals = 6
    plain = arena.play([last_legal, "greedy"], "leduc", deals=deals, seed=1)
    asked, all_are_asked = 0, asyncio.Event()

    async def patient(observation: Any, mask: Any, info: Info) -> int:
        nonlocal asked
        asked += 1
        if asked == deals:
            all_are_asked.set()
        await all_are_asked.wait()
        return last_legal(observation, mask, info)

    class Object:
        async def __call__(self, observation: Any, mask: Any, info: Info) -> int:
            return await patient(observation, mask, info)

    for player in (patient, Object()):
        asked, all_are_asked = 0, asyncio.Event()
        result = arena.play([player, "greedy"], "leduc", deals=deals, seed=1)
        assert outcome(result) == outcome(plain)


def test_a_coroutine_that_fails_or_is_late_forfeits() -> None:
    async def fails(observation: Any, mask: Any, info: Info) -> int:
        raise ZeroDivisionError("why")

    async def hangs(observation: Any, mask: Any, info: Info) -> int:
        await asyncio.Event().wait()
        raise AssertionError

    for player, reason in (
        (fails, "ZeroDivisionError: why"),
        (hangs, "no answer within 0.01 seconds; a longer clock allows more"),
    ):
        one = arena.play(
            {"it": player}, "leduc", field="greedy", deals=1, seed=1, clock=0.01, start=0.01
        ).players[0]
        assert (one.forfeits, one.reason) == (2, reason)


def test_a_coroutine_where_a_loop_runs_already() -> None:
    async def player(observation: Any, mask: Any, info: Info) -> int:
        await asyncio.sleep(0)
        return last_legal(observation, mask, info)

    async def notebook() -> arena.Result:
        return arena.play([player, "greedy"], "leduc", deals=2, seed=1)

    assert asyncio.run(notebook()).players[0].forfeits == 0


def test_callables_are_asked_in_as_many_threads_as_there_are_jobs() -> None:
    """Of four that meet at a barrier, none would come alone."""
    barrier = threading.Barrier(4, timeout=60)

    def meets(observation: Any, mask: Any, info: Info) -> int:
        if len(met) < 4:
            met.add(barrier.wait())
        return last_legal(observation, mask, info)

    met: set[int] = set()
    result = arena.play([meets, "greedy"], "leduc", deals=4, seed=1, jobs=4)
    assert met == {0, 1, 2, 3}
    assert result.players[0].forfeits == 0
    assert outcome(result) == outcome(arena.play([last_legal, "greedy"], "leduc", deals=4, seed=1))


def test_programs_play_at_as_many_tables_as_there_are_jobs(tmp_path: Path) -> None:
    """Each of three processes waits at its first turn until all three are there."""
    what = "if turns == 1:\n    open(os.path.join(folder, f'p{os.getpid()}'), 'w')\n"
    what += "    while len([one for one in os.listdir(folder) if one[0] == 'p']) < 3:\n"
    what += "        time.sleep(0.01)"
    bot = program(tmp_path, what)
    given: dict[str, Any] = {"field": "greedy", "deals": 4, "seed": LARGE, "clock": 60}
    result = arena.play([bot], "leduc", jobs=3, **given)
    assert len([*tmp_path.glob("p*")]) == 3
    assert outcome(result) == outcome(arena.play([last_legal], "leduc", **given))
    assert result.players[0].forfeits == 0


@pytest.mark.parametrize(
    ("more", "error", "words"),
    [
        ({"retries": -1}, ValueError, "retries: -1 is not from 0 to 100"),
        ({"retries": True}, TypeError, "retries: True is a bool"),
        ({"jobs": 0}, ValueError, "jobs: 0"),
        ({"start": 0}, ValueError, "start: 0 is not more than 0 seconds"),
        ({"start": "1"}, TypeError, "start: '1' is no number"),
    ],
    ids=str,
)
def test_bad_terms(more: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        arena.play(["greedy"] * 2, deals=1, **more)


def test_a_callable_forfeits_beside_a_program(tmp_path: Path) -> None:
    """The lines of the others know nothing of it, and the tournament continues."""
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    message = json.loads(line)\n"
        "    if message['type'] == 'turn':\n"
        "        answer = {'turn': message['turn'], 'action': message['legal'][0]}\n"
        "        print(json.dumps(answer), flush=True)\n"
    )
    players = {"clumsy": lambda *_: -1, "program": f"exec:{sys.executable} {bot}"}
    for retries in (0, 1):
        result = arena.play(players, "leduc", deals=2, seed=2**63 + 1, retries=retries)
        assert [one.forfeits for one in result.players] == [4, 0]
