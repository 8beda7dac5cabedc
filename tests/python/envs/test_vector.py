"""The native vector environment: the same as Gymnasium's own one over single environments."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector as wrappers
from same import assert_same
from vectors import ID, MODES, make

import mhing
from mhing.vector import CardGameVectorEnv


def make_sync(num_envs: int, mode: str, **keywords: Any) -> SyncVectorEnv:
    """Gymnasium's vector environment of single ones."""
    return gym.make_vec(
        ID,
        num_envs=num_envs,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": AutoresetMode[mode.upper()]},
        seed_info=True,
        **keywords,
    )


def random_actions(masks: np.ndarray, rng: np.random.Generator, nonsense: float) -> np.ndarray:
    actions = [int(rng.choice(np.flatnonzero(mask))) for mask in masks]
    wrong = rng.random(len(masks)) < nonsense
    return np.where(wrong, rng.integers(-1, masks.shape[1] + 1, len(masks)), actions)


SETTINGS: list[dict[str, Any]] = [
    {},
    {"opponents": "random", "obs_mode": "dict", "num_players": 3, "hints": True},
    {"opponents": ["random", "greedy"], "num_players": 3, "seat": 2, "episode": "game",
     "target": 8, "reward": "points", "illegal_action": "random"},
    {"episode": "game", "scoring": "chips", "reward": "chips", "rounds": 2, "obs_mode": "dict"},
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*episodes in a row")  # a part of the actions is illegal
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("keywords", SETTINGS, ids=lambda keywords: "-".join(keywords) or "default")
def test_equal_to_gymnasiums_own(mode: str, keywords: dict[str, Any]) -> None:
    """All that reset and step return, row by row, with some illegal actions among the others."""
    rows, rng = 5, np.random.default_rng(1)
    ours = make(rows, autoreset_mode=mode, **keywords)
    theirs = make_sync(rows, mode, **keywords)
    assert ours.single_observation_space == theirs.single_observation_space
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert ours.autoreset_mode is theirs.metadata["autoreset_mode"]
    mine, other = ours.reset(seed=11), theirs.reset(seed=11)
    assert_same(mine, other)
    ends = 0
    for _ in range(250):
        actions = random_actions(ours.action_masks(), rng, nonsense=0.01)
        mine, other = ours.step(actions), theirs.step(actions)
        assert_same(mine[0], other[0], "observations")
        assert np.array_equal(mine[1], other[1])
        assert mine[1].dtype == np.float32
        for i in (2, 3, 4):
            assert_same(mine[i], other[i], str(i))
        over = mine[2]
        ends += over.sum()
        if mode == "disabled" and over.any():
            seeds = [None, 5, None, 7, 9] if ends % 2 else None
            mine = ours.reset(seed=seeds, options={"reset_mask": over})
            assert_same(mine, theirs.reset(seed=seeds, options={"reset_mask": over}))
    assert ends > 5, "the test has seen some ends"
    assert_same(ours.reset(), theirs.reset())
    assert_same(ours.reset(seed=[3, None, 5, None, 1]), theirs.reset(seed=[3, None, 5, None, 1]))


def play(envs: CardGameVectorEnv, steps: int = 200, seed: Any = 3) -> Iterator[tuple[Any, ...]]:
    """Resets, then steps with the core's own random actions."""
    observations, infos = envs.reset(seed=seed)
    yield observations, infos
    for _ in range(steps):
        yield envs.step(envs.sample_actions())


def rows_of(result: Any, rows: Any) -> Any:
    """The same lines of every array in nested results, entries that no line has left out."""
    if isinstance(result, dict):
        picked = {key: rows_of(value, rows) for key, value in result.items()}
        names = [key for key in picked if f"_{key}" not in picked or picked[f"_{key}"].any()]
        return {key: value for key, value in picked.items() if key.removeprefix("_") in names}
    if isinstance(result, tuple):
        return tuple(rows_of(part, rows) for part in result)
    return result[rows]


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
@pytest.mark.parametrize("opponents", ["greedy", "self", ["self", "random", "greedy"]])
def test_a_row_does_not_depend_on_the_others(mode: str, opponents: Any) -> None:
    keywords = {"autoreset_mode": mode, "opponents": opponents}
    many, one = make(100, **keywords), make(1, **keywords)
    for whole, single in zip(play(many), play(one, seed=3 + 41), strict=True):
        assert_same(rows_of(whole, slice(41, 42)), single)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["next_step", "same_step"])
@pytest.mark.parametrize("opponents", ["random", "self"])
def test_threads_change_nothing(mode: str, opponents: str) -> None:
    batches = [
        play(make(7, num_threads=threads, autoreset_mode=mode, opponents=opponents))
        for threads in (1, 2, 3, 20)
    ]
    for one, *others in zip(*batches, strict=True):
        for other in others:
            assert_same(other, one)


# ---- Several seats of the caller's -----------------------------------------------------------


CHIPS: dict[str, Any] = {"episode": "game", "scoring": "chips", "reward": "chips", "rounds": 2}


@pytest.mark.parametrize("mode", MODES)
def test_self_play_is_the_game_of_its_states(mode: str) -> None:
    """Seats, masks, observations, rewards and ends against states that get the same actions."""
    rows = 4
    envs = make(rows, opponents="self", autoreset_mode=mode, **CHIPS)
    observations, infos = envs.reset(seed=5)
    states = [envs.game.new_state(seed) for seed in infos["seed"].tolist()]
    reported = np.zeros((rows, 4))
    ends, fresh = 0, np.zeros(rows, bool)
    for _ in range(1500):
        for row, state in enumerate(states):
            if not state.is_terminal:
                assert infos["seat"][row] == state.seat
                assert np.array_equal(observations[row], state.observation())
                assert np.array_equal(infos["action_mask"][row], state.action_mask())
        actions = envs.sample_actions()
        for state, action, skip in zip(states, actions.tolist(), fresh, strict=True):
            if not skip:
                state.apply(action)
        observations, rewards, terminated, _, infos = envs.step(actions)
        assert [state.is_terminal for state in states] == (terminated | fresh).tolist()
        assert ("seat_rewards" in infos) == terminated.any()
        for row, state in enumerate(states):
            if not terminated[row]:
                reported[row, infos["seat"][row]] += rewards[row]
                continue
            ends += 1
            last, seen = infos["seat_rewards"][row], infos["final_obs"][row]
            assert reported[row] + last == pytest.approx(state.returns())
            assert all(np.array_equal(seen[seat], state.observation(seat)) for seat in range(4))
            assert rewards[row] in last
            reported[row] = 0
        started = terminated if mode == "same_step" else fresh
        if mode == "disabled" and terminated.any():
            observations, _ = envs.reset(options={"reset_mask": terminated})
            started, (_, infos) = terminated, envs.observe()
        for row in np.flatnonzero(started):
            states[row] = envs.game.new_state(infos["seed"][row])
        fresh = terminated & (mode == "next_step")
    assert ends > 5


@pytest.mark.parametrize("mode", ["next_step", "disabled"])
@pytest.mark.parametrize("opponents", [["greedy", "self", "random"], ["self", "greedy", "self"]])
def test_nobodys_reward_is_lost(mode: str, opponents: list[str]) -> None:
    rows = 6
    envs = make(rows, opponents=opponents, autoreset_mode=mode, **CHIPS)
    _, infos = envs.reset(seed=5)
    players = np.array(["self", *opponents])
    reported, own, ends = np.zeros((rows, 4)), infos["seat"].copy(), 0
    for _ in range(400):
        _, rewards, terminated, _, infos = envs.step(envs.sample_actions())
        for row in np.flatnonzero(~terminated):
            reported[row, infos["seat"][row]] += rewards[row]
        for row in np.flatnonzero(terminated):
            ends += 1
            own = infos["seat"][row]
            assert rewards[row] == infos["seat_rewards"][row, own]
            state = envs.state(row)
            assert reported[row] + infos["seat_rewards"][row] == pytest.approx(state.returns())
            assert not reported[row, players[(np.arange(4) - own) % 4] != "self"].any()
            reported[row] = 0
        if mode == "disabled" and terminated.any():
            envs.reset(options={"reset_mask": terminated})
    assert ends > 5


def test_an_illegal_action_ends_the_row_for_all_seats() -> None:
    envs = make(3, opponents="self", autoreset_mode="same_step")
    _, infos = envs.reset(seed=1)
    seat = infos["seat"][1]
    actions = envs.sample_actions()
    actions[1] = -1
    _, _, terminated, _, infos = envs.step(actions)
    assert terminated.tolist() == [False, True, False]
    assert infos["seat_rewards"][1, seat] == -1
    assert infos["final_info"]["illegal_action"].tolist() == [False, True, False]
    assert "illegal_action" not in infos


# ---- Actions drawn in the core ---------------------------------------------------------------


def test_sampled_actions_are_legal_and_repeatable() -> None:
    envs, twin = make(20, opponents="random"), make(20, opponents="random", num_threads=2)
    envs.reset(seed=1)
    twin.reset(seed=1)
    for _ in range(100):
        masks, actions = envs.action_masks(), envs.sample_actions()
        assert actions.dtype == np.int32
        assert masks[np.arange(20), actions].all()
        assert np.array_equal(actions, twin.sample_actions())
        envs.step(actions)
        twin.step(actions)


def test_logits_and_probabilities() -> None:
    rows = 4000
    envs = make(rows)
    for seed in (1, 10_000):
        envs.reset(seed=seed)
        masks = envs.action_masks()
        best = np.argmax(masks, axis=1)
        weights = np.zeros(masks.shape)
        weights[np.arange(rows), best] = 3
        assert np.array_equal(envs.sample_actions(probabilities=weights), best)
        assert np.array_equal(envs.sample_actions(logits=np.where(weights, 0, -np.inf)), best)
        second = masks.shape[1] - 1 - np.argmax(masks[:, ::-1], axis=1)
        weights[np.arange(rows), second] = 1
        share = (envs.sample_actions(probabilities=weights) == best).mean()
        assert share == pytest.approx(0.75, abs=0.03)
        with np.errstate(divide="ignore"):
            share = (envs.sample_actions(logits=np.log(weights) + 7) == best).mean()
        assert share == pytest.approx(0.75, abs=0.03)


# ---- Rows ------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_rows_are_saved_loaded_and_copied(mode: str) -> None:
    """Whatever happened in a row, after load and copy it continues exactly like the first one."""
    envs = make(4, opponents=["self", "random", "greedy"], autoreset_mode=mode, **CHIPS)
    other = make(2, opponents=["self", "random", "greedy"], autoreset_mode=mode, **CHIPS)
    envs.reset(seed=1)
    other.reset(seed=50)
    ends = 0
    for _ in range(300):
        _, _, terminated, _, _ = envs.step(envs.sample_actions())
        envs.copy_row(0, 2)
        other.load(1, envs.save(0))
        observations, infos = envs.observe()
        assert np.array_equal(observations[0], observations[2])
        assert infos["seed"][0] == infos["seed"][2] == other.observe()[1]["seed"][1]
        assert envs.state(0) == envs.state(2) == other.state(1)
        ends += terminated[0]
        if mode == "disabled" and (over := terminated | terminated[0]).any():
            envs.reset(options={"reset_mask": over})
            other.reset()
            other.load(1, envs.save(0))
            envs.copy_row(0, 2)
        actions = envs.sample_actions()
        assert actions[0] == actions[2]
        mine = envs.step(actions)
        theirs = other.step(np.array([other.sample_actions()[0], actions[0]]))
        assert_same(rows_of(mine, slice(0, 1)), rows_of(mine, slice(2, 3)))
        assert_same(rows_of(mine, slice(0, 1)), rows_of(theirs, slice(1, 2)))
        if mode == "disabled":
            for batch, result in ((envs, mine), (other, theirs)):
                if result[2].any():
                    batch.reset(options={"reset_mask": result[2]})
    assert ends > 0


def test_an_over_row_is_loaded_as_such() -> None:
    envs = make(2, autoreset_mode="disabled", seat=0)
    envs.reset(seed=1)
    snapshot = envs.save(0)
    envs.step([-1, int(np.argmax(envs.action_masks()[1]))])
    over = envs.save(0)
    envs.load(0, snapshot)
    envs.step(envs.sample_actions())
    envs.load(1, over)
    with pytest.raises(ResetNeeded, match="row 1"):
        envs.step([0, 0])


def test_states_of_rows() -> None:
    envs = make(3, opponents="random")
    observations, infos = envs.reset(seed=1)
    for row in range(3):
        state = envs.state(row)
        assert state.seat == infos["seat"][row]
        assert np.array_equal(state.observation(), observations[row])
        state.apply(state.legal_actions()[0])
        assert state != envs.state(row), "it is a copy"


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_omniscient(mode: str) -> None:
    """Row by row what the row's state tells, also where an episode has just begun or ended."""
    envs = make(8, opponents="random", autoreset_mode=mode, num_players=3, num_threads=3)
    out = np.zeros((8, envs.game.omniscient_size), np.uint8)
    ends = 0
    for result in play(envs, 150):
        assert envs.omniscient(out) is out
        assert np.array_equal(out, [envs.state(row).omniscient() for row in range(8)])
        ends += result[2].sum() if len(result) > 2 else 0
    assert ends > 5, "the test has seen some ends"
    assert envs.game.unpack_omniscient(out)["hands"].shape == (8, 3, 35)
    fresh = envs.omniscient()
    assert np.array_equal(fresh, out)
    assert not np.shares_memory(fresh, envs.omniscient())


def test_unpack() -> None:
    envs = make(5, obs_mode="dict")
    observations, _ = envs.reset(seed=1)
    hands = envs.unpack(observations)["hand"]
    assert hands.shape[0] == 5
    assert set(hands.sum(axis=-1).ravel().tolist()) <= {13, 14}


# ---- Copies ----------------------------------------------------------------------------------


def test_copies_are_fresh() -> None:
    results = list(play(make(4, autoreset_mode="same_step"), steps=30))
    arrays = [array for result in results for array in arrays_in(result)]
    for before, after in pairwise(results):
        for array in arrays_in(after):
            assert not any(np.shares_memory(array, old) for old in arrays_in(before))
    assert arrays


def test_whatever_is_left_of_a_copy_stays_as_it_was() -> None:
    kept, addresses = [], set()
    for number, result in enumerate(play(make(4), steps=60)):
        observations, masks = result[0], result[-1]["action_mask"]
        addresses.add(observations.ctypes.data)
        if number < 10:
            parts = (observations[1, 5:], memoryview(masks)[2:], masks[:, ::2].T)
            kept += [(part, np.array(part)) for part in parts]
    assert len(addresses) < 20, "memory that nobody has is used again"
    for part, before in kept:
        np.testing.assert_array_equal(np.asarray(part), before)


@pytest.mark.parametrize("opponents", ["self", lambda _, mask, info: int(mask.argmax())])
@pytest.mark.parametrize("obs_mode", ["flat", "dict"])
def test_writing_to_a_copy_changes_nothing_that_comes_later(obs_mode: str, opponents: Any) -> None:
    keywords = {"obs_mode": obs_mode, "autoreset_mode": "same_step", "opponents": opponents}
    written, untouched = make(3, **keywords), make(3, **keywords)
    some = np.array([True, False, True])

    def calls(envs: Any) -> Iterator[Any]:
        yield envs.reset(seed=5)
        for _ in range(30):
            yield envs.action_masks()
            yield envs.step(envs.sample_actions())
            yield envs.observe()
            yield envs.step_rows(some, envs.sample_actions()[some])
            yield envs.step(envs.sample_actions())
            yield envs.reset(options={"reset_mask": some})
            yield envs.step(envs.sample_actions())
            envs.copy_row(0, 1)
            envs.load(2, envs.save(0))
            yield envs.observe()
            yield np.array(envs.words())

    for ours, theirs in zip(calls(written), calls(untouched), strict=True):
        assert_same(ours, theirs)
        for array in arrays_in(ours):
            if array.dtype.kind != "U":
                array.fill(1)


def arrays_in(result: Any) -> list[np.ndarray]:
    """All arrays of numbers in nested results."""
    if isinstance(result, dict | tuple):
        parts = result.values() if isinstance(result, dict) else result
        return [array for part in parts for array in arrays_in(part)]
    if result.dtype == object:
        return [array for part in result if isinstance(part, np.ndarray) for array in [part]]
    return [result]


@pytest.mark.parametrize("obs_mode", ["flat", "dict"])
def test_without_copies_the_arrays_are_the_batchs_own(obs_mode: str) -> None:
    keywords = {"obs_mode": obs_mode, "autoreset_mode": "same_step", "opponents": "self"}
    fresh, own = play(make(9, **keywords)), play(make(9, copy=False, **keywords))
    first: list[np.ndarray] = []
    for copied, aliased in zip(fresh, own, strict=True):
        assert_same(aliased, copied)
        observations, infos = aliased[0], aliased[-1]
        if obs_mode == "dict":
            assert observations["action_mask"] is infos["action_mask"]
            observations = observations["observation"]
        arrays = [observations, infos["action_mask"]]
        first = first or arrays
        assert all(a is b for a, b in zip(arrays, first, strict=True))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("threads", [1, 3])
def test_last_observations_without_copies_are_of_this_step(mode: str, threads: int) -> None:
    """``final_obs`` is an array that steps use again: it holds nothing of those before."""
    envs = make(40, opponents="self", autoreset_mode=mode, copy=False, num_threads=threads)
    seen: set[int] = set()
    ends = 0
    for result in play(envs, 300):
        if len(result) == 2:
            continue
        terminated, infos = result[2], result[4]
        ended = np.flatnonzero(terminated)
        assert ("final_obs" in infos) == (len(ended) > 0)
        if len(ended):
            last = infos["final_obs"]
            assert [row for row in range(40) if last[row] is not None] == ended.tolist()
            assert not np.shares_memory(last[ended[0]], result[0])
            seen.add(id(last))
            ends += len(ended)
        if mode == "disabled" and len(ended):
            envs.reset(options={"reset_mask": terminated.copy()})
    assert ends > 40
    assert len(seen) == 1, "the array is the same one"


def test_own_actions_may_be_changed_before_the_step() -> None:
    own, fresh = (make(6, opponents="random", copy=copy) for copy in (False, True))
    own.reset(seed=1)
    fresh.reset(seed=1)
    first, others = own.sample_actions(), fresh.sample_actions()
    for turn in range(50):
        mine, theirs = own.sample_actions(), fresh.sample_actions()
        assert mine is first
        assert theirs is not others
        assert np.array_equal(mine, theirs)
        if turn % 5 == 4:
            mine[turn % 6] = theirs[turn % 6] = -1
        assert_same(own.step(mine), fresh.step(theirs))
        other = own.action_masks().argmax(axis=1)
        assert_same(own.step(other), fresh.step(other))


# ---- Gymnasium's wrappers --------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_record_episode_statistics(mode: str) -> None:
    envs = wrappers.RecordEpisodeStatistics(make(4, autoreset_mode=mode))
    _, infos = envs.reset(seed=1)
    returns, ends = np.zeros(4), 0
    for _ in range(150):
        actions = envs.action_space.sample(mask=tuple(infos["action_mask"]))
        _, rewards, terminated, _, infos = envs.step(actions)
        returns += rewards
        for row in np.flatnonzero(terminated):
            assert infos["episode"]["r"][row] == pytest.approx(returns[row])
            returns[row], ends = 0, ends + 1
        if mode == "disabled" and terminated.any():
            envs.reset(options={"reset_mask": terminated})
            _, infos = envs.unwrapped.observe()
    assert ends > 2
    assert len(envs.return_queue) == ends


@pytest.mark.parametrize(
    ("wrap", "modes"),
    [
        (lambda envs: wrappers.DtypeObservation(envs, np.float32), ["next_step", "disabled"]),
        (wrappers.FlattenObservation, ["next_step", "disabled"]),
        (wrappers.NormalizeReward, MODES),
        (lambda envs: wrappers.ClipReward(envs, -1, 1), MODES),
        (wrappers.DictInfoToList, MODES),
        (wrappers.NormalizeObservation, ["next_step"]),
    ],
    ids=["DtypeObservation", "FlattenObservation", "NormalizeReward", "ClipReward",
         "DictInfoToList", "NormalizeObservation"],
)  # fmt: skip
def test_wrappers(wrap: Callable[[Any], Any], modes: list[str]) -> None:
    for mode in modes:
        keywords = {"obs_mode": "dict"} if wrap is wrappers.FlattenObservation else {}
        envs = wrap(make(3, autoreset_mode=mode, **keywords))
        envs.reset(seed=1)
        for _ in range(60):
            _, _, terminated, _, _ = envs.step(envs.unwrapped.sample_actions())
            if mode == "disabled" and terminated.any():
                envs.reset(options={"reset_mask": terminated})


# ---- make_vec --------------------------------------------------------------------------------


def test_make_vec() -> None:
    keywords: dict[str, Any] = {
        "num_threads": 2, "copy": False, "autoreset_mode": "same_step",
        "opponents": ["greedy", "self"], "seat": 1, "illegal_action": "random",
        "obs_mode": "dict", "render_mode": "ansi", "num_players": 3,
        "rules": {"preset": "jmhing", "target": 50}, "episode": "game",
    }  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        envs = make(8, **keywords)
    assert envs.num_envs == 8
    assert envs.num_threads == 2
    assert envs.game == mhing.Game(num_players=3, rules=keywords["rules"], episode="game")
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    observations, _ = envs.reset(seed=1)
    assert observations in envs.observation_space
    spec = gym.envs.registration.EnvSpec.from_json(envs.spec.to_json())
    again = gym.make_vec(spec)
    assert_same(again.reset(seed=1), (observations, envs.observe()[1]))
    assert repr(envs).startswith("CardGameVectorEnv(Mhing-v0, num_envs=8")


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["sync", "async"])
def test_gymnasiums_own_vectorisation_is_still_there(mode: str) -> None:
    envs = gym.make_vec(ID, num_envs=8, vectorization_mode=mode, opponents="random")
    _, infos = envs.reset(seed=1)
    envs.step(envs.action_space.sample(mask=tuple(infos["action_mask"])))
    envs.close()


@pytest.mark.parametrize("mode", [*MODES, *AutoresetMode])
def test_autoreset_modes(mode: Any) -> None:
    envs = make(autoreset_mode=mode)
    assert isinstance(envs.autoreset_mode, AutoresetMode)
    assert envs.metadata["autoreset_mode"] is envs.autoreset_mode


def test_every_game_has_one() -> None:
    for game in mhing.games():
        envs = gym.make_vec(f"mhing:{mhing.environment_id(game)}", num_envs=2)
        assert isinstance(envs, CardGameVectorEnv)
        assert envs.game.id == game


def test_seeds() -> None:
    envs = make(3)
    for seed in (7, np.int64(7), [7, 8, 9], (7, 8, 9), np.array([7, 8, 9], np.uint64)):
        assert envs.reset(seed=seed)[1]["seed"].tolist() == [7, 8, 9]
    envs = make(3, opponents="self")
    for seed in ([2**63, 2**64 - 1, 2**63 - 1], [-(2**63), -1, 2**63 - 1]):
        seeds = envs.reset(seed=seed)[1]["seed"]
        assert seeds.dtype == np.int64
        assert seeds.tolist() == [-(2**63), -1, 2**63 - 1]
        states = [envs.state(row) for row in range(3)]
        assert states == [envs.game.new_state(number) for number in seed]
    assert not np.array_equal(make().reset()[1]["seed"], make().reset()[1]["seed"])


def test_actions_of_any_whole_type() -> None:
    results = []
    for kind in (np.int8, np.int32, np.int64, np.uint64, list, tuple, "strided"):
        envs = make(3, seat=0, dealer=0)
        envs.reset(seed=1)
        actions = envs.action_masks().argmax(axis=1)
        if kind == "strided":
            actions = np.repeat(actions, 2)[::2]
        else:
            actions = kind(actions) if kind in (list, tuple) else actions.astype(kind)
        results.append(envs.step(actions))
    for result in results[1:]:
        assert_same(result, results[0])


# ---- Rendering -------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["ansi", "svg", "rgb_array"])
def test_render(mode: str) -> None:
    envs = make(2, render_mode=mode)
    single = gym.make(ID, render_mode=mode)
    envs.reset(seed=1)
    frames = envs.render()
    assert len(frames) == 2
    for row, frame in enumerate(frames):
        single.reset(seed=1 + row)
        assert np.array_equal(frame, single.render())


def test_render_without_a_mode_warns() -> None:
    envs = make()
    envs.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert envs.render() is None
