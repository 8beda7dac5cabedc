"""The numbered rules of Leduc poker, each by hand."""

from __future__ import annotations

import pytest

import mhing
from rules.citing import rules_of

if "leduc" not in mhing.games():
    pytest.skip("this build has no leduc", allow_module_level=True)

rule = rules_of("leduc")

CARDS = ["Js", "Jh", "Qs", "Qh", "Ks", "Kh"]


def played(cards: str, actions: str = "", **options: object) -> mhing.State:
    """A deal that begins with these cards, after these actions."""
    first = [CARDS.index(card) for card in cards.split()]
    deck = first + [card for card in range(6) if card not in first]
    state = mhing.Game("leduc", **options).new_state(1, deck=deck)
    for action in actions.split():
        state.apply(state.game.action_id(action))
    return state


def legal(state: mhing.State) -> list[str]:
    return [state.game.action_text(action) for action in state.legal_actions()]


@rule("R1.1", "R2.2")
def test_the_first_three_cards_play_a_part() -> None:
    state = played("Js Kh Qs")
    assert state.to_dict()["hands"] == [["Js"], ["Kh"]]
    assert state.to_dict()["open"] is None
    assert sorted(state.to_dict()["undealt"]) == sorted(["Qs", "Jh", "Qh", "Ks"])
    assert played("Js Kh Qs", "call call").to_dict()["open"] == "Qs"


@rule("R2.1")
def test_both_pay_the_ante() -> None:
    assert played("Js Kh Qs").to_dict()["stakes"] == [1, 1]


@rule("R3.1")
def test_seat_0_acts_first_in_both_rounds() -> None:
    assert played("Js Kh Qs").seat == 0
    assert played("Js Kh Qs", "call").seat == 1
    assert played("Js Kh Qs", "call raise call").seat == 0


@rule("R3.2", "R6.1")
def test_what_a_player_may_do() -> None:
    assert legal(played("Js Kh Qs")) == ["call", "raise"]
    assert legal(played("Js Kh Qs", "raise")) == ["fold", "call", "raise"]
    assert legal(played("Js Kh Qs", "raise raise")) == ["fold", "call"]
    assert legal(played("Js Kh Qs", "raise raise call")) == ["call", "raise"]


@rule("R3.2", "R5.1")
def test_how_many_bets_a_round_allows() -> None:
    assert legal(played("Js Kh Qs", "raise", rules="one_bet")) == ["fold", "call"]
    assert legal(played("Js Kh Qs", "raise raise", max_raises=3)) == ["fold", "call", "raise"]


@rule("R3.3")
def test_bets_are_2_chips_and_then_4() -> None:
    assert played("Js Kh Qs", "raise").to_dict()["stakes"] == [3, 1]
    assert played("Js Kh Qs", "raise raise").to_dict()["stakes"] == [3, 5]
    assert played("Js Kh Qs", "call call raise").to_dict()["stakes"] == [5, 1]


@rule("R3.4")
def test_a_call_ends_the_round_and_one_check_does_not() -> None:
    assert played("Js Kh Qs", "call").to_dict()["phase"] == "first"
    assert played("Js Kh Qs", "call call").to_dict()["phase"] == "second"
    assert played("Js Kh Qs", "raise call").to_dict()["phase"] == "second"


@rule("R4.1")
def test_who_folds_loses_and_no_card_is_shown() -> None:
    state = played("Ks Jh Qs", "raise raise fold")
    assert state.is_terminal
    assert state.returns().tolist() == [-3, 3]
    other = played("Qh Jh Ks", "raise raise fold")
    assert state.observation(1).tobytes() == other.observation(1).tobytes()


@rule("R4.2")
@pytest.mark.parametrize(
    ("cards", "winner"),
    [("Js Kh Jh", 0), ("Ks Jh Js", 1), ("Ks Qh Js", 0), ("Qs Kh Js", 1), ("Qs Qh Ks", None)],
)
def test_the_pair_wins_then_the_higher_card(cards: str, winner: int | None) -> None:
    returns = played(cards, "call call call call").returns().tolist()
    assert returns == ([0, 0] if winner is None else [1, -1] if winner == 0 else [-1, 1])


@rule("R4.3")
def test_the_winner_earns_what_the_loser_has_put_in() -> None:
    all_in = "raise raise call raise raise call"
    assert played("Ks Jh Qs", all_in).returns().tolist() == [13, -13]
    assert played("Ks Kh Qs", all_in).returns().tolist() == [0, 0]


@rule("R7.1", "R7.2")
def test_a_state_as_data() -> None:
    state = played("Ks Jh Qs", "raise call")
    assert state.game.state_from_dict(state.to_dict()) == state
    begun = state.game.state_from_dict({"hands": [["Kh"], ["Js"]]})
    assert begun.to_dict()["undealt"] == ["Jh", "Qs", "Qh", "Ks"]
    assert begun.to_dict()["stakes"] == [1, 1]
