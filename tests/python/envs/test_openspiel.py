"""OpenSpiel: its own tests of games, its algorithms, and what its states show of ours."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from random import Random
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import best_response, evaluate_bots, ismcts
from open_spiel.python.policy import UniformRandomPolicy
from open_spiel.python.rl_agent import StepOutput
from options import known

import mhing
import mhing.openspiel
from mhing import arena
from mhing._support.extras import install

needs_leduc = pytest.mark.skipif(
    "leduc" not in mhing.games(), reason="MHING_EXTRA_GAMES=leduc builds it"
)

NAMES = [
    name
    for game_id in mhing.games()
    for name in (
        f"python_{game_id}",
        *(f"python_{game_id}_{preset.name}" for preset in mhing.Game(game_id).presets),
    )
]

CASES: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in NAMES),
    *(
        (f"python_{game_id}", known(game_id, **options))
        for game_id in mhing.games()
        for options in (
            {"num_players": 3, "episode": "game", "rounds": 2, "reward": "win", "hints": True},
            {"num_players": 2, "reward": "margin", "turn_limit": 20, "target": 20},
            {"num_players": 3, "reward": "chips"},
            {"num_players": 3, "reward": "rank"},
        )
    ),
]

PRESETS = {*NAMES} - {f"python_{game_id}" for game_id in mhing.games()}

every_case = pytest.mark.parametrize(("name", "options"), CASES, ids=str)
every_game = pytest.mark.parametrize("game_id", mhing.games())


def load(name: str, deals: int = 100, **options: Any) -> Any:
    return pyspiel.load_game(name, {"deals": deals, **options})


def dealt(game: Any, deal: int = 3) -> Any:
    state = game.new_initial_state()
    state.apply_action(deal)
    return state


def some_play(game: Any, seed: int, decisions: int = 60) -> Any:
    """A state played on at random, given at every decision."""
    rng, state = Random(seed), dealt(game, seed)
    for _ in range(decisions):
        if state.is_terminal():
            return
        yield state
        state.apply_action(rng.choice(state.legal_actions()))


# ---- OpenSpiel's own tests ----------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options"),
    [
        pytest.param(name, options, marks=[pytest.mark.full] if name in PRESETS else [])
        for name, options in CASES
    ],
    ids=str,
)
def test_random_play(name: str, options: dict[str, Any]) -> None:
    """Masks, texts, copies, saved states, observables, returns and bounds, as OpenSpiel asks."""
    pyspiel.random_sim_test(load(name, **options), num_sims=1, serialize=True, verbose=False)


def test_every_game_and_preset_is_registered() -> None:
    assert set(NAMES) <= set(pyspiel.registered_names())
    for name in NAMES:
        assert pyspiel.load_game(name).get_type().short_name == name
    jmhing = pyspiel.load_game("python_mhing_jmhing(num_players=3)").table_game
    assert jmhing == mhing.Game("mhing", rules="jmhing", num_players=3)


@every_case
def test_bounds(name: str, options: dict[str, Any]) -> None:
    game = load(name, **options)
    bounds = game.table_game.bounds
    assert (game.min_utility(), game.max_utility()) == (bounds.lowest, bounds.highest)
    assert game.utility_sum() == bounds.sum
    assert game.max_game_length() == bounds.decisions
    utility = pyspiel.GameType.Utility
    kinds = {None: utility.GENERAL_SUM, 0.0: utility.ZERO_SUM, 1.0: utility.CONSTANT_SUM}
    assert game.get_type().utility == kinds[bounds.sum]


def test_no_bound() -> None:
    endless = load("python_mhing", episode="game", reward="win")
    assert endless.max_game_length() == 2**31 - 1
    assert not endless.get_type().provides_information_state_tensor


# ---- The same as ours ---------------------------------------------------------------------------


@every_game
def test_it_is_the_same_game(game_id: str) -> None:
    options = known(game_id, num_players=3, episode="game", rounds=2, target=0)
    game, ours = load(f"python_{game_id}", first_seed=40, **options), mhing.Game(game_id, **options)
    state, same, rng = dealt(game, 2), ours.new_state(seed=42), Random(1)
    same.remember()
    while not same.is_terminal:
        seat = state.current_player()
        assert seat == same.seat
        assert state.legal_actions() == same.legal_actions().tolist()
        assert state.information_state_string() == same.information_state().hex()
        action = rng.choice(state.legal_actions())
        assert state.action_to_string(action) == ours.action_text(action)
        state.apply_action(action)
        same.apply(action)
        assert state.returns() == same.returns().tolist()
        assert state.rewards() == pytest.approx(same.rewards().tolist())
    assert state.is_terminal()
    assert str(state) == str(same)


@every_game
def test_observation_tensors(game_id: str) -> None:
    """The fields by name, from 0 to 1."""
    game = load(f"python_{game_id}")
    for state in some_play(game, 5, 30):
        seat = state.current_player()
        ours = game.table_game.unpack(state.table.observation(seat))
        observer = game.make_py_observer()
        observer.set_from(state, seat)
        fields = game.table_game.observation_fields
        assert list(observer.dict) == [field.name for field in fields]
        for field in fields:
            np.testing.assert_allclose(
                observer.dict[field.name] * field.high, ours[field.name], rtol=1e-6
            )
        assert state.observation_tensor() == observer.tensor.tolist()
        assert 0 <= observer.tensor.min() <= observer.tensor.max() <= 1


@every_game
def test_observation_strings_are_read_back(game_id: str) -> None:
    """Kaggle's arena gives players these, and asks whether they may have states as well."""
    game = load(f"python_{game_id}")
    state = game.new_initial_state()
    state.apply_action(3)
    for seat in range(game.num_players()):
        text = state.observation_string(seat)
        seen = mhing.openspiel.observation_bytes(game.table_game, text)
        assert np.array_equal(seen, state.table.observation(seat))
    with pytest.raises(ValueError, match="text: 1 bytes; an observation of"):
        mhing.openspiel.observation_bytes(game.table_game, "00")
    assert state.hides_state_from_agents()


def test_public_and_own_observations() -> None:
    game, kind = load("python_mhing"), pyspiel.IIGObservationType
    single, none = pyspiel.PrivateInfoType.SINGLE_PLAYER, pyspiel.PrivateInfoType.NONE
    own = game.make_py_observer(kind(False, False, single))
    public = game.make_py_observer(kind(True, False, none))
    fields = game.table_game.observation_fields
    assert list(own.dict) == [field.name for field in fields if not field.public]
    assert list(public.dict) == [field.name for field in fields if field.public]
    with pytest.raises(ValueError, match="what one player sees"):
        game.make_py_observer(kind(True, False, pyspiel.PrivateInfoType.ALL_PLAYERS))
    with pytest.raises(ValueError, match="all that a player knows"):
        game.make_py_observer(kind(True, True, none))
    with pytest.raises(ValueError, match="no parameters"):
        game.make_py_observer(params={"size": 3})


@pytest.mark.parametrize("name", [f"python_{game_id}" for game_id in mhing.games()])
def test_information_state_tensors(name: str) -> None:
    """As many of them as of strings, all numbers from 0 to 1."""
    game, strings, tensors = load(name, num_players=2), set(), set()
    assert game.get_type().provides_information_state_tensor
    for seed in range(4):
        for state in some_play(game, seed, 25):
            for seat in range(2):
                tensor = np.array(state.information_state_tensor(seat), np.float32)
                assert 0 <= tensor.min() <= tensor.max() <= 1
                strings.add(state.information_state_string(seat))
                tensors.add(tensor.tobytes())
    assert len(strings) == len(tensors) > 8


def test_an_information_state_that_is_too_long_for_a_tensor() -> None:
    game = load("python_mexican_rummy", episode="game")
    assert not game.get_type().provides_information_state_tensor
    with pytest.raises(ValueError, match="more than 1048576 numbers"):
        game.make_py_observer(pyspiel.IIGObservationType(perfect_recall=True)).set_from(
            dealt(game), 0
        )


# ---- Worlds, search, algorithms -----------------------------------------------------------------


@every_game
def test_resampled_worlds(game_id: str) -> None:
    game, rng, changed = load(f"python_{game_id}"), Random(2), 0
    for state in some_play(game, 6):
        for seat in range(game.num_players()):
            fresh = state.resample_from_infostate(seat, rng.random)
            assert fresh.information_state_string(seat) == state.information_state_string(seat)
            assert fresh.observation_tensor(seat) == state.observation_tensor(seat)
            assert fresh.history() == state.history()
            if state.current_player() == seat:
                assert fresh.current_player() == seat
                assert fresh.legal_actions() == state.legal_actions()
            changed += fresh.table != state.table
        copy = game.deserialize_state(fresh.serialize())
        assert copy.table == fresh.table
        assert copy.information_state_string(0) == fresh.information_state_string(0)
    assert changed > 0
    before = game.new_initial_state().resample_from_infostate(0, rng.random)
    assert before.is_chance_node()


def searcher(game: Any, seed: int, simulations: int) -> Any:
    worlds = np.random.RandomState(seed)
    bot = ismcts.ISMCTSBot(
        game,
        mhing.openspiel.PlayOutEvaluator(seed=seed),
        uct_c=2.0,
        max_simulations=simulations,
        random_state=np.random.RandomState(seed),
    )
    bot.set_resampler(lambda state, seat: state.resample_from_infostate(seat, worlds.uniform))
    return bot


@every_game
def test_information_set_search(game_id: str) -> None:
    """It plays with any number of seats, and follows from its seeds."""
    game = load(f"python_{game_id}", **known(game_id, num_players=3))
    for state in some_play(game, 8, 6):
        policies = [searcher(game, 4, 30).get_policy(state) for _ in range(2)]
        assert policies[0] == policies[1]
        assert {action for action, _ in policies[0]} == set(state.legal_actions())


@pytest.mark.slow
def test_search_beats_random_play() -> None:
    """By duplicate deals: each is played from both seats."""
    game, rng = load("python_general_mhing"), Random(3)
    bot = searcher(game, 5, 25)
    gains = []
    for deal in range(8):
        for seat in range(2):
            state = dealt(game, deal)
            while not state.is_terminal():
                searches = state.current_player() == seat
                state.apply_action(
                    bot.step(state) if searches else rng.choice(state.legal_actions())
                )
            gains.append(state.returns()[seat] - state.returns()[1 - seat])
    by_deal = np.reshape(gains, (8, 2)).mean(axis=1)
    assert by_deal.mean() > 3 * by_deal.std(ddof=1) / 8**0.5


def test_play_outs_evaluate() -> None:
    state = dealt(load("python_mhing", reward="chips"))
    values = mhing.openspiel.PlayOutEvaluator("greedy", count=50, seed=1).evaluate(state)
    assert values.shape == (4,)
    assert values.any()
    assert values.sum() == pytest.approx(0)
    expected = state.table.play_outs(
        "greedy", 50, seed=int(np.random.default_rng(1).integers(2**63))
    )
    assert values.tolist() == expected.mean(0).tolist()


def test_searches_in_cpp_are_refused() -> None:
    """They would end the process: see `mhing.openspiel`. Games in C++ are searched as before."""
    rollouts = pyspiel.RandomRolloutEvaluator(1, 0)
    game = load("python_mhing")
    bot = pyspiel.ISMCTSBot(0, rollouts, 1.0, 10)
    with pytest.raises(TypeError, match="cannot search games that are written in Python"):
        bot.step(dealt(game))
    with pytest.raises(RuntimeError, match="not implemented"):  # which does not go through `step`
        bot.get_policy(dealt(game))
    kuhn = pyspiel.load_game("kuhn_poker").new_initial_state()
    for card in (0, 1):
        kuhn.apply_action(card)
    assert bot.step(kuhn) in kuhn.legal_actions()


@pytest.mark.slow
@needs_leduc
def test_leduc_is_as_exploitable_as_theirs() -> None:
    """Against uniform play: all 720 orders of the deck, one seat's best response to the other."""
    found = []
    for name in ("python_leduc", "leduc_poker"):
        game = pyspiel.load_game(name)
        best = best_response.BestResponsePolicy(game, 0, UniformRandomPolicy(game))
        found.append((best.value(game.new_initial_state()), len(best.infosets)))
    assert found[0][0] == pytest.approx(found[1][0], abs=1e-9)
    assert found[0][1] == found[1][1] == 468


# ---- States as data, and players ----------------------------------------------------------------


@every_game
def test_states_as_data(game_id: str) -> None:
    game = load(f"python_{game_id}")
    state = game.new_initial_state()
    assert json.loads(state.to_json()) is None
    with pytest.raises(ValueError, match="has not been dealt"):
        state.to_observation_struct(0)
    for state in some_play(game, 1, 8):
        assert json.loads(state.to_json()) == state.table.to_dict()
        for seat in range(game.num_players()):
            fields = state.table.game.unpack(state.table.observation(seat))
            seen = state.to_observation_struct(seat)
            found = json.loads(seen.to_json())
            assert found == {name: array.tolist() for name, array in fields.items()}
            assert all(np.array_equal(getattr(seen, name), fields[name]) for name in fields)
        own = state.to_observation_struct(state.current_player()).to_json()
        assert state.to_observation_struct().to_json() == own


@every_game
def test_built_in_bots(game_id: str) -> None:
    """They do in OpenSpiel what they do here, from the same seed, also after a restart."""
    game = load(f"python_{game_id}")
    bots = [mhing.openspiel.BuiltInBot("random", seed=seat) for seat in range(game.num_players())]
    for _ in range(2):
        state = dealt(game)
        table, randoms = state.table.clone(), [*range(game.num_players())]
        for bot in bots:
            bot.restart_at(state)
        while not state.is_terminal():
            seat = state.current_player()
            action, randoms[seat] = table.bot_action("random", randoms[seat])
            assert bots[seat].step(state) == action
            state.apply_action(action)
            table.apply(action)
    with pytest.raises(ValueError, match="gready"):
        mhing.openspiel.BuiltInBot("gready").step(dealt(game))


def test_openspiel_evaluates_built_in_bots() -> None:
    game = load("python_general_mhing", num_players=2)
    bots = [mhing.openspiel.BuiltInBot(name, seed=1) for name in ("greedy", "random")]
    gained = [evaluate_bots.evaluate_bots(dealt(game, deal), bots, np.random) for deal in range(40)]
    assert np.mean([returns[0] - returns[1] for returns in gained]) > 1


def test_an_agent_that_has_learned_is_a_player() -> None:
    """OpenSpiel's policy gradient, by PyTorch; it sees here the tensor from which it learned."""
    policy_gradient = pytest.importorskip("open_spiel.python.pytorch.policy_gradient")
    game = load("python_general_mhing", num_players=2)
    kind = rl_environment.ObservationType.OBSERVATION
    env = rl_environment.Environment(game, observation_type=kind)
    agents = [
        policy_gradient.PolicyGradient(
            seat,
            env.observation_spec()["info_state"][0],
            env.action_spec()["num_actions"],
            hidden_layers_sizes=[8],
            batch_size=8,
        )
        for seat in range(2)
    ]
    for _ in range(2):
        step = env.reset()
        while not step.last():
            step = env.step([agents[step.current_player()].step(step).action])
        for agent in agents:
            agent.step(step)
    policy = mhing.openspiel.AgentPolicy(agents[0], game.table_game)
    result = arena.play({"learned": policy, "random": "random"}, game.table_game, deals=2)
    assert not result.players[0].forfeits
    state, seen = dealt(game), []
    agents[0].step = lambda step, is_evaluation: seen.append(step) or StepOutput(0, [])
    seat = state.current_player()
    policy(state.table.observation(seat), state.table.action_mask(), {"seat": seat})
    assert seen[0].observations["info_state"][0] == pytest.approx(state.observation_tensor(seat))
    assert seen[0].observations["legal_actions"][0] == state.legal_actions()


# ---- Mistakes -----------------------------------------------------------------------------------


def test_mistakes() -> None:
    with pytest.raises(ValueError, match="at most 7 cards; mhing has 150"):
        load("python_mhing", deals=0)
    with pytest.raises(ValueError, match="deals: -1 is not from 0 on"):
        load("python_mhing", deals=-1)
    with pytest.raises(ValueError, match="chips are for up to 4 players"):
        load("python_mhing", num_players=5, reward="chips")
    with pytest.raises(ValueError, match="count: 0"):
        mhing.openspiel.PlayOutEvaluator(count=0)


def test_a_process_ends_well() -> None:
    """OpenSpiel keeps what was registered longer than Python lives."""
    code = "import pyspiel, mhing.openspiel; print(pyspiel.load_game('python_mhing'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_error_names_the_extra() -> None:
    code = "import sys; sys.modules['pyspiel'] = None\nimport mhing.openspiel"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert install("openspiel") in done.stderr


def test_mistakes_are_refused() -> None:
    with pytest.raises(ValueError, match="first_seed: -1 is not from 0 on"):
        pyspiel.load_game("python_leduc(first_seed=-1)")
    for outcome in (5, 10**9):
        state = pyspiel.load_game("python_leduc(deals=5)").new_initial_state()
        with pytest.raises(ValueError, match=f"deal: {outcome} is not from 0 to 4"):
            state.apply_action(outcome)


def test_games_can_be_pickled() -> None:
    for name in ("python_leduc(deals=7)", "python_mhing_jmhing(num_players=3)"):
        game = pyspiel.load_game(name)
        assert str(pickle.loads(pickle.dumps(game))) == str(game)
