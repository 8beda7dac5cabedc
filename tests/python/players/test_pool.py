"""Pools: who is drawn, what is told back, and opponents that change."""

from __future__ import annotations

import copy
import math
import weakref
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import mhing
from mhing.players import Met, Pool, lineups
from mhing.players.seating import seat
from mhing.vector import CardGameVectorEnv


def first_legal(observation: Any, mask: Any, info: Any) -> int:
    return int(mask.argmax())


def rows(opponents: Any, num_envs: int = 64, game: str = "leduc", **more: Any) -> CardGameVectorEnv:
    envs = CardGameVectorEnv(num_envs, game=game, opponents=opponents, **more)
    envs.reset(seed=1)
    return envs


def play(envs: CardGameVectorEnv, steps: int) -> None:
    for _ in range(steps):
        envs.step(envs.sample_actions())


# ---- Who is drawn ----------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["same_step", "next_step"])
def test_an_episode_has_one_member_by_its_seed(mode: str) -> None:
    """Row by row and step by step it is the environment whose opponent is that member."""
    given: dict[str, Any] = {"game": "mhing", "autoreset_mode": mode, "num_envs": 16}
    mixed = rows(Pool(["greedy", "random", first_legal]), num_threads=2, **given)
    alone = {
        "greedy": rows("greedy", **given),
        "random": rows("random", **given),
        "first_legal": rows(first_legal, **given),
    }
    assert {*mixed.members} == {*alone}
    in_first = np.ones(16, bool)
    for _ in range(200):
        for row in in_first.nonzero()[0]:
            other = alone[mixed.members[row]]
            assert mixed.state(row) == other.state(row)
        _, _, ended, _, _ = mixed.step(mixed.sample_actions())
        for envs in alone.values():
            envs.step(envs.sample_actions())
        in_first &= ~ended
    assert not in_first.any()


def test_a_single_environment_is_a_row_of_many() -> None:
    pool, other = (Pool(["greedy", "random", first_legal]) for _ in range(2))
    envs = rows(pool, 8, "mhing", autoreset_mode="next_step")
    singles = [gym.make("mhing:Mhing-v0", opponents=other).unwrapped for _ in range(8)]
    for row, single in enumerate(singles):
        assert isinstance(single, mhing.env.CardGameEnv)
        for _ in range(4):  # the next episodes of the sequence as well
            single.reset(seed=1 + row)
            assert single.member == envs.members[row]
            assert single.state == envs.state(row)
    for single in singles:
        single.reset(seed=99)
        over = False
        while not over:
            _, _, over, _, _ = single.step(int(single.legal_actions()[-1]))
    assert sum(met.episodes for met in other.report().values()) == 8


def test_shares_follow_the_weights() -> None:
    pool = Pool(
        {"a": "random", "b": "random", "never": "greedy"},
        choose=lambda known: {
            name: 3.0 if name == "b" else 1.0 for name in known if name != "never"
        },
    )
    count = Counter(rows(pool, 4000).members)
    assert [*count] != ["never"]
    assert count["never"] == 0
    assert abs(count["b"] / 4000 - 0.75) < 0.03


def test_a_member_may_be_a_list_by_seat() -> None:
    pool = Pool([["greedy", "random", "greedy"]])
    twin = rows(["greedy", "random", "greedy"], 8, "mhing")
    envs = rows(pool, 8, "mhing")
    assert {*envs.members} == {"greedy,random,greedy"}
    for _ in range(30):
        envs.step(envs.sample_actions())
        twin.step(twin.sample_actions())
    assert all(envs.state(row) == twin.state(row) for row in range(8))


# ---- What is told back -----------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["same_step", "next_step", "disabled"])
def test_what_was_earned_against_each_member(mode: str) -> None:
    """In whole games, of which rewards come in many steps."""
    pool = Pool(["greedy", "random"])
    envs = rows(pool, 12, "mhing", autoreset_mode=mode, episode="game", rounds=3)
    earned, sums = np.zeros(12), {name: [0.0, 0.0, 0.0] for name in pool.members}
    while sum(count for count, *_ in sums.values()) < 30:
        members, before = envs.members, [envs.state(row) for row in range(12)]
        _, rewards, ended, _, _ = envs.step(envs.sample_actions())
        earned += rewards
        for row in ended.nonzero()[0]:
            sums[members[row]][0] += 1
            sums[members[row]][1] += earned[row]
            sums[members[row]][2] += earned[row] ** 2
            assert before[row].seat >= 0
        earned[ended] = 0
        if mode == "disabled" and ended.any():
            envs.reset(options={"reset_mask": ended})
    for name, met in pool.report().items():
        count, total, squares = sums[name]
        assert met.episodes == count > 3
        assert met.reward == pytest.approx(total / count)
        error = math.sqrt((squares / count - (total / count) ** 2) / (count - 1))
        assert met.reward_interval == pytest.approx(1.96 * error, rel=1e-3)
        assert met.weight == 0.5
        assert met.difference == pytest.approx(met.reward - met.theirs)


def test_the_others_mean_is_theirs() -> None:
    """In Leduc one wins what the other loses."""
    pool = Pool(["greedy"])
    play(rows(pool), 100)
    met = pool.report()["greedy"]
    assert met.episodes > 100
    assert met.theirs == pytest.approx(-met.reward)
    assert met.difference == pytest.approx(2 * met.reward)
    assert met.difference_interval == pytest.approx(2 * met.reward_interval)
    pool = Pool(["random"])
    pool.record("random", [5.0, 5.0, 5.0], [1.0, 2.0, 3.0])
    met = pool.report()["random"]
    assert (met.theirs, met.reward_interval) == (2.0, 0.0)
    assert met.theirs_interval == pytest.approx(1.959964 / math.sqrt(3))


def test_a_single_environment_tells_of_the_only_member() -> None:
    pool = Pool(["greedy"])
    env = gym.make("mhing:Leduc-v0", opponents=pool).unwrapped
    assert isinstance(env, mhing.env.CardGameEnv)
    env.reset(seed=1)
    reward, over = 0.0, False
    while not over:
        _, reward, over, _, _ = env.step(int(env.legal_actions()[0]))
    assert pool.report()["greedy"].episodes == 1
    assert pool.report()["greedy"].reward == reward


def test_illegal_actions_tell_nothing_of_the_opponents() -> None:
    pool = Pool(["greedy"])
    envs = rows(pool, 4, "mhing")
    envs.step(np.full(4, -1))
    assert pool.report()["greedy"].episodes == 0
    ended = sum(envs.step(envs.sample_actions())[2].sum() for _ in range(200))
    assert pool.report()["greedy"].episodes == ended > 0


def count_of(pool: Pool) -> float:
    return sum(met.episodes for met in pool.report().values())


@pytest.mark.parametrize("then", ["random", first_legal, Pool(["random", "greedy"])])
@pytest.mark.parametrize("mode", ["same_step", "next_step"])
def test_episodes_belong_to_the_pool_that_they_were_drawn_from(mode: str, then: Any) -> None:
    """Those in play when other opponents are set, in each row the first one that ends."""
    pool = Pool(["greedy", "random"])
    envs = rows(pool, 16, "mhing", autoreset_mode=mode)
    members = Counter(envs.members)
    envs.set_opponents(then)
    ended, first = np.zeros(16, bool), np.zeros(16)
    while not ended.all():
        _, rewards, over, _, _ = envs.step(envs.sample_actions())
        first += np.where(ended, 0, rewards)
        ended |= over
    assert {name: met.episodes for name, met in pool.report().items()} == members
    total = sum(met.reward * met.episodes for met in pool.report().values())
    assert total == pytest.approx(first.sum())
    counts = count_of(pool)
    play(envs, 50)
    assert count_of(pool) == counts
    assert not isinstance(then, Pool) or count_of(then) > 0


def test_the_episode_of_a_single_environment_belongs_to_its_pool() -> None:
    pool, other = Pool(["greedy"]), Pool(["greedy"])
    env = mhing.env.CardGameEnv("mhing", opponents=pool)
    for one, counts in ((other, (1, 0)), ("random", (1, 1)), (pool, (1, 1)), (pool, (2, 1))):
        env.reset(seed=1)
        env.set_opponents(one)
        while not env.step(int(env.legal_actions()[0]))[2]:
            pass
        assert (count_of(pool), count_of(other)) == counts


def test_a_pool_that_was_replaced_is_let_go_of() -> None:
    pool = Pool(["greedy"])
    envs, kept = rows("greedy", 4), weakref.ref(pool)
    envs.set_opponents(pool)
    play(envs, 20)
    envs.set_opponents("random")
    del pool
    assert kept() is not None
    play(envs, 20)
    assert kept() is None


def test_who_earns_more_than_the_learner_is_met_more_often() -> None:
    """Not who wins more rounds; and it is the same in any unit."""
    for unit in (1.0, 1000.0):
        pool = Pool(dict.fromkeys(("weak", "equal", "strong"), "random"), choose="beats_me")
        luck = np.random.default_rng(1).normal(size=400)
        for name, more in (("weak", 0.5), ("equal", 0.0), ("strong", -0.5)):
            pool.record(name, unit * (luck + more), unit * luck[::-1])
        weights = pool.weights()
        assert weights["weak"] < weights["equal"] < weights["strong"]
        assert weights["strong"] > 3 * weights["weak"] > 0
        assert sum(weights.values()) == pytest.approx(1)
        assert pool.report()["strong"].weight == weights["strong"]
        pool.add("random", "new")
        assert pool.weights()["new"] == pytest.approx(pool.weights()["strong"])
        if unit == 1.0:
            first = weights
    assert first == pytest.approx(weights)


def test_where_only_luck_differs_nobody_is_left_out() -> None:
    pool = Pool({str(number): "random" for number in range(6)}, choose="beats_me")
    generator = np.random.default_rng(2)
    for name in pool.members:
        pool.record(name, generator.normal(size=50), generator.normal(size=50))
    assert min(pool.weights().values()) > 0.03


def test_old_episodes_count_less_where_the_pool_forgets() -> None:
    pool = Pool(["random"], memory=100)
    pool.record("random", np.zeros(1000), np.zeros(1000))
    pool.record("random", np.ones(100), np.zeros(100))
    met = pool.report()["random"]
    assert met.episodes == pytest.approx(1000 / 2 + 100)
    assert met.reward == pytest.approx(100 / 600)


def test_counts_go_from_pool_to_pool() -> None:
    one, other = Pool(["greedy"]), Pool(["greedy"])
    one.record("greedy", [1.0, 3.0], [0.0, 0.0])
    other.count(one.state())
    assert other.report() == one.report()
    other.count(one.state())
    assert other.report()["greedy"].episodes == 4
    with pytest.raises(ValueError, match=r"^state: another version has counted 'greedy'$"):
        other.count({"greedy": [1.0]})


def test_a_pool_shows_its_members() -> None:
    pool = Pool({"greedy": "greedy", "me": first_legal})
    assert repr(pool) == "Pool({'greedy': 0.50, 'me': 0.50}, choose='uniform')"
    assert repr(Pool(["greedy"], play)).startswith("Pool({'greedy'}, choose=<function play at ")


# ---- Members that come and go ----------------------------------------------------------------


def test_members_join_and_leave_while_rows_are_played() -> None:
    pool = Pool(["greedy"])
    envs = rows(pool, 32)
    before = envs.members
    assert pool.add(first_legal, "past:1") == "past:1"
    assert envs.members == before
    play(envs, 20)
    assert {*envs.members} == {"greedy", "past:1"}
    assert pool.report()["past:1"].episodes > 5
    pool.remove("greedy")
    play(envs, 20)
    assert {*envs.members} == {"past:1"}
    assert [*pool.members] == [*pool.report()] == ["past:1"]


@pytest.mark.parametrize("policies", [False, True])
def test_opponents_are_set_for_the_episodes_to_come(policies: bool) -> None:
    wanted: Any = first_legal if policies else "greedy"
    envs = rows("random", 8, "mhing")
    twin = rows(wanted, 8, "mhing")
    unchanged = rows("random", 8, "mhing")
    envs.set_opponents(wanted)
    assert envs.opponents == wanted
    envs.step(envs.sample_actions())
    unchanged.step(unchanged.sample_actions())
    assert all(envs.state(row) == unchanged.state(row) for row in range(8)), "those in play"
    envs.reset(seed=5)
    twin.reset(seed=5)
    for _ in range(3):
        envs.step(envs.sample_actions())
        twin.step(twin.sample_actions())
        assert all(envs.state(row) == twin.state(row) for row in range(8))


@pytest.mark.parametrize("seat", [None, 2])
def test_opponents_of_a_single_environment_are_set(seat: int | None) -> None:
    env = mhing.env.CardGameEnv(opponents="random")
    twin = mhing.env.CardGameEnv(opponents=["greedy", first_legal, "greedy"])
    options = None if seat is None else {"seat": seat}
    env.reset(seed=3, options=options)
    env.set_opponents(["greedy", first_legal, "greedy"])
    for one in (env, twin):
        one.reset(seed=4, options=options)
        for _ in range(5):
            one.step(int(one.legal_actions()[0]))
    assert env.state == twin.state


def last_legal(observation: Any, mask: Any, info: Any) -> int:
    return int(np.flatnonzero(mask)[-1])


def test_a_policy_takes_the_place_of_another() -> None:
    """By who plays: in the single environment both act in the caller's seats."""
    env = mhing.env.CardGameEnv("leduc", opponents=first_legal, seat=1)
    twin = mhing.env.CardGameEnv("leduc", opponents=last_legal, seat=1)
    env.reset(seed=3)
    env.set_opponents(last_legal)
    for seed in range(8):
        assert (env.reset(seed=seed)[0] == twin.reset(seed=seed)[0]).all()
        assert env.state == twin.state


def test_players_that_were_made_are_not_mixed_up() -> None:
    """Not even where a new one has the address of one that is gone."""
    env = mhing.env.CardGameEnv("leduc", opponents="random", seat=1)
    for turn in range(12):
        choose = (first_legal, last_legal)[turn % 2]
        env.set_opponents(mhing.players.load(choose, "leduc"))
        twin = mhing.env.CardGameEnv("leduc", opponents=choose, seat=1)
        for seed in range(4):
            env.reset(seed=seed)
            twin.reset(seed=seed)
            assert env.state == twin.state


def test_a_file_is_read_again_where_it_is_named_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = tmp_path / "written_again.py"
    monkeypatch.syspath_prepend(tmp_path)
    module.write_text("def play(observation, mask, info): return int(mask.argmax())\n")
    env = mhing.env.CardGameEnv("leduc", opponents="written_again:play", seat=1)
    env.reset(seed=3)
    import written_again

    written_again.play = last_legal
    env.set_opponents("written_again:play")
    twin = mhing.env.CardGameEnv("leduc", opponents=last_legal, seat=1)
    for seed in range(4):
        env.reset(seed=seed)
        twin.reset(seed=seed)
        assert env.state == twin.state


def test_a_pool_that_cannot_choose_changes_nothing() -> None:
    env = mhing.env.CardGameEnv("leduc", opponents="greedy")
    env.reset(seed=1)
    with pytest.raises(ValueError, match="choose: weights"):
        env.set_opponents(Pool(["random", "greedy"], choose=lambda _: {}))
    assert env.opponents == "greedy"
    env.reset(seed=2)


def test_members_are_called_by_their_names() -> None:
    loaded = [mhing.players.load(name, "leduc") for name in ("greedy", "random")]
    assert [*Pool(loaded).members] == ["greedy", "random"]


def test_opponents_are_not_assigned() -> None:
    """Not even behind :func:`gymnasium.make`, which adds no wrapper that would take it."""
    made: list[Any] = [
        rows("random", 2), mhing.env.CardGameEnv(), gym.make("mhing:Mhing-v0"),
        gym.make_vec("mhing:Mhing-v0", num_envs=2),
        *gym.make_vec("mhing:Mhing-v0", num_envs=2, vectorization_mode="sync").envs,
    ]  # fmt: skip
    for one in made:
        assert one is one.unwrapped
        with pytest.raises(AttributeError, match=r"^opponents: .* call set_opponents\(\.\.\.\)$"):
            one.opponents = "greedy"
    with pytest.raises(AttributeError, match="set_opponents"):
        gym.wrappers.TimeLimit(made[1], 9).set_wrapper_attr("opponents", "greedy")


# ---- What is refused -------------------------------------------------------------------------


def test_what_is_set_wrongly_changes_nothing() -> None:
    envs = rows("random", 4)
    for wrong, words in (
        ("clever", "clever"),
        (["random", "random"], "2 given for 1 other seat"),
        ("self", "'self' has to be among them when the environment is made"),
        ([Pool(["greedy"])], "a pool stands for all other seats of an episode, not in a list"),
        (Pool([Pool(["greedy"])]), "member 'Pool': a pool stands for all other seats"),
        (Pool(["greedy", "self"]), "a pool has frozen players, not 'self'"),
    ):
        with pytest.raises((ValueError, TypeError), match=f"^opponents: .*{words}"):
            envs.set_opponents(wrong)
        assert envs.opponents == "random"
    play(envs, 5)
    with pytest.raises(ValueError, match="a pool has frozen players, not 'self'"):
        rows(Pool(["greedy", "self"]))
    with pytest.raises(ValueError, match="a server does not draw from a pool"):
        mhing.env.CardGameEnv(opponents=Pool(["greedy"]), endpoint="tcp://127.0.0.1:9")
    with pytest.raises(ValueError, match="a server does not draw from a pool"):
        CardGameVectorEnv(2, opponents=Pool(["greedy"]), endpoint="tcp://127.0.0.1:9")


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        ("greddy", ValueError, "'new': .*no bot 'greddy'.*did you mean greedy"),
        (["random", "random"], ValueError, "'new': 2 given for 1 other seat"),
        ("self", ValueError, "'new': a pool has frozen players, not 'self'"),
        (7, TypeError, "'new': 7 is neither a player's name nor an object that plays"),
    ],
)
def test_members_are_checked_as_they_are_given(
    wrong: Any, error: type[Exception], words: str
) -> None:
    """By environments that have the pool, and by none that had it before."""
    words = f"^opponents: the pool's member {words}"
    for make in (rows, lambda pool: mhing.env.CardGameEnv("leduc", opponents=pool)):
        with pytest.raises(error, match=words):
            make(Pool({"new": wrong}))
        pool = Pool(["random"])
        env = make(pool)
        before = pool.version
        with pytest.raises(error, match=words):
            pool.add(wrong, "new")
        assert [*pool.members] == ["random"]
        assert pool.version == before
        assert [*copy.deepcopy(pool).seats] == []
        env.reset(seed=1)
        env.set_opponents("greedy")
        pool.add(wrong, "new")
        pool = Pool(["random"])
        env.set_opponents(pool)
        with pytest.raises(error, match=words):
            pool.add(wrong, "new")
        env.close()
        pool.add(wrong, "new")


def test_a_member_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A member is made as it is added; the step that meets it first makes nothing."""
    pool, made = Pool(["random"]), []
    envs = rows(pool)
    monkeypatch.setattr(
        lineups, "seat", lambda *given, **more: made.append(given) or seat(*given, **more)
    )
    pool.add("greedy")
    play(envs, 3)
    assert len(made) == 1


def test_what_a_pool_refuses() -> None:
    with pytest.raises(ValueError, match="a pool has one member at least"):
        Pool([])
    with pytest.raises(TypeError, match="'greedy' is neither a sequence of players nor a mapping"):
        Pool("greedy")
    with pytest.raises(ValueError, match="choose: 'most' is neither 'uniform', 'beats_me' nor"):
        Pool(["greedy"], choose="most")
    with pytest.raises(ValueError, match="memory: 0 is not more than 0"):
        Pool(["greedy"], memory=0)
    pool = Pool(["greedy", "greedy"])
    assert [*pool.members] == ["greedy", "greedy (2)"]
    with pytest.raises(ValueError, match="another member of the pool is called 'greedy'"):
        pool.add("random", "greedy")
    with pytest.raises(ValueError, match=r"name: 'x' is none of greedy, greedy \(2\)"):
        pool.remove("x")
    pool.remove("greedy")
    with pytest.raises(ValueError, match="is the only member of the pool"):
        pool.remove("greedy (2)")
    pool.record("x", [1.0], [1.0])  # of a member that has left
    assert [*pool.report()] == ["greedy (2)"]


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        ([1.0], "expected weights by name"),
        ({"x": 1.0}, "'x' is none of greedy"),
        ({"greedy": -1.0}, "expected 0 or more, and one above 0"),
        ({"greedy": math.nan}, "expected 0 or more"),
        ({}, "one above 0"),
    ],
)
def test_weights_that_cannot_be_used(returned: Any, words: str) -> None:
    def choose(known: Mapping[str, Met]) -> Any:
        return returned

    with pytest.raises(ValueError, match=f"^choose: .*{words}"):
        rows(Pool(["greedy"], choose=choose))


# ---- Who is kept -----------------------------------------------------------------------------


class Past:
    """A past version, which takes memory."""

    def __call__(self, observation: Any, mask: Any, info: Any) -> int:
        return int(mask.argmax())


@pytest.mark.parametrize("mode", ["same_step", "next_step"])
def test_members_that_have_left_are_let_go_of(mode: str) -> None:
    """Once no row plays with them; those of a league do not add up."""
    pool = Pool({"bot": "greedy"}, choose="beats_me")
    envs = rows(pool, 8, "leduc", autoreset_mode=mode)
    kept: list[weakref.ref[Past]] = []
    for number in range(30):
        past = Past()
        kept.append(weakref.ref(past))
        pool.add(past, f"past:{number}")
        del past
        play(envs, 4)
        if number:
            pool.remove(f"past:{number - 1}")
    pool.remove("past:29")
    met = envs.members
    alive = [number for number, one in enumerate(kept) if one() is not None]
    assert {int(name[5:]) for name in met if name != "bot"} <= {*alive}
    assert len(alive) <= 4
    play(envs, 20)
    assert [one() for one in kept] == [None] * 30
    assert len(envs._lineups.guests) <= 4
    assert {*envs.members} == {"bot"}


def test_opponents_that_were_replaced_are_let_go_of() -> None:
    env = gym.make("mhing:Leduc-v0").unwrapped
    assert isinstance(env, mhing.env.CardGameEnv)
    kept: list[weakref.ref[Past]] = []
    for _ in range(5):
        past = Past()
        kept.append(weakref.ref(past))
        env.set_opponents(past)
        del past
        env.reset(seed=1)
    assert [one() is None for one in kept] == [True] * 4 + [False]


def test_a_snapshot_whose_opponents_have_gone() -> None:
    pool = Pool({"past": Past()})
    envs = rows(pool, 2)
    single = gym.make("mhing:Leduc-v0", opponents=pool).unwrapped
    assert isinstance(single, mhing.env.CardGameEnv)
    single.reset(seed=1)
    saved, saved_single = envs.save(0), single.save()
    pool.add("greedy")
    pool.remove("past")
    play(envs, 20)
    single.reset(seed=5)
    pool.add("random")
    single.reset(seed=5)
    before = envs.state(0), single.state
    words = "^snapshot: its opponents, past, have gone since"
    with pytest.raises(ValueError, match=words):
        envs.load(0, saved)
    with pytest.raises(ValueError, match=words):
        single.load(saved_single)
    assert (envs.state(0), single.state) == before
    play(envs, 5)
