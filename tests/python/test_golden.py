"""Golden files: playthroughs, compared line by line, and the layout of every game."""

from __future__ import annotations

import json
from itertools import zip_longest

import pytest
from playthrough import GOLDEN, PLAYTHROUGHS, game_of, lines, path_of, spec_path

import mhing

HOW = "if the change is meant: python tests/python/playthrough.py --write"


@pytest.mark.parametrize("game_id", mhing.games())
def test_every_game_has_a_playthrough(game_id: str) -> None:
    assert any(game_of(name) == game_id for name in PLAYTHROUGHS), (
        f"tests/python/playthrough.py: PLAYTHROUGHS needs a line for {game_id}"
    )


def test_there_are_no_files_without_a_plan() -> None:
    assert set((GOLDEN / "playthroughs").rglob("*.txt")) == {path_of(name) for name in PLAYTHROUGHS}
    assert set((GOLDEN / "spec").glob("*")) == {spec_path(game_id) for game_id in mhing.games()}


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_playthrough(name: str) -> None:
    golden = path_of(name).read_text(encoding="utf-8").splitlines()
    decision = ""
    for number, (expected, line) in enumerate(zip_longest(golden, lines(name)), 1):
        if expected is not None and expected.startswith("--"):
            decision = expected
        assert line == expected, f"{name}.txt:{number} ({decision}); {HOW}"


@pytest.mark.parametrize("game_id", mhing.games())
def test_spec(game_id: str) -> None:
    golden = json.loads(spec_path(game_id).read_text(encoding="utf-8"))
    assert mhing.Game(game_id).describe() == golden, HOW
