"""Numbers in observations are exact: by them a seat knows how the game stands, in every game."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from every_game import CASES, FEW, Options, case_name, is_allowed
from numpy.typing import NDArray
from rules.citing import rules_of

import mhing

rule = rules_of("mhing")
rule_of_general = rules_of("general_mhing")
rule_of_rummy = rules_of("mexican_rummy")

Table = dict[str, Any]

GAME = {"episode": "game"}
FAR: list[tuple[str, Options]] = [
    ("mhing", GAME | {"target": 1_000_000_000, "rounds": 1_000_000}),
    ("mhing", GAME | {"target": 0, "rounds": 1_000_000, "num_players": 6}),
    ("mhing", GAME | {"scoring": "chips", "rounds": 0, "num_players": 2}),
    ("general_mhing", GAME | {"target": 1000, "rounds": 1000, "turn_limit": 1000}),
    ("general_mhing", GAME | {"target": 0, "rounds": 1000, "num_players": 3}),
    ("mexican_rummy", GAME | {"turn_limit": 1000, "num_players": 2}),
]
"""Long games, in which numbers get large."""

EVERY = [*CASES, *FAR]
EVERY += [
    (name, more | GAME)
    for name, more in CASES
    if "episode" in mhing.Game(name).options and "episode" not in more
]
every_case = pytest.mark.parametrize(("game_id", "options"), EVERY, ids=case_name)

CREDITS = {
    **{1: 1, 2: 1, 3: 2, 4: 2, 5: 3, 8: 3, 9: 4, 16: 4, 17: 5, 32: 5, 33: 8, 64: 8, 65: 11},
    **{128: 11, 129: 14, 256: 14, 257: 17, 512: 17, 513: 20, 65537: 41, 131072: 41, 131073: 42},
}
"""The least credits that are worth these points, by the table of R7.1."""


def number(field: NDArray[np.uint8]) -> list[int]:
    """Numbers of several bytes, the low byte first."""
    rows = field.reshape(-1, field.shape[-1])
    return [int.from_bytes(row.tobytes(), "little") for row in rows]


# ---- What should be there ------------------------------------------------------------------------


def agreed_rounds(table: Table) -> int | None:
    """The rounds of an episode, where their number is agreed."""
    options = table["options"]
    rounds = options.get("rounds", 0)
    if options.get("episode") != "game":
        return None
    if table["game"] == "mhing":
        rounds = 100 if rounds < 0 and options["scoring"] == "chips" else max(rounds, 0)
    return int(rounds) or None


def target(table: Table) -> int:
    """The points that win the game; 0: none do."""
    options = table["options"]
    decides = options.get("episode") == "game" and options.get("scoring") != "chips"
    return int(options.get("target", 0)) if decides else 0


def expected(state: mhing.State, seat: int) -> dict[str, list[int]]:
    """Numbers, or those of all seats, the observer's first, as RULES.md and options give them."""
    table = state.to_dict()
    rounds, limit = agreed_rounds(table), table["options"].get("turn_limit", 0)
    left = limit * (2 if table.get("objective") == 6 else 1) - table.get("turn", 0)
    scores, chips = (
        np.roll(table.get(name) or [0] * state.game.num_seats, -seat).tolist()
        for name in ("scores", "chips")
    )
    return {
        "score": scores,
        "missing": [max(target(table) - score, 0) for score in scores],
        "chips": chips,
        "target": [target(table)],
        "round": [table["round"]],
        "rounds_left": [
            (rounds or 0) and rounds - table["round"] - (table["game"] == "mexican_rummy")
        ],
        "turns_left": [left],
        "shuffles": [table.get("shuffles", 0)],
    }


def standing(state: mhing.State) -> str:
    """The standing of the game, as everybody at the table knows."""
    table = state.to_dict()
    names = ("scores", "chips", "round", "turn", "shuffles")
    return str([table["options"], *(table.get(name) for name in names)])


# ---- Positions -----------------------------------------------------------------------------------


def later(table: Table, rounds: int) -> Table:
    """The same position so many rounds later, if the game lasts so long.

    After a multiple of 60 the same seat deals, whatever the number of players.
    """
    round_ = min(table["round"] + rounds, (agreed_rounds(table) or 10**9) - 1)
    return table | {"round": round_, "result": table["result"] | {"round": round_ - 1}}


def others(table: Table) -> Iterator[Table]:
    """Tables that differ in a score, in chips, in the round, the turn or the shuffles."""
    for seat in range(len(table.get("scores", []))):
        steps = [10, 20, 250, 260, 1280, 2560, 327680]
        near = [target(table) - missing for missing in (2, 4, 10, 256, 258, 512)]
        for score in [table["scores"][seat] + step for step in steps] + near:
            other = deepcopy(table)
            other["scores"][seat] = score
            yield other
    for amount in (10, 20, 256) if table.get("chips") else ():
        other = deepcopy(table)
        other["chips"][0] -= amount
        other["chips"][1] += amount
        yield other
    for step in (60, 120, 300, 720, 65520) if table.get("result") else ():
        yield later(table, step)
    for step in (12, 24, 768) if "shuffles" in table else ():
        yield table | {"turn": table["turn"] + step}
    for step in (1, 256, 512) if "shuffles" in table else ():
        last = {card: number + step for card, number in table["shuffle_of"].items()}
        turn = table["turn"] + 12 * step
        yield table | {"turn": turn, "shuffles": table["shuffles"] + step, "shuffle_of": last}


def positions(game: mhing.Game) -> list[mhing.State]:
    """Positions of a game that has lasted some rounds, and others that differ little."""
    found: list[mhing.State] = []
    state = game.new_state(5)
    for round_ in range(5):
        while not state.is_terminal and state.to_dict()["round"] == round_:
            if len(found) == round_ and state.to_dict().get("turn", 0) > 5:
                found.append(state.clone())
            state.apply(state.bot_action("greedy", 1)[0])
    table = found[-1].to_dict() if found else state.to_dict()
    if table.get("result") and "objective" not in table:
        table = later(table, 420)
    for other in [table, *others(table)]:
        for follows in ("returns", "rewards", "decisions"):
            other.pop(follows, None)
        try:
            found.append(game.state_from_dict(other))
        except ValueError:
            continue
    return [*found, state]


# ---- Tests ---------------------------------------------------------------------------------------


@every_case
def test_no_field_stops_short(game_id: str, options: Options) -> None:
    """A cap would be in its meaning."""
    game = mhing.Game(game_id, **options)
    assert [f.name for f in game.observation_fields if "at most" in f.meaning] == []


@every_case
@rule("R10.5")
@rule_of_general("R8.4")
@rule_of_rummy("R9.6")
def test_a_seat_knows_how_the_game_stands(game_id: str, options: Options) -> None:
    """Positions that differ in a public number look different, and the numbers can be read."""
    game = mhing.Game(game_id, **options)
    states = positions(game)
    assert len(states) >= (12 if any(state.to_dict()["round"] > 1 for state in states) else 1)
    for seat in range(game.num_seats):
        stood: dict[bytes, str] = {}
        for state in states:
            observation = state.observation(seat)
            assert stood.setdefault(observation.tobytes(), standing(state)) == standing(state)
            fields, numbers = game.unpack(observation), expected(state, seat)
            for field in game.observation_fields:
                if "low byte first" in field.meaning:
                    assert number(fields[field.name]) == numbers[field.name], field.name


@pytest.mark.parametrize("game_id", [game for game in mhing.games() if game != "leduc"])
def test_what_ends_a_game_is_seen(game_id: str) -> None:
    """Games with other targets, rounds or turn limits look different from the start."""
    for option in mhing.Game(game_id).describe()["options"]:
        name, high = option["name"], option["high"]
        if option["kind"] != "int" or high - option["low"] < FEW:
            continue
        first = {256, 300, 500, 512, 768, 1000, 65536, 1_000_000, high} | set(range(1, 9))
        chosen = [
            GAME | {name: value}
            for value in first
            if value <= high and is_allowed(game_id, GAME | {name: value})
        ]
        seen = {
            mhing.Game(game_id, **more).new_state(1).observation(0).tobytes() for more in chosen
        }
        assert len(seen) == len(chosen) >= 8, name


def declaring(options: Options, scores: list[int], rounds: int) -> mhing.State:
    """Seat 0 of two holds a complete hand of 2 points, after so many rounds."""
    game = mhing.Game("mhing", num_players=2, episode="game", **options)
    hands = [["1s", "2s", "3s", "4s", "5s", "6s", "3p", "4p", "5p", "7m", "8m", "9m", "W", "W"]]
    hands += [["E", "E", "E", "S", "S", "S", "N", "N", "N", "R", "R", "G", "P"]]
    result = {"round": rounds - 1, "winner": -1}
    table = {"hands": hands, "scores": scores, "round": rounds, "result": result}
    return game.state_from_dict(table)


@rule("R10.5", "R7.1")
@pytest.mark.parametrize(("missing", "credits"), CREDITS.items())
def test_credits_that_would_win(missing: int, credits: int) -> None:
    """At 498 of 500 points one credit wins, at 256 eleven: 244 points are more than 128."""
    target = 200_000 + missing % 2  # scores are even
    state = declaring({"target": target}, [target - missing, 0], 100)
    fields = state.game.unpack(state.observation(1))
    assert number(fields["missing"]) == [target, missing]
    assert fields["credits_missing"].tolist() == [42, credits]


@rule("R8.2")
@pytest.mark.parametrize(
    ("before", "after"), [(996, 998), (2147483644, 2147483646), *[(2147483646,) * 2]]
)
def test_a_score_stops_at_the_highest_even_number(before: int, after: int) -> None:
    state = declaring({"target": 0, "rounds": 1_000_000}, [before, 0], 40_000)
    state.apply(state.game.action_id("mhing"))
    assert state.info()["points"] == 2
    assert state.info()["scores"].tolist()[:2] == [after, 0]
    assert number(state.game.unpack(state.observation(0))["score"]) == [after, 0]


@rule("R8.2")
@pytest.mark.parametrize("reward", ["points", "credits"])
def test_rewards_go_on_where_a_score_has_stopped(reward: str) -> None:
    """Such a hand earns more than its score shows; snapshots hold it."""
    options = {"target": 0, "rounds": 1_000_000, "reward": reward}
    state = declaring(options, [2147483646, 0], 40_000)
    state.apply(state.game.action_id("mhing"))
    assert state.rewards()[0] == {"points": 2, "credits": 1}[reward]
    assert state.game.from_bytes(state.to_bytes()) == state
    assert state.game.state_from_dict(state.to_dict()) == state
