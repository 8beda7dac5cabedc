"""Secrets stay hidden from every seat, in every game and every variant.

Two ways of making another world that a seat cannot tell from this one are held against each other:
twins (`twins.py`), which are dealt and played from other decks, and `State.resample`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

import numpy as np
import pytest
from every_game import (
    CASES,
    Options,
    case_name,
    check_cards,
    hidden_cards,
    hidden_numbers,
    label,
    observables,
    some_play,
)
from numpy.typing import NDArray
from twins import (
    TRIES,
    Deck,
    Moment,
    World,
    exchange,
    moments,
    other_seed,
    random_deck,
    twins,
)

import mhing

SEED = 11
DECISIONS = 60
PAIRS = 12
"""Twins for each variant; every other pair differs in two cards only, and so lives longer."""

every_case = pytest.mark.parametrize(("game_id", "options"), CASES, ids=case_name)


# ---- Twins --------------------------------------------------------------------------------------


class Played:
    """The twins of one variant: all moments of their lives, and what their events gave away."""

    def __init__(self, game: mhing.Game) -> None:
        self.game = game
        self.moments: list[Moment] = []
        self.betrayed: list[str] = []
        for pair in range(PAIRS):
            both = twins(game, SEED + pair, most=2 if pair % 2 else 8)
            self.moments += moments(both, SEED + pair, decisions=40)
            self.betrayed += both.betrayed

    def views(self) -> Iterator[tuple[Moment, int]]:
        """Each moment with each seat that cannot know in which of the two worlds it is."""
        for moment in self.moments:
            for seat in sorted(moment.alike):
                yield moment, seat

    def decisions(self) -> Iterator[Moment]:
        """The moments in which such a seat is to act."""
        return (moment for moment in self.moments if moment.one.seat in moment.alike)


@pytest.fixture(scope="module", params=CASES, ids=lambda case: "-".join(map(case_name, case)))
def played(request: pytest.FixtureRequest) -> Played:
    """The twins of every variant, made once for all tests of it."""
    game_id, options = request.param
    return Played(mhing.Game(game_id, **options))


def assert_shown_alike(game: mhing.Game, one: NDArray[np.uint8], other: NDArray[np.uint8]) -> None:
    """Two observations that must be the same; says which fields are not."""
    if not np.array_equal(one, other):
        ours, theirs = game.unpack(one), game.unpack(other)
        fields = [name for name in ours if not np.array_equal(ours[name], theirs[name])]
        pytest.fail(
            f"shows what is hidden, or what everybody saw and no event says (C20): "
            f"{', '.join(fields)}"
        )


@pytest.mark.slow
def test_twins_differ_in_what_is_hidden(played: Played) -> None:
    """Else none of the other tests says anything."""
    differ = Counter(
        seat
        for moment, seat in played.views()
        if moment.one.to_dict()["hands"] != moment.other.to_dict()["hands"]
        or not np.array_equal(hidden_numbers(moment.one), hidden_numbers(moment.other))
    )
    few = [seat for seat in range(played.game.num_seats) if differ[seat] < 5]
    assert not few, (
        f"for the seats {few} there are hardly two worlds that they cannot tell apart; "
        "does to_dict() list the hands under `hands`, and hidden piles under the names that they "
        "have in the omniscient observation?"
    )
    assert sum(1 for _ in played.decisions()) >= 10


def test_a_seat_sees_the_same_of_twins(played: Played) -> None:
    for moment, seat in played.views():
        assert_shown_alike(
            played.game, moment.one.observation(seat), moment.other.observation(seat)
        )


def test_everybody_sees_the_same_of_twins(played: Played) -> None:
    for moment in played.moments:
        assert_shown_alike(
            played.game, moment.one.public_observation(), moment.other.public_observation()
        )
        np.testing.assert_equal(moment.one.info(), moment.other.info())
        assert moment.one.rewards().tolist() == moment.other.rewards().tolist()


def test_a_seat_may_do_the_same_in_twins(played: Played) -> None:
    for moment in played.decisions():
        assert np.array_equal(moment.one.action_mask(), moment.other.action_mask())


def test_bots_act_the_same_in_twins(played: Played) -> None:
    for number, moment in enumerate(played.decisions()):
        for bot in played.game.bots:
            one, other = (
                state.bot_action(bot.name, number) for state in (moment.one, moment.other)
            )
            assert one == other, f"{bot.name} knows more than its seat"


def test_afterstates_are_the_same_in_twins(played: Played) -> None:
    for moment in played.decisions() if played.game.features else ():
        one, other = (state.afterstates(every=True) for state in (moment.one, moment.other))
        np.testing.assert_equal(one, other, "features show what is hidden")


def test_idle_actions_are_the_same_in_twins(played: Played) -> None:
    for moment in played.decisions():
        assert moment.one.idle_action() == moment.other.idle_action()


def test_resamples_of_twins_are_the_same(played: Played) -> None:
    """Nothing hidden is left in them, the generator included: twins are of different seeds."""
    for number, (moment, seat) in enumerate(played.views()):
        one, other = (state.resample(seat, number) for state in (moment.one, moment.other))
        # The state counts the questions so far, and shows the count to nobody.
        if one != other:
            assert list(observables(one))[1:] == list(observables(other))[1:]


def test_no_event_shows_a_question(played: Played) -> None:
    """A seat that is asked because of its cards, and does nothing, leaves no trace."""
    assert played.betrayed == []


def test_a_resample_moves_what_differs_between_twins(played: Played) -> None:
    # A card has a chance of 1 in 20 at least to be elsewhere, in General Mhing in a world of eight
    # in which the hand has not been played: one failure in 30,000.
    draws = 1_600
    for number, (moment, seat) in enumerate(played.views()):
        if number % 40 or moment.answered:
            continue
        truth = hidden_numbers(moment.one)
        differs = truth != hidden_numbers(moment.other)
        for draw in range(draws):
            if not differs.any():
                break
            differs &= hidden_numbers(moment.one.resample(seat, draw)) == truth
        assert not differs.any(), f"stay as they are: {fields_at(played.game, differs)}"


# ---- Deals and resamples ------------------------------------------------------------------------


def fields_at(game: mhing.Game, places: NDArray[np.bool_]) -> str:
    """Names of the omniscient observation's fields that cover one of these hidden numbers."""
    if not game.omniscient_size:
        return "hands"
    named = game.unpack_omniscient(places.astype(np.uint8))
    return ", ".join(name for name, flags in named.items() if flags.any())


def looks_alike(seat: int, one: World, other: World) -> bool:
    """Return whether a seat has been dealt the same, and everybody has seen the same."""
    hands = [Counter(map(label, world.table["hands"][seat])) for world in (one, other)]
    return (
        hands[0] == hands[1]
        and one.state.seat == other.state.seat
        and one.sizes == other.sizes
        and one.table["events"] == other.table["events"]
    )


def unknown_places(game: mhing.Game, seed: int, deck: Deck, seat: int) -> list[int]:
    """The places of the deck whose card the seat does not know after the deal."""
    dealt = World(game.new_state(seed, deck=deck))
    found: set[int] = set()
    for last in (len(deck) - 1, len(deck) - 2):
        for place in range(len(deck)):
            changed = deck.copy()
            changed[place], changed[last] = deck[last], deck[place]
            if changed != deck and looks_alike(
                seat, dealt, World(game.new_state(seed, deck=changed))
            ):
                found |= {place, last}
    return sorted(found)


@every_case
def test_a_resample_can_be_whatever_a_deck_can_deal(game_id: str, options: Options) -> None:
    """Every hidden place can be taken by every card that other decks put there."""
    game = mhing.Game(game_id, **options)
    rng = Random(SEED)
    seat = rng.randrange(game.num_seats)
    deck = random_deck(game, rng)
    dealt = World(game.new_state(SEED, deck=deck))
    places = unknown_places(game, SEED, deck, seat)
    assert len(places) > 1, f"seat {seat} knows every card of the deal"
    others = []
    for _ in range(TRIES):
        some = rng.sample(places, rng.choice((len(places), len(places) // 2, len(places) // 4, 2)))
        order = exchange(deck, some, rng)
        other = World(game.new_state(SEED, deck=[deck[source] for source in order]))
        if looks_alike(seat, dealt, other):
            others.append(hidden_numbers(other.state))
    draws = 400
    dealt_so = np.stack(others)
    drawn = np.stack([hidden_numbers(dealt.state.resample(seat, draw)) for draw in range(draws)])
    stay = (drawn == drawn[0]).all(axis=0) & (dealt_so != dealt_so[0]).any(axis=0)
    assert not stay.any(), f"stay as they are: {fields_at(game, stay)}"
    for value in np.unique(dealt_so):
        # A value of one deal in six is also among 400 draws, but for one chance in 10**31.
        often = (dealt_so == value).mean(axis=0) > 1 / 6
        never = often & (hidden_numbers(dealt.state) != value) & (drawn != value).all(axis=0)
        assert not never.any(), f"is never {value}: {fields_at(game, never)}"


@every_case
def test_all_seats_together_know_the_hands(game_id: str, options: Options) -> None:
    """Piles that nobody sees come in another order, and nothing else that lies there changes."""
    game = mhing.Game(game_id, **options)
    moved = 0
    for state in [*some_play(game, SEED, DECISIONS)][::15]:
        truth = state.to_dict()
        worlds = [state.resample(None, draw) for draw in range(8)]
        for world in worlds:
            assert world.resample(None, 8) == state.resample(None, 8), "the hidden order tells"
            assert game.from_bytes(world.to_bytes()) == world
            assert np.array_equal(world.action_mask(), state.action_mask())
            for seat in range(game.num_seats):
                assert np.array_equal(world.observation(seat), state.observation(seat))
        tables = [world.to_dict() for world in worlds]
        for key in [key for key, value in truth.items() if isinstance(value, list)]:
            orders = [table[key] for table in tables]
            if any(order != truth[key] for order in orders):
                assert all(Counter(order) == Counter(truth[key]) for order in orders), key
                first, last = ({order[at] for order in orders} for at in (0, -1))
                moved += len(first) > 1 and len(last) > 1
    assert moved, "the order of every pile stays"


@every_case
def test_the_rest_of_the_game_is_drawn_anew(game_id: str, options: Options) -> None:
    """The next deals follow from the generator in the state: no two resamples have the same."""
    game = mhing.Game(game_id, **options)
    deals: list[frozenset[tuple[str, ...]]] = []
    for seed in range(4):
        state = game.new_state(SEED).resample(0, seed)
        before = state.rounds_over
        while not state.is_terminal and state.rounds_over == before:
            state.apply(state.bot_action(game.default_bot, 0)[0])
        if not state.is_terminal:
            deals.append(frozenset(tuple(sorted(hand)) for hand in state.to_dict()["hands"]))
    assert len(set(deals)) == len(deals)


@every_case
def test_the_deal_alone_decides_what_a_seat_sees(game_id: str, options: Options) -> None:
    """The same deck from another seed is the same, up to the next shuffle."""
    game = mhing.Game(game_id, **options)
    deck = random_deck(game, Random(SEED))
    one, other = (game.new_state(seed, deck=deck) for seed in (SEED, other_seed(game, SEED, deck)))
    for seat in range(game.num_seats):
        assert_shown_alike(game, one.observation(seat), other.observation(seat))
        assert one.resample(seat, 1) == other.resample(seat, 1)


# ---- Resamples by themselves: also deep in an episode -------------------------------------------


@every_case
def test_a_resample_looks_the_same_to_its_seat(game_id: str, options: Options) -> None:
    """Whatever a seat cannot know is drawn anew, and its observation does not change by a bit."""
    game = mhing.Game(game_id, **options)
    changed: Counter[int] = Counter()
    for moment, state in enumerate(some_play(game, SEED + 6, 2 * DECISIONS)):
        for seat in range(game.num_seats):
            other = state.resample(seat, moment)
            assert_shown_alike(game, other.observation(seat), state.observation(seat))
            assert_shown_alike(game, other.public_observation(), state.public_observation())
            np.testing.assert_equal(other.info(), state.info())
            changed[seat] += other != state
            if state.seat == seat:
                assert other.seat == seat
                assert np.array_equal(other.legal_actions(), state.legal_actions())
                assert other.idle_action() == state.idle_action()
                for bot in game.bots:
                    assert other.bot_action(bot.name, 5) == state.bot_action(bot.name, 5)
                    if bot.values:
                        one, two = (at.values(bot.name).values for at in (state, other))
                        assert np.array_equal(one, two, equal_nan=True), bot.name
    assert all(changed[seat] > 0 for seat in range(game.num_seats))


@every_case
def test_what_everybody_may_see_are_the_public_fields(game_id: str, options: Options) -> None:
    game = mhing.Game(game_id, **options)
    for state in some_play(game, SEED + 9, DECISIONS):
        seen = game.unpack(state.observation(0))
        shown = game.unpack(state.public_observation())
        for field in game.observation_fields:
            expected = seen[field.name] if field.public else 0 * seen[field.name]
            assert np.array_equal(shown[field.name], expected), field.name


@every_case
def test_a_resample_depends_on_nothing_that_is_hidden(game_id: str, options: Options) -> None:
    """Two states that look the same to a seat give it the same fresh state, generator included."""
    game = mhing.Game(game_id, **options)
    for moment, state in enumerate(some_play(game, SEED + 7, 2 * DECISIONS)):
        for seat in range(game.num_seats):
            lookalike = state.resample(seat, 7 * moment + 1)
            assert lookalike.resample(seat, moment) == state.resample(seat, moment)


@pytest.mark.slow
@every_case
def test_a_resample_is_a_state_to_the_end_of_the_episode(game_id: str, options: Options) -> None:
    """Also where rounds have ended: what was counted then fits the cards that are drawn anew."""
    game = mhing.Game(game_id, **options)
    bot = game.default_bot
    for seed in range(3):
        state = game.new_state(seed)
        step = 0
        while True:
            for seat in range(game.num_seats) if state.is_terminal or step % 16 == 0 else ():
                other = state.resample(seat, step)
                assert game.from_bytes(other.to_bytes()) == other, "C29"
                assert_shown_alike(game, other.observation(seat), state.observation(seat))
                assert_shown_alike(game, other.public_observation(), state.public_observation())
                np.testing.assert_equal(other.info(), state.info())
                assert other.returns().tolist() == state.returns().tolist()
            if state.is_terminal:
                break
            state.apply(state.bot_action(bot, 100 * seed + step)[0])
            step += 1


@every_case
def test_a_resampled_state_is_a_state_like_any_other(game_id: str, options: Options) -> None:
    game = mhing.Game(game_id, **options)
    bot = game.bots[0].name
    for moment, state in enumerate(some_play(game, SEED + 8, 2 * DECISIONS)):
        if moment % 8:
            continue
        hidden = hidden_cards(state)
        for seat in range(game.num_seats):
            other = state.resample(seat, moment)
            assert hidden_cards(other) == hidden, "cards are lost or made"
            check_cards(other)
            assert game.from_bytes(other.to_bytes()) == other
            assert other.returns().tolist() == state.returns().tolist()
            if not other.is_terminal:
                other.apply(int(other.legal_actions()[0]))
                assert other.play_out(bot, moment).is_terminal
