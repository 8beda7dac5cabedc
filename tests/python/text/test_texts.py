"""Texts in all forms: they agree with the core's words, and tell no more than a seat knows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest
from every_game import CASES, LARGE, case_name

import mhing
from mhing.players.views import PlayerView as Sees
from mhing.render import View
from mhing.table import public_events
from mhing.text import Texts

pytestmark = pytest.mark.once

FORMS: list[dict[str, Any]] = [
    {},
    {"history": "since"},
    {"history": 3, "legal": "kinds"},
    {"history": 0, "legal": "none"},
    {"seats": "relative"},
    {"seats": "relative", "history": "since", "legal": "none"},
]
GAMES = mhing.games()
MELD = re.compile(r"\d\.\d")
"""The name of a meld in a list of moves."""


def positions(game: mhing.Game, seed: int, count: int) -> Iterator[mhing.State]:
    """States of one episode, by bots and chance."""
    rng, state = Random(seed), game.new_state(seed)
    for _ in range(count):
        yield state
        if state.is_terminal:
            break
        action, _ = state.bot_action(rng.choice(game.bots).name, rng.getrandbits(60))
        if rng.random() < 0.3:
            action = rng.choice(state.legal_actions().tolist())
        state.apply(action)


@pytest.mark.parametrize(("game_id", "options"), CASES, ids=case_name)
def test_the_default_form_is_the_words_of_the_core(game_id: str, options: dict[str, Any]) -> None:
    game = mhing.Game(game_id, **options)
    for state in positions(game, 1, 30):
        for seat in range(game.num_seats):
            assert Texts(game).observation(state, seat) == state.words(seat)
        if not state.is_terminal:
            assert Sees(game, "words").of(state) == state.words(state.seat)


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("game_id", GAMES)
def test_rows_states_and_views_say_the_same(game_id: str, form: dict[str, Any]) -> None:
    game = mhing.Game(game_id)
    texts, states = Texts(game, **form), []
    for state in positions(game, 2, 80):
        if not state.is_terminal:
            states.append(state.clone())
    seats = [state.seat for state in states]
    said = [texts.observation(state) for state in states]
    rows = texts.observations(
        [state.observation() for state in states],
        seats,
        [state.action_mask() for state in states],
        [state._numbers() for state in states],
        seats,
    )
    assert rows == said
    for state, text in zip(states, said, strict=True):
        view = View(
            game, state.observation(), state.seat, state.info(), asked=state.seat,
            mask=state.action_mask(),
        )  # fmt: skip
        assert texts.observation(view) == text
    assert len(set(said)) > len(said) // 2


def joined(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize("game_id", GAMES)
def test_history_is_cut_where_it_says(game_id: str) -> None:
    game = mhing.Game(game_id)
    lines = 0
    for state in (one for seed in range(4) for one in positions(game, seed, 60)):
        if state.is_terminal:
            continue
        reader = state.seat
        full = Texts(game).observation(state)
        view = View(game, state.public_observation())
        said = state.words(reader, "events").splitlines()
        assert len(said) == len(view.tail)
        own = [place for place, event in enumerate(view.tail) if event[0] == reader + 1]
        fresh = said[own[-1] + 1 :] if own else said
        for form, wanted in (("since", fresh), (2, said[-2:]), (0, []), (99, said)):
            cut = Texts(game, history=form).observation(state)
            before, after = full.split(joined(said), 1) if said else (full, "")
            assert cut == before + joined(wanted) + after
            lines += len(wanted)
    assert lines > 20


@pytest.mark.parametrize("game_id", GAMES)
def test_moves_are_listed_as_asked(game_id: str) -> None:
    game = mhing.Game(game_id)
    for state in positions(game, 6, 30):
        if state.is_terminal:
            break
        every, kinds, none = (
            Texts(game, legal=form).observation(state) for form in ("all", "kinds", "none")
        )
        moves = state.words(state.seat, "moves")
        assert every == none + moves
        assert moves.startswith("Moves: ")
        assert kinds.startswith(none)
        line = kinds.removeprefix(none)
        assert line.startswith("Kinds of moves: ")
        texts = [game.action_text(action) for action in state.legal_actions().tolist()]
        for kind in line.removeprefix("Kinds of moves: ").rstrip(".\n").split("; "):
            assert any(text.startswith(kind) for text in texts)
        assert Texts(game).schema(state.legal_actions())["properties"]["action"]["enum"] == texts
        assert [*Texts(game).moves(state.action_mask())] == texts


@pytest.mark.parametrize(("game_id", "options"), CASES, ids=case_name)
def test_a_resampled_twin_has_the_same_texts(game_id: str, options: dict[str, Any]) -> None:
    game = mhing.Game(game_id, **options)
    forms, before, differ = [Texts(game, **form) for form in FORMS], None, 0
    for number, state in enumerate(positions(game, 8, 40)):
        if state.is_terminal or state.is_between_rounds:
            break
        events = [one.numbers for one in public_events(before, state)]
        before = state.clone()
        reader = state.seat
        twin = state.resample(reader, seed=number)
        differ += twin.to_bytes() != state.to_bytes()
        for texts in forms:
            assert texts.observation(twin, reader) == texts.observation(state, reader)
            assert texts.since(twin, events, reader) == texts.since(state, events, reader)
            assert texts.status(twin, reader) == texts.status(state, reader)
    assert differ


@pytest.mark.parametrize("game_id", LARGE)
def test_the_next_message_of_a_chat_is_short_and_has_what_is_needed(game_id: str) -> None:
    game = mhing.Game(game_id, **({"objective": 2} if game_id == "mexican_rummy" else {}))
    texts, sizes, melds, plans = Texts(game), [], 0, 0
    for seed in range(4):
        heard: dict[int, int] = {}
        events: list[tuple[int, int, int, int]] = []
        before = None
        for state in positions(game, seed, 400):
            if state.is_terminal:
                break
            events += [one.numbers for one in public_events(before, state)]
            before = state.clone()
            seat = state.seat
            if seat in heard:
                fresh = events[heard[seat] :]
                said = texts.since(state, fresh)
                whole = texts.observation(state)
                sizes.append((len(said), len(whole)))
                for line in said.splitlines()[len(fresh) :]:
                    assert line in whole.splitlines()
                assert said.splitlines()[: len(fresh)] == (
                    state.words(seat, "events").splitlines()[-len(fresh) :] if fresh else []
                )
                assert state.words(seat, "status") in said
                assert state.words(seat, "seat", number=seat) in said
                others = [
                    state.words(seat, "seat", number=(seat + one) % game.num_seats)
                    for one in range(1, game.num_seats)
                ]
                places = MELD.search(state.words(seat, "moves"))
                assert ("".join(others) in said) == bool(places)
                melds += bool(places)
                plans += "  Laying down: " in said
                assert said.endswith(state.words(seat, "moves"))
            heard[seat] = len(events)
    assert (melds > 5) == (plans > 5) == (game_id == "mexican_rummy")
    short, long = np.mean(sizes, axis=0)
    assert short < long / 2.5


@pytest.mark.parametrize("game_id", GAMES)
def test_the_first_message_says_the_rules_the_moves_and_how_to_answer(game_id: str) -> None:
    game = mhing.Game(game_id)
    texts = Texts(game)
    guide, none = texts.system(), Texts(game, rules="none", legal="none").system()
    assert guide == game.guide_text() + "\n" + none
    assert "\n\n\n" not in guide
    assert none.startswith(f"You play {game.title} with ")
    for kind in game.actions:
        assert f"\n- {game.action_text(kind.first)}: {kind.meaning}\n" in none
    assert none.endswith(f'End your reply with a line such as "Answer: {game.action_text(0)}".\n')


def test_the_first_message_says_how_melds_are_named() -> None:
    said = Texts("mexican_rummy", rules="none").system()
    assert "0.1 to 0.3 are one's own, 1.1 to 1.3 the next seat's clockwise" in said
    assert "with 3 other players." in said
    assert "with 1 other player." in Texts("leduc").system()


def test_seats_are_called_as_wished() -> None:
    game = mhing.Game("mhing")
    state = game.new_state(seed=2)
    names = ["Ann", "Bob", "Cy", "Dan"]
    named = Texts(game, seats=names)
    for reader, own in enumerate(names):
        text = named.observation(state, reader)
        assert text.partition("\n")[0].endswith(f"You are {own}.")
        assert text.count(own) == 1
        for other in names:
            assert (f"{other} has " in text) == (other != own)
        assert state.words(reader, "seat", number=reader) in text
    seats = [0, 1, 2, 3]
    assert named.observations([state.observation(seat) for seat in seats], seats) == [
        Texts(game, legal="none", seats=names).observation(state, seat) for seat in seats
    ]
    relative = Texts(game, seats="relative")
    texts = [relative.observation(state, seat) for seat in range(4)]
    assert all("seat" not in text.lower().replace("seats", "") for text in texts)
    assert all("Left 1 has " in text and "Left 3 has " in text for text in texts)
    assert Texts(game, seats="relative").name.endswith("seats=relative")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"legal": "some"}, "legal: 'some' is none of all, kinds, none"),
        ({"history": "all"}, "history: 'all' is none of full, since"),
        ({"history": -1}, "history: -1 is below 0"),
        ({"history": 1.5}, "history: "),
        ({"rules": "all"}, "rules: 'all' is none of guide, none"),
        ({"seats": "winds"}, "seats: 'winds' is none of"),
        ({"seats": ["a"]}, "1 for 4 seats"),
        ({"seats": ["a", "b", "c", "a"]}, "seats: 'a' cannot be a name"),
        ({"seats": ["you", "b", "c", "d"]}, "seats: 'you' cannot be a name"),
        ({"seats": ["a\n", "b", "c", "d"]}, r"seats: 'a\\n' cannot be a name"),
        ({"game": "chess"}, "chess"),
    ],
    ids=str,
)
def test_wrong_forms_are_named(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        Texts(**{"game": "mhing", **wrong})


def test_nobody_reads_where_nobody_is_asked() -> None:
    game = mhing.Game("general_mhing")
    *_, last = (state for state in positions(game, 1, 1000))
    assert last.is_terminal
    with pytest.raises(ValueError, match="seat: -1 reads nothing"):
        Texts(game).observation(last)
    with pytest.raises(ValueError, match="seat: 7 reads nothing"):
        Texts(game).observation(last, 7)
    assert "You" in Texts(game).observation(last, 0)


def test_positions_of_other_games_are_refused() -> None:
    texts, other = Texts("leduc"), mhing.Game("mhing").new_state(seed=1)
    view = View(other.game, other.observation(0), 0)
    for at in (other, view):
        for say in (texts.observation, texts.status, lambda at: texts.since(at, [])):
            with pytest.raises(ValueError, match=r"at: a position of .*mhing.*, not of .*leduc"):
                say(at)
    with pytest.raises(ValueError, match=r"at: a position of .*num_players=3"):
        Texts("mhing").observation(mhing.Game("mhing", num_players=3).new_state(seed=1))
    wrong: Any = "x"
    with pytest.raises(TypeError, match="at: 'x' is a str, neither a State nor a View"):
        texts.observation(wrong)
    with pytest.raises(ValueError, match="seat: 9 reads nothing"):
        Texts("mhing").closing(other, [], 9)
    with pytest.raises(ValueError, match="seat: 1 cannot read what seat 0 sees"):
        Texts("mhing").observation(view, 1)


def test_a_chat_of_a_game_without_sentences_says_its_whole_table() -> None:
    state = mhing.Game("leduc").new_state(seed=2)
    for text in ("raise", "call", "raise"):
        state.apply(state.game.action_id(text))
    said = Texts("leduc").since(state, [])
    assert state.seat == 1
    for line in ("You:", "Seat 0:", "  stake: 3", "  stake: 7", "betting round: 2"):
        assert said.splitlines().count(line) == 1, line
    assert f"\nopen: {state.words(1).partition('open: ')[2][:2]}\n" in said


def test_a_chat_says_nothing_of_the_moves_of_others() -> None:
    """Nor by the cards that it says where one of them names a meld."""
    game, found = mhing.Game("mexican_rummy", objective=2), 0
    texts = Texts(game)
    for state in (one for seed in range(4) for one in positions(game, seed, 400)):
        if not state.is_terminal and MELD.search(state.words(state.seat, "moves")):
            found += 1
            reader = (state.seat + 1) % game.num_seats
            block = state.words(reader, "seat", number=state.seat)
            assert block not in texts.since(state, [], reader)
    assert found > 10
