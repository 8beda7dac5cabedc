"""All that a seat gets through a door, in order: the same in worlds that it cannot tell apart.

`test_every_secret` compares states of twin worlds (see `twins.py`); here games are played in both,
through what users play through (see `streams.py`). A message belongs to what its seat knew when it
came. As long as that is the same in both worlds, the seat must have got the same messages, and as
many of them: a question to somebody else, which only one of the worlds has, must add nothing and
move nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import streams
from server_process import Server
from streams import Common, Door, compare
from twins import Deal, twins

import mhing

PAIRS = {
    ("mhing", 2): (32, 98, 100, 176),
    ("mhing", 3): (41, 43, 161, 234),
    ("mhing", 6): (11, 57, 79, 234),
    ("general_mhing", 2): (0, 1, 2, 3),
    ("general_mhing", 3): (0, 1, 109, 172),
    ("mexican_rummy", 2): (0, 1),
    ("mexican_rummy", 4): (0, 1),
}
"""By game and seats: pairs of worlds."""

RARE = {("general_mhing", 2), ("mexican_rummy", 2), ("mexican_rummy", 4)}
"""Tables at which hardly any pair has a question in one world alone; all others have several."""

pytestmark = pytest.mark.once

of_every_game = pytest.mark.parametrize(("game_id", "seats"), PAIRS)


def pairs(game_id: str, seats: int) -> Iterator[tuple[tuple[Deal, Deal], int]]:
    """Deals of two worlds, and a seat that cannot know which of them it is in."""
    game = mhing.Game(game_id, num_players=seats)
    for number in PAIRS[game_id, seats]:
        pair = twins(game, number, most=2 if number % 2 else 6)
        yield pair.deals, sorted(pair.alike)[number % len(pair.alike)]


def same(game_id: str, seats: int, door: Door, early: int = 0) -> None:
    """Plays pairs of worlds through a door."""
    common = Common()
    for deals, seat in pairs(game_id, seats):
        compare(*(door(deal, seat) for deal in deals), common, early)
    assert common.shared >= 12
    assert common.asked_in_one or (game_id, seats) in RARE, "find other PAIRS"


@pytest.mark.parametrize(
    "door",
    [streams.through_gymnasium, streams.through_a_vector, streams.through_pettingzoo],
)
@of_every_game
def test_environments(game_id: str, seats: int, door: Door) -> None:
    same(game_id, seats, door)


@of_every_game
def test_terminals(game_id: str, seats: int) -> None:
    same(game_id, seats, streams.through_a_terminal)


@pytest.mark.parametrize("door", [streams.through_a_page, streams.through_a_notebook])
@of_every_game
def test_pages(game_id: str, seats: int, door: Door) -> None:
    """A page waits for the move that is seen next where the worlds part."""
    same(game_id, seats, door, early=1)


@pytest.mark.parametrize("door", [streams.as_a_callable, streams.in_rows])
@of_every_game
def test_callables_of_the_arena(game_id: str, seats: int, door: Door) -> None:
    same(game_id, seats, door)


@of_every_game
def test_language_models_of_the_arena(game_id: str, seats: int, tmp_path: Path) -> None:
    same(game_id, seats, streams.Chats(tmp_path))


@of_every_game
def test_programs_of_the_arena(game_id: str, seats: int, tmp_path: Path) -> None:
    same(game_id, seats, streams.Programs(tmp_path))


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with Server(tmp_path_factory.mktemp("server")) as server:
        yield server.endpoint


@of_every_game
def test_guests_of_the_arena(game_id: str, seats: int, endpoint: str) -> None:
    same(game_id, seats, streams.GuestsOfAServer(endpoint))
