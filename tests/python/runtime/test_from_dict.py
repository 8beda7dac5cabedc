"""States made of dicts: what `to_dict()` exports, and what people write by hand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from itertools import chain, islice
from random import Random
from typing import Any

import numpy as np
import pytest
from every_game import CASES, Options, case_name, some_play
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import mhing

every_case = pytest.mark.parametrize(("game_id", "options"), CASES, ids=case_name)


def some_states(game: mhing.Game, seed: int, most: int, every: int = 5) -> Iterator[mhing.State]:
    """States of an episode by a bot that now and then plays at random: of each phase some."""
    rng, state = Random(seed), game.new_state(seed)
    for decision in range(most):
        if decision % every == 0 or state.is_terminal:
            yield state
        if state.is_terminal:
            return
        if rng.random() < 0.7:
            state.apply(state.bot_action("greedy", 0)[0])
        else:
            state.apply(rng.choice(state.legal_actions().tolist()))


def assert_alike(one: mhing.State, other: mhing.State) -> None:
    assert one.to_dict() == other.to_dict()
    assert np.array_equal(one.legal_actions(), other.legal_actions())
    assert np.array_equal(one.omniscient(), other.omniscient())
    for seat in range(one.game.num_seats):
        assert np.array_equal(one.observation(seat), other.observation(seat))


# ---- The way back --------------------------------------------------------------------------------


@every_case
def test_what_is_exported_is_read_again(game_id: str, options: Options) -> None:
    """To the same bytes, which equal states have, also when events are forgotten."""
    game = mhing.Game(game_id, **options)
    for state in chain(some_states(game, 1, 400, 7), islice(some_play(game, 2, 400), 0, None, 7)):
        data = state.to_dict()
        read = game.state_from_dict(json.loads(json.dumps(data)))
        assert_alike(read, state)
        assert read.to_bytes() == state.to_bytes()


@every_case
def test_the_future_is_the_same(game_id: str, options: Options) -> None:
    """Deals and shuffles to come included, so an export and the actions replay a whole game."""
    game = mhing.Game(game_id, **options)
    for seed, start in ((1, 0), (2, 25)):
        *_, state = some_states(game, seed, start + 1, 1)
        read = game.state_from_dict(state.to_dict())
        rng = Random(seed)
        for _ in range(400):
            assert read.seat == state.seat
            if state.is_terminal:
                break
            action = rng.choice(state.legal_actions().tolist())
            state.apply(action)
            read.apply(action)
        assert_alike(read, state)
        assert np.array_equal(read.returns(), state.returns())


def test_later_deals_follow_from_the_generator() -> None:
    game = mhing.Game("mhing", episode="game", rounds=3)
    data = game.new_state(1).to_dict()
    ends = []
    for random in (data["random"], "0123456789abcdef"):
        state = game.state_from_dict(data | {"random": random})
        assert state.to_dict()["hands"] == data["hands"]
        while state.rounds_over == 0:
            state.apply(state.bot_action("greedy", 0)[0])
        ends.append(state.to_dict()["hands"])
    assert ends[0] != ends[1]


# ---- Positions written by hand -------------------------------------------------------------------

HANDS: dict[str, list[list[str]]] = {
    "leduc": [["Ks"], ["Qh"]],
    "mhing": [
        ["2s", "3s", "4s", "5s", "6s", "7s", "3p", "4p", "5p", "8p", "8p", "E", "E", "E"],
        ["1m", "1m", "1m", "2m", "2m", "2m", "3m", "3m", "3m", "4m", "4m", "4m", "5m"],
        ["5m", "5m", "5m", "6m", "6m", "6m", "7m", "7m", "7m", "8m", "8m", "8m", "9m"],
        ["N", "N", "N", "W", "W", "W", "S", "S", "S", "R", "R", "R", "J"],
    ],
    "general_mhing": [
        ["As", "2s", "3s", "5h", "7c", "9c", "Kd", "Jd"],
        ["Ah", "2h", "3h", "5s", "7d", "9d", "Kc"],
    ],
    "mexican_rummy": [
        ["As", "Ah", "Ad", "2c", "3c", "4c", "5c", "6c", "7c", "8c"],
        ["As'", "Ah'", "Ad'", "2c'", "3c'", "4c'", "5c'", "6c'", "7c'", "8c'"],
        ["9h", "Th", "Jh", "Qh", "Kh", "9d", "Td", "Jd", "Qd", "Kd"],
        ["9h'", "Th'", "Jh'", "Qh'", "Kh'", "9d'", "Td'", "Jd'", "Qd'", "Kd'"],
    ],
}  # fmt: skip
TURNED_UP = {"discards": [{"card": "Ac", "by": None}]}


def by_hand(game_id: str, **keys: Any) -> dict[str, Any]:
    """A position of which only what is needed is given, and what a test adds."""
    needed = TURNED_UP if game_id == "mexican_rummy" else {}
    return {"hands": HANDS[game_id], **needed, **keys}


@pytest.mark.parametrize("game_id", HANDS)
def test_a_position_needs_little(game_id: str) -> None:
    game = mhing.Game(game_id)
    state = game.state_from_dict(by_hand(game_id))
    assert state.seat == 0
    assert list(map(sorted, state.to_dict()["hands"])) == list(map(sorted, HANDS[game_id]))
    assert state.rounds_over == 0
    assert not state.returns().any()
    assert state.resample(0, 1).play_out("greedy", seed=1).is_terminal
    needed = by_hand(game_id)
    for key in needed:
        with pytest.raises(ValueError, match=key):
            game.state_from_dict({name: needed[name] for name in needed if name != key})


def test_a_puzzle_is_played_as_its_rules_say() -> None:
    """A complete hand with the last card drawn, then with a claim to be answered."""
    game = mhing.Game("mhing")
    state = game.state_from_dict(by_hand("mhing"))
    assert state.to_dict()["drawn"] == "E", "the last card of the hand, where none is named"
    assert "mhing" in map(game.action_text, state.legal_actions())
    one, *others = HANDS["mhing"]
    discards = [{"card": "5p", "by": 3}]
    waiting = [one[:10] + one[11:], *others]
    claim = game.state_from_dict(
        {"hands": waiting, "dealer": 3, "phase": "claim", "seat": 0, "discards": discards}
    )
    assert claim.to_dict()["offer"] == "5p"
    assert claim.to_dict()["offered_by"] == 3
    assert "pass" in map(game.action_text, claim.legal_actions())


def test_swaps_can_be_set_up() -> None:
    game = mhing.Game("general_mhing")
    hands = [["8c", "2s", "3s", "5h", "4d", "9s", "Kd", "Qd"], HANDS["general_mhing"][1]]
    laid = [[{"text": "78*9c"}], []]
    state = game.state_from_dict({"hands": hands, "sequences": laid})
    assert "swap 8c" in map(game.action_text, state.legal_actions())


def test_equal_cards_of_melds_differ_by_where_the_others_are() -> None:
    hands = [hand.copy() for hand in HANDS["mexican_rummy"]]
    hands[0] = ["2d", "3d", "4d", "5d"]
    laid = {"kind": "set", "rank": 0, "cards": ["As", "Ah", "Ad"]}
    other = {"kind": "set", "rank": 11, "cards": ["Qs", "Qc", "Qs"]}
    game = mhing.Game("mexican_rummy", objective=1)
    data = {"hands": hands, "melds": [[laid, other], [], [], []], **TURNED_UP}
    table = game.state_from_dict(data).to_dict()
    assert not {"As", "As'", "Qs", "Qs'"} & {*table["draw_pile"]}
    assert "Ac'" in table["draw_pile"]


def test_runs_that_are_being_laid_are_read_again() -> None:
    """The cards of the last one need not begin at its lowest place."""
    game, found = mhing.Game("mexican_rummy", objective=3), 0
    for seed in range(8):
        for state in some_states(game, seed, 150, 1):
            plan = state.to_dict()["plan"]
            if plan and plan["melds"] and plan["melds"][-1].get("low"):
                assert_alike(game.state_from_dict(state.to_dict()), state)
                found += 1
    assert found > 3


def test_runs_that_have_grown_downwards_are_read_again() -> None:
    """In the last round, while other cards are still to be laid: the run began with its 4."""
    game = mhing.Game("mexican_rummy", objective=6, num_players=2)
    hand = ["4s", "5s", "6s", "7s", "Ks", "Kh", "Kd", "Kc", "3d", "4d", "5d", "6d", "7d", "8d"]
    others = ["9s", "9h", "9d", "9c", "Ts", "Th", "Td", "Tc", "Js", "Jh"]
    data = {"hands": [[*hand, "9d'"], others], "phase": "play", "drawn": "4d", **TURNED_UP}
    state = game.state_from_dict(data)
    for text in ("set K", "lay Ks", "lay Kh", "lay Kd", "run 4567s", "run 4567d", "lay 3d"):
        state.apply(game.action_id(text))
    table = state.to_dict()
    assert table["plan"]["melds"][-1]["cards"] == ["3d", "4d", "5d", "6d", "7d"]
    assert table["plan"]["rest"] == ["8d", "9d'", "Kc"]
    assert game.state_from_dict(table) == state


@pytest.mark.parametrize("objective", [1, 3, 6])
def test_the_objective_of_a_position_is_that_of_the_options(objective: int) -> None:
    game = mhing.Game("mexican_rummy", objective=objective)
    assert game.state_from_dict(by_hand("mexican_rummy")).to_dict()["objective"] == objective


@pytest.mark.parametrize(
    ("game_id", "keys", "words"),
    [
        ("leduc", {"hand": []}, "there is no key 'hand'; the keys are game, options"),
        ("leduc", {"game": "mhing"}, "game: 'mhing' was given, but 'leduc' follows"),
        ("leduc", {"options": {"max_raises": 3}}, "options.max_raises: 3 was given, but 2 follows"),
        ("leduc", {"options": {"raises": 3}}, "options: there is no key 'raises'; there are"),
        ("leduc", {"stakes": [2, 1]}, r"stakes\[0\]: 2 was given, but 1 follows"),
        ("leduc", {"hands": [["Ks"]]}, "hands: 1 items; there is one for each of 2 seats"),
        ("leduc", {"stakes": [1]}, r"stakes: \[1\] was given, but \[1, 1\] follows"),
        ("leduc", {"open": "Js"}, "open: 'Js' was given, but None follows"),
        ("leduc", {"random": "0123456789abcdeg"}, "random: '0123456789abcdeg' is not 16 hexa"),
        ("leduc", {"random": "0123456789ABCDEF"}, "is not 16 hexadecimal digits"),
        ("leduc", {"random": "0123456789abcdef0"}, "is not 16 hexadecimal digits"),
        ("leduc", {"round": float("nan")}, "data: .*JSON"),
        ("mhing", {"turn": 7}, "turn: 7 was given|turns do not add up"),
        ("mhing", {"on_turn": 2}, "on_turn: 2 was given, but 0 follows"),
        ("mhing", {"dealer": 1}, r"hands\[0\]: 14 cards; with 0 melds .* 13 now"),
        ("mhing", {"round": 2}, "result: is needed, and was left out"),
        ("mhing", {"melds": [[{"text": "EEE"}], [], [], []]}, r"melds\[0\]\[0\].text: E occurs"),
        ("mhing", {"melds": [[{"text": "112s"}], [], [], []]}, "'112s' is none of the game's"),
        ("mhing", {"flowers": [9, 0, 0, 0]}, r"flowers\[0\]: 9 is not a whole number from 0 to 8"),
        ("mhing", {"source": ["F"]}, "source: 1s is missing: it is nowhere"),
        ("mhing", {"phase": "claim"}, "seat: is needed"),
        ("mhing", {"drawn": "9p"}, "the card drawn is not in the hand"),
        ("mhing", {"discards": [{"card": "F", "by": 0}]}, r"discards\[0\].card: a flower"),
        ("general_mhing", {"phase": "end"}, r"hands\[0\]: 8 cards; a seat holds 7, and on turn"),
        ("general_mhing", {"sequences": [[{"text": "TJQc"}, {"text": "JQKc"}], []]}, "more often"),
        ("general_mhing", {"shuffle_of": {"As": 1}}, "shuffle_of.As: 1 is not .* from 0 to 0"),
        ("general_mhing", {"shown": ["2h"]}, "cards are known that cannot be"),
        ("mexican_rummy", {"discards": []}, "discards: none; the last one may be had"),
        ("mexican_rummy", {"discards": [{"card": "As"}]}, r"discards\[0\].card: As occurs more"),
        ("mexican_rummy", {"phase": "ask"}, "seat: is needed"),
        ("mexican_rummy", {"plan": {"rest": []}}, "plan: {'rest': \\[\\]} was given, but None"),
        ("mexican_rummy", {"round": 6}, "objective: there are 6"),
    ],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_is_refused(game_id: str, keys: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        mhing.Game(game_id).state_from_dict(by_hand(game_id, **keys))


@pytest.mark.parametrize("data", [None, [], "{}", {"hands": {1, 2}}, {"hands": object()}])
def test_what_is_no_plain_data(data: Any) -> None:
    with pytest.raises(TypeError, match="data"):
        mhing.Game("leduc").state_from_dict(data)


def test_a_circle_is_refused() -> None:
    circle: list[Any] = []
    circle.append(circle)
    with pytest.raises(ValueError, match="data"):
        mhing.Game("leduc").state_from_dict({"hands": circle})


# ---- Changed at random ---------------------------------------------------------------------------

ODD: list[Any] = [
    None, True, -1, 0, 1, 2, 3, 7, 255, 65536, 2**31, 2**70, 0.5, -1e300, "", "over", "x" * 99, [],
    {}, "\u2028", "5s", "J", "0" * 16,
]  # fmt: skip


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """All containers in a value, each with its keys or indices."""
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from places(value[key])


def change(data: dict[str, Any], rng: Random) -> None:
    """Changes something: one value becomes another one, an odd one or one from elsewhere."""
    all_places = list(places(data))
    (to, key), (source, at) = rng.choice(all_places), rng.choice(all_places)
    match rng.randrange(6):
        case 0:
            to[key] = rng.choice(ODD)
        case 1:
            del to[key]
        case 2 if isinstance(to, list):
            to.insert(key, deepcopy(source[at]))
        case 3 if isinstance(to[key], int):
            to[key] += rng.choice([-1, 1])
        case _:
            to[key], source[at] = deepcopy(source[at]), deepcopy(to[key])


def read_or_refusal(game: mhing.Game, data: Any) -> tuple[mhing.State | None, str]:
    try:
        return game.state_from_dict(data), ""
    except ValueError as error:
        return None, str(error)


@pytest.mark.slow
@settings(max_examples=40, deadline=None, phases=[Phase.reuse, Phase.generate])
@given(rng=st.randoms(use_true_random=False), case=st.sampled_from(CASES))
def test_changed_at_random_it_is_refused_or_a_state(rng: Random, case: tuple[str, Options]) -> None:
    game = mhing.Game(case[0], **case[1])
    *_, state = some_states(game, rng.randrange(50), rng.randrange(1, 120), 1)
    text = json.dumps(state.to_dict())
    for _ in range(12):
        data = json.loads(text)
        for _ in range(rng.randrange(1, 4)):
            change(data, rng)
        read, refusal = read_or_refusal(game, data)
        if not read:
            assert re.fullmatch(r".+: .+", refusal), refusal
            continue
        assert game.from_bytes(read.to_bytes()) == read
        assert_alike(game.state_from_dict(read.to_dict()), read)
        assert read.play_out("greedy", seed=1).is_terminal
