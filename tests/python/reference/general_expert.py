"""The judgement of General Mhing's expert on each action, slowly, from one observation.

It counts cards one by one and lets the race go round turn by turn until nothing changes, where the
engine looks at bits and solves equations.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import Any

from reference.general_mhing import DECK, RANKS, SEQUENCES, SUITS, Sequence

Level = tuple[int, int]
"""Sequences laid, and what they score."""
Kinds = tuple[tuple[int, str], ...]
"""The lowest rank and the suit of each sequence laid."""

LAY = {0: 0.25, 1: 0.27, 2: 0.30, 3: 0.27}
MOST = {0: 0, 1: 1, 2: 3, 3: 6}
GAINS = {
    (0, 0): (5, 95), (1, 0): (47, 45, 8), (1, 1): (65, 31, 4),
    (2, 0): (21, 49, 28, 2), (2, 1): (38, 43, 14, 5), (2, 2): (51, 12, 27, 10), (2, 3): (48, 8, 44),
    (3, 0): (0, 18, 71, 11), (3, 1): (4, 36, 36, 22, 2), (3, 2): (18, 26, 34, 18, 4),
    (3, 3): (22, 23, 27, 18, 10), (3, 4): (38, 13, 12, 21, 16), (3, 5): (38, 17, 8, 29, 8),
    (3, 6): (38, 17, 8, 29, 8),
}  # fmt: skip
GOES_ON = 1 - 0.002
"""The chance that a turn without a sequence is followed by another one."""


def score(kinds: Kinds) -> int:
    """R5.1."""
    pairs = list(combinations(kinds, 2))
    points = sum(one[1] == other[1] for one, other in pairs)
    points += sum(one[0] == other[0] for one, other in pairs)
    points += sum(abs(one[0] - other[0]) == 3 for one, other in pairs)
    high = all(low >= 6 for low, _ in kinds)
    low = all(low + 2 <= 6 for low, _ in kinds)
    return points + (bool(kinds) and (high or low))


class Race:
    """The worth of a race to seat 0, by each seat's level and the seat with the next turn."""

    def __init__(self, levels: list[Level], reward: str) -> None:
        self.seats, self.now, self.reward = len(levels), tuple(levels), reward
        self.worth = cache(self._worth)

    def payoff(self, winner: int, points: int) -> float:
        if self.reward == "win":
            return float(winner == 0)
        lost = 0.0 if self.reward == "points" else -points / (self.seats - 1)
        return points if winner == 0 else lost

    def end(self, tally: int) -> float:
        """Seat 0 ends the round with four sequences."""
        places = [(tally, -4), *((points, -count) for count, points in self.now[1:])]
        best = max(places)
        return 0.0 if places.count(best) > 1 else self.payoff(places.index(best), best[0])

    def turn(self, levels: tuple[Level, ...], seat: int, lay: float) -> list[tuple[float, float]]:
        """The ways in which a seat's turn may go: the chance of each, and its worth."""
        count, tally = levels[seat]
        ways = []
        for gain, percent in enumerate(GAINS[levels[seat]]):
            if count < 3:
                after = list(levels)
                after[seat] = count + 1, min(tally + gain, MOST[count + 1])
                then = self.worth(tuple(after), (seat + 1) % self.seats)
                ways.append((lay * percent / 100, then))
            elif all(tally + gain > levels[i][1] for i in range(self.seats) if i != seat):
                ways.append((lay * percent / 100, self.payoff(seat, tally + gain)))
        return ways

    def _worth(self, levels: tuple[Level, ...], seat: int) -> float:
        count, tally = levels[0]
        own = {tally + gain: LAY[count] * p / 100 for gain, p in enumerate(GAINS[levels[0]])}
        return self.wait(levels, own, None, None)[seat]

    def laid(self, levels: tuple[Level, ...], count: int, tally: int) -> float:
        """Seat 0 has laid its sequence number `count`."""
        if count == 4:
            return Race(list(levels), self.reward).end(tally)
        return self.worth(((count, min(tally, MOST[count])), *levels[1:]), 1)

    def wait(
        self,
        levels: tuple[Level, ...],
        own: dict[int, float],
        ready: int | None,
        first: float | None,
    ) -> list[float]:
        """Round and round, seat 0 laying only what is worth more than continuing.

        By the seat that has the turn. `first` is the chance to lay in the first turn of seat 1.
        """
        count = levels[0][0]
        others = {
            seat: self.turn(levels, seat, LAY[levels[seat][0]]) for seat in range(1, self.seats)
        }
        worth = [0.0] * self.seats
        for _ in range(4000):
            before = list(worth)
            for seat in reversed(range(1, self.seats)):
                worth[seat] = _mean(others[seat], GOES_ON * worth[(seat + 1) % self.seats])
            tallies = {
                t: 1.0 if t == ready else own.get(t, 0.0) for t in {*own, ready} if t is not None
            }
            ways, left = [], 1.0
            for tally in sorted((t for t in tallies if t <= 9), reverse=True):
                then = self.laid(levels, count + 1, tally)
                if tallies[tally] > 0 and then > worth[1]:
                    ways.append((min(left, tallies[tally]), then))
                    left -= ways[-1][0]
            worth[0] = _mean(ways, GOES_ON * worth[1])
            if max(abs(one - other) for one, other in zip(before, worth, strict=True)) < 1e-11:
                break
        if first is not None:
            now = self.turn(levels, 1, first)
            worth[1] = _mean(now, GOES_ON * worth[2 % self.seats])
        return worth


def _mean(ways: list[tuple[float, float]], otherwise: float) -> float:
    return sum(p * then for p, then in ways) + (1 - sum(p for p, _ in ways)) * otherwise


class Expert:
    """The values of the legal actions of the observer, whose observation is `seen`.

    `top`: the card on top of the discard pile may be taken, no matter who discarded it.
    """

    def __init__(self, seen: dict[str, Any], reward: str, top: bool = False) -> None:
        seats = len(seen["tally"])
        self.hand = frozenset(card for card, has in zip(DECK, seen["hand"], strict=True) if has)
        self.unseen = frozenset(c for c, is_so in zip(DECK, seen["unseen"], strict=True) if is_so)
        self.offer = DECK[seen["offer"] - 1] if seen["offer"] else None
        self.taken = DECK[seen["taken"] - 1] if seen["taken"] else None
        self.phase = int(seen["phase"])
        laid = [[int(kind) - 1 for kind in row if kind] for row in seen["sequence_kind"]]
        self.laid = [
            (kind % 11, SUITS[kind // 11], int(ace) - 1 if ace else None)
            for kind, ace in zip(laid[0], seen["sequence_ace"][0], strict=False)
        ]
        levels = [
            (len(laid[i]), min(int(seen["tally"][i]), MOST.get(len(laid[i]), 9)))
            for i in range(seats)
        ]
        self.race = Race(levels, reward)
        known = {"A" + SUITS[i] for i in range(4) if seen["aces_held"][1][i]}
        hidden = int(seen["hand_size"][1]) - len(known)
        self.held = {card: hidden / len(self.unseen) for card in self.unseen}
        self.held |= dict.fromkeys(known, 1.0)
        pile = [DECK[card - 1] for card in seen["discards"] if card] if top else []
        self.left = pile[-1:]
        """The value that a turn without a discard leaves to the next seat."""
        self.below = pile[-2:-1]
        """The same once the card on offer is taken."""

    def hopes(
        self, hand: frozenset[str], laid: Kinds, each: float, two: float
    ) -> tuple[dict[int, float], int | None]:
        """By tally the chance to get there with cards of the hand; the best one in the hand."""
        own: dict[int, float] = {}
        ready: int | None = None
        for suit in SUITS:
            best: dict[str, int] = {}
            for low in range(11):
                tally = score((*laid, (low, suit)))
                forms = [s.cards for s in SEQUENCES.values() if (s.low, s.suit) == (low, suit)]
                forms = [cards for cards in forms if cards <= hand | self.unseen]
                if not forms:
                    continue
                lacking = min(len(cards - hand) for cards in forms)
                if lacking == 0:
                    ready = tally if ready is None else max(ready, tally)
                elif lacking == 1:
                    for cards in forms:
                        if len(cards - hand) == 1:
                            (card,) = cards - hand
                            best[card] = max(best.get(card, 0), tally)
                elif lacking == 2:
                    own[tally] = own.get(tally, 0.0) + two
            for tally in best.values():
                own[tally] = own.get(tally, 0.0) + each
        return own, ready

    def keep(
        self, hand: frozenset[str], laid: Kinds, to_come: float = 0.03, take: float | None = None
    ) -> float:
        """The turn ends with this."""
        each = 1 / len(self.unseen)
        level = len(laid), min(score(laid), MOST[len(laid)])
        own, ready = self.hopes(hand, laid, 1.7 * each, 0.12 * each)
        for gain, percent in enumerate(GAINS[level]):
            own[level[1] + gain] = own.get(level[1] + gain, 0.0) + to_come * percent / 100
        levels = (level, *self.race.now[1:])
        drawn = 0.7 * LAY[levels[1][0]]
        first = drawn if take is None else take + (1 - take) * drawn
        return self.race.wait(levels, own, ready, first)[1]

    def danger(self, card: str) -> float:
        """The chance that the next seat can lay a card."""
        safe = 1.0
        suit = [other for other in self.held if other[1] == card[1] and other != card]
        for pair in combinations(suit, 2):
            if any(s.cards == {card, *pair} for s in SEQUENCES.values()):
                both = self.held[pair[0]] * self.held[pair[1]]
                safe *= 1 - (both * 0.6 if max(self.held[c] for c in pair) < 1 else both)
        return 1 - safe

    def wait(self, hand: frozenset[str], laid: Kinds, to_come: float = 0.03) -> float:
        """The turn ends with this, and without a discard."""
        return self.keep(hand, laid, to_come, self.danger(self.left[0]) if self.left else None)

    def taken_first(self) -> Expert:
        """The same seat once it has taken the card on offer."""
        after = copy.copy(self)
        after.left, after.below = self.below, []
        return after

    def lay(self, hand: frozenset[str], laid: Kinds, sequence: Sequence) -> float:
        after = (*laid, (sequence.low, sequence.suit))
        if len(after) == 4:
            return self.race.end(score(after))
        left = hand - sequence.cards
        natural = [card for card in sequence.cards if card[0] != "A"]
        frees = {c for c in (left | self.unseen) if c[1] == sequence.suit and c[0] != "A"}
        frees = {c for c in frees if c not in natural and _in_a_row([c, *natural])}
        wanted = 0 if sequence.ace is None else len(frees)
        return self.wait(left, after, 0.03 + 0.15 + 0.02 * wanted)

    def play(self, hand: frozenset[str], laid: Kinds) -> Iterator[tuple[str, float]]:
        for sequence in SEQUENCES.values():
            if sequence.cards <= hand:
                yield f"sequence {sequence.text}", self.lay(hand, laid, sequence)
        for card in hand:
            yield f"discard {card}", self.keep(hand - {card}, laid, take=self.danger(card))

    def swaps(self, legal: list[str]) -> Iterator[tuple[str, float]]:
        for action in legal:
            if not action.startswith("swap"):
                continue
            card = action.split()[1]
            kinds = []
            for low, suit, ace in self.laid:
                stay = [RANKS[low + i] + suit for i in range(3) if i != ace]
                if suit == card[1] and ace is not None:
                    low = min(RANKS.index(rank) for rank, _ in [*stay, card])  # noqa: PLW2901
                kinds.append((low, suit))
            hand = (self.hand - {card}) | {"A" + card[1]}
            if self.phase == 3:
                yield action, max(value for _, value in self.play(hand, tuple(kinds)))
            else:
                yield action, self.wait(hand, tuple(kinds))

    def values(self, legal: list[str]) -> dict[str, float]:
        laid = tuple((low, suit) for low, suit, _ in self.laid)
        swaps = dict(self.swaps(legal))
        if self.phase == 4:
            return {"end": self.wait(self.hand, laid), **swaps}
        if self.phase == 3:
            return dict(self.play(self.hand, laid)) | swaps
        if self.phase == 2:
            return {a: self.lay(self.hand, laid, SEQUENCES[a.split()[1]]) for a in legal}
        stay = self.keep(self.hand, laid)
        if swaps and max(swaps.values()) > self.wait(self.hand, laid):
            return swaps
        own, ready = self.hopes(self.hand, laid, 1 / len(self.unseen), 0.0)
        ways, left = [], 1.0
        for tally in sorted({*own} | ({ready} if ready is not None else set()), reverse=True):
            then = self.race.laid(self.race.now, len(laid) + 1, tally)
            if then > stay:
                ways.append((min(left, 1.0 if tally == ready else own[tally]), then))
                left -= ways[-1][0]
        values = {"draw": _mean(ways, stay)}
        if self.offer:
            hand = self.hand | {self.offer}
            takes = [s for s in SEQUENCES.values() if self.offer in s.cards and s.cards <= hand]
            if takes:
                after = self.taken_first()
                values["take"] = max(after.lay(hand, laid, sequence) for sequence in takes)
        return values


def _in_a_row(cards: list[str]) -> bool:
    ranks = sorted(RANKS.index(card[0]) for card in cards)
    return ranks == list(range(ranks[0], ranks[0] + 3))
