"""Words of games that bring none: read back, they are all that the observation says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest
from every_game import CASES, Options

import mhing
from mhing.words import PARTS
from words.generic_reader import TURN, Reading, is_generic, read

GENERIC = [case for case in CASES if is_generic(mhing.Game(case[0]))]
EPISODES = 60
NAMES = ["Ann", "Bo", "Cæsar", "Dee Dee", "Eve", "Fé"]

if not GENERIC:
    pytest.skip("every game of this build has its own words", allow_module_level=True)


pytestmark = pytest.mark.parametrize("played", GENERIC, ids=str)


@pytest.fixture
def game(played: tuple[str, Options]) -> mhing.Game:
    game_id, options = played
    return mhing.Game(game_id, **options)


def positions(game: mhing.Game) -> Iterator[mhing.State]:
    """Of random play and of the default bot's, ends of rounds included."""
    for seed in range(EPISODES):
        rng, state = Random(seed), game.new_state(seed)
        yield state
        for count in range(400):
            if state.is_between_rounds:
                state.next_round()
            elif state.is_terminal:
                break
            elif seed % 2 and count % 5:
                state.apply(state.bot_action(game.default_bot, count)[0], deal=False)
            else:
                state.apply(rng.choice(state.legal_actions().tolist()), deal=False)
            yield state


def parts_of(state: mhing.State, view: int | None, **given: Any) -> dict[str, str]:
    first, seats = view or 0, state.game.num_seats
    parts = {
        part: state.words(view, part, **given)
        for part in PARTS
        if part not in ("all", "seat", "move")
    }
    parts["seat"] = "".join(
        state.words(view, "seat", number=(first + i) % seats, **given) for i in range(seats)
    )
    return parts


def verb_of(name: str, is_mine: bool) -> str:
    """The verb for me or another: "turn up", "turns up"."""
    first, *more = name.split("_")
    if not is_mine:
        first = re.sub(r"(?<![aeiou])y$", "ie", first)
        first += "es" if re.search(r"(?:[sxz]|[cs]h)$", first) else "s"
    return " ".join([first, *more])


def check_fields(state: mhing.State, view: int | None, reading: Reading) -> None:
    game = state.game
    seen = game.unpack(state.public_observation() if view is None else state.observation(view))
    for one in game.observation_fields:
        if one.name not in TURN and not one.name.startswith("event_"):
            assert np.array_equal(reading.fields[one.name], seen[one.name]), one.name
    turn = next((seen[name] for name in TURN if name in seen), None)
    if turn is not None and turn.shape == () and turn:
        assert reading.turn == ((view or 0) + int(turn) - 1) % game.num_seats
    else:
        assert reading.turn is None or reading.turn == state.seat
    said = iter(reading.events)
    columns = [seen[one.name] for one in game.observation_fields if one.name.startswith("event_")]
    for seat, kind, detail, extra in zip(*columns, strict=True):
        if seat:
            text = game.event_text(int(kind), int(detail), int(extra))
            actor = ((view or 0) + int(seat) - 1) % game.num_seats
            verb = verb_of(game.events[kind].name, actor == view)
            assert next(said) == (actor, f"{verb} {text}".strip())
    assert next(said, None) is None


def check_numbers(state: mhing.State, reading: Reading) -> None:
    numbers = state.info()
    for one in state.game.info_fields:
        number = np.asarray(numbers[one.name])
        if one.role == "rounds":
            assert reading.rounds == number
        elif one.role == "winner":
            expected = int(number) if number >= 0 else -1 if reading.rounds else None
            assert reading.winner == expected
        else:
            assert np.array_equal(reading.numbers.get(one.name, np.zeros_like(number)), number)


def option_words(options: Options) -> dict[str, str]:
    return {
        name: ("off", "on")[value] if isinstance(value, bool) else str(value)
        for name, value in options.items()
    }


def test_words_are_read_back_as_the_observation(game: mhing.Game) -> None:
    for number, state in enumerate(positions(game)):
        view = number % game.num_seats
        reading = read(game, parts_of(state, view))
        assert reading.seat == view
        assert reading.options == option_words(game.options)
        check_fields(state, view, reading)
        check_numbers(state, reading)
        mine = [game.action_text(action) for action in state.legal_actions()]
        asked = state.seat == view
        assert bool(reading.moves) == asked
        assert not asked or all(text.rpartition(" ")[2] in reading.moves for text in mine)
        ended = {-1: "The episode is over.", -2: "The round is over."}
        assert reading.status == ended.get(state.seat, "")


def test_all_cards_lie_open(game: mhing.Game) -> None:
    for state in positions(game):
        reading = read(game, parts_of(state, None), with_hidden=True)
        assert reading.seat is None
        check_fields(state, None, reading)
        check_numbers(state, reading)
        hidden = game.unpack_omniscient(state.omniscient())
        for one in game.omniscient_fields:
            if one.name in TURN:
                reading.hidden[one.name][...] = state.seat + 1 if state.seat >= 0 else 0
            assert np.array_equal(reading.hidden[one.name], hidden[one.name]), one.name


def test_spectators_see_what_all_see(game: mhing.Game) -> None:
    from mhing.render import View

    for state in positions(game):
        view = View(game, state.public_observation(), numbers=state.info())
        parts = {part: view.words(part) for part in PARTS if part not in ("all", "seat", "move")}
        parts["seat"] = "".join(view.words("seat", number=seat) for seat in range(game.num_seats))
        check_fields(state, None, read(game, parts))


def test_names_stand_where_seats_stood(game: mhing.Game) -> None:
    names = NAMES[: game.num_seats]
    for state in positions(game):
        plain = state.words(None)
        named = re.sub(r"\b[Ss]eat (\d)\b", lambda seat: names[int(seat[1])], plain)
        assert state.words(None, names=names) == named
