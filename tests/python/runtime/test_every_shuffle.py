"""Every shuffle brings every card to every place with the same chance, in every game.

Cards are counted by place over many seeds, and held against equal chances by chi-square. A shuffle
inside a round is begun from a position made for it, with another generator each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import numpy as np
import pytest
from every_game import label, piles
from numpy.typing import NDArray
from reference.rummy_melds import DECK

import mhing

FAR = 5.0
"""Standard deviations of chi-square beyond which chance has no part: one run in three million."""

every_id = pytest.mark.parametrize("game_id", mhing.games())


def deviations(counts: NDArray[np.int64]) -> float:
    """The distance of the counts of cards (rows) by place (columns) from those of equal chances."""
    counts = counts[:, counts.any(axis=0)]
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / counts.sum()
    assert expected.min() > 5, "too few to tell"
    chi_square = ((counts - expected) ** 2 / expected).sum()
    freedom = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    return float((chi_square - freedom) / (2 * freedom) ** 0.5)


# ---- Deals --------------------------------------------------------------------------------------

SET_ASIDE = {"mhing": {"F"}}
"""Cards that are not dealt like others: flowers are laid out, and others come in their place."""


def dealt(state: mhing.State) -> Iterator[tuple[str, int]]:
    """The cards with their places: of hidden piles that have an order each one, and the hands."""
    table = state.to_dict()
    unordered = {one.name for one in state.game.omniscient_fields if "by card" in one.meaning}
    place = 0
    for pile in piles(state.game):
        cards = reversed(table.get(pile, []))  # the ends of piles stay where they are
        for number, card in enumerate(cards):
            if isinstance(card, str):
                yield label(card), place + (0 if pile in unordered else number)
        place += 256
    for seat, hand in enumerate(table["hands"]):
        for card in hand:
            yield label(card), place + seat


@every_id
def test_every_card_is_dealt_to_every_place(game_id: str, full: bool) -> None:
    game = mhing.Game(game_id)
    names = [name for name in game.labels["cards"] if name not in SET_ASIDE.get(game_id, ())]
    counts = np.zeros((len(names), 1024), np.int64)
    row = {name: number for number, name in enumerate(names)}
    seeds = 20_000 if full else 1_500
    for seed in range(seeds):
        for card, place in dealt(game.new_state(seed)):
            if card in row:
                counts[row[card], place] += 1
    often = counts.sum(axis=0) > seeds / 2  # a pile is not always of the same size
    assert often.sum() > game.num_seats
    assert deviations(counts[:, often]) < FAR


# ---- Shuffles inside rounds ---------------------------------------------------------------------


def before_a_shuffle(generator: int) -> mhing.State:
    """Mexican Rummy, the draw pile empty: all discards but the last are shuffled at the draw."""
    game = mhing.Game("mexican_rummy", num_players=2)
    discards = [{"card": card, "by": number % 2} for number, card in enumerate(DECK[::8][:12])]
    held = [card for card in DECK if card not in {made["card"] for made in discards}]
    return game.state_from_dict(
        {
            "turn": 13,
            "hands": [held[::2], held[1::2]],
            "discards": discards,
            "draw_pile": [],
            "shuffler": f"{generator:016x}",
        }
    )


def shuffled(state: mhing.State) -> list[str]:
    """The new draw pile, with the card drawn from it at once."""
    state.apply(state.game.action_id("draw"))
    table = state.to_dict()
    return [table["drawn"], *table["draw_pile"]]


SHUFFLES: dict[str, Callable[[int], mhing.State]] = {"mexican_rummy": before_a_shuffle}


@pytest.mark.slow
@pytest.mark.parametrize("game_id", sorted(SHUFFLES))
def test_every_card_comes_to_every_place_of_a_new_draw_pile(game_id: str, full: bool) -> None:
    rng = Random(29)
    before = SHUFFLES[game_id](0).to_dict()
    names = [made["card"] for made in before["discards"][:-1]]
    counts = np.zeros((len(names), len(names)), np.int64)
    for _ in range(40_000 if full else 2_000):
        pile = shuffled(SHUFFLES[game_id](rng.getrandbits(64)))
        assert sorted(pile) == sorted(names)
        for place, card in enumerate(pile):
            counts[names.index(card), place] += 1
    assert deviations(counts) < FAR


def test_cards_that_stay_are_noticed() -> None:
    """A last card that stays in one shuffle of ten is seen in the counts."""
    rng = Random(5)
    counts = np.zeros((11, 11), np.int64)
    for _ in range(2_000):
        order: list[Any] = rng.sample(range(11), 11)
        if rng.random() < 0.1:
            order = [*rng.sample(range(10), 10), 10]
        for place, card in enumerate(order):
            counts[card, place] += 1
    assert deviations(counts) > FAR
