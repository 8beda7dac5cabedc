"""Other players and other processes of a learner: the league, and the pool of workers."""

from __future__ import annotations

import io
import math
from functools import partial

import numpy as np
import pytest
import torch
from learners import learner

import mhing
from mhing.train import ppo
from mhing.train.league import League
from mhing.train.workers import LocalWorker, ProcessPool, ProcessWorker, WorkerPool

torch.set_num_threads(1)


# ---- The league ------------------------------------------------------------------------------


def league_of(one: ppo.Ppo) -> League:
    assert one.actor.league is not None
    return one.actor.league


@pytest.mark.slow
def test_a_league_grows_by_past_versions_and_meets_them() -> None:
    one = learner(opponents=("league",))
    league, met = league_of(one), set()
    for _ in range(60):
        numbers = one.step()
        assert one.actor.rows is not None
        met |= {*one.actor.rows.envs.members}
    assert [*numbers["league"]] == ["greedy", "past:25", "past:50"] == [*league.pool.members]
    assert met >= {"greedy", "past:25"}
    for name, known in numbers["league"].items():
        assert known["episodes"] > 0, name
        assert known["reward_interval"] > 0
        assert math.isclose(known["difference"], known["reward"] - known["theirs"], abs_tol=1e-9)
    assert math.isclose(sum(known["weight"] for known in numbers["league"].values()), 1)
    assert [*one.rivals()] == ["past:25", "past:50"]
    present, past = one.net.state_dict(), league.state()["past"]["past:25"]
    assert not torch.equal(present["head.weight"], past["head.weight"])


def test_a_league_leaves_out_bots_that_do_not_play_with_these_options(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def bot_index(game: mhing.Game, name: str) -> int:
        if name == "expert":
            raise ValueError("it plays with other options")
        return before(game, name)

    before = mhing.Game.bot_index
    monkeypatch.setattr(mhing.Game, "bot_index", bot_index)
    members = league_of(learner(game="mhing", opponents=("league",))).pool.members
    assert "greedy" in members
    assert "expert" not in members
    assert "random" not in members


def test_a_league_forgets_whom_it_always_beats(monkeypatch: pytest.MonkeyPatch) -> None:
    """One who has left and is still met keeps its weights until that episode is over."""
    monkeypatch.setattr("mhing.train.league.PAST", 2)
    league = League(mhing.Game("leduc"), lambda name: "random", 1)
    for number, more in enumerate((5.0, -5.0, 0.0), start=1):
        league.advance(partial(torch.tensor, number), {"past:1"})
        earned = np.linspace(0, 1, 50) + more
        league.pool.record(f"past:{number}", earned, np.linspace(0, 1, 50)[::-1])
    assert [*league.pool.members] == ["greedy", "past:2", "past:3"]
    assert [*league.past] == ["past:1", "past:2", "past:3"]
    league.advance(lambda: torch.tensor(4), set())
    assert [*league.past] == ["past:2", "past:4"]


# ---- Other processes -------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.once
def test_workers_play_like_the_learner_itself(caplog: pytest.LogCaptureFixture) -> None:
    """Two of them, and one that is killed is replaced."""
    one, other = learner(workers=2, teacher="greedy"), learner(workers=2, teacher="greedy")
    played, *_ = one.gather(with_teacher=True)
    parts = []
    for number in (1, 2):
        actor = ppo.PPOActor(one.game, one.settings, one.tuning)
        actor.begin(number, 8)
        parts.append(actor.gather(one.net.state_dict(), True)[0])
    expected = ppo.Rollout.join(parts)
    torch.testing.assert_close(tuple(played), tuple(expected), rtol=0, atol=0)
    assert one.step()["workers_lost"] == 0
    file = io.BytesIO()
    torch.save(one.state(), file)
    file.seek(0)
    other.restore(torch.load(file, weights_only=True))
    assert one.step() == other.step()
    worker = one.pool.workers[1]
    assert isinstance(worker, ProcessWorker)
    worker.process.kill()
    numbers = one.step()
    assert (numbers["workers"], numbers["workers_lost"], numbers["steps"]) == (1, 1, 8 * 8)
    assert "1 of 2 actors are lost" in caplog.text
    numbers = one.step()
    assert (numbers["workers"], numbers["workers_lost"], numbers["steps"]) == (2, 1, 16 * 8)
    replaced = one.pool.workers[1]
    assert isinstance(replaced, ProcessWorker)
    del one, other
    replaced.__del__()
    assert not replaced.process.is_alive()


class Several(WorkerPool):
    """Actors in this process."""

    def __init__(self, one: ppo.Ppo, count: int) -> None:
        super().__init__()
        self.workers = [
            LocalWorker(ppo.PPOActor(one.game, one.settings, one.tuning)) for _ in range(count)
        ]

    def refresh(self) -> None:
        """They stay."""


@pytest.mark.parametrize("opponents", [("greedy",), ("league",)])
def test_games_go_on_when_others_play(opponents: tuple[str, ...]) -> None:
    """A run resumed by more or fewer workers has as many games; those with a place continue."""

    def saved(one: ppo.Ppo) -> list[torch.Tensor]:
        return [actor["rows"] for actor in one.state()["actors"]]

    three, two, alone = (learner(opponents=opponents) for _ in range(3))
    three.pool, two.pool = Several(three, 3), Several(two, 2)
    three.step()
    before = saved(three)
    assert [len(rows) for rows in before] == [6, 5, 5]
    two.restore(three.state())
    assert all(map(torch.equal, saved(two), before))
    two.begin()
    now = saved(two)
    assert [len(rows) for rows in now] == [8, 8]
    assert torch.equal(now[0][:6], before[0])
    assert torch.equal(now[1][:5], before[1])
    assert len(torch.cat([*now, *before]).unique(dim=0)) == 16 + 5, "each plays separate games"
    assert two.step()["steps"] == 16 * 8
    alone.restore(two.state())
    assert alone.step()["steps"] == 16 * 8


@pytest.mark.slow
@pytest.mark.once
def test_what_fails_in_a_worker_fails_here() -> None:
    pool = ProcessPool(1, dict)
    pool.refresh()
    with pytest.raises(TypeError, match="fromkeys expected at least 1 argument"):
        pool.call("fromkeys", [()])
    assert pool.call("get", [("nothing",)]) == {0: None}


def test_more_workers_than_can_be_used() -> None:
    with pytest.raises(ValueError, match="workers: 5 are more than the 4 that can be used"):
        learner(workers=5)
