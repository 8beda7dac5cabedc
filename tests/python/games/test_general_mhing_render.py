"""Pictures of General Mhing: what is shown, what stays hidden, and that nothing overlaps."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Iterator
from typing import Any

import pytest
from pictures import (
    Table,
    board_text,
    check_ranks,
    check_scene,
    columns,
    crowded_states,
    of_game,
    positions,
)

from mhing import Game, render
from mhing.render import raster
from mhing.render.playing import cards
from mhing.render.scene import FORMATS, Scene, Use

pytestmark = pytest.mark.once

CARDS = Game("general_mhing").labels["cards"]


def tables(num_players: int, seeds: int = 4, **options: Any) -> Iterator[Table]:
    """Positions of mixed play."""
    game = Game("general_mhing", num_players=num_players, **options)
    return positions(game, seeds, 7, 4)


def crowded(num_players: int) -> Table:
    """A table with as much on it as can be: the longest discards, three sequences each."""
    d = next(tables(num_players))
    laid = {"text": "TJ*Qs", "cards": ["Ts", "Js", "Qs"], "ace": 1}
    pile = 52 - 7 * num_players
    d.update(
        phase="start",
        drawn=[],
        hands=[["Ts", *["Td"] * 7] for _ in range(num_players)],
        shown=["Ts"],
        sequences=[[laid] * 3 for _ in range(num_players)],
        tallies=[9] * num_players,
        scores=[1000] * num_players,
        discards=[{"card": "Td", "by": 0} for _ in range(pile)],
        offer="Td",
        offered_by=0,
    )
    return d


def finished(num_players: int) -> Table:
    """A crowded table at the end of a round, with more in its result than there can be."""
    d = crowded(num_players)
    laid = d["sequences"][0][0]
    parts = [["same suit", 6], ["same values", 3], ["in order", 3], ["all high or all low", 1]]
    seat = {"tally": 9, "parts": parts, "sequences": [laid] * 4}
    d.update(phase="over", seat=-1, offer=None, offered_by=None)
    d["sequences"] = [[laid] * 4 for _ in range(num_players)]
    d["result"] = {
        "round": 0,
        "winner": 1,
        "points": 9,
        "ending": "fourth sequence",
        "seats": [seat] * num_players,
    }
    return d


def test_text_shows_what_a_player_needs() -> None:
    for d in tables(2):
        text = board_text(d)
        assert f"{len(d['draw_pile'])} cards in the draw pile" in text
        for hand in d["hands"]:
            assert all(card in text for card in hand)
        for sequences in d["sequences"]:
            assert " ".join(laid["text"] for laid in sequences) in text
        for made in d["discards"]:
            assert made["card"] in text
        assert ("[" + str(d["offer"]) + "]" in text) == (d["offer"] is not None)


def test_one_is_no_plural() -> None:
    d = next(tables(2))
    d["draw_pile"], d["hands"][1], d["scores"] = d["draw_pile"][:1], d["hands"][1][:1], [1, 2]
    text = board_text(d, 0)
    assert "1 card in the draw pile" in text
    assert re.search(r"Seat 1  2 points, .*\b1 card\b", text)
    points = dict(re.findall(r"(Seat \d)  ([12] points?)", text))
    assert points == {"Seat 0": "1 point", "Seat 1": "2 points"}


def test_the_end_tells_winner_and_points() -> None:
    d = finished(3)
    for text in (board_text(d), board_text(d, 2)):
        assert "Seat 1 wins 9 points, 9 to 9 to 9 (fourth sequence)" in text
        assert "Seat 2: TJ*Qs TJ*Qs TJ*Qs TJ*Qs = 9 (6 same suit, 3 same values" in text
        assert "1,000 points (+9)" in text
    for number, seat in enumerate(d["result"]["seats"]):
        d["result"]["seats"][number] = seat | {"tally": number}
    d["result"]["points"] = 1
    assert "Seat 1 wins 1 point, 1 to 2 to 0 (fourth sequence)" in board_text(d)
    for seat in d["result"]["seats"]:
        seat["tally"] = 9
    d["result"]["winner"] = -1
    assert "nobody wins, 9 to 9 to 9" in board_text(d)
    assert "Seat 2: TJ*Qs" in board_text(d)


def test_cards_just_drawn_stand_apart() -> None:
    d = next(tables(2))
    (drawn,) = d["drawn"]
    assert re.search(rf"hand .* \+{drawn}$", board_text(d), re.MULTILINE)


def test_every_card_looks_different() -> None:
    seen = set()
    for card in CARDS:
        for wild in (False, True):
            picture = Scene(30, 42, "#000000", "")
            picture.add(Use(cards.face(card, wild), 0, 0, 0.7))
            seen.add(raster.to_rgb(picture).tobytes())
    assert len(seen) == 2 * len(CARDS)


@pytest.mark.parametrize("view", range(3))
def test_nothing_hidden_shows(view: int) -> None:
    """Whatever a seat cannot know is changed, and nothing that it sees changes."""
    shuffle = random.Random(view)
    for d in tables(3, seeds=3):
        other = copy.deepcopy(d)
        for seat, hand in enumerate(d["hands"]):
            if seat != view:
                known = [card for card in hand if card in d["shown"]]
                rest = [card for card in CARDS if card not in d["shown"]]
                other["hands"][seat] = [*known, *shuffle.sample(rest, len(hand) - len(known))]
        shuffle.shuffle(other["draw_pile"])
        if d["on_turn"] != view:
            other["drawn"] = []
        assert board_text(d, view) == board_text(other, view)


def test_known_cards_of_other_hands_show() -> None:
    assert "8 cards  with Ts" in board_text(crowded(2), 1)


@pytest.mark.parametrize("num_players", [2, 3])
def test_text_stays_within_100_columns(num_players: int) -> None:
    crowd, ended = crowded(num_players), finished(num_players)
    for d in (crowd, ended, of_game(ended), *tables(num_players, episode="game")):
        for view in (None, 0):
            assert columns(d, view) <= 100


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
