"""The arena: who sits where, what counts, forfeits, logs, and the results as files."""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from onnx_policy import write_policy
from options import has
from simple_players import LARGE, Info, first_legal, last_legal, program, same_results

import mhing
from mhing import arena
from mhing.arena import deals as arena_deals
from mhing.arena import table
from mhing.arena.asking import Terms
from mhing.arena.deals import Dealer
from mhing.arena.guests import Guests
from mhing.arena.picture import svg
from mhing.arena.schedule import Schedule
from mhing.arena.seeds import Seeds
from mhing.players.onnx import OnnxPolicy
from mhing.players.seating import line_up

POOL = mhing.players.Pool(["greedy", "random"])


class Rows:
    """A policy that is asked about many rows at once, and alone where that fails."""

    def __init__(self, fails: bool = False) -> None:
        self.asked: list[int] = []
        self.fails = fails

    def __call__(self, observation: Any, mask: Any, info: Info) -> int:
        self.asked.append(1)
        return last_legal(observation, mask, info)

    def choose_rows(self, observations: Any, masks: Any) -> Any:
        assert observations.shape[0] == masks.shape[0]
        if self.fails and len(masks) > 1:
            raise OverflowError
        self.asked.append(len(masks))
        return [last_legal(row, mask, {}) for row, mask in zip(observations, masks, strict=True)]


# ---- Who sits where --------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4, 6])
@pytest.mark.parametrize("players", [1, 2, 3, 4, 5, 9])
def test_every_player_has_every_seat_of_a_deal_once(players: int, seats: int) -> None:
    for field in (False, True):
        schedule = Schedule(players, seats, field)
        for seed in range(20):
            seatings = schedule.seatings(seed)
            assert len(seatings) == schedule.tables
            taken = Counter(
                (player, seat) for seating in seatings for seat, player in enumerate(seating)
            )
            for player in range(players):
                assert all(taken[player, seat] == 1 for seat in range(seats))
            alone = [sum(player < players for player in seating) for seating in seatings]
            assert set(alone) == ({1} if field else {seats})
            assert schedule.seatings(seed) == seatings


def test_two_players_alternate_and_neighbours_change() -> None:
    assert sorted(Schedule(2, 4).seatings(5)) == [(0, 1, 0, 1), (1, 0, 1, 0)]
    after = Counter(
        (seating[seat], seating[seat + 1])
        for seed in range(600)
        for seating in Schedule(4, 4).seatings(seed)
        for seat in range(3)
    )
    assert len(after) == 12
    assert all(480 < count < 720 for count in after.values()), after


# ---- What counts -----------------------------------------------------------------------------


def play_slowly(
    game: mhing.Game, names: list[str], seed: int, deals: int, field: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Rewards and wins by deal, player and seat: states played by `play_out` alone."""
    players = len(names) - field
    schedule = Schedule(players, game.num_seats, field)
    rewards = np.zeros((deals, players, game.num_seats))
    wins = np.zeros_like(rewards)
    for deal in range(deals):
        for seating in schedule.seatings(seed + deal):
            bots = [names[player] for player in seating]
            end = game.new_state(seed + deal).play_out(bots, seed + deal)
            for seat, player in enumerate(seating):
                if player < players:
                    rewards[deal, player, seat] = end.returns()[seat]
                    wins[deal, player, seat] = end.info()["winner"] == seat
    return rewards, wins


@pytest.mark.parametrize("game_id", mhing.games())
@pytest.mark.parametrize("field", [False, True])
def test_against_a_plain_computation(game_id: str, field: bool) -> None:
    game, deals = mhing.Game(game_id), 23
    names = ["random", game.default_bot, "random"]
    rewards, wins = play_slowly(game, [*names, "random"], 2**64 - deals, deals, field=True)
    if not field:
        rewards, wins = play_slowly(game, names, 2**64 - deals, deals)
    result = arena.play(
        names, game, deals=deals, first_seed=2**64 - deals, field="random" if field else None
    )
    means = rewards.mean(2)
    half = 2.0739 / np.sqrt(deals)  # Student's t with 22 degrees of freedom
    for i, one in enumerate(result.players):
        assert one.reward.value == pytest.approx(means[:, i].mean())
        assert one.reward.interval == pytest.approx(half * means[:, i].std(ddof=1), rel=1e-3)
        assert one.games == one.rounds == deals * game.num_seats
        assert one.totals["wins"] == wins[:, i].sum()
    for pair, (i, k) in zip(result.pairs, [(0, 1), (0, 2), (1, 2)], strict=True):
        difference = means[:, i] - means[:, k]
        assert pair.difference.value == pytest.approx(difference.mean())
        assert pair.difference.interval == pytest.approx(half * difference.std(ddof=1), rel=1e-3)
        assert pair.decided == (abs(pair.difference.value) > pair.difference.interval)


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_nothing(threads: int) -> None:
    one, other = (
        arena.play(["greedy", "random", "greedy"], deals=130, seed=3, num_threads=number)
        for number in (1, threads)
    )
    assert one == other


def test_the_same_bot_twice_differs_by_exactly_nothing() -> None:
    """In the plain form, in a field, and as a policy among built-in bots."""
    for given, field in ((["greedy", "greedy"], None), (["greedy", "greedy"], "random")):
        result = arena.play(given, deals=100, field=field)
        assert result.pairs[0].difference == arena.Mean(0.0, 0.0)
        assert not result.pairs[0].decided
    result = arena.play([last_legal, Rows()], "general_mhing", deals=30, field="greedy")
    assert result.pairs[0].difference == arena.Mean(0.0, 0.0)
    assert [one.name for one in result.players] == ["last_legal", "Rows"]


@pytest.mark.skipif(not has("mhing", "episode"), reason="no games of several rounds")
def test_totals_of_whole_games_are_of_all_their_rounds() -> None:
    game = mhing.Game("mhing", episode="game", rounds=3, target=0)
    result = arena.play(["greedy", "greedy"], game, deals=20, first_seed=4)
    sums: Counter[str] = Counter()
    for seed in range(4, 24):
        for seating in Schedule(2, 4).seatings(seed):
            state, rounds = game.new_state(seed), 0
            while not state.is_terminal:
                state.apply(state.bot_action("greedy", 0)[0])
                if state.rounds_over > rounds:
                    rounds, info = state.rounds_over, state.info()
                    sums["rounds"] += 2
                    if info["winner"] >= 0 and seating[info["winner"]] == 0:
                        sums["wins"] += 1
                        sums["credits"] += info["credits"]
                        sums["points"] += info["points"]
    greedy = result.players[0]
    assert greedy.rounds == sums["rounds"] == 20 * 2 * 2 * 3
    assert greedy.games == 20 * 4
    assert greedy.totals == {name: sums[name] for name in ("wins", "credits", "points")}
    assert greedy.reward.value == greedy.totals["credits"] / greedy.games


# ---- Players of all kinds --------------------------------------------------------------------


@pytest.mark.parametrize("game_id", mhing.games())
def test_a_policy_a_network_a_module_and_a_program_that_play_alike(
    game_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = mhing.Game(game_id)
    (tmp_path / "my_own_policy.py").write_text(
        "def play(observation, mask, info):\n    return mask.nonzero()[0][-1]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    plain = arena.play([last_legal, game.default_bot], game, deals=6, seed=LARGE)
    rows = Rows()
    for one in (
        rows,
        "mine=my_own_policy:play",
        program(tmp_path),
        *([f"onnx:{write_policy(tmp_path, game)}"] if game.observation_size else []),
    ):
        same_results(arena.play([one, game.default_bot], game, deals=6, seed=LARGE), plain)
    assert max(rows.asked) > 1
    assert sum(one.forfeits for one in plain.players) == 0


def test_a_network_for_many_rows_is_asked_once_for_all_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same network twice: once for one row at a time, once with its first dimension open."""
    onnx = pytest.importorskip("onnx")
    game = mhing.Game("general_mhing")
    path = write_policy(tmp_path, game)
    model = onnx.load(path)
    for node in (*model.graph.input, *model.graph.output):
        node.type.tensor_type.shape.dim[0].dim_param = "rows"
    onnx.save(model, tmp_path / "rows.onnx")
    asked: list[int] = []
    run = OnnxPolicy._run

    def watch(self: OnnxPolicy, observations: Any, masks: Any) -> Any:
        asked.append(len(masks))
        return run(self, observations, masks)

    monkeypatch.setattr(OnnxPolicy, "_run", watch)
    one = arena.play([f"onnx:{path}", "greedy"], game, deals=40, seed=1)
    assert set(asked) == {1}
    decisions = len(asked)
    asked.clear()
    many = arena.play([f"onnx:{tmp_path / 'rows.onnx'}", "greedy"], game, deals=40, seed=1)
    assert max(asked) == 40, "each deal at one of its tables"
    assert sum(asked) == decisions
    same_results(one, many)


def test_policies_see_what_opponents_of_an_environment_see() -> None:
    game = mhing.Game("mhing", num_players=3)
    deals = [game.new_state(seed) for seed in (5, 6)]
    first = {state.observation().tobytes(): state for state in deals}
    seen: Counter[int] = Counter()

    def watch(observation: Any, mask: Any, info: Info) -> int:
        if state := first.get(observation.tobytes()):
            seen[info["seat"]] += 1
            assert info["seat"] == state.seat
            assert np.array_equal(mask, state.action_mask())
        assert np.array_equal(mask, info["action_mask"])
        assert sorted(info) == ["action_mask", "seat"]  # a seed would give all cards away
        action = first_legal(observation, mask, info)
        mask[:] = 0
        observation[:] = 0
        return action

    arena.play([watch, "greedy"], game, deals=2, first_seed=5)
    assert sum(seen.values()) == len(deals)


# ---- Forfeits --------------------------------------------------------------------------------


class Clumsy:
    """Does something at its third decision, and will not be asked in that game again."""

    def __init__(self, third: Any) -> None:
        self.third, self.decisions = third, 0
        self.lost: tuple[int, int] | None = None

    def __call__(self, observation: Any, mask: Any, info: Info) -> Any:
        game = info["match"], info["seat"]
        assert game != self.lost
        self.decisions += 1
        if self.decisions == 3:
            self.lost = game
            return self.third(mask)
        return first_legal(observation, mask, info)


def fail(mask: Any) -> int:
    raise ZeroDivisionError("two\nlines")


def leave(mask: Any) -> int:
    sys.exit(3)


def dawdle(mask: Any) -> int:
    time.sleep(1.2)
    return int(np.flatnonzero(mask)[0])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("third", "reason"),
    [
        (fail, "ZeroDivisionError: two"),
        (leave, "SystemExit: 3"),
        (lambda mask: int(mask.argmin()), "illegal answer: action .* is not legal now"),
        (lambda mask: -1, "illegal answer: action -1"),
        (lambda mask: 0.5, "illegal answer: 0.5 is a float"),
        (lambda mask: None, "illegal answer: None"),
        (dawdle, "no answer within 1 second; a longer clock allows more"),
    ],
)
def test_a_policy_forfeits_one_game_only(
    third: Any, reason: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    info = table.ArenaTable.info
    monkeypatch.setattr(
        table.ArenaTable, "info", lambda table: info(table) | {"match": table.match.number}
    )
    result = arena.play([Clumsy(third), "greedy"], deals=3, clock=1, start=1)
    clumsy, greedy = result.players
    assert clumsy.forfeits == 1
    assert clumsy.reason is not None
    assert re.match(reason, clumsy.reason), clumsy.reason
    assert "\n" not in clumsy.reason
    assert greedy.forfeits == 0
    assert greedy.reason is None
    assert any("forfeited 1 of its 12 seats:" in note for note in result.notes())
    said = f"Clumsy forfeits a game for the first time: {clumsy.reason}"
    assert caplog.messages == [said]


def test_a_forfeit_earns_what_the_seat_that_earned_least_did(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The game continues with idle actions, so that it can be followed."""
    monkeypatch.setattr(arena_deals, "HOPELESS", 1000)
    game = mhing.Game("mhing", scoring="chips", reward="chips")

    def never(observation: Any, mask: Any, info: Info) -> int:
        raise RuntimeError

    players = line_up([never, "greedy"], game, "players")
    with Dealer(
        game, players, Schedule(1, 4, True), Seeds(None, 7), False, 1, Terms(),
        Guests(game, players, 1, None, None),
    ) as dealer:  # fmt: skip
        deals = [*itertools.chain.from_iterable(dealer.play(range(10)))]
    losses = 0
    for deal in deals:
        for seat in range(4):
            state = game.new_state(7 + deal.number)
            while not state.is_terminal:
                state.apply(
                    state.idle_action() if state.seat == seat else state.bot_action("greedy", 0)[0]
                )
            assert deal.rewards[0, seat] == state.returns().min()
            losses += state.returns()[seat] > state.returns().min()
        assert [forfeit.seat for forfeit in deal.forfeits] == [0, 1, 2, 3]
    assert losses > 0


def test_one_row_that_fails_costs_one_game() -> None:
    rows = Rows(fails=True)
    result = arena.play([rows, "greedy"], deals=3, seed=1)
    assert result.players[0].forfeits == 0
    assert set(rows.asked) == {1}
    same_results(result, arena.play([last_legal, "greedy"], deals=3, seed=1))


def test_a_traceback_is_shown_once(caplog: pytest.LogCaptureFixture) -> None:
    """That of the player's own code, from its first line on."""
    result = arena.play({"bad": lambda *_: fail(None), "greedy": "greedy"}, deals=2)
    assert result.players[0].forfeits == 8
    (record,) = caplog.records
    assert record.exc_info
    assert [frame.name for frame in traceback.extract_tb(record.exc_info[2])] == [
        "<lambda>",
        "fail",
    ]


def test_a_deal_alone_has_no_interval() -> None:
    result = arena.play(["greedy", "random"], deals=1)
    assert result.heading().startswith("1 deal, 2 games of mhing")
    assert result.notes()[0] == "no intervals: they take two deals or more"
    assert "±" not in str(result.standings()) + str(result.cross_table())
    assert [row[3] for row in csv.reader(io.StringIO(result.csv()))][1:] == ["", ""]
    assert arena.play(["greedy"], field="random", deals=1).heading().startswith("1 deal, 4 games")


def test_forfeits_of_the_field_are_reported() -> None:
    decisions = itertools.count()

    def once(observation: Any, mask: Any, info: Info) -> int:
        return fail(mask) if next(decisions) == 3 else first_legal(observation, mask, info)

    result = arena.play(["greedy"], field=once, deals=2)
    assert result.forfeits_of_field == 1
    assert result.players[0].forfeits == 0
    assert result.notes()[-1] == "the field forfeited 1 of its seats"


# ---- Bad input -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("players", "more", "error", "words"),
    [
        ([], {}, ValueError, "players: 0 given"),
        (["greedy"], {}, ValueError, "players: 1 given; give at least 2, or 1 and a field"),
        (["greedy", "gready"], {}, ValueError, "players: no bot 'gready'"),
        (["greedy", 3], {}, TypeError, "players: 3 is neither"),
        (["greedy", "nowhere:play"], {}, ValueError, "nowhere:play cannot be imported"),
        (["greedy", "json:nothing"], {}, ValueError, "json:nothing cannot be imported"),
        (["greedy", "sys:maxunicode"], {}, ValueError, "sys:maxunicode is 1114111, and no object"),
        (["greedy", "json:__name__"], {}, ValueError, "json:__name__ is neither"),
        (["greedy", "json:dump"], {}, ValueError, r"json:dump takes .*; expected \(observation, "),
        (["greedy", "json:JSONDecoder"], {}, ValueError, "json:JSONDecoder is a class; give an"),
        (["greedy", "bots.py:play"], {}, ValueError, "names a file; .*: 'bots:play'"),
        (["greedy", "./my/bots.py:play"], {}, ValueError, "names a file; .*: 'bots:play'"),
        (["greedy", "my bot=greedy"], {}, ValueError, "a name before = has letters, digits, '_'"),
        (["greedy", f"exec:{__file__}"], {}, ValueError, "it may not be executed; chmod"),
        (["greedy", "onnx:nowhere.onnx"], {}, (ValueError, ModuleNotFoundError), "players: "),
        (["greedy", "exec:./nobody"], {}, ValueError, "players: ./nobody cannot be started"),
        (["greedy", "linear.onnx"], {}, ValueError, r"; did you mean onnx:linear\.onnx\?"),
        (["greedy", "bot.py"], {}, ValueError, r"; did you mean exec:python bot\.py\?"),
        (["greedy", "onx:my.onnx"], {}, ValueError, r"; did you mean onnx:my\.onnx\?"),
        (["greedy", "onx:./my.onnx"], {}, ValueError, r"; did you mean onnx:\./my\.onnx\?"),
        (["greedy", "json:lods"], {}, ValueError, r"no attribute 'lods'; did you mean loads\?"),
        (["greedy", "sb3:"], {}, ValueError, "players: sb3: names nothing; write sb3:FILE: a Mask"),
        (["greedy"] * 2, {"deal": 5}, TypeError, "argument 'deal'; did you mean deals"),
        (
            ["greedy"] * 2,
            {"game": mhing.Game(), "deal": 5},
            TypeError,
            r"deal: the game is made already; give options to Game\(\); did you mean deals\?",
        ),
        (["greedy", "exec:"], {}, ValueError, "players: exec: names no program"),
        (["greedy", "exec:'"], {}, ValueError, "players: ': No closing quotation"),
        (["greedy"], {"field": "gready"}, ValueError, "field: no bot 'gready'"),
        (["greedy"] * 2, {"deals": 0}, ValueError, "deals: 0"),
        (["greedy"] * 2, {"deals": 1.5}, TypeError, "deals: 1.5"),
        (["greedy"] * 2, {"num_threads": 0}, ValueError, "num_threads: 0"),
        (["greedy"] * 2, {"seed": 2**64}, ValueError, "seed: 18"),
        (["greedy"] * 2, {"seed": 1.5}, TypeError, "seed: 1.5"),
        (["greedy"] * 2, {"first_seed": 2**64}, ValueError, "seed: 18"),
        (["greedy"] * 2, {"seed": 1, "first_seed": 1}, ValueError, "give one of them"),
        (["greedy"] * 2, {"clock": 0}, ValueError, "clock: 0 is not more than 0 seconds"),
        (["greedy"] * 2, {"clock": float("inf")}, ValueError, "clock: inf .* at most 86400"),
        (["greedy"] * 2, {"clock": "1"}, TypeError, "clock: '1' is no number"),
        ("greedy", {}, TypeError, r"sequence of players nor a mapping; give a list, \['greedy'"),
        (POOL, {}, TypeError, r"mapping; a pool is .*: \[\*pool\.members\.values\(\)\]"),
        ([POOL, "greedy"], {}, TypeError, "players: Pool.* a pool is for the opponents of an env"),
        (["greedy"], {"field": POOL}, TypeError, "field: Pool.* a pool is for the opponents"),
        ([["greedy", "net"]], {}, TypeError, r"\['greedy', 'net'\] .* in it, each by itself$"),
        ({"greedy"}, {}, TypeError, "nor a mapping; give the players in it, each by itsel"),
        (["net", {"me": "greedy"}], {}, TypeError, r"itself: \[\*players\.values\(\)\]"),
        (["greedy", "past:1"], {}, ValueError, "players: 'past:1' is no player here: reports of"),
        (["greedy", "league"], {}, ValueError, "players: 'league' is no player here: mhing train"),
        (3, {}, TypeError, "players: 3 is neither a sequence"),
        ({"a": "greedy", 4: "greedy"}, {}, TypeError, "players: 4 is no text"),
        (["greedy"] * 2, {"clock": float("nan")}, ValueError, "clock: nan"),
        (["greedy"] * 2, {"game": "chess"}, ValueError, "chess"),
        (["greedy"] * 2, {"num_players": 9}, ValueError, "num_players"),
        (["greedy"] * 2, {"game": mhing.Game(), "rules": "boxed"}, TypeError, "rules"),
        (["greedy"] * 2, {"log": "/nowhere/log.jsonl"}, OSError, "nowhere"),
    ],
    ids=str,
)
def test_bad_arguments(players: Any, more: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        arena.play(players, **{"deals": 1, **more})


def test_names() -> None:
    result = arena.play(["greedy", "best=greedy", "greedy", "greedy"], deals=1)
    assert [one.name for one in result.players] == ["greedy", "best", "greedy (2)", "greedy (3)"]
    result = arena.play({"a": "greedy", "b": first_legal}, deals=1)
    assert [one.name for one in result.players] == ["a", "b"]
    with pytest.raises(KeyError):
        result.difference("a", "c")


# ---- Results as files ------------------------------------------------------------------------


def test_csv_json_and_svg_are_well_formed() -> None:
    players = {"<&>": "greedy", 'naïve, "bot"': "random", "一": last_legal, "x" * 80: first_legal}
    result = arena.play(players, "general_mhing", deals=5)
    rows = list(csv.reader(io.StringIO(result.csv())))
    assert rows[0] == ["player", "opponent", "difference", "interval", "deals"]
    assert len(rows) == 1 + 4 * 3
    for player, opponent, difference, interval, deals in rows[1:]:
        mean = result.difference(player, opponent)
        assert (float(difference), float(interval)) == (mean.value, mean.interval)
        assert deals == "5"
    content = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert [one["name"] for one in content["players"]] == list(players)
    assert len(content["pairs"]) == 6
    short = arena.play(players, "general_mhing", deals=1).to_dict()
    assert json.loads(json.dumps(short, allow_nan=False))["pairs"][0]["interval"] is None
    picture = svg(result)
    root = ElementTree.fromstring(picture)
    width = float(root.attrib["width"])
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    texts = root.findall("{http://www.w3.org/2000/svg}text")
    shown = {text.text for text in texts}
    assert {"<&>", 'naïve, "bot"', "一"} <= shown
    assert all(0 <= float(text.attrib["x"]) <= width for text in texts)
    assert svg(arena.play(["greedy"], field="random", deals=2)).startswith("<svg")
