"""The memory of seats: `State.information_state`."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from itertools import permutations
from random import Random

import pytest
from every_game import Options, case_name, some_play
from options import known
from twins import moments, twins

import mhing

CASES: list[tuple[str, Options]] = [
    (game_id, options)
    for game_id in mhing.games()
    for options in (
        {},
        known(game_id, num_players=3, episode="game", lay_down=True),
        known(game_id, num_players=2, objective=2, turn_limit=30, hints=True),
    )
]

every_case = pytest.mark.parametrize(("game_id", "options"), CASES, ids=case_name)
every_game = pytest.mark.parametrize("game_id", mhing.games())


class Remembering(mhing.Game):
    """A game whose states remember from their deal on."""

    def new_state(
        self, seed: int | None = None, deck: Iterable[int | str] | None = None
    ) -> mhing.State:
        state = super().new_state(seed, deck)
        state.remember()
        return state


def knowledge(state: mhing.State) -> list[bytes]:
    """By seat."""
    return [state.information_state(seat) for seat in range(state.game.num_seats)]


# ---- Equal exactly if a seat cannot tell --------------------------------------------------------


def every_history(
    state: mhing.State, cards: tuple[str, ...], letters: str = ""
) -> Iterator[tuple[mhing.State, tuple[str, ...], str]]:
    """Every state that play can come to, with its deal and what has been played, as letters."""
    yield state, cards, letters
    for action in state.legal_actions():
        after = state.clone()
        after.apply(action)
        yield from every_history(after, cards, letters + "fcr"[action])


@pytest.mark.skipif("leduc" not in mhing.games(), reason="MHING_EXTRA_GAMES=leduc builds it")
def test_all_of_leduc() -> None:
    """In every history, against what a player knows who writes down all that lies open."""
    game = Remembering("leduc")
    names = game.labels["cards"]
    of_notes: dict[tuple[int, object], bytes] = {}
    of_bytes: dict[tuple[int, bytes], object] = {}
    asked = [set[bytes](), set[bytes]()]
    for cards in permutations(names, 3):
        rest = [name for name in names if name not in cards]
        for state, (first, second, turned), letters in every_history(
            game.new_state(0, [*cards, *rest]), cards
        ):
            is_open = state.to_dict()["open"] is not None
            shown = (first, second) if state.is_terminal and letters[-1] != "f" else None
            for seat, mine in enumerate((first, second)):
                notes = mine, letters, turned if is_open else None, shown
                information = state.information_state(seat)
                assert of_notes.setdefault((seat, notes), information) == information
                assert of_bytes.setdefault((seat, information), notes) == notes
                if state.seat == seat:
                    asked[seat].add(information)
    assert [len(states) for states in asked] == [468, 468]  # as is known of Leduc poker


@every_case
def test_twins_are_the_same_to_a_seat(game_id: str, options: Options) -> None:
    """Worlds made without `resample`: who was asked in secret, and what it said, does not show."""
    game = Remembering(game_id, **options)
    compared = 0
    for seed in range(4):
        for moment in moments(twins(game, seed, most=2 if seed % 2 else 8), seed, decisions=40):
            for seat in moment.alike:
                ours, theirs = (at.information_state(seat) for at in (moment.one, moment.other))
                assert ours == theirs
                compared += 1
    assert compared > 10


@every_case
def test_what_a_seat_does_is_not_forgotten(game_id: str, options: Options) -> None:
    """Two actions of a seat lead to two of its information states, even where nobody sees it."""
    game = Remembering(game_id, **options)
    rng, tried = Random(7), 0
    for state in some_play(game, 7, decisions=60):
        actions = state.legal_actions().tolist()
        if len(actions) > 1:
            one, other = state.clone(), state.clone()
            for at, action in zip((one, other), rng.sample(actions, 2), strict=True):
                at.apply(action)
            seat = state.seat
            assert one.information_state(seat) != other.information_state(seat)
            tried += 1
    assert tried > 0


# ---- Worlds, copies, mistakes -------------------------------------------------------------------


@every_game
def test_resampled_worlds(game_id: str) -> None:
    """The observer's is kept; the others know the public events, and what they see now."""
    game = Remembering(game_id)
    for moment, state in enumerate(some_play(game, 5, decisions=60)):
        for seat in range(game.num_seats):
            fresh = state.resample(seat, moment)
            assert fresh.information_state(seat) == state.information_state(seat)
            for other in set(range(game.num_seats)) - {seat}:
                begin, events, looks, now = fresh.recall_parts(other)
                assert (begin, events, b"") == (*state.recall_parts(other)[:2], looks)
                alone = fresh.clone().resample(other, 1)
                assert alone.information_state(other) == fresh.information_state(other)
                assert len(now) == len(state.recall_parts(other)[3])


@every_game
def test_copies_go_on_alone(game_id: str) -> None:
    state = Remembering(game_id).new_state(4)
    for _ in range(10):
        state.apply(state.legal_actions()[0])
        if state.is_terminal:
            break
    before = knowledge(state)
    copy, pickled = state.clone(), pickle.loads(pickle.dumps(state))
    assert knowledge(copy) == knowledge(pickled) == before
    if not state.is_terminal:
        copy.apply(copy.legal_actions()[-1])
        pickled.apply(pickled.legal_actions()[-1])
        assert knowledge(copy) == knowledge(pickled) != before
    assert knowledge(state) == before


def test_a_new_round_is_remembered() -> None:
    """Also the cards that a seat was dealt, where the round ended before it acted."""
    game = Remembering("general_mhing", episode="game", turn_limit=1, starter=0)
    state = game.new_state(1)
    hands = []
    while state.rounds_over < 3:
        state.apply(state.legal_actions()[-1])
        if state.rounds_over > len(hands):
            hands.append(game.unpack(state.observation(1))["hand"])
    _, _, looks, now = state.recall_parts(1)
    size = 6 + len(now)
    seen = [looks[at : at + size] for at in range(0, len(looks), size)]
    deals = [look for look in seen if look[4:6] == bytes(2)]
    assert [look[6 : 6 + 52] for look in deals] == [hand.tobytes() for hand in hands]


def test_mistakes() -> None:
    state = mhing.Game("mhing").new_state(1)
    with pytest.raises(RuntimeError, match="call remember"):
        state.information_state()
    state.remember()
    with pytest.raises(RuntimeError, match="already"):
        state.remember()
    with pytest.raises(IndexError, match="not from 0 to 3"):
        state.information_state(4)
    assert state.information_state() == state.information_state(state.seat)
    over = state.play_out("random", 1)
    with pytest.raises(RuntimeError, match="call remember"):
        over.information_state(0)
