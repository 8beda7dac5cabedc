"""Pictures of what a seat knows: from its observation they are those of the state."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from itertools import product
from random import Random
from typing import Any

import pytest
from options import known as known_options
from pictures import board_text

import mhing
from mhing import by_game, render
from mhing.render import Sight

pytestmark = pytest.mark.once

OWN = [game_id for game_id in mhing.games() if by_game.pictures(game_id)]

EVERY = {"mhing": 15, "general_mhing": 2, "mexican_rummy": 25}  # decisions, one is looked at


def settings(game_id: str) -> list[dict[str, Any]]:
    """Options that change what a table looks like."""
    if game_id == "mhing":
        rules = product(range(2, 7), ("boxed", "jmhing"), ("points", "chips"), ("round", "game"))
        return [
            {
                "num_players": n,
                "rules": r,
                "scoring": s,
                "episode": e,
                "rounds": 3,
                "seven_pairs": e == "game",
            }
            for n, r, s, e in rules
            if n < 5 or s == "points"
        ]
    if game_id == "general_mhing":
        rules = product((2, 3), (5, 200, 400), ("round", "game"))
        return [{"num_players": n, "turn_limit": t, "episode": e, "rounds": 3} for n, t, e in rules]
    rounds = [{"num_players": 2 + o % 5, "objective": o, "turn_limit": 40} for o in range(1, 7)]
    return [*rounds, *({"num_players": n, "episode": "game"} for n in (2, 4, 6))]


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


def shown(text: str) -> str:
    """A text without its lines of events."""
    return re.sub(r"^Seat \d:? .*$", "", text, flags=re.MULTILINE)


def sums(state: mhing.State) -> list[str]:
    """The points of all seats in a round of which nothing else is known any more."""
    tallies = state.info().get("tallies")
    return [
        f"Seat {seat}: {tally}" for seat, tally in enumerate([] if tallies is None else tallies)
    ]


def own_looks(game_id: str) -> tuple[Any, Any]:
    """The table from a state's dict, and what is known as such a dict."""
    package = f"mhing.by_game.{game_id}"
    return import_module(f"{package}.view").look, import_module(f"{package}.known").known


def with_turn(table: Any, expected: Any) -> Any:
    """A table with the turn in its heading, which is not known while very many are left."""
    assert table.heading == expected.heading or expected.heading.startswith(
        f"{table.heading}, turn"
    )
    return replace(table, heading=expected.heading)


@pytest.mark.parametrize("game_id", OWN)
def test_a_seat_sees_the_table_that_the_state_shows_it(game_id: str) -> None:
    look, known = own_looks(game_id)
    compared, decisions = 0, EVERY[game_id]
    for seed, options in enumerate(settings(game_id)):
        game = mhing.Game(game_id, **options)
        for state in positions(game, seed, decisions):
            d, numbers = state.to_dict(), state.info()
            for seat in range(game.num_seats):
                sight = Sight(game, state.observation(seat), seat, numbers)
                expected, table = look(d, seat), look(known(sight), seat)
                if options.get("turn_limit", 0) < 200 and options.get("episode") != "game":
                    assert table.heading == expected.heading
                assert with_turn(table, expected) == expected, (options, seat, str(state))
                compared += 1
    assert compared > 700


@pytest.mark.parametrize("game_id", OWN)
def test_a_spectator_sees_what_every_seat_sees(game_id: str) -> None:
    """Of each seat what the others see, and of the table what a seat sees that is not asked."""
    look, known = own_looks(game_id)
    game = mhing.Game(game_id, num_players=3, episode="game", rounds=2)
    for state in positions(game, 5, 10):
        d = state.to_dict()
        table = look(known(Sight(game, state.public_observation(), None, state.info())))
        waiting = next(seat for seat in (2, 1, 0) if seat not in (d["seat"], d["on_turn"]))
        expected = look(d, waiting)
        other = look(d, (waiting + 1) % 3)
        seats = list(expected.seats)
        hidden = replace(other.seats[waiting], is_active=seats[waiting].is_active)
        seats[waiting] = hidden
        expected = replace(expected, seats=tuple(seats), nearest=0)
        assert with_turn(table, expected) == expected


@pytest.mark.parametrize("game_id", mhing.games())
def test_without_the_numbers_scores_and_results_are_left_out(game_id: str) -> None:
    game = mhing.Game(game_id, **known_options(game_id, episode="game", rounds=2))
    for state in positions(game, 3, 20):
        over = state.is_terminal
        sight = Sight(game, state.observation(1), 1, is_over=over)
        text = board_text(sight)
        assert not re.search("points?[ ,(]|chips?,|wins|MHING|goes out|Last round", shown(text))
        assert ("is over" in text) == over
        for picture in (render.svg(sight), render.rgb_array(sight)):
            assert len(picture)


@pytest.mark.parametrize("game_id", mhing.games())
def test_the_generic_table_is_the_same(game_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_game, "pictures", lambda game_id: None)
    game = mhing.Game(game_id)
    for state in positions(game, 2, 20):
        for seat in range(game.num_seats):
            sight = Sight(
                game, state.observation(seat), seat, state.info(),
                asked=seat if state.seat == seat else None, is_over=state.is_terminal,
            )  # fmt: skip
            assert board_text(sight, color=True) == board_text(state, seat, color=True)
            assert render.svg(sight) == render.svg(state, seat)


@pytest.mark.parametrize("game_id", mhing.games())
def test_pictures_of_a_sight_are_those_of_the_state(game_id: str) -> None:
    game = mhing.Game(game_id, **known_options(game_id, episode="game", rounds=2))
    state = list(positions(game, 1, 5))[-2]
    asked = 1 if state.seat == 1 else None
    sight = Sight(game, state.observation(1), 1, state.info(), asked)
    for view in (None, 1):
        assert board_text(sight, view) == board_text(state, 1)
        assert render.svg(sight, view) == render.svg(state, 1)
        assert (render.rgb_array(sight, view) == render.rgb_array(state, 1)).all()
    assert render.notation(sight) == render.notation(state)
    mask = state.action_mask() if asked else None
    assert replace(sight, mask=mask).words() == state.words(1)


def test_at_the_end_of_general_mhing_the_points_of_others_are_only_summed() -> None:
    state = list(positions(mhing.Game("general_mhing"), 1, 20))[-1]
    winner = state.info()["winner"]
    text = board_text(Sight(state.game, state.observation(0), 0, state.info()))
    for line, expected in zip(text.split("\n"), board_text(state, 0).split("\n"), strict=True):
        is_loser = re.match(r"Seat \d: ", expected) and not expected.startswith(f"Seat {winner}:")
        assert line == (re.sub(r" \(.*\)$", "", expected) if is_loser else expected)


def test_what_is_no_sight_is_refused() -> None:
    state = mhing.Game("mhing").new_state(1)
    with pytest.raises(ValueError, match="seat from 0 to 3, got 4"):
        Sight(state.game, state.observation(0), 4)
    with pytest.raises(ValueError, match="observation"):
        Sight(state.game, state.observation(0)[1:], 0)
    with pytest.raises(ValueError, match="view: 2, but this sight is that of seat 1"):
        board_text(Sight(state.game, state.observation(1), 1), view=2)
    with pytest.raises(ValueError, match="view: 0, but this sight is a spectator's"):
        render.svg(Sight(state.game, state.public_observation()), view=0)


def test_events_are_written_as_the_states_have_them() -> None:
    game = mhing.Game("mhing")
    assert game.event_text(2, 4, 0) == "4s"
    for kind, detail, extra in ((99, 0, 0), (2, 0, 0), (2, 99, 0), (0, 1, 0), (-1, 0, 0)):
        with pytest.raises(ValueError, match=f"none of kind {kind}, details {detail}, {extra}"):
            game.event_text(kind, detail, extra)
