"""Pictures of what a seat knows: from its observation they are those of the state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest
from options import known as known_options
from pictures import board_text

import mhing
from mhing import render
from mhing.render import View

pytestmark = pytest.mark.once


def positions(game: mhing.Game, seed: int, every: int) -> Iterator[mhing.State]:
    """Positions of mixed play, the last one among them."""
    rng = Random(seed)
    state, random = game.new_state(seed), seed
    for _ in range(3000):
        if state.is_terminal or rng.random() < 1 / every:
            yield state.clone()
        if state.is_terminal:
            return
        bot = rng.choice([game.bots[0].name, "greedy", "greedy"])
        action, random = state.bot_action(bot, random)
        state.apply(action)
    raise AssertionError("an episode without end")


@pytest.mark.parametrize("game_id", mhing.games())
def test_without_the_numbers_there_are_pictures(game_id: str) -> None:
    game = mhing.Game(game_id, **known_options(game_id, episode="game", rounds=2))
    for state in positions(game, 3, 20):
        view = View(game, state.observation(1), 1, is_over=state.is_terminal)
        assert ("is over" in render.board(view).status) == state.is_terminal
        assert len(render.rgb_array(view))


@pytest.mark.parametrize("game_id", mhing.games())
def test_pictures_of_a_view_are_those_of_the_state(game_id: str) -> None:
    game = mhing.Game(game_id, **known_options(game_id, episode="game", rounds=2))
    state = list(positions(game, 1, 5))[-2]
    asked = 1 if state.seat == 1 else None
    seen = View(game, state.observation(1), 1, state.info(), asked)
    for view in (None, 1):
        assert board_text(seen, view) == board_text(state, 1)
        assert render.svg(seen, view) == render.svg(state, 1)
        assert (render.rgb_array(seen, view) == render.rgb_array(state, 1)).all()
    assert render.notation(seen) == render.notation(state)
    mask = state.action_mask() if asked else None
    assert replace(seen, mask=mask).words() == state.words(1)


def test_what_is_no_view_is_refused() -> None:
    state = mhing.Game("mhing").new_state(1)
    with pytest.raises(ValueError, match="seat from 0 to 3, got 4"):
        View(state.game, state.observation(0), 4)
    with pytest.raises(ValueError, match="observation"):
        View(state.game, state.observation(0)[1:], 0)
    with pytest.raises(ValueError, match="view: 2, but this one is that of seat 1"):
        board_text(View(state.game, state.observation(1), 1), view=2)
    with pytest.raises(ValueError, match="view: 0, but this one is a spectator's"):
        render.svg(View(state.game, state.public_observation()), view=0)


def test_events_are_written_as_the_states_have_them() -> None:
    game = mhing.Game("mhing")
    assert game.event_text(2, 4, 0) == "4s"
    for kind, detail, extra in ((99, 0, 0), (2, 0, 0), (2, 99, 0), (0, 1, 0), (-1, 0, 0)):
        with pytest.raises(ValueError, match=f"none of kind {kind}, details {detail}, {extra}"):
            game.event_text(kind, detail, extra)
