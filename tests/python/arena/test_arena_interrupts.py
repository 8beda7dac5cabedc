"""Tournaments and recordings that end early keep, and say, what there is."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mhing
from mhing import arena, data
from mhing._lib import episodes
from mhing._support.interrupts import each, held, taken
from mhing.arena import benchmark, deals
from mhing.arena.table import GameOutcome, Match
from mhing.cli import main
from mhing.cli.pace import pace
from mhing.records import records
from mhing.vector import CardGameVectorEnv

pytestmark = pytest.mark.once

Capture = pytest.CaptureFixture[str]
Info = dict[str, Any]

CTRL_C = """
import signal
calls = 0
def policy(observation, mask, info):
    global calls
    calls += 1
    if calls == {call}:
        signal.raise_signal(signal.SIGINT)
    return int(mask.nonzero()[0][-1])
"""


class CtrlC:
    """Plays its last legal action; Ctrl-C comes at a call of that number."""

    identity = "the last"

    def __init__(self, at: int) -> None:
        self.at, self.calls = at, 0

    def __call__(self, observation: Any, mask: Any, info: Info) -> int:
        self.calls += 1
        if self.calls == self.at:
            signal.raise_signal(signal.SIGINT)
        return int(np.flatnonzero(mask)[-1])


@pytest.fixture
def over(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Match, GameOutcome]]:
    """The games that were over."""
    found: list[tuple[Match, GameOutcome]] = []
    count = deals.Dealer._count_lost

    def watch(self: deals.Dealer, match: Match, played: GameOutcome) -> None:
        found.append((match, played))
        count(self, match, played)

    monkeypatch.setattr(deals.Dealer, "_count_lost", watch)
    return found


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], str]:
    """A player of a module, at whose call of a number Ctrl-C comes."""

    def make(call: int) -> str:
        name = f"ctrl_c_{call}_{tmp_path.name}".replace("-", "_")
        (tmp_path / f"{name}.py").write_text(CTRL_C.format(call=call))
        monkeypatch.syspath_prepend(tmp_path)
        return f"{name}:policy"

    return make


# ---- Ctrl-C ----------------------------------------------------------------------------------


def pressed(inside: bool, times: int = 1, before: bool = False) -> list[str]:
    """Steps done while Ctrl-C is pressed so often; the last one is a KeyboardInterrupt."""
    done: list[str] = []

    def press() -> None:
        for _ in range(times):
            signal.raise_signal(signal.SIGINT)
        done.append("after it")

    def work() -> None:
        with held():
            if before:
                press()
            if inside:
                with taken():
                    if not before:
                        press()
                    done.append("inside")
            elif not before:
                press()

    with pytest.raises(KeyboardInterrupt):
        work()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    return done


def test_ctrl_c_is_held_back_and_taken() -> None:
    assert pressed(inside=False) == ["after it"]
    assert pressed(inside=True) == []
    assert pressed(inside=True, before=True) == ["after it"]
    assert pressed(inside=False, times=2) == []
    with held(), suppress(KeyboardInterrupt), taken():
        signal.raise_signal(signal.SIGINT)
    with taken():
        pass


def test_who_handles_ctrl_c_otherwise_still_does() -> None:
    heard = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append(1))
    try:
        with held(), taken():
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == [1]
    thread = threading.Thread(target=lambda: heard.extend(each(iter([2, 3]))))
    with held():
        thread.start()
        thread.join()
    assert heard == [1, 2, 3]


# ---- Tournaments -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "jobs", "at"),
    [(None, 1, 600), (None, 1, 900), ("greedy", 1, 300), ("greedy", 3, 300), ("greedy", 1, 900)],
)
def test_games_that_were_over_count(
    field: str | None, jobs: int, at: int, over: list[tuple[Match, GameOutcome]]
) -> None:
    with pytest.raises(arena.Interrupted) as interrupted:
        arena.play(
            {"it": CtrlC(at), "other": CtrlC(0)}, "general_mhing", field=field, deals=40, seed=1,
            jobs=jobs,
        )  # fmt: skip
    result: arena.Result = interrupted.value.result
    assert result.stopped == "interrupted"
    assert result.games + result.left_out == len(over) < 40 * result.tables
    earned: dict[int, list[list[float]]] = {}
    for match, played in over:
        deal = earned.setdefault(match.number // result.tables, [[], []])
        for seat, player in enumerate(match.seating):
            if player < 2:
                deal[player].append(played.returns[seat])
    whole = [[np.mean(one) for one in deal] for deal in earned.values() if all(deal)]
    assert result.deals == len(whole) > 1
    for one, mean in zip(result.players, np.mean(whole, 0), strict=True):
        assert one.reward.value == pytest.approx(mean)
        assert np.isfinite(one.reward.interval)
    games = sum(one.games for one in result.players)
    assert games == result.games * (1 if field else 2)
    assert result.heading().startswith(f"{result.deals} deals, {result.games} games of")
    assert "ended early: interrupted; only games that were over count" in result.notes()


def test_nothing_was_over() -> None:
    with pytest.raises(arena.Interrupted) as interrupted:
        arena.play([CtrlC(1), "greedy"], deals=3, seed=1)
    assert interrupted.value.result.games == interrupted.value.result.deals == 0


@pytest.mark.parametrize("at_once", [None, 7])
def test_ctrl_c_between_deals_waits_for_the_next_games(
    at_once: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No deal is half added up: the result is that of a tournament of so many deals.

    A slow machine plays few games at once, which may end within a deal.
    """
    if at_once:

        def parts(count: int, _: int) -> Iterator[tuple[int, int]]:
            return ((begin, min(begin + at_once, count)) for begin in range(0, count, at_once))

        monkeypatch.setattr(episodes, "slices", parts)

    def press(done: int, so_far: Callable[[], arena.Result]) -> None:
        seen.append(done)
        if done >= 150:
            signal.raise_signal(signal.SIGINT)

    seen: list[int] = []
    log = tmp_path / "log.jsonl"
    given: dict[str, Any] = {"players": ["greedy", "random"], "seed": 1}
    with pytest.raises(arena.Interrupted) as interrupted:
        arena.play(**given, deals=1000, log=log, progress=press)
    result = interrupted.value.result
    assert seen[0] == 0
    assert seen[-1] <= result.deals < 1000
    assert result.players == arena.play(**given, deals=result.deals).players
    arena.play(**given, deals=result.deals, log=log, progress=lambda done, _: seen.append(done))
    assert seen[-1] == result.deals
    assert arena.play(**given, deals=300, log=log) == arena.play(**given, deals=300)


@pytest.mark.parametrize("estimator", ["raw", "paired"])
def test_slow_bots_of_the_core_keep_every_deal(estimator: str, tmp_path: Path) -> None:
    """However few of a block were over: the deals depend on no others."""

    def press(done: int, so_far: Callable[[], arena.Result]) -> None:
        if done >= 2:
            signal.raise_signal(signal.SIGINT)

    log = tmp_path / "log.jsonl"
    given: dict[str, Any] = {"players": ["search:20", "greedy"], "seed": 1, "estimator": estimator}
    with pytest.raises(arena.Interrupted) as interrupted:
        arena.play(**given, deals=1000, log=log, progress=press)
    deals = interrupted.value.result.deals
    assert 2 <= deals < 50
    kept = log.read_bytes().count(b"\n") - 1
    assert kept in (deals, deals - 1), "of the last deal some games alone may be over"
    whole = arena.play(**given, deals=deals + 2)
    assert arena.play(**given, deals=deals + 2, log=log).to_dict() == whole.to_dict()


def test_a_log_of_an_interrupted_block_is_continued(tmp_path: Path) -> None:
    given: dict[str, Any] = {"game": "general_mhing", "deals": 45, "seed": 1}
    log = tmp_path / "log.jsonl"
    with pytest.raises(arena.Interrupted) as interrupted:
        arena.play({"it": CtrlC(1000), "other": "greedy"}, **given, log=log)
    assert 20 < interrupted.value.result.deals < 45
    assert log.read_bytes().count(b"\n") in (21, 41)
    result = arena.play({"it": CtrlC(0), "other": "greedy"}, **given, log=log)
    assert result == arena.play({"it": CtrlC(0), "other": "greedy"}, **given)


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_command_prints_what_there_is(
    form: str, module: Callable[[int], str], tmp_path: Path, capsys: Capture
) -> None:
    words = ["arena", f"it={module(500)}", "greedy", "--game", "general_mhing", "--deals", "50"]
    words += ["--csv", str(tmp_path / "it.csv"), *(["--json"] if form == "json" else [])]
    assert main(words) == 130
    out, err = capsys.readouterr()
    if form == "json":
        found = json.loads(out)
        assert (found["stopped"], 1 < found["deals"] < 50) == ("interrupted", True)
    else:
        assert "ended early: interrupted" in out
        assert " ± " in out
    assert (err, (tmp_path / "it.csv").exists()) == ("\n", True)


def test_the_command_says_when_there_is_nothing(
    module: Callable[[int], str], capsys: Capture
) -> None:
    assert main(["arena", f"it={module(1)}", "greedy", "--deals", "5"]) == 130
    assert capsys.readouterr() == ("", "mhing: interrupted before a game was over that counts\n\n")


# ---- A player that forfeits everything -------------------------------------------------------


def test_a_player_that_forfeits_everything_ends_the_tournament(
    over: list[tuple[Match, GameOutcome]], capsys: Capture
) -> None:
    def broken(observation: Any, mask: Any, info: Info) -> int:
        raise ZeroDivisionError("why")

    result = arena.play({"broken": broken, "greedy": "greedy"}, deals=1000, seed=1)
    words = "broken has forfeited 10 games in a row: ZeroDivisionError: why"
    assert result.stopped == words
    assert result.games == len(over) == 10
    assert any(words in note for note in result.notes())


def test_one_that_sometimes_plays_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine games in a row are not ten."""
    games = 0

    def nine(observation: Any, mask: Any, info: Info) -> int:
        if games % 10 != 9:
            raise ZeroDivisionError
        return int(np.flatnonzero(mask)[-1])

    end = deals.Dealer._count_lost

    def count(self: deals.Dealer, match: Match, played: GameOutcome) -> None:
        nonlocal games
        games += 1
        end(self, match, played)

    monkeypatch.setattr(deals.Dealer, "_count_lost", count)
    monkeypatch.setattr(deals, "FEW", 1)  # one game at a time
    result = arena.play({"nine": nine}, "leduc", field="greedy", deals=30, seed=1)
    assert result.stopped is None
    assert result.players[0].forfeits == 54


def test_the_command_ends_with_a_line_and_a_result(capsys: Capture) -> None:
    words = ["arena", "bad=exec:true", "greedy", "--game", "leduc", "--deals", "500", "--json"]
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert json.loads(out)["stopped"] in err
    assert "mhing: bad has forfeited 10 games in a row: " in err


# ---- The benchmark ---------------------------------------------------------------------------


def test_a_benchmark_keeps_its_tasks(module: Callable[[int], str], capsys: Capture) -> None:
    """The second task is cut short."""
    first = {"tasks": ["mhing_duel"], "quick": True}
    calls = CtrlC(0)
    whole = benchmark.run(calls, **first)
    words = ["benchmark", f"it={module(calls.calls + 3000)}", "--quick"]
    words += ["--tasks", "mhing_duel,general_points", "--json"]
    assert main(words) == 130
    found = json.loads(capsys.readouterr().out)
    one, other = found["tasks"]
    assert (one["reward"], one["stopped"]) == (whole.outcomes[0].reward.value, None)
    assert (other["stopped"], other["deals"] > 1) == ("interrupted", True)
    assert not found["citable"]
    assert main(["benchmark", module(1), "--quick", "--tasks", "general_points"]) == 130
    assert capsys.readouterr() == ("", "mhing: interrupted before a task had two deals\n\n")


def test_a_benchmark_of_who_forfeits_everything_goes_on_with_the_next_task() -> None:
    def broken(observation: Any, mask: Any, info: Info) -> int:
        if len(mask) == mhing.Game("mhing").num_actions:
            raise ZeroDivisionError
        return int(np.flatnonzero(mask)[-1])

    report = benchmark.run(broken, tasks=["mhing_duel", "general_points"], quick=True)
    one, other = report.outcomes
    assert one.stopped is not None
    assert " has forfeited 10 games in a row: " in one.stopped
    assert (other.stopped, report.citable) == (None, False)
    assert report.stopped == f"{one.task.name}: {one.stopped}"
    assert any(note.startswith("mhing_duel: ended early, after") for note in report.notes())


def test_the_benchmark_command_ends_with_a_line_and_a_report(capsys: Capture) -> None:
    words = ["benchmark", "bad=builtins:pow", "--quick", "--tasks", "general_points", "--json"]
    assert main(words) == 2
    out, err = capsys.readouterr()
    stopped = json.loads(out)["tasks"][0]["stopped"]
    assert err.endswith(f"mhing: general_points: {stopped}\n")
    assert stopped.startswith("bad has forfeited 10 games in a row: ")


# ---- Recordings ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["it.parquet", "it.jsonl"])
def test_a_recording_keeps_the_games_that_were_over(
    name: str, module: Callable[[int], str], tmp_path: Path, capsys: Capture
) -> None:
    if name == "it.parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / name
    words = ["record", "leduc", "--bots", f"{module(31)},greedy", "--out", str(path), "--json"]
    assert main(words) == 130
    games = json.loads(capsys.readouterr().out)["games"]
    assert 5 < games < 31
    policy = CtrlC(0)
    whole = data.Games("leduc", {"it": policy, "greedy": "greedy"}, games=games)
    if name == "it.jsonl":
        assert len([*records(path)]) == games
        return
    recorded = data.Parquet(path)
    assert (recorded.settings["games"], recorded.settings["count"]) == (games, games)
    found, wanted = ([*one.batches()] for one in (recorded, whole))
    for column, array in wanted[0].items():
        assert np.array_equal(found[0][column], array)


@pytest.mark.parametrize("out", ["it.parquet", "it.jsonl", "it/"])
def test_a_recording_of_nothing(
    out: str, module: Callable[[int], str], tmp_path: Path, capsys: Capture
) -> None:
    if out != "it.jsonl":
        pytest.importorskip("pyarrow")
    assert main(["record", "leduc", "--bots", module(1), "--out", f"{tmp_path}/{out}"]) == 130
    assert capsys.readouterr().out == ""
    assert not [path for path in tmp_path.rglob("it*") if path.is_file()]


def test_a_folder_keeps_its_whole_files(
    module: Callable[[int], str], tmp_path: Path, capsys: Capture
) -> None:
    pytest.importorskip("pyarrow")
    words = ["record", "leduc", "--out", f"{tmp_path}/it/", "--piece", "5", "--games", "100"]
    assert main([*words, "--bots", f"{module(31)},greedy"]) == 130
    said = capsys.readouterr().out
    files = sorted((tmp_path / "it").iterdir())
    assert said.startswith(f"{5 * len(files)} games of leduc in ")
    assert len(files) > 1
    assert [path.suffix for path in files] == [".parquet"] * len(files)


# ---- Standings -------------------------------------------------------------------------------


def test_standings_are_said_in_a_pipe_now_and_then(capsys: Capture) -> None:
    now = 0.0
    with pace("playing", "deals", False, lambda: now) as show:
        assert show is not None
        for done in range(1, 101):
            now += 1.0
            show(done, 1000, "", lambda: "best 1.000 ± 0.100, other 0.500 ± 0.100")
    assert capsys.readouterr().err.splitlines() == [
        f"playing: {done} of 1,000 deals, 1.0 a second, {left} left; "
        "best 1.000 ± 0.100, other 0.500 ± 0.100"
        for done, left in ((30, "16:10"), (60, "15:40"), (90, "15:10"))
    ]
    with pace("playing", "deals", True) as nothing:
        assert nothing is None


def test_the_speed_of_deals_that_are_over_together(capsys: Capture) -> None:
    """By twenties, each for a minute, after 40 of a log."""
    now = 0.0
    with pace("playing", "deals", False, lambda: now) as show:
        assert show is not None
        for done in range(40, 101, 20):
            show(done, 1000, "", lambda: "")
            now += 60.0
    assert capsys.readouterr().err.splitlines() == [
        "playing: 60 of 1,000 deals, 0.3 a second, 47:00 left",
        "playing: 80 of 1,000 deals, 0.3 a second, 46:00 left",
        "playing: 100 of 1,000 deals, 0.3 a second, 45:00 left",
    ]


def test_standings_are_those_of_the_result() -> None:
    def show(done: int, so_far: Callable[[], arena.Result]) -> None:
        seen[done] = so_far().brief()

    seen: dict[int, str] = {}
    arena.play(["random", "greedy"], deals=150, seed=1, progress=show)
    assert seen[0] == ""
    assert 100 in seen
    some = arena.play(["random", "greedy"], deals=100, seed=1)
    assert seen[100] == f"greedy {some.players[1].reward}, random {some.players[0].reward}"


# ---- Long searches ---------------------------------------------------------------------------


class CtrlCAfter:
    """Presses Ctrl-C after so many seconds."""

    def __init__(self, seconds: float) -> None:
        self.pressed: list[float] = []
        self.timer = threading.Timer(seconds, self._press)
        self.timer.start()

    def _press(self) -> None:
        self.pressed.append(time.monotonic())
        main_thread = threading.main_thread().ident
        assert main_thread
        signal.pthread_kill(main_thread, signal.SIGINT)


def record_a_search(tmp_path: Path) -> None:
    main(["record", "leduc", "--bots", f"{LONG},random", "--out", str(tmp_path / "it.jsonl")])
    raise KeyboardInterrupt  # the command has ended by it


def step_beside_a_search(tmp_path: Path) -> None:
    env = CardGameVectorEnv(1, opponents="search:100000,cut=none")
    env.reset(seed=1)
    while True:
        env.step(env.sample_actions())


LONG = "search:10000000,cut=none"


@pytest.mark.parametrize(
    "work",
    [
        lambda _: mhing.Game("mhing").new_state(seed=1).search(LONG, seed=1),
        lambda _: mhing.Game("mhing").new_state(seed=1).bot_action(LONG, 1),
        lambda _: arena.play([LONG, "random"], deals=3, seed=1),
        lambda _: arena.play([LONG, CtrlC(0)], deals=3, seed=1),
        record_a_search,
        step_beside_a_search,
    ],
    ids=["search", "bot", "arena", "table", "record", "rows"],
)
def test_a_long_search_ends_at_ctrl_c(
    work: Callable[[Path], Any], tmp_path: Path, capsys: Capture
) -> None:
    press = CtrlCAfter(0.5)
    try:
        with pytest.raises(KeyboardInterrupt):
            work(tmp_path)
    finally:
        press.timer.cancel()
    assert time.monotonic() - press.pressed[0] < 3


def test_deals_before_a_long_search_are_kept(tmp_path: Path) -> None:
    """Ctrl-C comes after some deals, in the middle of a search; the log continues with the same."""
    given: dict[str, Any] = {"players": ["search:60", "random"], "game": "general_mhing"}
    given |= {"seed": 1, "log": tmp_path / "log.jsonl"}

    def press(done: int, so_far: Callable[[], arena.Result]) -> None:
        if done == 2:
            CtrlCAfter(0.05)

    with pytest.raises(arena.Interrupted) as interrupted:
        arena.play(**given, deals=100, progress=press)
    deals = interrupted.value.result.deals
    assert 2 <= deals < 100
    again = arena.play(**given, deals=deals)
    assert again.players == interrupted.value.result.players
    assert again == arena.play(["search:60", "random"], "general_mhing", seed=1, deals=deals)
