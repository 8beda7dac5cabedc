"""The end of a round is a separate state, from which the next round is dealt."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest
from every_game import Options, case_name, check_views
from pictures import board_text

import mhing
from mhing import State, render
from mhing.recorder import Recorder
from mhing.records import Record
from mhing.table import Table

OF_ROUNDS = [id for id in mhing.games() if "episode" in mhing.Game(id).options]
OTHERS: list[tuple[str, Options]] = [
    ("mhing", {"num_players": 2, "rules": "jmhing", "rounds": 3}),
    ("mhing", {"num_players": 3, "scoring": "chips", "reward": "chips", "rounds": 4}),
    ("mhing", {"num_players": 6, "reward": "win", "target": 300, "hints": True}),
    ("general_mhing", {"num_players": 3, "next_starter": "same", "reward": "margin", "rounds": 4}),
    ("general_mhing", {"turn_limit": 12, "reward": "win", "rounds": 3, "hints": True}),
    ("mexican_rummy", {"num_players": 2, "objective": 5, "reward": "win"}),
    ("mexican_rummy", {"turned_up": False, "turn_limit": 30, "reward": "rank", "hints": True}),
]
CASES: list[tuple[str, Options]] = [(id, {}) for id in OF_ROUNDS]
CASES += [(id, options) for id, options in OTHERS if id in OF_ROUNDS]
every_game = pytest.mark.parametrize(
    ("game_id", "options"), [(id, {"episode": "game", **one}) for id, one in CASES], ids=case_name
)
SEEDS = 3


def choices(state: State, rng: Random) -> int:
    """Greedy play with some random moves, so that rounds end in all ways."""
    if rng.random() < 0.1:
        return int(rng.choice(state.legal_actions()))
    return state.bot_action(state.game.default_bot, rng.getrandbits(64))[0]


def ends(game: mhing.Game) -> Iterator[tuple[State, State, State]]:
    """Each end of a round that is not the last one: the state before, the end, and what the
    undivided path comes to."""
    for seed in range(SEEDS):
        state, rng = game.new_state(seed), Random(seed)
        while not state.is_terminal:
            before, action = state.clone(), choices(state, rng)
            state.apply(action)
            end = before.clone()
            end.apply(action, deal=False)
            if end.is_between_rounds:
                yield before, end, state
            else:
                assert end == state


@every_game
def test_the_next_round_is_dealt_from_the_end_of_the_last_one(
    game_id: str, options: Options
) -> None:
    game = mhing.Game(game_id, **options)
    found = 0
    for before, end, dealt in ends(game):
        found += 1
        assert end.rounds_over == before.rounds_over + 1 == dealt.rounds_over
        assert end.rewards().tolist() == dealt.rewards().tolist()
        assert end.to_dict()["decisions"] == dealt.to_dict()["decisions"]
        copies = [
            end.clone(),
            game.from_bytes(end.to_bytes()),
            game.state_from_dict(end.to_dict()),
        ]
        assert copies[1] == copies[2] == end
        for copy in copies:
            copy.next_round()
            assert copy == dealt
    assert found >= SEEDS


@every_game
def test_nobody_is_to_act_between_rounds(game_id: str, options: Options) -> None:
    game = mhing.Game(game_id, **options)
    for _, end, dealt in ends(game):
        assert (end.seat, end.is_terminal, end.is_settled) == (-2, False, True)
        assert end.legal_actions().size == 0
        assert end.action_mask().all()
        for ask in (end.idle_action, lambda e=end: e.apply(0), lambda e=end: e.search("2", 1)):
            with pytest.raises(RuntimeError, match="between rounds"):
                ask()
        with pytest.raises(RuntimeError, match="nobody is to act; name the observer"):
            end.observation()
        with pytest.raises(RuntimeError, match="no round to deal: the one on the table is not"):
            dealt.next_round()
        break
    with pytest.raises(RuntimeError, match="no round to deal: the episode is over"):
        game.new_state(1).play_out("random", 1).next_round()


@pytest.mark.slow
@every_game
def test_cards_lie_as_the_round_left_them(game_id: str, options: Options) -> None:
    """The cards of all seats are there, a seat sees its own hand, and the result is that of this
    round. A round that is the last one ends in the same way."""
    game = mhing.Game(game_id, **options)
    for before, end, dealt in ends(game):
        table = end.to_dict()
        assert (table["phase"], table["round"]) == ("over", before.rounds_over)
        assert table["result"]["round"] == before.rounds_over
        assert table["hands"] != dealt.to_dict()["hands"]
        for seat in range(game.num_seats):
            assert np.array_equal(end.resample(seat, 7).observation(seat), end.observation(seat))
            again = game.from_bytes(end.resample(seat, 7).to_bytes())
            again.next_round()
            assert not again.is_between_rounds
        check_views(end)
        for view in (None, *range(game.num_seats)):
            assert "game is over" not in board_text(end, view)
            assert len(render.scene(end, view).rows()) > 1


@every_game
def test_pictures_say_that_the_round_is_over(game_id: str, options: Options) -> None:
    game = mhing.Game(game_id, **options)
    for _, end, _ in ends(game):
        own = render.View(game, end.observation(0), 0, end.info(), is_between_rounds=True)
        assert "The round is over" in board_text(own)


@every_game
def test_play_outs_go_on_from_the_end_of_a_round(game_id: str, options: Options) -> None:
    for _, end, dealt in ends(mhing.Game(game_id, **options)):
        assert end.play_out("random", 5) == dealt.play_out("random", 5)


@every_game
def test_what_a_seat_remembers_is_the_same_on_both_paths(game_id: str, options: Options) -> None:
    game = mhing.Game(game_id, **options)
    whole, parts, rng = game.new_state(1), game.new_state(1), Random(1)
    whole.remember()
    parts.remember()
    while not whole.is_terminal:
        action = choices(whole, rng)
        whole.apply(action)
        parts.apply(action, deal=False)
        if parts.is_between_rounds:
            parts.next_round()
        if rng.random() < 0.05:
            for seat in range(game.num_seats):
                assert whole.information_state(seat) == parts.information_state(seat)
    assert whole == parts
    assert whole.sheet() == parts.sheet()


# ---- Tables and records -------------------------------------------------------------------------


@every_game
def test_a_table_stops_where_a_round_ends(game_id: str, options: Options) -> None:
    game = mhing.Game(game_id, **options)
    table = Table(game, [game.default_bot] * game.num_seats, seed=3)
    whole, kinds = game.new_state(3), set[str]()
    while not table.state.is_terminal:
        action = table.choice
        if action is None:
            assert table.state.is_between_rounds
            assert table.next_round()[0].kind == "deal"
            assert table.state == whole
        else:
            kinds |= {one.kind for one in table.play(action)}
            whole.apply(action)
    assert table.state == whole
    assert "deal" not in kinds


@every_game
def test_what_is_taken_back_over_the_end_of_a_round(game_id: str, options: Options) -> None:
    game = mhing.Game(game_id, **options)
    table = Table(game, [game.default_bot] * game.num_seats, seed=3)
    while not table.state.is_between_rounds:
        assert table.choice is not None
        table.play(table.choice)
    count, end = len(table.played), table.state.clone()
    table.next_round()
    dealt = table.state.clone()
    assert table.choice is not None
    table.play(table.choice)
    table.take_back(count)
    assert table.state == dealt
    table.take_back(count - 1)
    assert table.choice is not None
    table.play(table.choice)
    assert table.state == end


@every_game
def test_a_record_has_each_end_of_a_round(game_id: str, options: Options, tmp_path: Path) -> None:
    game = mhing.Game(game_id, **options)
    state = game.new_state(4)
    with Recorder(tmp_path / "game.jsonl") as recorder:
        recorder.begin(game, 4, ["greedy"] * game.num_seats)
        while not state.is_terminal:
            seat, action = state.seat, state.bot_action(game.default_bot, 1)[0]
            state.apply(action)
            recorder.move(seat, action)
        recorder.end(state)
    record = Record(tmp_path / "game.jsonl")
    seen = [(move is None, one.seat, one.to_bytes()) for move, one in record.positions()]
    assert sum(seat == -2 for _, seat, _ in seen) == state.rounds_over - 1
    assert [seat == -2 for _, seat, _ in seen[:-1]] == [is_deal for is_deal, _, _ in seen[1:]]
    after = [one.to_bytes() for _, one in record.replay()]
    assert len(after) == len(record.moves)
    assert after == [one for (_, seat, one) in seen[1:] if seat != -2 and one != seen[0][2]]
