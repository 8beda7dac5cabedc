"""The environment as Gymnasium and its users meet it; .ci/run runs this under 1.2 too."""

from __future__ import annotations

import re
import warnings
from itertools import pairwise
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gym_play import ID, declarer, first_legal, make, play, random_action, same
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.utils.env_checker import check_env

import mhing
from mhing.env import CardGameEnv

# ---- Gymnasium's own checks ------------------------------------------------------------------


@pytest.mark.parametrize(
    "keywords",
    [
        {},
        {"obs_mode": "dict"},
        {"num_players": 2, "rules": "jmhing", "hints": True},
        {"num_players": 6, "seat": 5, "opponents": "random", "illegal_action": "random"},
        {
            "episode": "game",
            "target": 20,
            "reward": "points",
            "opponents": ["random", first_legal, "greedy"],
        },
        {"episode": "game", "scoring": "chips", "rounds": 3, "reward": "chips"},
    ],
    ids=lambda keywords: "-".join(keywords) or "default",
)
def test_check_env_has_nothing_to_say(keywords: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(make(**keywords))


def test_bare_id_works_after_the_import() -> None:
    assert isinstance(gym.make("Mhing-v0").unwrapped, CardGameEnv)


def test_spec_survives_json() -> None:
    env = gym.make(ID, num_players=3, rules={"preset": "jmhing", "target": 100})
    spec = gym.envs.registration.EnvSpec.from_json(env.spec.to_json())
    assert gym.make(spec).unwrapped.game == env.unwrapped.game


def test_spaces_follow_the_table() -> None:
    env = make(hints=True)
    space, game = env.observation_space, env.game
    assert env.action_space.n == game.num_actions
    assert space.shape == (game.observation_size,)
    assert space.dtype == np.uint8
    for name, bounds in game.unpack(space.high).items():
        field = next(field for field in game.observation_fields if field.name == name)
        assert (bounds == field.high).all(), name
    assert set(make(obs_mode="dict").observation_space) == {"observation", "action_mask"}


@pytest.mark.parametrize("keywords", [{}, {"obs_mode": "dict"}, {"hints": True, "num_players": 6}])
def test_observations_lie_in_their_space(keywords: dict[str, Any]) -> None:
    env = make(opponents="random", **keywords)
    for seed in range(3):
        for observation, _, info in play(env, seed):
            assert observation in env.observation_space
            assert info["action_mask"].dtype == np.int8
            if keywords.get("obs_mode") == "dict":
                assert np.array_equal(observation["action_mask"], info["action_mask"])


def test_observations_are_fresh_copies() -> None:
    steps = play(make(), seed=5)
    for (before, _, info), (after, _, next_info) in pairwise(steps):
        assert not np.shares_memory(before, after)
        assert not np.shares_memory(info["action_mask"], next_info["action_mask"])
    assert same(steps, play(make(), seed=5))


def test_vectorised_by_gymnasium() -> None:
    envs = gym.make_vec(ID, num_envs=3, vectorization_mode="sync", opponents="random")
    _, infos = envs.reset(seed=7)
    for _ in range(50):
        actions = envs.action_space.sample(mask=tuple(infos["action_mask"]))
        _, _, _, _, infos = envs.step(actions)
        assert infos["action_mask"].shape == (3, envs.single_action_space.n)
        assert "illegal_action" not in infos
    envs.close()


def test_wrappers() -> None:
    env = gym.wrappers.RecordEpisodeStatistics(gym.make(ID, obs_mode="dict"))
    env = gym.wrappers.FlattenObservation(env)
    observation, info = env.reset(seed=1)
    assert observation.shape == env.observation_space.shape
    assert np.array_equal(env.get_wrapper_attr("action_masks")(), info["action_mask"] == 1)
    steps = play(env, seed=1)
    assert steps[-1][2]["episode"]["r"] == pytest.approx(sum(reward for _, reward, _ in steps))


# ---- Seeds -----------------------------------------------------------------------------------


@pytest.mark.parametrize("opponents", ["random", "greedy", first_legal])
def test_same_seed_same_episodes(opponents: Any) -> None:
    a, b = make(opponents=opponents), make(opponents=opponents)
    assert same(play(a, seed=11), play(b, seed=11))
    second = play(a)
    assert same(second, play(b)), "without a seed the sequence continues"
    assert not same(second, play(a, seed=11)), "it does not start again"
    assert same(play(a), second)


def test_the_environment_names_the_seed_that_repeats_an_episode() -> None:
    env = make(opponents="random")
    play(env, seed=3)
    episode = play(env)
    assert same(episode, play(make(opponents="random"), seed=env.episode_seed))


def test_without_any_seed_episodes_differ() -> None:
    assert not same(play(make()), play(make()))


def test_who_never_looks_at_the_mask_is_warned_once() -> None:
    envs: list[Any] = [make(), gym.make_vec(ID, num_envs=2, autoreset_mode="same_step")]
    for env, actions in zip(envs, (-1, [-1, -1]), strict=True):
        env.reset(seed=1)
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            for _ in range(20):
                env.step(actions)
                if actions == -1:
                    env.reset()
        (warning,) = warned
        assert re.search(r"[56] episodes in a row .* illegal", str(warning.message))
    for illegal in ("terminate", "random"):
        env = make(illegal_action=illegal)
        for episode in range(20):
            _, info = env.reset(seed=episode)
            over = False
            while not over:
                bad = illegal == "random" or episode % 5
                action = -1 if bad else int(info["action_mask"].argmax())
                _, _, over, _, info = env.step(action)


def test_any_64_bit_seed() -> None:
    env = make(seed_info=True)
    for seed in (0, 2**63 - 1, 2**63, 2**64 - 1, np.uint64(12)):
        seed_info = env.reset(seed=seed)[1]["seed"]
        assert type(seed_info) is int
        assert np.int64(seed_info).astype(np.uint64) == seed
        state = env.state
        assert env.reset(seed=seed_info)[1]["seed"] == seed_info
        assert env.state == state
    for seed in (-(2**63) - 1, 2**64):
        with pytest.raises(ValueError, match="seed"):
            env.reset(seed=seed)
    for seed in (1.0, "1", True):
        with pytest.raises(TypeError, match="seed"):
            env.reset(seed=seed)


def test_learner_sits_everywhere_by_default() -> None:
    env = make(num_players=3)
    assert {env.reset(seed=seed)[1]["seat"] for seed in range(30)} == {0, 1, 2}
    fixed = make(num_players=3, seat=2)
    assert {fixed.reset(seed=seed)[1]["seat"] for seed in range(10)} == {2}


# ---- Options of reset ------------------------------------------------------------------------


def test_seat_for_one_episode() -> None:
    env = make(seat=0, seed_info=True)
    episodes = [play(env, seed=4)[0][2]]
    episodes += [play(env, options={"seat": seat})[0][2] for seat in range(4)]
    episodes.append(play(env)[0][2])
    assert [info["seat"] for info in episodes] == [0, 0, 1, 2, 3, 0]
    plain = make(seat=0, seed_info=True)
    seeds = [plain.reset(seed=4 if i == 0 else None)[1]["seed"] for i in range(6)]
    assert [info["seed"] for info in episodes] == seeds, "the sequence of seeds is the same"


def test_deck_for_one_episode() -> None:
    env = make(seat=0, dealer=0)
    deck = np.random.default_rng(1).permutation(_cards(env.game))
    one, two = (play(env, seed, {"deck": deck}) for seed in (1, 2))
    hands = [env.unpack(steps[0][0])["hand"] for steps in (one, two)]
    assert np.array_equal(*hands)
    texts = [env.game.labels["cards"][card] for card in deck]
    assert same(play(env, 1, {"deck": texts}), play(env, 1, {"deck": deck}))
    bottom = texts[-20:]
    for seat in range(4):
        env.reset(seed=1, options={"deck": deck, "seat": seat})
        assert env.state.to_dict()["source"][-20:] == bottom


def won_at_once(game: mhing.Game) -> list[int]:
    """A deck with which seat 0, the dealer, has a complete hand before anybody else is asked."""
    cards = ["1s", "2s", "3s", "4s", "5s", "6s", "7s", "8s", "9s", "5p", "5p", "E", "E"]
    top = [game.labels["cards"].index(card) for card in cards]
    rest = sorted(_cards(game).tolist())
    for card in top:
        rest.remove(card)
    drawn = rest.index(top[-1])
    first_draw = len(top) * (game.num_seats - 1)
    rest.insert(first_draw, rest.pop(drawn))
    return top + rest


@pytest.mark.parametrize("opponents", ["greedy", declarer])
def test_episodes_over_before_the_learner_is_asked_are_skipped(opponents: Any) -> None:
    env = make(seat=1, dealer=0, opponents=opponents)
    _, info = env.reset(seed=1, options={"deck": won_at_once(env.game)})
    assert env.episode_seed != 1
    assert info["winner"] == -1
    assert not env.state.is_terminal


@pytest.mark.parametrize("opponents", ["greedy", declarer])
def test_what_is_earned_before_the_first_decision_counts(opponents: Any) -> None:
    keywords = {"scoring": "chips", "episode": "game", "reward": "chips", "rounds": 2}
    env = make(seat=1, dealer=0, opponents=opponents, **keywords)
    steps = play(env, seed=1, options={"deck": won_at_once(env.game)})
    start = steps[0][2]
    assert start["winner"] == 0
    assert start["payments"][1] < 0
    assert sum(step[1] for step in steps) == env.state.returns()[1]


def _cards(game: mhing.Game) -> np.ndarray:
    """Every card of the game by type, taken from the table at the start of an episode."""
    table = game.new_state(seed=0).to_dict()
    rows = [table["source"], *table["hands"], *(["F"] * count for count in table["flowers"])]
    index = game.labels["cards"].index
    return np.array([index(card) for row in rows for card in row])


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"seats": 1}, ValueError, "'seats' is unknown"),
        ({"seat": 4}, ValueError, "seat: 4"),
        ({"seat": "north"}, TypeError, "seat: 'north'"),
        ({"deck": [1, 2]}, ValueError, "deck: 2 cards"),
        ({"deck": [35] * 150}, ValueError, "deck"),
        ({"deck": [-1] * 150}, ValueError, "deck: -1"),
        ({"deck": ["5s"]}, ValueError, "deck: 1 cards"),
        ({"deck": ["5s", "5z"]}, ValueError, "deck: '5z' at place 1 is no card; the cards are 1s"),
        ({"deck": [0.5]}, TypeError, "deck: 0.5"),
    ],
)
def test_bad_reset_options(options: Any, error: type[Exception], words: str) -> None:
    env = make()
    with pytest.raises(error, match=words):
        env.reset(seed=1, options=options)
    assert play(env, seed=1)


# ---- Keywords --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keywords", "error", "words"),
    [
        (
            {"oponents": "greedy"},
            TypeError,
            r"unexpected keyword argument 'oponents'; did you mean opponents\?",
        ),
        ({"num_players": 7}, ValueError, "num_players: '7'"),
        ({"num_players": "four"}, ValueError, "num_players: 'four'"),
        ({"num_players": 4.0}, TypeError, "num_players: 4.0"),
        ({"rules": "boxd"}, ValueError, "rules: 'boxd'"),
        ({"rules": {"preset": "boxed", "target": "x y"}}, ValueError, "target: 'x y'"),
        ({"rules": {"seven_pairs": True}, "seven_pairs": False}, ValueError, "seven_pairs"),
        ({"num_players": 5, "scoring": "chips"}, ValueError, "chips"),
        ({"reward": "money"}, ValueError, "reward: 'money'"),
        ({"episode": "match"}, ValueError, "episode: 'match'"),
        ({"seat": 4}, ValueError, "seat: 4 is not from 0 to 3"),
        ({"seat": 1.5}, TypeError, "seat: 1.5"),
        ({"illegal_action": "ignore"}, ValueError, "illegal_action: 'ignore'"),
        ({"obs_mode": "tuple"}, ValueError, "obs_mode: 'tuple'"),
        ({"opponents": "gready"}, ValueError, "gready.*random.*greedy"),
        ({"opponents": ["greedy"]}, ValueError, "opponents: 1 given for 3"),
        ({"opponents": 3}, TypeError, "opponents: 3"),
        ({"opponents": "onnx:nowhere.onnx"}, (ValueError, ModuleNotFoundError), "onnx"),
        ({"game": "chess"}, ValueError, "chess.*mhing"),
    ],
    ids=str,
)
def test_bad_keywords(keywords: dict[str, Any], error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        CardGameEnv(**keywords)


def test_unknown_render_mode() -> None:
    with pytest.raises(ValueError, match="render_mode: 'gif'"):
        CardGameEnv(render_mode="gif")


# ---- Steps, rewards and infos ----------------------------------------------------------------


@pytest.mark.parametrize("reward", ["credits", "points", "chips", "win"])
@pytest.mark.parametrize("opponents", ["greedy", ["greedy", first_legal, "random"]])
def test_rewards_sum_to_the_returns(reward: str, opponents: Any) -> None:
    env = make(
        episode="game", rounds=6, scoring="chips" if reward == "chips" else "points",
        reward=reward, opponents=opponents,
    )  # fmt: skip
    for seed in range(5):
        steps = play(env, seed)
        seat = steps[0][2]["seat"]
        assert sum(step[1] for step in steps) == pytest.approx(env.state.returns()[seat])


def test_points_of_a_game_sum_to_the_change_of_score() -> None:
    env = make(episode="game", target=0, rounds=20, reward="points", opponents=first_legal)
    for seed in range(3):
        steps = play(env, seed)
        last = steps[-1][2]
        assert sum(step[1] for step in steps) == last["scores"][last["seat"]]


def test_every_round_of_a_game_is_reported_once() -> None:
    env = make(episode="game", target=0, rounds=8)
    ends = [info for _, _, info in play(env, seed=2)[1:] if "winner" in info]
    assert [info["rounds_over"] for info in ends] == list(range(1, 9))
    for info in ends:
        assert info["parts"].dtype == np.int64
        assert info["parts"].shape == (len(env.game.labels["parts"]),)
        assert info["credits"] == info["parts"].sum()
        assert info["points"] == mhing.points(info["credits"])
        result = env.game.parts_text(info["parts"])
        named = [part.rpartition(" ") for part in result.split("; ")] if result else []
        numbers = {name: int(number) for name, _, number in named}
        assert [numbers.get(name, 0) for name in env.game.labels["parts"]] == info["parts"].tolist()
    scores = [info["points"] if info["winner"] == info["seat"] else 0 for info in ends]
    assert sum(scores) == ends[-1]["scores"][ends[-1]["seat"]]


def test_infos_always_hold_the_public_numbers() -> None:
    env = make()
    for _, _, info in play(env, seed=2):
        assert {"action_mask", "seat"} <= info.keys()
    assert info["action_mask"].all(), "at the end the mask is all ones"
    assert "winner" in info
    assert env.action_masks().all()
    assert len(env.legal_actions()) == 0


def test_masks_agree_with_the_state_and_the_space() -> None:
    env = make(num_players=2)
    env.action_space.seed(1)
    _, info = env.reset(seed=1)
    terminated = False
    while not terminated:
        state = env.state
        assert state.seat == info["seat"]
        assert np.array_equal(info["action_mask"], state.action_mask())
        assert np.array_equal(env.legal_actions(), state.legal_actions())
        assert env.action_masks().dtype == np.bool_
        action = env.action_space.sample(info["action_mask"])
        assert action in env.legal_actions()
        _, _, terminated, _, info = env.step(action)


def test_unpack_gives_views() -> None:
    env = make(obs_mode="dict")
    observation, _ = env.reset(seed=1)
    parts = env.unpack(observation)
    assert parts["hand"].sum() in (13, 14)
    assert np.shares_memory(parts["hand"], observation["observation"])
    assert np.array_equal(mhing.unpack(observation["observation"])["hand"], parts["hand"])


# ---- Illegal actions -------------------------------------------------------------------------

NONSENSE = [10**6, -1, 2**40]


@pytest.mark.parametrize("action", NONSENSE)
def test_illegal_action_terminates(action: int) -> None:
    env = make(opponents=first_legal)
    env.reset(seed=1)
    _, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert info["illegal_action"] is True
    assert info["action_mask"].all()
    assert "winner" not in info
    with pytest.raises(ResetNeeded):
        env.step(0)


@pytest.mark.parametrize("action", NONSENSE)
def test_illegal_action_raises(action: int) -> None:
    env = make(illegal_action="raise")
    _, info = env.reset(seed=1)
    before = env.state
    with pytest.raises(ValueError, match="action"):
        env.step(action)
    assert env.state == before
    env.step(random_action(info, np.random.default_rng(1)))


@pytest.mark.parametrize("action", NONSENSE)
def test_illegal_action_is_replaced(action: int) -> None:
    one, two = make(illegal_action="random"), make(illegal_action="random")
    for env in (one, two):
        env.reset(seed=1)
        _, _, _, _, info = env.step(action)
        assert info["illegal_action"] is True
    assert one.state == two.state


@pytest.mark.parametrize("action", [1.0, "pass", None, True, np.float32(2), np.array([1, 2])])
def test_actions_of_the_wrong_type(action: Any) -> None:
    env = make()
    _, info = env.reset(seed=1)
    with pytest.raises(TypeError, match="action"):
        env.step(action)
    env.step(np.int64(random_action(info, np.random.default_rng(1))))


# ---- The order of calls ----------------------------------------------------------------------


def test_step_needs_a_reset() -> None:
    env = make(render_mode="ansi")
    for use in (lambda: env.step(0), env.render, env.action_masks, env.legal_actions):
        with pytest.raises(ResetNeeded):
            use()
    play(env, seed=1)
    with pytest.raises(ResetNeeded, match="over"):
        env.step(0)


def test_a_closed_environment_says_so() -> None:
    env = make(render_mode="ansi")
    env.reset(seed=1)
    env.close()
    env.close()
    for use in (env.reset, lambda: env.step(0), env.render, env.action_masks, lambda: env.state):
        with pytest.raises(ClosedEnvironmentError):
            use()


def test_a_policy_that_fails_leaves_a_usable_environment() -> None:
    def fail(*_: Any) -> int:
        raise KeyError("lost")

    env = make(seat=0, dealer=1, opponents=fail)
    words = r"^opponent fail at seat 1 has raised KeyError$"
    with pytest.raises(RuntimeError, match=words) as caught:
        env.reset(seed=1)
    assert isinstance(caught.value.__cause__, KeyError)
    with pytest.raises(ResetNeeded):
        env.step(0)


# ---- Rendering -------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["ansi", "svg", "rgb_array", "human"])
def test_render(mode: str, capsys: pytest.CaptureFixture[str]) -> None:
    env = make(render_mode=mode)
    env.reset(seed=1)
    picture = env.render()
    if mode == "human":
        assert picture is None
        assert len(capsys.readouterr().out) > 100
    elif mode == "rgb_array":
        assert picture.dtype == np.uint8
        assert picture.ndim == 3
        assert picture.shape[-1] == 3
    else:
        assert isinstance(picture, str)
        assert picture.startswith("<svg") == (mode == "svg")


def test_render_without_a_mode_warns() -> None:
    env = make()
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None


def test_render_lists() -> None:
    env = gym.make(ID, render_mode="rgb_array_list")
    play(env, seed=1)
    assert len({frame.shape for frame in env.render()}) == 1
