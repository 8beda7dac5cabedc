"""Pictures of Mexican Rummy: what is shown, what stays hidden, and that nothing is cut off."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise, product
from typing import Any

import pytest
from pictures import (
    check_ranks,
    check_scene,
    crowded_states,
    edges,
    sprites,
    states,
)
from shapes import Text, shapes_of

from mhing import Game, State, render
from mhing.render.scene import FORMATS

pytestmark = pytest.mark.once

CARDS = Game("mexican_rummy").labels["cards"]


def crowd(num_players: int) -> list[State]:
    """Crowded tables of whole games."""
    game = Game("mexican_rummy", num_players=num_players, episode="game", turn_limit=60)
    return crowded_states(game, 2)


@pytest.mark.slow
@pytest.mark.parametrize("num_players", range(2, 7))
def test_nothing_is_cut_off_and_groups_of_cards_stay_in_their_rows(num_players: int) -> None:
    for state, view, shape in product(crowd(num_players), (None, 0, num_players - 1), FORMATS):
        scene = render.scene(state, view, shape=shape)
        check_scene(scene)
        check_ranks(scene)
        cards = set(map(edges, sprites(scene)))
        for a, b in combinations(cards, 2):  # cards lie over one another in a row only
            assert a[1] == b[1] or a[3] <= b[1] + 0.1 or b[3] <= a[1] + 0.1 or _apart(a, b)


@pytest.mark.slow
@pytest.mark.parametrize("shape", FORMATS)
def test_most_of_each_card_of_a_crowded_hand_can_be_touched(shape: Any) -> None:
    """Three quarters of its width, however many there are."""
    largest = 0
    for state, view in product(crowd(4), range(4)):
        scene = render.scene(state, view, shape=shape)
        hand = [use for use in sprites(scene) if use.seat == view and use.zone in ("hand", "drawn")]
        largest = max(largest, len(hand))
        for use, after in pairwise(hand):
            left, _, right, _ = edges(use)
            if after.y == use.y:
                assert after.x - left >= 0.75 * (right - left)
    assert largest > 20


def test_a_wild_card_is_the_card_that_lies_there() -> None:
    """Pages match the two with moves, whatever it looks like."""
    game = Game("mexican_rummy", num_players=4, objective=3)
    wild = Counter[str]()
    for state, view in product(states(game, 8, 5, 50), (None, 0)):
        d = state.to_dict()
        if d["plan"]:
            continue
        melds = [use for use in sprites(render.scene(state, view)) if use.zone == "meld"]
        laid = Counter(card[:2] for melds in d["melds"] for meld in melds for card in meld["cards"])
        assert Counter(use.card for use in melds) == laid
        wild.update(use.card for use in melds if use.sprite.name.endswith("-wild"))
    assert set(wild) == {"2s", "2c"}


def _apart(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    """Return whether two cards are beside each other, or both of the draw pile, which leans."""
    return a[2] <= b[0] or b[2] <= a[0] or (a[0] < 40 and b[0] < 40 and abs(a[1] - b[1]) <= 6)


def test_seats_sit_clockwise() -> None:
    """From the viewer's below to the left, along the top, and down at the right."""
    for num_players in range(2, 7):
        state = Game("mexican_rummy", num_players=num_players).new_state(1)
        names = [
            (shape.text, shape.x, shape.y)
            for shape in shapes_of(render.scene(state, 0))
            if isinstance(shape, Text) and shape.text.startswith("Seat ") and shape.bold
        ]
        places = {name: (x, y) for name, x, y in names if len(name) == 6}
        x, y = zip(*(places[f"Seat {seat}"] for seat in range(num_players)), strict=True)
        assert y[0] == max(y)
        assert (x[1], y[1]) == (min(x), y[-1])
        top = [seat for seat in range(1, num_players) if y[seat] == min(y)]
        assert [x[seat] for seat in top] == sorted(x[seat] for seat in top)
        assert top == list(range(top[0], top[-1] + 1))
