"""The package: its import, games, states and their errors, for users rather than for one game."""

from __future__ import annotations

import copy
import pickle
import re
import subprocess
import sys
import threading
from importlib import metadata
from inspect import signature
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import mhing


@pytest.fixture(scope="module")
def game() -> mhing.Game:
    return mhing.Game("mhing")


@pytest.fixture
def state(game: mhing.Game) -> mhing.State:
    return game.new_state(seed=1)


def run_python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


# ---- The package itself ----------------------------------------------------------------------


def test_version_and_typing() -> None:
    assert mhing.__version__ == metadata.version("mhing")
    assert (Path(mhing.__file__).parent / "py.typed").exists()
    assert all(hasattr(mhing, name) for name in mhing.__all__)
    with pytest.raises(AttributeError, match="module 'mhing' has no attribute 'game_'"):
        mhing.game_  # noqa: B018


@pytest.mark.slow
def test_import_loads_nothing_heavy() -> None:
    """Beyond NumPy and Gymnasium: players, pages and commands wait until they are asked for."""
    code = "import mhing, sys; print(*(name for name in sys.modules if name.startswith('mhing.')))"
    makers = {f"mhing.{mhing.pettingzoo_id(game)}" for game in mhing.games()}
    assert set(run_python(code).split()) == makers | {
        "mhing._core", "mhing._core.lib", "mhing._lib", "mhing._lib.arguments",
        "mhing._lib.binding", "mhing._lib.games", "mhing._lib.hold", "mhing._lib.nets",
        "mhing._lib.scenes", "mhing._lib.scoring", "mhing._lib.states", "mhing._support",
        "mhing._support.guide", "mhing._support.ids", "mhing._support.layouts",
        "mhing._support.positions", "mhing._support.recall", "mhing._support.seats",
        "mhing._support.start",
        "mhing.description", "mhing.findings", "mhing.game", "mhing.options", "mhing.sheet",
        "mhing.state", "mhing.words",
        "mhing.by_game", "mhing.by_game.general_mhing", "mhing.by_game.general_mhing.scoring",
        "mhing.by_game.mhing", "mhing.by_game.mhing.scoring",
    }  # fmt: skip
    for module in ("pettingzoo", "importlib.metadata", "importlib.resources"):
        code = f"import gymnasium, sys; sys.modules.pop('{module}', None); import mhing"
        code += f"; mhing.Game(); print('{module}' in sys.modules)"
        assert run_python(code).strip() == "False", module


def test_type_checkers_know_the_modules_of_games() -> None:
    source = Path(mhing.__file__).read_text(encoding="utf-8")
    declared = re.findall(r"^    (\w+): _PettingZooModule$", source, re.MULTILINE)
    built_in = set(mhing.games()) - {"leduc"}
    assert declared == sorted(mhing.pettingzoo_id(game) for game in built_in)
    parameters = signature(getattr(mhing, declared[0]).env).parameters
    assert list(parameters) == [
        "obs_mode",
        "max_cycles",
        "render_mode",
        "look",
        "info",
        "seed_info",
        "options",
    ]


def test_games() -> None:
    assert "mhing" in mhing.games()
    for game_id in mhing.games():
        assert mhing.Game(game_id).id == game_id


# ---- Games -----------------------------------------------------------------------------------


def test_parts_in_words() -> None:
    numbers = np.zeros(19, np.int64)
    assert mhing.Game("mhing").parts_text(numbers) == ""
    numbers[[1, 7]] = 2, 1
    assert mhing.Game("mhing").parts_text(numbers) == "double sequence 2; flower 1"
    with pytest.raises(ValueError, match="parts: 18 numbers; mhing has 19 parts"):
        mhing.Game("mhing").parts_text(numbers[1:])
    with pytest.raises(ValueError, match="parts: 0 numbers; mexican_rummy has 0 parts"):
        mhing.Game("mexican_rummy").parts_text([])


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"id": "chess"}, ValueError, "chess"),
        ({"id": 3}, TypeError, "id: 3"),
        ({"players": 4}, ValueError, "'players' is unknown"),
        ({"target": -5}, ValueError, "target: '-5'"),
        ({"target": 10**12}, ValueError, "target"),
        ({"target": 5.0}, TypeError, "target: 5.0"),
        ({"num_players": True}, ValueError, "num_players: 'on'"),
        ({"seven_pairs": 1}, ValueError, "seven_pairs: '1'"),
        ({"reward": ""}, ValueError, "reward: ''"),
        ({"reward": "win target=3"}, ValueError, "reward"),
        ({"rules": "boxed", "lay_down": ["on"]}, TypeError, "lay_down"),
    ],
    ids=str,
)
def test_bad_options(arguments: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        mhing.Game(**arguments)


def test_options_by_name_and_preset() -> None:
    rules = {"preset": "jmhing", "seven_pairs": np.True_, "target": np.int64(100)}
    game = mhing.Game("mhing", rules=rules, num_players=3, hints=None)
    expected = {
        "lay_down": True,
        "seven_pairs": True,
        "target": 100,
        "num_players": 3,
        "hints": False,
    }
    assert expected.items() <= game.options.items()
    assert mhing.Game("mhing", rules="boxed", seven_pairs="on").options["seven_pairs"] is True
    assert repr(game).startswith("Game('mhing', num_players=3")


def test_the_table_as_dataclasses(game: mhing.Game) -> None:
    described = game.describe()
    assert game.num_actions == described["sizes"]["actions"] == sum(a.count for a in game.actions)
    assert game.num_seats == game.options["num_players"]
    for kind in ("actions", "events", "presets", "bots"):
        assert [row.name for row in getattr(game, kind)] == [row["name"] for row in described[kind]]
    assert [field.name for field in game.info_fields] == [row["name"] for row in described["info"]]
    with pytest.raises(AttributeError):
        game.actions[0].first = 1


def test_games_compare_by_id_and_options(game: mhing.Game) -> None:
    same, other = mhing.Game("mhing", num_players=4), mhing.Game("mhing", num_players=3)
    assert game == same
    assert hash(game) == hash(same)
    assert game != other
    assert game != "mhing"
    for twin in (copy.copy(other), copy.deepcopy(other), pickle.loads(pickle.dumps(other))):
        assert twin == other


def test_action_texts(game: mhing.Game) -> None:
    texts = [game.action_text(action) for action in range(game.num_actions)]
    assert len(set(texts)) == game.num_actions
    assert [game.action_id(text) for text in texts] == list(range(game.num_actions))
    for action in (-1, game.num_actions):
        with pytest.raises(IndexError, match=f"action: {action}"):
            game.action_text(action)
    with pytest.raises(ValueError, match="no action reads 'discard 0s'"):
        game.action_id("discard 0s")


def test_games_are_shared_by_threads() -> None:
    game, results = mhing.Game("mhing", hints=True), []

    def play() -> None:
        results.append(
            [game.new_state(seed).play_out("random", seed).returns() for seed in range(30)]
        )

    threads = [threading.Thread(target=play) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    assert all(np.array_equal(result, results[0]) for result in results)


def test_threads_with_an_environment_each_do_not_meet() -> None:
    """Their calls give up Python's lock, so they run at the same time."""

    def play(seed: int) -> list[Any]:
        envs: Any = gym.make_vec("mhing:Mhing-v0", num_envs=16, opponents="greedy")
        env: Any = gym.make("mhing:Mhing-v0", opponents="random")
        envs.reset(seed=seed)
        env.reset(seed=seed)
        seen: list[Any] = []
        for _ in range(60):
            seen.append(envs.step(envs.sample_actions())[:4])
            legal = np.flatnonzero(env.unwrapped.action_masks())
            seen.append(env.step(legal[0]))
            if seen[-1][2]:
                env.reset()
        return seen

    alone = [play(seed) for seed in range(2)]
    together: dict[int, list[Any]] = {}
    threads = [
        threading.Thread(target=lambda seed=seed: together.update({seed: play(seed)}))
        for seed in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert pickle.dumps(alone[0]) != pickle.dumps(alone[1])
    for seed, seen in enumerate(alone):
        np.testing.assert_equal(together[seed], seen)


# ---- Observations ----------------------------------------------------------------------------


def test_unpack_batches_and_strides(game: mhing.Game, state: mhing.State) -> None:
    observations = np.stack([state.observation(seat) for seat in range(game.num_seats)])
    whole = game.unpack(observations)
    reversed_rows = game.unpack(np.asfortranarray(observations)[::-1])
    for seat, observation in enumerate(observations):
        for name, part in game.unpack(observation).items():
            assert np.array_equal(part, whole[name][seat])
            assert np.array_equal(part, reversed_rows[name][-1 - seat])
            assert np.shares_memory(part, observation)


def test_fields_cover_the_observation_once(game: mhing.Game) -> None:
    for hints in (False, True):
        game = mhing.Game("mhing", hints=hints, num_players=5)
        marks = np.zeros(game.observation_size, np.uint8)
        for part in game.unpack(marks).values():
            np.add(part, np.uint8(1), out=part)
        assert (marks == 1).all()


def test_unpack_without_a_game() -> None:
    default = mhing.Game().new_state(1).observation()
    assert mhing.unpack(default)["hand"].sum() in (13, 14)
    other = mhing.Game("mhing", num_players=3)
    observation = other.new_state(1).observation()
    with pytest.raises(ValueError, match=r"unpack\(observation, env.unwrapped.game\)"):
        mhing.unpack(observation)
    assert mhing.unpack(observation, other)["hand"].sum() in (13, 14)


def test_unpack_refuses_what_does_not_fit(game: mhing.Game, state: mhing.State) -> None:
    observation = state.observation()
    for wrong in (
        observation[:-1],
        observation.astype(np.float32),
        observation.tolist(),
        np.uint8(3),
    ):
        with pytest.raises(ValueError, match="observation"):
            game.unpack(wrong)


# ---- States ----------------------------------------------------------------------------------


@pytest.mark.parametrize("action", [1.0, "pass", None, True, np.bool_(True), np.float32(2)])
def test_actions_of_the_wrong_type(state: mhing.State, action: Any) -> None:
    with pytest.raises(TypeError, match="action"):
        state.apply(action)


def test_illegal_actions_change_nothing(game: mhing.Game, state: mhing.State) -> None:
    before = state.clone()
    illegal = np.flatnonzero(state.action_mask() == 0)[:3].tolist()
    for action in (-1, game.num_actions, 2**70, *illegal):
        with pytest.raises(ValueError, match="action"):
            state.apply(action)
    assert state == before
    state.apply(state.legal_actions()[0])
    assert state != before


def test_the_end(game: mhing.Game, state: mhing.State) -> None:
    end = state.play_out("greedy", seed=1)
    assert end.is_terminal
    assert end.seat == -1
    assert end.action_mask().all()
    assert len(end.legal_actions()) == 0
    assert not state.is_terminal, "play_out leaves the state alone"
    with pytest.raises(RuntimeError):
        end.apply(0)
    with pytest.raises(RuntimeError):
        end.bot_action("greedy", 1)
    with pytest.raises(RuntimeError, match="observer"):
        end.observation()
    assert end.observation(0).shape == (game.observation_size,)


@pytest.mark.parametrize("game_id", mhing.games())
def test_public_numbers_change_when_a_round_is_over(game_id: str) -> None:
    options = mhing.Game(game_id).options
    longer = {
        name: value for name, value in (("episode", "game"), ("rounds", 2)) if name in options
    }
    game = mhing.Game(game_id, **longer)
    state, bot_random, rounds = game.new_state(3), 3, []
    numbers = str(state.info())
    assert state.rounds_over == 0
    while not state.is_terminal:
        before = state.rounds_over
        action, bot_random = state.bot_action(game.default_bot, bot_random)
        state.apply(action)
        if state.rounds_over == before:
            assert str(state.info()) == numbers
        else:
            rounds.append(state.rounds_over)
            numbers = str(state.info())
        assert state.info().get("rounds_over", state.rounds_over) == state.rounds_over
    assert rounds == ([1, 2] if longer else [1])


def test_seats_and_bots_that_do_not_exist(state: mhing.State) -> None:
    for seat in (-1, 4):
        for use in (state.observation, state.resample):
            with pytest.raises(IndexError, match=f"seat: {seat} is not from 0 to 3"):
                use(seat)
    with pytest.raises(TypeError, match="seat"):
        state.observation(1.0)
    with pytest.raises(ValueError, match="gready"):
        state.play_out("gready")
    with pytest.raises(TypeError, match="bot"):
        state.bot_action(1, 1)


@pytest.mark.parametrize(
    ("seed", "error"), [(-(2**63) - 1, ValueError), (2**64, ValueError), (0.5, TypeError)]
)
def test_bad_seeds(game: mhing.Game, state: mhing.State, seed: Any, error: type[Exception]) -> None:
    for use in (
        game.new_state,
        lambda seed: state.resample(0, seed),
        lambda seed: state.play_out("random", seed),
        lambda seed: state.bot_action("random", seed),
    ):
        with pytest.raises(error, match="seed"):
            use(seed)


def test_seeds_are_drawn_when_not_given(game: mhing.Game) -> None:
    assert game.new_state() != game.new_state()
    assert game.new_state(7) == game.new_state(seed=np.uint8(7))


def test_copies_are_independent(state: mhing.State) -> None:
    copies = [
        state.clone(),
        copy.copy(state),
        copy.deepcopy(state),
        pickle.loads(pickle.dumps(state)),
    ]
    for twin in copies:
        assert twin == state
        assert twin.game == state.game
    copies[0].apply(copies[0].legal_actions()[0])
    assert copies[0] != state
    assert all(twin == state for twin in copies[1:])
    with pytest.raises(TypeError):
        hash(state)


def test_snapshots_cross_processes(state: mhing.State) -> None:
    code = (
        f"import mhing; data = bytes.fromhex('{state.to_bytes().hex()}');"
        "state = mhing.Game('mhing').from_bytes(data);"
        "print(state.play_out('greedy', 3).returns().tolist())"
    )
    assert run_python(code).strip() == str(state.play_out("greedy", 3).returns().tolist())


def test_snapshots_of_something_else(game: mhing.Game, state: mhing.State) -> None:
    other = mhing.Game("mhing", num_players=3)
    for data in (
        b"",
        b"hello",
        state.to_bytes()[:-1],
        other.new_state(1).to_bytes(),
        bytes(10_000),
    ):
        with pytest.raises(ValueError, match="snapshot"):
            game.from_bytes(data)


def test_texts(state: mhing.State) -> None:
    assert len(str(state).splitlines()) > 3
    assert "seat" in repr(state)
    assert "Game('mhing')" in repr(state)


def test_bot_action_advances_its_generator(state: mhing.State) -> None:
    action, after = state.bot_action("random", 5)
    assert action in state.legal_actions()
    assert after != 5
    assert state.bot_action("random", 5) == (action, after)


# ---- Scoring alone ---------------------------------------------------------------------------


def test_score_and_distance() -> None:
    score = mhing.score_hand("567s567s678s789s99s")
    assert (score.credits, score.points) == (17, 512)
    assert sum(credits for _, credits in score.parts) == 17
    assert score.arrangement == ["567s", "567s", "678s", "789s", "99s"]
    assert mhing.score_hand("567s567s678s789s99s", complete=True) == score
    assert mhing.score_hand("567s567s678s789s9s1p") is None
    with pytest.raises(ValueError, match="hand: '567s567s678s789s9s1p' is not complete"):
        mhing.score_hand("567s567s678s789s9s1p", complete=True)
    assert mhing.distance("567s567s678s789s9s1p") == 1
    assert mhing.distance("567s567s678s789s99s") == 0
    assert mhing.points(41) == 131072


def test_arrangements_show_jokers() -> None:
    laid = mhing.score_hand("567s678s7s8sJ99s", melds=["EEE"], flowers=2)
    assert laid.arrangement[0] == "EEE"
    assert sum(group.count("*") for group in laid.arrangement) == 1
    assert dict(laid.parts)["flower"] == 2
    scattered = mhing.score_hand("147s258p369mESWNJ")
    assert len(scattered.arrangement) == 14
    pairs = mhing.score_hand("1199s2288p3377mEJ", seven_pairs=True)
    assert len(pairs.arrangement) == 7


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("567",), ValueError, "hand: .*suit letter"),
        (("11111s222333444p",), ValueError, "1s"),
        (("123s",), ValueError, "hand"),
        (("123s55s", "EEE"), TypeError, "melds: 'EEE'"),
        (("123s55s", ["124s"]), ValueError, "124s"),
        ((5,), TypeError, "hand: 5"),
        (("567s567s678s789s99s", (), 9), ValueError, "flowers"),
        (("567s567s678s789s99s", (), 1.0), TypeError, "flowers"),
    ],
    ids=str,
)
def test_bad_hands(arguments: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        mhing.score_hand(*arguments)
