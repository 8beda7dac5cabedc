"""Pictures of General Mhing: what is shown, what stays hidden, and that nothing overlaps."""

from __future__ import annotations

import pytest
from pictures import (
    check_ranks,
    check_scene,
    crowded_states,
)

from mhing import Game, render
from mhing.render.scene import FORMATS, Drawing

pytestmark = pytest.mark.once

CARDS = Game("general_mhing").labels["cards"]


def test_every_card_looks_different() -> None:
    seen = set()
    for card in CARDS:
        for wild in (False, True):
            picture = Drawing(30, 42, "felt", "")
            picture.card(f"playing-{card}{'-wild' * wild}", 0, 0, 0.7)
            seen.add(picture.scene().to_rgb().tobytes())
    assert len(seen) == 2 * len(CARDS)


@pytest.mark.parametrize("num_players", [2, 3])
def test_nothing_overlaps_or_is_cut_off(num_players: int) -> None:
    game = Game("general_mhing", num_players=num_players, episode="game", rounds=2)
    discards = []
    for state in crowded_states(game, 12):
        discards.append(len(state.to_dict()["discards"]))
        for view in (None, 0, num_players - 1):
            for shape in FORMATS:
                scene = render.scene(state, view, shape=shape)
                check_scene(scene)
                check_ranks(scene)
    assert max(discards) > 52 - 8 * num_players - 2
