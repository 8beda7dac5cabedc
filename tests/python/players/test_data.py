"""Games as data: every decision of them, against a slow loop over states."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from slow_data import first_legal, last_legal, of_batches, rows

import mhing
from mhing import data
from mhing._lib import episodes
from mhing.data import games as playing

FOUR = {"num_players": 4}


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("mhing", {"hints": True, "reward": "points"}),
        ("mhing", {"num_players": 2, "rules": "jmhing", "reward": "chips"}),
        ("general_mhing", {"num_players": 3}),
        ("mexican_rummy", {"num_players": 3, "turn_limit": 20}),
        ("leduc", {}),
    ],
)
def test_rows_are_those_of_a_slow_loop(game: str, options: dict[str, Any]) -> None:
    policies = [first_legal, last_legal]
    games = data.Games(game, policies, games=6, seed=2**64 - 3, **options)
    expected = [*rows(games, policies)]
    assert len(expected) > 6
    assert of_batches(games) == expected
    assert {row["player"] for row in expected} == {0, 1}
    assert any(row["return"] for row in expected) or game == "mhing"


@pytest.mark.parametrize("game_id", mhing.games())
def test_bots_play_as_they_play_out(game_id: str) -> None:
    names = ["greedy", "random", "greedy"]
    games = data.Games(game_id, names, games=9, seed=5)
    (batch,) = games.batches()
    for number in range(9):
        own = batch["game"] == number
        state = games.game.new_state(5 + number)
        seating = games.names(number)
        assert [name.partition(" ")[0] for name in seating] == [
            names[(seat + number) % 3] for seat in range(games.game.num_seats)
        ]
        expected = state.play_out([name.partition(" ")[0] for name in seating], seed=5 + number)
        for row, action in enumerate(batch["action"][own]):
            assert batch["seat"][own][row] == state.seat
            assert np.array_equal(batch["observation"][own][row], state.observation(state.seat))
            assert np.array_equal(batch["action_mask"][own][row], state.action_mask())
            state.apply(action)
        assert state == expected
        for seat in {*batch["seat"][own].tolist()}:
            first = np.argmax(batch["seat"][own] == seat)
            assert batch["return"][own][first] == expected.returns()[seat]


def test_batches_do_not_depend_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "ROWS", 500)
    all_batches = [
        [*data.Games("mhing", ["greedy", "random"], games=60, num_threads=n).batches()]
        for n in (1, 2, 3)
    ]
    for other in all_batches[1:]:
        for one, same in zip(all_batches[0], other, strict=True):
            assert {name: a.tobytes() for name, a in one.items()} == {
                name: a.tobytes() for name, a in same.items()
            }
    sizes = [len(batch["action"]) for batch in all_batches[0]]
    assert len(sizes) > 5
    assert max(sizes) <= 500
    for one, following in pairwise(all_batches[0]):  # whole games, as many as there is room for
        assert following["decision"][0] == 0
        assert following["game"][0] == one["game"][-1] + 1
        next_game = np.count_nonzero(following["game"] == following["game"][0])
        assert len(one["action"]) + next_game > 500


def test_a_game_may_be_longer_than_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "ROWS", 3)
    monkeypatch.setattr(episodes, "_FIRST_ROOM", 4)
    games = data.Games("general_mhing", games=5)
    assert [int(batch["game"][-1]) for batch in games.batches()] == [0, 1, 2, 3, 4]
    monkeypatch.undo()
    (whole,) = games.batches()
    assert len(whole["action"]) == len(of_batches(games))


def test_games_can_be_taken_from_any_on() -> None:
    games = data.Games("leduc", ["greedy", "random"], games=40)
    everything = of_batches(games)
    assert of_batches(games, 25) == [row for row in everything if row["game"] >= 25]
    assert of_batches(games) == everything  # played anew


def test_rewards_of_a_seat_add_up_to_its_return() -> None:
    games = data.Games("mexican_rummy", games=3, episode="game", **FOUR)
    for batch in games.batches():
        for game in {*batch["game"].tolist()}:
            for seat in range(4):
                own = (batch["game"] == game) & (batch["seat"] == seat)
                sums = batch["reward"][own][::-1].cumsum()[::-1]
                assert np.array_equal(sums, batch["return"][own])
                assert sums[0] < 0


def test_decisions_of_others_are_not_counted() -> None:
    """Some of them are secret claims, so that their number shows who was asked."""
    for batch in data.Games("mhing", games=20).batches():
        for game in {*batch["game"].tolist()}:
            rows = batch["game"] == game
            for seat in range(4):
                own = batch["decision"][rows & (batch["seat"] == seat)]
                assert own.tolist() == [*range(len(own))]


def test_a_player_that_fails_is_named() -> None:
    def wrong(observation: Any, mask: Any, info: Any) -> int:
        return int((mask == 0).argmax())

    games = data.Games("mhing", [wrong, "greedy"], games=3)
    with pytest.raises(ValueError, match=r"wrong, in seat 2 of game 0: illegal answer"):
        [*games.batches()]


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"players": "nobody"}, ValueError, "players: no bot"),
        ({"players": []}, ValueError, "players: none given"),
        ({"players": 3}, TypeError, "players: 3 is neither"),
        ({"games": 0}, ValueError, "games: 0"),
        ({"games": 1.5}, TypeError, "games: 1.5"),
        ({"num_threads": 0}, ValueError, "num_threads: 0"),
        ({"seed": None}, TypeError, "seed: None"),
        ({"seed": 2**64}, ValueError, "seed: "),
        ({"num_players": 7}, ValueError, "num_players"),
        ({"game": mhing.Game(), "num_players": 3}, TypeError, "num_players: the game is made"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        data.Games(**arguments)


def test_actions_that_are_not_legal_are_refused() -> None:
    game = mhing.Game("leduc")
    seeds, lengths = np.arange(2, dtype=np.uint64), np.array([1, 1], np.int32)
    wrong = episodes.Episodes.of_lengths(seeds, lengths, np.array([1, -1], np.int32))
    with pytest.raises(ValueError, match="actions: -1 of episode 1 is not legal there"):
        episodes.decisions(game._handle, wrong, 1)
