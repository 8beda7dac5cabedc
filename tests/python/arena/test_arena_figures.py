"""The arena's statistics: intervals that cover, looks that do not fool, ratings."""

from __future__ import annotations

import math
import re
import sys
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mhing
from mhing import arena
from mhing._support.extras import install
from mhing.arena.deals import Deal
from mhing.arena.figures import LOOK, Figures, always_valid, student
from mhing.arena.schedule import Schedule
from mhing.arena.tournament import _DealSums

pytestmark = pytest.mark.once


def added(earned: NDArray[np.float64]) -> Figures:
    figures = Figures(earned.shape[1])
    for line in earned:
        figures.add(line)
    return figures


def draws(rng: np.random.Generator, deals: int, players: int) -> NDArray[np.float64]:
    """Earnings of equal players: mostly nothing, now and then a lot, as a mean of four seats.

    A part of it lies in the deal, so that the players' results go together.
    """
    won = rng.random((deals, players, 4)) < 0.22
    worth = rng.geometric(0.27, (deals, players, 4)) * (1 + 3 * (rng.random((deals, 1, 1)) < 0.1))
    return np.asarray((won * worth).mean(2), np.float64)


def test_students_t() -> None:
    """Quantiles as tables have them."""
    table = {1: 12.706, 2: 4.3027, 3: 3.1824, 4: 2.7764, 5: 2.5706, 10: 2.2281, 30: 2.0423}
    for freedom, value in table.items():
        assert student(freedom) == pytest.approx(value, rel=2e-3)
    assert student(10**6) == pytest.approx(NormalDist().inv_cdf(0.975), rel=1e-5)


def test_against_numpy() -> None:
    rng = np.random.default_rng(1)
    earned = 1e6 + draws(rng, 137, 4)
    figures = added(earned)
    columns = [*earned.T, *(earned[:, i] - earned[:, k] for i, k in figures.pairs)]
    assert figures.pairs == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert figures.means == pytest.approx([column.mean() for column in columns], rel=1e-9, abs=1e-8)
    spread = np.array([column.std(ddof=1) for column in columns])
    usual = figures.intervals(always=False)
    assert usual == pytest.approx(student(136) * spread / math.sqrt(137), rel=1e-6)
    wide = figures.intervals(always=True)
    assert wide[:4] == pytest.approx(spread[:4] * always_valid(137, 0.05), rel=1e-6)
    assert wide[4:] == pytest.approx(spread[4:] * always_valid(137, 0.05 / 6), rel=1e-6)
    assert (wide > usual).all()


def test_before_the_second_deal_nothing_is_known() -> None:
    figures = Figures(2)
    assert not figures.decided().any()
    figures.add(np.array([5.0, 0.0]))
    assert figures.means.tolist() == [5.0, 0.0, 5.0]
    for always in (False, True):
        assert np.isinf(figures.intervals(always)).all()


def test_intervals_cover(full: bool) -> None:
    """Of a difference that is known, 95 % of them; of few deals as of many."""
    rng, runs = np.random.default_rng(7), 20_000 if full else 3_000
    for deals in (4, 20, 200):
        covered = 0
        for _ in range(runs):
            noise = rng.normal(0.3, 1.0, (deals, 2))
            spread = noise[:, 0] - noise[:, 1]
            half = student(deals - 1) * spread.std(ddof=1) / math.sqrt(deals)
            covered += abs(spread.mean()) <= half
        slack = 4 * math.sqrt(0.05 * 0.95 / runs)
        assert abs(covered / runs - 0.95) < slack, (deals, covered / runs)


@pytest.mark.slow
def test_intervals_cover_what_deals_of_a_game_are_worth(full: bool) -> None:
    """Fewer deals, against the mean of many others."""
    runs = 400 if full else 60
    given = {"players": ["greedy", "random"], "game": "general_mhing"}
    truth = arena.play(deals=40_000, seed=1 << 40, **given).pairs[0].difference.value
    covered = 0
    for run in range(runs):
        found = arena.play(deals=50, seed=50 * run, **given).pairs[0].difference
        covered += abs(found.value - truth) <= found.interval
    assert covered >= 0.95 * runs - 4 * math.sqrt(0.05 * 0.95 * runs)


@pytest.mark.parametrize("players", [2, 4])
def test_looking_repeatedly_finds_no_difference_between_equals(players: int, full: bool) -> None:
    """Intervals for one look would find one in a third of these tournaments, or more."""
    rng, runs, deals = np.random.default_rng(players), 1000 if full else 200, 5000
    found = fooled = 0
    for _ in range(runs):
        earned = draws(rng, deals, players)
        any_decided, any_usual = looks(earned)
        found += any_decided
        fooled += any_usual
    assert found <= 0.05 * runs, found
    assert fooled > 0.2 * runs, fooled


def looks(earned: NDArray[np.float64]) -> tuple[bool, bool]:
    """Return whether looks at many moments find a pair decided: by `Figures`, by one look's.

    As Figures would, but for all looks at once.
    """
    counts = np.arange(LOOK, len(earned) + 1, LOOK)
    i, k = np.array(Figures(earned.shape[1]).pairs).T
    difference = earned[:, i] - earned[:, k]
    sums, squares = np.cumsum(difference, 0)[counts - 1], np.cumsum(difference**2, 0)[counts - 1]
    means = sums / counts[:, None]
    spread = np.sqrt((squares - counts[:, None] * means**2) / (counts[:, None] - 1))
    widths = np.array([always_valid(int(count), 0.05 / len(i)) for count in counts])
    decided = np.abs(means) > spread * widths[:, None]
    figures = added(earned[: counts[1]])
    assert figures.decided().tolist() == decided[1].tolist()
    return bool(decided.any()), bool(
        (np.abs(means) > 1.96 * spread / np.sqrt(counts)[:, None]).any()
    )


def test_a_tournament_ends_when_all_pairs_are_decided() -> None:
    result = arena.play(["greedy", "random"], deals=10_000, seed=1, until_significant=True)
    assert result.deals == LOOK
    assert result.always
    assert result.pairs[0].decided
    once = arena.play(["greedy", "random"], deals=LOOK, seed=1)
    assert once.pairs[0].difference.value == result.pairs[0].difference.value
    assert once.pairs[0].difference.interval < result.pairs[0].difference.interval
    assert "however often" in result.notes()[0]
    equal = arena.play(["greedy", "greedy", "random"], deals=350, until_significant=True)
    assert equal.deals == 350
    assert [pair.decided for pair in equal.pairs] == [False, True, True]
    alone = arena.play(["greedy"], field="random", deals=250, until_significant=True)
    assert alone.deals == 250


def test_it_ends_at_the_same_deal_with_and_without_a_log(tmp_path: Path) -> None:
    """A difference that takes several looks; the log is resumed from within a look."""
    log = tmp_path / "log.jsonl"
    players = {"last": last_legal, "random": "random"}
    given: dict[str, Any] = {"game": "general_mhing", "field": "greedy", "seed": 1}
    given["until_significant"] = True
    plain = arena.play(players, deals=3000, **given)
    assert LOOK < plain.deals < 3000
    arena.play(players, deals=plain.deals - 30, log=log, **given)
    assert arena.play(players, deals=3000, log=log, **given) == plain


def last_legal(observation: Any, mask: NDArray[np.int8], info: dict[str, Any]) -> int:
    return int(np.flatnonzero(mask)[-1])


def test_ratings() -> None:
    pytest.importorskip("openskill")
    given: dict[str, Any] = {"field": "random", "deals": 100, "seed": 1, "ratings": True}
    result = arena.play(["random", "greedy", "greedy"], **given)
    random, *greedy = (one.rating for one in result.players)
    assert random is not None
    for rating in greedy:
        assert rating is not None
        assert rating.mu - 3 * rating.sigma > random.mu + 3 * random.sigma
        assert 0 < rating.sigma < 25 / 3
    assert greedy[0] == greedy[1]
    assert arena.play(["random", "greedy", "greedy"], **given) == result
    assert "rating" in result.standings()[0]
    assert result.to_dict()["players"][0]["rating"]["mu"] == random.mu


def test_without_openskill(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openskill.models", None)
    with pytest.raises(ModuleNotFoundError, match=re.escape(f"openskill: {install('openskill')}")):
        arena.play(["greedy", "random"], deals=1, ratings=True)
    assert arena.play(["greedy", "random"], deals=1).players[0].rating is None


def test_looks_come_at_fixed_numbers_of_deals() -> None:
    game = mhing.Game("mhing")
    sums = _DealSums(game, 2, Schedule(2, 4), False, None)
    rewards = np.array([[1.0] * 4, [0.0] * 4])
    nothing = np.zeros(2, np.int64), np.zeros((2, 3), np.int64)
    seen = []
    for number in range(3 * LOOK):
        sums.add(Deal(number, rewards, *nothing))
        if sums.looks_decided():
            seen.append(number + 1)
    assert seen == [LOOK, 2 * LOOK, 3 * LOOK]
