"""Properties of every registered game, in every variant of its options."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from every_game import (
    CASES,
    Options,
    case_name,
    in_another_process,
    observables,
    some_play,
    transcript,
)
from gymnasium.utils.env_checker import check_env

import mhing

DECISIONS = 100
SEED = 11

every_case = pytest.mark.parametrize(("game_id", "options"), CASES, ids=case_name)
every_id = pytest.mark.parametrize("game_id", mhing.games())


@every_id
def test_a_game_cannot_be_changed_by_what_it_gives_away(game_id: str) -> None:
    game = mhing.Game(game_id)
    game.options["num_players"] = 6
    game.describe()["options"].clear()
    assert game == mhing.Game(game_id)


@every_id
def test_nobody_is_to_act_when_it_is_over(game_id: str) -> None:
    state = mhing.Game(game_id).new_state(1).play_out("random", 1)
    for ask in (state.idle_action, lambda: state.bot_action("random", 1)):
        with pytest.raises(RuntimeError, match="the episode is over"):
            ask()


# ---- Actions ------------------------------------------------------------------------------------


@every_id
def test_action_texts_are_unique_and_read_back(game_id: str) -> None:
    game = mhing.Game(game_id)
    texts = [game.action_text(action) for action in range(game.num_actions)]
    assert len(set(texts)) == game.num_actions
    assert [game.action_id(text) for text in texts] == list(range(game.num_actions))
    for nonsense in ("", "nonsense", texts[0] + " ", texts[0].upper() + "!"):
        with pytest.raises(ValueError, match=r"\S"):
            game.action_id(nonsense)
    for number in (-1, game.num_actions):
        with pytest.raises((ValueError, IndexError), match=r"\S"):
            game.action_text(number)


@every_id
def test_actions_are_described_without_gaps(game_id: str) -> None:
    game = mhing.Game(game_id)
    rows = game.describe()["actions"]
    assert [row["first"] for row in rows] == [
        sum(row["count"] for row in rows[:n]) for n in range(len(rows))
    ]
    assert sum(row["count"] for row in rows) == game.num_actions


@every_id
def test_an_action_means_the_same_in_every_variant(game_id: str) -> None:
    plain = mhing.Game(game_id)
    texts = [plain.action_text(action) for action in range(plain.num_actions)]
    for options in (options for known, options in CASES if known == game_id):
        game = mhing.Game(game_id, **options)
        assert [game.action_text(action) for action in range(game.num_actions)] == texts


@every_case
def test_mask_is_the_legal_list(game_id: str, options: Options) -> None:
    game = mhing.Game(game_id, **options)
    for state in some_play(game, SEED, DECISIONS):
        mask = state.action_mask()
        assert mask.dtype == np.int8
        assert mask.shape == (game.num_actions,)
        legal = state.legal_actions().tolist()
        if state.is_terminal:
            assert state.seat == -1
            assert mask.all()
            assert legal == []
        else:
            assert 0 <= state.seat < game.num_seats
            assert legal
            assert legal == sorted(legal)
            assert legal == np.flatnonzero(mask).tolist()


# ---- Copies and snapshots -----------------------------------------------------------------------


@every_case
def test_a_clone_goes_its_own_way(game_id: str, options: Options) -> None:
    game = mhing.Game(game_id, **options)
    for state in some_play(game, SEED + 2, 40):
        if state.is_terminal:
            break
        before = state.to_bytes()
        clone = state.clone()
        assert clone == state
        clone.apply(int(clone.legal_actions()[-1]))
        assert clone != state
        assert state.to_bytes() == before


@every_case
def test_reading_changes_nothing(game_id: str, options: Options) -> None:
    game = mhing.Game(game_id, **options)
    bots = [bot.name for bot in game.bots]
    for state in some_play(game, SEED + 3, 30):
        before = state.to_bytes()
        first = list(observables(state))
        str(state)
        state.resample(0, 5)
        state.play_out(bots[0], 5)
        if not state.is_terminal:
            for bot in bots:
                state.bot_action(bot, 12345)
        assert list(observables(state)) == first
        assert state.to_bytes() == before


@pytest.mark.slow
def test_the_same_seed_and_the_same_snapshot_go_on_alike_in_a_fresh_process() -> None:
    tasks, expected = [], []
    for game_id, options in CASES:
        game = mhing.Game(game_id, **options)
        for moment, state in enumerate(some_play(game, SEED + 4, 60)):
            if moment in (0, 1, 25, 59) or state.is_terminal:
                snapshot = state.to_bytes().hex() if moment else ""
                task = {"game": game_id, "options": options, "snapshot": snapshot}
                tasks.append(task | {"seed": SEED + 4, "decisions": 40})
                expected.append(transcript(state, SEED + 4, 40))
    assert in_another_process("advance", tasks) == expected


@every_case
def test_a_snapshot_comes_back_as_it_was(game_id: str, options: Options) -> None:
    game = mhing.Game(game_id, **options)
    for state in some_play(game, SEED + 5, DECISIONS):
        back = game.from_bytes(state.to_bytes())
        assert back == state
        assert list(observables(back)) == list(observables(state))


@pytest.mark.slow
@every_id
def test_snapshots_of_other_options_are_refused(game_id: str) -> None:
    snapshots = [
        (options, mhing.Game(game_id, **options).new_state(SEED).to_bytes())
        for known, options in CASES
        if known == game_id
    ]
    for options, snapshot in snapshots:
        game = mhing.Game(game_id, **options)
        for other, foreign in snapshots:
            if mhing.Game(game_id, **other).options == game.options:
                assert game.from_bytes(foreign).to_bytes() == foreign
            else:
                with pytest.raises(ValueError, match=r"\S"):
                    game.from_bytes(foreign)
        for broken in (b"", snapshot[:1], snapshot[:-1], snapshot + b"\0", snapshot * 2, b"x" * 64):
            with pytest.raises(ValueError, match=r"\S"):
                game.from_bytes(broken)


def test_snapshots_of_other_games_are_refused() -> None:
    snapshots = {
        game_id: mhing.Game(game_id).new_state(SEED).to_bytes() for game_id in mhing.games()
    }
    for game_id in mhing.games():
        for other, snapshot in snapshots.items():
            if other != game_id:
                with pytest.raises(ValueError, match=r"\S"):
                    mhing.Game(game_id).from_bytes(snapshot)


# ---- Randomness ---------------------------------------------------------------------------------


@every_case
def test_the_seed_decides_everything(game_id: str, options: Options) -> None:
    game = mhing.Game(game_id, **options)
    again = mhing.Game(game_id, **options)
    assert transcript(game.new_state(3), 1, 60) == transcript(again.new_state(3), 1, 60)
    starts = {game.new_state(seed).to_bytes() for seed in range(50)}
    assert len(starts) == 50


@every_case
def test_what_the_bots_draw_does_not_change_the_cards(game_id: str, options: Options) -> None:
    game = mhing.Game(game_id, **options)
    bot = game.bots[0].name
    quiet = game.new_state(5)
    loud = game.new_state(5)
    for _ in range(60):
        if quiet.is_terminal:
            break
        for random in range(3):
            loud.bot_action(bot, random)
        loud.play_out(bot, 99)
        loud.resample(0, 98)
        action = int(quiet.legal_actions()[0])
        quiet.apply(action)
        loud.apply(action)
        assert quiet == loud


@every_case
def test_play_outs_follow_their_seed(game_id: str, options: Options) -> None:
    game = mhing.Game(game_id, **options)
    state = game.new_state(6)
    for bot in game.bots:
        one, same = state.play_out(bot.name, 1), state.play_out(bot.name, 1)
        assert one.is_terminal
        assert one == same
    first = game.bots[0].name
    assert len({state.play_out(first, seed).to_bytes() for seed in range(5)}) > 1


@every_case
def test_a_seat_that_does_not_answer_plays_legally(game_id: str, options: Options) -> None:
    game = mhing.Game(game_id, **options)
    rng = Random(SEED)
    for seed in range(3):
        state = game.new_state(seed)
        for _ in range(DECISIONS):
            if state.is_terminal:
                break
            legal = state.legal_actions().tolist()
            idle = state.idle_action()
            assert idle in legal
            assert idle == state.resample(state.seat, seed).idle_action()
            state.apply(idle if state.seat == 0 else rng.choice(legal))


# ---- Observations -------------------------------------------------------------------------------


def places(field: Any) -> np.ndarray:
    """The places in the vector that a field covers, in the field's own shape."""
    offsets = np.full(tuple(field.shape), field.offset, dtype=np.int64)
    for axis, (size, stride) in enumerate(zip(field.shape, field.strides, strict=True)):
        along = np.arange(size) * stride
        offsets += along.reshape([-1 if n == axis else 1 for n in range(len(field.shape))])
    return offsets


@every_case
def test_fields_tile_the_observation(game_id: str, options: Options) -> None:
    game = mhing.Game(game_id, **options)
    sizes = game.describe()["sizes"]
    for fields, size in (
        (game.observation_fields, game.observation_size),
        (game.omniscient_fields, sizes["omniscient"]),
    ):
        covered = np.concatenate([places(field).ravel() for field in fields])
        assert sorted(covered.tolist()) == list(range(size))
        assert len({field.name for field in fields}) == len(fields)
        assert all(field.meaning for field in fields)


@every_case
def test_observations_keep_to_their_bounds_and_unpack_as_views(
    game_id: str, options: Options
) -> None:
    game = mhing.Game(game_id, **options)
    for state in some_play(game, SEED + 10, DECISIONS):
        vectors = [(state.observation(seat), game.unpack) for seat in range(game.num_seats)]
        described = [game.observation_fields] * game.num_seats
        vectors.append((state.omniscient(), game.unpack_omniscient))
        described.append(game.omniscient_fields)
        for (vector, unpack), fields in zip(vectors, described, strict=True):
            assert vector.dtype == np.uint8
            named = unpack(vector)
            assert list(named) == [field.name for field in fields]
            for field in fields:
                view = named[field.name]
                assert view.shape == tuple(field.shape)
                assert view.max(initial=0) <= field.high
                assert np.shares_memory(view, vector)
                assert np.array_equal(view, vector[places(field)])


@every_case
def test_the_observation_is_by_default_that_of_the_seat_to_act(
    game_id: str, options: Options
) -> None:
    game = mhing.Game(game_id, **options)
    for state in some_play(game, SEED + 12, 40):
        if not state.is_terminal:
            assert np.array_equal(state.observation(), state.observation(state.seat))
        for seat in (-1, game.num_seats):
            with pytest.raises((ValueError, IndexError), match=r"\S"):
                state.observation(seat)


@every_case
def test_json_is_json_and_the_texts_say_something(game_id: str, options: Options) -> None:
    game = mhing.Game(game_id, **options)
    assert json.loads(json.dumps(game.describe())) == game.describe()
    for state in some_play(game, SEED + 13, 60):
        table = state.to_dict()
        assert json.loads(json.dumps(table)) == table
        assert table["game"] == game_id
        assert table["options"].items() >= game.options.items()
        assert len(str(state).splitlines()) > game.num_seats
        info = state.info()
        assert list(info) == [field.name for field in game.info_fields]


# ---- Environments -------------------------------------------------------------------------------


@every_case
def test_gymnasium_has_nothing_to_say(game_id: str, options: Options) -> None:
    check_env(gym.make(f"mhing:{mhing.environment_id(game_id)}", **options).unwrapped)


@every_case
def test_a_batch_plays_the_games_of_its_states(game_id: str, options: Options) -> None:
    game = mhing.Game(game_id, **options)
    env_id = f"mhing:{mhing.environment_id(game_id)}"
    envs: Any = gym.make_vec(env_id, num_envs=4, opponents="self", **options)
    observations, infos = envs.reset(seed=SEED)
    states = [*map(game.new_state, envs.episode_seeds)]
    for _ in range(DECISIONS):
        for row, state in enumerate(states):
            if not state.is_terminal:
                assert infos["seat"][row] == state.seat
                assert np.array_equal(observations[row], state.observation())
                assert np.array_equal(infos["action_mask"][row], state.action_mask())
        actions = envs.sample_actions()
        observations, _, terminations, _, infos = envs.step(actions)
        for row, state in enumerate(states):
            if not state.is_terminal:
                state.apply(actions[row])
                assert terminations[row] == state.is_terminal
