"""The environments for PettingZoo, for every game: equality with the states, and refusals."""

from __future__ import annotations

import copy
import importlib
import inspect
import pickle
import subprocess
import sys
from random import Random
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from options import has, known
from pettingzoo.utils import turn_based_aec_to_parallel
from zoo import (
    assert_results,
    every_case,
    every_game,
    makers,
    module,
    random_legal,
    some_illegal,
    step,
)

import mhing
from mhing._support.extras import install

# ---- The modules --------------------------------------------------------------------------------


def in_another_process(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.slow
@every_game
def test_modules_are_found_in_every_way(game: str) -> None:
    name = mhing.pettingzoo_id(game)
    assert name == f"{game}_v{mhing.Game(game).describe()['rules_version']}"
    assert importlib.import_module(f"mhing.{name}") is module(game)
    for code in (
        f"from mhing import {name} as found",
        f"import mhing; found = mhing.{name}",
        f"import mhing.{name}; found = mhing.{name}",
        f"from mhing.{name} import env; import mhing.{name} as found; assert found.env is env",
    ):
        assert in_another_process(f"{code}; print(found.env())") == name


@every_game
def test_makers_are_pickled_by_name(game: str) -> None:
    for kind in ("env", "raw_env", "parallel_env"):
        maker = getattr(module(game), kind)
        assert pickle.loads(pickle.dumps(maker)) is maker
        assert kind in inspect.getdoc(maker)


def test_without_pettingzoo() -> None:
    code = (
        "import sys; sys.modules['pettingzoo'] = None\n"
        "from mhing import mhing_v0\n"
        "try: mhing_v0.env()\n"
        "except ModuleNotFoundError as error: print(error)"
    )
    assert install("pettingzoo") in in_another_process(code)


@every_game
def test_names_and_spaces(game: str) -> None:
    aec, parallel = module(game).env(), module(game).parallel_env()
    for env, parallelizable, waiting in ((aec, False, 0), (parallel, True, 1)):
        assert str(env) == env.metadata["name"] == mhing.pettingzoo_id(game)
        assert env.metadata["is_parallelizable"] is parallelizable
        assert env.unwrapped.game == mhing.Game(game)
        seats = range(env.unwrapped.game.num_seats)
        assert env.possible_agents == [f"player_{seat}" for seat in seats]
        assert len({id(env.observation_space(agent)) for agent in env.possible_agents}) > 1
        for agent in env.possible_agents:
            assert env.action_space(agent).n == env.unwrapped.game.num_actions + waiting
            assert env.action_space(agent) is env.unwrapped.action_spaces[agent]
            assert env.observation_space(agent) is env.unwrapped.observation_spaces[agent]
        with pytest.raises(ValueError, match="agent: 'player_9' is none of player_0, "):
            env.action_space("player_9")


@every_game
@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"players": 3}, TypeError, r"argument 'players'; did you mean num_players\?"),
        ({"num_players": 99}, ValueError, "num_players"),
        ({"render_mode": "film"}, ValueError, "render_mode: 'film'"),
        ({"obs_mode": "tensor"}, ValueError, "obs_mode: 'tensor' is none of flat, dict"),
        ({"illegal_action": "random"}, ValueError, "'random' is none of terminate, raise"),
        ({"max_cycles": 0}, ValueError, "max_cycles: 0 is not from 1"),
        ({"max_cycles": "9"}, TypeError, "max_cycles: '9' is a str"),
    ],
    ids=str,
)
def test_bad_options(game: str, options: Any, error: type[Exception], words: str) -> None:
    for make in (module(game).env, module(game).raw_env, module(game).parallel_env):
        with pytest.raises(error, match=words):
            make(**options)


# ---- Pictures ------------------------------------------------------------------------------------


@every_game
def test_human_rendering_prints_after_every_step(
    game: str, capsys: pytest.CaptureFixture[str]
) -> None:
    aec, parallel = (make(render_mode="human") for make in makers(game))
    for env in (aec, parallel):
        env.reset(seed=1)
        before = capsys.readouterr().out
        state = env.game_state
        step(env, int(state.legal_actions()[0]))
        after = capsys.readouterr().out
        assert before
        assert after
        assert before != after


@every_game
def test_pictures_show_what_the_seat_to_act_sees(game: str) -> None:
    """Without a mode there is a warning; hidden cards are in no picture."""
    for make in makers(game):
        env = make(render_mode="ansi")
        env.reset(seed=1)
        while env.game_state.seat == 0:
            step(env, int(env.game_state.legal_actions()[0]))
        state = env.game_state
        hidden = state.resample(state.seat, 5)
        assert hidden != state
        shown = env.render()
        env._state = hidden
        assert env.render() == shown
        silent = make()
        silent.reset(seed=1)
        with pytest.warns(UserWarning, match="render_mode"):
            assert silent.render() is None


@every_game
def test_conversion_by_pettingzoo(game: str) -> None:
    """The other way to step an AEC environment together; our own is what tells who waits."""
    converted = turn_based_aec_to_parallel(module(game).env())
    observations, _ = converted.reset(seed=3)
    direct, _ = module(game).parallel_env().reset(seed=3)
    for agent, observation in observations.items():
        assert np.array_equal(observation["observation"], direct[agent]["observation"])


# ---- One agent at a time ------------------------------------------------------------------------


def assert_shows(env: Any, state: mhing.State) -> None:
    """All that an AEC environment shows of this state, from every seat's own view."""
    assert env.unwrapped.game_state == state
    assert np.array_equal(env.state(), state.omniscient())
    assert env.state() in env.unwrapped.state_space
    if not state.is_terminal:
        assert env.agent_selection == env.possible_agents[state.seat]
    for seat, agent in enumerate(env.possible_agents):
        seen = env.observe(agent)
        assert seen in env.observation_space(agent)
        assert np.array_equal(seen["observation"], state.observation(seat))
        acts = state.is_terminal or state.seat == seat
        assert np.array_equal(seen["action_mask"], state.action_mask() * acts)
        assert seen["action_mask"].dtype == np.int8
        if agent in env.agents:
            assert np.array_equal(env.infos[agent]["action_mask"], seen["action_mask"])
            assert env.terminations[agent] is state.is_terminal
            assert env.truncations[agent] is False


@pytest.mark.slow
@every_case
def test_the_same_as_states(game: str, options: dict[str, Any]) -> None:
    env = module(game).env(**options, seed_info=True)
    for seed in range(3):
        rng = Random(seed)
        env.reset(seed=seed)
        state = env.unwrapped.game.new_state(seed)
        last = np.zeros(state.game.num_seats)
        for _ in env.agent_iter():
            assert_shows(env, state)
            assert set(env.infos[env.agent_selection]) >= {"action_mask", "seed"}
            assert env.infos[env.agent_selection]["seed"] == seed
            if state.is_terminal:
                break
            seat = state.seat
            last[seat] += env.last()[1]
            action = random_legal(state, rng)
            state.apply(action)
            env.step(action)
            assert list(env.rewards.values()) == state.rewards().tolist()
            assert list(env.rewards) == env.possible_agents
        # Rewards handed out in turns and those that wait for each agent add up to all earnings.
        for seat, agent in enumerate(env.possible_agents):
            assert env.agent_selection == agent
            _, reward, terminated, truncated, info = env.last()
            assert terminated
            assert not truncated
            assert last[seat] + reward == pytest.approx(state.returns()[seat], rel=1e-6)
            assert_results(info, state)
            assert np.array_equal(env.observe(agent)["action_mask"], state.action_mask())
            env.step(None)
        assert env.agents == []


@every_game
def test_results_wait_for_every_agent(game: str) -> None:
    """Each agent is told of the start and of a round that ended, once, when it is next asked."""
    env = module(game).raw_env(**known(game, episode="game"))
    rng = Random(1)
    env.reset(seed=1)
    state, ended = env.game_state, dict.fromkeys(env.agents, env.game_state)
    reported = 0
    for _ in range(3_000):
        if state.is_terminal:
            break
        agent = env.agent_selection
        info = env.infos[agent]
        assert ("rounds_over" in info) == (agent in ended)
        if agent in ended:
            assert_results(info, ended.pop(agent))
            reported += 1
        rounds = state.info()["rounds_over"]
        action = random_legal(state, rng)
        env.step(action)
        state.apply(action)
        if state.info()["rounds_over"] != rounds:
            ended = dict.fromkeys(env.agents, state.clone())
    assert reported or not has(
        game, "episode"
    )  # else rounds end with the episode, and nobody is asked


def test_all_rounds_are_reported_to_an_agent_that_waits() -> None:
    env = module("mhing").raw_env(num_players=6, episode="game", rounds=5, target=0)
    several = at_first = 0
    for seed in range(40):
        env.reset(seed=seed)
        state, last = env.game_state, dict.fromkeys(env.agents, -1)
        while not state.is_terminal:
            agent, info = env.agent_selection, env.infos[env.agent_selection]
            if "rounds_over" in info:
                numbers = [*info.get("earlier_rounds", []), info]
                reported = [each["rounds_over"] for each in numbers]
                if last[agent] < 0 and reported != [0]:  # it waited, and the start is no round
                    last[agent], at_first = 0, at_first + 1
                assert reported == list(range(last[agent] + 1, last[agent] + 1 + len(reported)))
                assert all(set(each) >= set(state.info()) for each in numbers)
                last[agent], several = reported[-1], several + (len(reported) > 1)
            action, _ = state.bot_action("greedy", 1)
            env.step(action)
            state.apply(action)
    assert several > 1
    assert at_first > 0


@every_game
def test_seeds_and_decks(game: str) -> None:
    env = module(game).env()

    def begin(seed: int | None = None, **options: Any) -> tuple[int, mhing.State]:
        env.reset(seed=seed, options=options)
        return env.unwrapped.episode_seed, env.unwrapped.game_state

    sequence = [begin(5), begin(), begin()]
    assert [begin(5), begin(), begin()] == sequence
    for seed, state in sequence:
        assert state == mhing.Game(game).new_state(seed)
    assert len({seed for seed, _ in sequence}) == 3
    assert begin(2**64 - 1)[1] == mhing.Game(game).new_state(2**64 - 1)
    assert module(game).raw_env()._seeds.bytes(8) != module(game).raw_env()._seeds.bytes(8)

    with pytest.raises(ValueError, match="seed: 1844"):
        env.reset(seed=2**64)
    with pytest.raises(ValueError, match="deck: 'ace' at place 0 is no card"):
        env.reset(options={"deck": ["ace"]})
    with pytest.raises(ValueError, match="deck"):
        env.reset(options={"deck": [0]})


@every_game
def test_a_deck_of_ones_own(game: str) -> None:
    table = mhing.Game(game)
    deck = table.describe()["deck"]
    for make in makers(game):
        env = make()
        env.reset(seed=1, options={"deck": deck})
        assert env.game_state == table.new_state(1, deck) != table.new_state(1)


@every_game
def test_illegal_actions(game: str) -> None:
    """The episode is over for all, and the game is as it was; so is what waited for the others."""
    env = module(game).env()
    env.reset(seed=1)
    state = env.game_state
    for wrong in (some_illegal(state), state.game.num_actions, -1, 2**70):
        env.reset(seed=1)
        assert not any(env.terminations.values())
        mover, others = env.agent_selection, env.possible_agents
        env._cumulative_rewards = dict.fromkeys(env.agents, 5.0)
        env.step(wrong)
        assert env.game_state == state
        assert env.rewards == dict.fromkeys(others, 0.0) | {mover: -1.0}
        for agent in env.possible_agents:
            assert env.agent_selection == agent
            seen, reward, terminated, truncated, info = env.last()
            assert (terminated, truncated) == (True, False)
            assert reward == (-1 if agent == mover else 5)
            assert info.get("illegal_action", False) is (agent == mover)
            assert info["action_mask"].all()
            assert seen["action_mask"].all()
            env.step(None)
        assert env.agents == []


@every_game
def test_calls_in_the_wrong_order(game: str) -> None:
    env = module(game).env()
    with pytest.raises(ResetNeeded, match=r"reset\(\) first"):
        env.agent_iter()
    for name in ("agent_selection", "infos", "rewards", "terminations", "truncations"):
        with pytest.raises(AttributeError, match=rf"{name}: call reset\(\) first"):
            getattr(env, name)
    with pytest.raises(AttributeError, match="CardGameAECEnv has no attribute 'wind'"):
        _ = env.wind
    env.reset(seed=1)
    assert len(list(zip(env.agent_iter(0), range(9), strict=False))) == 0
    agents = env.agent_iter()
    assert next(agents) == env.agent_selection
    with pytest.raises(RuntimeError, match=f"{env.agent_selection} was not stepped"):
        next(agents)
    for _ in env.agent_iter():  # to start another one is as good as a step
        env.reset(seed=2)
        break
    for agent in env.agent_iter(1):
        env.step(int(env.infos[agent]["action_mask"].argmax()))


@every_game
def test_unmasked_play_is_warned_of_once(game: str) -> None:
    for make in makers(game):
        env = make(illegal_action="terminate")

        def lose(env: Any = env) -> None:
            env.reset(seed=1)
            step(env, some_illegal(env.game_state))

        for _ in range(4):
            lose()
        with pytest.warns(UserWarning, match="5 episodes in a row have ended by an illegal action"):
            lose()
        lose()


@every_game
@pytest.mark.parametrize("limit", [1, 3, 10**6])
def test_truncation(game: str, limit: int) -> None:
    """After so many actions all are truncated; an end by the rules comes first."""
    for make in makers(game):
        env = make(max_cycles=limit)
        rng = Random(1)
        for seed in range(3):
            env.reset(seed=seed)
            length = 0
            while length < limit and not env.game_state.is_terminal:
                assert set(env.agents) == set(env.possible_agents)
                returned = step(env, random_legal(env.game_state, rng))
                length += 1
            over = env.game_state.is_terminal
            if returned is None:
                terminations, truncations = env.terminations.copy(), env.truncations.copy()
                infos = env.infos.copy()
                assert all(env.observe(agent)["action_mask"].all() for agent in env.agents)
                while env.agents:
                    env.step(None)
            else:
                observations, _, terminations, truncations, infos = returned
                assert all(seen["action_mask"].all() for seen in observations.values())
            assert terminations == dict.fromkeys(env.possible_agents, over)
            assert truncations == dict.fromkeys(env.possible_agents, not over)
            assert all(info["action_mask"].all() for info in infos.values())
            assert env.agents == []
            with pytest.raises(ResetNeeded, match="over"):
                step(env, 0)


@every_game
def test_flat_observations(game: str) -> None:
    """The same numbers without the mask, which the info has; another space, and no other play."""
    for make in makers(game):
        env, twin = make(obs_mode="flat"), make()
        flat, both = env.reset(seed=1), twin.reset(seed=1)
        state = env.game_state
        for agent in env.possible_agents:
            assert env.observation_space(agent) == twin.observation_space(agent)["observation"]
            seen = env.observe(agent) if flat is None else flat[0][agent]
            other = twin.observe(agent) if both is None else both[0][agent]
            assert seen in env.observation_space(agent)
            assert np.array_equal(seen, other["observation"])
            info = env.infos[agent] if flat is None else flat[1][agent]
            assert np.array_equal(info["action_mask"], other["action_mask"])
        step(env, int(state.legal_actions()[0]))
        step(twin, int(state.legal_actions()[0]))
        assert env.game_state == twin.game_state


@every_game
def test_the_raw_environment_refuses_and_goes_on(game: str) -> None:
    env = module(game).raw_env(render_mode="ansi")
    for use in (env.state, env.render, lambda: env.observe("player_0"), lambda: env.step(0)):
        with pytest.raises(ResetNeeded, match=r"reset\(\) first"):
            use()
    env.reset(seed=1)
    state = env.game_state
    illegal = some_illegal(state)
    for action, error, words in (
        (illegal, ValueError, "action"),
        (state.game.num_actions, ValueError, f"action: {state.game.num_actions}"),
        (None, TypeError, "action: None"),
        (True, TypeError, "action: True"),
    ):
        with pytest.raises(error, match=words):
            env.step(action)
    assert_shows(env, state)
    with pytest.raises(ValueError, match="agent: 'north'"):
        env.observe("north")
    while env.agents:
        env.step(None if env.game_state.is_terminal else int(env.game_state.legal_actions()[0]))
    with pytest.raises(ResetNeeded, match="over"):
        env.step(None)


@every_game
def test_copies_go_their_own_way(game: str) -> None:
    for make in makers(game):
        env = make()
        env.reset(seed=1)
        state = env.game_state
        for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
            step(twin, int(state.legal_actions()[0]))
            assert twin.game_state != state
            assert env.game_state == state


@every_game
def test_what_is_handed_out_can_be_changed(game: str) -> None:
    for make in makers(game):
        env = make()
        env.reset(seed=1)
        state = env.game_state
        mover = env.agents[state.seat]
        if hasattr(env, "observe"):
            env.observe(mover)["action_mask"][:] = 0
            env.infos[mover]["action_mask"][:] = 0
        env.state()[:] = 0
        env.game_state.apply(int(state.legal_actions()[0]))
        assert env.game_state == state
        step(env, int(state.legal_actions()[0]))
