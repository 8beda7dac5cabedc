"""General Mhing: every field of an observation against the table, and what a seat may not see."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest
import viewer
from playing import DULL
from policies import greedy
from reference.general_mhing import DECK, SEQUENCES, GeneralReferee, parts_of
from viewer import check_observations, check_resamples_ignore_the_seed, filled, low_first

import mhing
from games.general_mhing.matches import ALL, Match, hoarding, moody, swapping, table

Table = dict[str, Any]

PILE = 38
PHASES = ("start", "taken", "play", "end", "over")


def flags(names: Any) -> list[int]:
    held = set(names)
    return [int(card in held) for card in DECK]


def number(name: str | None) -> int:
    return 0 if name is None else DECK.index(name) + 1


class Viewer(viewer.Viewer):
    """The observation that one seat should have of a table."""

    extra = "ace"

    def unseen(self) -> set[str]:
        """The deck less the own hand, what lies open, and what everybody knows to be in a hand."""
        table = self.table
        seen = {*table["hands"][self.seat], *table["shown"]}
        seen |= {made["card"] for made in table["discards"]}
        for sequences in table["sequences"]:
            for laid in sequences:
                seen |= SEQUENCES[laid["text"]].cards
        return set(DECK) - seen

    def fields(self) -> dict[str, Any]:
        table, options = self.table, self.table["options"]
        result = table["result"] or {"winner": -1, "points": 0}
        mine = table["on_turn"] == self.seat
        asked = table["seat"] == self.seat or table["phase"] == "over"
        unseen = self.unseen()
        last = {c for c in DECK if table["shuffle_of"][c] == table["shuffles"]}
        limited = options["episode"] == "game" and options["rounds"] > 0
        left = options["rounds"] - table["round"] - 1
        return {
            "hand": flags(table["hands"][self.seat]),
            "unseen": flags(unseen),
            "drawable": flags(unseen & last),
            "discards": filled([number(made["card"]) for made in table["discards"]], PILE),
            "discarded_by": filled([self.relative(made["by"]) for made in table["discards"]], PILE),
            "phase": PHASES.index(table["phase"]) + 1 if asked else 0,
            "on_turn": self.relative(table["on_turn"]),
            "offer": number(table["offer"]),
            "offered_by": self.relative(table["offered_by"]),
            "taken": number(table["taken"]),
            "drawn": filled([number(card) for card in table["drawn"]] if mine else [], 2),
            "draw_pile_left": len(table["draw_pile"]),
            "shuffles": low_first(table["shuffles"], 2),
            "turns_left": low_first(options["turn_limit"] - table["turn"], 2),
            "starter": self.relative(table["starter"]),
            "round": low_first(table["round"], 4),
            "rounds_left": low_first(left + 1 if limited else 0, 2),
            "last_winner": self.relative(result["winner"]),
            "last_points": result["points"],
            "target": low_first(self.target(), 2),
            **self.events(),
            **self.blocks(),
        }

    def target(self) -> int:
        """The points that win the game, if any do."""
        options = self.table["options"]
        return int(options["target"]) if options["episode"] == "game" else 0

    def block(self, seat: int) -> dict[str, Any]:
        """The public part of a seat."""
        table = self.table
        laid = [SEQUENCES[each["text"]] for each in table["sequences"][seat]]
        hand = table["hands"][seat]
        known = {card for card in hand if card in table["shown"]}
        return {
            "sequence_kind": filled([each.kind + 1 for each in laid], 4),
            "sequence_ace": filled([0 if s.ace is None else s.ace + 1 for s in laid], 4),
            "tally": sum(parts_of(laid).values()),
            "hand_size": len(hand),
            "aces_held": [int("A" + suit in known) for suit in "shdc"],
            "old_cards": sum(table["shuffle_of"][card] != table["shuffles"] for card in hand),
            "score": low_first(table["scores"][seat], 2),
            "missing": low_first(max(self.target() - table["scores"][seat], 0), 2),
        }


def check(match: Match) -> None:
    """Compares every seat's observation, the omniscient one and the numbers with the table."""
    game, seen = match.state.game, match.table
    check_observations(match, (Viewer(seen, seat) for seat in range(game.num_seats)))
    hidden = game.unpack_omniscient(match.state.omniscient())
    pile = [number(card) for card in seen["draw_pile"]]
    assert hidden["draw_pile"].tolist() == filled(pile, PILE)
    assert hidden["hands"].tolist() == [flags(hand) for hand in seen["hands"]]
    assert hidden["to_act"] == seen["seat"] + 1


def check_info(match: Match) -> None:
    game, seen = match.state.game, match.table
    info: dict[str, Any] = match.state.info()
    result = seen["result"] or {"round": -1, "winner": -1, "points": 0, "seats": []}
    assert (info["round"], info["starter"]) == (seen["round"], seen["starter"])
    assert list(info["scores"]) == seen["scores"]
    assert info["rounds_over"] == result["round"] + 1
    assert (info["winner"], info["points"]) == (result["winner"], result["points"])
    assert game.labels["endings"][info["ending"]] == result.get("ending", "not finished")
    tallies = [seat["tally"] for seat in result["seats"]]
    assert list(info["tallies"]) == filled(tallies, game.num_seats)
    parts = dict(zip(game.labels["parts"], info["parts"].tolist(), strict=True))
    won = dict(result["seats"][result["winner"]]["parts"]) if result["winner"] >= 0 else {}
    assert {name: points for name, points in parts.items() if points} == won


@pytest.mark.parametrize("players", [2, 3])
def test_every_field_shows_the_table(players: int) -> None:
    rng = Random(players)
    for number_, policy in enumerate((moody, greedy, swapping, hoarding)):
        game = mhing.Game(
            "general_mhing",
            num_players=players,
            episode="game",
            rounds=3,
            target=(14, 0, 1000, 20)[number_],
            turn_limit=(200, 60, 400, 300)[number_],
        )
        match = Match(game.new_state(number_))
        for _ in range(250):
            check(match)
            check_info(match)
            if match.state.is_terminal:
                break
            match.play_by(policy, rng, decisions=1)


def promise(hand: set[str], unseen: set[str]) -> tuple[int, int]:
    """Cards that a hand lacks for a sequence, and the unseen cards that would complete one."""
    lacking = [sequence.cards - hand for sequence in SEQUENCES.values()]
    possible = [cards for cards in lacking if cards <= unseen]
    useful = {card for cards in possible if len(cards) == 1 for card in cards}
    return min(map(len, possible), default=3), len(useful)


def hand_after(action: str, hand: set[str], offer: str | None) -> set[str]:
    """A hand after an action and before any draw."""
    word, _, what = action.partition(" ")
    if word == "take":
        assert offer
        return hand | {offer}
    if word == "sequence":
        return hand - SEQUENCES[what].cards
    if word == "swap":
        return hand - {what} | {"A" + what[1]}
    return hand - {what}


def check_hints(match: Match) -> None:
    game, seen = match.state.game, match.table
    seat = seen["on_turn"]
    hand, unseen = set(seen["hands"][seat]), Viewer(seen, seat).unseen()
    shown = game.unpack(match.state.observation(seat))
    assert shown["lacking"] == promise(hand, unseen)[0]
    for action in match.legal():
        place = game.action_id(action)
        found = int(shown["lacking_after"][place]), int(shown["useful_after"][place])
        assert found == promise(hand_after(action, hand, seen["offer"]), unseen), action
        after = match.state.clone()
        after.apply(place)
        # A card taken may be laid at once, which is one action more.
        tally = (seen if action == "take" else after.to_dict())["tallies"][seat]
        assert shown["tally_after"][place] == tally, action
    illegal = np.flatnonzero(match.state.action_mask() == 0)
    assert (shown["lacking_after"][illegal] == 255).all()
    other = game.unpack(match.state.observation((seat + 1) % game.num_seats))
    assert (other["lacking_after"] == 255).all()


def test_hints_tell_what_each_action_leads_to() -> None:
    rng = Random(9)
    kinds = set()
    for number_ in range(12):
        game = mhing.Game("general_mhing", hints=True, num_players=2 + number_ % 2)
        match = Match(game.new_state(number_))
        for _ in range(60):
            if match.state.is_terminal:
                break
            check_hints(match)
            kinds |= {action.partition(" ")[0] for action in match.legal()}
            match.play_by(swapping if number_ % 3 else moody, rng, decisions=1)
    assert kinds == {"draw", "take", "sequence", "swap", "discard", "end"}


# ---- What stays hidden --------------------------------------------------------------------------

PUBLIC = [
    *("options", "round", "turn", "starter", "phase", "seat", "on_turn", "offer", "offered_by"),
    *("taken", "discards", "shuffles", "shuffle_of", "shown", "sequences", "tallies", "events"),
    *("scores", "returns", "result"),
]


def test_resampled_tables_keep_all_that_the_seat_knows() -> None:
    """All that lies open, who holds how many cards of which shuffle, and aces seen going back."""
    rng = Random(31)
    shuffled = 0
    for number_ in range(16):
        game = mhing.Game("general_mhing", num_players=2 + number_ % 2)
        match = Match(game.new_state(number_))
        policy = list(ALL.values())[number_ // 2 % 4]
        for moment in range(150):
            if match.state.is_terminal:
                break
            match.play_by(policy, rng, decisions=1)
            seat = rng.randrange(game.num_seats)
            true, other = match.table, match.state.resample(seat, moment).to_dict()
            assert {name: other[name] for name in PUBLIC} == {name: true[name] for name in PUBLIC}
            assert GeneralReferee(other).faults() == []
            assert other["hands"][seat] == true["hands"][seat]
            of = true["shuffle_of"]
            for mine, theirs in zip(true["hands"], other["hands"], strict=True):
                assert Counter(of[card] for card in mine) == Counter(of[card] for card in theirs)
                assert set(mine) & set(true["shown"]) == set(theirs) & set(true["shown"])
            assert len(other["drawn"]) == len(true["drawn"])
            if true["on_turn"] == seat:
                assert other["drawn"] == true["drawn"]
            shuffled += true["shuffles"] > 1
    assert shuffled > 100


def test_a_card_shuffled_in_can_only_be_held_by_who_has_drawn_since() -> None:
    """With two players, right after a shuffle, all that is not in the pile is in the other hand."""
    match = Match(mhing.Game("general_mhing").new_state(2))
    rng = Random(3)
    while not match.table["shuffles"]:
        match.play_by(hoarding, rng, decisions=1)
    on_turn = match.table["on_turn"]
    drawn = set(match.table["drawn"])
    other = 1 - on_turn
    for seed in range(20):
        guess = match.state.resample(on_turn, seed).to_dict()
        assert guess["hands"] == match.table["hands"]
        mine = set(match.state.resample(other, seed).to_dict()["hands"][on_turn])
        # The other seat knows all of this hand but the card just drawn.
        assert len(mine & set(match.table["hands"][on_turn])) >= 8 - len(drawn)


def test_a_resample_can_be_played_on_by_the_rules() -> None:
    rng = Random(37)
    for number_ in range(30):
        state = mhing.Game("general_mhing", num_players=2 + number_ % 2).new_state(number_)
        for _ in range(rng.randint(1, 90)):
            if not state.is_terminal:
                state.apply(rng.choice(state.legal_actions().tolist()))
        match = Match(state.resample(rng.randrange(state.game.num_seats), number_))
        match.play_by(moody, rng, decisions=60)


def test_an_observer_knows_that_a_seat_which_is_asked_has_a_choice() -> None:
    """A seat that can neither take nor swap is not asked before the draw."""
    state = table([DULL, "78h 2s 5s 9s Ks 4c"], "9h 3d")
    state.apply(state.game.action_id("discard 9h"))
    assert state.seat == 1
    hands = set()
    for seed in range(100):
        guess = state.resample(0, seed)
        assert guess.seat == 1
        assert len(guess.legal_actions()) > 1
        hands.add(str(guess.to_dict()["hands"][1]))
    assert len(hands) == 100


def test_coming_shuffles_and_deals_are_unknown_to_a_resample_too() -> None:
    game = mhing.Game("general_mhing", episode="game", turn_limit=60)
    state = game.new_state(2)
    shuffles, deals = set(), set()
    for seed in range(5):
        other = state.resample(0, seed)
        rng = Random(0)
        while other.to_dict()["round"] == 0:
            legal = [game.action_text(action) for action in other.legal_actions().tolist()]
            other.apply(game.action_id(hoarding(other, legal, rng)))
            if other.to_dict()["shuffles"] == 1:
                shuffles.add(str(other.to_dict()["draw_pile"]))
        deals.add(str(other.to_dict()["hands"]))
    assert len(shuffles) >= 5
    assert len(deals) == 5


def test_a_resample_does_not_depend_on_the_seed_of_the_episode() -> None:
    game = mhing.Game("general_mhing", episode="game", starter=0)
    deck = list(range(52))
    Random(3).shuffle(deck)
    check_resamples_ignore_the_seed(game, deck, 15)


def sequences_in_sight(hand: list[str]) -> int:
    """Those of which two natural cards are there."""
    ranks = "A23456789TJQK"
    held = {(ranks.index(card[0]), card[1]) for card in hand}
    return sum(
        sum((low + i, suit) in held for i in range(3)) == 2 for suit in "shdc" for low in range(11)
    )


def test_resampled_hands_have_been_played() -> None:
    """After some turns others have as many sequences in sight as greedy brings them.

    Cards drawn evenly have 0.8 fewer there.
    """
    in_sight: list[tuple[int, int]] = []
    for seed in range(100):
        state = mhing.Game("general_mhing").new_state(seed)
        while not state.is_terminal:
            true, other = state.to_dict(), state.resample(state.seat, seed).to_dict()
            if true["turn"] > 6:
                hands = (world["hands"][1 - state.seat] for world in (true, other))
                in_sight.append(tuple(map(sequences_in_sight, hands)))
            state.apply(state.bot_action("greedy", 0)[0])
    truth, resampled = np.mean(in_sight, axis=0)
    assert abs(resampled - truth) < 0.4


def test_hidden_cards_are_drawn_evenly() -> None:
    """A card that a seat has not seen is as likely in any hidden place as its number of places."""
    state = table([DULL, "A23456h Ad", DULL], "As")
    draws = 4_000
    aces = sum("Ah" in state.resample(0, seed).to_dict()["hands"][1] for seed in range(draws))
    hidden = 52 - 8
    expected = draws * 7 / hidden
    assert abs(aces - expected) < 5 * expected**0.5


def test_the_card_drawn_by_another_seat_can_be_any_of_its_hand() -> None:
    state = table(["A89h 7h 2s 4s Kc", DULL], "7d 5d")
    drawn = Counter(state.resample(1, seed).to_dict()["drawn"][0] for seed in range(2_000))
    assert len(drawn) > 30
    for seed in range(50):
        guess = state.resample(1, seed).to_dict()
        assert guess["drawn"][0] in guess["hands"][0]
