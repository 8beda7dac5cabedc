"""Knowledge of a seat of Mexican Rummy, against a second way of making worlds.

A world that a seat takes for possible is a deck in which the cards it cannot know lie elsewhere,
played again with the same actions: everything that the seat saw must be the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from random import Random
from typing import Any

import numpy as np
import pytest
from playing import cards
from reference.rummy_melds import DECK, type_of
from reference.rummy_plan import TYPES

import mhing
from games.mexican_rummy.matches import ALL, check_sums, laying, moody, rest_of, waiting

Table = dict[str, Any]
Deck = list[str]
"""The types of the cards, in the order dealt."""


def start(deck: Deck, seed: int, **options: Any) -> mhing.State:
    """A state dealt from this deck."""
    game = mhing.Game("mexican_rummy", **options)
    return game.new_state(seed, deck=[TYPES.index(card) for card in deck])


def play(state: mhing.State, *actions: str) -> None:
    for action in actions:
        state.apply(state.game.action_id(action))


def legal(state: mhing.State) -> list[str]:
    return [state.game.action_text(action) for action in state.legal_actions().tolist()]


# ---- What an observation adds up to -------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("objective", [1, 2, 3, 4, 5, 6])
def test_what_a_seat_sees_adds_up_to_two_decks(players: int, objective: int) -> None:
    rng = Random(10 * players + objective)
    for seed, policy in enumerate([moody, laying]):
        state = mhing.Game("mexican_rummy", num_players=players, objective=objective).new_state(
            seed
        )
        for _ in range(100):
            check_sums(state)
            if state.is_terminal:
                break
            play(state, policy(state, legal(state), rng))


# ---- Swaps --------------------------------------------------------------------------------------

HAND_0 = "9s 9h 9d 6h 7h 9h 2c Qc 4s Jh"
HAND_1 = "8h Ks Kh Kd 5d 6d 7d Jc 3s"
TO_THE_SWAP = ["pass", "draw", "discard Tc", "draw", "set 9", "discard 4s", "draw"]
SWAP = ["swap 8h", "run 5678d", "lay 5d", "lay 6d", "lay 7d"]


def swap_deck(tenth: str, up: str = "Th", draws: str = "Tc 3d 4h", last: str = "") -> Deck:
    """Seat 0 lays 67*9h with a 2c, and seat 1 swaps its 8h for it; `tenth` is its other card."""
    begin = [*cards(HAND_1), tenth, *cards(HAND_0), up, *cards(draws)]
    between = rest_of([*begin, *cards(last)])
    Random(1).shuffle(between)
    return [*begin, *between, *cards(last)]


def test_a_swap_says_nothing_of_an_equal_black_two_in_the_hand() -> None:
    """The 2c taken from the run is the one laid (R5.3); where the other one is nobody can tell."""
    in_hand = start(swap_deck("2c"), 1, num_players=2, objective=2, dealer=0)
    in_pile = start(swap_deck("8d", last="2c"), 1, num_players=2, objective=2, dealer=0)
    for action in [*TO_THE_SWAP, *SWAP]:
        play(in_hand, action)
        play(in_pile, action)
        assert in_hand.observation(0).tobytes() == in_pile.observation(0).tobytes(), action
        check_sums(in_hand)
        check_sums(in_pile)
    assert in_hand.to_dict()["melds"][1][1]["text"] == "5678*d"
    assert "2c" in map(type_of, in_hand.to_dict()["hands"][1])
    assert "2c" in map(type_of, in_pile.to_dict()["draw_pile"])
    for state in (in_hand, in_pile):
        assert state.game.from_bytes(state.to_bytes()) == state
        twos: Counter[str] = Counter()
        for seed in range(400):
            world = state.resample(0, seed)
            assert world.observation(0).tobytes() == state.observation(0).tobytes()
            assert world.game.from_bytes(world.to_bytes()) == world
            table = world.to_dict()
            twos["hand"] += [*map(type_of, table["hands"][1])].count("2c")
            twos["pile"] += [*map(type_of, table["draw_pile"])].count("2c")
        assert twos.total() == 400
        expected = 400 * 4 / 84  # places in the hand, of all that are hidden
        assert abs(twos["hand"] - expected) < 4 * expected**0.5


def test_a_black_two_taken_openly_stays_known_when_an_equal_one_is_swapped() -> None:
    state = start(swap_deck("4c", up="2c"), 1, num_players=2, objective=2, dealer=0)
    play(state, "pass", "take", "discard 4c", *TO_THE_SWAP[3:5], "discard 4s", "draw", *SWAP)
    assert state.to_dict()["melds"][1][1]["text"] == "5678*d"
    seen = state.game.unpack(state.observation(0))
    two = TYPES.index("2c")
    assert seen["known"][1][two] == 1
    assert seen["unseen"][two] == 0
    check_sums(state)
    assert [type_of(card) for card in state.to_dict()["shown"]] == ["2c"]
    for seed in range(50):
        assert "2c" in map(type_of, state.resample(0, seed).to_dict()["hands"][1])


def test_both_equal_black_twos_may_be_laid_after_a_swap() -> None:
    """The second one is then from the hand: nothing of either is hidden any more."""
    state = start(swap_deck("2c"), 1, num_players=2, objective=2, dealer=0)
    play(state, *TO_THE_SWAP, "swap 8h", "run 5678d", "lay 5d", "lay 6d", "lay 2c")
    check_sums(state)
    assert state.game.unpack(state.observation(0))["unseen"][TYPES.index("2c")] == 0
    assert state.to_dict()["melds"][1][1]["cards"] == ["5d", "6d", "2c", "2c"]
    assert state.game.from_bytes(state.to_bytes()) == state


def deal_for_a_swap(rng: Random) -> Deck:
    """The hands of a swap, for seats 1 and 2 (or 0 of two); the other cards lie anywhere."""
    hands = [*cards(HAND_1), *cards(HAND_0)]
    rest = rest_of(hands)
    rng.shuffle(rest)
    if rng.random() < 0.8:  # the other 2c comes to where it may be mistaken for the one swapped
        rest.remove("2c")
        rest.insert(rng.choice((0, 0, 0, 1, 2)), "2c")
    return [*hands[:9], rest[0], *hands[9:], *rest[1:]]


def swapping(state: mhing.State, actions: list[str], rng: Random) -> str:
    """Swaps where it can, else lays where it can, but not before there can be a swap."""
    swaps = [action for action in actions if action.startswith("swap")]
    if state.to_dict()["turn"] == 1:
        return waiting(state, actions, rng)
    return rng.choice(swaps) if swaps else laying(state, actions, rng)


def test_what_a_seat_sees_adds_up_after_swaps_too() -> None:
    rng = Random(5)
    swaps = equal = 0
    for number in range(80):
        deck = deal_for_a_swap(rng)
        state = start(deck, 1, num_players=2 + number % 3, objective=2, dealer=0)
        while not state.is_terminal and state.to_dict()["turn"] < 6:
            action = swapping(state, legal(state), rng)
            hand = state.to_dict()["hands"][state.seat]
            play(state, action)
            check_sums(state)
            if action.startswith("swap"):
                swaps += 1
                equal += "2c" in map(type_of, hand)
                assert state.game.from_bytes(state.to_bytes()) == state
    assert swaps > 30
    assert equal > 8


# ---- Decks in which hidden cards lie elsewhere --------------------------------------------------


def names_of(deck: Deck) -> list[str]:
    """The cards as `to_dict` names them: of two equal ones the second has a mark."""
    return [card + "'" * (card in deck[:place]) for place, card in enumerate(deck)]


class Record:
    """A game as one seat saw it."""

    def __init__(self, deck: Deck, seed: int, seat: int, **options: Any) -> None:
        self.deck, self.seed, self.options, self.seat = deck, seed, options, seat
        self.state = start(deck, seed, **options)
        self.actions: list[str] = []
        self.events = [self._happened(self.state)]
        self.views = [self.state.observation(seat)]
        self.hidden = set(DECK)
        """Cards that the seat has never seen, nor any equal one that was shuffled again."""
        self._look()

    def _happened(self, state: mhing.State) -> Table:
        """Open events, and the seat that is asked."""
        table = state.to_dict()
        return {name: table[name] for name in ("events", "melds", "seat")}

    def play(self, action: str) -> None:
        play(self.state, action)
        self.actions.append(action)
        self.events.append(self._happened(self.state))
        self.views.append(self.state.observation(self.seat))
        self._look()

    def _look(self) -> None:
        table = self.state.to_dict()
        hands = [hand for seat, hand in enumerate(table["hands"]) if seat != self.seat]
        hidden = {*table["draw_pile"], *(card for hand in hands for card in hand)}
        again = {type_of(card) for card in DECK if table["shuffle_of"][card]}
        self.hidden &= {card for card in hidden - {*table["shown"]} if type_of(card) not in again}

    def permuted(self, rng: Random) -> Deck:
        """The deck with the hidden cards in other places."""
        places = [n for n, name in enumerate(names_of(self.deck)) if name in self.hidden]
        deck = list(self.deck)
        for place, other in zip(places, rng.sample(places, len(places)), strict=True):
            deck[place] = self.deck[other]
        return deck

    def replay(self, deck: Deck) -> int:
        """Plays the same actions with another deck.

        Wherever the same has happened in the open, the seat must see the same. Returns the number
        of these moments. Between them a seat may have fewer choices to make while it lays down.
        """
        state = start(deck, self.seed, **self.options)
        same = 0
        for done, action in enumerate([*self.actions, ""]):
            if self._happened(state) == self.events[done]:
                same += 1
                views = self.views[done], state.observation(self.seat)
                view, other = map(state.game.unpack, views)
                differing = [name for name in view if not np.array_equal(view[name], other[name])]
                assert not differing, f"seat {self.seat} after {self.actions[:done]}"
            if action in legal(state):
                play(state, action)
        return same


@pytest.mark.slow
def test_a_seat_sees_the_same_wherever_the_hidden_cards_lie(full: bool) -> None:
    """Every card that a seat has never seen goes elsewhere, and the game is played again."""
    rng = Random(8)
    played = replayed = swaps = shuffles = moved = 0
    games = 44 if full else 20
    for number in range(games):
        players = 2 + number // 2 % 5
        options = {"num_players": players, "objective": 1 + rng.randrange(6), "dealer": 0}
        deck = rng.sample(rest_of([]), 104)
        policy = swapping if number % 2 else list(ALL.values())[number // 2 % 5]
        if policy is swapping:
            options["objective"] = 2
            deck = deal_for_a_swap(rng)
        record = Record(deck, number, rng.randrange(players), **options)
        for _ in range(400 if policy is waiting else 25):
            ahead = record.state.clone()
            action = policy(ahead, legal(ahead), rng)
            play(ahead, action)
            if ahead.is_terminal:
                break
            record.play(action)
        for _ in range(2):
            other = record.permuted(rng)
            moved += other != record.deck
            replayed += record.replay(other)
            played += len(record.views)
        swaps += any(action.startswith("swap") for action in record.actions)
        shuffles += record.state.to_dict()["shuffles"]
    assert replayed > 0.9 * played
    assert moved > 1.4 * games
    assert swaps > games / 8
    assert shuffles > games / 20


# ---- All worlds of a small end-game -------------------------------------------------------------

KEPT = ["9h 4c", "Jd Qs"]
"""The cards of seats 1 and 2 until the draw pile ends."""
RETURNING = ["9h", "4c", "Jd"]
"""The equal cards: seat 0 discards them, so they are what the draw pile is made of then."""
OLD = [18, 19, 28, 29]
"""Places in the deck of the cards kept."""


def endgame_deck() -> Deck:
    hands = ["9h 4c Jd Qs Td 2s 3d Ac Kh 3h", f"5shdc 6shdc {KEPT[0]}", f"7shdc 8shdc {KEPT[1]}"]
    dealt = [card for hand in hands for card in cards_of(hand)] + ["Kd"]
    between = rest_of(dealt)
    Random(4).shuffle(between)
    return [*dealt, *between]


def cards_of(text: str) -> list[str]:
    """ "5sh 9h" -> 5s 5h 9h."""
    return [word[0] + suit for word in text.split() for suit in word[1:]]


def towards_the_end(state: mhing.State, actions: list[str]) -> str:
    """All cards but a few come to lie open or to seat 0, which asks for all that others discard."""
    table = state.to_dict()
    seat, phase = state.seat, table["phase"]
    if phase in ("ask", "answer"):
        return {(0, "ask"): "may i"}.get((seat, phase), "grant" if phase == "answer" else "pass")
    if phase == "start":
        offered = type_of(table["offer"])
        return "draw" if seat and offered in RETURNING else "take"
    hand = [type_of(card) for card in table["hands"][seat]]
    if seat == 0:
        first = [card for card in RETURNING if card in hand]
        return f"discard {first[0]}" if first else "discard Td"
    begins = [action for action in actions if action.split()[0] in ("set", "lay")]
    if begins and len(hand) > 3:
        return begins[0]
    return next(f"discard {card}" for card in hand if card not in cards(KEPT[seat - 1]))


def world_of(state: mhing.State) -> str:
    """Cards unknown to seat 0: types, and the shuffle that each lay in last."""
    table = state.to_dict()

    def known(cards_: Iterable[str]) -> list[tuple[str, int]]:
        return [(type_of(card), table["shuffle_of"][card]) for card in cards_]

    drawn = table["drawn"] and state.seat != 0
    hands = [sorted(known(hand)) for hand in table["hands"][1:]]
    return str((hands, known(table["draw_pile"]), known([table["drawn"]] if drawn else [])))


@pytest.fixture(scope="module")
def endgames() -> list[mhing.State]:
    """The end of the draw pile, the truth first: all deals of the four cards kept, many seeds."""
    deck = endgame_deck()
    options = {"num_players": 3, "objective": 1, "dealer": 2, "turn_limit": 1000}
    truth = start(deck, 0, **options)
    actions = []
    while truth.to_dict()["draw_pile"] or truth.seat:
        actions.append(towards_the_end(truth, legal(truth)))
        play(truth, actions[-1])
    ids = [truth.game.action_id(action) for action in actions]
    states = [truth]
    kept = [deck[place] for place in OLD]
    for first in combinations(kept, 2):
        other = list(deck)
        for place, card in zip(
            OLD, [*first, *(card for card in kept if card not in first)], strict=True
        ):
            other[place] = card
        for seed in range(1, 200):
            state = start(other, seed, **options)
            for action in ids:
                state.apply(action)
            states.append(state)
    return states


class World:
    """A deck and a seed that are as good as the true ones, as far as seat 0 knows."""

    def __init__(self, state: mhing.State) -> None:
        self.state = state
        self.is_ahead = False
        """A seat that has no choice here has moved; in truth it has one, and is still asked."""

    def follow(self, action: str, truth: mhing.State) -> bool:
        """Plays the same, and says whether the same happens in the open."""
        if not self.is_ahead:
            if action not in legal(self.state):
                return False
            play(self.state, action)
        happened = truth.to_dict()["events"]
        discard = f"discard {happened[-1]['text']}"
        if self.state.to_dict()["events"] != happened and discard in legal(self.state):
            play(self.state, discard)  # in truth there was no choice
        events = self.state.to_dict()["events"]
        self.is_ahead = events[:-1] == happened[1:]
        return self.is_ahead or events == happened

    def looks_like(self, truth: mhing.State) -> bool:
        view = truth.observation(0).tobytes()
        return self.state.seat == truth.seat and self.state.observation(0).tobytes() == view


@pytest.mark.slow
@pytest.mark.parametrize(
    "number", [*(pytest.param(n, marks=pytest.mark.full) for n in (1, 7)), 2, 6]
)
def test_resamples_are_all_worlds_that_fit_what_a_seat_saw(
    endgames: list[mhing.State], number: int
) -> None:
    """And no others: the draw pile is shuffled, and equal cards of two shuffles come together."""
    rng = Random(number)
    truth = endgames[0].clone()
    worlds = [World(state.clone()) for state in endgames[1:]]
    while not truth.is_terminal and truth.to_dict()["shuffles"] < 2:
        worlds = [world for world in worlds if world.is_ahead or world.looks_like(truth)]
        possible = {world_of(world.state) for world in worlds if not world.is_ahead}
        resampled = {world_of(truth.resample(0, seed)) for seed in range(300)}
        assert resampled == possible
        action = rng.choice([action for action in legal(truth) if action.split()[0] != "set"])
        play(truth, action)
        worlds = [world for world in worlds if world.follow(action, truth)]


@pytest.mark.slow
def test_each_shuffle_draws_anew_which_of_two_equal_cards_goes(endgames: list[mhing.State]) -> None:
    """Seat 1 keeps one 9h, draws the other one again and again, and discards one of them."""
    counts: Counter[tuple[bool, ...]] = Counter()
    for state in (state.clone() for state in endgames[1:200]):
        went: list[bool] = []
        while len(went) < 2 and state.to_dict()["turn"] < 190:
            table = state.to_dict()
            both = [card for card in table["hands"][1] if type_of(card) == "9h"]
            if len(both) == 2:
                play(state, "discard 9h")
                went.append(both[0] in state.to_dict()["hands"][1])
            else:
                play(state, state.game.action_text(state.idle_action()))
        counts[tuple(went)] += 1
    assert min(counts[first, then] for first in (False, True) for then in (False, True)) > 25
