"""Pictures of Mexican Rummy: what is shown, what stays hidden, and that nothing is cut off."""

from __future__ import annotations

import copy
import random
import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, pairwise, product
from typing import Any

import pytest
from pictures import (
    Table,
    board_text,
    check_ranks,
    check_scene,
    columns,
    crowded_states,
    edges,
    of_game,
    positions,
    sprites,
    states,
)
from rummy import table

from mhing import Game, State, render
from mhing.render.scene import FORMATS, Text

pytestmark = pytest.mark.once

CARDS = Game("mexican_rummy").labels["cards"]


def tables(num_players: int, seeds: int = 4, **options: Any) -> Iterator[Table]:
    """Positions of mixed play."""
    game = Game("mexican_rummy", num_players=num_players, **{"objective": 2, **options})
    return positions(game, seeds, 11, 9)


def crowded(num_players: int) -> Table:
    """A table with as much on it as can be: large hands and melds, the longest discards."""
    d = next(tables(num_players))
    run = {
        "kind": "run",
        "text": "A2*3456789TJQKAs",
        "cards": ["As", "2c", *(f"{rank}s" for rank in "3456789TJQK"), "As"],
        "suit": 0,
        "low": 0,
    }
    fives = {"kind": "set", "text": "5sshhddcc", "cards": ["5s", "5h", "5d", "5c"] * 2, "rank": 4}
    pile = 104 - 10 * num_players
    d.update(
        phase="start",
        seat=d["on_turn"],
        drawn=None,
        hands=[["Ts", "Ts'", *["Td"] * 30] for _ in range(num_players)],
        shown=["Ts", "Ts'"],
        melds=[[fives, fives, run] for _ in range(num_players)],
        scores=[1000] * num_players,
        discards=[{"card": "Td", "by": 0} for _ in range(pile)],
        offer="Td",
        offered_by=0,
    )
    return d


def finished(num_players: int) -> Table:
    """A crowded table at the end of a round."""
    d = crowded(num_players)
    d.update(phase="over", seat=-1, offer=None, offered_by=None)
    d["result"] = {
        "round": 0,
        "winner": 1,
        "ending": "last card laid",
        "points": [995] * num_players,
    }
    return d


def test_text_shows_what_a_player_needs() -> None:
    for d in tables(3):
        text = board_text(d)
        assert f"{len(d['draw_pile'])} cards in the draw pile" in text
        plan = d["plan"]
        for seat, hand in enumerate(d["hands"]):
            held = plan["rest"] if plan and seat == d["on_turn"] else hand
            assert all(card[:2] in text for card in held)
        for melds in d["melds"]:
            assert " ".join(laid["text"] for laid in melds) in text or plan
        for made in d["discards"][-10:]:
            assert made["card"][:2] in text
        assert ("[" + str(d["offer"])[:2] + "]" in text) == (d["offer"] is not None)


def test_the_end_tells_who_goes_out_and_the_points_left() -> None:
    d = finished(3)
    for text in (board_text(d), board_text(d, 2)):
        assert "Seat 1 goes out (last card laid), points left 995, 995, 995" in text
        assert "1,000 points (+995)" in text
    d["result"]["winner"] = -1
    d["result"]["ending"] = "turn limit"
    assert "nobody goes out (turn limit)" in board_text(d)


def test_the_card_just_drawn_stands_apart() -> None:
    state = table(["7s 7h 7d 7c Ks Kh Kd 3h 4d 9h", "3s 5h 8d Tc 4s 6h 9d Jc Qs Ah"], "2h")
    for action in ("pass", "draw"):
        state.apply(state.game.action_id(action))
    assert re.search(r"hand .* \+2h$", board_text(state.to_dict(), 0), re.MULTILINE)
    assert "+2h" not in board_text(state.to_dict(), 1)


def test_melds_planned_are_shown_to_the_planner_only() -> None:
    state = table(["7s 7h 7d 7c Ks Kh Kd 3h 4d 9h", "3s 5h 8d Tc 4s 6h 9d Jc Qs Ah"], "2h")
    before = ""
    for action in ("pass", "draw", "set 7", "lay 7s"):
        before = before or (board_text(state.to_dict(), 1) if action == "set 7" else "")
        state.apply(state.game.action_id(action))
    assert "laying 7s" in re.sub(" +", " ", board_text(state.to_dict(), 0))
    assert ">laying down<" in render.svg(state.to_dict(), 0)
    assert "laying down" not in render.svg(state.to_dict(), 1)
    assert "fill the meld" in board_text(state.to_dict(), 0)
    assert board_text(state.to_dict(), 1) == before


def test_a_black_two_is_shown_as_what_it_stands_for() -> None:
    d = crowded(2)
    assert "A2*3456789TJQKAs" in board_text(d)
    assert "\x1b[1;33m2*" in board_text(d, color=True)


@pytest.mark.parametrize("view", range(3))
def test_nothing_hidden_shows(view: int) -> None:
    """Whatever a seat cannot know is changed, and nothing that it sees changes."""
    shuffle = random.Random(view)
    hidden_phases = {"swap", "meld", "fill", "extend", "place"}
    seen = set()
    for d in tables(3, seeds=6):
        other = copy.deepcopy(d)
        for seat, hand in enumerate(d["hands"]):
            if seat != view:
                known = [card for card in hand if card in d["shown"]]
                rest = [card for card in CARDS if card not in d["shown"]]
                other["hands"][seat] = [*known, *shuffle.sample(rest, len(hand) - len(known))]
        shuffle.shuffle(other["draw_pile"])
        if d["on_turn"] != view:
            other.update(drawn=None, plan=None, chosen=None)
            if d["phase"] in hidden_phases:
                other["phase"] = "play"
        if d["phase"] == "ask" and d["seat"] != view:
            other.update(phase="start", seat=d["on_turn"])
        seen.add(d["phase"])
        assert board_text(d, view) == board_text(other, view)
    assert seen >= {"ask", "play", "start"}


@pytest.mark.parametrize("view", [None, 0, 1, 2])
def test_the_seat_to_act_is_marked(view: int | None) -> None:
    """It is the one that the status names, and never another one than who sees it, when asked."""
    asked = 0
    for d in tables(3):
        if d["phase"] != "over":
            picture = board_text(d, view)
            marked = re.findall(r"^> Seat (\d)", picture, re.MULTILINE)
            assert marked == re.findall(r"^Seat (\d) (?:may|answers|to) ", picture, re.MULTILINE)
            if view in (None, d["seat"]):
                assert marked == [str(d["seat"])]
                asked += d["seat"] != d["on_turn"]
    assert asked


def test_known_cards_of_other_hands_show() -> None:
    assert "32 cards  with Ts Ts" in board_text(crowded(2), 1)


@pytest.mark.parametrize("num_players", [2, 6])
def test_text_stays_within_100_columns(num_players: int) -> None:
    crowd, ended = crowded(num_players), finished(num_players)
    for d in (crowd, ended, of_game(ended), *tables(num_players, episode="game")):
        for view in (None, 0):
            assert columns(d, view) <= 100


def crowd(num_players: int) -> list[State]:
    """Crowded tables of whole games."""
    game = Game("mexican_rummy", num_players=num_players, episode="game", turn_limit=60)
    return crowded_states(game, 2)


@pytest.mark.parametrize("num_players", range(2, 7))
def test_nothing_is_cut_off_and_groups_of_cards_stay_in_their_rows(num_players: int) -> None:
    for state, view, shape in product(crowd(num_players), (None, 0, num_players - 1), FORMATS):
        scene = render.scene(state, view, shape=shape)
        check_scene(scene)
        check_ranks(scene)
        cards = set(map(edges, sprites(scene)))
        for a, b in combinations(cards, 2):  # cards lie over one another in a row only
            assert a[1] == b[1] or a[3] <= b[1] + 0.1 or b[3] <= a[1] + 0.1 or _apart(a, b)


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
    """What pages match with moves is the two, whatever it looks like."""
    game = Game("mexican_rummy", num_players=4, objective=3)
    wild = Counter[str]()
    for state, view in product(states(game, 8, 5, 50), (None, 0)):
        d = state.to_dict()
        if d["plan"]:
            continue
        melds = [use for use in sprites(render.scene(state, view)) if use.zone == "meld"]
        laid = Counter(card[:2] for melds in d["melds"] for meld in melds for card in meld["cards"])
        assert Counter(use.sprite.card for use in melds) == laid
        wild.update(use.sprite.card for use in melds if use.sprite.name.endswith("-wild"))
    assert set(wild) == {"2s", "2c"}


def _apart(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    """Whether two cards are beside each other, or both of the draw pile, which leans."""
    return a[2] <= b[0] or b[2] <= a[0] or (a[0] < 40 and b[0] < 40 and abs(a[1] - b[1]) <= 6)


def test_seats_sit_clockwise() -> None:
    """From the viewer's below to the left, along the top, and down at the right."""
    for num_players in range(2, 7):
        state = Game("mexican_rummy", num_players=num_players).new_state(1)
        names = [
            (shape.text, shape.x, shape.y)
            for shape in render.scene(state, 0).shapes
            if isinstance(shape, Text) and shape.text.startswith("Seat ") and shape.bold
        ]
        places = {name: (x, y) for name, x, y in names if len(name) == 6}
        x, y = zip(*(places[f"Seat {seat}"] for seat in range(num_players)), strict=True)
        assert y[0] == max(y)
        assert (x[1], y[1]) == (min(x), y[-1])
        top = [seat for seat in range(1, num_players) if y[seat] == min(y)]
        assert [x[seat] for seat in top] == sorted(x[seat] for seat in top)
        assert top == list(range(top[0], top[-1] + 1))
