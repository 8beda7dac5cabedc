"""The paired estimator: right where the truth can be reckoned, and its intervals hold."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mhing
from mhing import arena
from mhing._lib import episodes
from mhing.arena.figures import LEARN, Controlled
from mhing.arena.paired import ENOUGH, WORLDS
from mhing.cli import main

LEDUC = mhing.Game("leduc")
FOLD, CALL, RAISE = (LEDUC.action_id(text) for text in ("fold", "call", "raise"))
Capture = pytest.CaptureFixture[str]


# ---- Players of Leduc poker ---------------------------------------------------------------------


def caller(observation: NDArray[np.uint8], mask: NDArray[np.int8], info: Any) -> int:
    return CALL


def raiser(observation: NDArray[np.uint8], mask: NDArray[np.int8], info: Any) -> int:
    return RAISE if mask[RAISE] else CALL


def timid(observation: NDArray[np.uint8], mask: NDArray[np.int8], info: Any) -> int:
    """Folds whatever is no king; raises with one."""
    king = LEDUC.unpack(observation)["hand"].reshape(3, 2)[2].any()
    return raiser(observation, mask, info) if king else FOLD if mask[FOLD] else CALL


def loser(observation: NDArray[np.uint8], mask: NDArray[np.int8], info: Any) -> int:
    """Forfeits with a queen; its idle seat may win, and earns the least all the same."""
    queen = LEDUC.unpack(observation)["hand"].reshape(3, 2)[1].any()
    return -1 if queen else CALL


def greedy(state: mhing.State) -> int:
    return state.bot_action("greedy", 0)[0]


Player = str | Callable[..., int]


def chances(player: Player, state: mhing.State) -> dict[int, float]:
    """The actions of a player and how likely they are; -1: it forfeits."""
    mask = state.action_mask()
    if player == "random":
        legal = np.flatnonzero(mask).tolist()
        return dict.fromkeys(legal, 1 / len(legal))
    if player == "greedy":
        return {greedy(state): 1.0}
    assert callable(player)
    return {player(state.observation(), mask, {}): 1.0}


def expected(state: mhing.State, seats: Sequence[Player | None]) -> NDArray[np.float64]:
    """Expected further earnings by seat; a player is None once it has forfeited."""
    if state.is_terminal:
        returns = state.returns()
        returns[[seat for seat, player in enumerate(seats) if player is None]] = returns.min()
        return returns
    player, mean = seats[state.seat], np.zeros(2)
    choices = {state.idle_action(): 1.0} if player is None else chances(player, state)
    for action, chance in choices.items():
        after, left = state.clone(), [*seats]
        if action < 0:
            left[state.seat] = None
        else:
            after.apply(action)
        mean += chance * expected(after, left)
    return mean


def truth(seats: Sequence[Player]) -> NDArray[np.float64]:
    """Mean earnings by seat over all deals."""
    deals = [*itertools.permutations(range(6), 3)]
    decks = [[*deal, *sorted({*range(6)} - {*deal})] for deal in deals]
    starts = [LEDUC.new_state(0, deck=deck) for deck in decks]
    return np.mean([expected(start, seats) for start in starts], axis=0)


def true_difference(one: Player, other: Player, field: Player | None) -> float:
    """The difference between the earnings of two players, each in both seats."""
    if field is None:
        tables = [truth([one, other]), truth([other, one])[::-1]]
        return float(np.mean([own - their for own, their in tables]))
    own, their = ((truth([p, field])[0] + truth([field, p])[1]) / 2 for p in (one, other))
    return float(own - their)


# ---- The truth ----------------------------------------------------------------------------------

CASES = [
    ("timid-raiser", timid, raiser, None, "greedy"),
    ("timid-caller, drawing at random", timid, caller, None, "random"),
    ("timid-random in a field", timid, "random", "greedy", "greedy"),
    ("random-raiser among random", "random", raiser, "random", "random"),
    ("forfeits", loser, "greedy", None, "greedy"),
    ("forfeits in a field", loser, caller, "random", "greedy"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
@pytest.mark.filterwarnings("ignore")
def test_the_truth_is_inside(
    case: tuple[str, Player, Player, Player | None, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Differences of a third of a chip are seen; 99.7 of 100 intervals of this width hold."""
    monkeypatch.setattr("mhing.arena.deals.HOPELESS", 10_000)  # who always forfeits plays all deals
    _, one, other, field, baseline = case
    found = arena.play(
        {"one": one, "other": other}, LEDUC, field=field, deals=1500, seed=1,
        estimator="paired", baseline=baseline, play_outs=8,
    )  # fmt: skip
    wanted = true_difference(one, other, field)
    mean = found.difference("one", "other")
    assert abs(mean.value - wanted) < 1.53 * mean.interval
    assert mean.interval < 0.3
    assert found.pairs[0].raw.value != mean.value
    assert abs(found.pairs[0].raw.value - wanted) < 1.53 * found.pairs[0].raw.interval


@pytest.mark.parametrize("field", [None, "greedy"])
def test_a_player_against_itself(field: str | None) -> None:
    """Nothing is different, so nothing is noisy."""

    def copied(observation: Any, mask: Any, info: Any) -> int:
        """Leduc's greedy by what it sees."""
        fields = LEDUC.unpack(observation)
        rank = int(fields["hand"].argmax()) // 2
        pair = fields["open"].reshape(3, 2)[rank].any()
        if (pair or rank == 2) and mask[RAISE]:
            return RAISE
        return FOLD if not pair and rank == 0 and mask[FOLD] else CALL

    for players in ({"one": "greedy", "two": "greedy"}, {"one": "greedy", "two": copied}):
        found = arena.play(players, LEDUC, field=field, deals=50, seed=2, estimator="paired")
        assert found.pairs[0].difference == arena.Mean(0.0, 0.0)
        assert not found.pairs[0].decided


def coverage(tournaments: int) -> float:
    """The share of small tournaments whose interval holds the truth."""
    wanted = true_difference("greedy", "random", "random")
    inside = 0
    for seed in range(tournaments):
        found = arena.play(
            ["greedy", "random"], LEDUC, field="random", deals=ENOUGH, seed=seed,
            estimator="paired", baseline="random", play_outs=2,
        )  # fmt: skip
        mean = found.pairs[0].difference
        inside += abs(mean.value - wanted) <= mean.interval
    return inside / tournaments


def test_intervals_hold() -> None:
    """Three standard deviations of a share of 95 % in 150."""
    assert coverage(150) >= 0.95 - 0.054


@pytest.mark.slow
def test_intervals_hold_as_often_as_they_say() -> None:
    """Likewise in 1,000: they are neither too narrow nor too wide."""
    assert abs(coverage(1000) - 0.95) < 0.021


@pytest.mark.slow
@pytest.mark.parametrize("game_id", ["mhing", "general_mhing", "mexican_rummy"])
@pytest.mark.parametrize("field", [None, "greedy"])
def test_both_estimators_agree(game_id: str, field: str | None) -> None:
    """At four seats, and with two seats for each player: by 3 standard errors of both."""
    found = arena.play(
        ["expert", "greedy"], game_id, field=field, deals=400, seed=3, estimator="paired",
        baseline="greedy", play_outs=16,
    )  # fmt: skip
    (pair,) = found.pairs
    both = math.hypot(pair.difference.interval, pair.raw.interval)
    assert abs(pair.difference.value - pair.raw.value) < 1.53 * both


def test_games_of_several_rounds() -> None:
    """Play-outs last to the end of the episode."""
    found = arena.play(
        ["greedy", "random"], "general_mhing", deals=60, seed=1, estimator="paired",
        play_outs=4, episode="game", rounds=2, target=0, reward="points",
    )  # fmt: skip
    (pair,) = found.pairs
    both = math.hypot(pair.difference.interval, pair.raw.interval)
    assert abs(pair.difference.value - pair.raw.value) < 1.53 * both
    assert pair.decided


# ---- Settings and results -----------------------------------------------------------------------


def test_the_baseline_is_chosen() -> None:
    def chosen(players: Sequence[Player], **more: Any) -> str:
        found = arena.play(players, LEDUC, deals=2, seed=1, estimator="paired", **more)
        assert found.paired is not None
        assert found.paired.play_outs == 32
        return found.paired.baseline.name

    assert chosen([caller, "search:4", "random", "greedy"]) == "random"
    assert chosen([caller, raiser], field="random") == "random"
    assert chosen([caller, raiser]) == LEDUC.default_bot
    assert chosen([caller, "mine=random"]) == "mine"
    assert chosen([caller, "greedy"], baseline="random") == "random"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"estimator": "best"}, "estimator: 'best' is none of raw, paired"),
        ({"baseline": "greedy"}, "baseline: only with the estimator 'paired'"),
        ({"play_outs": 3}, "play_outs: only with the estimator 'paired'"),
        ({"estimator": "paired", "baseline": "nobody"}, "baseline: no bot 'nobody'"),
        ({"estimator": "paired", "play_outs": 0}, "play_outs: 0"),
        ({"estimator": "paired", "baseline": raiser}, "baseline: raiser is no built-in bot"),
        (
            {"estimator": "paired", "baseline": "search:20"},
            "baseline: search:20 would search at every move of every play-out; take a bot",
        ),
        ({"estimator": "paired", "field": "search:2"}, "field: search:2 would search at every"),
        ({"estimator": "paired", "field": caller}, "field: caller is no built-in bot"),
    ],
)
def test_settings_that_cannot_be(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        arena.play([caller, "greedy"], LEDUC, deals=2, **settings)


def test_results_do_not_depend_on_threads_and_logs(tmp_path: Path) -> None:
    def played(**more: Any) -> dict[str, Any]:
        return arena.play(
            ["greedy", "random"], "mhing", field="random", seed=4, estimator="paired",
            play_outs=2, **{"deals": 150, **more},
        ).to_dict()  # fmt: skip

    log = tmp_path / "log.jsonl"
    whole = played()
    assert played(num_threads=2) == whole
    played(log=log, deals=100)
    assert played(log=log) == whole
    assert played(log=log) == whole
    with pytest.raises(ValueError, match="paired"):
        arena.play(
            ["greedy", "random"], "mhing", field="random", estimator="paired", play_outs=3, log=log
        )
    with pytest.raises(ValueError, match="paired"):
        arena.play(["greedy", "random"], "mhing", field="random", log=log)


def test_the_result_has_both(capsys: Capture) -> None:
    words = ["arena", "greedy", "random", "--game", "leduc", "--deals", "50", "--seed", "1"]
    more = ["--estimator", "paired", "--baseline", "greedy", "--play-outs", "4"]
    assert not main([*words, *more, "--json"])
    found = json.loads(capsys.readouterr().out)
    assert not main([*words, "--json"])
    raw = json.loads(capsys.readouterr().out)
    assert (found["estimator"], raw["estimator"]) == ("paired", "raw")
    assert found["paired"] == {"baseline": "greedy", "play_outs": 4, "worlds": 0}
    assert raw["paired"] is None
    assert found["players"] == raw["players"]
    (ours,), (theirs,) = found["pairs"], raw["pairs"]
    assert ours["raw_difference"] == theirs["difference"] == theirs["raw_difference"]
    assert ours["raw_interval"] == theirs["interval"]
    assert ours["difference"] != theirs["difference"]
    assert not main([*words, *more])
    out = capsys.readouterr().out
    assert "4 pairs of play-outs at each decision that greedy takes otherwise; by rewards" in out
    assert f"greedy less random {theirs['difference']:+.3f}" in out


def test_luck_is_estimated_where_a_player_is_slow() -> None:
    """Bots that do not search play many games in the time that an estimate takes."""
    for player, worlds in (("greedy", 0), ("search:1", WORLDS), (raiser, WORLDS)):
        found = arena.play([player, "random"], LEDUC, deals=ENOUGH, seed=1, estimator="paired")
        assert found.paired
        assert found.paired.worlds == worlds
        assert ("less luck" in str(found)) == (worlds > 0)


def test_few_deals_are_compared_by_rewards() -> None:
    """The fewest for which the intervals of play-outs hold are those of `coverage`."""
    given: dict[str, Any] = {"field": "random", "seed": 1, "estimator": "paired"}
    few, enough = (
        arena.play(["greedy", "random"], LEDUC, deals=deals, **given)
        for deals in (ENOUGH - 1, ENOUGH)
    )
    assert (few.estimator, enough.estimator) == ("raw", "paired")
    assert few.pairs[0].difference == few.pairs[0].raw
    assert enough.pairs[0].difference != enough.pairs[0].raw
    assert f"differences are by rewards: play-outs estimate them from {ENOUGH} deals on" in str(few)
    assert few.to_dict()["estimator"] == "raw"
    lines = str(enough).splitlines()
    assert lines[0] == enough.heading()
    assert lines[1].startswith("greedy ")
    assert lines[3] == f"greedy less random {enough.pairs[0].difference.signed}"
    assert f"  greedy less random {enough.pairs[0].raw.signed}" in lines


def test_a_baseline_that_plays_otherwise_costs_little() -> None:
    """The estimate is nearly that by rewards where gains are noisier."""
    found = arena.play(
        {"one": caller, "two": raiser}, LEDUC, deals=300, seed=1, estimator="paired", play_outs=1,
        field="random", baseline="greedy",
    )  # fmt: skip
    (pair,) = found.pairs
    assert pair.difference.interval < 1.05 * pair.raw.interval


# ---- Luck and other control variates ------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "count"), [(LEDUC, 20_000), (mhing.Game("general_mhing"), 2000)], ids=lambda it: it
)
def test_luck_is_nothing_in_the_mean(game: mhing.Game, count: int) -> None:
    """By 4 standard errors, while it says much about rewards: it is that of the real draws."""
    bots = np.ones((count, game.num_seats), np.int32)
    all_of_them = np.ones((count, game.num_seats), np.bool_)
    (played,) = [
        episodes.Episodes(
            np.concatenate([part.seeds for part in parts]),
            np.concatenate([[0], np.cumsum(np.concatenate([np.diff(p.starts) for p in parts]))]),
            np.concatenate([part.actions for part in parts]),
        )
        for parts in [[*episodes.play(game._handle, np.arange(count, dtype=np.uint64), bots, 1)]]
    ]
    found = episodes.paired(game._handle, played, bots, ~all_of_them, all_of_them, 1, 2, 1)
    assert not found.gains.any()
    luck, totals = found.luck[:, 0], found.totals[:, 0]
    assert abs(luck.mean()) < 4 * luck.std() / math.sqrt(count)
    assert np.corrcoef(luck, totals)[0, 1] > 0.3


def test_coefficients_are_those_of_the_deals_before() -> None:
    """By least squares: as narrow as the best ones make it, and no deal has a part in its own."""
    count, rng = 2000, np.random.default_rng(1)
    noise = rng.normal(size=(count, 3)) * [1, 2, 3]
    variates = np.stack([noise[:, 0] - noise[:, 1], noise[:, 1] + 0.1 * noise[:, 2]])
    earned = 5 + noise[:, 0]
    found, wanted = Controlled(2), []
    for deal in range(count):
        found.add_controlled(
            np.array([earned[deal], 0]), [np.array([one[deal], 0]) for one in variates]
        )
        by_deals = np.zeros(2)
        if deal >= LEARN:
            off = variates[:, :deal] - variates[:, :deal].mean(1, keepdims=True)
            by_deals = np.linalg.lstsq(off.T, earned[:deal] - earned[:deal].mean(), rcond=None)[0]
            by_deals *= deal / (deal + LEARN)
        wanted.append(earned[deal] - by_deals @ variates[:, deal])
    assert found.means[2] == pytest.approx(np.mean(wanted))
    width = found.intervals(always=False)
    assert width[2] == pytest.approx(1.961 * np.std(wanted) / math.sqrt(count), 1e-3)
    assert width[2] < 0.4 * width[0]


@pytest.mark.parametrize("kinds", [(0, 0), (1, 0), (0, 1), (1, 1)])
def test_variates_that_are_alike_or_constant(kinds: tuple[int, int]) -> None:
    rng = np.random.default_rng(2)
    found = Controlled(2)
    for number in rng.normal(size=100):
        one = np.array([number, 0.0])
        found.add_controlled(one + np.array([3, 0]), [kind * one for kind in kinds])
    assert found.means[2] == pytest.approx(3, abs=0.2)
    width = found.intervals(always=False)
    assert (width[2] < 0.6 * width[0]) == any(kinds)


def test_early_ends_go_by_the_estimator() -> None:
    """A difference that play-outs decide at the first look."""
    both = [
        arena.play(
            {"one": timid, "two": "greedy"}, LEDUC, deals=2000, seed=5, until_significant=True,
            estimator=estimator, field="greedy",
        )
        for estimator in ("raw", "paired")
    ]  # fmt: skip
    assert both[1].deals < both[0].deals
    assert both[1].pairs[0].decided
