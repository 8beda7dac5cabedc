"""The score sheet: what each round of a game was worth, held against the states between rounds."""

from __future__ import annotations

import json
import pickle
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import mhing
from mhing.recorder import Recorder
from mhing.records import Record
from mhing.sheet import Sheet, SheetRow

GAMES: dict[str, dict[str, Any]] = {
    "mhing": {"target": 64},
    "general_mhing": {"num_players": 3},
    "mexican_rummy": {"objective": 4},
}


def game_of(game_id: str, **options: Any) -> mhing.Game:
    return mhing.Game(game_id, episode="game", **GAMES[game_id] | options)


def play(state: mhing.State) -> list[dict[str, Any]]:
    """Plays greedily to the end; the result that `to_dict` has after each round."""
    results = []
    while not state.is_terminal:
        over = state.rounds_over
        state.apply(state.bot_action("greedy", random=1)[0])
        if state.rounds_over > over:
            table = state.to_dict()
            results.append(table["result"] | {"scores": table["scores"]})
    return results


def row(sheet: Sheet, name: str, seat: int | None = None) -> tuple[int | None, ...]:
    (found,) = [one.values for one in sheet.rows if (one.name, one.seat) == (name, seat)]
    return found


@pytest.mark.parametrize("game_id", GAMES)
def test_columns_are_the_rounds_as_they_ended(game_id: str) -> None:
    state = game_of(game_id).new_state(seed=2)
    results = play(state)
    sheet = state.sheet()
    assert len(results) > 1
    assert sheet.rounds == tuple(range(1, len(results) + 1))
    assert sheet.winners == tuple(one["winner"] for one in results)
    for seat in range(state.game.num_seats):
        assert row(sheet, "scores", seat) == tuple(one["scores"][seat] for one in results)


def test_the_box_has_a_line_for_each_combination() -> None:
    """The payments of a round stand in its column, and add up to the credits below."""
    state = game_of("mhing").new_state(seed=2)
    results = play(state)
    sheet = state.sheet()
    parts = [one for one in sheet.rows if one.name in state.game.labels["parts"]]
    for place, result in enumerate(results):
        written = {one.name: one.values[place] for one in parts if one.values[place]}
        assert written == dict(result["parts"])
        if result["winner"] >= 0:
            assert row(sheet, "credits")[place] == sum(written.values()) == result["credits"]
            assert row(sheet, "points")[place] == result["points"]
        else:
            assert row(sheet, "credits")[place] is None
    assert any(one["winner"] < 0 for one in results) or len(results) > 5
    names = [one.name for one in sheet.rows]
    assert names.index("credits") > names.index(parts[-1].name)


def test_chips_are_there_where_they_decide() -> None:
    assert not any(one.name in ("chips", "payments") for one in _played("mhing").sheet().rows)
    state = _played("mhing", scoring="chips", rounds=3)
    sheet = state.sheet()
    names = {one.name for one in sheet.rows}
    assert {"chips", "payments"} <= names
    assert "scores" not in names
    for seat in range(4):
        assert sum(value or 0 for value in row(sheet, "payments", seat)) == (
            (row(sheet, "chips", seat)[-1] or 0) - 500
        )


def _played(game_id: str, **options: Any) -> mhing.State:
    state = game_of(game_id, **options).new_state(seed=2)
    play(state)
    return state


def test_copies_and_pickles_know_all_rounds_and_snapshots_the_last() -> None:
    state = _played("general_mhing")
    written = state.sheet()
    assert state.clone().sheet() == written
    assert pickle.loads(pickle.dumps(state)).sheet() == written
    restored = state.game.from_bytes(state.to_bytes()).sheet()
    assert restored.rounds == written.rounds[-1:]
    assert restored.rows[-1].values == written.rows[-1].values[-1:]


def test_a_copy_goes_on_by_itself() -> None:
    state = game_of("mexican_rummy").new_state(seed=2)
    other = state.clone()
    play(other)
    assert state.sheet().rounds == ()
    assert len(other.sheet().rounds) == 3


def test_a_round_alone_has_one_column() -> None:
    state = mhing.Game("mhing").new_state(seed=2)
    assert state.sheet().text() == "No round is over yet."
    play(state)
    assert state.sheet().rounds == (1,)


def test_lines_fit_and_name_the_players() -> None:
    state = _played("mhing")
    sheet = state.sheet()
    names = ["Ann", "Bo", "Cleo", "Di"]
    for width in (60, 100, 300):
        text = sheet.text(names, width)
        assert max(map(len, text.splitlines())) <= width
        found = [
            int(number)
            for line in text.splitlines()
            if line.startswith("round")
            for number in line.split()[1:]
        ]
        assert found == [*sheet.rounds]
    assert "Cleo" in text
    assert "seat" not in text


def test_plain_data_says_the_same() -> None:
    sheet = _played("mhing").sheet()
    data = json.loads(json.dumps(sheet.to_dict()))
    assert data["game"] == "mhing"
    assert data["rounds"] == [*sheet.rounds]
    assert data["winners"] == [*sheet.winners]
    rows = [SheetRow(one["name"], one["seat"], tuple(one["values"])) for one in data["rows"]]
    assert tuple(rows) == sheet.rows


def _record(folder: Path, game: mhing.Game) -> str:
    path = str(folder / "game.jsonl")
    state = game.new_state(seed=2)
    with Recorder(path) as recorder:
        recorder.begin(game, 2, ["Ann", "Bo", "Cleo", "Di"])
        while not state.is_terminal:
            seat, action = state.seat, state.bot_action("greedy", random=1)[0]
            state.apply(action)
            recorder.move(seat, action, "bot")
        recorder.end(state)
    return path


@pytest.mark.slow
def test_a_record_has_it(tmp_path: Path) -> None:
    path = _record(tmp_path, game_of("mhing"))
    sheet = Record(path).sheet()
    assert sheet is not None
    assert sheet == _played("mhing").sheet()
    command = [shutil.which("mhing") or "mhing", "replay", path]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert sheet.text(["Ann", "Bo", "Cleo", "Di"]) in shown
    printed = subprocess.run(
        [*command, "--json"], capture_output=True, text=True, check=True
    ).stdout
    assert json.loads(printed)["sheet"] == sheet.to_dict()


def test_a_record_of_a_round_has_none(tmp_path: Path) -> None:
    assert Record(_record(tmp_path, mhing.Game("mhing"))).sheet() is None
