"""Mexican Rummy followed by the referee: positions made on purpose, then many random games."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest
from matches import restore_damaged_snapshots
from playing import DULL, cards
from policies import greedy
from reference.mexican_rummy import RummyReferee, deal_faults
from reference.rummy_melds import points_of
from reference.rummy_plan import RANKS, SUITS, TWOS

import mhing
from games.mexican_rummy.matches import ALL, Match, laying, moody, polite, table, waiting


def texts(match: Match, seat: int = 0) -> list[str]:
    """The melds of a seat."""
    return [laid["text"] for laid in match.table["melds"][seat]]


def began(match: Match) -> set[str]:
    """The legal actions that lay something down."""
    return {action for action in match.legal() if action.split()[0] in ("set", "run", "swap")}


# ---- May I --------------------------------------------------------------------------------------


def test_the_card_turned_up_may_be_asked_for_by_all_others_in_their_order() -> None:
    match = Match(table([DULL, DULL, DULL], "2h 3h 4h", up="9c"))
    assert (match.table["seat"], match.table["phase"]) == (1, "ask")
    assert match.legal() == ["may i", "pass"]
    match.play("pass")
    assert match.table["seat"] == 2
    match.play("may i")
    assert (match.table["seat"], match.table["phase"], match.table["asker"]) == (0, "answer", 2)
    match.play("grant")
    # Seat 2 has the 9c and, as a penalty, the 2h; seat 0 has drawn the next card.
    assert len(match.table["hands"][2]) == 12
    assert {"9c", "2h"} <= {card[:2] for card in match.table["hands"][2]}
    assert match.table["drawn"][:2] == "3h"
    assert [card[:2] for card in match.table["shown"]] == ["9c"]
    assert match.table["discards"] == []


def test_after_a_refusal_the_next_one_may_ask_and_the_discard_can_still_be_taken() -> None:
    match = Match(table([DULL, DULL, DULL], "2h 3h"))
    match.play("may i", "refuse")
    assert (match.table["seat"], match.table["refused"]) == (2, [1])
    match.play("may i", "refuse")
    assert match.table["phase"] == "start"
    match.play("take")
    assert match.table["taken"][:2] == "9c"
    kinds = [event["event"] for event in match.table["events"]]
    assert kinds == ["deal", "ask", "refuse", "ask", "refuse", "take"]


def test_who_answers_may_take_the_card_and_throw_it_again() -> None:
    match = Match(table([DULL, DULL, DULL], "2h 3h"))
    match.play("may i", "take")
    assert match.table["phase"] == "play"
    match.play("discard 9c")
    # Seat 1 is on turn; seat 0 has discarded and is not asked.
    assert (match.table["seat"], match.table["offered_by"]) == (2, 0)


def test_nobody_is_asked_about_their_own_discard() -> None:
    match = Match(table([DULL, DULL], "2h 3h 4h"))
    assert match.table["phase"] == "ask"  # the card turned up is nobody's
    match.play("pass", "draw", "discard 2h")
    assert (match.table["phase"], match.table["seat"]) == ("start", 1)


def test_a_discard_not_taken_lies_below_and_a_grant_offers_nothing_more() -> None:
    match = Match(table([DULL, DULL, DULL], "2h 3h 4h 5h"))
    match.play_unasked("draw", "discard 2h")
    match.play("may i", "grant")
    # The 9c turned up is on top of the pile again, but seat 1 has drawn.
    assert [made["card"][:2] for made in match.table["discards"]] == ["9c"]
    assert (match.table["phase"], match.table["offer"]) == ("play", None)


@pytest.mark.slow
def test_without_a_penalty_card_the_asker_keeps_the_discard_and_the_round_ends() -> None:
    """Everybody asks and grants until the draw pile and the discards are gone."""
    endings = Counter()
    for seed in range(30):
        match = Match(mhing.Game("mexican_rummy", num_players=3, turn_limit=1000).new_state(seed))
        match.play_by(polite, Random(seed))
        last = match.table["events"][-2:]
        endings[match.table["result"]["ending"], last[0]["event"]] += 1
    assert endings["no card to draw", "grant"] > 5


@pytest.mark.slow
def test_a_hand_grows_by_two_cards_with_every_grant() -> None:
    """Seat 0 asks for everything, and all grant it until no card is left to draw."""
    match = Match(mhing.Game("mexican_rummy", num_players=3, objective=6).new_state(1))
    rng = Random(1)
    while not match.state.is_terminal:
        legal = match.legal()
        if match.table["phase"] == "ask":
            match.play("may i" if match.table["seat"] == 0 else "pass")
        else:
            match.play("grant" if "grant" in legal else waiting(match.state, legal, rng))
    assert match.table["result"]["ending"] == "no card to draw"
    assert len(match.table["hands"][0]) > 40


# ---- Laying down and off ------------------------------------------------------------------------


def test_two_sets_are_laid_down_and_the_rest_is_laid_off() -> None:
    match = Match(table(["7s 7h 7d 7c Ks Kh Kd 3h 4d 9h", DULL], "2h"))
    match.play_unasked("draw")
    assert began(match) == {"set 7", "set K"}
    match.play("set 7")
    # Any three of the four sevens will do.
    assert match.table["phase"] == "fill"
    assert match.legal() == ["lay 7s", "lay 7h"]
    match.play("lay 7s", "lay 7h")
    assert match.legal() == ["lay 7d", "lay 7c"]
    match.play("lay 7d")
    # Of the kings there are three, so the other set needs no question.
    assert texts(match) == ["7shd", "Kshd"]
    match.play("lay 7c")
    assert texts(match) == ["7shdc", "Kshd"]


def test_what_is_being_laid_down_is_nobody_elses_to_see() -> None:
    match = Match(table(["7s 7h 7d 7c Ks Kh Kd 3h 4d 9h", DULL], "2h"))
    match.play_unasked("draw")
    game = match.state.game
    before = match.state.observation(1)
    match.play("set 7", "lay 7s")
    assert np.array_equal(match.state.observation(1), before)
    own = game.unpack(match.state.observation(0))
    assert own["plan_kind"].tolist() == [7, 0, 0]
    assert not own["meld_kind"].any()
    assert own["to_fill"] == 2
    match.play("lay 7h", "lay 7d")
    assert game.unpack(match.state.observation(1))["meld_kind"][1].tolist() == [7, 13, 0]


def test_two_sets_of_one_rank_and_equal_cards_are_melds() -> None:
    match = Match(table(["7s 7s 7h 7h 7d 7d 3h 4d 9h Jc", DULL], "2h"))
    match.play_unasked("draw")
    match.play("set 7", "lay 7s", "lay 7s")
    assert match.legal() == ["lay 7h", "lay 7d"]
    match.play("lay 7h")
    assert texts(match) == ["7ssh", "7hdd"]


def test_a_long_run_is_two_runs_and_nothing_less_is() -> None:
    match = Match(table(["23456789h Kc Qd", DULL], "Js", objective=3))
    match.play_unasked("draw")
    assert began(match) == {"run 2345h", "run 6789h"}
    match.play("run 6789h")
    assert texts(match) == ["6789h", "2345h"]
    match = Match(table(["2345678h Kc Qd Jd", DULL], "Js", objective=3))
    match.play_unasked("draw")
    assert began(match) == set()


def test_the_ace_is_low_or_high_and_never_between() -> None:
    match = Match(table(["A234h JQKAd 9c Tc", DULL], "Js", objective=3))
    match.play_unasked("draw")
    match.play("run A234h")
    assert texts(match) == ["A234h", "JQKAd"]
    match = Match(table(["A23h K3h JQKAd 9c", DULL], "Js", objective=3))
    match.play_unasked("draw")
    assert began(match) == set()  # K-A-2-3 is no run


def test_a_card_is_laid_off_onto_anybodys_melds_at_the_end_that_it_knows() -> None:
    """An ace goes below the 2, or above the king, and a 6 above a 5."""
    mine = "2345h 9s 9h 9d Ah 6h Kc"
    match = Match(table([mine, "TJQKs 8s 8h 3d As 4d 8c"], "7c 8c Kd 5d", objective=2))
    match.play_unasked("draw", "set 9", "run 2345h")
    match.play("lay Ah")
    assert texts(match) == ["9shd", "A2345h"]
    match.play("lay 6h", "discard Kc")
    match.play_unasked("draw", "set 8", "lay 8s", "lay 8h", "run TJQKs", "lay As", "lay 8c")
    assert texts(match, 1) == ["8shcc", "TJQKAs"]


def test_the_last_card_may_be_laid_or_discarded() -> None:
    match = Match(table(["7s 7h 7d 7c 7s Ks Kh Kd Kc Ks", DULL], "Kd"))
    match.play_unasked("draw", "set 7")
    while not match.state.is_terminal:
        match.play(next(action for action in match.legal() if not action.startswith("discard")))
    assert match.table["result"]["ending"] == "last card laid"
    assert match.table["events"][-2]["event"] == "lay"
    assert match.table["result"]["winner"] == 0
    match = Match(table(["7s 7h 7d Ks Kh Kd 5s 5h 5d 7c", DULL], "2h", objective=4))
    match.play_unasked("draw", "set 5", "set 7", "lay 7s", "lay 7h", "lay 7d", "lay 7c")
    assert match.table["events"][-2]["event"] == "discard"
    assert match.table["result"]["winner"] == 0


# ---- Black 2s -----------------------------------------------------------------------------------


def test_a_black_two_stands_for_any_card_of_a_run_and_which_one_is_a_choice() -> None:
    match = Match(table(["457d 9s 9h 9d 2s 2c Jc Qh", DULL], "4s", objective=2))
    match.play_unasked("draw", "set 9")
    match.play("run 4567d")
    while match.table["phase"] == "fill":
        naturals = [a for a in match.legal() if a not in ("lay 2s", "lay 2c")]
        if not naturals:
            assert match.legal() == ["lay 2s", "lay 2c"]
        match.play(naturals[0] if naturals else "lay 2c")
    assert texts(match)[1] == "456*7d"
    assert match.table["melds"][0][1]["cards"] == ["4d", "5d", "2c", "7d"]


def test_a_run_can_be_all_black_twos_and_has_a_place_all_the_same() -> None:
    match = Match(table(["9s 9h 9d 2s 2s 2c 2c Jc Qh 4d", DULL], "4s", objective=2))
    match.play_unasked("draw", "set 9")
    assert {"run A234s", "run JQKAh", "run 5678c"} <= set(match.legal())
    match.play("run 5678h")
    while match.table["phase"] == "fill":
        match.play(match.legal()[0])
    assert texts(match)[1] == "5*6*7*8*h"
    match.play("discard Qh")


def test_black_twos_are_natural_in_sets_and_wild_in_no_set() -> None:
    match = Match(table(["2s 2c 2h 9s 9h Jc Qh 4d 5d 7c", DULL], "9d"))
    match.play_unasked("draw")
    assert began(match) == {"set 2", "set 9"}
    match = Match(table(["2s 2c 3h 9s 9h Jc Jh Jd 5d 7c", DULL], "4d"))
    match.play_unasked("draw")
    assert began(match) == set()  # 9 9 2 is no set


def test_a_black_two_in_its_own_place_is_a_2() -> None:
    match = Match(table(["A34s 2s 9s 9h 9d Jc Qh 5d", DULL], "4d", objective=2))
    match.play_unasked("draw", "set 9")
    assert texts(match)[1] == "A234s"


def test_a_wild_to_spare_frees_a_card_for_a_set() -> None:
    """The jack of clubs is needed in the set of jacks, so the black 2 must be in the run."""
    match = Match(table(["9s 9h 9d Jd Jd TJQKc 2c", DULL], "3h", objective=5))
    match.play_unasked("draw")
    assert began(match) == {"set 9", "set J"}
    match.play("set 9")
    assert texts(match) == ["9shd", "Jddc", "TJ*QKc"]


# ---- Swaps --------------------------------------------------------------------------------------


def swap_table(mine: str, draws: str = "3h", **options: Any) -> Match:
    """Seat 0 has laid 456*7d with a black 2, and seat 1 is on turn with `mine`, before its draw."""
    state = table(["457d 9s 9h 9d 2s Jc Qh 3s", mine], f"4s {draws}", objective=2, **options)
    match = Match(state)
    match.play_unasked("draw", "set 9")
    while match.table["phase"] in ("meld", "fill"):
        match.play("run 4567d" if "run 4567d" in match.legal() else match.legal()[0])
    assert texts(match)[1] == "456*7d"
    match.play("discard Qh")
    return match


def test_a_card_is_swapped_for_a_black_two_that_completes_the_objective() -> None:
    match = swap_table("9TQs 6d 5s 5h 5c Kd Kh 8c")
    match.play("draw")
    assert began(match) == {"swap 6d"}
    match.play("swap 6d")
    # Only one set and one run can be laid with the black 2, so all of it is done.
    assert texts(match, 0)[1] == "4567d"
    assert "2s" in [card for laid in match.table["melds"][1] for card in laid["cards"]]
    kinds = [event["event"] for event in match.table["events"][-3:]]
    assert kinds == ["swap", "set", "run"]


def test_no_swap_where_the_objective_stays_out_of_reach_or_is_laid_already() -> None:
    match = swap_table("9TQs 6d 5s 5h 4c Kd Kh 8c")  # no set
    match.play("draw")
    assert began(match) == set()
    match = swap_table("9TJQs 6d 5s 5h 5c Kd Kh")  # laid down first
    match.play("draw", "set 5")
    while match.table["phase"] in ("meld", "fill"):
        match.play(match.legal()[0])
    assert began(match) == set()


def test_a_swap_is_legal_without_need_but_the_black_two_must_go_down() -> None:
    match = swap_table("9TJQs 6d 5s 5h 5c Kd Kh")
    match.play("draw")
    assert {"swap 6d", "set 5"} <= began(match)
    # Until the black 2 is in a meld nothing else is legal; the last place takes it if none did.
    match.play("swap 6d", "run 9TJQs", "lay 9s", "lay Ts", "lay Js")
    assert texts(match, 1) == ["5shc", "9TJQ*s"]
    assert "Qs" in {card[:2] for card in match.table["hands"][1]}


def test_nothing_of_ones_own_is_swapped() -> None:
    match = Match(table(["457d 9s 9h 9d 2s Jc 6d 3s", DULL], "4s", objective=2))
    match.play_unasked("draw", "set 9")
    while match.table["phase"] in ("meld", "fill"):
        lays = match.legal()
        match.play(
            "lay 2s" if "lay 2s" in lays else "run 4567d" if "run 4567d" in lays else lays[0]
        )
    assert "*" in texts(match)[1]
    assert began(match) == set()


# ---- No Discardo --------------------------------------------------------------------------------


def test_in_the_last_round_all_cards_go_down_at_once() -> None:
    match = Match(table(["4s 4h 4d 2345h 9TKs", "AQs 3c 7c 8c 5d 7d 9d Td Kd"], "Qs", objective=6))
    match.play_unasked("draw")
    assert began(match) == set()  # the jack is missing
    match = Match(table(["4s 4h 4d 2345h 9TJs", DULL], "Qs", objective=6))
    match.play_unasked("draw")
    assert began(match) == {"set 4"}
    match.play("set 4")
    while not match.state.is_terminal:
        match.play(match.legal()[0])
    assert match.table["result"]["ending"] == "No Discardo"
    assert match.table["result"]["points"][0] == 0
    assert match.table["hands"][0] == []


def test_a_card_that_fits_nowhere_forbids_to_lay_down_in_the_last_round() -> None:
    """Twelve cards that fit and one that does not, then thirteen that fit."""
    for extra, fits in (("Kc", False), ("6h", True)):
        state = table([DULL, "4s 4h 4d 2345h 9TJs"], f"Qs 3d {extra}", up="8s", objective=6)
        match = Match(state)
        match.play("may i", "grant")
        match.play_unasked("discard 3d", "draw")
        assert len(match.table["hands"][1]) == 13
        assert bool(began(match)) == fits
        if fits:
            match.play_by(laying, Random(1), decisions=60)
            assert match.table["result"]["ending"] == "No Discardo"


@pytest.mark.slow
def test_no_step_of_the_last_round_leads_into_a_dead_end() -> None:
    """Hands that can be laid, with black 2s and cards that fit in several places, in every way."""
    rng = Random(8)
    phases: Counter[str] = Counter()
    for _ in range(60):
        hand = laid_out(rng, 13)
        if hand.count("3d") == 2:
            continue
        rng.shuffle(hand)
        held, draws = " ".join(hand[:10]), f"{hand[11]} 3d {hand[12]}"
        match = Match(table([DULL, held], draws, up=hand[10], objective=6))
        match.play("may i", "grant")
        match.play_unasked("discard 3d", "draw")
        assert began(match), hand
        while not match.state.is_terminal:
            phases[match.table["phase"]] += 1
            lays = [action for action in match.legal() if not action.startswith("discard")]
            match.play(rng.choice(lays))
        assert match.table["result"]["ending"] == "No Discardo"
    assert phases["extend"] > 20
    assert phases["fill"] > 20
    assert phases["place"] > 5


def laid_out(rng: Random, count: int) -> list[str]:
    """So many cards that are one set and two runs."""
    while True:
        sizes = rng.choice([(3, 4, 6), (3, 5, 5), (4, 4, 5), (5, 4, 4), (3, 6, 4)])
        rank = rng.choice("A23456789TJQK")
        found = [rank + rng.choice(SUITS) for _ in range(sizes[0])]
        for size in sizes[1:]:
            suit, low = rng.choice(SUITS), rng.randrange(15 - size)
            found += [
                rng.choice(TWOS) if rng.random() < 0.2 else RANKS[(low + i) % 13] + suit
                for i in range(size)
            ]
        if len(found) == count and max(Counter(found).values()) <= 2:
            return found


# ---- Ends and points ----------------------------------------------------------------------------


def test_the_example_of_the_rules() -> None:
    assert points_of(cards("3457h Ks Kh Kd As"), 1) == 65
    state = table(["3h 4h 5h 7h Ks Kh Kd As 2s 2c", DULL], "Qd", turn_limit=1)
    match = Match(state)
    match.play_unasked("draw", "discard Qd")
    assert match.table["result"]["points"][0] == 65 + 10
    wild = table(["3h 4h 5h 7h Ks Kh Kd As 2s 2c", DULL], "Qd", turn_limit=1, objective=3)
    match = Match(wild)
    match.play_unasked("draw", "discard Qd")
    assert match.table["result"]["points"][0] == 65 + 40


@pytest.mark.parametrize(("objective", "turns"), [(1, 7), (6, 14)])
def test_the_turn_limit_is_twice_as_long_in_the_last_round(objective: int, turns: int) -> None:
    game = mhing.Game("mexican_rummy", objective=objective, turn_limit=7)
    match = Match(game.new_state(4))
    match.play_by(waiting, Random(1))
    assert match.table["turn"] == turns
    assert match.table["result"]["ending"] == "turn limit"


def test_all_discards_but_the_last_become_the_draw_pile() -> None:
    game = mhing.Game("mexican_rummy", num_players=6, turn_limit=400)
    match = Match(game.new_state(2))
    rng = Random(3)
    below: list[str] = []
    while not match.table["shuffles"]:
        below = [made["card"] for made in match.table["discards"]]
        match.play_by(waiting, rng, decisions=1)
    shuffled = {card for card, number in match.table["shuffle_of"].items() if number == 1}
    assert shuffled == set(below[:-1])
    assert len(match.table["discards"]) == 1


@pytest.mark.slow
def test_a_game_has_six_objectives_and_dealers_take_turns() -> None:
    game = mhing.Game("mexican_rummy", num_players=3, episode="game", dealer=1)
    match = Match(game.new_state(6))
    seen = []
    while not match.state.is_terminal:
        if match.table["round"] == len(seen):
            seen.append((match.table["objective"], match.table["starter"]))
        match.play_by(greedy, Random(1), decisions=1)
    assert seen == [(1, 2), (2, 0), (3, 1), (4, 2), (5, 0), (6, 1)]
    assert match.table["result"]["ending"] == "No Discardo"


def test_a_drawn_objective() -> None:
    starts = Counter(
        mhing.Game("mexican_rummy", objective=0).new_state(seed).info()["objective"]
        for seed in range(120)
    )
    assert sorted(starts) == [1, 2, 3, 4, 5, 6]
    assert min(starts.values()) > 8


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("reward", ["score", "rank", "win"])
def test_returns_follow_from_the_scores(reward: str, players: int) -> None:
    options: dict[str, Any] = {"num_players": players, "episode": "game", "objective": 4}
    match = Match(mhing.Game("mexican_rummy", reward=reward, **options).new_state(8))
    match.play_by(greedy, Random(3))
    scores, returns = match.table["scores"], match.state.returns().tolist()
    if reward == "score":
        assert returns == [-score for score in scores]
    elif reward == "win":
        assert returns == [(s == min(scores)) / scores.count(min(scores)) for s in scores]
    else:
        assert sum(returns) == 0
        assert sorted(returns, reverse=True) == [
            returns[seat] for seat in sorted(range(players), key=scores.__getitem__)
        ]
        assert max(returns) == players - 1


def test_the_deals_follow_from_the_seed_alone() -> None:
    """The play of a round, shuffles included, changes nothing about the cards of the next."""
    second_rounds = set()
    for policy in (greedy, moody, waiting):
        game = mhing.Game("mexican_rummy", episode="game", turn_limit=90)
        match = Match(game.new_state(12))
        while match.table["round"] == 0:
            match.play_by(policy, Random(1), decisions=1)
        second_rounds.add(str((match.table["hands"], match.table["draw_pile"])))
    assert len(second_rounds) == 1


def test_every_seed_deals_a_table_of_the_game() -> None:
    for seed in range(60):
        up = seed % 4 > 0
        game = mhing.Game(
            "mexican_rummy", num_players=2 + seed % 5, objective=seed % 7, turned_up=up
        )
        assert deal_faults(game.new_state(seed).to_dict()) == []


# ---- Snapshots and random games -----------------------------------------------------------------


def test_what_a_damaged_snapshot_restores_is_a_table_of_the_game(full: bool) -> None:
    """Wrong bytes are refused, or lead to a position that the referee finds nothing wrong with."""
    games = (
        mhing.Game("mexican_rummy", num_players=2 + number % 3, objective=1 + number % 6)
        for number in range(60 if full else 8)
    )
    restore_damaged_snapshots(games, 120, Match, moody)


def situations(match: Match) -> set[str]:
    """Special features of a position, so that the random games can be shown to reach it."""
    table_ = match.table
    seen = {event["event"] for event in table_["events"]} | {table_["phase"]}
    laid = [each for melds in table_["melds"] for each in melds]
    if any("*" in each["text"] for each in laid):
        seen.add("black 2 in a run")
    if any(each["kind"] == "run" and len(each["cards"]) > 8 for each in laid):
        seen.add("long run")
    if any(each["kind"] == "set" and len(set(each["cards"])) < len(each["cards"]) for each in laid):
        seen.add("equal cards in a set")
    if any(each["kind"] == "run" and each["low"] == 0 for each in laid):
        seen.add("low ace")
    if any(each["kind"] == "run" and each["low"] + len(each["cards"]) == 14 for each in laid):
        seen.add("high ace")
    if table_["plan"] and table_["plan"]["swap"]:
        seen.add("plans with a swap")
    if table_["shuffles"] > 1:
        seen.add("several shuffles")
    if max(map(len, table_["hands"])) > 20:
        seen.add("large hand")
    if table_["result"]:
        seen.add(table_["result"]["ending"])
    return seen


@pytest.mark.slow
def test_random_games(full: bool) -> None:
    """Two to six players, every rule switched at random, every temper of play."""
    rng = Random(99)
    seen: Counter[str] = Counter()
    for number in range(3_000 if full else 40):
        options: dict[str, Any] = {
            "num_players": 2 + number % 5,
            "objective": number % 7,
            "episode": rng.choice(("round", "game")),
            "rounds": rng.choice((1, 2, 6)),
            "turn_limit": rng.choice((20, 60, 200)),
            "reward": rng.choice(("score", "rank", "win")),
            "turned_up": rng.random() < 0.6,
            "swaps": rng.choice(("any", "any", "needed")),
        }
        match = Match(mhing.Game("mexican_rummy", **options).new_state(number))
        policy = moody if number % 3 else ALL[rng.choice(sorted(ALL))]
        while not match.state.is_terminal:
            match.play_by(policy, rng, decisions=1)
            seen.update(situations(match))
    assert seen.keys() >= {
        *("deal", "ask", "grant", "refuse", "take", "swap", "set", "run", "lay", "discard"),
        *("shuffle", "over", "answer", "start", "play", "meld", "fill", "place"),
        *("black 2 in a run", "long run", "equal cards in a set", "low ace", "high ace"),
        *("several shuffles", "large hand"),
        *("last card laid", "No Discardo", "no card to draw", "turn limit"),
    }


def test_a_referee_finds_fault_with_a_wrong_table() -> None:
    table_ = mhing.Game("mexican_rummy").new_state(1).to_dict()
    assert RummyReferee(table_).faults() == []
    table_["hands"][0][0] = table_["hands"][1][0]
    assert RummyReferee(table_).faults()


def test_who_does_not_answer_discards_the_card_just_drawn() -> None:
    game = mhing.Game("mexican_rummy", num_players=3)
    rng = Random(5)
    seen = 0
    for seed in range(20):
        state = game.new_state(seed)
        while state.seat >= 0:
            table = state.to_dict()
            legal = [game.action_text(action) for action in state.legal_actions()]
            if table["phase"] == "play" and f"discard {table['drawn']}" in legal:
                assert game.action_text(state.idle_action()) == f"discard {table['drawn']}"
                seen += 1
            state.apply(game.action_id(moody(state, legal, rng)))
    assert seen > 200
