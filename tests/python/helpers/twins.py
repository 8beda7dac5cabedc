"""Pairs of worlds that a seat cannot tell apart, made without `State.resample`.

Both are dealt by :meth:`mhing.Game.new_state`. The second has another seed, and a deck in which
some cards have changed places. Then the same actions are played in both, as long as everybody sees
the same public events. A seat whose own hand has been the same throughout knows the same of both
worlds, so whatever the engine shows it must be the same, to the byte.

Two things differ on purpose. Now and then a seat acts differently in the two worlds where no event
shows it: an answer that the others must not see. And a seat may be asked in one world only, because
only there it has a choice: then it does as little as the rules allow (the idle action), until both
worlds are at the same decision again. What did nothing must not show.

This module reads three things in `to_dict()`: `hands`, with a list of texts for each seat;
`events`; and the piles, under the names that they have in the omniscient observation. The text of a
card is its label, with a mark behind it where equal cards can be told apart.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from every_game import MARK, hidden_keys, label, piles, without_generators

import mhing

Table = dict[str, Any]
Deck = list[int]

TRIES = 200
"""The number of times that a deck is changed anew until some seat cannot see the difference."""


class World:
    """A state, what can be read off it, and the actions that led to it. None is changed."""

    def __init__(self, state: mhing.State, path: tuple[int, ...] = ()) -> None:
        self.state, self.path = state, path
        self.table: Table = without_generators(state)
        self.hands: list[Counter[str]] = [Counter(hand) for hand in self.table["hands"]]
        self.sizes = [hand.total() for hand in self.hands] + [
            len(self.table[pile]) for pile in piles(state.game) if pile in self.table
        ]

    def played(self, action: int) -> World:
        """The world after one action."""
        state = self.state.clone()
        state.apply(action)
        return World(state, (*self.path, action))

    def idled(self) -> list[World]:
        """The world, and the ones after it if up to as many idle actions are played as seats."""
        worlds = [self]
        while len(worlds) <= len(self.hands) and not worlds[-1].state.is_terminal:
            worlds.append(worlds[-1].played(worlds[-1].state.idle_action()))
        return worlds

    def open_table(self) -> Table:
        """All but the events and what is hidden."""
        hidden = hidden_keys(self.state.game)
        return {key: value for key, value in self.table.items() if key not in hidden}


def in_step(one: World, other: World) -> bool:
    """Return whether everybody has seen the same, and the same seat is to act."""
    return (
        one.state.seat == other.state.seat
        and one.sizes == other.sizes
        and one.table["events"] == other.table["events"]
    )


@dataclass(frozen=True)
class Moment:
    """Two states, and the seats that cannot know in which of them they are."""

    one: mhing.State
    other: mhing.State
    alike: frozenset[int]
    answered: bool
    """True if a seat has acted differently, and that is still hidden from the others."""


@dataclass(frozen=True)
class Deal:
    """The beginning of a world."""

    game: mhing.Game
    seed: int
    deck: Deck

    def state(self) -> mhing.State:
        """As it is dealt."""
        return self.game.new_state(self.seed, deck=self.deck)


class Twins:
    """Two worlds in step that are played on together."""

    def __init__(self, deals: tuple[Deal, Deal], moved: set[str]) -> None:
        self.deals = deals
        one, other = self.one, self.other = World(deals[0].state()), World(deals[1].state())
        self.moved = moved
        """Labels of the cards that changed places: a seat that is dealt one learns something."""
        self.alike = {
            seat for seat in range(len(one.hands)) if one.hands[seat] == other.hands[seat]
        }
        self.answered: list[Any] | None = None
        """The events at the time when a seat acted differently; None: what it did is settled."""
        self.betrayed: list[str] = []
        """Facts that the events of one world show and those of the other do not."""

    def moment(self) -> Moment:
        return Moment(
            self.one.state, self.other.state, frozenset(self.alike), self.answered is not None
        )

    def step(self, rng: Random) -> bool:
        """Plays one decision in both worlds. Returns False when that is the end of them."""
        hands = self.one.hands
        if not (self._answer_differently(rng) or self._act_alike(rng)) or not self._settled():
            return False
        self.alike = {
            seat
            for seat in self.alike
            if self.one.hands[seat] == self.other.hands[seat]
            and not self.moved & {label(card) for card in self.one.hands[seat] - hands[seat]}
        }
        return bool(self.alike) and not self.one.state.is_terminal

    def _act_alike(self, rng: Random) -> bool:
        """Plays the same action in both: a bot's, or any that is legal in both."""
        legal = set(self.one.state.legal_actions()) & set(self.other.state.legal_actions())
        if not legal:
            return False
        action = rng.choice(sorted(legal))
        bot = rng.choice(self.one.state.game.bots).name
        advised, _ = self.one.state.bot_action(bot, rng.getrandbits(64))
        action = advised if advised in legal else action
        self.one, self.other = self.one.played(action), self.other.played(action)
        return in_step(self.one, self.other) or self._fall_in()

    def _answer_differently(self, rng: Random) -> bool:
        """Lets the seat to act choose differently in both, if nobody else can see that."""
        seat = self.one.state.seat
        here = rng.choice(self.one.state.legal_actions().tolist())
        there = rng.choice(self.other.state.legal_actions().tolist())
        if here == there or self.alike == {seat}:
            return False
        one, other = self.one.played(here), self.other.played(there)
        if not in_step(one, other):
            return False
        self.answered = self.one.table["events"]
        self.one, self.other = one, other
        self.alike.discard(seat)
        return True

    def _settled(self) -> bool:
        """Return whether everybody still sees the same marks and results of answers."""
        tables = self.one.open_table(), self.other.open_table()
        if any(
            one != other
            and json.dumps(one).replace(MARK, "") == json.dumps(other).replace(MARK, "")
            for one, other in zip(tables[0].values(), tables[1].values(), strict=True)
        ):
            return False
        if self.answered is not None and self.one.table["events"] != self.answered:
            self.answered = None
            return tables[0] == tables[1]
        return True

    def _fall_in(self) -> bool:
        """Plays idle actions until both are at the same decision, on the same table."""
        ones, others = self.one.idled(), self.other.idled()
        for n, m in sorted(
            ((n, m) for n in range(len(ones)) for m in range(len(others)) if n + m), key=sum
        ):
            one, other = ones[n], others[m]
            if (
                one.state.seat == other.state.seat
                and one.sizes == other.sizes
                and one.open_table() == other.open_table()
            ):
                self.one, self.other = one, other
                self.alike -= {world.state.seat for world in ones[:n] + others[:m]}
                if one.table["events"] == other.table["events"]:
                    return True
                self.betrayed += difference(one.table["events"], other.table["events"])
                return False
        return False


def difference(one: list[Any], other: list[Any]) -> list[str]:
    """The events that only one of the lists has."""
    return [str(event) for event in one + other if (event in one) != (event in other)]


# ---- Deals --------------------------------------------------------------------------------------


def random_deck(game: mhing.Game, rng: Random) -> Deck:
    """The game's cards in a random order."""
    deck: Deck = game.describe()["deck"]
    return rng.sample(deck, len(deck))


def other_seed(game: mhing.Game, seed: int, deck: Deck) -> int:
    """Another seed from which the same deck is dealt in the same way (dealer and the like)."""

    expected = without_generators(game.new_state(seed, deck=deck))
    for other in range(seed + 1, seed + 1000):
        if without_generators(game.new_state(other, deck=deck)) == expected:
            return other
    raise AssertionError("no other seed deals the same deck in the same way")


def exchange(deck: Deck, places: list[int], rng: Random) -> list[int]:
    """An order of the deck's places in which these ones are mixed."""
    mixed = rng.sample(places, len(places))
    order = list(range(len(deck)))
    for place, source in zip(places, mixed, strict=True):
        order[place] = source
    return order


def keeps_marks(deck: Deck, order: list[int]) -> bool:
    """Return whether equal cards keep their order, so that their marks are the same."""
    last: dict[int, int] = {}
    for source in order:
        if last.get(deck[source], -1) > source:
            return False
        last[deck[source]] = source
    return True


def twins(game: mhing.Game, seed: int, most: int) -> Twins:
    """Twins from a deal; at most so many cards have changed places."""
    rng = Random(seed)
    deck = random_deck(game, rng)
    first = Deal(game, seed, deck)
    one = World(first.state())
    second = other_seed(game, seed, deck)
    marked = any(label(card) != card for hand in one.hands for card in hand)
    for _ in range(TRIES):
        order = exchange(
            deck, rng.sample(range(len(deck)), rng.randint(2, min(most, len(deck)))), rng
        )
        changed = [deck[source] for source in order]
        if changed == deck or (marked and not keeps_marks(deck, order)):
            continue
        names = game.labels["cards"]
        moved = {names[card] for card, old in zip(changed, deck, strict=True) if card != old}
        pair = Twins((first, Deal(game, second, changed)), moved)
        if pair.other.table == one.table:  # what changed places lies in a pile without an order
            continue
        if in_step(one, pair.other) and pair.alike:
            return pair
    raise AssertionError(f"{TRIES} changed decks, and in none of them a seat sees what it saw")


def moments(pair: Twins, seed: int, decisions: int) -> Iterator[Moment]:
    """The moments of twins that are played on together."""
    rng = Random(seed)
    yield pair.moment()
    for _ in range(decisions):
        if not pair.step(rng):
            break
        yield pair.moment()
