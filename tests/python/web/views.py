"""Views of one table, as a page is sent them."""

from __future__ import annotations

import mhing
from mhing.render.view import View
from mhing.web.updates import Seen


def a_view(number: int) -> Seen:
    """The public view after so many changes."""
    state = mhing.Game("mhing", num_players=2).new_state(1)
    for _ in range(number):
        before = state.public_observation().tobytes()
        while state.public_observation().tobytes() == before:
            state.apply(int(state.legal_actions()[0]))
    return Seen(View(state.game, state.public_observation()))
