"""Words as tests ask for them: the parts by number, for a seat or for a spectator, which is -1."""

from __future__ import annotations

from typing import Any

import mhing
from mhing._lib.games import Viewer

HEADING, LIMITS, SEAT, PILES, EVENTS, RESULT, STATUS, MOVES = range(1, 9)


def observation_of(state: mhing.State, seat: int) -> Any:
    return state.observation(seat) if seat >= 0 else state.public_observation()


def words(
    game: mhing.Game, observation: Any, viewer: Viewer, part: int = 0, number: int = 0
) -> str:
    return game._handle.words(observation, viewer, part, number)


def check_parts(game: mhing.Game, observation: Any, viewer: Viewer, text: str) -> None:
    """Each part alone has the lines that it has in the whole."""
    first = max(viewer.seat, 0)
    seats = [(first + place) % game.num_seats for place in range(game.num_seats)]
    parts = [(HEADING, 0), (LIMITS, 0), *((SEAT, seat) for seat in seats), (PILES, 0)]
    parts += [(EVENTS, 32), (RESULT, 0), (STATUS, 0), (MOVES, 0)]
    said = [words(game, observation, viewer, part, number) for part, number in parts]
    assert "".join(said) == text
    assert all(part == "" or part.endswith("\n") for part in said)
