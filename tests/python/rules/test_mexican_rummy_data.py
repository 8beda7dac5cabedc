"""Rules of Mexican Rummy: actions, observations, states as data, options."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from playing import DULL

import mhing
from rules.citing import ROOT, rules_of
from rules.rummy_positions import a_run, a_set, begins, legal, played, position, texts

rule = rules_of("mexican_rummy")

TYPES = [rank + suit for suit in "shdc" for rank in "A23456789TJQK"]
GAME = mhing.Game("mexican_rummy")
LONG = "3s 5d 7c 8h Ts Jd Kc As 4h 6s 9d"


# ---- R9 Actions and their texts -----------------------------------------------------------------


@rule("R9.1")
@pytest.mark.parametrize(
    ("number", "text"),
    [
        *enumerate(["draw", "take", "may i", "pass", "grant", "refuse", "set A", "set 2"]),
        *(
            (18, "set K"),
            (19, "run A234s"),
            (29, "run JQKAs"),
            (30, "run A234h"),
            (62, "run JQKAc"),
        ),
        *((63, "lay As"), (64, "lay 2s"), (82, "lay 7h"), (114, "lay Kc")),
        *((115, "onto 0.1"), (117, "onto 0.3"), (118, "onto 1.1"), (132, "onto 5.3")),
        *((133, "low 0.1"), (150, "low 5.3"), (151, "high 0.1"), (168, "high 5.3")),
        *((169, "swap As"), (220, "swap Kc"), (221, "discard As"), (272, "discard Kc")),
    ],
)
def test_numbers_and_texts_of_actions(number: int, text: str) -> None:
    assert (GAME.action_text(number), GAME.action_id(text)) == (text, number)
    assert GAME.num_actions == 273


@rule("R9.1")
def test_melds_are_named_from_the_seat_that_acts() -> None:
    """Seat 0 is the third to the left of seat 1, of four."""
    melds = [[a_set("Kshd"), a_set("4shd")], [a_set("7shd"), a_set("9shd")], [], []]
    keys = {"turn": 5, "starter": 1}
    hands = ["3d 5s 6s 8s", "Kc 9c 5d 4c Kd", DULL, DULL]
    state = position(hands, melds, keys=keys)
    assert state.seat == 1
    played(state, "lay Kc")
    event = state.to_dict()["events"][-1]
    assert (event["text"], event["place"]) == ("Kc", 1 + 3 * 3 + 0)
    assert texts(state.to_dict(), 0)[0] == "Kshdc"


@rule("R9.2")
def test_an_objective_is_laid_a_card_at_a_time() -> None:
    state = position(["7sshd 9shd 45d 2s Jc", DULL])
    assert begins(state) == {"set 7", "set 9"}
    played(state, "set 7")
    # The 7s must be the first, and the cards come in the order of their numbers.
    assert legal(state) == {"lay 7s", "lay 7h"}
    table = played(state, "lay 7h")  # and the 7d
    assert texts(table) == ["7shd", "9shd"]
    run = position(["9shd 457d 2s 2c Jc Qh Kc", DULL], objective=2)
    table = played(run, "set 9")
    assert (table["phase"], {action.split()[0] for action in legal(run)}) == ("meld", {"run"})
    table = played(run, "run 4567d")  # sets come before runs
    assert legal(run) == {"lay 4d", "lay 2s", "lay 2c"}
    played(run, "lay 4d", "lay 5d")
    assert texts(played(run, "lay 2c", "lay 7d"))[1] == "456*7d"


@rule("R9.2")
def test_in_the_last_round_the_melds_are_then_made_longer() -> None:
    state = position(["4shd 2345h 9TJQs 8s 6h", DULL], objective=6)
    played(state, "set 4")
    while state.to_dict()["phase"] != "extend":
        least = {"run 2345h", "run 9TJQs", "lay 4s", "lay 4h", "lay 9s", "lay 2h"}
        played(state, max(legal(state) & least))
    assert {"lay 8s", "lay 6h"} == legal(state)
    table = played(state, "lay 8s")
    assert (table["phase"], sorted(texts(table))) == ("over", ["23456h", "4shd", "89TJQs"])


@rule("R9.3")
def test_no_step_leads_into_a_dead_end_and_nothing_else_is_legal_between() -> None:
    """The king of diamonds is needed in the run, so only two kings are left for a set."""
    state = position(["Kshd TJQd 9shc 4c 5c", DULL], objective=2)
    assert begins(state) == {"set 9"}
    assert texts(played(state, "set 9")) == ["9shc", "TJQKd"]
    choice = position(["9shdc 9TJQs Kc 4d 5c", DULL], objective=2)
    played(choice, "set 9")
    while choice.to_dict()["plan"]:
        assert {action.split()[0] for action in legal(choice)} == {"lay"}
        played(choice, max(legal(choice)))
    assert texts(choice.to_dict())[1] == "9TJQs"


@rule("R9.4")
def test_who_has_a_single_move_is_not_asked() -> None:
    exactly = position(["7shd 9shd 4s 5d Jc Qh Kc", DULL])
    table = played(exactly, "set 7")  # three cards, and one set is left
    assert (texts(table), table["phase"]) == (["7shd", "9shd"], "play")
    last = position(["7c 5d", DULL], [[a_set("7shd"), a_set("Ksshddc")]])
    table = played(last, "lay 7c")  # one place, then one card
    assert (table["result"]["ending"], table["events"][-2]["event"]) == (
        "last card laid",
        "discard",
    )


@rule("R9.5")
def test_the_next_action_names_a_place_where_there_are_several() -> None:
    melds = [[a_set("7shd"), a_run("23456789TJQKh")]]
    state = position(["7c Ah 2s 7s 4d 3d", "3s 3c 5s 5c 6s 6c 8d 8s 8c 9s"], melds, objective=2)
    played(state, "lay Ah")
    assert legal(state) == {"low 0.2", "high 0.2"}
    assert texts(played(state, "low 0.2"))[1] == "A23456789TJQKh"
    assert texts(played(state, "lay 2s"))[1] == "A23456789TJQKA*h"  # one end is left
    two = [[a_set("7shd"), a_run("3456c")]]
    state = position(["7c 2c Jd Qs", DULL], two, objective=2)
    wild = state.clone()
    played(wild, "lay 2c")
    assert legal(wild) == {"low 0.2", "high 0.2"}
    played(state, "lay 7c")
    assert legal(state) == {"onto 0.1", "onto 0.2"}


@rule("R9.6")
def test_an_observation_holds_what_its_seat_may_know() -> None:
    keys = {"shown": ["3s"], "turn": 4, "starter": 0}
    state = position([LONG, DULL, DULL], discards="2d", keys=keys)
    own, other = (state.game.unpack(state.observation(seat)) for seat in (0, 1))
    assert [card for card, count in zip(TYPES, own["hand"], strict=True) if count] == sorted(
        LONG.split(), key=TYPES.index
    )
    assert own["drawn"] == TYPES.index("9d") + 1
    assert other["drawn"] == 0
    # Seat 0 sits two seats to the left of seat 1, and is known to hold the 3 of spades.
    assert other["on_turn"] == 3
    assert np.flatnonzero(other["known"][2]).tolist() == [TYPES.index("3s")]
    assert other["hand_size"].tolist() == [10, 10, 11]
    # Of 104 cards seat 1 sees its ten, the discard and the card known.
    assert other["unseen"].sum() == 104 - 10 - 1 - 1
    # Where the other cards lie, it does not know.
    moved = state.to_dict()
    hand, pile = moved["hands"][0], moved["draw_pile"]
    pile.reverse()
    at = hand.index("5d")
    hand[at], pile[0] = pile[0], hand[at]
    changed = state.game.state_from_dict(moved)
    assert changed.observation(1).tobytes() == state.observation(1).tobytes()


@rule("R9.6")
def test_it_says_what_follows_from_cards_that_lay_open() -> None:
    """The last shuffle was of the draw pile and of the card drawn: the other hands are older."""
    state = position([LONG, DULL], keys={"turn": 121})
    table = state.to_dict()
    again = {*table["draw_pile"], table["drawn"]}
    table["shuffles"] = 1
    table["shuffle_of"] = {card: int(card in again) for card in table["shuffle_of"]}
    seen = state.game.unpack(state.game.state_from_dict(table).observation(1))
    assert seen["old_cards"].tolist() == [10, 10]
    drawable = {card[:2] for card in again}
    assert {card for card, count in zip(TYPES, seen["drawable"], strict=True) if count} == drawable
    assert seen["drawable"].sum() == len(again)


@pytest.mark.slow
@rule("R9.7")
def test_describe_prints_the_same_for_people_and_for_programs() -> None:
    def described(*words: str) -> str:
        command = [sys.executable, "-m", "mhing", "describe", "mexican_rummy", *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    data: dict[str, Any] = json.loads(described("--json"))
    page = described()
    assert data == GAME.describe()
    assert len(data["actions"]) == 14
    for part in ("observation", "features", "actions", "events", "options"):
        for row in data[part]:
            assert row["name"] in page


# ---- R10 A state as data ------------------------------------------------------------------------


@rule("R10.1")
def test_a_table_says_everything() -> None:
    """The table shows a plan with a swap, a card on offer and a known card."""
    melds = [[], [a_set("9shd"), a_run("456*7d", "2s")]]
    state = position(["9TQs 6d 5shc 5d Kd Kh 8c", "3d 3c 8s"], melds, objective=2)
    table = played(state, "swap 6d")
    assert table["plan"] == {
        "rest": ["2s", "5s", "9s", "Ts", "Qs", "5h", "Kh", "5d", "Kd", "5c", "8c"],
        "melds": [{"kind": "set", "rank": 4, "text": "5", "cards": []}],
        "to_fill": 3,
        "wanted": "2s",
        "swap": {"given": "6d", "got": "2s", "seat": 1, "meld": 1, "place": 5},
    }
    open_ = position(
        [LONG[:-3], DULL], discards="9c 2d", keys={"phase": "start", "turn": 3}
    ).to_dict()
    assert (open_["offer"], open_["offered_by"], open_["seat"]) == ("2d", 1, 0)
    assert (open_["game"], open_["round"], open_["objective"]) == ("mexican_rummy", 0, 1)
    assert open_["discards"] == [{"card": "9c", "by": 1}, {"card": "2d", "by": 1}]
    page = (ROOT / "envs" / "mexican_rummy" / "RULES.md").read_text(encoding="utf-8")
    keys = page[page.index("| key | what it holds |") :].split("\n\n")[0].splitlines()[2:]
    assert [line.split("`")[1] for line in keys] == list(open_)


@rule("R10.2")
def test_a_state_is_made_of_few_keys() -> None:
    hands = [[rank + suit for rank in "A23456789T"] for suit in "shdc"]
    table = GAME.state_from_dict(
        {"hands": hands, "discards": [{"card": "Ks", "by": None}]}
    ).to_dict()
    assert (table["phase"], table["turn"], table["seat"], table["starter"]) == ("start", 1, 0, 0)
    assert (table["objective"], table["scores"], table["shown"]) == (1, [0, 0, 0, 0], [])
    in_order = [card + mark for mark in ("", "'") for card in TYPES]
    there = {card for hand in hands for card in hand} | {"Ks"}
    assert table["draw_pile"] == [card for card in in_order if card not in there]
    for wrong, words in (({}, "hands"), ({"hands": hands}, "discards")):
        with pytest.raises(ValueError, match=words):
            GAME.state_from_dict(wrong)
    with pytest.raises(ValueError, match="offer: 'Qs' was given"):
        GAME.state_from_dict(table | {"offer": "Qs"})


@rule("R10.3")
def test_when_an_episode_ends_the_table_stays_as_it_was() -> None:
    state = position([LONG, DULL], [[], []], keys={"turn": 3}, turn_limit=3)
    before = state.to_dict()
    table = played(state, "discard 9d")
    assert (table["phase"], table["seat"], table["on_turn"]) == ("over", -1, 0)
    hands = [[card for card in hand if card != "9d"] for hand in before["hands"]]
    assert table["hands"] == hands
    assert table["draw_pile"] == before["draw_pile"]
    assert table["discards"][-1] == {"card": "9d", "by": 0}


# ---- R11 Options --------------------------------------------------------------------------------


@rule("R11.1")
def test_an_option_beside_a_preset_changes_it() -> None:
    assert mhing.Game("mexican_rummy", rules="standard").options == GAME.options
    assert mhing.Game("mexican_rummy", rules="standard", objective=3).options["objective"] == 3
    assert [preset["name"] for preset in GAME.describe()["presets"]] == ["standard"]


@rule("R11.2")
def test_options_have_these_values_and_defaults() -> None:
    assert GAME.options == {
        "num_players": 4,
        "objective": 1,
        "rounds": 6,
        "turn_limit": 200,
        "turned_up": True,
        "swaps": "any",
        "dealer": -1,
        "episode": "round",
        "reward": "score",
        "hints": False,
    }
    ends = {"num_players": (2, 6), "objective": (0, 6), "rounds": (1, 6), "turn_limit": (1, 65535)}
    for name, (least, most) in ends.items():
        for value in (least, most):
            assert mhing.Game("mexican_rummy", **{name: value}).options[name] == value
        for value in (least - 1, most + 1):
            with pytest.raises(ValueError, match=name):
                mhing.Game("mexican_rummy", **{name: value})


@rule("R11.3")
def test_a_dealer_beyond_the_last_seat_is_refused() -> None:
    assert mhing.Game("mexican_rummy", num_players=3, dealer=2).options["dealer"] == 2
    with pytest.raises(ValueError, match="dealer"):
        mhing.Game("mexican_rummy", num_players=3, dealer=3)
