"""Extreme positions of Mexican Rummy: full runs, black 2s everywhere, empty piles, last turns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from random import Random

from every_game import Options, Table
from games.mexican_rummy.matches import Match, check_sums
from reference.mexican_rummy import HAND
from reference.rummy_melds import DECK, laid_of, type_of
from reference.rummy_plan import NO_DISCARDO, OBJECTIVES, PLACES, RANKS, SUITS, TWOS, Meld

import mhing

__all__ = ["Match", "check", "positions"]

MOST_PLANNED = 15
"""Cards in hand for which the reference can try all ways to lay them in the sixth round."""


def check(state: mhing.State) -> None:
    """The views of every seat add up to two decks."""
    check_sums(state)


def positions(rng: Random) -> tuple[Options, Table]:
    """One position; some attempts run out of cards, so the first that has enough is taken."""
    while True:
        position = Position(rng)
        if position.is_dealt():
            table = position.table()
            return position.options, table


class Position:
    """Cards are taken from two decks, for melds and then for hands; the piles have the rest."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.left: dict[str, list[str]] = defaultdict(list)
        for card in rng.sample(DECK, len(DECK)):
            self.left[type_of(card)].append(card)
        self.seats = rng.randint(2, 6)
        self.on_turn = rng.randrange(self.seats)
        self.objective = rng.choice((1, 2, 2, 3, 3, 3, 3, 4, 5, 5, 6, 6))
        self.phase = rng.choice(("ask", "answer", "start", "play", "play", "play", "play", "play"))
        self.melds: list[list[Meld]] = [[] for _ in range(self.seats)]
        self.hands: list[list[str]] = [[] for _ in range(self.seats)]
        self.stood_for = rng.choice(SUITS), rng.choice((0, PLACES - 1, rng.randrange(PLACES)))
        """A suit and a place in it for which black 2s stand in several runs."""
        self.only_full = rng.random() < 0.25
        """True if nothing fits onto a run on the table any more."""
        self.draw_pile: list[str] = []
        self.discards: list[str] = []
        self.drawn: list[str] = []
        self.options: Options = {}

    # ---- Cards ----------------------------------------------------------------------------------

    def _take(self, names: Iterable[str]) -> list[str] | None:
        """These cards if all of them are left."""
        taken: list[str] = []
        for name in names:
            if not self.left[name]:
                self._give_back(taken)
                return None
            taken.append(self.left[name].pop())
        return taken

    def _give_back(self, taken: Iterable[str]) -> None:
        for card in taken:
            self.left[type_of(card)].append(card)

    def _any(self, count: int) -> list[str]:
        """So many cards of those that are left."""
        names = [type_of(card) for held in self.left.values() for card in held]
        return self._take(self.rng.sample(names, count)) or []

    @property
    def _count_left(self) -> int:
        return sum(map(len, self.left.values()))

    # ---- Melds ----------------------------------------------------------------------------------

    def _set(self, most: int) -> Meld:
        rank = self.rng.choice(RANKS)
        size = self.rng.choice((3, 3, 4, most))
        names = [rank + suit for suit in SUITS for _ in self.left[rank + suit]]
        return Meld(rank, 0, tuple(self.rng.sample(names, min(size, len(names)))))

    def _run(self, most: int) -> Meld:
        """Any places, or all of a suit; black 2s in some, in as many as there are, or in none."""
        rng = self.rng
        size = min(most, PLACES if self.only_full else rng.choice((4, 4, 4, 5, 8, 13, 14)))
        suit, low, wild = rng.choice(SUITS), rng.randrange(15 - size), rng.choice((0, 0, 1, 2, 4))
        places = set(rng.sample(range(low, low + size), min(wild, size)))
        if rng.random() < 0.4:
            suit, place = self.stood_for
            low = rng.randint(max(0, place - size + 1), min(place, PLACES - size))
            places = {place, *places} & {*range(low, low + size)}
        twos = rng.sample([two for two in TWOS for _ in self.left[two]], self.wilds_left())
        names = [
            twos.pop() if place in places and twos else RANKS[place % 13] + suit
            for place in range(low, low + size)
        ]
        return Meld(suit, low, tuple(names))

    def wilds_left(self) -> int:
        return sum(len(self.left[two]) for two in TWOS)

    def _objective(self, most_of_a_set: int, most_of_a_run: int) -> list[Meld]:
        sets, runs = OBJECTIVES[self.objective - 1]
        return [self._set(most_of_a_set) for _ in range(sets)] + [
            self._run(most_of_a_run) for _ in range(runs)
        ]

    def _lay_down(self, seat: int) -> None:
        """The objective in front of a seat, if it can be made of what is left in a few attempts."""
        for _ in range(8):
            melds = self._objective(8, 14)
            names = [card for meld in melds for card in meld.cards]
            if min(len(meld.cards) - 3 - (not meld.is_set) for meld in melds) < 0:
                continue
            if self._take(names) is not None:
                self.melds[seat] = melds
                return

    # ---- Hands ----------------------------------------------------------------------------------

    def _wild_places(self) -> list[str]:
        """The cards for which black 2s stand in the runs of the seats that are not on turn."""
        return [
            meld.stands_for(place)
            for melds in self.melds[: self.on_turn] + self.melds[self.on_turn + 1 :]
            for meld in melds
            if not meld.is_set
            for place in range(meld.low, meld.low + len(meld.cards))
            if meld.is_wild(place)
        ]

    def _promising(self, size: int) -> list[str]:
        """Cards of the objective, some of them lacking, with such as can be swapped."""
        swaps = self._wild_places()
        lacking = self.rng.choice((0, 0, 1) if self.objective == NO_DISCARDO else (0, 1, 1, 1, 2))
        names = [card for meld in self._for_hand(size) for card in meld.cards]
        del names[size:]
        for _ in range(min(lacking, len(names))):
            names.pop(self.rng.randrange(len(names)))
        if swaps:
            names = [self.rng.choice(swaps) for _ in range(lacking or 1)] + names
        hand: list[str] = []
        for name in names[:size]:
            hand += self._take([name]) or []
        return hand

    def _for_hand(self, size: int) -> list[Meld]:
        """Melds for a hand; in the sixth round of all its cards if that comes about."""
        if self.objective != NO_DISCARDO:
            return self._objective(3, 4)
        for _ in range(20):
            melds = self._objective(self.rng.choice((3, 4, 6)), self.rng.randint(4, size))
            if sum(len(meld.cards) for meld in melds) == size:
                break
        return melds

    def _fitting(self, count: int) -> list[str]:
        """Cards that fit onto melds on the table."""
        every = [meld for melds in self.melds for meld in melds]
        names = [name for name in self.left if any(list(meld.spots(name)) for meld in every)]
        hand: list[str] = []
        for name in self.rng.sample(names, min(count, len(names))):
            hand += self._take([name]) or []
        return hand

    def is_dealt(self) -> bool:
        """Deals, and says whether there are enough cards for it."""
        if self.objective != NO_DISCARDO:
            everybody = self.rng.random() < 0.3
            for seat in self.rng.sample(range(self.seats), self.seats):
                if everybody or (seat != self.on_turn and self.rng.random() < 0.6):
                    self._lay_down(seat)
        drawn = self.phase == "play"
        for seat in [self.on_turn, *range(self.seats)]:
            if not self.hands[seat] and not self._deal(seat, drawn and seat == self.on_turn):
                return False
        return self._balance(drawn) and self._pile(drawn) and self._has_choice(drawn)

    def _deal(self, seat: int, drawn: bool) -> bool:
        """A hand of the least size, or a larger one."""
        own = seat == self.on_turn
        if self.melds[seat]:
            size = self.rng.choice((1, 1, 2, 2, 3, 4, 8))
        else:
            size = HAND + drawn + 2 * self.rng.choice((0, 0, 0, 1, 2, 5) if own else (0, 0, 0, 1))
        if self.objective == NO_DISCARDO and own:
            size = min(size, MOST_PLANNED)
        if self.melds[seat]:
            self.hands[seat] = self._fitting(self.rng.choice((0, 1, size)) if own else 0)
        elif own and self.rng.random() < 0.9:
            self.hands[seat] = self._promising(size)
        more = size - len(self.hands[seat])
        if more > self._count_left:
            return False
        self.hands[seat] += self._any(more)
        return True

    def _balance(self, drawn: bool) -> bool:
        """Cards in play are ten of each seat, a card drawn, and two for each grant.

        Now and then one seat gets all but a few: the piles are as small as they can be.
        """
        others = [seat for seat in range(self.seats) if seat != self.on_turn]
        down = [seat for seat in others if self.melds[seat]]
        in_play = len(DECK) - self._count_left
        least = HAND * self.seats + drawn
        if (in_play - least) % 2:
            if not down or not self._count_left:
                return False
            self.hands[self.rng.choice(down)] += self._any(1)
            in_play += 1
        more = max(0, least - in_play)
        room = self._count_left - more
        if room > 2 and self.rng.random() < 0.5:
            more += 2 * self.rng.choice((room // 2 - 1, self.rng.randrange(room // 2)))
        if more > self._count_left:
            return False
        self.hands[self.rng.choice(down or others)] += self._any(more)
        return True

    def _pile(self, drawn: bool) -> bool:
        """The other cards lie in the two piles."""
        rest = self._any(self._count_left)
        least = 0 if drawn else 1
        if len(rest) < least:
            return False
        top = min(len(rest), self.rng.choice((least, 1, 2, 3, len(rest), len(rest))))
        self.discards, self.draw_pile = rest[:top], rest[top:]
        return len(self.discards) <= len(DECK) - 2 * HAND

    def _has_choice(self, drawn: bool) -> bool:
        """A seat is asked where it has two moves at least."""
        hand = self.hands[self.on_turn]
        if not drawn or len(set(map(type_of, hand))) > 1:
            return True
        every = [meld for melds in self.melds for meld in melds]
        is_down = bool(self.melds[self.on_turn])
        return is_down and any(list(meld.spots(type_of(hand[0]))) for meld in every)

    # ---- The table ------------------------------------------------------------------------------

    def table(self) -> Table:
        """The position as `Game.state_from_dict` takes it."""
        rng = self.rng
        this_turn, shuffles = self._turn(), self._shuffles()
        discarded = len(self.discards) + ("taken" in this_turn)
        if shuffles["shuffles"]:
            last = [of for of in shuffles["shuffle_of"].values() if of == shuffles["shuffles"]]
            discarded += len(last) + shuffles["shuffles"] - 1
        least = max(self.seats + 1, discarded + 1)
        turn = rng.choice((least, rng.randint(least, least + 60)))
        turns_left = rng.choice((0, 0, 1, 2, self.seats))
        double = self.objective == NO_DISCARDO
        self.options = {
            "num_players": self.seats,
            "turn_limit": (turn + turns_left + double) // (1 + double),
            "reward": rng.choice(("score", "rank", "win")),
            "swaps": rng.choice(("any", "any", "needed")),
            "turned_up": rng.random() < 0.8,
            "hints": rng.random() < 0.2,
            **self._episode(),
        }
        return {
            "objective": self.objective,
            "phase": self.phase,
            "turn": turn,
            "starter": (self.on_turn - turn + 1) % self.seats,
            "hands": self.hands,
            "melds": [[laid_of(meld) for meld in melds] for melds in self.melds],
            "draw_pile": self.draw_pile,
            "shuffler": f"{rng.getrandbits(64):016x}",
            "random": f"{rng.getrandbits(64):016x}",
            **this_turn,
            **shuffles,
            **self._history(),
        }

    def _episode(self) -> Options:
        """A round alone, or a game of which this is the first, a later or the last round."""
        if self.rng.random() < 0.4:
            return {"episode": "round", "objective": self.objective}
        first = self.rng.randint(1, self.objective)
        rounds = self.rng.choice((self.objective - first + 1, 6))
        return {"episode": "game", "objective": first, "rounds": rounds}

    def _turn(self) -> Table:
        """Seats asked, answering and refused, and the card that the seat on turn has got."""
        rng = self.rng
        before = (self.on_turn - 1) % self.seats
        asked = [
            seat
            for seat in ((self.on_turn + step) % self.seats for step in range(1, self.seats))
            if seat != before
        ]
        by = [rng.randrange(self.seats) for _ in self.discards]
        if by:
            by[-1] = before
        keys: Table = {
            "discards": [
                {"card": card, "by": seat} for card, seat in zip(self.discards, by, strict=True)
            ]
        }
        held = {card for hand in self.hands for card in hand}
        shown = {card for card in sorted(held) if rng.random() < rng.choice((0.0, 0.1, 0.5))}
        if self.phase == "play":
            card = rng.choice(self.hands[self.on_turn])
            if rng.random() < 0.3:
                keys["taken"] = card
                shown.add(card)
            elif not self.melds[self.on_turn] or rng.random() < 0.7:
                keys["drawn"] = card
                self.drawn = [card]
                shown.discard(card)
        elif not asked:
            keys["phase"] = self.phase = "start"
        if self.phase in ("ask", "answer"):
            at = rng.randrange(len(asked))
            keys["seat" if self.phase == "ask" else "asker"] = asked[at]
            asked = asked[:at]
        if self.phase != "play":
            keys["refused"] = [seat for seat in sorted(asked) if rng.random() < 0.6]
        return {**keys, "shown": sorted(shown)}

    def _shuffles(self) -> Table:
        """The draw pile and a card drawn are of the last shuffle, all others of any."""
        shuffles = self.rng.choice((0, 0, 1, 2, 9))
        of = {card: self.rng.randint(0, shuffles) for card in DECK}
        of |= dict.fromkeys([*self.draw_pile, *self.drawn], shuffles)
        return {"shuffles": shuffles, "shuffle_of": of}

    def _history(self) -> Table:
        """Rounds finished, their points, and what they paid."""
        rounds = self.objective - self.options["objective"]
        if not rounds:
            return {}
        points = [5 * self.rng.choice((1, 2, 9, 20)) for _ in range(self.seats)]
        ending = self.rng.choice(("last card laid", "no card to draw", "turn limit"))
        winner = self.rng.randrange(self.seats) if ending == "last card laid" else -1
        if winner >= 0:
            points[winner] = 0
        more = self.rng.choice((5, 95))
        scores = [mine + more * (rounds - 1) for mine in points]
        result = {"round": rounds - 1, "winner": winner, "ending": ending, "points": points}
        paid = self.options["reward"] == "score"
        returns = [0.0 - score * paid for score in scores]
        return {
            "round": rounds,
            "result": result,
            "scores": scores,
            "returns": returns,
        }
