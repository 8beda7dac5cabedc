"""Numbers that an event may have: those that mean something, counted by hand, and no others."""

from __future__ import annotations

import pytest
from reference.general_mhing import every_sequence

import mhing

COUNTS = {
    # A sequence has jokers at any of its places, a triplet any number of them.
    "mhing": {"discard": 35, "claim": 21 * 8 + 34 * 4, "lay_down": 21 * 8 + 34 * 4, "mhing": 2},
    "general_mhing": {
        "take": 52, "swap": 52, "discard": 52, "sequence": len(list(every_sequence())), "over": 2,
    },
    # A deal may turn up no card. Others at the table: 2; melds on it: 3 * 3; sets of 3-8; runs of
    # 4-14 from ace to ace.
    "mexican_rummy": {
        "deal": 53, "ask": 52, "take": 52, "discard": 52, "grant": 52 * 2, "refuse": 52 * 2,
        "swap": 52 * 9, "lay": 52 * 9, "set": 13 * 6, "run": 4 * sum(range(1, 12)), "over": 4,
    },
}  # fmt: skip
PLACES = 24
"""More than any event's last number."""


@pytest.mark.parametrize("game_id", COUNTS)
def test_events_have_words_for_what_can_happen_alone(game_id: str) -> None:
    game = mhing.Game(game_id, num_players=3)
    found = {}
    for event in game.events:
        numbers = [(detail, extra) for detail in range(256) for extra in range(PLACES)]
        found[event.name] = sum(is_known(game, event.id, *pair) for pair in numbers)
    assert found == {event.name: COUNTS[game_id].get(event.name, 1) for event in game.events}


def is_known(game: mhing.Game, kind: int, detail: int, extra: int) -> bool:
    """Return whether the game has words for it."""
    try:
        game.event_text(kind, detail, extra)
    except ValueError:
        return False
    return True
