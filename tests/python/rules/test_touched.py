"""The golden playthroughs touch every rule that shows in play."""

from __future__ import annotations

import pytest
from golden import playthroughs

from rules.citing import numbered_rules
from rules.touched import Move, games, touched, touches, untouched, written


@pytest.mark.parametrize("game_id", games())
def test_the_playthroughs_touch_every_rule_that_shows_in_play(game_id: str) -> None:
    shown: set[str] = set()
    for path in playthroughs(game_id):
        shown |= touched(game_id, written(path))
    assert set(touches(game_id)) - shown == set(), f"touched.py {game_id} --search 1000 finds some"


@pytest.mark.parametrize("game_id", games())
def test_every_rule_shows_in_play_or_there_is_a_reason(game_id: str) -> None:
    assert sorted([*touches(game_id), *untouched(game_id)]) == sorted(numbered_rules(game_id))


def test_new_events_are_those_that_a_table_did_not_have() -> None:
    full = [{"event": number} for number in range(32)]
    assert Move({"events": full[:3]}, "", {"events": full[:3]}).events == []
    assert Move({"events": full[:3]}, "", {"events": full[:5]}).events == full[3:5]
    moved = [*full[2:], {"event": "a"}, {"event": "b"}]
    assert Move({"events": full}, "", {"events": moved}).events == moved[-2:]
