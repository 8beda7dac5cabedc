"""Mexican Rummy: every field of an observation against the table, and what a seat may not see."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations_with_replacement
from random import Random
from typing import Any

import numpy as np
import pytest
import viewer
from playing import DULL
from policies import greedy
from reference.mexican_rummy import RANKS, RummyReferee
from reference.rummy_melds import DECK, number_of, points_of, type_of
from reference.rummy_plan import NO_DISCARDO, OBJECTIVES, TYPES, Plan, can_finish
from viewer import check_observations, check_resamples_ignore_the_seed, filled, low_first

import mhing
from games.mexican_rummy.matches import ALL, Match, laying, moody, polite, table, waiting

Table = dict[str, Any]

PILE = 84
PHASES = ["wait", "ask", "answer", "start", "play", "swap"]
PHASES += ["meld", "fill", "extend", "place", "over"]


def counts(cards: Any) -> list[int]:
    """Cards by type."""
    held = Counter(map(type_of, cards))
    return [held[name] for name in TYPES]


def number(card: str | None) -> int:
    return 0 if card is None else number_of(card)


class Viewer(viewer.Viewer):
    """The observation that one seat should have of a table."""

    extra = "place"

    def __init__(self, table: Table, seat: int) -> None:
        super().__init__(table, seat)
        self.mine = table["on_turn"] == seat
        self.plan = table["plan"] if self.mine else None
        """The melds that it is laying down."""

    def hand(self) -> list[str]:
        """Its cards without those that it is laying down."""
        return list(self.plan["rest"] if self.plan else self.table["hands"][self.seat])

    def unseen(self) -> list[str]:
        """Both decks less the own hand, what lies open, and what is known to be in a hand."""
        table = self.table
        hidden = [*table["draw_pile"]]
        for seat, hand in enumerate(table["hands"]):
            if seat != self.seat:
                hidden += [card for card in hand if card not in table["shown"]]
        return hidden

    def fields(self) -> dict[str, Any]:
        table, options = self.table, self.table["options"]
        asked = table["seat"] == self.seat or table["phase"] == "over"
        unseen = self.unseen()
        last = {c for c in DECK if table["shuffle_of"][c] == table["shuffles"]}
        sets, runs = OBJECTIVES[table["objective"] - 1]
        limit = options["turn_limit"] * (2 if table["objective"] == NO_DISCARDO else 1)
        limit = min(limit, 65535)
        return {
            "hand": counts(self.hand()),
            "unseen": counts(unseen),
            "drawable": counts(card for card in unseen if card in last),
            "discards": filled([number(made["card"]) for made in table["discards"]], PILE),
            "discarded_by": filled([self.relative(made["by"]) for made in table["discards"]], PILE),
            "phase": PHASES.index(table["phase"]) if asked else 0,
            "on_turn": self.relative(table["on_turn"]),
            "offer": number(table["offer"]),
            "offered_by": self.relative(table["offered_by"]),
            "asker": self.relative(table["asker"]),
            "taken": number(table["taken"]),
            "drawn": number(table["drawn"]) if self.mine else 0,
            "chosen": number(table["chosen"]) if self.mine else 0,
            "wanted": number(self.plan["wanted"]) if self.plan else 0,
            "to_fill": self.plan["to_fill"] if self.plan else 0,
            **self.planned(),
            "objective": table["objective"],
            "sets": sets,
            "runs": runs,
            "draw_pile_left": len(table["draw_pile"]),
            "shuffles": low_first(table["shuffles"], 2),
            "turns_left": low_first(limit - table["turn"], 4),
            "starter": self.relative(table["starter"]),
            "rounds_left": self.rounds_left(),
            **self.events(),
            **self.blocks(),
        }

    def rounds_left(self) -> int:
        """Rounds after this one."""
        options = self.table["options"]
        if options["episode"] == "round":
            return 0
        left = options["rounds"] - self.table["round"] - 1
        return int(min(left, NO_DISCARDO - self.table["objective"]))

    def planned(self) -> dict[str, Any]:
        """The melds that the observer is laying down."""
        swap = self.plan["swap"] if self.plan else None
        run = 1 + 3 * (self.relative(swap["seat"]) - 1) + swap["meld"] if swap else 0
        return {
            **self.melds("plan", self.plan["melds"] if self.plan else []),
            "swap_card": number(swap["given"]) if swap else 0,
            "swap_from": [run, swap["place"] + 1] if swap else [0, 0],
        }

    def melds(self, name: str, laid: list[dict[str, Any]]) -> dict[str, list[int]]:
        """Kinds and cards of melds, as fields of that name."""
        kinds: list[int] = []
        places: list[int] = []
        for meld in laid:
            cards = list(map(number, meld["cards"]))
            is_set = meld["kind"] == "set"
            kind = 1 + meld["rank"] if is_set else 1 + len(RANKS) + meld["suit"]
            kinds.append(kind)
            places += filled([0] * meld.get("low", 0) + cards, 14)
        return {f"{name}_kind": filled(kinds, 3), f"{name}_cards": filled(places, 42)}

    def block(self, seat: int) -> dict[str, Any]:
        """The public part of a seat."""
        table = self.table
        hand = table["hands"][seat]
        return {
            **self.melds("meld", table["melds"][seat]),
            "hand_size": len(hand),
            "known": counts(card for card in hand if card in table["shown"]),
            "old_cards": sum(table["shuffle_of"][card] != table["shuffles"] for card in hand),
            "refused": int(seat in table["refused"]),
            "score": low_first(table["scores"][seat], 2),
        }


def check(match: Match) -> None:
    """Compares every seat's observation, the omniscient one and the numbers with the table."""
    game, seen = match.state.game, match.table
    check_observations(match, (Viewer(seen, seat) for seat in range(game.num_seats)))
    hidden = game.unpack_omniscient(match.state.omniscient())
    assert hidden["draw_pile"].tolist() == filled(list(map(number, seen["draw_pile"])), PILE - 1)
    assert hidden["hands"].tolist() == [counts(hand) for hand in seen["hands"]]
    assert hidden["to_act"] == seen["seat"] + 1


def check_info(match: Match) -> None:
    game, seen = match.state.game, match.table
    info: dict[str, Any] = match.state.info()
    nothing = {"round": -1, "winner": -1, "ending": "not finished", "points": [0] * game.num_seats}
    result = seen["result"] or nothing
    assert (info["round"], info["objective"]) == (seen["round"], seen["objective"])
    assert info["starter"] == seen["starter"]
    assert list(info["scores"]) == seen["scores"]
    assert info["rounds_over"] == result["round"] + 1
    assert info["winner"] == result["winner"]
    assert list(info["points"]) == result["points"]
    assert game.labels["endings"][info["ending"]] == result["ending"]


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 6])
def test_every_field_shows_the_table(players: int) -> None:
    rng = Random(players)
    phases = set()
    for number_, policy in enumerate((moody, greedy, laying, waiting, polite)):
        for objective in (1, 2, 5, 6):
            game = mhing.Game(
                "mexican_rummy",
                num_players=players,
                episode=("game", "round")[number_ % 2],
                objective=objective,
                rounds=2,
                turn_limit=(200, 60, 40_000)[number_ % 3],
                turned_up=number_ % 4 != 1,
                swaps=("any", "needed")[number_ % 2],
            )
            match = Match(game.new_state(number_))
            for _ in range(160):
                check(match)
                check_info(match)
                phases.add(match.table["phase"])
                if match.state.is_terminal:
                    break
                match.play_by(policy, rng, decisions=1)
    assert phases >= {"ask", "answer", "start", "play", "meld", "fill"}


def test_a_planned_swap_and_a_planned_last_round_are_seen_by_the_planner_alone() -> None:
    """Phases that are rare in play: choices among black 2s, and cards for longer melds."""
    hands: list[str | None] = ["457d 9s 9h 9d 2s Jc Qh 3s", "56TQs 6d 5s 5h 5c 4s 3c"]
    match = Match(table(hands, "4c 3h", objective=2))
    match.play_unasked("draw", "set 9", "discard Qh", "draw", "swap 6d")
    assert match.table["phase"] in ("meld", "fill")
    check(match)
    rng = Random(1)
    seen = set()
    for _ in range(20):
        hands = [DULL, "8c 8h 8d 2345h 9TJs"]
        match = Match(table(hands, "6h 3d 2s", up="Qs", objective=6))
        match.play("may i", "grant")
        match.play_unasked("discard 3d", "draw")
        while not match.state.is_terminal:
            check(match)
            seen.add(match.table["phase"])
            match.play(rng.choice([a for a in match.legal() if not a.startswith("discard")]))
    assert seen >= {"play", "meld", "extend", "place"}


# ---- Hints --------------------------------------------------------------------------------------


def lacks(hand: list[str], objective: int) -> int:
    """The fewest cards that a hand lacks, by trying every way to add cards; at most 2 are tried."""
    names = sorted(map(type_of, hand), key=TYPES.index)
    for extra in range(3):
        for added in _additions(names, extra):
            if can_finish(objective, Plan(tuple(sorted([*names, *added], key=TYPES.index)))):
                return extra
    return 3


def _additions(names: list[str], extra: int) -> Iterator[tuple[str, ...]]:
    """So many cards that the decks have beside these."""
    for added in combinations_with_replacement(TYPES, extra):
        if all([*names, *added].count(card) <= 2 for card in added):
            yield added


@pytest.mark.slow
@pytest.mark.parametrize("objective", [1, 2, 3, 4, 5])
def test_lacking_is_the_fewest_cards_that_can_be_added(objective: int, full: bool) -> None:
    rng = Random(objective)
    found: Counter[int] = Counter()
    for seed in range(120 if full else 8):
        game = mhing.Game("mexican_rummy", hints=True, objective=objective, num_players=2)
        state = game.new_state(seed)
        random = seed
        for _ in range(rng.randrange(60)):
            if not state.is_terminal:
                action, random = state.bot_action("greedy", random)
                state.apply(action)
        d = state.to_dict()
        for seat in range(2):
            shown = game.unpack(state.observation(seat))
            if d["melds"][seat] or (d["plan"] and d["on_turn"] == seat):
                assert shown["lacking"] == 0
            else:
                expected = lacks(d["hands"][seat], objective)
                assert min(int(shown["lacking"]), 3) == expected
                found[expected] += 1
    assert len(found) >= 2


def check_hints(match: Match) -> None:
    """The words about an action before and after it agree, as far as it can be known before."""
    game, seen = match.state.game, match.table
    seat = seen["seat"]
    shown = game.unpack(match.state.observation(seat))
    for action in match.legal():
        place = game.action_id(action)
        claimed = int(shown["lacking_after"][place]), int(shown["points_after"][place])
        hand = [type_of(card) for card in Viewer(seen, seat).hand()]
        word, _, card = action.partition(" ")
        if word in ("take", "may"):
            hand.append(type_of(seen["offer"]))
        elif word in ("discard", "lay", "swap"):
            hand.remove(card)
        elif word in ("onto", "low", "high"):
            hand.remove(seen["chosen"])
        assert claimed[1] == points_of(hand, seen["objective"]) // 5, action
        down = bool(seen["melds"][seat]) or (seen["plan"] and seat == seen["on_turn"])
        if down or word in ("set", "run", "swap", "lay", "onto", "low", "high"):
            assert claimed[0] == 0
        elif word in ("draw", "pass", "grant", "refuse"):
            assert claimed[0] == shown["lacking"]
        else:
            assert abs(claimed[0] - int(shown["lacking"])) <= 1
    illegal = np.flatnonzero(match.state.action_mask() == 0)
    assert (shown["lacking_after"][illegal] == 255).all()
    other = game.unpack(match.state.observation((seat + 1) % game.num_seats))
    assert (other["lacking_after"] == 255).all()


@pytest.mark.slow
def test_hints_tell_what_each_action_leads_to() -> None:
    rng = Random(9)
    words = set()
    for number_ in range(24):
        game = mhing.Game(
            "mexican_rummy", hints=True, num_players=2 + number_ % 3, objective=1 + number_ % 6
        )
        match = Match(game.new_state(number_))
        for _ in range(120):
            if match.state.is_terminal:
                break
            check_hints(match)
            words |= {action.partition(" ")[0] for action in match.legal()}
            match.play_by(laying if number_ % 3 else moody, rng, decisions=1)
    assert words >= {"draw", "take", "may", "pass", "grant", "refuse"}
    assert words >= {"set", "run", "lay", "discard"}


# ---- What stays hidden --------------------------------------------------------------------------

PUBLIC = [
    *("options", "round", "objective", "turn", "starter", "seat", "on_turn", "offer", "offered_by"),
    *("asker", "refused", "taken", "discards", "shuffles", "shuffle_of", "shown", "melds"),
    *("events", "scores", "returns", "result"),
]


@pytest.mark.slow
def test_resampled_tables_keep_all_that_the_seat_knows() -> None:
    """All that lies open, who holds how many cards of which shuffle, and cards taken openly."""
    rng = Random(31)
    shuffled = planned = 0
    for number_ in range(24):
        game = mhing.Game("mexican_rummy", num_players=2 + number_ % 5, objective=1 + number_ % 6)
        match = Match(game.new_state(number_))
        policy = list(ALL.values())[number_ // 2 % 5]
        for moment in range(100):
            match.play_by(policy, rng, decisions=8 if policy is waiting else 3)
            if match.state.is_terminal:
                break
            seat = rng.randrange(game.num_seats)
            true, other = match.table, match.state.resample(seat, moment).to_dict()
            assert {name: other[name] for name in PUBLIC} == {name: true[name] for name in PUBLIC}
            assert RummyReferee(other).faults() == []
            assert other["hands"][seat] == true["hands"][seat]
            of = true["shuffle_of"]
            for mine, theirs in zip(true["hands"], other["hands"], strict=True):
                assert Counter(of[card] for card in mine) == Counter(of[card] for card in theirs)
                assert set(mine) & set(true["shown"]) == set(theirs) & set(true["shown"])
            if true["on_turn"] == seat:
                own = ("drawn", "plan", "chosen", "phase")
                assert {name: other[name] for name in own} == {name: true[name] for name in own}
            else:
                assert (other["plan"], other["chosen"]) == (None, None)
                assert (other["drawn"] is None) == (true["drawn"] is None)
                planned += true["plan"] is not None
            shuffled += true["shuffles"] > 0
    assert shuffled > 100
    assert planned > 5


def test_a_resample_can_be_played_on_by_the_rules() -> None:
    rng = Random(37)
    for number_ in range(30):
        game = mhing.Game("mexican_rummy", num_players=2 + number_ % 4, objective=1 + number_ % 6)
        state = game.new_state(number_)
        random = number_
        for _ in range(rng.randint(1, 150)):
            if not state.is_terminal:
                action, random = state.bot_action("greedy", random)
                state.apply(action)
        match = Match(state.resample(rng.randrange(state.game.num_seats), number_))
        match.play_by(moody, rng, decisions=60)


def test_a_seat_that_lays_down_may_hold_anything_as_far_as_others_know() -> None:
    """Nobody knows the melds that it has begun, so a fresh state does not have them."""
    match = Match(table(["7s 7h 7d 7c Ks Kh Kd 3h 4d 9h", DULL], "2h"))
    match.play_unasked("draw", "set 7")
    hands = {str(match.state.resample(1, seed).to_dict()["hands"][0]) for seed in range(50)}
    assert len(hands) == 50
    assert {match.state.resample(1, seed).to_dict()["phase"] for seed in range(50)} == {"play"}
    assert match.state.resample(0, 1).to_dict()["plan"] == match.table["plan"]


def test_hidden_cards_are_drawn_evenly() -> None:
    """A card that a seat has not seen is as likely in any hidden place as its number of places."""
    state = table([DULL, "A23456h Ad Tc 9s 7d", DULL], "As")
    draws = 4_000
    aces = 0
    for seed in range(draws):
        aces += state.resample(0, seed).to_dict()["hands"][1].count("Ah")
    expected = draws * 10 / (104 - 11)
    assert abs(aces - expected) < 5 * expected**0.5


def test_a_resample_does_not_depend_on_the_seed_of_the_episode() -> None:
    game = mhing.Game("mexican_rummy", episode="game", dealer=0)
    deck = [type_ for type_ in range(52) for _ in range(2)]
    Random(3).shuffle(deck)
    check_resamples_ignore_the_seed(game, deck, 25)
