"""Rules of Mexican Rummy: the cards, the deal, how rounds end and what they count."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from random import Random
from typing import Any

import pytest
from games.mexican_rummy.matches import polite
from playing import DULL
from policies import play

import mhing
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

DECK = [rank + suit for suit in "shdc" for rank in "A23456789TJQK"]
TWO_SETS = [a_set("7sshdd"), a_set("Ksshdd")]
"""With them ten cards are laid."""
NOTHING = "3s 5d 7c 8h Ts Jd Kc As 4h 6s 9d"
"""A hand of eleven that meets no objective."""


def rummy(**options: Any) -> mhing.Game:
    return mhing.Game("mexican_rummy", **options)


# ---- R1 The cards -------------------------------------------------------------------------------


@rule("R1.1")
def test_two_decks_are_dealt_and_what_lies_open_is_seen() -> None:
    table = rummy(num_players=6).new_state(1).to_dict()
    dealt = [card for hand in table["hands"] for card in hand] + table["draw_pile"]
    dealt += [made["card"] for made in table["discards"]]
    assert Counter(names(dealt)) == dict.fromkeys(DECK, 2)
    state = position(["7h", DULL, DULL], [TWO_SETS], discards="9c 8h")
    for seat, clockwise in enumerate((0, 2, 1)):
        seen = state.game.unpack(state.observation(seat))
        assert seen["discards"][:3].tolist() == [DECK.index("9c") + 1, DECK.index("8h") + 1, 0]
        assert seen["meld_cards"][clockwise][:6].tolist() == [7, 7, 20, 33, 33, 0]


@rule("R1.2", "R3.2")
def test_four_suits_of_thirteen_ranks_and_the_ace_at_either_end() -> None:
    assert rummy().labels["cards"] == DECK
    state = position(["A234h JQKAd 9c Tc 4s", DULL], objective=3)
    assert begins(state) == {"run A234h", "run JQKAd"}
    between = position(["A2QKh JQKAd 9c Tc 4s", DULL], objective=3)
    assert begins(between) == set()  # Q-K-A-2 is no run


@rule("R1.3", "R3.2")
def test_black_twos_are_wild_in_runs_of_rounds_with_runs() -> None:
    state = position(["57d 2s 2c 9shd Jc Qh Kc 4s", DULL], objective=2)
    table = played(state, "set 9")
    assert "run 5678d" in legal(state)
    assert {"5d", "7d", "2s", "2c"} <= set(names(table["plan"]["rest"]))
    only = position(["2s 2s 2c 2c 9shd Jc Qh Kc 4s", DULL], objective=2)
    played(only, "set 9", "run 5678h", "lay 2s", "lay 2s")  # and both others
    assert texts(only.to_dict())[1] == "5*6*7*8*h"


@rule("R1.3")
def test_a_black_two_is_an_ordinary_2_in_a_set_and_in_its_own_place() -> None:
    assert begins(position(["9sh 2s 7shd Jc Qh Kc 4s 6d", DULL])) == set()
    assert begins(position(["2sch 7shd Jc Qh Kc 4s 6d", DULL])) == {"set 2", "set 7"}
    own = position(["A234c 9shd Jc Qh Kd 4s", DULL], objective=2)
    assert texts(played(own, "set 9"))[1] == "A234c"


@rule("R1.4")
def test_cards_and_melds_are_written_so() -> None:
    melds = [a_set("7ssh"), a_run("56*78h", "2c")]
    state = position(["3s 3s 5d 8c", DULL], [melds], objective=2)
    table = state.to_dict()
    assert texts(table) == ["7ssh", "56*78h"]
    assert table["hands"][0] == ["3s", "3s'", "5d", "8c"]
    # No action names the deck of a card, and no observation shows it.
    assert legal(state) == {"discard 3s", "discard 5d", "discard 8c"}
    other = state.to_dict()
    other["hands"][0][2] = "5d'"
    other["draw_pile"] = ["5d" if card == "5d'" else card for card in other["draw_pile"]]
    changed = state.game.state_from_dict(other)
    for seat in range(2):
        assert changed.observation(seat).tobytes() == state.observation(seat).tobytes()


def shuffled_but_one_5h(times: int) -> Table:
    """All cards were in each shuffle but the 5 of hearts of the second deck."""
    of = {card + mark: times for card in DECK for mark in ("", "'")}
    return {"shuffles": times, "shuffle_of": {**of, "5h'": 0}}


@rule("R1.5")
def test_of_two_equal_cards_the_one_that_all_know_goes() -> None:
    for known in ("5h", "5h'"):
        keys = {"shown": [known], **shuffled_but_one_5h(1), "drawn": "3s", "turn": 121}
        state = position(["5h 5h 7s 8d 9c Jc Qh Kd 4s 6d 3s", DULL], keys=keys)
        table = played(state, "discard 5h")
        assert table["discards"][-1]["card"] == known


@rule("R1.5")
def test_else_it_is_drawn_which_and_each_shuffle_draws_it_anew() -> None:
    def went(shuffler: int, shuffles: int) -> str:
        keys = {**shuffled_but_one_5h(shuffles), "shuffler": f"{shuffler:016x}", "drawn": "3s"}
        keys["turn"] = 121
        state = position(["5h 5h 7s 8d 9c Jc Qh Kd 4s 6d 3s", DULL], keys=keys)
        card: str = played(state, "discard 5h")["discards"][-1]["card"]
        return card

    outcomes = Counter((went(number, 1), went(number, 2)) for number in range(200))
    assert len(outcomes) == 4
    assert min(outcomes.values()) > 30


# ---- R2 Rounds, set-up and dealing --------------------------------------------------------------


@rule("R2.1")
@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_play_goes_clockwise(seats: int) -> None:
    state = position([NOTHING, *[DULL] * (seats - 1)])
    table = played(state, "discard 3s")
    assert (table["on_turn"], table["turn"]) == (1, seats + 2)
    for refused in (1, 7):
        with pytest.raises(ValueError, match="num_players"):
            rummy(num_players=refused)


@rule("R2.2")
@pytest.mark.parametrize(
    ("objective", "hand", "kinds"),
    [
        (1, "3shd 9shd Kc Qd Js 7h 5c", ["set", "set"]),
        (2, "3shd 9TJQs Kc Qd 7h 5c", ["set", "run"]),
        (3, "3456d 9TJQs Kc 7h 5c", ["run", "run"]),
        (4, "3shd 9shd Kcsd 7h 5c", ["set", "set", "set"]),
        (5, "3shd 9shd 8765c 7h", ["set", "set", "run"]),
        (6, "3shd 8765c 9TJQs", ["set", "run", "run"]),
    ],
)
def test_each_round_has_its_objective(objective: int, hand: str, kinds: list[str]) -> None:
    state = position([hand, DULL], objective=objective)
    first = "set 3" if kinds[0] == "set" else "run 3456d"
    table = played(state, first)
    while table["plan"]:
        table = played(state, min(legal(state)))
    assert [meld["kind"] for meld in table["melds"][0]] == kinds


@rule("R2.2")
def test_all_go_on_to_the_next_round_whether_they_met_the_objective_or_not() -> None:
    state = position(
        [NOTHING, "3c 5c"], [[], TWO_SETS], keys={"turn": 3}, turn_limit=3, episode="game"
    )
    assert begins(state) == set()
    table = played(state, "discard 3s")
    assert (table["round"], table["objective"]) == (1, 2)
    assert ([len(hand) for hand in table["hands"]], table["melds"]) == ([10, 10], [[], []])


@rule("R2.3")
def test_an_episode_can_begin_with_a_later_round_and_end_earlier() -> None:
    assert rummy(objective=4).new_state(1).to_dict()["objective"] == 4
    outcomes = {rummy(objective=0).new_state(seed).to_dict()["objective"] for seed in range(60)}
    assert outcomes == {1, 2, 3, 4, 5, 6}
    for first, rounds, played_rounds in ((1, 6, 6), (4, 6, 3), (2, 2, 2), (1, 1, 1)):
        game = rummy(objective=first, rounds=rounds, episode="game", turn_limit=1)
        state = game.new_state(1)
        while not state.is_terminal:
            state.apply(state.idle_action())
        assert state.rounds_over == played_rounds
        assert state.to_dict()["objective"] == first + played_rounds - 1


@rule("R2.4", "R2.5")
def test_ten_cards_each_from_the_left_of_the_dealer_on_and_one_is_turned_up() -> None:
    deck = [n % 52 for n in range(104)]
    table = rummy(num_players=3, dealer=1).new_state(1, deck=deck).to_dict()
    assert (table["starter"], table["on_turn"]) == (2, 2)
    assert set(table["hands"][2]) == {rank + "s" for rank in "A23456789T"}
    assert set(table["hands"][0]) == {*("Js", "Qs", "Ks"), *(rank + "h" for rank in "A234567")}
    assert names(table["hands"][1])[:2] == ["8h", "9h"]
    assert table["discards"] == [{"card": "5d", "by": None}]
    assert table["draw_pile"][:2] == ["6d", "7d"]
    assert len(table["draw_pile"]) == 104 - 31


@rule("R2.4")
def test_without_a_card_turned_up_the_first_player_draws() -> None:
    game = rummy(num_players=3, dealer=1, turned_up=False)
    table = game.new_state(1, deck=[n % 52 for n in range(104)]).to_dict()
    assert (table["seat"], table["phase"], table["discards"]) == (2, "play", [])
    assert names([table["drawn"]]) == ["5d"]


@rule("R2.5")
def test_the_deal_moves_left_and_the_first_dealer_is_drawn() -> None:
    game = rummy(num_players=3, dealer=1, episode="game", turn_limit=1)
    state, starters = game.new_state(1), []
    while not state.is_terminal:
        if state.rounds_over == len(starters):
            starters.append(state.to_dict()["starter"])
        state.apply(state.idle_action())
    assert starters == [2, 0, 1, 2, 0, 1]
    drawn = Counter(rummy().new_state(seed).to_dict()["starter"] for seed in range(200))
    assert min(drawn[seat] for seat in range(4)) > 25


# ---- R7 How a round ends ------------------------------------------------------------------------


@rule("R7.1")
def test_the_round_ends_with_the_last_card_laid_or_discarded() -> None:
    for action, event in (("lay 7c", "lay"), ("discard 7c", "discard")):
        state = position(["7c", DULL], [TWO_SETS, []], keys={"turn": 3})
        table = played(state, action)
        assert (table["phase"], last_events(table, 2)) == ("over", [event, "over"])
        assert (table["result"]["ending"], table["result"]["winner"]) == ("last card laid", 0)


@rule("R7.2")
def test_the_discards_but_the_last_are_shuffled_into_a_new_draw_pile() -> None:
    keys = {"phase": "start", "turn": 101}
    state = position([NOTHING[:-3], DULL], pile="", discards="9c 9d", keys=keys)
    before = state.to_dict()
    below = {made["card"] for made in before["discards"][:-1]}
    table = played(state, "draw")
    assert names([made["card"] for made in table["discards"]]) == ["9d"]
    assert {table["drawn"], *table["draw_pile"]} == below
    assert (table["shuffles"], last_events(table, 1)) == (1, ["shuffle"])
    assert {card for card, number in table["shuffle_of"].items() if number} == below


@pytest.mark.slow
@rule("R7.2")
def test_a_shuffle_is_uniform_and_changes_no_deal_to_come() -> None:
    """Five cards below the last one, in any order: chi-square over the 120 orders."""
    mine, theirs = "4s 5s 6s 8s 9s", DECK + DECK
    for card in cards(f"{mine} 7sshdd Ksshdd 9shdc 3shdc Jcdsh Qs 9c"):
        theirs.remove(card)
    orders: Counter[tuple[str, ...]] = Counter()
    deals = set()
    for number in range(1_200):
        state = position(
            [mine, " ".join(theirs)],
            [TWO_SETS, [a_set("9shdc"), a_set("3shdc")]],
            pile="",
            discards="Jc Jd Js Jh Qs 9c",
            keys={"phase": "start", "turn": 7, "shuffler": f"{number * 7919:016x}"},
            episode="game",
        )
        table = played(state, "draw")
        orders[tuple(names([table["drawn"], *table["draw_pile"]]))] += 1
        if number < 3:
            while state.rounds_over == 0:
                state.apply(state.idle_action())
            deals.add(str(state.to_dict()["hands"]))
    assert set(orders) <= set(permutations(["Jc", "Jd", "Js", "Jh", "Qs"]))
    # A uniform shuffle gives 119, and more than 200 in one of 100,000 trials.
    assert sum((orders[order] - 10) ** 2 / 10 for order in permutations(cards("Jcdsh Qs"))) < 200
    assert len(deals) == 1


@rule("R7.3")
def test_the_round_ends_when_there_is_no_card_to_draw() -> None:
    rest = DECK + DECK
    for card in cards(f"{NOTHING[:-3]} 7sshdd Ksshdd 9cd 2dh"):
        rest.remove(card)
    state = position(
        [NOTHING[:-3], "2dh", " ".join(rest)],
        [[], TWO_SETS, []],
        pile="9c",
        discards="9d",
        keys={"phase": "answer", "asker": 1, "turn": 4},
    )
    table = played(state, "grant")
    # Seat 1 has the discard and the last card, and nothing is left for seat 0.
    assert sorted(names(table["hands"][1])) == ["2d", "2h", "9c", "9d"]
    assert (table["result"]["ending"], table["result"]["winner"]) == ("no card to draw", -1)


@rule("R7.3")
@pytest.mark.parametrize("turned_up", [True, False])
def test_only_a_grant_leaves_no_card_to_draw(turned_up: bool) -> None:
    """Everybody asks and is granted: most rounds end so, none by the draw of a turn alone."""
    endings, rng = Counter[tuple[str, str]](), Random(3)
    for seed in range(24):
        state = rummy(num_players=3 + seed % 4, turned_up=turned_up).new_state(seed)
        while not state.is_terminal:
            table, action = state.to_dict(), polite(state, sorted(legal(state)), rng)
            if table["phase"] in ("ask", "answer", "start"):
                left = len(table["draw_pile"]) + len(table["discards"])
                assert left % 2 == 0
                assert left >= 2
            play(state, action)
        endings[state.to_dict()["result"]["ending"], action] += 1
    assert {action for ending, action in endings if ending == "no card to draw"} == {"grant"}
    assert endings["no card to draw", "grant"] > 12


@rule("R7.4")
@pytest.mark.parametrize(
    ("options", "last"),
    [({}, 200), ({"objective": 6}, 400), ({"turn_limit": 7}, 7), ({"turn_limit": 65535}, 65535)],
)
def test_the_round_ends_after_so_many_turns(options: Table, last: int) -> None:
    for turn, is_over in ((last - 1, False), (last, True)):
        keys = {"turn": turn, "starter": -(turn - 1) % 3}
        state = position([NOTHING, DULL, DULL], keys=keys, **options)
        table = played(state, "discard 3s")
        assert (table["phase"] == "over") == is_over
        assert not is_over or table["result"]["ending"] == "turn limit"


# ---- R8 Scoring ---------------------------------------------------------------------------------


def points_left(left: str, melds: list[Table], **options: Any) -> int:
    """The points of seat 1, which is left with these cards when the last turn is over."""
    state = position(
        ["3c 5d 7s 8h Ts Jd Js Qh 4d 6s 9d", left],
        [[], melds],
        keys={"turn": 3},
        turn_limit=3,
        **options,
    )
    points: int = played(state, "discard 3c")["result"]["points"][1]
    return points


@rule("R8.1")
@pytest.mark.parametrize(
    ("card", "points"),
    [*((f"{rank}h", 5) for rank in "2345679"), *((f"{rank}d", 10) for rank in "TQK"), ("Ad", 15)],
)
def test_what_a_card_counts(card: str, points: int) -> None:
    assert points_left(f"{card} Ac 3h", [a_set("8shdc"), a_set("2dcs")]) == points + 15 + 5


@rule("R8.1", "R8.2")
def test_the_worked_examples_count_as_they_say() -> None:
    two_sets = [a_set("9shc"), a_set("6hdc")]
    assert points_left("3s 4h 5d 7c Ks Kh Kd Ac", two_sets) == 65
    assert points_left("2s 2c 2h Td", two_sets) == 25
    assert points_left("2s 2c 2h Td", [a_set("9shcd"), a_run("5678c")], objective=2) == 55


def last_round(before: list[int], reward: str) -> mhing.State:
    """The last turn of a game that began with these scores; 70, 10 and 10 points are to come."""
    result = {"round": 0, "winner": -1, "ending": "turn limit", "points": before}
    keys = {"round": 1, "result": result, "scores": before, "turn": 4, "decisions": 99}
    keys["returns"] = [-score * (reward == "score") for score in before]
    return position(
        [NOTHING, "Th", "Td"],
        [[], [a_set("7shd"), a_run("345678c")], [a_set("Kshd"), a_run("9TJQKAc")]],
        keys=keys,
        episode="game",
        rounds=2,
        turn_limit=4,
        reward=reward,
    )


@rule("R8.3", "R8.4")
@pytest.mark.parametrize(
    ("before", "shares", "ranks"),
    [
        ([35, 100, 100], [1, 0, 0], [2, -1, -1]),
        ([45, 100, 100], [0, 0.5, 0.5], [-2, 1, 1]),
        ([40, 100, 100], [1 / 3, 1 / 3, 1 / 3], [0, 0, 0]),
        ([45, 95, 100], [0, 1, 0], [-2, 2, 0]),
    ],
)
def test_the_lowest_total_wins_and_tied_players_share(
    before: list[int], shares: list[float], ranks: list[float]
) -> None:
    for reward, returns in (("win", shares), ("rank", ranks)):
        state = last_round(before, reward)
        table = played(state, "discard Ts")
        assert table["result"]["points"] == [70, 10, 10]
        assert table["scores"] == [before[0] + 70, before[1] + 10, before[2] + 10]
        assert state.returns().tolist() == pytest.approx(returns)


@rule("R8.4")
def test_points_are_paid_with_each_round_and_wins_and_ranks_with_the_game() -> None:
    state = last_round([35, 100, 100], "score")
    played(state, "discard Ts")
    assert state.rewards().tolist() == [-70, -10, -10]
    assert state.returns().tolist() == [-105, -110, -110]
    for reward in ("score", "rank", "win"):
        options = {"turn_limit": 3, "reward": reward, "episode": "game"}
        state = position([NOTHING, "3c 5c"], [[], TWO_SETS], keys={"turn": 3}, **options)
        played(state, "discard 3s")
        assert state.rewards().tolist() == ([-75, -10] if reward == "score" else [0, 0])
