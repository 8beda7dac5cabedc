"""Positions that went wrong once: every file in tests/golden/cases is played, and must come out.

A case is a JSON object: `what` went wrong, the `game`, its `options`, the `seed`, if need be the
`deck` (card types in the order of the deal), and the `actions` to be played, by their texts. Then
what must be so: `refused`, actions that are not legal; `table`, parts of `to_dict()`;
`observations`, fields by seat.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import mhing

CASES = sorted((Path(__file__).parents[2] / "golden" / "cases").glob("*.json"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case(path: Path) -> None:
    case = json.loads(path.read_text(encoding="utf-8"))
    game = mhing.Game(case["game"], **case["options"])
    state = game.new_state(case["seed"], deck=case.get("deck"))
    for action in case["actions"]:
        state.apply(game.action_id(action))
    legal = {game.action_text(action) for action in state.legal_actions().tolist()}
    assert legal.isdisjoint(case.get("refused", [])), case["what"]
    table = state.to_dict()
    for name, value in case.get("table", {}).items():
        assert table[name] == value, case["what"]
    for seat, fields in case.get("observations", {}).items():
        shown = game.unpack(state.observation(int(seat)))
        for name, value in fields.items():
            assert np.array_equal(shown[name], value), case["what"]
