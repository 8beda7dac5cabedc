"""Values of actions by bots: all judged, in the unit of the reward, by what the seat knows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from decisions import decisions

import mhing

JUDGES_ALL: dict[str, tuple[str, dict[str, Any]]] = {
    "mhing": ("mhing", {}),
    "jmhing": ("mhing", {"rules": "jmhing", "seven_pairs": True, "num_players": 2}),
    "chips": ("mhing", {"num_players": 3, "scoring": "chips", "reward": "chips"}),
    "mhing win": ("mhing", {"reward": "win"}),
    "general": ("general_mhing", {}),
    "margin": ("general_mhing", {"reward": "margin", "num_players": 3}),
    "general win": ("general_mhing", {"reward": "win"}),
}


@pytest.mark.parametrize("case", JUDGES_ALL)
def test_every_legal_action_is_judged(case: str) -> None:
    game_id, options = JUDGES_ALL[case]
    for state in decisions(mhing.Game(game_id, **options), 12, "expert"):
        judged = state.values("expert")
        assert judged.actions.tolist() == state.legal_actions().tolist()
        assert judged.values.shape == judged.actions.shape
        assert np.isfinite(judged.values).all()
        best = judged.values[judged.actions == state.bot_action("expert", 0)[0]]
        assert best == judged.values.max()


@pytest.mark.parametrize(
    ("game_id", "options"),
    [
        ("mhing", {}),
        ("mhing", {"reward": "points"}),
        ("mhing", {"reward": "chips", "scoring": "chips"}),
        ("mhing", {"reward": "win"}),
        ("general_mhing", {}),
        ("general_mhing", {"reward": "margin", "num_players": 3}),
        ("general_mhing", {"reward": "win"}),
    ],
)
def test_what_ends_the_round_is_worth_what_it_pays(game_id: str, options: dict[str, Any]) -> None:
    """Of these values nothing is an estimate: they give away another unit, or the wrong seat."""
    paid = 0
    for state in decisions(mhing.Game(game_id, **options), 60, "expert"):
        judged = state.values("expert")
        for action, value in zip(judged.actions, judged.values, strict=True):
            text = state.game.action_text(action)
            after = state.clone()
            if text == "mhing" or (game_id == "general_mhing" and not text.startswith("discard")):
                after.apply(action)
            # A worse action than the bot's has its value at most; another claim may go first.
            ended = after.is_terminal and value == judged.values.max()
            if ended and (game_id != "mhing" or after.info()["winner"] == state.seat):
                assert value == pytest.approx(after.returns()[state.seat], abs=1e-9), text
                paid += 1
    assert paid > 20


@pytest.mark.parametrize(
    ("game_id", "options"),
    [
        ("mhing", {"reward": "win", "episode": "game", "target": 50}),
        ("general_mhing", {"reward": "win", "episode": "game", "target": 6}),
        ("mexican_rummy", {"reward": "rank"}),
        ("mexican_rummy", {"reward": "win"}),
    ],
)
def test_nothing_is_judged_where_the_bot_plays_for_something_else(
    game_id: str, options: dict[str, Any]
) -> None:
    for state in decisions(mhing.Game(game_id, **options), 1, "expert"):
        assert np.isnan(state.values("expert").values).all()


def test_mexican_rummy_judges_what_it_weighs() -> None:
    """Draws, answers and discards before it is down; the rest follows greedy's rules."""
    kinds: dict[str, list[bool]] = {}
    for state in decisions(mhing.Game("mexican_rummy", objective=2), 10, "expert"):
        judged = state.values("expert")
        if not np.isnan(judged.values).all():
            for action, value in zip(judged.actions, judged.values, strict=True):
                kind = state.game.action_text(action).split()[0]
                kinds.setdefault(kind, []).append(bool(np.isnan(value)))
            assert np.nanmax(judged.values) < 0, "points left in a hand count against it"
    assert not any(kinds["draw"] + kinds["take"] + kinds["refuse"] + kinds["discard"])
    assert all(kinds.pop("grant"))
    assert len(kinds) == 4


def test_bots_without_values_are_refused() -> None:
    state = mhing.Game("mhing").new_state(1)
    with pytest.raises(ValueError, match=r"bot: greedy of mhing does not judge .*: expert, net$"):
        state.values("greedy")
    with pytest.raises(ValueError, match="no bot 'nobody'"):
        state.values("nobody")
    with pytest.raises(RuntimeError, match="the episode is over"):
        state.play_out("greedy", 1).values("expert")
