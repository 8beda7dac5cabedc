"""Rules of Mexican Rummy: melds, a turn, May I, swaps and the last round."""

from __future__ import annotations

import pytest
from playing import DULL

from rules.citing import rules_of
from rules.rummy_positions import (
    Table,
    a_run,
    a_set,
    begins,
    cards,
    last_events,
    legal,
    names,
    played,
    position,
    texts,
)

rule = rules_of("mexican_rummy")

WAITS = "3s 5d 7c 8h Ts Jd Kc As 4h 6s"
"""A hand of ten that meets no objective."""


# ---- R3 Melds -----------------------------------------------------------------------------------


@rule("R3.1")
def test_a_set_is_three_cards_of_a_rank_of_any_suits_equal_ones_too() -> None:
    state = position(["7ss 7hh 7dd 3h 4d 9h Jc Qc", DULL])
    assert begins(state) == {"set 7"}
    table = played(state, "set 7", "lay 7s", "lay 7s", "lay 7h")
    assert texts(table) == ["7ssh", "7hdd"]
    assert begins(position(["7ss 7hh 9h 9d 3h 4d Jc Qc Ks", DULL])) == set()  # four and two


@rule("R3.2", "R2.2")
def test_a_run_is_four_neighbours_of_a_suit() -> None:
    assert begins(position(["2345678h Kc Qd Jd 9s", DULL], objective=3)) == set()  # seven
    state = position(["23456789h Kc Qd Jd", DULL], objective=3)
    assert begins(state) == {"run 2345h", "run 6789h"}
    assert texts(played(state, "run 6789h")) == ["6789h", "2345h"]
    mixed = position(["234h 5d 6789h Kc Qd Jd", DULL], objective=3)
    assert begins(mixed) == set()
    # Two runs may overlap.
    overlapping = position(["3456h 4567h Kc Qd Jd", DULL], objective=3)
    assert begins(overlapping) == {"run 3456h", "run 4567h"}


@rule("R3.2")
def test_a_run_has_one_ace_at_each_end_and_then_is_full() -> None:
    full = a_run("A23456789TJQKAh")
    state = position(["As 2s Ac 2c", DULL], [[a_set("7shd"), full]], objective=2)
    assert legal(state) == {f"discard {card}" for card in ("As", "2s", "Ac", "2c")}
    state = position(["As 2s Ah 9d", DULL], [[a_set("7shd"), a_run("23456789TJQKh")]], objective=2)
    played(state, "lay Ah", "high 0.2")
    assert "lay Ah" not in legal(state)
    assert texts(played(state, "lay 2s"))[1] == "A*23456789TJQKAh"


# ---- R4 A turn ----------------------------------------------------------------------------------


def waiting(phase: str, seat: int, seats: int = 4, turn: int = 5, **keys: object) -> Table:
    """Keys of a position before the draw."""
    where: Table = {"ask": {"seat": seat}, "answer": {"asker": seat}, "start": {}}[phase]
    return {"phase": phase, "turn": turn, **where, **keys}


@rule("R4.1")
def test_a_turn_begins_with_the_top_of_either_pile() -> None:
    for action, card in (("draw", "9h"), ("take", "9d")):
        keys = waiting("start", 0, turn=3)
        state = position([WAITS, DULL], draws="9h Qs", discards="9s 9d", keys=keys)
        assert legal(state) == {"draw", "take"}
        table = played(state, action)
        assert set(names(table["hands"][0])) == {*cards(WAITS), card}
        assert table["phase"] == "play"
    # A seat that took a discard may discard it again.
    assert names([made["card"] for made in played(state, "discard 9d")["discards"]]) == ["9s", "9d"]


@rule("R4.2")
def test_others_are_asked_from_the_left_of_the_seat_on_turn_on() -> None:
    state = position([WAITS, DULL, DULL, DULL], discards="9d", keys=waiting("ask", 1))
    assert legal(state) == {"may i", "pass"}
    before = state.to_dict()["events"]
    table = played(state, "pass")
    assert (table["seat"], table["phase"]) == (2, "ask")
    # Seat 3 made the discard and is not asked.
    table = played(state, "pass")
    assert (table["seat"], table["phase"]) == (0, "start")
    assert table["events"] == before  # not asking leaves no trace


@rule("R4.2")
def test_who_is_granted_has_the_discard_and_a_card_more() -> None:
    hands = [WAITS, DULL, DULL, DULL]
    keys = waiting("ask", 1)
    state = position(hands, draws="9h Qs 2h", discards="9s 9d", keys=keys)
    ten = state.to_dict()["hands"][1]
    table = played(state, "may i")
    assert (table["seat"], table["phase"], table["asker"]) == (0, "answer", 1)
    assert legal(state) == {"grant", "refuse", "take"}
    table = played(state, "grant")
    assert sorted(names(set(table["hands"][1]) - set(ten))) == ["9d", "9h"]
    assert names(table["shown"]) == ["9d"]
    # The seat on turn has drawn, and the discard below is not offered.
    assert names([table["drawn"]]) == ["Qs"]
    assert (table["phase"], table["offer"]) == ("play", None)
    assert names([made["card"] for made in table["discards"]]) == ["9s"]
    assert last_events(table, 2) == ["ask", "grant"]


@rule("R4.2", "R7.2")
def test_the_card_for_the_penalty_may_come_from_a_shuffle() -> None:
    keys = waiting("answer", 1, turn=101)
    state = position([WAITS, DULL, DULL, DULL], pile="", discards="9c 9d", keys=keys)
    below = [made["card"] for made in state.to_dict()["discards"][:-2]]
    ten = state.to_dict()["hands"][1]
    table = played(state, "grant")
    more = set(table["hands"][1]) - set(ten)
    assert len(more) == 2
    assert len(more & set(below)) == 1
    assert (table["shuffles"], table["phase"]) == (1, "play")
    assert names([made["card"] for made in table["discards"]]) == ["9c"]


@rule("R4.2")
def test_after_a_refusal_the_next_one_may_ask() -> None:
    state = position([WAITS, DULL, DULL, DULL], discards="9d", keys=waiting("ask", 1))
    table = played(state, "may i", "refuse")
    assert (table["seat"], table["phase"], table["refused"]) == (2, "ask", [1])
    table = played(state, "may i", "refuse")
    assert (table["seat"], table["phase"], table["refused"]) == (0, "start", [1, 2])
    assert last_events(table, 4) == ["ask", "refuse", "ask", "refuse"]
    assert names(played(state, "take")["shown"]) == ["9d"]


@rule("R4.2")
def test_who_takes_the_card_refuses_everybody() -> None:
    keys = waiting("answer", 1)
    state = position([WAITS, DULL, DULL, DULL], discards="9d", keys=keys)
    table = played(state, "take")
    assert (table["seat"], table["phase"]) == (0, "play")
    assert names([table["taken"]]) == ["9d"]
    assert len(table["hands"][1]) == 10


@rule("R4.2")
def test_of_two_players_only_the_card_turned_up_can_be_asked_for() -> None:
    first = position([WAITS, DULL], discards="9d", keys=waiting("ask", 1, turn=1))
    assert legal(first) == {"may i", "pass"}
    state = position([f"{WAITS} 9s", DULL])
    table = played(state, "discard 9s")
    assert (table["seat"], table["phase"], legal(state)) == (1, "start", {"draw", "take"})


@rule("R4.2", "R7.3")
@pytest.mark.parametrize("pile", ["", "9h"])
def test_without_a_card_for_the_penalty_the_asker_keeps_the_discard(pile: str) -> None:
    """With an empty draw pile and one discard below; with one card it is the seat on turn's."""
    rest = cards("A23456789TJQKs A23456789TJQKh A23456789TJQKd A23456789TJQKc") * 2
    for card in cards(f"{WAITS} 9d {pile or '9c'} 7sshd Ksshd 4c 4d"):
        rest.remove(card)
    state = position(
        [WAITS, "4cd", " ".join(rest)],
        [[], [a_set("7sshd"), a_set("Ksshd")], []],
        pile=pile,
        discards="9d" if pile else "9c 9d",
        keys=waiting("answer", 1, turn=4),
    )
    table = played(state, "grant")
    assert table["phase"] == "over"
    assert table["result"]["ending"] == "no card to draw"
    assert sorted(names(table["hands"][1])) == sorted(["4c", "4d", "9d", *cards(pile)])
    assert len(table["hands"][0]) == 10


@rule("R4.3")
def test_the_whole_objective_is_laid_at_once_and_before_nothing_is_laid_off() -> None:
    theirs = [a_set("Kshd"), a_set("4shd")]
    state = position(["7shd 9shd Kc 4c 5d Jc Qh", DULL], [[], theirs])
    assert begins(state) == {"set 7", "set 9"}
    assert not any(action.startswith("lay") for action in legal(state))
    table = played(state, "set 7")
    assert texts(table) == ["7shd", "9shd"]
    assert {"lay Kc", "lay 4c"} <= legal(state)
    before = position([WAITS, DULL], [[], theirs], discards="9d", keys=waiting("start", 0, turn=3))
    assert begins(before) == set()


@rule("R4.3")
def test_cards_are_laid_off_where_they_fit() -> None:
    mine = [a_set("7shd"), a_run("3456c")]
    theirs = [a_set("Kshdc"), a_run("9TJQh")]
    state = position(["7c Ks 2c 7c 8h Kh 5d Ah", "3d 5s"], [mine, theirs], objective=2)
    fitting = {"lay 7c", "lay Ks", "lay 2c", "lay 8h", "lay Kh"}
    assert {action for action in legal(state) if action.startswith("lay")} == fitting
    played(state, "lay 8h")
    assert texts(state.to_dict(), 1)[1] == "89TJQh"
    played(state, "lay Kh", "onto 1.2")
    played(state, "lay Ah")
    assert texts(state.to_dict(), 1)[1] == "89TJQKAh"
    # The 7 of clubs fits the set and the run; a black 2 either end of a run.
    assert legal(state) == {
        f"{do} {card}" for do in ("lay", "discard") for card in ("7c", "Ks", "2c")
    } | {"discard 5d"}
    played(state, "lay 7c")
    assert legal(state) == {"onto 0.1", "onto 0.2"}
    played(state, "onto 0.2", "lay 2c")
    assert legal(state) == {"low 0.2", "high 0.2", "low 1.2"}
    assert texts(played(state, "low 1.2"), 1)[1] == "7*89TJQKAh"
    assert last_events(state.to_dict(), 1) == ["lay"]


@rule("R4.4")
def test_the_turn_ends_with_a_discard() -> None:
    state = position([f"{WAITS} 9d", DULL])
    table = played(state, "discard Kc")
    assert table["discards"][-1] == {"card": "Kc", "by": 0}
    assert "Kc" not in table["hands"][0]
    assert (table["on_turn"], table["offer"]) == (1, "Kc")


# ---- R5 Swapping a black 2 ----------------------------------------------------------------------

HAS_WILD = [a_set("9shd"), a_run("456*7d", "2s")]
"""Of the 6 of diamonds."""
NEEDS = "9TQs 6d 5shc Kd Kh 8c"
"""With the wild for the jack of spades it is a set and a run."""


def swaps(hand: str, melds: list[list[Table]], **options: object) -> set[str]:
    """The swaps that are legal after the draw."""
    state = position([hand, "3d 3c 8s"], melds, objective=2, **options)  # type: ignore[arg-type]
    return {action for action in legal(state) if action.startswith("swap")}


@rule("R5.1")
def test_a_card_is_given_for_the_black_two_that_the_objective_needs() -> None:
    assert swaps(f"{NEEDS} 3h", [[], HAS_WILD]) == {"swap 6d"}
    # Not if the objective cannot be laid with it, not by a seat that is down, not of one's own run.
    assert swaps("9TQs 6d 5shc Kd Kh 8c 3h".replace("5shc", "5sh 4h"), [[], HAS_WILD]) == set()
    assert swaps("6d 3h Jc Qh", [[a_set("5shc"), a_run("9TJQs")], HAS_WILD]) == set()
    assert swaps("6d 3h Jc Qh", [HAS_WILD, [a_set("5shc"), a_run("9TJQs")]]) == set()


@rule("R5.1")
def test_nothing_is_swapped_before_the_draw() -> None:
    keys = waiting("start", 0, turn=3)
    state = position([NEEDS, "3d 3c 8s"], [[], HAS_WILD], discards="4h", keys=keys, objective=2)
    assert legal(state) == {"draw", "take"}


@rule("R5.1")
@pytest.mark.parametrize(
    ("run", "ends"),
    [("A*234d", ["low"]), ("JQKA*d", ["high"]), ("A*23456789TJQKA*d", ["low", "high"])],
)
def test_an_ace_is_given_for_the_black_two_at_its_place(run: str, ends: list[str]) -> None:
    melds = [[], [a_set("9shd"), a_run(run, *["2s", "2c"][: len(ends)])]]
    state = position(["9TQs Ad 5shc Kh 8c 8h 3h", "3c 8s 4c"], melds, objective=2)
    table = played(state, "swap Ad")
    if len(ends) > 1:
        assert legal(state) == {"low 1.2", "high 1.2"}
        table = played(state, "high 1.2")
        assert texts(table, 1)[1] == "A*23456789TJQKAd"
    else:
        assert texts(table, 1)[1] == run.replace("*", "")


@rule("R5.2")
def test_a_black_two_that_was_laid_off_can_be_swapped_and_one_in_a_turn() -> None:
    melds = [[a_set("9shd"), a_run("4567d")], []]
    state = position(["2c 4s Jc Jh", "9TQs 8d 5shc Kd Kh 3c"], melds, draws="3h", objective=2)
    played(state, "lay 2c", "high 0.2", "discard Jc")
    played(state, "draw", "swap 8d")
    table = state.to_dict()
    assert (texts(table, 0)[1], texts(table, 1)) == ("45678d", ["5shc", "9TJ*Qs"])
    two_wilds = [[], [a_set("9shd"), a_run("45*6*7d", "2s", "2c")]]
    state = position(["9TQs 6d 5d 5shc Kd Kh 3h", "3d 3c 8s"], two_wilds, objective=2)
    assert {"swap 6d", "swap 5d"} <= legal(state)
    played(state, "swap 6d")
    assert not any(action.startswith("swap") for action in legal(state))


@rule("R5.2")
def test_a_2_of_spades_is_given_for_the_black_two_that_stands_for_it() -> None:
    melds = [[], [a_set("9shd"), a_run("A2*34s", "2c")]]
    assert swaps("9TQs 2s 5shc Kd Kh 8c 3h", melds) == {"swap 2s"}
    own = [[], [a_set("9shd"), a_run("A234s")]]  # there it is a 2
    assert swaps("9TQs 2c 5shc Kd Kh 8c 3h", own) == set()


@rule("R5.2")
def test_a_swap_needs_no_need() -> None:
    state = position(["9TJQs 6d 5shc Kd Kh 3h", "3d 3c 8s"], [[], HAS_WILD], objective=2)
    assert begins(state) == {"swap 6d", "set 5"}
    hand = ["9TJQs 6d 5shc Kd Kh 3h", "3d 3c 8s"]
    assert begins(position(hand, [[], HAS_WILD], objective=2, swaps="needed")) == {"set 5"}
    assert swaps(f"{NEEDS} 3h", [[], HAS_WILD], swaps="needed") == {"swap 6d"}


@rule("R5.3")
def test_swap_and_laying_down_are_one_step() -> None:
    state = position(["9TQs 6d 5shc 5d Kd Kh 8c", "3d 3c 8s"], [[], HAS_WILD], objective=2)
    seen = state.observation(1).tobytes()
    table = played(state, "swap 6d")
    assert texts(table, 1)[1] == "456*7d"  # still, while it is being laid
    assert state.observation(1).tobytes() == seen
    assert not any(action.startswith("discard") for action in legal(state))
    table = played(state, "lay 5s", "lay 5h", "lay 5d")
    assert texts(table, 1)[1] == "4567d"
    assert texts(table, 0) == ["5shd", "9TJ*Qs"]
    assert last_events(table, 3) == ["swap", "set", "run"]


@rule("R5.3")
def test_the_black_two_must_be_among_the_cards_laid_wild_or_natural() -> None:
    state = position(["9TJQs 6d 5shc Kd Kh 3h", "3d 3c 8s"], [[], HAS_WILD], objective=2)
    played(state, "swap 6d", "run 9TJQs", "lay 9s", "lay Ts", "lay Js")
    # The last place takes the black 2, though the queen is held.
    assert texts(state.to_dict())[1] == "9TJQ*s"
    assert "Qs" in state.to_dict()["hands"][0]
    natural = position(["9TJQs 6d 2h 2d Kd Kh 3h 8c", "3d 3c 8s"], [[], HAS_WILD], objective=2)
    assert texts(played(natural, "swap 6d")) == ["2shd", "9TJQs"]


# ---- R6 No Discardo -----------------------------------------------------------------------------


@rule("R6.1")
@pytest.mark.parametrize(
    ("hand", "melds"),
    [
        ("4shd 2345h 9TJQs", ["4shd", "2345h", "9TJQs"]),
        ("4shdc 23456h 9TJQs", ["4shdc", "23456h", "9TJQs"]),
    ],
)
def test_in_the_last_round_all_cards_are_laid_at_once(hand: str, melds: list[str]) -> None:
    state = position([hand, DULL], objective=6)
    assert begins(state) == {"set 4"}
    table = played(state, "set 4")
    while table["phase"] != "over":
        assert not any(action.startswith("discard") for action in legal(state))
        table = played(state, min(legal(state)))
    assert table["hands"][0] == []
    assert (table["result"]["ending"], table["result"]["winner"]) == ("No Discardo", 0)
    assert sum(len(meld["cards"]) for meld in table["melds"][0]) == len(cards(hand))
    assert last_events(table, 4) == ["set", "run", "run", "over"]


@rule("R6.1")
def test_a_card_that_fits_nowhere_keeps_all_in_the_hand() -> None:
    for hand in ("4shd 2345h 9TJs Kc", "4shdc 23456h 9TJs Kc", "4shd 2345h 9TJQs Kcd"):
        state = position([hand, DULL], objective=6)
        assert legal(state) == {f"discard {card}" for card in cards(hand)}
